"""The scoring protocol once more, as slowly and plainly as it can be written: whole milliseconds, one loop a rule."""

from dataclasses import dataclass
from pathlib import Path

from floor_support import example
from hypothesis import strategies as st

from pipeline.evaluation.corpus import Conversation
from pipeline.evaluation.keyed import keys_of
from pipeline.evaluation.matching import ChannelGold
from pipeline.evaluation.scorer import TASKS, channel_gold, speakers_of, track_of
from pipeline.evaluation.slices import cluster_of, items_of
from pipeline.gold import gold

PRE, POST = 250, 3000


@dataclass(frozen=True)
class PlainGold:
    """Positives, negatives and excluded intervals of one channel [ms]."""

    positives: tuple[int, ...]
    negatives: tuple[tuple[int, int], ...]
    excluded: tuple[tuple[int, int], ...]

    def in_seconds(self) -> ChannelGold:
        """The same as the scorer takes it."""
        return ChannelGold(
            tuple(t / 1000 for t in self.positives),
            tuple((a / 1000, b / 1000) for a, b in self.negatives),
            tuple((a / 1000, b / 1000) for a, b in self.excluded),
        )


def plainly_matched(gold: PlainGold, times: list[int], turnbench: bool) -> tuple[list[int | None], list[bool]]:
    """Latency of each positive [ms] (None: missed), and whether each negative is fired on."""
    heard = sorted(times)
    for start, end in gold.excluded:
        heard = [t for t in heard if t < start or t > end]
    claimed: set[int] = set()
    latencies: list[int | None] = []
    windows = []
    for anchor in gold.positives:
        last = anchor + POST
        for other in gold.positives:
            if other > anchor:
                last = min(last, other)
        windows.append((anchor - PRE, last))
        latency = None
        for number, t in enumerate(heard):
            if latency is None and number not in claimed and anchor - PRE <= t <= last:
                claimed.add(number)
                latency = t - anchor
        latencies.append(latency)
    fired = []
    for start, end in gold.negatives:
        charged = False
        for number, t in enumerate(heard):
            if number in claimed:
                continue
            if turnbench and any(a <= t <= b for a, b in windows):
                continue
            if (start - PRE if turnbench else start) <= t <= end:
                charged = True
        fired.append(charged)
    return latencies, fired


# Times lie on a grid of 50 ms, so that edges coincide often; windows then end on predictions, spans on anchors.
grid = st.integers(0, 240).map(lambda n: 50 * n)
interval = st.tuples(grid, st.integers(0, 40)).map(lambda pair: (pair[0], pair[0] + 50 * pair[1]))
plain_golds = st.builds(
    PlainGold,
    st.lists(grid, max_size=6).map(lambda times: tuple(sorted(times))),
    st.lists(interval, max_size=4).map(tuple),
    st.lists(interval, max_size=3).map(tuple),
)


def conversation(ident="example", timeline=None, split="test"):
    """The worked example, or another timeline, as scoring reads it from a folder."""
    timeline = (timeline or example()).model_copy(update={"conversation_id": ident})
    own = gold(timeline)
    meta = {"spec": {"type": "casual"}, "nuisance": {"levels": {"snr_drawn_db": 23.0}, "nuisance": []}}
    tracks = {task: track_of(own, task) for task in TASKS}
    return Conversation(
        id=ident,
        folder=Path(ident),
        split=split,
        cluster=cluster_of(timeline),
        gold=own,
        keys=keys_of(timeline.speakers),
        voices={speaker.id: speaker.voice for speaker in timeline.speakers},
        channels={task: {s: channel_gold(t, s) for s in speakers_of(t)} for task, t in tracks.items()},
        items=items_of(own, timeline, meta),
    )
