"""How the scripts of conversations read, counted.

A **line** is a turn or a claim; vocalisations are none. The definitions:

- **On topic** is the share of lines that :mod:`pipeline.writers.on_topic` finds on their topic, over those on or off;
  lines without a telling word are neutral, and conversations whose topic is in no bank are not measured. **By chance**
  is the mean of the same share for the same lines beside each other topic of the same type.
- **Distinct-n** is that of :mod:`pipeline.output.diversity`, over the whole text and over blocks of fixed length.
- **Said again** are lines that share a run of four words with an earlier line: of the same conversation, of an
  earlier one (in order of index, whatever its type), or either; over all lines.
- **Fallbacks** are points that the model did not manage and that are spoken in authored words, as the writing reports
  count them; over all lines, which is the share of such lines or, where a turn has two of them, a little more.
- **Cut-ins in authored words** are claims: the bank's own by design and those that fell back look alike.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.output.diversity import BLOCK, distinct, distinct_in_blocks
from pipeline.output.repeats import Repeat, repeats
from pipeline.output.rounding import ratio
from pipeline.records import ClaimAct, InteractionType, TurnAct, VocalisationAct
from pipeline.records.script import WritingReport
from pipeline.writers.on_topic import OnTopic, Verdict
from pipeline.writers.topics import Topic
from pipeline.writers.words import words
from pipeline.written import Written


@dataclass(frozen=True)
class Line:
    """A turn or claim and what was found on it."""

    act: TurnAct | ClaimAct
    repeat: Repeat
    verdict: Verdict | None = None
    """None: not measured."""
    chance: float | None = None
    """Share of the other topics of the type that the line would be on; None: neutral or not measured."""


@dataclass(frozen=True)
class Judged:
    """A conversation with every line judged."""

    type: InteractionType
    lines: tuple[Line, ...]
    report: WritingReport

    @property
    def texts(self) -> list[str]:
        """What is said."""
        return [line.act.text for line in self.lines]


def judged(conversations: Sequence[Written], topics: Mapping[str, Topic]) -> list[Judged]:
    """Judge every line of conversations, which are in the order in which one is earlier than another."""
    spoken = [_spoken(one) for one in conversations]
    said_again = repeats([act.text for act in acts] for acts in spoken)
    bank = OnTopic(topics)
    return [
        Judged(one.spec.type, _lines(one, acts, again, bank, topics), one.script.report)
        for one, acts, again in zip(conversations, spoken, said_again, strict=True)
    ]


def wording(conversations: Sequence[Judged]) -> dict[str, Any]:
    """The figures of conversations, ready for JSON; None where nothing was counted."""
    lines = [line for one in conversations for line in one.lines]
    claims = [line for line in lines if isinstance(line.act, ClaimAct)]
    texts = [line.act.text for line in lines]
    return {
        "conversations": len(conversations),
        "lines": len(lines),
        "claims": len(claims),
        "words": sum(len(words(text)) for text in texts),
        "on_topic": _on_topic(lines),
        "distinct": {str(n): _rounded(distinct(texts, n)) for n in (1, 2, 3)},
        f"distinct_in_{BLOCK}": {str(n): _rounded(distinct_in_blocks(texts, n)) for n in (1, 2, 3)},
        "said_again": {
            "within": ratio(sum(line.repeat.within for line in lines), len(lines)),
            "between": ratio(sum(line.repeat.between for line in lines), len(lines)),
            "either": ratio(sum(line.repeat.either for line in lines), len(lines)),
        },
        "authored": _authored(conversations, claims, len(lines)),
        "writing": _writing(conversations),
    }


def _spoken(one: Written) -> list[TurnAct | ClaimAct]:
    return [act for act in one.script.acts if not isinstance(act, VocalisationAct)]


def _lines(
    one: Written,
    acts: Sequence[TurnAct | ClaimAct],
    again: Sequence[Repeat],
    bank: OnTopic,
    topics: Mapping[str, Topic],
) -> tuple[Line, ...]:
    own = one.spec.topic
    if own not in bank:
        return tuple(Line(act, repeat) for act, repeat in zip(acts, again, strict=True))
    others = [key for key, topic in topics.items() if topic.type == one.spec.type and key != own]
    befores = ["", *(act.text for act in acts)]
    return tuple(
        _line(act, repeat, bank.verdicts(act.text, before, [own, *others]))
        for act, repeat, before in zip(acts, again, befores, strict=False)
    )


def _line(act: TurnAct | ClaimAct, repeat: Repeat, verdicts: Sequence[Verdict]) -> Line:
    verdict, *others = verdicts
    chance = others.count("on") / len(others) if others and verdict != "neutral" else None
    return Line(act, repeat, verdict, chance)


def _on_topic(lines: Sequence[Line]) -> dict[str, float | int | None]:
    count = Counter(line.verdict for line in lines)
    chances = [line.chance for line in lines if line.chance is not None]
    return {
        "share": ratio(count["on"], count["on"] + count["off"]),
        "by_chance": ratio(sum(chances), len(chances)),
        "on": count["on"],
        "off": count["off"],
        "neutral": count["neutral"],
        "not_measured": count[None],
    }


def _authored(conversations: Iterable[Judged], claims: Iterable[Line], lines: int) -> dict[str, float | int | None]:
    fallbacks = sum(one.report.authored for one in conversations)
    cut_ins = sum(line.act.author == "authored" for line in claims)
    return {
        "fallbacks": fallbacks,
        "fallback_share": ratio(fallbacks, lines),
        "cut_ins": cut_ins,
        "cut_in_share": ratio(cut_ins, lines),
    }


def _writing(conversations: Sequence[Judged]) -> dict[str, float | int | None]:
    reports = [one.report for one in conversations]
    return {
        "requests": sum(report.requests for report in reports),
        "repairs": sum(report.repairs for report in reports),
        "fresh_tries": sum(report.fresh_tries for report in reports),
        "first_time_valid_share": ratio(sum(report.first_time_valid for report in reports), len(reports)),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
