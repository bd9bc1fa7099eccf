"""One short screenplay that has a moment for every kind of pair, under as many names as are asked for."""

from pathlib import Path

from pipeline.records import Timeline
from pipeline.writers.screenplay import parse_screenplay

PLAY = """id: {ident}
type: casual
domain: travel itinerary planning
tone: casual and friendly
title: the ferry that had left
setting: Three friends stand on a quay with too many bags.
relation: friends
speaker: Zoe, v20, pro, keeps the timetable
speaker: Tom, v04, con, carries the bags
speaker: Yara, v08, open, asks everything

Zoe: I walked all the way down to the old harbour this morning, and the ferry had already left without us.
  Tom + Oh no. @ the old harbour
  Yara > But the timetable said nine! @ this morning
Tom: Then we take the evening boat and stay for two more nights, because I am not driving around that lake again.
  Yara + Right. @ evening boat
  Zoe > We can't, the tickets are for today. @ because I am
Yara ~: Could we not ask the people on the other boat, since they are going to the same island anyway?
  Zoe > They only take goods. @ since they are
Zoe: All right, let's ask them.
"""


def plays(folder: Path, n: int) -> Path:
    """The screenplay `n` times in `folder`: other draws, the same syntheses."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(n):
        ident = f"dev-{number:03d}"
        (folder / f"{ident}.txt").write_text(PLAY.format(ident=ident))
    return folder


def play_script(ident: str = "dev-000"):
    """The script of the screenplay."""
    return parse_screenplay(PLAY.format(ident=ident)).script()


def laid_before(timeline: Timeline, sample: int) -> list[tuple]:
    """All that is laid before `sample`: on which channel, what of which synthesis, from where, and to where at most."""
    return sorted(
        (
            segment.channel,
            segment.origin + segment.lay.start,
            segment.origin,
            segment.source.start,
            min(segment.origin + segment.lay.end, sample),
            timeline.utterance(segment.utterance_id).to_json(),
        )
        for segment in timeline.segments
        if segment.origin + segment.lay.start < sample
    )
