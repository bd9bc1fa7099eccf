"""One conversation of the corpus as what its page draws."""

from collections.abc import Sequence

from pipeline.errors import InputError
from pipeline.label import text_of, words_said
from pipeline.loader import KINDS, Conversation
from pipeline.records import Timeline, Word
from pipeline.viewer.records import Detector, Stretch, Talk


def check_whole(conversation: Conversation) -> None:
    """InputError where a file that the page needs is missing, which names it and what to do."""
    needed = [
        *(conversation.folder / name for name in ("meta.json", "timeline.json", "gold.json")),
        conversation.mix_path,
    ]
    if needed[0].exists() and needed[1].exists():
        needed += [conversation.path(speaker.id, kind) for kind in KINDS for speaker in conversation.speakers]
    missing = [path.relative_to(conversation.folder).as_posix() for path in needed if not path.is_file()]
    if missing:
        raise InputError(
            f"{conversation.folder}: half made, without {missing[0]}; make the corpus again to finish it, "
            "or name others with --only"
        )
    if conversation.timeline.conversation_id != conversation.id:
        raise InputError(
            f"{conversation.folder}: its timeline.json is of {conversation.timeline.conversation_id!r}; "
            "give the folder its name back"
        )


def talk(conversation: Conversation, detectors: Sequence[Detector] = ()) -> Talk:
    """What the page of a conversation draws; InputError where a record cannot be read."""
    timeline, spec, gold = conversation.timeline, conversation.spec, conversation.gold
    return Talk(
        id=conversation.id,
        title=spec.title,
        setting=spec.setting,
        rate=timeline.rate,
        n_samples=timeline.n_samples,
        speakers=timeline.speakers,
        stretches=_stretches(timeline),
        words={speaker.id: _words(timeline, speaker.id) for speaker in timeline.speakers},
        events=timeline.events,
        ownership=timeline.ownership,
        eot=gold.eot,
        interruption=gold.interruption,
        pair=timeline.pair,
        detectors=tuple(detectors),
    )


def _stretches(timeline: Timeline) -> tuple[Stretch, ...]:
    utterances = {utterance.id: utterance for utterance in timeline.utterances}
    found = [
        Stretch(
            id=segment.id,
            speaker=segment.speaker,
            role=segment.role,
            ending=segment.ending,
            start=segment.bounds.start,
            end=segment.bounds.end,
            text=text_of(segment, utterances),
        )
        for segment in timeline.segments
    ]
    return tuple(sorted(found, key=lambda one: (one.start, one.end, one.id)))


def _words(timeline: Timeline, speaker: str) -> tuple[Word, ...]:
    utterances = {utterance.id: utterance for utterance in timeline.utterances}
    own = [segment for segment in timeline.segments if segment.speaker == speaker]
    words = [word for segment in own for word in words_said(segment, utterances[segment.utterance_id])]
    return tuple(sorted(words, key=lambda word: (word.start, word.end)))
