"""Sound effects of the paper's ten labels, at most a few seconds each: made by recipe, or pieces of recordings."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from pipeline.errors import InputError
from pipeline.samples import RATE, to_samples
from pipeline.sound.catalogue import Recipe, shipped
from pipeline.sound.clips import Recording
from pipeline.sound.laughter import Laughter
from pipeline.sound.strikes import Chairs, Dishes, Keyboard, Knock, Paper
from pipeline.sound.synthesis import Range, Rng, Samples, drawn, fade_curve, filtered, room
from pipeline.sound.tones import AlarmBeep, Chime, PhoneRing, SchoolBell

LOWEST_HZ = 50.0
END_FADE_S = 0.1
AnyRecipe = Annotated[
    Keyboard | Chime | Dishes | Laughter | PhoneRing | Knock | Chairs | SchoolBell | AlarmBeep | Paper | Recording,
    Field(discriminator="recipe"),
]


class Room(Recipe):
    """The room that an effect sounds in."""

    rt60_s: Range
    direct_db: Range
    """Energy of the direct sound over the room's."""


class Effect(Recipe):
    """How the sound of a label is made, and which recordings of MUSAN fit it."""

    sound: AnyRecipe | tuple[AnyRecipe, ...]
    """One recipe, or several of which one is drawn each time."""
    room: Room
    musan: tuple[str, ...] = ()
    """Ids of fitting clips of the noise part, by their titles."""

    def drawn_recipe(self, rng: Rng) -> AnyRecipe:
        """How it is made this time: the first draw of :meth:`render` from the same generator."""
        return self.sound[int(rng.integers(len(self.sound)))] if isinstance(self.sound, tuple) else self.sound

    def render(self, rng: Rng, max_s: float, rate: int = RATE) -> Samples:
        """The effect, no longer than `max_s` with its reverberation, with a peak of 1."""
        dry = self.drawn_recipe(rng).render(rng, rate)
        rt60 = drawn(rng, self.room.rt60_s)
        wet = room(dry, rt60, drawn(rng, self.room.direct_db), rate, rng, tail_s=0.6 * rt60)
        out = filtered(wet, LOWEST_HZ, rate / 2.0, rate)[: to_samples(max_s, rate)]
        fade = min(len(out), to_samples(END_FADE_S, rate))
        out[-fade:] *= fade_curve(fade)[::-1]
        return np.asarray(out / max(out.max(), -out.min()))


class Effects(Recipe):
    """The catalogue `noise/effects.yaml`."""

    schema_version: Literal[1]
    effects: dict[str, Effect]


def effect_labels() -> tuple[str, ...]:
    """Labels of the shipped catalogue, in its order."""
    return tuple(shipped("effects.yaml", Effects).effects)


def effect_named(label: str) -> Effect:
    """The recipe of a label of the shipped catalogue; InputError, naming those there are, for another."""
    effects = shipped("effects.yaml", Effects).effects
    if label not in effects:
        raise InputError(f"no effect {label!r} in noise/effects.yaml: use one of {', '.join(sorted(effects))}")
    return effects[label]
