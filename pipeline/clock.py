"""The clock of stage 2: an act and its speaker become a planned utterance, without any sound."""

from pipeline.orchestrate import Clock, drawer
from pipeline.records import ClaimAct, ConversationSpec, Span, Speaker, TurnAct, Utterance, VocalisationAct
from pipeline.samples import RATE, to_samples
from pipeline.speech.backend import Backend
from pipeline.speech.voices import voice
from pipeline.timing import TimingSettings

LAUGH_EDGE_S = 0.02
"""Silence around a laugh inside its utterance."""


def speaking_clock(spec: ConversationSpec, backend: Backend, timing: TimingSettings) -> Clock:
    """A clock that asks the voice itself; only laughter, which has no words, gets its length drawn."""

    def clock(act: TurnAct | ClaimAct | VocalisationAct, speaker: Speaker) -> Utterance:
        if isinstance(act, VocalisationAct) and act.kind == "laughter":
            return _laugh(act, speaker, spec, timing)
        timed = backend.clock(act.text, voice(speaker.voice))
        return Utterance(
            id=f"u.{act.id}",
            speaker=speaker.id,
            act_id=act.id,
            author=act.author,
            written=act.text,
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

    return clock


def _laugh(act: VocalisationAct, speaker: Speaker, spec: ConversationSpec, timing: TimingSettings) -> Utterance:
    length = timing.laugh.draw(drawer(spec)("laugh", act.id), RATE)
    edge = to_samples(LAUGH_EDGE_S)
    return Utterance(
        id=f"u.{act.id}",
        speaker=speaker.id,
        act_id=act.id,
        kind="laughter",
        author=act.author,
        written=act.text,
        voice=speaker.voice,
        n_samples=length + 2 * edge,
        speech=Span(start=edge, end=edge + length),
    )
