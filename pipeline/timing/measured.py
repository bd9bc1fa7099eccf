"""The timing of some recordings, pooled: counts, rates and quantiles of their floor events."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pipeline.samples import to_seconds
from pipeline.timing.distributions import Quantiles
from pipeline.timing.mapping import KINDS, floor_events
from pipeline.timing.rttm import Recording, Stretch
from pipeline.timing.transcripts import Words

SHOWN = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Quantiles that are printed."""
WRITTEN = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Quantiles of a profile. The last is not the maximum, so that no break in a meeting counts as a gap."""
LEAST = 20
"""Fewer events make no distribution."""


@dataclass(frozen=True)
class Measured:
    """Floor events of all recordings together."""

    recordings: int = 0
    with_words: int = 0
    """Recordings whose words are known."""
    speakers: tuple[int, ...] = ()
    """Speakers of each recording."""
    duration_s: float = 0.0
    """From the first onset to the last offset."""
    speech_s: float = 0.0
    overlap_s: float = 0.0
    """Time in which two or more sound."""
    durations: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Of each of :data:`~pipeline.timing.mapping.KINDS` [s]."""

    def __add__(self, other: "Measured") -> "Measured":
        """Both, pooled."""
        return Measured(
            self.recordings + other.recordings,
            self.with_words + other.with_words,
            self.speakers + other.speakers,
            self.duration_s + other.duration_s,
            self.speech_s + other.speech_s,
            self.overlap_s + other.overlap_s,
            {kind: (*self.durations.get(kind, ()), *other.durations.get(kind, ())) for kind in KINDS},
        )

    def count(self, kind: str) -> int:
        """How many events of a kind there are."""
        return len(self.durations.get(kind, ()))

    @property
    def hold_rate(self) -> float | None:
        """Holds per floor segment; None without any."""
        return _ratio(self.count("hold_pause"), self.count("floor_segment"))

    @property
    def claim_success_rate(self) -> float | None:
        """Interruptions per claim; None without any."""
        won = self.count("interruption_overlap")
        return _ratio(won, won + self.count("failed_claim"))

    def quantiles(self, kind: str) -> Quantiles | None:
        """The distribution of a kind of event; None where there are fewer than :data:`LEAST`."""
        values = self.durations.get(kind, ())
        if len(values) < LEAST:
            return None
        found = np.quantile(values, WRITTEN)
        return Quantiles(probabilities=WRITTEN, values=tuple(round(float(value), 3) for value in found))

    def summary(self) -> dict[str, Any]:
        """The figures ready for JSON; None where nothing was counted."""
        return {
            "recordings": self.recordings,
            "with_words": self.with_words,
            "duration_s": round(self.duration_s, 3),
            "speakers": sorted(set(self.speakers)),
            "events": {kind: self._row(kind) for kind in KINDS},
            "hold_rate": self.hold_rate,
            "claim_success_rate": self.claim_success_rate,
            "transfers_in_overlap": _ratio(
                sum(offset < 0 for offset in self.durations.get("floor_transfer_offset", ())),
                self.count("floor_transfer_offset"),
            ),
            "overlap_share": _ratio(self.overlap_s, self.duration_s),
            "silence_share": _ratio(self.duration_s - self.speech_s, self.duration_s),
        }

    def _row(self, kind: str) -> dict[str, float | int | None]:
        values = self.durations.get(kind, ())
        found = [round(float(v), 3) for v in np.quantile(values, SHOWN)] if values else [None] * len(SHOWN)
        return {
            "n": len(values),
            "per_min": _ratio(60 * len(values), self.duration_s, 2),
            **{f"p{100 * p:.0f}": value for p, value in zip(SHOWN, found, strict=True)},
        }

    def lines(self) -> list[str]:
        """The figures as a table for people."""
        said = self.summary()
        crowd = ", ".join(map(str, said["speakers"]))
        head = f"{self.recordings} recordings, {self.duration_s / 3600:.2f} h, {crowd} speakers; "
        names = ("n", "per_min", *(f"p{100 * p:.0f}" for p in SHOWN))
        rows = [
            [kind.replace("_", " "), *(_shown(row[name]) for name in names)] for kind, row in said["events"].items()
        ]
        table = [f"{row[0]:<22}" + "".join(f"{cell:>9}" for cell in row[1:]) for row in (["", *names], *rows)]
        shares = {
            "of the time in overlap": "overlap_share",
            "in silence": "silence_share",
            "of the transfers in overlap": "transfers_in_overlap",
            "of the floor segments end in a hold": "hold_rate",
            "of the claims succeed": "claim_success_rate",
        }
        told = [f"{100 * said[key]:.1f} % {what}" for what, key in shares.items() if said[key] is not None]
        return [head + f"words of {self.with_words} known; seconds", *table, "; ".join(told)]


def measure(recordings: Mapping[str, Recording], words: Words | None = None) -> Measured:
    """Map the speech of each recording to floor events and pool them."""
    known = words or {}
    return sum((_measured(recording, known.get(name)) for name, recording in recordings.items()), Measured())


def _measured(recording: Recording, words: Mapping[str, Sequence[int]] | None) -> Measured:
    stretches = recording.stretches
    events = floor_events(stretches, words)
    one, two = _vocal_time(stretches)
    spanned = max((s.end for s in stretches), default=0) - min((s.start for s in stretches), default=0)
    return Measured(
        recordings=1,
        with_words=int(words is not None),
        speakers=(len({s.speaker for s in stretches}),),
        duration_s=to_seconds(spanned),
        speech_s=to_seconds(one),
        overlap_s=to_seconds(two),
        durations={kind: tuple(map(to_seconds, events.get(kind, ()))) for kind in KINDS},
    )


def _vocal_time(stretches: Iterable[Stretch]) -> tuple[int, int]:
    """Samples in which at least one speaker sounds, and at least two."""
    edges = sorted(edge for s in stretches for edge in ((s.start, 1), (s.end, -1)))
    one = two = sounding = before = 0
    for at, change in edges:
        one += (at - before) * (sounding >= 1)
        two += (at - before) * (sounding >= 2)
        sounding, before = sounding + change, at
    return one, two


def _ratio(part: float, whole: float, digits: int = 4) -> float | None:
    return round(part / whole, digits) if whole else None


def _shown(value: float | int | None) -> str:
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.2f}"
