"""Who spoke when, from RTTM files: the SPEAKER lines of the NIST format."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import InputError
from pipeline.samples import to_samples

LINE = "SPEAKER RECORDING CHANNEL ONSET DURATION <NA> <NA> NAME <NA> <NA>"
"""The fields of a line that says who speaks when; the times are seconds."""
OTHERS = {
    *("SEGMENT", "NOSCORE", "NO_RT_METADATA", "LEXEME", "NON-LEX", "NON-SPEECH"),
    *("FILLER", "EDIT", "SU", "IP", "CB", "A/P", "SPKR-INFO"),
}
"""The other types of line of the format, which are passed over."""


@dataclass(frozen=True)
class Stretch:
    """Speech of one speaker without a break, from sample `start` to `end`."""

    speaker: str
    start: int
    end: int

    @property
    def length(self) -> int:
        """Duration [samples]."""
        return self.end - self.start


@dataclass
class Recording:
    """The annotated speech of one recording, unordered."""

    stretches: list[Stretch]
    channels: dict[str, set[str]]
    """Speakers of each channel."""


def read_rttm(paths: Iterable[Path]) -> dict[str, Recording]:
    """All recordings in some RTTM files, by name; lines of no duration say nothing and are passed over.

    Raises
    ------
    InputError
        in one line that names the file, the line, what is wrong with it and what is due.

    """
    found: dict[str, Recording] = {}
    for path in paths:
        speaking = 0
        for place, fields in lines(path):
            if fields[0] not in OTHERS:
                _add(found, place, fields)
                speaking += 1
        if not speaking:
            raise InputError(f"{path}: no SPEAKER line in it; an RTTM line is {LINE}")
    return found


def _add(found: dict[str, Recording], place: str, fields: list[str]) -> None:
    if fields[0] != "SPEAKER":
        raise InputError(f"{place}: {fields[0][:40]!r} is no type of line; an RTTM line is {LINE}")
    if not 9 <= len(fields) <= 10:
        raise InputError(f"{place}: {len(fields)} fields instead of 10; an RTTM line is {LINE}")
    start, length = seconds(fields[3], place, "onset"), seconds(fields[4], place, "duration")
    recording = found.setdefault(fields[1], Recording([], {}))
    recording.channels.setdefault(fields[2], set()).add(fields[7])
    if length:
        recording.stretches.append(Stretch(fields[7], to_samples(start), to_samples(start + length)))


def lines(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The lines of a NIST text file as 'file:line' and fields, without blank ones and comments (`;`)."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as UTF-8 text ({error}); give the path of an annotation") from None
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if fields and not fields[0].startswith(";"):
            yield f"{path}:{number}", fields


def seconds(text: str, place: str, name: str) -> float:
    """A time of a line, which is called `name` in the error when it is none."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise InputError(f"{place}: {name} {text!r} is not a number of seconds, 0 or more; correct the line")
    return value
