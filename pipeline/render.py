"""Stage 3: a timeline and voices become clean stems, one a channel, and the timeline as measured on them.

Each utterance is rendered once, from the prosody that stage 2 clocked; one constant gain a voice brings it to the
common loudness, so that no level depends on what comes later; each segment is laid at its sample, with a short
fade where its speaker is cut off. Where boundary tones are asked for, they are shaped on that prosody before.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pipeline.clock import voiced_part
from pipeline.endings import shaped_endings
from pipeline.measure import measured, settled
from pipeline.pairs.fork import before_fork, spoken_as
from pipeline.records import ConversationSpec, Segment, Span, Timeline, Utterance
from pipeline.samples import RATE, to_samples
from pipeline.seeds import generator
from pipeline.sound.levels import amplitude
from pipeline.speech.backend import Backend, Floats
from pipeline.speech.laughter import laugh
from pipeline.speech.settings import TtsSettings
from pipeline.speech.voices import voice

VERSION = 2
"""Part of this stage's fingerprint; raised when its output changes."""

CLOSE_S = 0.008
"""Over which the sound closes outside its measured bounds."""


@dataclass(frozen=True, eq=False)
class Rendered:
    """What the stage makes of a conversation."""

    stems: Floats
    """Clean speech [channels, n] at the corpus rate, levelled by voice."""
    timeline: Timeline
    """With measured bounds."""


def render(
    spec: ConversationSpec,
    timeline: Timeline,
    backend: Backend,
    settings: TtsSettings,
    first: Timeline | None = None,
) -> Rendered:
    """Speak every utterance of `timeline` and lay its segments onto their channels.

    Member b of a pair is spoken like member a, `first`, before the fork.

    Raises
    ------
    ModelError
        when the voice cannot be had, or renders silence.

    """
    sounds: dict[str, Floats] = {}
    toned: dict[str, Segment] = {}
    for utterance in timeline.utterances:
        shaping = spoken_as(utterance.id, timeline, first)
        sounds[utterance.id], shaped = _sound(spec, utterance, shaping, backend, settings)
        own = [segment for segment in timeline.segments if segment.utterance_id == utterance.id]
        toned |= {segment.id: _toned_like(segment, shaped) for segment in own}
    stems = np.zeros((1 + max(s.channel for s in timeline.speakers), timeline.n_samples), np.float32)
    found: dict[str, Segment] = {}
    for segment in timeline.segments:
        # What comes before the fork of a pair is made of nothing that comes after it.
        shared = before_fork(segment, timeline)
        piece = _piece(segment, sounds, settings, shared or 0)
        start = segment.origin + segment.lay.start
        found[segment.id] = measured(toned[segment.id], piece, shared)
        _close(piece, found[segment.id].bounds.shifted(-start), shared or 0)
        stems[segment.channel, start : start + len(piece)] += piece
    return Rendered(stems, settled(timeline, found))


def _sound(
    spec: ConversationSpec, utterance: Utterance, segments: list[Segment], backend: Backend, settings: TtsSettings
) -> tuple[Floats, list[Segment]]:
    """The whole utterance at the voice's constant gain [n_samples], and its segments with their boundary tones."""
    speaking = voice(utterance.voice)
    gain = np.float32(amplitude(speaking.calibration.gain_db))
    whole = np.zeros(utterance.n_samples, np.float32)
    voiced = voiced_part(utterance)
    if voiced is not None:
        clocked = backend.replay(voiced, speaking)
        if utterance.laugh is None:
            clocked, segments = shaped_endings(clocked, utterance, segments, settings.endings)
        whole[utterance.voiced_from :] = backend.render(clocked)
    if utterance.laugh is not None:
        rng = generator(spec.corpus_seed, spec.entity, "render", "laugh", utterance.act_id)
        bout = utterance.laugh
        # The synthesis of the words begins with silence, into which the bout reaches.
        whole[bout.start : bout.end] += laugh(backend, speaking, bout.length, rng)
    return whole * gain, segments


def _toned_like(segment: Segment, shaped: list[Segment]) -> Segment:
    """The segment with the boundary tones that are heard in it."""
    twin = next((other for other in shaped if other.source.start == segment.source.start), segment)
    tones = {pause.planned: pause.tone for pause in twin.pauses}
    pauses = tuple(pause.model_copy(update={"tone": tones.get(pause.planned)}) for pause in segment.pauses)
    tone = twin.tone if twin.source == segment.source else None
    return segment.model_copy(update={"pauses": pauses, "tone": tone})


def _piece(segment: Segment, sounds: Mapping[str, Floats], settings: TtsSettings, kept: int) -> Floats:
    """The samples to lay for a segment, faded in and out over its guards, or shortly where it is cut.

    A fade at a cut leaves the first `kept` samples as they are.
    """
    lay, source = segment.lay, segment.source
    piece = sounds[segment.utterance_id][lay.start : lay.end].copy()
    _fade(piece, source.start - lay.start)
    tail = lay.end - source.end
    _fade(piece[::-1], tail if tail else min(to_samples(settings.fade_s, RATE), len(piece) - kept))
    return piece


def _close(piece: Floats, bounds: Span, kept: int) -> None:
    """Silence what lies outside the measured bounds, in place, over a short fade: what is logged is all there is.

    The end leaves the first `kept` samples as they are.

    It is 40 dB under the speech and more, so that nobody hears it go; but whoever measures the bounds by another
    threshold, or against another level, finds them where the log has them.
    """
    over = to_samples(CLOSE_S, RATE)
    end = max(bounds.end, kept)
    first, last = max(0, bounds.start - over), min(len(piece), end + over)
    piece[:first] = 0.0
    piece[last:] = 0.0
    _fade(piece[first:], bounds.start - first)
    _fade(piece[:last][::-1], last - end)


def _fade(samples: Floats, n: int) -> None:
    """Raise the first `n` samples from silence, in place, along half a cosine."""
    n = min(n, len(samples))
    samples[:n] *= (0.5 - 0.5 * np.cos(np.pi * (np.arange(n) + 0.5) / max(n, 1))).astype(np.float32)
