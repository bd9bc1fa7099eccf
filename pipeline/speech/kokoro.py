"""Kokoro as a backend, whatever computes its network: text to plan, plan to sound, each found again in the cache."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pipeline.errors import ModelError
from pipeline.models.graphs import FRAME
from pipeline.records.span import Span
from pipeline.records.utterance import Utterance
from pipeline.speech import g2p, nasal, normalise, rumble, voices
from pipeline.speech.backend import PIECE_MARK, Clocked, Contour, Floats, Piece, PoolVoices
from pipeline.speech.cache import ArrayCache, key_of
from pipeline.speech.g2p import TokenPhonemes, phonemise
from pipeline.speech.hum import hum_contour, hum_frames, hum_of
from pipeline.speech.kept import from_arrays, to_arrays
from pipeline.speech.lengthening import lengthened
from pipeline.speech.nasal import SYLLABLES
from pipeline.speech.normalise import Spoken, sayable
from pipeline.speech.pieces import in_pieces, phonemes_of
from pipeline.speech.plan import HOP, inner_silences, speech_span
from pipeline.speech.prosody import LENGTHS, check, shaped
from pipeline.speech.rumble import without_rumble
from pipeline.speech.styles import voice_sum
from pipeline.speech.tones import median_f0
from pipeline.speech.voices import EnergyRule, Voice
from pipeline.speech.words import Timing, pauses, timing, word_ranges

JOIN = 3600
"""Silence left on each side where two syntheses of one utterance meet (150 ms)."""
PLAN_VERSION = 3
"""Raise it with any change to how times are read from the prosody."""


class Kokoro(PoolVoices, ABC):
    """All of the backend but the network itself, which a subclass computes.

    Parameters
    ----------
    cache
        Where clocked prosody and rendered sound are kept; None: nowhere.

    """

    def __init__(self, cache: ArrayCache | None = None) -> None:
        self.cache = cache

    @abstractmethod
    def engine(self) -> str:
        """Name model, precision and runtime: what decides prosody and sound of given phonemes."""

    @abstractmethod
    def predict(self, phonemes: str, voice: Voice, speed: float) -> Contour:
        """Prosody of one synthesis, as the network predicts it."""

    @abstractmethod
    def melody(self, phonemes: str, voice: Voice, frames: Sequence[int]) -> Contour:
        """Prosody of one synthesis for durations that are given."""

    @abstractmethod
    def decode(self, phonemes: str, voice: Voice, contour: Contour) -> Floats:
        """Sound of one synthesis, 600 samples a frame."""

    def clock(
        self, written: str, voice: Voice, speed: float | None = None, edits: Mapping[str, float] | None = None
    ) -> Clocked:
        """Time `written` as `voice` would say it, by the prosody graph alone; no sound is made.

        Edits of durations make the prosody anew for the durations that they ask for.

        Raises
        ------
        ScriptError
            when nothing in the text can be said.
        ConfigError
            for an unknown edit or a factor out of range.
        ModelError
            when a model file or the language data cannot be had.

        """
        edits = dict(edits or {})
        check(edits)
        speed = voice.calibration.speed if speed is None else speed
        if not self.cache:
            return self._clocked(written, voice, speed, edits)
        of_voice = key_of(self.identity(), voice_sum(voice.kokoro), voice.to_json())
        key = key_of("clocked", of_voice, written, speed, str(sorted(edits.items())))
        found = self.cache.get(key)
        if found is not None:
            return from_arrays(found, voice)
        clocked = self._clocked(written, voice, speed, edits)
        self.cache.put(key, to_arrays(clocked))
        return clocked

    def _clocked(self, written: str, voice: Voice, speed: float, edits: dict[str, float]) -> Clocked:
        """What :meth:`clock` returns, made anew."""
        spoken = sayable(written)
        runs = in_pieces(phonemise(spoken.text, voice.british))
        found = self._timed(written, spoken, runs, voice, speed, [None] * len(runs))
        if LENGTHS & edits.keys():
            frames = lengthened(runs, found.pieces, found.pauses, edits)
            found = self._timed(written, spoken, runs, voice, speed, frames)
        return replace(found, edits=edits)

    def _timed(
        self,
        written: str,
        spoken: Spoken,
        runs: Sequence[Sequence[TokenPhonemes]],
        voice: Voice,
        speed: float,
        frames: Sequence[tuple[int, ...] | None],
    ) -> Clocked:
        """What the prosody says of the runs of a text, for its own durations or for those given."""
        parts = [phonemes_of(run) for run in runs]
        contours = [self.contour(part, voice, speed, due) for part, due in zip(parts, frames, strict=True)]
        rule = voice.calibration.rule
        pieces = _joined(parts, contours, rule)
        speech, silences = _speech_and_silences(pieces, rule)
        words = word_ranges(written, spoken, _timing(runs, pieces), speech, silences)
        return Clocked(
            voice=voice,
            speed=speed,
            written=written,
            spoken=spoken.text,
            pieces=tuple(pieces),
            speech=speech,
            words=tuple(words),
            pauses=tuple(pauses(silences, words, written)),
        )

    def replay(self, utterance: Utterance, voice: Voice) -> Clocked:
        """Return what :meth:`clock` gave, from its record, with exactly the recorded durations.

        Where this processor would predict other durations, F0 and energy are computed for the recorded ones.
        """
        contours, at = [], 0
        parts = utterance.phonemes.split(PIECE_MARK)
        for phonemes in parts:
            frames = utterance.token_frames[at : at + len(phonemes) + 2]
            contours.append(self.contour(phonemes, voice, utterance.speed, frames))
            at += len(frames)
        return Clocked(
            voice=voice,
            speed=utterance.speed,
            written=utterance.written,
            spoken=utterance.spoken,
            pieces=tuple(_joined(parts, contours, voice.calibration.rule)),
            speech=utterance.speech,
            words=utterance.words,
            pauses=utterance.pauses,
            edits=dict(utterance.prosody),
        )

    def render(self, clocked: Clocked) -> Floats:
        """Sound of `clocked`: mono float32 at 24 kHz, exactly `clocked.n_samples` long, not levelled."""
        parts = [
            self._sound(piece, clocked.voice, clocked.speed, clocked.edits)[piece.start : piece.stop]
            for piece in clocked.pieces
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def syllable(self, phonemes: str, voice: Voice) -> tuple[Contour, Floats]:
        """Prosody and sound of bare `phonemes` at speed 1, for what is made from the voice's own sounds."""
        contour = self.contour(phonemes, voice, 1.0)
        return contour, self._sound(Piece(phonemes, contour, 0, sum(contour.frames) * FRAME), voice, 1.0, {})

    def identity(self) -> str:
        """Name model, precision, runtime and the versions of all that decides times and sound."""
        return "/".join(
            (
                self.engine(),
                f"text-{normalise.VERSION}",
                f"g2p-{g2p.VERSION}",
                f"plan-{PLAN_VERSION}",
                f"hum-{nasal.VERSION}",
                f"rumble-{rumble.VERSION}",
                voices.fingerprint(),
            )
        )

    def contour(self, phonemes: str, voice: Voice, speed: float, frames: Sequence[int] | None = None) -> Contour:
        """Prosody of one synthesis from the cache or the network; with `frames`, for exactly these durations."""
        if hum_of(phonemes):
            slower = voice.calibration.speed / speed
            median = median_f0(self.contour(SYLLABLES[0], voice, 1.0).f0)
            return hum_contour(phonemes, frames or hum_frames(phonemes, slower), median, voice.calibration.rule)
        key = key_of("contour", self.engine(), phonemes, voice_sum(voice.kokoro), speed)
        contour = self._recalled(key)
        if contour is None:
            contour = self.predict(phonemes, voice, speed)
            if self.cache:
                self.cache.put(key, {"frames": np.asarray(contour.frames), "f0": contour.f0, "energy": contour.energy})
        if frames is None or tuple(frames) == contour.frames:
            return contour
        return self.melody(phonemes, voice, frames)

    def _recalled(self, key: str) -> Contour | None:
        found = self.cache.get(key) if self.cache else None
        if found is None:
            return None
        f0, energy = (np.asarray(found[name], np.float32) for name in ("f0", "energy"))
        return Contour(tuple(found["frames"].tolist()), f0, energy)

    def _sound(self, piece: Piece, voice: Voice, speed: float, edits: dict[str, float]) -> Floats:
        """Whole sound of one synthesis."""
        contour = shaped(piece.contour, edits, voice.calibration.rule.highest)
        digest = key_of(contour.f0.tobytes().hex(), contour.energy.tobytes().hex(), str(contour.frames))
        hum = hum_of(piece.phonemes) is not None
        kind = f"hum-{nasal.VERSION}" if hum else "sound"
        key = key_of(kind, self.engine(), piece.phonemes, voice_sum(voice.kokoro), speed, digest)
        found = self.cache.get(key) if self.cache else None
        if found is not None:
            sound = np.asarray(found["sound"], np.float32)
        else:
            sound = self._hum(contour, voice, key) if hum else self.decode(piece.phonemes, voice, contour)
            if self.cache:
                self.cache.put(key, {"sound": sound})
        return sound if hum else without_rumble(sound)

    def _hum(self, contour: Contour, voice: Voice, key: str) -> Floats:
        """Sound of a hum; `key` decides its irregularities, so that it is the same in every process."""
        found = [nasal.murmur_of(*self.syllable(phonemes, voice)) for phonemes in SYLLABLES]
        murmur = max((one for one in found if one), key=lambda one: one.share, default=None)
        if murmur is None:
            raise ModelError(f"voice {voice.id} has no nasal to hum with: write a word in place of the hum")
        speech = speech_span(contour.energy, voice.calibration.rule)
        return nasal.hummed(contour, speech, murmur, np.random.default_rng(int(key[:16], 16)))


def _joined(phonemes: Sequence[str], contours: Sequence[Contour], rule: EnergyRule) -> list[Piece]:
    """Pieces of an utterance; where two meet, their silence is cut to a pause."""
    pieces = []
    for number, (part, contour) in enumerate(zip(phonemes, contours, strict=True)):
        start, stop = 0, sum(contour.frames) * FRAME
        if len(phonemes) > 1:
            speech = speech_span(contour.energy, rule)
            start = max(start, speech.start - JOIN) // HOP * HOP if number else start
            stop = min(stop, (speech.end + JOIN) // HOP * HOP) if number + 1 < len(phonemes) else stop
        pieces.append(Piece(part, contour, start, stop))
    return pieces


def _speech_and_silences(pieces: Sequence[Piece], rule: EnergyRule) -> tuple[Span, list[Span]]:
    energy = np.concatenate([piece.contour.energy[piece.start // HOP : piece.stop // HOP] for piece in pieces])
    speech = speech_span(energy, rule)
    return speech, inner_silences(energy, rule, speech)


def _timing(runs: Sequence[Sequence[TokenPhonemes]], pieces: Sequence[Piece]) -> Timing:
    """Times of the characters of the whole spoken text, over all pieces."""
    characters, samples = [], []
    first, offset = 0, 0
    for run, piece in zip(runs, pieces, strict=True):
        times = timing(run, piece.contour.frames, first)
        characters.append(times.characters)
        samples.append(np.clip(times.samples - piece.start, 0, piece.stop - piece.start) + offset)
        first += sum(len(token.text) + len(token.whitespace) for token in run)
        offset += piece.stop - piece.start
    return Timing(np.concatenate(characters), np.concatenate(samples))
