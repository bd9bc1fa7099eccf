"""One export: what a format is given, and how it says what it leaves out."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.loader import Conversation, Corpus, Kind
from pipeline.output.files import write_bytes
from pipeline.workspace import write_text


@dataclass
class Job:
    """What to export, and where to."""

    corpus: Corpus
    folder: Path
    """Where to write."""
    out: Path
    """Where `folder` will stand when it is finished: absolute, for formats whose readers want absolute paths."""
    kind: Kind = "noisy"
    """Which channels go out."""
    rate: int | None = None
    """Sample rate of the audio that is written [Hz]; None: the format's own choice, or the corpus's."""
    notify: Callable[[str], None] = lambda _: None
    """Hears what is being written."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Conversations that the format cannot hold, by id, each with the reason."""
    exported: list[str] = field(default_factory=list)

    def conversations(self) -> Iterator[Conversation]:
        """Those that the format can hold, one after the other."""
        for number, ident in enumerate(ident for ident in self.corpus.ids if ident not in self.left_out):
            self.notify(f"{ident} [{number}/{len(self.corpus) - len(self.left_out)}]")
            self.exported.append(ident)
            yield self.corpus[ident]

    def text(self, name: str, text: str) -> None:
        """Write a text file into the export."""
        write_text(self.folder / name, text)

    def bytes(self, name: str, data: bytes) -> None:
        """Write any other file into the export."""
        write_bytes(self.folder / name, data)

    def each(self, files: Callable[[Conversation], Mapping[str, str]]) -> None:
        """Write the text files, by name, that each conversation becomes."""
        for conversation in self.conversations():
            for name, text in files(conversation).items():
                self.text(name, text)
