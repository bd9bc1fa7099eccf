"""The text files of MUSAN: licences by clip, which noises are backgrounds, which language is spoken."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

BACKGROUND_HEADING = "Background noises:"
SOUND_ID = re.compile(r"^noise-sound-bible-\d{4}$")


@dataclass(frozen=True)
class Licence:
    """What a licence file says of a clip."""

    licence: str
    title: str = ""
    attribution: str = ""
    url: str = ""


def parse_licences(text: str) -> dict[str, Licence]:
    r"""Licences of sound-bible clips by id, from blocks between lines of ``=``, in any order of fields.

    >>> text = "noise-sound-bible-0002\nApple Bite\nLicense: Attribution 3.0\nRecorded by A\nhttp://x/\n==="
    >>> parse_licences(text)["noise-sound-bible-0002"]
    Licence(licence='Attribution 3.0', title='Apple Bite', attribution='A', url='http://x/')
    """
    blocks = (
        [line.strip() for line in block.splitlines() if line.strip()]
        for block in re.split(r"^=+\s*$", text, flags=re.MULTILINE)
    )
    read = ((lines[0], _licence(lines[1:])) for lines in blocks if lines and SOUND_ID.match(lines[0]))
    return {ident: licence for ident, licence in read if licence.licence}


def _licence(lines: Sequence[str]) -> Licence:
    fields: dict[str, str] = {}
    for line in lines:
        match = re.match(r"(Title:|License:|Recorded by|About:|(?=https?://))\s*(.*)", line)
        # One block gives its title without saying so.
        key, value = (match[1], match[2]) if match else ("Title:", line)
        fields.setdefault(key, value)
    return Licence(
        fields.get("License:", ""), fields.get("Title:", ""), fields.get("Recorded by", ""), fields.get("", "")
    )


def parse_backgrounds(text: str) -> list[str]:
    r"""Ids below the line ``Background noises:``, in order, each once.

    >>> parse_backgrounds("Other:\nx\nBackground noises:\nnoise-free-sound-0002\nnoise-free-sound-0000\n")
    ['noise-free-sound-0000', 'noise-free-sound-0002']
    """
    _, _, listed = text.partition(BACKGROUND_HEADING)
    return sorted(set(re.findall(r"^\s*(noise-free-sound-\d+)\s*$", listed, flags=re.MULTILINE)))


def parse_languages(text: str) -> dict[str, str]:
    r"""Language of each librivox recording by id, from lines ``id sex language``.

    >>> parse_languages("speech-librivox-0000 m english\n")
    {'speech-librivox-0000': 'english'}
    """
    rows = (line.split() for line in text.splitlines())
    return {row[0]: row[-1].lower() for row in rows if len(row) >= 3}
