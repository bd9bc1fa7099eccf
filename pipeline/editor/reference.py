"""The reference of all settings as a Markdown page: key, default, what is allowed, what it means.

Made from the records and the shipped configuration, so that it cannot say anything else than they do.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from omegaconf import OmegaConf
from pydantic.fields import FieldInfo

from pipeline.compose import composed
from pipeline.editor.docstrings import summary
from pipeline.editor.groups import GROUPS, record_of
from pipeline.editor.meaning import meaning
from pipeline.records import Record
from pipeline.resources import resource

HEAD = """# Configuration reference

Made by `python -m pipeline.schema --reference`. A setting is given on the command line as `group.key=value`, such as
`timing.hold_rate=0.2`, in `ARGS` of make, or in a file of your own (`--config-dir`). `python -m pipeline --cfg` prints
what a request comes to. Durations are in seconds, levels in dB, frequencies in Hz.
"""


def reference() -> str:
    """The whole page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    # With no address in the environment, so that the page is the same on each machine.
    config: Any = OmegaConf.to_container(composed([]), resolve=True)
    yield HEAD
    yield "## Request\n"
    yield from _table("config", {key: config.get(key) for key in _own(config)}, "")
    for name, kind in GROUPS.items():
        files = sorted((resource("conf") / name).glob("[!_]*.yaml"))
        yield f"\n## {name}\n"
        yield f"{summary(kind)} Choices: {', '.join(f'`{name}={path.stem}`' for path in files)}.\n"
        yield from _table(name, config[name], f"{name}.")


def _own(config: Mapping[str, Any]) -> list[str]:
    """The keys of the configuration that are no group."""
    return [key for key in record_of("config").model_fields if key not in GROUPS and key != "stress"]


def _table(name: str, values: Mapping[str, Any], prefix: str) -> Iterator[str]:
    yield "| key | default | allowed | meaning |"
    yield "|---|---|---|---|"
    yield from _rows(record_of(name), values, prefix)


def _rows(kind: type[Record], values: Mapping[str, Any], prefix: str) -> Iterator[str]:
    schema = kind.model_json_schema(mode="validation")
    for key, field in kind.model_fields.items():
        if prefix == "" and key not in values:
            continue
        told = meaning(kind, key)
        part, each = _record(field.annotation)
        if part is not None:
            if told:
                yield _row(f"{prefix}{key}", "", "", told)
            below = values.get(key)
            yield from _rows(part, below if isinstance(below, Mapping) and not each else {}, f"{prefix}{key}{each}.")
        else:
            default = "" if key not in values and field.is_required() else _value(values.get(key, _default(field)))
            yield _row(f"{prefix}{key}", default, allowed(schema["properties"][key]), told)


def _default(field: FieldInfo) -> Any:
    return field.get_default(call_default_factory=True)


def _record(annotation: Any) -> tuple[type[Record] | None, str]:
    """The record that a setting is, or may be; and how one of several is named, where there are."""
    found = [one for one in (annotation, *getattr(annotation, "__args__", ())) if isinstance(one, type)]
    records = [one for one in found if issubclass(one, Record) and one.__name__ not in ("Quantiles", "Shard")]
    origin = getattr(annotation, "__origin__", None)
    each = ".KEY" if origin is dict else "[]" if origin is tuple else ""
    return (records[0], each) if len(records) == 1 else (None, "")


def _row(key: str, default: str, allowed_: str, told: str) -> str:
    cells = (f"`{key}`", f"`{default}`" if default else "", allowed_, told)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _value(value: Any) -> str:
    if isinstance(value, Record):
        value = value.model_dump(mode="json")
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def allowed(schema: Mapping[str, Any]) -> str:
    """What a JSON schema allows, in a few words.

    >>> allowed({"type": "number", "minimum": 0, "maximum": 1}), allowed({"enum": ["a", "b"]})
    ('number, 0 to 1', 'a, b')
    """
    if "$ref" in schema:
        name: str = schema["$ref"].rpartition("/")[2]
        return {"Uniform": "{low, high}", "Quantiles": "{probabilities, values}", "Shard": "I/N"}.get(name, name)
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(allowed(one) for one in schema[key]))
    return _plain_kind(schema)


def _plain_kind(schema: Mapping[str, Any]) -> str:
    kind: str = schema.get("type", "anything")
    if kind == "array":
        items = [allowed(one) for one in schema.get("prefixItems", [schema.get("items", {})])]
        return f"list of {items[0]}" if len(items) == 1 else f"[{', '.join(items)}]"
    if kind == "object":
        of = schema.get("additionalProperties")
        return f"{{key: {allowed(of)}}}" if isinstance(of, Mapping) else "map"
    words = {"string": "text", "integer": "whole number", "boolean": "true, false"}
    return words.get(kind, kind) + _range(schema)


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f", {low:,} to {high:,}"
    parts = [f"{low:,} or more" if low is not None else "", f"above {above:,}" if above is not None else ""]
    parts += [f"at most {high:,}" if high is not None else "", f"below {below:,}" if below is not None else ""]
    return "".join(f", {part}" for part in parts if part)
