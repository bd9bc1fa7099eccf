"""Predictions of detectors laid over conversations, each decision with what came of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pipeline.errors import ConfigError, InputError
from pipeline.evaluation.adapters import Named
from pipeline.evaluation.keyed import keys_of
from pipeline.evaluation.matching import ROUNDING_S, ChannelGold, match
from pipeline.evaluation.predictions import ConversationPredictions, PredictionFile, decisions_of
from pipeline.evaluation.scorer import TASKS, Task, channel_gold, track_of
from pipeline.loader import Conversation
from pipeline.records import Gold
from pipeline.viewer.records import Decision, Detector, Outcome

Entries = Mapping[str, tuple[Path, Mapping[str, ConversationPredictions]]]
"""By the name of a detector its file, and what that says of each conversation."""


def read_entries(given: Iterable[Named], ids: Sequence[str]) -> Entries:
    """What files of predictions say; a folder stands for all files of predictions in it.

    Parameters
    ----------
    given
        Names and files, or folders, whose files are named after themselves.
    ids
        The conversations of the corpus; a file may lack some of them.

    Raises
    ------
    InputError
        where a file cannot be read, or names a conversation that the corpus lacks.
    ConfigError
        where a name comes twice.

    """
    found: dict[str, tuple[Path, Mapping[str, ConversationPredictions]]] = {}
    for name, path in _files(given):
        if name in found:
            raise ConfigError(f"detector {name!r} comes twice; give the file another name: NAME=FILE")
        entries = PredictionFile.read(path).by_conversation(str(path))
        unknown = sorted(set(entries) - set(ids))
        if unknown:
            raise InputError(
                f"{path}: conversation {unknown[0]!r} is not in the corpus, which has {', '.join(ids[:3])}"
            )
        found[name] = (path, entries)
    return found


def _files(given: Iterable[Named]) -> Iterator[Named]:
    for name, path in given:
        if not path.is_dir():
            yield name, path
            continue
        inside = sorted(path.glob("*.json"))
        if not inside:
            raise InputError(f"{path}: no predictions there; give a folder with files NAME.json")
        yield from ((file.stem, file) for file in inside)


def detectors_of(conversation: Conversation, entries: Entries) -> list[Detector]:
    """What each detector decides in a conversation; those that say nothing of it are left out."""
    keys, gold = keys_of(conversation.speakers), conversation.gold
    found = []
    for name, (path, by_id) in entries.items():
        if conversation.id in by_id:
            times = decisions_of(by_id[conversation.id], keys, gold.duration_s, str(path))
            found.append(_detector(name, gold, times))
    return found


def _detector(name: str, gold: Gold, times: Mapping[str, Mapping[Task, Sequence[float]]]) -> Detector:
    decisions: list[Decision] = []
    latencies: dict[str, float] = {}
    missed: list[str] = []
    fired: list[str] = []
    for task in TASKS:
        track = track_of(gold, task)
        for speaker, own in times.items():
            channel = channel_gold(track, speaker)
            outcome = match(channel, own[task])
            anchors = [anchor.event_id for anchor in track.positives if anchor.speaker == speaker]
            spans = [span.event_id for span in track.negatives if span.speaker == speaker]
            for ident, latency in zip(anchors, outcome.latencies_ms, strict=True):
                if latency is None:
                    missed.append(ident)
                else:
                    latencies[ident] = latency
            fired += [ident for ident, on in zip(spans, outcome.fired, strict=True) if on]
            claimed = _claimed(channel, outcome.latencies_ms)
            decisions += [
                Decision(task=task, speaker=speaker, time_s=time, outcome=_came_of(time, channel, claimed))
                for time in own[task]
            ]
    return Detector(
        name=name,
        decisions=tuple(sorted(decisions, key=lambda one: (one.time_s, one.speaker, one.task))),
        latency_ms=latencies,
        missed=tuple(missed),
        fired=tuple(fired),
    )


def _claimed(channel: ChannelGold, latencies_ms: Sequence[float | None]) -> list[float]:
    """When the decisions were made that positives claim [s]."""
    both = zip(channel.positives, latencies_ms, strict=True)
    return [anchor + latency / 1000 for anchor, latency in both if latency is not None]


def _came_of(time: float, channel: ChannelGold, claimed: Sequence[float]) -> Outcome:
    def inside(spans: Iterable[tuple[float, float]]) -> bool:
        return any(start - ROUNDING_S <= time <= end + ROUNDING_S for start, end in spans)

    if inside(channel.excluded):
        return "excluded"
    if any(abs(time - one) <= 2 * ROUNDING_S for one in claimed):
        return "hit"
    return "false_alarm" if inside(channel.negatives) else "other"
