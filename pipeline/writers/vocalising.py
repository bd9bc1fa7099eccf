"""Listeners' backchannels and laughs: counted by the spec, worded from a lexicon, placed by the words they follow."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from pipeline.records import ConversationSpec, InteractionType, Record
from pipeline.records.script import LAUGHTER
from pipeline.resources import resource
from pipeline.writers.acts import Draft, Mark
from pipeline.writers.placing import vocalisation_places
from pipeline.writers.reading import read_record
from pipeline.writers.settings import ScriptSettings
from pipeline.writers.words import bare_words, words

Mood = Literal["neutral", "agree", "attentive", "surprise", "doubt", "sympathy", "delight"]
STACKED: Mapping[InteractionType, float] = {"narrative": 0.3, "casual": 0.15}
"""Share of vocalisations that join another listener's (Figure 6: stacked in narrative); 0.05 elsewhere."""
CUE_WORDS, CUE_GAIN = 8, 4.0


class Sound(Record):
    """A listener's sound."""

    say: str
    mood: Mood
    weight: float = Field(gt=0)


class Lexicon(Record):
    """All sounds, and what makes one likelier than another."""

    sounds: tuple[Sound, ...] = Field(min_length=1)
    types: dict[InteractionType, dict[Mood, float]]
    cues: dict[Mood, tuple[str, ...]]

    def draw(
        self,
        type: InteractionType,
        heard: Sequence[str],
        used: set[str],
        rng: np.random.Generator,
        length: tuple[int, int] | None = None,
    ) -> str:
        """A sound that suits the type and the words just `heard`; those `used` of late are rarer.

        `length`: fewest and most words; several sounds are said in one until it has the former.
        """
        said = [self._one(self.sounds, type, heard, used, rng)]
        while length and (count := _count(said)) < length[0]:
            fitting = [s for s in self.sounds if s.say not in said and count + _count([s.say]) <= length[1]]
            if not fitting:
                break
            said.append(self._one(fitting, type, heard, used, rng))
        return _joined(said)

    def _one(
        self,
        sounds: Sequence[Sound],
        type: InteractionType,
        heard: Sequence[str],
        used: set[str],
        rng: np.random.Generator,
    ) -> str:
        moods = self.types[type]
        gains = {mood: CUE_GAIN for mood, cues in self.cues.items() if set(cues) & set(heard)}
        rarity = dict.fromkeys(used, 0.1)
        weights = np.array(
            [s.weight * moods.get(s.mood, 1) * gains.get(s.mood, 1) * rarity.get(s.say, 1) for s in sounds]
        )
        # Where the type knows none of the moods that are left, each sound is as likely as another.
        weights = weights if weights.any() else np.ones(len(sounds))
        return sounds[int(rng.choice(len(sounds), p=weights / weights.sum()))].say


def _count(said: Sequence[str]) -> int:
    return sum(len(words(one)) for one in said)


def _joined(said: Sequence[str]) -> str:
    """Several sounds said in one.

    >>> _joined(["Yeah.", "I see.", "Really?", "Oh, wow."])
    'Yeah, I see, really? Oh, wow.'
    """
    text = said[0]
    for one in said[1:]:
        small = one if words(one)[0] in ("I", "I'm") else one[0].lower() + one[1:]
        text = f"{text.rstrip('.')}, {small}" if text.endswith(".") else f"{text} {one}"
    return text


@cache
def load_lexicon(path: Path | None = None) -> Lexicon:
    """The lexicon in a YAML file; None: the shipped one. InputError names the fault."""
    return read_record(path or resource("prompts", "backchannels.yaml"), Lexicon)


def vocalise(
    drafts: Sequence[Draft],
    spec: ConversationSpec,
    settings: ScriptSettings,
    rng: np.random.Generator,
    funny: frozenset[int] = frozenset(),
) -> None:
    """Add the backchannels and laughs that `spec` asks for to the turns; laughs first where a turn is `funny`."""
    asked, lexicon = spec.amounts, load_lexicon()
    count = asked.backchannels + asked.laughs
    listeners = len(spec.speakers) - 1
    stacked = STACKED.get(spec.type, 0.05) if settings.stacked is None else settings.stacked
    length = (settings.min_backchannel_words, settings.max_backchannel_words)
    places = vocalisation_places([d.text for d in drafts], count, stacked, listeners, rng)
    laughs = _laughing(places, asked.laughs, funny, rng)
    recent: list[str] = []
    for i, (turn, word) in enumerate(places):
        draft = drafts[turn]
        who = _listener(draft, word, spec, rng)
        if i in laughs:
            draft.marks.append(Mark(word, "laughter", who, LAUGHTER, "lexicon"))
            continue
        heard = bare_words(draft.text)[max(0, word + 1 - CUE_WORDS) : word + 1]
        said = lexicon.draw(spec.type, heard, set(recent[-5:]), rng, length)
        recent.append(said)
        draft.marks.append(Mark(word, "backchannel", who, said, "lexicon"))


def _laughing(
    places: Sequence[tuple[int, int]], count: int, funny: frozenset[int], rng: np.random.Generator
) -> set[int]:
    late = [(turn in funny, word, rng.random()) for turn, word in places]
    order = sorted(range(len(places)), key=lambda i: (late[i][0], late[i][2]), reverse=True)
    return set(order[:count])


def _listener(draft: Draft, word: int, spec: ConversationSpec, rng: np.random.Generator) -> str:
    """A listener of the turn, if possible one who makes no other sound nearby."""
    others = [speaker.id for speaker in spec.speakers if speaker.id != draft.speaker]
    busy = {mark.speaker for mark in draft.marks if abs(mark.index - word) <= 4}
    free = [who for who in others if who not in busy] or others
    return str(rng.choice(free))
