"""Writers by name."""

from pipeline.writers.base import Writer
from pipeline.writers.file import FileWriter
from pipeline.writers.lines import LinesWriter
from pipeline.writers.settings import WriterName
from pipeline.writers.template import TemplateWriter

_WRITERS: dict[str, type[Writer]] = {
    "lines": LinesWriter,
    "file": FileWriter,
    "template": TemplateWriter,
}


def writer_named(name: WriterName) -> Writer:
    """The writer of that name."""
    return _WRITERS[name]()
