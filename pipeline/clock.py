"""The clock of stage 2: an act and its speaker become a planned utterance, without any sound."""

from collections.abc import Mapping
from typing import TypeVar

from pipeline.orchestrate import Clock, drawer
from pipeline.records import (
    ClaimAct,
    ConversationSpec,
    Pause,
    Span,
    Speaker,
    TurnAct,
    Utterance,
    VocalisationAct,
    Word,
)
from pipeline.records.script import LAUGHTER
from pipeline.samples import RATE, to_samples
from pipeline.speech.backend import Backend, Clocked
from pipeline.speech.variants import clocked_variant
from pipeline.speech.variation import OWN_PACE, STEADY, PaceSettings, VariationSettings, speed_of
from pipeline.timing import TimingSettings

_Mark = TypeVar("_Mark", Word, Pause)

LAUGH_EDGE_S = 0.02
"""Silence before a laugh inside its utterance, and after it when nothing follows."""
LAUGH_TO_WORDS_S = 0.06
"""From the end of a laugh to the words that follow it."""


def speaking_clock(
    spec: ConversationSpec,
    backend: Backend,
    timing: TimingSettings,
    lengths: Mapping[str, float] | None = None,
    variation: VariationSettings | None = None,
    pace: PaceSettings = OWN_PACE,
) -> Clock:
    """A clock that asks the voice itself; only laughter, which has no words, gets its length drawn.

    `lengths` are factors of final lengthening (see :mod:`pipeline.speech.lengthening`) in turns and claims;
    `variation` is that of the pace, and how far one backchannel lies from the next (see
    :mod:`pipeline.speech.variants`), None: every voice keeps its own; `pace` is that of the different acts.
    """

    def clock(act: TurnAct | ClaimAct | VocalisationAct, speaker: Speaker) -> Utterance:
        laughs = isinstance(act, VocalisationAct) and act.kind == "laughter"
        words = act.text.removeprefix(LAUGHTER).strip() if laughs else act.text
        speaking = backend.voice(speaker.voice)
        speed = speed_of(spec, act, speaking.calibration.speed, pace, variation or STEADY)

        def timed() -> Clocked:
            if isinstance(act, VocalisationAct) and not laughs and variation:
                rng = drawer(spec)("variant", act.id)
                return clocked_variant(backend, words, speaking, rng, speed, variation.backchannels)
            return backend.clock(words, speaking, speed, None if isinstance(act, VocalisationAct) else lengths)

        spoken = _spoken(act, words, speaker, timed(), backend) if words else None
        if not laughs and spoken is not None:
            return spoken
        length = timing.laugh.draw(drawer(spec)("laugh", act.id), RATE)
        return _laughing(act, speaker, length, spoken)

    return clock


def _spoken(
    act: TurnAct | ClaimAct | VocalisationAct,
    words: str,
    speaker: Speaker,
    timed: Clocked,
    backend: Backend,
) -> Utterance:
    return Utterance(
        id=f"u.{act.id}",
        speaker=speaker.id,
        act_id=act.id,
        author=act.author,
        written=words,
        spoken=timed.spoken,
        phonemes=timed.phonemes,
        voice=speaker.voice,
        speed=timed.speed,
        prosody=timed.edits,
        n_samples=timed.n_samples,
        token_frames=timed.token_frames,
        words=timed.words,
        speech=timed.speech,
        pauses=timed.pauses,
        backend=backend.identity(),
    )


def _laughing(
    act: TurnAct | ClaimAct | VocalisationAct, speaker: Speaker, length: int, spoken: Utterance | None
) -> Utterance:
    """A bout of laughter, with the words that follow it, if any, as one utterance."""
    edge = to_samples(LAUGH_EDGE_S)
    bout = Span(start=edge, end=edge + length)
    if spoken is None:
        return Utterance(
            id=f"u.{act.id}",
            speaker=speaker.id,
            act_id=act.id,
            kind="laughter",
            author=act.author,
            written=act.text,
            voice=speaker.voice,
            n_samples=bout.end + edge,
            speech=bout,
            laugh=bout,
        )
    later = max(0, bout.end + to_samples(LAUGH_TO_WORDS_S) - spoken.speech.start)
    return spoken.model_copy(
        update={
            "kind": "laughter",
            "written": act.text,
            "n_samples": later + spoken.n_samples,
            "words": _shifted(spoken.words, later),
            "pauses": _shifted(spoken.pauses, later),
            "speech": Span(start=bout.start, end=later + spoken.speech.end),
            "laugh": bout,
            "voiced_from": later,
        }
    )


def voiced_part(utterance: Utterance) -> Utterance | None:
    """The spoken synthesis inside an utterance, as the backend clocked it; None for a laugh without words."""
    if utterance.laugh is None:
        return utterance
    if not utterance.phonemes:
        return None
    earlier = utterance.voiced_from
    words = _shifted(utterance.words, -earlier)
    return utterance.model_copy(
        update={
            "kind": "speech",
            "written": utterance.written.removeprefix(LAUGHTER).strip(),
            "n_samples": utterance.n_samples - earlier,
            "words": words,
            "pauses": _shifted(utterance.pauses, -earlier),
            "speech": Span(start=words[0].start, end=utterance.speech.end - earlier),
            "laugh": None,
            "voiced_from": 0,
        }
    )


def _shifted(marks: tuple[_Mark, ...], by: int) -> tuple[_Mark, ...]:
    """Words or pauses, `by` samples later."""
    return tuple(mark.model_copy(update={"start": mark.start + by, "end": mark.end + by}) for mark in marks)
