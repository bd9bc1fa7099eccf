"""What the conversations that stand in the corpus folder took, against what the constants say of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.errors import InputError
from pipeline.estimate.need import QUANTITIES, Need, Ratio, need_of
from pipeline.output.manifest import read_meta
from pipeline.records import ConversationSpec, Script
from pipeline.settings import Settings
from pipeline.workspace import Workspace
from pipeline.writers.words import words


def ratios(specs: Sequence[ConversationSpec], settings: Settings) -> dict[str, Ratio]:
    """What the conversations there took over what is estimated of them, by quantity."""
    found = [(took(Workspace(settings.root, spec.id), settings), spec) for spec in specs]
    there = [(measured, need_of(spec, settings)) for measured, spec in found if measured]
    return {name: _ratio(name, there) for name in QUANTITIES}


def _ratio(name: str, there: Sequence[tuple[Mapping[str, float], Need]]) -> Ratio:
    pairs = [(measured[name], float(getattr(need, name))) for measured, need in there if name in measured]
    estimated = sum(pair[1] for pair in pairs)
    return Ratio(sum(pair[0] for pair in pairs) / estimated, len(pairs)) if estimated else Ratio()


def took(work: Workspace, settings: Settings) -> dict[str, float]:
    """What the conversation took, as far as it is known; nothing of a script by another writer."""
    try:
        script = Script.read(work.path("script.json"))
    except InputError:
        return {}
    if script.writer != settings.script.writer:
        return {}
    return {**_asked(script), **_sound(work)}


def _asked(script: Script) -> dict[str, float]:
    report = script.report
    known: dict[str, float] = {"words": sum(len(words(act.text)) for act in script.acts), "requests": report.requests}
    # A server that reports no tokens leaves them at nothing.
    if report.prompt_tokens and report.completion_tokens:
        known |= {"prompt_tokens": report.prompt_tokens, "completion_tokens": report.completion_tokens}
    return known


def _sound(work: Workspace) -> dict[str, float]:
    try:
        audio_s = float(read_meta(work.published)["realised"]["duration_s"])
    except (InputError, KeyError, TypeError, ValueError):
        return {}
    return {"audio_s": audio_s, "bytes": sum(map(_bytes, (work.work, work.published)))}


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
