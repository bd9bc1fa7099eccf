"""What a MUSAN directory holds: sorted listings, with licence and annotation of each clip."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pipeline.errors import InputError
from pipeline.sound.musan.annotations import Licence, parse_backgrounds, parse_languages, parse_licences
from pipeline.sound.musan.catalogue import MusanCatalogue

OWN_LICENCES = "noise/sound-bible"
"""The part where each clip has a licence of its own; one without is never used."""
SOURCE = "https://www.openslr.org/17/"
NEEDED = ("noise/free-sound/ANNOTATIONS", "noise/sound-bible/LICENSE", "speech")
REMEDY = "make musan fetches it; or give the folder that holds noise and speech with noise.musan="
PUBLIC = "Public Domain"
"""Of all clips of the other parts, by their licence files."""


@dataclass(frozen=True)
class MusanDirectory:
    """A MUSAN directory, or a part of one in the same layout. Listings are sorted."""

    root: Path
    noise: dict[str, Path]
    """All clips of the noise part by id."""
    speech: dict[str, Path]
    """Speech recordings by id, those of librivox in the language wanted alone."""
    licences: dict[str, Licence]
    """Of the clips of sound-bible that have one."""
    beds: tuple[str, ...]
    """Background noises that are there, those known to hold speech left out."""
    sounds: tuple[str, ...]
    """Clips of sound-bible that are there and have a licence."""

    def licence_of(self, ident: str) -> Licence:
        """Licence of a clip or recording; by the part it is in, where it has none of its own."""
        return self.licences.get(ident) or self._parts[self.speech.get(ident, self.noise.get(ident, self.root)).parent]

    @cached_property
    def _parts(self) -> dict[Path, Licence]:
        folders = {path.parent for path in (*self.noise.values(), *self.speech.values())} - {self.root / OWN_LICENCES}
        return {folder: Licence(PUBLIC, attribution=_one_line(folder / "LICENSE"), url=SOURCE) for folder in folders}

    @cached_property
    def identity(self) -> str:
        """Sum over names and sizes of all that may be used: another directory may give other sounds."""
        paths = sorted([*self.noise.values(), *self.speech.values()])
        listed = "\n".join(f"{path.relative_to(self.root).as_posix()} {path.stat().st_size}" for path in paths)
        return hashlib.sha256(listed.encode()).hexdigest()


def scan(root: Path, about: MusanCatalogue) -> MusanDirectory:
    """Read the directory `root`.

    Raises
    ------
    InputError
        when `root` is not a MUSAN directory, or holds no background noise or no licensed effect.

    """
    for part in NEEDED:
        if not (root / part).exists():
            raise InputError(f"{root} is not a MUSAN directory, {part} is missing: {REMEDY}")
    noise = {path.stem: path for path in sorted(root.glob("noise/*/*.wav"))}
    licences = parse_licences(_text(root / "noise/sound-bible/LICENSE"))
    listed = parse_backgrounds(_text(root / "noise/free-sound/ANNOTATIONS"))
    found = MusanDirectory(
        root=root,
        noise=noise,
        speech=_spoken(root, about.language),
        licences=licences,
        beds=tuple(i for i in listed if i in noise and i not in about.not_beds),
        sounds=tuple(i for i in sorted(licences) if i in noise),
    )
    for what, idents in (("background noise", found.beds), ("licensed sound-bible clip", found.sounds)):
        if not idents:
            raise InputError(f"{root} holds no {what}: {REMEDY}")
    return found


def _spoken(root: Path, wanted: str) -> dict[str, Path]:
    annotated = root / "speech/librivox/ANNOTATIONS"
    languages = parse_languages(_text(annotated)) if annotated.exists() else {}
    paths = sorted(root.glob("speech/*/*.wav"))
    return {path.stem: path for path in paths if languages.get(path.stem, wanted) == wanted}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error}): {REMEDY}") from None


def _one_line(path: Path) -> str:
    return " ".join(_text(path).split()) if path.exists() else ""
