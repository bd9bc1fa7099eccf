"""When words were spoken and by whom, from CTM or STM files; they tell a backchannel from a short turn."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pipeline.errors import InputError
from pipeline.samples import to_samples
from pipeline.timing.rttm import Recording, lines, seconds

Words = dict[str, dict[str, list[int]]]
"""Middle of each word [samples], by recording and speaker."""
CTM = "RECORDING SPEAKER ONSET DURATION WORD"
STM = "RECORDING CHANNEL SPEAKER ONSET OFFSET [<LABEL>] WORDS"


def read_words(paths: Iterable[Path], recordings: Mapping[str, Recording]) -> Words:
    """The words spoken in `recordings`; other recordings in the files are passed over.

    The channel of a CTM line names the speaker, or a channel that the RTTM gives to one speaker alone. An STM line
    gives only where its words begin and end together: they are spread over it evenly.

    Raises
    ------
    InputError
        in one line that names the file, the line and the remedy.

    """
    found: Words = {}
    for path in paths:
        if path.suffix.lower() not in (".ctm", ".stm"):
            raise InputError(f"--words {path}: neither .ctm nor .stm; name the file by its format")
        for place, fields in lines(path):
            if fields[0] not in recordings:
                continue
            read = _ctm if path.suffix.lower() == ".ctm" else _stm
            speaker, middles = read(fields, place, recordings[fields[0]])
            found.setdefault(fields[0], {}).setdefault(speaker, []).extend(middles)
    if not found:
        raise InputError("--words: no word of any recording in the RTTM; the first field must be the recording's name")
    return found


def _ctm(fields: list[str], place: str, recording: Recording) -> tuple[str, list[int]]:
    if len(fields) < 5:
        raise InputError(f"{place}: {len(fields)} fields; a CTM line is {CTM}")
    start, length = seconds(fields[2], place, "onset"), seconds(fields[3], place, "duration")
    return _speaker(fields[1], place, recording), [to_samples(start + length / 2)]


def _stm(fields: list[str], place: str, recording: Recording) -> tuple[str, list[int]]:
    if len(fields) < 5:
        raise InputError(f"{place}: {len(fields)} fields; an STM line is {STM}")
    start, end = seconds(fields[3], place, "onset"), seconds(fields[4], place, "offset")
    words = fields[6:] if fields[5:] and fields[5].startswith("<") else fields[5:]
    middles = [to_samples(start + (end - start) * (n + 0.5) / len(words)) for n in range(len(words))]
    return _speaker(fields[2], place, recording), middles


def _speaker(name: str, place: str, recording: Recording) -> str:
    """The speaker called `name`, or the only one on the channel of that name."""
    everyone = set().union(*recording.channels.values())
    alone = recording.channels.get(name, set())
    if name in everyone:
        return name
    if len(alone) == 1:
        return next(iter(alone))
    raise InputError(
        f"{place}: {name!r} is no speaker of the recording in the RTTM ({', '.join(sorted(everyone))}); "
        "name the speaker as there"
    )
