"""A speech endpoint as a backend: the clock has a text said once, keeps the sound, and reads the times off it.

An endpoint need not say the same thing the same way twice. So its first rendering is the only one: it is kept in the
cache under what was asked, and the clock, the renderer, other workers and later runs all use it.

Onset, offset and pauses are measured on the sound, so that the planned bounds are the measured ones. There is no
prosody to shape before the sound: edits of F0 and energy are left out, those of durations are refused.
"""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from pipeline.errors import ConfigError, EndpointError
from pipeline.models.place import cache_dir, locked
from pipeline.models.report import Progress
from pipeline.records.span import Span
from pipeline.records.utterance import Utterance
from pipeline.speech import g2p, normalise
from pipeline.speech.backend import Clocked, Contour, Floats, Piece
from pipeline.speech.bounds import measure_bounds, measure_silences
from pipeline.speech.cache import ArrayCache, key_of
from pipeline.speech.endpoint.client import SpeechClient
from pipeline.speech.endpoint.level import gain_db
from pipeline.speech.endpoint.reply import sound_of
from pipeline.speech.endpoint.settings import EndpointSettings, EndpointVoice
from pipeline.speech.endpoint.syllables import contour_of, spelled
from pipeline.speech.endpoint.word_times import spread_times
from pipeline.speech.g2p import phonemise
from pipeline.speech.normalise import sayable
from pipeline.speech.pieces import phonemes_of
from pipeline.speech.plan import SHORTEST_PAUSE
from pipeline.speech.prosody import LENGTHS, check
from pipeline.speech.voices import Split, Voice
from pipeline.speech.words import pauses, word_ranges
from pipeline.workspace import fingerprint

VERSION = 1
"""Raise it with any change to how sounds are kept or times are read from them."""
PAUSE_BELOW_DB = 30.0
"""An inner pause lies this far under the loud speech."""
NOWHERE = Contour((), np.zeros(0, np.float32), np.zeros(0, np.float32))
"""The prosody of a sound that came without one."""


class SpeechEndpoint:
    """The voices of an OpenAI-compatible speech endpoint.

    Parameters
    ----------
    settings
        The endpoint and its voices.
    cache
        Where the sounds are kept, never pruned; by default `said` in the cache folder.

    """

    shapes = False

    def __init__(self, settings: EndpointSettings, cache: ArrayCache | None = None) -> None:
        self.settings = settings
        self.cache = cache or ArrayCache(cache_dir() / "said", lasting=True)
        self._client: tuple[int, SpeechClient] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Neither key nor connections are pickled."""
        return {**self.__dict__, "_client": None}

    def voice(self, name: str) -> Voice:
        """The voice of that name, with the gain that brings it to the common loudness.

        Raises
        ------
        ConfigError
            when the configuration has none such.
        EndpointError
            when its level has to be measured and it cannot be heard.

        """
        found = next((voice for voice in self.settings.voices if voice.name == name), None)
        if found is None:
            known = ", ".join(voice.name for voice in self.settings.voices)
            raise ConfigError(f"voice {name!r} is not in tts.endpoint.voices: known are {known}")
        return found.voice(self._gain(found))

    def voices(self, split: Split) -> list[Voice]:
        """The voices of one split, in the order of the configuration, not levelled."""
        return self.settings.of_split(split)

    def ready(self, progress: Progress | None = None) -> None:
        """Have the first voice say a word, so that what is wrong is told before anything is written."""
        self._said("Ready.", self.settings.voices[0].name, 1.0)

    def clock(
        self, written: str, voice: Voice, speed: float | None = None, edits: Mapping[str, float] | None = None
    ) -> Clocked:
        """Have `voice` say `written`, and read the times off the sound.

        Raises
        ------
        ScriptError
            when nothing in the text can be said.
        ConfigError
            for an edit of durations, which an endpoint cannot make.
        EndpointError
            when the endpoint gives no sound.

        """
        check(edits or {})
        for name in sorted(LENGTHS & (edits or {}).keys()):
            raise ConfigError(f"prosody edit {name} is not possible with a speech endpoint: leave it at 1")
        speed = _asked(voice.calibration.speed if speed is None else speed)
        spoken = sayable(written)
        tokens = phonemise(spoken.text, voice.british)
        sound = self._said(spoken.text, voice.kokoro, speed)
        speech, silences = heard(sound)
        words = word_ranges(written, spoken, spread_times(tokens, speech, silences), speech, silences)
        return Clocked(
            voice=voice,
            speed=speed,
            written=written,
            spoken=spoken.text,
            pieces=(Piece(phonemes_of(tokens), NOWHERE, 0, len(sound)),),
            speech=speech,
            words=tuple(words),
            pauses=tuple(pauses(silences, words, written)),
        )

    def replay(self, utterance: Utterance, voice: Voice) -> Clocked:
        """Return what :meth:`clock` gave, from its record.

        Raises
        ------
        EndpointError
            when the sound is no longer kept and the endpoint now says it otherwise.

        """
        sound = self._said(utterance.spoken, voice.kokoro, utterance.speed)
        speech, silences = heard(sound)
        recorded = [Span(start=pause.start, end=pause.end) for pause in utterance.pauses]
        if (len(sound), speech, silences) != (utterance.n_samples, utterance.speech, recorded):
            raise EndpointError(
                f"utterance {utterance.id}: its sound is gone from the cache, and the speech endpoint at "
                f"{self.settings.shown_url} says it otherwise now; remove this conversation's folder under work/ to "
                "plan it again"
            )
        return Clocked(
            voice=voice,
            speed=utterance.speed,
            written=utterance.written,
            spoken=utterance.spoken,
            pieces=(Piece(utterance.phonemes, NOWHERE, 0, len(sound)),),
            speech=utterance.speech,
            words=utterance.words,
            pauses=utterance.pauses,
        )

    def render(self, clocked: Clocked) -> Floats:
        """Sound of `clocked`: mono float32 at 24 kHz, exactly `clocked.n_samples` long, not levelled."""
        return self._said(clocked.spoken, clocked.voice.kokoro, clocked.speed)

    def syllable(self, phonemes: str, voice: Voice) -> tuple[Contour, Floats]:
        """Sound of bare `phonemes`, as nearly as letters spell them, and its F0 and level as measured."""
        sound = self._said(spelled(phonemes), voice.kokoro, 1.0)
        return contour_of(sound)

    def identity(self) -> str:
        """Name the endpoint, its model and settings, its voices, and the versions of all that decides the times."""
        rest = [voice.model_dump(mode="json") for voice in self.settings.voices]
        return "/".join(
            (
                f"speech-endpoint-{VERSION}",
                self.settings.model,
                fingerprint(endpoint=self.settings.decides, voices=rest)[:16],
                f"text-{normalise.VERSION}",
                f"g2p-{g2p.VERSION}",
            )
        )

    def _gain(self, voice: EndpointVoice) -> float:
        if voice.gain_db is not None:
            return voice.gain_db
        return gain_db(lambda text: self._said(text, voice.name, _asked(voice.speed)), self._key(voice.name, "level"))

    def _said(self, text: str, voice: str, speed: float) -> Floats:
        """The first sound that the endpoint gave for this, for whoever asks."""
        key = self._key(voice, speed, text)
        found = self.cache.get(key)
        if found is None:
            # Two workers that want the same get the same, whichever asks.
            with locked(cache_dir() / "locks" / f"said-{key[:2]}"):
                found = self.cache.get(key)
                if found is None:
                    answer = self._connected().ask(text, voice, speed)
                    found = {"sound": sound_of(answer, text, self.settings)}
                    self.cache.put(key, found)
        return np.asarray(found["sound"], np.float32)

    def _connected(self) -> SpeechClient:
        """The connection to the endpoint, once a process."""
        if self._client is None or self._client[0] != os.getpid():
            self._client = os.getpid(), SpeechClient(self.settings)
        return self._client[1]

    def _key(self, *asked: str | float) -> str:
        return key_of("said", VERSION, fingerprint(endpoint=self.settings.decides), *asked)


def heard(sound: Floats) -> tuple[Span, list[Span]]:
    """Onset and offset of a sound, and its inner silences of 80 ms and more [samples]."""
    silences = measure_silences(sound, below_db=PAUSE_BELOW_DB)
    speech = measure_bounds(sound)
    inner = [gap for gap in silences if speech.start < gap.start and gap.end < speech.end]
    return speech, [gap for gap in inner if gap.length >= SHORTEST_PAUSE]


def _asked(speed: float) -> float:
    """A speed that an endpoint takes, to the hundredth."""
    return round(min(4.0, max(0.25, speed)), 2)
