"""The invariants of the floor, stated in one place and checked without any of the code that makes timelines.

``python -m pipeline.validate CORPUS`` checks every conversation of a corpus folder, records and sound; the names
under which files are refused stand in :mod:`pipeline.output.audit`, and for counterfactual pairs in
:mod:`pipeline.output.pairs`.

Each invariant has a name; a timeline that breaks it is refused under that name:

=========================  ==================================================================================
ids-unique                 no two utterances, segments, turns or events share an id
links-resolve              every id refers to something that is there and of the right kind
known-speaker              every speaker is a participant, on that participant's channel
word-in-utterance          words, speech and pauses lie in order inside their utterance
segment-in-utterance       a segment, and what is laid with it, lies inside its utterance
inside-conversation        all sound lies between the first and the last sample
pause-in-segment           inner pauses lie in order inside their segment
no-self-overlap            no speaker sounds twice at once
turn-segments              turns and floor segments belong to each other, in order of time
turn-entry                 the first turn opens; an interrupting turn, and no other, follows one that is cut off
hold-same-utterance        a hold lies between two segments of one utterance, and its pause is positive
yield-goes-elsewhere       every yield but the last hands over to another speaker; the last segment yields
handover-after-turn        a hand-over starts at most `latch_s` before its former holder stops
success-overlap            an interruption starts before the cut-off and still sounds at it
cut-off-inside-utterance   a segment that is cut off ends inside its utterance
failed-claim-ends-first    a failed claim lies within its holder's possession and ends before the holder stops
vocalisation-by-listener   a backchannel or laugh sounds in the turn of another, not while its speaker holds
backchannel-words          a backchannel has at most `max_words` words
turn-has-floor             every turn has the floor for a while
one-holder                 the ownership track is contiguous over all samples, one holder or none
ownership-rule             the floor passes at the cut-off, at the new onset, and is nobody's in a gap
change-has-event           everything that happens to the floor has its event
event-has-effect           every event has its effect, once
event-matches-segment      an event's times, speaker, turn and links are those of its segment
tail                       at least `tail_s` follow the last offset
=========================  ==================================================================================

`max_words`, `tail_s` and `latch_s` are those that the folder's `corpus.yaml` asks for, unless they are given.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pipeline.command import command_parser, ended
from pipeline.errors import FloorError, InputError, PipelineError
from pipeline.invariants import asides, events, identity, ownership, places, turns
from pipeline.invariants.configured import rules_of
from pipeline.invariants.reading import Rules
from pipeline.output.audit import audit, manifest_faults
from pipeline.output.manifest import MANIFEST, conversation_folders, read_manifest
from pipeline.output.pairs import pair_faults
from pipeline.records import Timeline
from pipeline.storage.mirror import folder_of

DEFAULT = Rules()
Check = Callable[[Timeline, Rules], Iterator[FloorError]]
GROUPS: tuple[tuple[Check, ...], ...] = (
    (identity.ids_unique,),
    (identity.links_resolve,),
    (identity.known_speaker, identity.resumed_turn),
    (places.word_in_utterance, places.segment_in_utterance, places.inside_conversation, places.pause_in_segment),
    (places.no_self_overlap, turns.turn_segments),
    (turns.turn_entry,),
    (turns.hold_same_utterance, turns.yield_goes_elsewhere, turns.handover_after_turn, turns.success_overlap),
    (
        turns.turn_has_floor,
        turns.cut_off_inside_utterance,
        asides.failed_claim_ends_first,
        asides.vocalisation_by_listener,
        asides.backchannel_words,
    ),
    (ownership.one_holder, events.change_has_event, events.event_has_effect, events.event_matches_segment, places.tail),
    (ownership.ownership_rule,),
)
"""The checks in the order they rest on one another: what follows a group that failed is not asked."""


def validate(timeline: Timeline, rules: Rules = DEFAULT) -> None:
    """Refuse a timeline that breaks an invariant.

    Raises
    ------
    FloorError
        the first fault: its `invariant` is the name, its message gives ids and times.

    """
    for fault in _faults(timeline, rules):
        raise fault


def faults(timeline: Timeline, rules: Rules = DEFAULT) -> list[FloorError]:
    """All faults; those of a kind that rests on a broken one are left out (order of :data:`GROUPS`)."""
    return list(_faults(timeline, rules))


def _faults(timeline: Timeline, rules: Rules) -> Iterator[FloorError]:
    for group in GROUPS:
        found = False
        for check in group:
            for fault in check(timeline, rules):
                found = True
                yield fault
        if found:
            return


# The command -----------------------------------------------------------------------------------------------


def corpus_faults(corpus: Path, rules: Rules | None = None) -> Iterator[tuple[str, list[FloorError], list[float]]]:
    """For each conversation: its id, its faults, and how far each bound was measured from where it was planned [s].

    `rules`: None: those of its `corpus.yaml`.

    Raises
    ------
    InputError
        when `corpus` is not a corpus.

    """
    folders = conversation_folders(corpus)
    if not folders:
        raise InputError(f"{corpus}: holds no conversation; make some, or give another folder")
    rules = rules or rules_of(corpus)
    manifest = read_manifest(corpus) if (corpus / MANIFEST).exists() else None
    for folder in folders:
        found, away = _conversation_faults(folder, rules)
        if manifest is None:
            found.append(FloorError("manifest-sums", f"{MANIFEST} is not there; make the corpus again to finish it"))
        else:
            found += manifest_faults(folder, corpus, manifest)
        yield folder.name, found, away


def _conversation_faults(folder: Path, rules: Rules) -> tuple[list[FloorError], list[float]]:
    path = folder / "timeline.json"
    if not path.is_file():
        return [FloorError("file-missing", f"{folder.name}/timeline.json is not there")], []
    try:
        timeline = Timeline.read(path)
    except InputError as error:
        return [FloorError("file-unreadable", str(error))], []
    found = faults(timeline, rules)
    if timeline.conversation_id != folder.name:
        found.append(
            FloorError("links-resolve", f"the timeline in {folder.name} is that of {timeline.conversation_id}")
        )
    return found + audit(folder, timeline) + pair_faults(folder, timeline), _deviations(timeline)


def _deviations(timeline: Timeline) -> list[float]:
    pairs = [(s.measured, s.planned) for s in timeline.segments if s.measured]
    return [abs(d) / timeline.rate for m, p in pairs for d in (m.start - p.start, m.end - p.end)]


def main(argv: Sequence[str] | None = None) -> int:
    """Check the corpus that the command line names; 0: no fault, 1: faults, 2: not a corpus."""
    arguments = _parser().parse_args(argv)
    given = {"max_words": arguments.max_words, "tail_s": arguments.tail, "latch_s": arguments.latch}
    try:
        corpus = folder_of(arguments.corpus)
        rules = rules_of(corpus).model_copy(update={k: v for k, v in given.items() if v is not None})
        report = _report(corpus, rules, arguments.near / 1000, quiet=arguments.json)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    print(json.dumps(report, indent=1, ensure_ascii=False) if arguments.json else _total(report))
    return 1 if report["faults"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline.validate",
        "Check every conversation of a corpus: the floor's invariants, and that its files agree.",
        "python -m pipeline.validate corpora/mine",
        status="0 no fault, 1 faults, 2 not a corpus, 130 interrupted",
    )
    parser.add_argument("corpus", help="folder that holds 'conversations', or a URL such as s3://bucket/corpora/mine")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")
    parser.add_argument("--max-words", type=int, help="most words of a backchannel (as configured; 3 where nothing is)")
    parser.add_argument("--tail", type=float, help="least silence at the end [s] (as configured, or 3)")
    parser.add_argument("--latch", type=float, help="most overlap of a hand-over [s] (as configured, or 0.25)")
    parser.add_argument(
        "--near", type=float, default=40.0, help="planned counts as near measured within this [ms] (%(default)s)"
    )
    return parser


def _report(corpus: Path, rules: Rules, near_s: float, quiet: bool) -> dict[str, Any]:
    conversations: dict[str, list[dict[str, str]]] = {}
    away: list[float] = []
    for ident, found, deviations in corpus_faults(corpus, rules):
        away += deviations
        conversations[ident] = [{"invariant": fault.invariant, "message": str(fault)} for fault in found]
        if not quiet:
            print("\n".join(f"{ident}  {fault}" for fault in found) or f"{ident}  ok", flush=True)
    names = Counter(fault["invariant"] for found in conversations.values() for fault in found)
    return {
        "corpus": str(corpus),
        "conversations": len(conversations),
        "faulty": sum(map(bool, conversations.values())),
        "faults": names.total(),
        "by_invariant": dict(sorted(names.items())),
        "planned_near_measured": {
            "bounds": len(away),
            "within_ms": 1000 * near_s,
            "share": round(sum(d <= near_s for d in away) / len(away), 4) if away else None,
        },
        "found": conversations,
    }


def _total(report: dict[str, Any]) -> str:
    near = report["planned_near_measured"]
    share = "" if near["share"] is None else f"; {100 * near['share']:.1f} % of {near['bounds']} bounds "
    within = share and f"measured within {near['within_ms']:g} ms of the plan"
    return (
        f"{report['conversations']} conversations, {report['faulty']} faulty, {report['faults']} faults{share}{within}"
    )


if __name__ == "__main__":
    sys.exit(ended(main))
