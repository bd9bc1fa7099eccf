"""All formats by name: what each writes, who reads it, what it needs."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from pipeline.errors import ConfigError
from pipeline.exports import lines
from pipeline.exports.eaf import eaf
from pipeline.exports.job import Job
from pipeline.exports.textgrid import textgrid


@dataclass(frozen=True)
class Format:
    """One format."""

    name: str
    write: Callable[[Job], None]
    writes: str
    readers: str
    needs: tuple[str, ...] = ()
    """Packages that writing it imports, beyond those of the project itself."""
    extra: str = ""
    """The extra that installs them."""
    speakers: int | None = None
    """How many speakers a conversation must have; None: any number."""

    @property
    def missing(self) -> list[str]:
        """What it needs that is not installed."""
        return [name for name in self.needs if find_spec(name) is None]


FORMATS: tuple[Format, ...] = (
    Format("rttm", lines.rttm, "ID.rttm, ID.uem: who speaks when", "meeteval, pyannote, dscore, md-eval"),
    Format("ctm", lines.ctm, "ID.ctm: a word a line, the channel is the speaker", "meeteval, sclite, Kaldi"),
    Format("stm", lines.stm, "ID.stm: a segment a line", "meeteval, sclite"),
    Format("seglst", lines.seglst, "ID.seglst.json: segments with words and role", "meeteval, CHiME"),
    Format("textgrid", textgrid, "ID.TextGrid: a tier a speaker and kind", "Praat, praatio, textgrid, parselmouth"),
    Format("eaf", eaf, "ID.eaf, ID.wav: the same tiers, with the mix", "ELAN, pympi", ("pympi",), "export"),
    Format("audacity", lines.audacity, "ID.SPEAKER.txt: a label track a speaker", "Audacity"),
)


def by_name(name: str) -> Format:
    """The format of this name, ready to write.

    Raises
    ------
    ConfigError
        when there is none, or a package that it needs is not installed.

    """
    found = next((form for form in FORMATS if form.name == name), None)
    if found is None:
        raise ConfigError(f"no format {name!r}; there are {', '.join(form.name for form in FORMATS)}")
    if found.missing:
        raise ConfigError(f"{name} needs {' and '.join(found.missing)}: pip install 'turnfloor[{found.extra}]'")
    return found
