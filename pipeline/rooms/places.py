"""Where everybody sits and where the microphones stand, drawn for a conversation."""

import math

import numpy as np

from pipeline.errors import ConfigError
from pipeline.records.room import Geometry, Point
from pipeline.rooms.settings import WALL_M, AcousticsSettings
from pipeline.rooms.simulation import LEAD, absorbing, whole_samples
from pipeline.samples import RATE
from pipeline.sound.synthesis import Rng, drawn

MOUTH_M = (1.1, 1.3)
"""Height of a seated mouth."""
TABLE_M = 0.75
STAND_M = (1.0, 2.0)
"""Height of a distant microphone."""
TURN = 0.15
"""By how much a seat may be off its even place round the table [rad]."""
TRIES = 1000


def arranged(settings: AcousticsSettings, speakers: int, rng: Rng, rate: int = RATE) -> tuple[Geometry, float]:
    """A room for so many speakers, and the reverberation time asked of it [s].

    Raises
    ------
    ConfigError
        when the room is too small for the seats, or for a microphone that far off.

    """
    size = _point(*(drawn(rng, span) for span in settings.size_m))
    rt60_s = drawn(rng, settings.rt60_s)
    middle = np.array(size[:2]) / 2.0
    mouths = _seats(settings, speakers, size, middle, rng)
    microphones = _microphones(settings, mouths, size, middle, rng, rate)
    far = max(microphones, key=lambda place: math.dist(place, mouths[0]))
    absorption, order = absorbing(size, mouths[0], far, rt60_s)
    lead = 0 if settings.microphones == "own" else LEAD
    place = Geometry(size_m=size, absorption=absorption, order=order, mouths=mouths, microphones=microphones, lead=lead)
    return place, rt60_s


def _seats(settings: AcousticsSettings, speakers: int, size: Point, middle: np.ndarray, rng: Rng) -> tuple[Point, ...]:
    radius = settings.seat_radius(speakers, drawn(rng, settings.seat_m))
    if radius + WALL_M > min(middle):
        raise ConfigError(
            f"room.acoustics.size_m: {size[0]:.1f} x {size[1]:.1f} m has no room for {speakers} speakers at "
            f"{radius:.2f} m from mid-table; make it larger or seat_m smaller"
        )
    first = rng.uniform(0.0, 2.0 * math.pi)
    angles = first + 2.0 * math.pi * np.arange(speakers) / speakers + rng.uniform(-TURN, TURN, speakers)
    return tuple(
        _point(middle[0] + radius * math.cos(a), middle[1] + radius * math.sin(a), drawn(rng, MOUTH_M)) for a in angles
    )


def _microphones(
    settings: AcousticsSettings, mouths: tuple[Point, ...], size: Point, middle: np.ndarray, rng: Rng, rate: int
) -> tuple[Point, ...]:
    if settings.microphones == "array":
        angles = 2.0 * math.pi * np.arange(len(mouths)) / len(mouths)
        at = middle[:, None] + settings.array_radius_m * np.stack([np.cos(angles), np.sin(angles)])
        return tuple(_point(x, y, TABLE_M) for x, y in at.T)
    if settings.microphones == "own":
        table = (middle[0], middle[1], TABLE_M)
        return tuple(_towards(mouth, table, whole_samples(drawn(rng, settings.distance_m), rate)) for mouth in mouths)
    return tuple(_far_off(mouth, settings, size, rng) for mouth in mouths)


def _towards(place: Point, goal: Point, metres: float) -> Point:
    way = np.subtract(goal, place)
    return _point(*(np.array(place) + metres * way / np.linalg.norm(way)))


def _far_off(mouth: Point, settings: AcousticsSettings, size: Point, rng: Rng) -> Point:
    """A place in the room at the distance asked for, in any direction."""
    for _ in range(TRIES):
        metres, height, angle = drawn(rng, settings.distance_m), drawn(rng, STAND_M), rng.uniform(0.0, 2.0 * math.pi)
        along = math.sqrt(max(0.0, metres**2 - (height - mouth[2]) ** 2))
        place = _point(mouth[0] + along * math.cos(angle), mouth[1] + along * math.sin(angle), height)
        if all(WALL_M <= x <= side - WALL_M for x, side in zip(place[:2], size[:2], strict=True)):
            return place
    raise ConfigError(
        f"room.acoustics.distance_m: no place {settings.distance_m[0]} to {settings.distance_m[1]} m from a speaker in "
        f"{size[0]:.1f} x {size[1]:.1f} m; make size_m larger or the distance smaller"
    )


def _point(*metres: float) -> Point:
    x, y, z = (float(m) for m in metres)
    return x, y, z
