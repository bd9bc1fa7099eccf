"""Whether a line is about its topic: told from the words alone, whoever wrote it.

The stems of a line's words are looked up in the text of every topic of the bank: title, setting, points and cut-ins.
A stem counts by its inverse document frequency over the topics, so that rare words tell most and those that stand in
many topics nothing; nor do the words of listeners' sounds and of openings such as "yeah". A line is **on** topic when
its own topic scores above nearly all others, **off** when it does not, and **neutral** when it has no telling word.
A line with few telling words is read together with the one before.

The share of lines that are on topic is taken over those that are on or off. What chance gives is the same share for the
same lines beside every other topic of their type: the method puts about a twentieth of them on a topic that they have
nothing to do with, and more where topics are akin. One rare word of the topic may carry a line of foreign ones.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pipeline.writers.reactions import load_reactions
from pipeline.writers.topics import Topic
from pipeline.writers.vocalising import load_lexicon
from pipeline.writers.words import bare_words

Verdict = Literal["on", "off", "neutral"]
COMMON_SHARE = 0.15
"""A stem in more than this share of the topics tells nothing."""
FEW = 2
"""A line of fewer telling stems is read with the line before it."""
BEST_SHARE = 0.05
"""The own topic may be reached by at most this share of the others."""


class OnTopic:
    """The topics that a line may be about, ready to be compared with."""

    def __init__(self, topics: Mapping[str, Topic]) -> None:
        self._place = {key: place for place, key in enumerate(topics)}
        stems = [stems_of(text_of(topic)) for topic in topics.values()]
        found = Counter(stem for some in stems for stem in some)
        common = {stem for stem, count in found.items() if count > COMMON_SHARE * len(stems)}
        self._common = frozenset(common) | _fillers()
        self._where = {stem: np.zeros(len(stems)) for stem in found if stem not in self._common}
        for place, some in enumerate(stems):
            for stem in some - self._common:
                self._where[stem][place] = math.log(len(stems) / found[stem])

    def __contains__(self, key: str) -> bool:
        """Whether the topic is among those compared with."""
        return key in self._place

    def verdict(self, line: str, before: str, key: str) -> Verdict:
        """Whether `line`, said after the line `before`, is about the topic `key`."""
        return self.verdicts(line, before, (key,))[0]

    def verdicts(self, line: str, before: str, keys: Sequence[str]) -> list[Verdict]:
        """The verdict for each of several topics."""
        telling = self.telling(line)
        if not telling:
            return ["neutral"] * len(keys)
        if len(telling) < FEW:
            telling |= self.telling(before)
        near = self._near(telling)
        return ["on" if near[self._place[key]] else "off" for key in keys]

    def telling(self, text: str) -> frozenset[str]:
        """The stems that stand in few topics, or in none."""
        return stems_of(text) - self._common

    def _near(self, telling: frozenset[str]) -> NDArray[np.bool_]:
        """Of each topic [n], whether few others score as high; none that no stem stands in."""
        scores = sum((self._where[stem] for stem in telling if stem in self._where), np.zeros(len(self._place)))
        reached = len(scores) - 1 - np.searchsorted(np.sort(scores), scores)
        near: NDArray[np.bool_] = (scores > 0) & (reached <= BEST_SHARE * (len(scores) - 1))
        return near


def text_of(topic: Topic) -> str:
    """All that a topic says."""
    said = [text for move in topic.moves for text in (move.say, *((move.cut_in.say,) if move.cut_in else ()))]
    return " ".join((topic.title, topic.setting, *said))


def stems_of(text: str) -> frozenset[str]:
    """The words of three letters and more without their endings.

    >>> sorted(stems_of("The tickets? I've got my ticket."))
    ['got', 'the', 'ticke']
    """
    bare = (word.partition("'")[0] for word in bare_words(text))
    return frozenset(_stem(word) for word in bare if len(word) > 2)


def _fillers() -> frozenset[str]:
    """Stems of what is said to any topic: listeners' sounds, and the words that a line opens with."""
    openers = [opener for some in load_reactions().openers.values() for opener in some]
    return stems_of(" ".join([*(sound.say for sound in load_lexicon().sounds), *openers]))


def _stem(word: str) -> str:
    """Five letters tell words apart that are about different things, and join most forms of one."""
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    return word[:5]
