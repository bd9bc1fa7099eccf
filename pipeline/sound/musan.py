"""A MUSAN directory (openslr.org/17) as a bank: background noises, sound-bible effects, far speech."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import soundfile
import soxr

from pipeline.errors import InputError
from pipeline.records.nuisance import Clip, Kind
from pipeline.samples import RATE, to_samples
from pipeline.sound.bank import Sound
from pipeline.sound.catalogue import Recipe, shipped
from pipeline.sound.distant import LABEL, busy_offset, distance
from pipeline.sound.effects import Effects
from pipeline.sound.speechlike import speechlike
from pipeline.sound.synthesis import Rng, Samples, draw_seed, rng_of

NEEDED = ("noise/free-sound/ANNOTATIONS", "noise/sound-bible/LICENSE", "speech")
PUBLIC = "Public Domain"
"""Of all but sound-bible, by the licence files of the other parts."""
BACKGROUND_HEADING = "Background noises:"
SOUND_ID = re.compile(r"^noise-sound-bible-\d{4}$")
READ_S = 60.0
"""How much of a long speech recording is searched for a snippet."""
TRIM_FRAME_S, TRIM_DB = 0.01, 40.0


class MusanCatalogue(Recipe):
    """The catalogue `noise/musan.yaml`."""

    schema_version: Literal[1]
    language: str
    """Of the distant speech taken from librivox."""
    not_beds: tuple[str, ...]
    """Background noises in which people are heard to talk."""
    shortest_bed_s: float
    crossfade_s: float


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


def looped(samples: Samples, start: int, n: int, crossfade: int) -> Samples:
    """`n` samples of an endless loop of `samples`, from its sample `start` on.

    The loop's end is cross-faded into its beginning at equal power, so that the seam neither clicks nor
    dips; its period is shorter than the recording by the crossfade.
    """
    crossfade = min(crossfade, len(samples) // 2)
    period = len(samples) - crossfade
    loop = samples[:period].copy()
    angle = 0.5 * np.pi * (np.arange(crossfade) + 0.5) / max(1, crossfade)
    loop[:crossfade] = loop[:crossfade] * np.sin(angle) + samples[period:] * np.cos(angle)
    return np.asarray(np.take(loop, np.arange(start, start + n), mode="wrap"))


def trimmed(samples: Samples, rate: int, max_s: float) -> tuple[int, int]:
    """First sample and length of what is heard: frames within 40 dB of the loudest, at most `max_s`."""
    frame = to_samples(TRIM_FRAME_S, rate)
    if len(samples) < frame:
        return 0, len(samples)
    powers = np.mean(samples[: len(samples) // frame * frame].reshape(-1, frame) ** 2, axis=1)
    heard = np.flatnonzero(powers > powers.max() * 10.0 ** (-TRIM_DB / 10.0))
    if not len(heard):
        return 0, 0
    start = int(heard[0]) * frame
    return start, min((int(heard[-1]) + 1) * frame - start, to_samples(max_s, rate))


class MusanBank:
    """Sounds of a MUSAN directory, or of a part of one in the same layout.

    Listings are sorted and randomness comes from the caller, so that the same directory gives the same
    sounds. Clips at 16 kHz are brought to the bank's rate; above 8 kHz they hold nothing.

    Parameters
    ----------
    root
        The folder that holds `noise` and `speech`.
    rate
        Rate of all samples given [Hz].

    Raises
    ------
    InputError
        when `root` is not such a folder, or holds no background noise or no licensed effect.

    """

    def __init__(self, root: Path, rate: int = RATE) -> None:
        for part in NEEDED:
            if not (root / part).exists():
                raise InputError(
                    f"{root} is not a MUSAN directory, {part} is missing: unpack musan.tar.gz of openslr.org/17 "
                    "and give the folder that holds noise and speech"
                )
        self._rate = rate
        self._about = shipped("musan.yaml", MusanCatalogue)
        self._paths = {path.stem: path for path in sorted(root.glob("noise/*/*.wav"))}
        self._licences = parse_licences(_text(root / "noise/sound-bible/LICENSE"))
        free = Licence(PUBLIC, attribution=_one_line(root / "noise/free-sound/LICENSE"))
        self._unlisted = (free, Licence(PUBLIC))
        listed = parse_backgrounds(_text(root / "noise/free-sound/ANNOTATIONS"))
        self._beds = [i for i in listed if i in self._paths and i not in self._about.not_beds]
        self._sounds = [i for i in sorted(self._licences) if i in self._paths]
        self._speech = self._spoken(root)
        self._usable: dict[str, bool] = {}
        for what, found in (("background noise", self._beds), ("licensed sound-bible clip", self._sounds)):
            if not found:
                raise InputError(f"{root} holds no {what}: unpack all of musan.tar.gz of openslr.org/17")

    @property
    def rate(self) -> int:
        """Rate of all samples [Hz]."""
        return self._rate

    @property
    def beds(self) -> tuple[str, ...]:
        """Ids of the background noises there are, in order, those known to hold speech left out."""
        return tuple(self._beds)

    @property
    def sounds(self) -> tuple[str, ...]:
        """Ids of the sound-bible clips that have a licence, in order."""
        return tuple(self._sounds)

    @property
    def speech(self) -> tuple[str, ...]:
        """Ids of the speech recordings in the language wanted, in order."""
        return tuple(self._speech)

    def bed(self, scene: str, n: int, rng: Rng) -> Sound:
        """`n` samples of a background noise without speech, looped where it is shorter.

        Raises
        ------
        InputError
            when none of the directory can be used.

        """
        ident = self._first_usable(rng)
        samples, source_rate = _read(self._paths[ident])
        start = int(rng.integers(len(samples)))
        clip = self._clip("bed", ident, scene, source_rate=source_rate, offset=start, length=n)
        return Sound(self._looped(samples, clip), clip)

    def effect(self, label: str, max_s: float, rng: Rng) -> Sound:
        """A clip that fits the label by its title; where the directory has none, any of sound-bible."""
        effects = shipped("effects.yaml", Effects).effects
        named = effects[label].musan if label in effects else ()
        fitting = [i for i in named if i in self._paths and (i in self._licences or not SOUND_ID.match(i))]
        for ident in _shuffled(fitting, rng) + _shuffled(self._sounds, rng):
            samples, source_rate = _read(self._paths[ident])
            start, length = trimmed(samples, source_rate, max_s)
            n = _converted(length, source_rate, self._rate)
            if n and np.any(samples):
                clip = self._clip("effect", ident, label, source_rate=source_rate, offset=start, length=n)
                return Sound(self._cut(samples, clip), clip)
        raise InputError("all effects of the MUSAN directory are silent: unpack musan.tar.gz again")

    def distant(self, seconds: float, rng: Rng) -> Sound:
        """A snippet of a speech recording, from a place where someone speaks, as heard from afar.

        Raises
        ------
        InputError
            when no recording has such a place.

        """
        seed, n = draw_seed(rng), to_samples(seconds, self._rate)
        for ident in _shuffled(list(self._speech), rng):
            path = self._speech[ident]
            frames, source_rate = _extent(path)
            window = to_samples(READ_S, source_rate)
            first = int(rng.integers(max(1, frames - window)))
            part, _ = _read(path, first, window)
            found = busy_offset(part, _converted(n, self._rate, source_rate), rng, rate=source_rate)
            if found is not None:
                clip = self._clip(
                    "distant", ident, LABEL, source_rate=source_rate, offset=first + found, length=n, seed=seed
                )
                return Sound(self.recall(clip), clip)
        raise InputError("the MUSAN directory has no usable speech: give all, or set noise.distant.probability=0")

    def recall(self, clip: Clip) -> Samples:
        """The sound of a clip again; InputError when the directory does not hold it."""
        paths = self._speech if clip.kind == "distant" else self._paths
        if clip.id not in paths or clip.source_rate is None:
            raise InputError(f"clip {clip.id!r} is not in the MUSAN directory: give the one the corpus was made with")
        if clip.kind == "bed":
            return self._looped(_read(paths[clip.id])[0], clip)
        if clip.kind == "effect":
            return self._cut(_read(paths[clip.id])[0], clip)
        length = _converted(clip.length, self._rate, clip.source_rate)
        part, _ = _read(paths[clip.id], clip.offset, length)
        near = _resampled(part, clip.source_rate, self._rate, clip.length)
        return distance().apply(near, rng_of(clip.seed or 0), self._rate)

    def _looped(self, samples: Samples, clip: Clip) -> Samples:
        rate = clip.source_rate or self._rate
        n = _converted(clip.length, self._rate, rate)
        loop = looped(samples - samples.mean(), clip.offset, n, to_samples(self._about.crossfade_s, rate))
        return _resampled(loop, rate, self._rate, clip.length)

    def _cut(self, samples: Samples, clip: Clip) -> Samples:
        rate = clip.source_rate or self._rate
        part = samples[clip.offset : clip.offset + _converted(clip.length, self._rate, rate)]
        return _resampled(part, rate, self._rate, clip.length)

    def _first_usable(self, rng: Rng) -> str:
        for ident in _shuffled(self._beds, rng):
            if ident not in self._usable:
                self._usable[ident] = self._is_bed(*_read(self._paths[ident]))
            if self._usable[ident]:
                return ident
        raise InputError(
            f"none of {len(self._beds)} background noises is without speech and long enough: unpack all of musan.tar.gz"
        )

    def _is_bed(self, samples: Samples, rate: int) -> bool:
        long_enough = len(samples) >= to_samples(self._about.shortest_bed_s, rate)
        return long_enough and bool(np.any(samples)) and not speechlike(samples, rate)

    def _spoken(self, root: Path) -> dict[str, Path]:
        """Speech recordings by id, those of librivox in the language wanted alone."""
        annotated = root / "speech/librivox/ANNOTATIONS"
        languages = parse_languages(_text(annotated)) if annotated.exists() else {}
        wanted = self._about.language
        paths = sorted(root.glob("speech/*/*.wav"))
        return {path.stem: path for path in paths if languages.get(path.stem, wanted) == wanted}

    def _clip(self, kind: Kind, ident: str, label: str, **place: Any) -> Clip:
        about = self._licences.get(ident) or self._unlisted[kind == "distant"]
        return Clip(
            bank="musan",
            kind=kind,
            id=ident,
            label=label,
            title=about.title,
            licence=about.licence,
            attribution=about.attribution,
            url=about.url,
            **place,
        )


def _shuffled(idents: Sequence[str], rng: Rng) -> list[str]:
    return [idents[i] for i in rng.permutation(len(idents))]


def _converted(n: int, rate: int, to_rate: int) -> int:
    """Samples at another rate that cover `n`."""
    return math.ceil(n * to_rate / rate)


def _resampled(samples: Samples, rate: int, to_rate: int, n: int) -> Samples:
    """`samples` at another rate, brought to `n` by cutting or by silence at the end."""
    out = np.asarray(soxr.resample(samples, rate, to_rate)) if rate != to_rate else samples
    return np.pad(out[:n], (0, max(0, n - len(out))))


def _extent(path: Path) -> tuple[int, int]:
    """Number of samples of a recording, and its rate [Hz]."""
    try:
        about = soundfile.info(str(path))
    except (soundfile.SoundFileError, OSError) as error:
        raise InputError(f"{path}: cannot be read as sound ({error}): unpack musan.tar.gz again") from None
    return int(about.frames), int(about.samplerate)


def _read(path: Path, start: int = 0, n: int = -1) -> tuple[Samples, int]:
    """Samples of a recording, channels averaged, and its rate [Hz]."""
    try:
        samples, rate = soundfile.read(str(path), frames=n, start=start, dtype="float64", always_2d=True)
    except (soundfile.SoundFileError, OSError) as error:
        raise InputError(f"{path}: cannot be read as sound ({error}): unpack musan.tar.gz again") from None
    return samples.mean(axis=1), int(rate)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error}): unpack musan.tar.gz again") from None


def _one_line(path: Path) -> str:
    return " ".join(_text(path).split()) if path.exists() else ""
