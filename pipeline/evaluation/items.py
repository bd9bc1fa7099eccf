"""The positives and hard negatives of a corpus one by one, with what is known of each, so that they can be sliced."""

from dataclasses import dataclass, field

from pipeline.evaluation.matching import Outcome
from pipeline.evaluation.scorer import TaskScore, counted


@dataclass(frozen=True)
class Item:
    """A positive or a hard negative: where it is, and its values of the slices that it is in."""

    cluster: str
    """The conversation that it is in, or the counterfactual pair that this is of: what intervals draw anew as one."""
    event_id: str
    slices: tuple[tuple[str, str], ...] = ()
    """Name of a slice and the value in it, such as ``("speakers", "3")``."""


@dataclass(frozen=True)
class Scored:
    """What a detector made of one task: each positive with its latency, each negative with whether it was fired on."""

    positives: tuple[tuple[Item, float | None], ...] = ()
    """Latency [ms]; None: missed."""
    negatives: tuple[tuple[Item, bool], ...] = ()

    def total(self) -> TaskScore:
        """The counts of all of it."""
        return counted(
            Outcome(tuple(latency for _, latency in self.positives), tuple(fired for _, fired in self.negatives))
        )

    def where(self, name: str, value: str) -> "Scored":
        """The items that have `value` in the slice `name`."""
        wanted = (name, value)
        return Scored(
            tuple((item, latency) for item, latency in self.positives if wanted in item.slices),
            tuple((item, fired) for item, fired in self.negatives if wanted in item.slices),
        )

    def slices(self) -> list[tuple[str, str]]:
        """The slices that there are: name and value, in order."""
        items = [item for item, _ in self.positives] + [item for item, _ in self.negatives]
        return sorted({one for item in items for one in item.slices})


@dataclass(frozen=True)
class ConversationItems:
    """The items of one task in one conversation, by speaker, in the order of the gold."""

    positives: dict[str, tuple[Item, ...]] = field(default_factory=dict)
    negatives: dict[str, tuple[Item, ...]] = field(default_factory=dict)

    def scored(self, speaker: str, outcome: Outcome) -> Scored:
        """What became of the items on one speaker's channel."""
        return Scored(
            tuple(zip(self.positives.get(speaker, ()), outcome.latencies_ms, strict=True)),
            tuple(zip(self.negatives.get(speaker, ()), outcome.fired, strict=True)),
        )


def together(parts: list[Scored]) -> Scored:
    """All parts as one."""
    return Scored(
        tuple(one for part in parts for one in part.positives), tuple(one for part in parts for one in part.negatives)
    )
