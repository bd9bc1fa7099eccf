"""Distant speech of the embedded bank: the project's own voices, none of which is in the conversation."""

from functools import cached_property

import numpy as np
import yaml

from pipeline.records import ConversationSpec
from pipeline.resources import resource
from pipeline.samples import RATE, to_samples
from pipeline.speech.backend import Backend, Floats
from pipeline.speech.voices import Voice


class OtherVoices:
    """A speech source: sentences of people who are not part of the conversation.

    The voices are those of the same split that the conversation does not use, or, where it uses them all, all of
    the split: no voice of the other split is ever heard.
    """

    def __init__(self, backend: Backend, spec: ConversationSpec) -> None:
        self._backend = backend
        self._used = {speaker.voice for speaker in spec.speakers}
        self._split = spec.split

    @cached_property
    def _voices(self) -> list[Voice]:
        pool = self._backend.voices(self._split)
        return [voice for voice in pool if voice.id not in self._used] or pool

    @cached_property
    def _sentences(self) -> list[str]:
        sentences: list[str] = yaml.safe_load(resource("voices", "distant_talk.yaml").read_text(encoding="utf-8"))[
            "sentences"
        ]
        return sentences

    def snippet(self, rng: np.random.Generator, seconds: float) -> tuple[Floats, str]:
        """Speech of at least `seconds`, cut to them from its onset; and which voice says which sentence."""
        voice = self._voices[int(rng.integers(len(self._voices)))]
        first = int(rng.integers(len(self._sentences)))
        parts, n = [], 0
        for step in range(len(self._sentences)):
            clocked = self._backend.clock(self._sentences[(first + step) % len(self._sentences)], voice)
            sound = self._backend.render(clocked)[clocked.speech.start : clocked.speech.end]
            parts.append(sound)
            n += len(sound)
            if n >= to_samples(seconds, RATE):
                break
        return np.concatenate(parts)[: to_samples(seconds, RATE)], f"{voice.id}/{first}"
