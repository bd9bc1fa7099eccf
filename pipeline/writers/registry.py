"""Writers by name."""

from pipeline.writers.base import Writer
from pipeline.writers.file import FileWriter
from pipeline.writers.lines import LinesWriter
from pipeline.writers.reference import ReferenceWriter
from pipeline.writers.settings import WriterName
from pipeline.writers.template import TemplateWriter
from pipeline.writers.whole import WholeWriter

_WRITERS: dict[str, type[Writer]] = {
    "lines": LinesWriter,
    "whole": WholeWriter,
    "file": FileWriter,
    "reference": ReferenceWriter,
    "template": TemplateWriter,
}


def writer_named(name: WriterName) -> Writer:
    """The writer of that name; a replay is another writer's, with a session of its own."""
    return _WRITERS[name]()
