"""What scoring needs to know of a finished corpus: its conversations with their gold and what each item is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import InputError
from pipeline.evaluation.items import ConversationItems, Scored, together
from pipeline.evaluation.keyed import keys_of
from pipeline.evaluation.matching import ChannelGold, match
from pipeline.evaluation.profiles import Profile
from pipeline.evaluation.scorer import TASKS, Task, TaskScore, channel_gold, counted, pooled, speakers_of, track_of
from pipeline.evaluation.slices import cluster_of, items_of
from pipeline.output.manifest import conversation_folders, read_meta
from pipeline.records import Gold, Timeline

Times = Callable[[str], list[float]]
"""The decisions [s] on the channel of the speaker with this id."""


@dataclass(frozen=True, eq=False)
class Conversation:
    """One conversation, as far as scoring goes."""

    id: str
    folder: Path
    split: str
    cluster: str
    """Its counterfactual pair, or itself: what is not told apart where conversations are drawn or left out."""
    gold: Gold
    keys: Mapping[str, str]
    """`speaker_1` … `speaker_N` by the id of the speaker."""
    voices: Mapping[str, str]
    """The voice of each speaker."""
    channels: Mapping[Task, Mapping[str, ChannelGold]]
    """What counts for a task, by speaker; speakers for whom nothing does are left out."""
    items: Mapping[Task, ConversationItems]

    def score(self, task: Task, times: Times, profile: Profile) -> TaskScore:
        """The counts of one task, over all channels."""
        return pooled(counted(match(own, times(s), profile)) for s, own in self.channels[task].items())

    def scored(self, task: Task, times: Times, profile: Profile) -> Scored:
        """What became of every item of one task."""
        return together(
            [self.items[task].scored(s, match(own, times(s), profile)) for s, own in self.channels[task].items()]
        )


def read_conversation(folder: Path) -> Conversation:
    """The conversation in a folder; InputError where a file lacks or cannot be read."""
    gold, timeline, meta = Gold.read(folder / "gold.json"), Timeline.read(folder / "timeline.json"), read_meta(folder)
    return Conversation(
        id=gold.conversation_id,
        folder=folder,
        split=_split(meta, folder),
        cluster=cluster_of(timeline),
        gold=gold,
        keys=keys_of(timeline.speakers),
        voices={speaker.id: speaker.voice for speaker in timeline.speakers},
        channels={task: _channels(gold, task) for task in TASKS},
        items=items_of(gold, timeline, meta),
    )


def read_corpus(corpus: Path) -> list[Conversation]:
    """All finished conversations of a corpus, by id; InputError where there is none."""
    found = [read_conversation(folder) for folder in conversation_folders(corpus)]
    if not found:
        raise InputError(f"{corpus}: no finished conversation in it; make the corpus again to finish it")
    return found


def _channels(gold: Gold, task: Task) -> dict[str, ChannelGold]:
    track = track_of(gold, task)
    return {speaker: channel_gold(track, speaker) for speaker in speakers_of(track)}


def _split(meta: Mapping[str, Any], folder: Path) -> str:
    try:
        return str(meta["spec"]["split"])
    except (KeyError, TypeError):
        raise InputError(f"{folder / 'meta.json'}: states no spec; make this conversation again") from None
