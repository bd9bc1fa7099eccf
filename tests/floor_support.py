"""Builders of floors for tests: the worked example, random valid timelines, tone stems."""

import itertools
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from hypothesis import strategies as st

from pipeline.records import (
    Amounts,
    ClaimAct,
    ConversationSpec,
    Dithers,
    Event,
    Holding,
    InnerPause,
    Links,
    Script,
    Segment,
    Span,
    Speaker,
    Timeline,
    Turn,
    TurnAct,
    Utterance,
    VocalisationAct,
    Word,
)
from pipeline.samples import RATE, to_samples

GUARD = 600
"""Near-silence around the speech of an utterance [samples]."""
PLANNED_LATE = 120
"""How much later than measured the clock expected every onset and offset [samples]: 5 ms."""


def speakers(count: int = 3) -> tuple[Speaker, ...]:
    """Participants A, B, C, … with voices of their own, one a channel."""
    names = ("Anna", "Ben", "Carla", "David", "Elena")
    voices = ("af_aoede", "am_eric", "af_nova", "am_onyx", "af_alloy")
    return tuple(
        Speaker(id="ABCDE"[i], name=names[i], voice=voices[i], gender="FMFMF"[i], channel=i) for i in range(count)
    )


def spans(*seconds: tuple[float, float]) -> tuple[Span, ...]:
    """Spans [samples] from seconds."""
    return tuple(Span(start=to_samples(a), end=to_samples(b)) for a, b in seconds)


@dataclass(frozen=True)
class Piece:
    """One stretch of sound, measured [samples], and what it is to the floor."""

    id: str
    speaker: str
    start: int
    end: int
    text: str
    role: Literal["floor", "claim", "backchannel", "laughter"] = "floor"
    ending: Literal["yield", "hold", "interrupted", "continues"] | None = None
    turn_id: str | None = None
    during: str | None = None
    utterance_id: str = ""
    unspoken: str = ""
    pauses: tuple[tuple[int, int], ...] = ()
    follows: "Piece | None" = field(default=None, repr=False)
    """The piece of the same utterance before this one."""


def utterance_of(pieces: list[Piece]) -> Utterance:
    """The synthesis that `pieces` are cut from, with their pauses shortened to a tenth."""
    words: list[Word] = []
    for piece, start in zip(pieces, source_starts(pieces), strict=True):
        words += _words(piece.text, start, start + piece.end - piece.start)
    end = words[-1].end
    if pieces[-1].unspoken:
        words += _words(pieces[-1].unspoken, end, end + RATE)
    written = " ".join(word.text for word in words)
    return Utterance(
        id=pieces[0].utterance_id,
        speaker=pieces[0].speaker,
        act_id=pieces[0].utterance_id.replace("u", "a"),
        kind="laughter" if pieces[0].role == "laughter" else "speech",
        written=written,
        spoken=written,
        voice=f"voice-{pieces[0].speaker}",
        n_samples=words[-1].end + GUARD,
        words=tuple(words),
        speech=Span(start=GUARD, end=words[-1].end),
    )


def source_starts(pieces: list[Piece]) -> list[int]:
    """Where each piece starts inside its utterance [samples]."""
    starts, at = [], GUARD
    for piece in pieces:
        starts.append(at)
        at += piece.end - piece.start + 2400
    return starts


def _words(text: str, start: int, end: int) -> list[Word]:
    texts = text.split()
    edges = [start + (end - start) * i // len(texts) for i in range(len(texts) + 1)]
    return [Word(text=t, start=a, end=b) for t, a, b in zip(texts, edges, edges[1:], strict=False)]


def segment_of(piece: Piece, source_start: int, channel: int) -> Segment:
    """The segment of a piece, planned a little later than measured."""
    source = Span(start=source_start, end=source_start + piece.end - piece.start)
    measured = Span(start=piece.start, end=piece.end)
    return Segment(
        id=piece.id,
        utterance_id=piece.utterance_id,
        speaker=piece.speaker,
        channel=channel,
        role=piece.role,
        source=source,
        lay=Span(start=source.start - GUARD // 2, end=source.end + GUARD // 2),
        planned=measured.shifted(PLANNED_LATE),
        measured=measured,
        ending=piece.ending,
        turn_id=piece.turn_id,
        during=piece.during,
        pauses=tuple(
            InnerPause(planned=Span(start=a, end=b).shifted(PLANNED_LATE), measured=Span(start=a, end=b))
            for a, b in piece.pauses
        ),
    )


def materials(pieces: list[Piece], parties: tuple[Speaker, ...]) -> tuple[tuple[Utterance, ...], tuple[Segment, ...]]:
    """Utterances and segments of `pieces`."""
    channels = {speaker.id: speaker.channel for speaker in parties}
    by_utterance: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_utterance.setdefault(piece.utterance_id, []).append(piece)
    segments = {
        piece.id: segment_of(piece, start, channels[piece.speaker])
        for group in by_utterance.values()
        for piece, start in zip(group, source_starts(group), strict=True)
    }
    return tuple(map(utterance_of, by_utterance.values())), tuple(segments[piece.id] for piece in pieces)


def event(ident: str, kind: str, segment: Segment, turn_id: str | None = None, **links: str) -> Event:
    """An event with the whole extent of its segment."""
    return Event(
        id=ident,
        kind=kind,
        speaker=segment.speaker,
        onset=segment.bounds.start,
        offset=segment.bounds.end,
        planned=segment.planned,
        segment_id=segment.id,
        turn_id=turn_id,
        text="",
        links=Links(**links),
    )


def hold_event(ident: str, one: Segment, other: Segment) -> Event:
    """The event of a pause between two segments."""
    return Event(
        id=ident,
        kind="turn_hold",
        speaker=one.speaker,
        onset=one.bounds.end,
        offset=other.bounds.start,
        planned=Span(start=one.planned.end, end=other.planned.start),
        segment_id=one.id,
        turn_id=one.turn_id,
    )


# The worked example ----------------------------------------------------------------------------------------


def example() -> Timeline:
    """The worked example, every record written out by hand from its table."""
    s = to_samples
    held = Piece(
        "s1", "A", s(0.30), s(2.80), "So I think we should book the early train,",
        ending="hold", turn_id="A1", utterance_id="u1",
    )  # fmt: skip
    pieces = [
        held,
        Piece("s2", "B", s(1.90), s(2.35), "Mm-hmm.", role="backchannel", during="A1", utterance_id="u2"),
        Piece("s3", "C", s(2.95), s(3.90), "But the price is—", role="claim", during="A1", utterance_id="u3"),
        Piece(
            "s4", "A", s(3.60), s(5.90), "because the late one is always packed.",
            ending="yield", turn_id="A1", utterance_id="u1",
        ),
        Piece(
            "s5", "B", s(5.84), s(9.14), "Sure, but it leaves at six, and I'm not getting",
            ending="interrupted", turn_id="B1", utterance_id="u4", unspoken="up that early.",
            pauses=((s(7.50), s(7.62)),),
        ),
        Piece(
            "s6", "C", s(8.40), s(11.20), "Then we drive, it's two hours at most.",
            ending="yield", turn_id="C1", utterance_id="u5",
        ),
        Piece("s7", "A", s(9.60), s(10.40), "Ha ha ha.", role="laughter", during="C1", utterance_id="u6"),
    ]  # fmt: skip
    parties = speakers(3)
    utterances, segments = materials(pieces, parties)
    s1, s2, s3, s4, s5, s6, s7 = segments
    return Timeline(
        conversation_id="example",
        n_samples=s(14.50),
        speakers=parties,
        utterances=utterances,
        segments=segments,
        turns=(
            Turn(id="A1", speaker="A", segments=("s1", "s4"), entry="opening"),
            Turn(id="B1", speaker="B", segments=("s5",), entry="handover"),
            Turn(id="C1", speaker="C", segments=("s6",), entry="interruption", interrupts="B1"),
        ),
        events=(
            event("e1", "backchannel", s2, responds_to="A1"),
            hold_event("e2", s1, s4),
            event("e3", "non_floor_taking", s3, contests="A1"),
            event("e4", "turn_yield", s4, "A1"),
            event("e5", "turn_interrupted", s5, "B1"),
            event("e6", "interruption", s6, "C1", interrupts="B1"),
            event("e7", "turn_yield", s6, "C1"),
            event("e8", "laughter", s7, responds_to="C1"),
        ),
        ownership=(
            Holding(holder=None, start=0, end=s(0.30)),
            Holding(holder="A", start=s(0.30), end=s(5.84)),
            Holding(holder="B", start=s(5.84), end=s(9.14)),
            Holding(holder="C", start=s(9.14), end=s(11.20)),
            Holding(holder=None, start=s(11.20), end=s(14.50)),
        ),
    )


def example_spec() -> ConversationSpec:
    """A specification that the example could have been made from."""
    return ConversationSpec(
        id="example",
        index=0,
        corpus_seed=7,
        type="argumentative",
        split="test",
        domain="travel itinerary planning",
        tone="casual and friendly",
        topic="travel/3",
        title="Train or car",
        setting="Three friends plan a weekend away.",
        target_s=12.0,
        speakers=speakers(3),
        scene="cafe",
        amounts=Amounts(floor_turns=3, floor_claims=2, backchannels=1, laughs=1, words=40),
        dithers=Dithers(claims_won=0.3, holds=0.6, contested=0.9),
    )


def example_script() -> Script:
    """The symbolic acts of the example."""
    return Script(
        conversation_id="example",
        writer="file",
        acts=(
            TurnAct(
                id="a1",
                speaker="A",
                text="So I think we should book the early train, because the late one is always packed.",
            ),
            VocalisationAct(id="a2", speaker="B", text="Mm-hmm.", kind="backchannel", during="a1", landing="book"),
            ClaimAct(id="a3", speaker="C", text="But the price is—", during="a1", landing="early train"),
            TurnAct(id="a4", speaker="B", text="Sure, but it leaves at six, and I'm not getting up that early."),
            ClaimAct(
                id="a5", speaker="C", text="Then we drive, it's two hours at most.", during="a4", landing="at six"
            ),
            VocalisationAct(id="a6", speaker="A", text="Ha ha ha.", kind="laughter", during="a5", landing="drive"),
        ),
    )


# Random floors ---------------------------------------------------------------------------------------------


@dataclass
class Floor:
    """A floor under construction: speakers take turns until :meth:`timeline` closes it."""

    parties: tuple[Speaker, ...]
    pieces: list[Piece] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    holdings: list[Holding] = field(default_factory=list)
    now: int = to_samples(0.3)
    """End of the last turn's sound."""

    def turn(
        self,
        speaker: str,
        parts: list[int],
        gaps: list[int],
        after: int,
        listener: tuple[str, str] | None = None,
        cut: int | None = None,
        interrupts: bool = False,
    ) -> None:
        """Add a turn of `parts` (lengths) with hold pauses `gaps`, `after` samples from the last end.

        A `listener` (speaker, role) sounds inside its first part; `cut`: the turn is cut off by the next one.
        """
        number = len(self.turns)
        ident, start = f"t{number}", self.now + after
        pieces = []
        for i, length in enumerate(parts):
            last = i == len(parts) - 1
            pieces.append(
                Piece(
                    f"t{number}s{i}",
                    speaker,
                    start,
                    start + length,
                    f"Words {i} of turn {number}.",
                    ending=("interrupted" if cut else "yield") if last else "hold",
                    turn_id=ident,
                    utterance_id=f"u{number}",
                    unspoken="left unsaid" if cut and last else "",
                )
            )
            start += length + (0 if last else gaps[i])
        if listener:
            who, role = listener
            at = pieces[0].start + (pieces[0].end - pieces[0].start) // 3
            length = (pieces[0].end - pieces[0].start) // 4
            self.pieces.append(
                Piece(
                    f"t{number}x",
                    who,
                    at,
                    at + length,
                    "Mm-hmm.",
                    role=role,
                    during=ident,
                    utterance_id=f"x{number}",
                )
            )
        before = self.turns[-1] if self.turns else None
        taken = self.now if interrupts else pieces[0].start
        if self.holdings and self.holdings[-1].end > taken:
            self.holdings[-1] = Holding(holder=self.holdings[-1].holder, start=self.holdings[-1].start, end=taken)
        free = self.holdings[-1].end if self.holdings else 0
        if free < taken:
            self.holdings.append(Holding(holder=None, start=free, end=taken))
        self.holdings.append(Holding(holder=speaker, start=taken, end=pieces[-1].end))
        self.turns.append(
            Turn(
                id=ident,
                speaker=speaker,
                segments=tuple(piece.id for piece in pieces),
                entry="interruption" if interrupts else "handover" if before else "opening",
                interrupts=before.id if interrupts and before else None,
            )
        )
        self.pieces += pieces
        self.now = pieces[-1].end

    def timeline(self, ident: str = "random") -> Timeline:
        """The finished floor with 3.5 s of tail."""
        n_samples = max(piece.end for piece in self.pieces) + to_samples(3.5)
        utterances, segments = materials(self.pieces, self.parties)
        by_id = {segment.id: segment for segment in segments}
        events = []
        for turn in self.turns:
            own = [by_id[i] for i in turn.segments]
            if turn.entry == "interruption":
                events.append(event(f"{own[0].id}-in", "interruption", own[0], turn.id, interrupts=turn.interrupts))
            for one, other in itertools.pairwise(own):
                events.append(hold_event(f"{one.id}-hold", one, other))
            kind = "turn_yield" if own[-1].ending == "yield" else "turn_interrupted"
            events.append(event(f"{own[-1].id}-end", kind, own[-1], turn.id))
        for segment in segments:
            if segment.role == "claim":
                events.append(event(f"{segment.id}-e", "non_floor_taking", segment, contests=segment.during))
            elif segment.role != "floor":
                events.append(event(f"{segment.id}-e", segment.role, segment, responds_to=segment.during))
        return Timeline(
            conversation_id=ident,
            n_samples=n_samples,
            speakers=self.parties,
            utterances=utterances,
            segments=tuple(sorted(segments, key=lambda s: s.bounds.start)),
            turns=tuple(self.turns),
            events=tuple(sorted(events, key=lambda e: (e.onset, e.id))),
            ownership=(*self.holdings, Holding(holder=None, start=self.holdings[-1].end, end=n_samples)),
        )


@st.composite
def timelines(draw: st.DrawFn, most_turns: int = 6) -> Timeline:
    """Valid timelines of two to five speakers with holds, interruptions, claims and vocalisations."""
    floor = Floor(speakers(draw(st.integers(2, 5))))
    ids = [speaker.id for speaker in floor.parties]
    count = draw(st.integers(1, most_turns))
    speaker, interrupts = ids[0], False
    for number in range(count):
        last = number == count - 1
        parts = draw(st.lists(st.integers(RATE * 2, RATE * 6), min_size=1, max_size=3))
        gaps = draw(st.lists(st.integers(RATE // 4, RATE), min_size=3, max_size=3))
        cut = not last and draw(st.booleans())
        others = [i for i in ids if i != speaker]
        following = draw(st.sampled_from(others))
        role = draw(st.sampled_from([None, "claim", "backchannel", "laughter"]))
        # An interruption sets in after its speaker's words as a listener, which end 0.83 s before a turn of 2 s does.
        into = draw(st.integers(RATE // 4, RATE * 3 // 4))
        after = -into if interrupts else draw(st.integers(-2880, RATE)) if number else 0
        # Whoever interrupted is followed late enough that the one cut off has stopped; so nobody overlaps themself.
        listener = (draw(st.sampled_from(others)), role) if role and not interrupts else None
        floor.turn(speaker, parts, gaps, after, listener, cut, interrupts)
        speaker, interrupts = following, cut
    return floor.timeline(f"random-{draw(st.integers(0, 99))}")


# Sound -----------------------------------------------------------------------------------------------------


def stems(timeline: Timeline, amplitude: float = 0.2) -> np.ndarray:
    """Clean stems, float32 [speakers, n_samples]: a tone of the speaker's own where a segment sounds."""
    out = np.zeros((len(timeline.speakers), timeline.n_samples), np.float32)
    for segment in timeline.segments:
        time = np.arange(segment.bounds.start, segment.bounds.end) / timeline.rate
        tone = np.sin(2 * np.pi * (180 + 60 * segment.channel) * time) * (0.6 + 0.4 * np.sin(2 * np.pi * 4 * time))
        out[segment.channel, segment.bounds.start : segment.bounds.end] = amplitude * tone
    return out


def bed(timeline: Timeline, rms: float = 0.002, seed: int = 1) -> np.ndarray:
    """A shared bed, float32 [n_samples]."""
    return (np.random.default_rng(seed).standard_normal(timeline.n_samples) * rms).astype(np.float32)


def changed_segment(timeline: Timeline, ident: str, **update: object) -> Timeline:
    """The timeline with fields of one segment replaced, unchecked."""
    segments = tuple(s.model_copy(update=update) if s.id == ident else s for s in timeline.segments)
    return timeline.model_copy(update={"segments": segments})


def changed_event(timeline: Timeline, ident: str, **update: object) -> Timeline:
    """The timeline with fields of one event replaced, unchecked."""
    events = tuple(e.model_copy(update=update) if e.id == ident else e for e in timeline.events)
    return timeline.model_copy(update={"events": events})


def changed_turn(timeline: Timeline, ident: str, **update: object) -> Timeline:
    """The timeline with fields of one turn replaced, unchecked."""
    turns = tuple(t.model_copy(update=update) if t.id == ident else t for t in timeline.turns)
    return timeline.model_copy(update={"turns": turns})


def changed_utterance(timeline: Timeline, ident: str, **update: object) -> Timeline:
    """The timeline with fields of one utterance replaced, unchecked."""
    utterances = tuple(u.model_copy(update=update) if u.id == ident else u for u in timeline.utterances)
    return timeline.model_copy(update={"utterances": utterances})


def without_event(timeline: Timeline, ident: str) -> Timeline:
    """The timeline with one event left out."""
    return timeline.model_copy(update={"events": tuple(e for e in timeline.events if e.id != ident)})
