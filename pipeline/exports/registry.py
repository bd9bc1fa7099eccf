"""All formats by name: what each writes, who reads it, what it needs."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from pipeline.errors import ConfigError
from pipeline.exports import lines
from pipeline.exports.eaf import eaf
from pipeline.exports.huggingface import huggingface
from pipeline.exports.job import Job
from pipeline.exports.kaldi import kaldi
from pipeline.exports.lhotse_manifests import lhotse
from pipeline.exports.moshi import moshi
from pipeline.exports.nemo import nemo
from pipeline.exports.shar import shar
from pipeline.exports.shards import shards
from pipeline.exports.textgrid import textgrid
from pipeline.exports.turnbench import turnbench
from pipeline.exports.vap import vap


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
    Format("nemo", nemo, "asr.json, diarization.json, with WAV, RTTM and UEM", "NeMo"),
    Format("kaldi", kaldi, "a data directory, a recording a channel, with WAV", "Kaldi, lhotse, ESPnet, icefall"),
    Format("lhotse", lhotse, "recordings, supervisions, cuts of all channels; FLAC stays", "lhotse, icefall, NeMo"),
    Format("shar", shar, "the same cuts in shards, with FLAC", "lhotse, icefall, NeMo", ("lhotse",), "lhotse"),
    Format(
        "huggingface",
        huggingface,
        "SPLIT/NNNNN.parquet: a row a conversation, in TurnBench's columns, with FLAC",
        "datasets, pandas, TurnBench",
        ("pyarrow",),
        "huggingface",
    ),
    Format("webdataset", shards, "SPLIT-NNNNNN.tar: JSON and FLAC of each conversation", "webdataset, tar"),
    Format("moshi", moshi, "SPLIT.jsonl, stereo WAV with the left one's words", "moshi-finetune", speakers=2),
    Format("vap", vap, "stereo WAV of 16 kHz, activity, sliding windows", "VoiceActivityProjection", speakers=2),
    Format("turnbench", turnbench, "gold.json: positives, negatives, excluded", "TurnBench's scorers"),
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
