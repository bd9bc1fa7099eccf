"""What came out, counted: of one conversation, and pooled over many.

The definitions are those worked out from the paper's tables (`events.definitions` and `corpus:`):

- A **floor segment** is speech of one holder up to an ending: a yield, a hold or a cut-off. A same-holder
  continuation lies inside it and ends nothing. 4,030 in the paper: 3,422 yields, 241 holds, 367 cut off.
- **Turns/min** counts floor segments; **events/min** all seven kinds of event, interrupted turns too.
- **bc/min** counts backchannels and laughter; **int/min** successful interruptions alone.
- **Overlap** is the share of the whole duration in which two or more sound at once, in any role.
- Rates and overlap are **pooled** (all counts over all minutes); **mean turn** is the mean over conversations of
  each one's mean floor segment.
- **Switches/min** counts changes of holder: every yield but the last of a conversation, and every interruption.
- A hold is **contested** when a failed claim of another speaker overlaps its pause; the share is of all holds.
- A **yield gap** runs from the last offset of a turn that yields to the onset of the next (negative: in overlap);
  an **interruption overlap** from the interrupter's onset to the cut-off.
- A **hold pause** runs from the offset before it to the onset after it; a **failed claim**, a **backchannel** and a
  laugh last from their onset to their offset.
- **Planned near measured** is the deviation of each onset and offset on the sound from where the clock expected it.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pipeline.output.phenomena import Phenomena, phenomena
from pipeline.output.rounding import percentiles, ratio
from pipeline.records import EVENT_KINDS, Event, Script, Segment, Timeline
from pipeline.samples import to_seconds

NEAR_S = 0.04
"""Planned bounds should lie within this of the measured ones [s]."""

_WAYS = ("first_time_valid", "repaired", "begun_anew", "failed")
"""What becomes of a script: valid at the first reply, mended, valid only when the model began anew, none at all."""


@dataclass(frozen=True)
class Figures:
    """Counts, and lists of durations [s], that can be pooled."""

    conversations: int = 0
    duration_s: float = 0.0
    speech_s: float = 0.0
    """Time in which anybody sounds."""
    overlap_s: float = 0.0
    """Time in which two or more sound."""
    words: int = 0
    """Spoken words, of whatever role."""
    switches: int = 0
    """Changes of holder."""
    contested_holds: int = 0
    """Holds whose pause a failed claim of another speaker overlaps."""
    events: Counter[str] = field(default_factory=Counter)
    adjustments: Counter[str] = field(default_factory=Counter)
    mean_turns: tuple[float, ...] = ()
    """Mean floor segment of each conversation [s]."""
    snrs: tuple[float, ...] = ()
    durations: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Of each timing of table 21, in seconds."""
    deviations: tuple[float, ...] = ()
    """Measured less planned bound [s]."""
    script: Counter[str] = field(default_factory=Counter)
    """Sums over the writing reports, and lines by author."""
    phenomena: Phenomena = field(default_factory=Phenomena)

    def __add__(self, other: "Figures") -> "Figures":
        """Both, pooled."""
        names = (*self.durations, *(name for name in other.durations if name not in self.durations))
        return Figures(
            conversations=self.conversations + other.conversations,
            duration_s=self.duration_s + other.duration_s,
            speech_s=self.speech_s + other.speech_s,
            overlap_s=self.overlap_s + other.overlap_s,
            words=self.words + other.words,
            switches=self.switches + other.switches,
            contested_holds=self.contested_holds + other.contested_holds,
            events=self.events + other.events,
            adjustments=self.adjustments + other.adjustments,
            mean_turns=self.mean_turns + other.mean_turns,
            snrs=self.snrs + other.snrs,
            durations={name: self.durations.get(name, ()) + other.durations.get(name, ()) for name in names},
            deviations=self.deviations + other.deviations,
            script=_added(self.script, other.script),
            phenomena=self.phenomena + other.phenomena,
        )

    @property
    def floor_segments(self) -> int:
        """Yields, holds and cut-offs."""
        return sum(self.events[kind] for kind in ("turn_yield", "turn_hold", "turn_interrupted"))

    def summary(self) -> dict[str, Any]:
        """The figures ready for JSON; None where nothing was counted."""
        return {
            "conversations": self.conversations,
            "duration_s": round(self.duration_s, 3),
            "words": self.words,
            "events": {kind: self.events[kind] for kind in EVENT_KINDS},
            "floor_segments": self.floor_segments,
            "rates_per_min": self.rates(),
            "overlap_s": round(self.overlap_s, 3),
            "overlap_share": ratio(self.overlap_s, self.duration_s, 4),
            "silence_share": ratio(self.duration_s - self.speech_s, self.duration_s, 4),
            "mean_turn_s": _mean(self.mean_turns),
            "contested_holds_share": ratio(self.contested_holds, self.events["turn_hold"], 4),
            "claims_won_share": ratio(self.events["interruption"], self._claims(), 4),
            "phenomena": self.phenomena.summary(),
            "gold": self.gold_counts(),
            "timing_s": {name: percentiles(values) for name, values in self.durations.items()},
            "snr_db": percentiles(self.snrs),
            "planned_to_measured": self._nearness(),
            "adjustments": dict(sorted(self.adjustments.items())),
            "script": {**dict(sorted(self.script.items())), "rates": self.script_rates()} if self.script else {},
        }

    def script_rates(self) -> dict[str, float | None]:
        """How the scripts asked for came about, as shares of them all; they add up to one."""
        counts = {name: self.script[name] for name in _WAYS}
        return {name: ratio(count, sum(counts.values()), 4) for name, count in counts.items()}

    def rates(self) -> dict[str, float | None]:
        """Events a minute by the definitions of this module."""
        counts = {
            "turns": self.floor_segments,
            "switches": self.switches,
            "backchannels_and_laughter": self.events["backchannel"] + self.events["laughter"],
            "interruptions": self.events["interruption"],
            "failed_claims": self.events["non_floor_taking"],
            "holds": self.events["turn_hold"],
            "yields": self.events["turn_yield"],
            "laughter": self.events["laughter"],
            "events": self.events.total(),
            "words": self.words,
        }
        return {name: ratio(60.0 * count, self.duration_s, 3) for name, count in counts.items()}

    def gold_counts(self) -> dict[str, dict[str, int]]:
        """Positives and hard negatives of both tasks, with planned holds."""
        count = self.events
        return {
            "eot": {"positives": count["turn_yield"], "negatives": count["turn_hold"]},
            "interruption": {
                "positives": count["interruption"],
                "negatives": count["backchannel"] + count["laughter"],
            },
        }

    def _claims(self) -> int:
        return self.events["interruption"] + self.events["non_floor_taking"]

    def _nearness(self) -> dict[str, float | int | None]:
        away = np.abs(np.asarray(self.deviations))
        return {
            "bounds": len(away),
            "within_40_ms_share": ratio(int((away <= NEAR_S).sum()), len(away), 4),
            "p95_ms": round(1000 * float(np.percentile(away, 95)), 1) if len(away) else None,
        }


def figures(timeline: Timeline, script: Script | None = None, nuisance: Mapping[str, Any] | None = None) -> Figures:
    """The figures of one conversation; `nuisance`: the record of stage 4, where there is one."""
    snr_db = snr_of(nuisance)
    speech_s, overlap_s = _vocal_time(timeline)
    durations = _durations(timeline)
    turns = durations["floor_segment"]
    return Figures(
        conversations=1,
        duration_s=to_seconds(timeline.n_samples, timeline.rate),
        speech_s=speech_s,
        overlap_s=overlap_s,
        words=sum(_words(segment, timeline) for segment in timeline.segments),
        switches=len(timeline.turns) - 1,
        contested_holds=_contested_holds(timeline),
        events=Counter(event.kind for event in timeline.events),
        adjustments=Counter(adjustment.kind for adjustment in timeline.adjustments),
        mean_turns=(float(np.mean(turns)),) if turns else (),
        snrs=() if snr_db is None else (snr_db,),
        durations=durations,
        deviations=tuple(_deviations(timeline)),
        script=_script(script) if script else Counter(),
        phenomena=phenomena(timeline, nuisance),
    )


def snr_of(nuisance: Mapping[str, Any] | None) -> float | None:
    """The realised SNR [dB] in the record of stage 4; None where there is none."""
    found = ((nuisance or {}).get("levels") or {}).get("snr_db")
    return None if found is None else float(found)


def pooled(parts: Iterable[Figures]) -> Figures:
    """The figures of several conversations as those of one corpus."""
    return sum(parts, Figures())


def floor_segments(timeline: Timeline) -> list[tuple[Segment, Segment]]:
    """First and last piece of each floor segment: pieces that end in `continues` go on in the next."""
    found = []
    for turn in timeline.turns:
        first = None
        for piece in (timeline.segment(ident) for ident in turn.segments):
            first = first or piece
            if piece.ending != "continues":
                found.append((first, piece))
                first = None
    return found


def _durations(timeline: Timeline) -> dict[str, tuple[float, ...]]:
    samples: dict[str, list[int]] = {
        "floor_segment": [last.bounds.end - first.bounds.start for first, last in floor_segments(timeline)],
        "yield_gap": _yield_gaps(timeline),
        "hold_pause": _lengths(timeline.events, "turn_hold"),
        "interruption_overlap": _overlaps(timeline),
        "failed_claim": _lengths(timeline.events, "non_floor_taking"),
        "backchannel": _lengths(timeline.events, "backchannel"),
        "laughter": _lengths(timeline.events, "laughter"),
    }
    return {name: tuple(to_seconds(n, timeline.rate) for n in values) for name, values in samples.items()}


def _lengths(events: Iterable[Event], kind: str) -> list[int]:
    return [event.offset - event.onset for event in events if event.kind == kind]


def _contested_holds(timeline: Timeline) -> int:
    return sum(is_contested(hold, timeline) for hold in timeline.events if hold.kind == "turn_hold")


def is_contested(hold: Event, timeline: Timeline) -> bool:
    """Whether a failed claim of another speaker overlaps the pause of a hold."""
    return any(
        claim.role == "claim"
        and claim.speaker != hold.speaker
        and claim.bounds.start < hold.offset
        and hold.onset < claim.bounds.end
        for claim in timeline.segments
    )


def _yield_gaps(timeline: Timeline) -> list[int]:
    return [
        timeline.segment(after.segments[0]).bounds.start - timeline.segment(before.segments[-1]).bounds.end
        for before, after in itertools.pairwise(timeline.turns)
        if after.entry == "handover"
    ]


def _overlaps(timeline: Timeline) -> list[int]:
    return [
        timeline.segment(before.segments[-1]).bounds.end - timeline.segment(after.segments[0]).bounds.start
        for before, after in itertools.pairwise(timeline.turns)
        if after.entry == "interruption"
    ]


def _vocal_time(timeline: Timeline) -> tuple[float, float]:
    """Seconds in which at least one sounds, and at least two."""
    edges = sorted(
        edge for s in timeline.segments for edge in ((s.bounds.start, 1), (s.bounds.end, -1))
    )  # at one sample, ends (-1) come before starts
    one = two = sounding = before = 0
    for at, change in edges:
        one += (at - before) * (sounding >= 1)
        two += (at - before) * (sounding >= 2)
        sounding, before = sounding + change, at
    return to_seconds(one, timeline.rate), to_seconds(two, timeline.rate)


def _words(segment: Segment, timeline: Timeline) -> int:
    words = timeline.utterance(segment.utterance_id).words
    return sum(segment.source.start <= word.start < segment.source.end for word in words)


def _deviations(timeline: Timeline) -> list[float]:
    pairs = [(s.measured, s.planned) for s in timeline.segments if s.measured]
    edges = [d for m, p in pairs for d in (m.start - p.start, m.end - p.end)]
    return [d / timeline.rate for d in edges]


def _script(script: Script) -> Counter[str]:
    report = script.report
    counts = Counter(
        first_time_valid=int(report.first_time_valid),
        repaired=int(not report.first_time_valid and not report.fresh_tries),
        begun_anew=int(report.fresh_tries > 0),
        failed=0,
        repairs=report.repairs,
        attempts=report.attempts,
        authored_lines=report.authored,
        requests=report.requests,
        prompt_tokens=report.prompt_tokens,
        completion_tokens=report.completion_tokens,
        acts=len(script.acts),
    )
    return _added(counts, Counter(f"acts_by_{act.author}" for act in script.acts))


def _added(one: Counter[str], other: Counter[str]) -> Counter[str]:
    """Both, with their zeros, which `+` would drop."""
    both = Counter(one)
    both.update(other)
    return both


def _mean(values: Sequence[float]) -> float | None:
    return round(float(np.mean(values)), 3) if values else None
