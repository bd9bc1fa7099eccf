"""A MUSAN directory (openslr.org/17) as a bank: background noises, sound-bible effects, far speech."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.errors import InputError
from pipeline.records.nuisance import Clip, Kind
from pipeline.samples import RATE, to_samples
from pipeline.sound.bank import Sound
from pipeline.sound.catalogue import shipped
from pipeline.sound.distant import LABEL, busy_offset, distance
from pipeline.sound.effects import Effects
from pipeline.sound.musan.annotations import SOUND_ID
from pipeline.sound.musan.catalogue import known
from pipeline.sound.musan.recordings import converted, extent, looped, read, resampled, trimmed
from pipeline.sound.musan.scan import scan
from pipeline.sound.musan.verdicts import verdict_on
from pipeline.sound.synthesis import Rng, Samples, draw_seed, rng_of
from pipeline.sound.vad import vad_identity

READ_S = 60.0
"""How much of a long speech recording is searched for a snippet."""


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
        self._rate = rate
        self._about = known()
        self._found = scan(root, self._about)

    @property
    def rate(self) -> int:
        """Rate of all samples [Hz]."""
        return self._rate

    @property
    def beds(self) -> tuple[str, ...]:
        """Ids of the background noises there are, in order, those known to hold speech left out."""
        return self._found.beds

    @property
    def sounds(self) -> tuple[str, ...]:
        """Ids of the sound-bible clips that have a licence, in order."""
        return self._found.sounds

    @property
    def speech(self) -> tuple[str, ...]:
        """Ids of the speech recordings in the language wanted, in order."""
        return tuple(self._found.speech)

    def identity(self) -> str:
        """What the sounds depend on beside the generator: the directory's files, and who screened its beds."""
        return f"musan {self._found.identity} {vad_identity()}"

    def bed(self, scene: str, n: int, rng: Rng) -> Sound:
        """`n` samples of a background noise without speech, looped where it is shorter.

        Raises
        ------
        InputError
            when none of the directory can be used.

        """
        ident = self._first_usable(rng)
        samples, source_rate = read(self._found.noise[ident])
        start = int(rng.integers(len(samples)))
        clip = self._clip("bed", ident, scene, source_rate=source_rate, offset=start, length=n)
        return Sound(self._looped(samples, clip), clip)

    def effect(self, label: str, max_s: float, rng: Rng) -> Sound:
        """A clip that fits the label by its title; where the directory has none, any of sound-bible."""
        effects = shipped("effects.yaml", Effects).effects
        named = effects[label].musan if label in effects else ()
        fitting = [i for i in named if i in self._found.noise and (i in self._found.licences or not SOUND_ID.match(i))]
        for ident in _shuffled(fitting, rng) + _shuffled(self._found.sounds, rng):
            samples, source_rate = read(self._found.noise[ident])
            start, length = trimmed(samples, source_rate, max_s)
            n = converted(length, source_rate, self._rate)
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
        for ident in _shuffled(list(self._found.speech), rng):
            path = self._found.speech[ident]
            frames, source_rate = extent(path)
            window = to_samples(READ_S, source_rate)
            first = int(rng.integers(max(1, frames - window)))
            part, _ = read(path, first, window)
            found = busy_offset(part, converted(n, self._rate, source_rate), rng, rate=source_rate)
            if found is not None:
                clip = self._clip(
                    "distant", ident, LABEL, source_rate=source_rate, offset=first + found, length=n, seed=seed
                )
                return Sound(self.recall(clip), clip)
        raise InputError("the MUSAN directory has no usable speech: give all, or set noise.distant.probability=0")

    def recall(self, clip: Clip) -> Samples:
        """The sound of a clip again; InputError when the directory does not hold it."""
        paths = self._found.speech if clip.kind == "distant" else self._found.noise
        if clip.id not in paths or clip.source_rate is None:
            raise InputError(f"clip {clip.id!r} is not in the MUSAN directory: give the one the corpus was made with")
        if clip.kind == "bed":
            return self._looped(read(paths[clip.id])[0], clip)
        if clip.kind == "effect":
            return self._cut(read(paths[clip.id])[0], clip)
        length = converted(clip.length, self._rate, clip.source_rate)
        part, _ = read(paths[clip.id], clip.offset, length)
        near = resampled(part, clip.source_rate, self._rate, clip.length)
        return distance().apply(near, rng_of(clip.seed or 0), self._rate)

    def _looped(self, samples: Samples, clip: Clip) -> Samples:
        rate = clip.source_rate or self._rate
        n = converted(clip.length, self._rate, rate)
        loop = looped(samples - samples.mean(), clip.offset, n, to_samples(self._about.crossfade_s, rate))
        return resampled(loop, rate, self._rate, clip.length)

    def _cut(self, samples: Samples, clip: Clip) -> Samples:
        rate = clip.source_rate or self._rate
        part = samples[clip.offset : clip.offset + converted(clip.length, self._rate, rate)]
        return resampled(part, rate, self._rate, clip.length)

    def _first_usable(self, rng: Rng) -> str:
        beds = self._found.beds
        for ident in _shuffled(beds, rng):
            if verdict_on(self._found.noise[ident]).usable(self._about.shortest_bed_s):
                return ident
        raise InputError(
            f"none of {len(beds)} background noises is without speech and long enough: unpack all of musan.tar.gz"
        )

    def _clip(self, kind: Kind, ident: str, label: str, **place: Any) -> Clip:
        about = self._found.licence_of(ident)
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
