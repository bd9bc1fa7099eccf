"""Stage 3: a timeline and voices become clean stems, one a channel, and the timeline as measured on them.

Each utterance is rendered once, from the prosody that stage 2 clocked; one constant gain brings it to its level,
which is the common loudness of all voices and a drawn variation, so that no level depends on what comes later; each
segment is laid at its sample, with a short fade where its speaker is cut off. Where boundary tones or a lift in
overlap are asked for, they are shaped on that prosody before.

Nothing clips: an utterance whose peak would pass full scale is lowered as a whole, and the stems hold four times that.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pipeline.clock import voiced_part
from pipeline.endings import f0_of, shaped_endings, with_f0
from pipeline.lombard import effort, lifted, lifts_inside, raised, raised_pitch, with_lifts
from pipeline.measure import measured, settled
from pipeline.pairs.fork import before_fork, spoken_in
from pipeline.records import ConversationSpec, Segment, Span, Timeline, Utterance
from pipeline.samples import RATE, to_samples
from pipeline.seeds import generator
from pipeline.sound.levels import amplitude, decibels
from pipeline.speech.backend import Backend, Floats
from pipeline.speech.laughter import laugh
from pipeline.speech.settings import TtsSettings
from pipeline.speech.variation import level_of

VERSION = 5
"""Part of this stage's fingerprint; raised when its output changes."""

CLOSE_S = 0.008
"""Over which the sound closes outside its measured bounds."""
PEAK = 1.0
"""No utterance peaks above this: full scale. The calibrated voices stay 4 dB and more below."""


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
    spoken: dict[str, Segment] = {}
    for utterance in timeline.utterances:
        shaping = spoken_in(utterance.id, timeline, first)
        sounds[utterance.id], shaped = _sound(spec, utterance, shaping, backend, settings)
        own = [segment for segment in timeline.segments if segment.utterance_id == utterance.id]
        spoken |= {segment.id: _shaped_like(segment, shaped) for segment in own}
    stems = np.zeros((1 + max(s.channel for s in timeline.speakers), timeline.n_samples), np.float32)
    found: dict[str, Segment] = {}
    for segment in timeline.segments:
        # What comes before the fork of a pair is made of nothing that comes after it.
        shared = before_fork(segment, timeline)
        piece = _piece(segment, sounds, settings, shared or 0)
        start = segment.origin + segment.lay.start
        found[segment.id] = measured(spoken[segment.id], piece, shared)
        _close(piece, found[segment.id].bounds.shifted(-start), shared or 0)
        stems[segment.channel, start : start + len(piece)] += piece
    return Rendered(stems, settled(timeline, found))


def _sound(
    spec: ConversationSpec, utterance: Utterance, timeline: Timeline, backend: Backend, settings: TtsSettings
) -> tuple[Floats, list[Segment]]:
    """The whole utterance at its level [n_samples], and its segments in `timeline` as they were shaped."""
    speaking = backend.voice(utterance.voice)
    segments = [segment for segment in timeline.segments if segment.utterance_id == utterance.id]
    lift = settings.lombard.lift
    stretches = raised(segments, timeline) if lift else []
    made = effort(stretches, utterance.n_samples)
    whole = np.zeros(utterance.n_samples, np.float32)
    voiced = voiced_part(utterance)
    if voiced is not None:
        clocked = backend.replay(voiced, speaking)
        if utterance.laugh is None:
            clocked, segments = shaped_endings(clocked, utterance, segments, settings.endings)
        if stretches and lift["pitch_st"]:
            clocked = with_f0(clocked, raised_pitch(f0_of(clocked), made, lift["pitch_st"]))
        whole[utterance.voiced_from :] = backend.render(clocked)
    if utterance.laugh is not None:
        rng = generator(spec.corpus_seed, spec.entity, "render", "laugh", utterance.act_id)
        bout = utterance.laugh
        # The synthesis of the words begins with silence, into which the bout reaches.
        whole[bout.start : bout.end] += laugh(backend, speaking, bout.length, rng)
    if stretches:
        whole = lifted(whole, stretches, made, lift["level_db"], lift["tilt_db"])
    level = level_of(spec, utterance.speaker, utterance.act_id, settings.variation)
    whole, level = _levelled(whole, speaking.calibration.gain_db, level)
    noted = [segment.model_copy(update={"level_db": level}) for segment in with_lifts(segments, stretches, lift)]
    return whole, noted


def _levelled(sound: Floats, gain_db: float, level_db: float) -> tuple[Floats, float]:
    """The sound at the voice's gain and its own level on top [dB], and that level: lower where the peak asks for it."""
    peak_db = decibels(float(np.abs(sound).max(initial=0.0)) ** 2)
    most = math.floor((decibels(PEAK**2) - peak_db - gain_db) * 100) / 100 if peak_db > -math.inf else level_db
    level_db = min(level_db, most)
    return sound * np.float32(amplitude(gain_db + level_db)), level_db


def _shaped_like(segment: Segment, shaped: list[Segment]) -> Segment:
    """The segment with the level, the boundary tones and the lifts that are heard in it."""
    twin = next((other for other in shaped if other.source.start == segment.source.start), shaped[0])
    alike = twin.source.start == segment.source.start
    tones = {pause.planned: pause.tone for pause in twin.pauses} if alike else {}
    pauses = tuple(pause.model_copy(update={"tone": tones.get(pause.planned)}) for pause in segment.pauses)
    tone = twin.tone if twin.source == segment.source else None
    lifts = [lift for o in shaped for lift in lifts_inside(o.lifts or (), segment.origin - o.origin, segment.planned)]
    return segment.model_copy(
        update={"pauses": pauses, "tone": tone, "level_db": twin.level_db, "lifts": tuple(lifts) or None}
    )


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
