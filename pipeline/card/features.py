"""The columns of the event log as a card tells them to `datasets`: some keys stand in few lines, or in no line."""

from typing import Any

_TEXT, _WHOLE, _REAL = "string", "int64", "float64"
_SPAN = {"start": _WHOLE, "end": _WHOLE}
_TIMES = ("onset", "offset", "planned_onset", "planned_offset")
EVENTS: dict[str, Any] = {
    "conversation_id": _TEXT,
    "id": _TEXT,
    "kind": _TEXT,
    "speaker": _TEXT,
    **dict.fromkeys(_TIMES, _WHOLE),
    **{f"{name}_s": _REAL for name in _TIMES},
    "segment_id": _TEXT,
    "turn_id": _TEXT,
    "links": dict.fromkeys(("interrupts", "resumes", "contests", "responds_to"), _TEXT),
    "text": _TEXT,
    "cut": {"word": _TEXT, "heard": _REAL},
    "tone": {"kind": _TEXT, "window": _SPAN, "own": _REAL, "semitones": _REAL},
    "lifts": [{"span": _SPAN, "level_db": _REAL, "tilt_db": _REAL, "pitch_st": _REAL}],
}
"""Type of each key that a line of `events.jsonl` may have; a record is a mapping, a list has one entry."""


def told(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Columns in the terms of `dataset_info` in a card's front matter.

    >>> told({"id": "string", "cut": {"word": "string"}, "lifts": [{"level_db": "float64"}]})[1]
    {'name': 'cut', 'struct': [{'name': 'word', 'dtype': 'string'}]}
    """
    return [{"name": name, **_kind(kind)} for name, kind in columns.items()]


def _kind(kind: Any) -> dict[str, Any]:
    if isinstance(kind, list):
        return {"list": told(kind[0])}
    return {"struct": told(kind)} if isinstance(kind, dict) else {"dtype": kind}
