"""Settings of counterfactual pairs, and which kind is whose turn."""

from typing import Literal

from pipeline.records import PAIR_KINDS, PairKind, Record
from pipeline.seeds import generator


class PairSettings(Record):
    """Whether a corpus consists of pairs, and of which."""

    kind: PairKind | Literal["all"] | None = None
    """None: no pairs, each conversation stands alone; `all`: every kind equally often."""

    def kinds_for(self, seed: int, index: int) -> tuple[PairKind, ...]:
        """The kinds that pair `index` may be of, the one whose turn it is first: rounds of all, in a seeded order.

        >>> sorted(PairSettings(kind="all").kinds_for(1, index)[0] for index in range(3))
        ['claim', 'pause', 'words']
        """
        if self.kind is None:
            return ()
        if self.kind != "all":
            return (self.kind,)
        turn, place = divmod(index, len(PAIR_KINDS))
        order = generator(seed, "pairs", "kinds", turn).permutation(len(PAIR_KINDS))
        dealt = [PAIR_KINDS[int(i)] for i in order]
        return (*dealt[place:], *dealt[:place])
