"""What a setting means: the text beneath its field, or the comment behind its key in the shipped configuration."""

from functools import cache
from types import MappingProxyType

from pipeline.editor.comments import comments
from pipeline.editor.docstrings import meanings
from pipeline.records import Record
from pipeline.resources import resource

COMMENTED = MappingProxyType(
    {
        "config": "config.yaml",
        "design": "design/paper.yaml",
        "timing": "timing/paper.yaml",
        "script": "script/_base.yaml",
        "llm": "llm/_base.yaml",
        "tts": "tts/_base.yaml",
        "noise": "noise/embedded.yaml",
        "room": "room/meeting.yaml",
        "output": "output/default.yaml",
        "executor": "executor/ray.yaml",
    }
)
"""The file of each group in which its keys are explained."""
_PLACES = {
    "Settings": "config", "PairSettings": "config.pairs", "DesignSettings": "design", "TimingSettings": "timing",
    "ScriptSettings": "script", "FollowsMix": "script.follows", "LinesSettings": "script.lines",
    "WholeSettings": "script.whole", "TemplateSettings": "script.template", "LlmSettings": "llm", "TtsSettings": "tts",
    "PaceSettings": "tts.pace", "VariationSettings": "tts.variation", "LombardSettings": "tts.lombard",
    "EndingSettings": "tts.endings", "NoiseSettings": "noise", "EffectSettings": "noise.effects",
    "DistantSettings": "noise.distant", "AcousticsSettings": "room.acoustics", "AssembleSettings": "output",
    "ExecutorSettings": "executor",
}  # fmt: skip
"""Where in the configuration each record stands."""


def meaning(kind: type[Record], name: str) -> str:
    """What the setting `name` of a record means; empty where nobody has said."""
    place = _PLACES.get(kind.__name__, "")
    said, behind = meanings(kind).get(name, ""), _comment(place, name)
    # What is asked of a run is explained where users read it first.
    return behind or said if place == "config" else said or behind


def _comment(place: str, name: str) -> str:
    group, _, below = place.partition(".")
    if group not in COMMENTED:
        return ""
    return _comments(group).get(f"{below}.{name}" if below else name, "")


@cache
def _comments(group: str) -> dict[str, str]:
    return comments((resource("conf") / COMMENTED[group]).read_text(encoding="utf-8"))
