"""Every record has a published schema, and what it says it may leave out, it can."""

import json

import pytest
from pydantic_core import PydanticUndefined

from pipeline.records import Record
from pipeline.schema import main, published, schema_of


def every_record(base=Record):
    for kind in base.__subclasses__():
        yield kind
        yield from every_record(kind)


@pytest.mark.parametrize("name", sorted(published()))
def test_each_published_record_has_a_schema(name):
    assert json.loads(schema_of(name))["type"] == "object"


def test_a_value_that_may_be_none_has_none_as_its_default():
    """None is left out of JSON, so that a field without a default could not be read back."""
    published()  # imports them all
    for kind in every_record():
        if not kind.__module__.startswith("pipeline."):
            continue
        for name, field in kind.model_fields.items():
            if type(None) in getattr(field.annotation, "__args__", ()) and kind.__name__ != "Settings":
                assert field.default is not PydanticUndefined, f"{kind.__name__}.{name}"


def test_an_unknown_name_is_one_line(capsys):
    assert main(["Nonsense"]) == 2
    assert capsys.readouterr().err.startswith("error: schema 'Nonsense': there is ")
