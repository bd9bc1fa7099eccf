"""Responses of a room by the image-source method of `pyroomacoustics`, the same bits on any number of threads.

The library is imported where it is used: most corpora have no room.
"""

import importlib.metadata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import scipy.signal
from numpy.typing import NDArray

from pipeline.models.place import cache_dir
from pipeline.records.room import Geometry, Point
from pipeline.rooms.decay import decay_time
from pipeline.samples import RATE
from pipeline.speech.cache import ArrayCache, key_of

VERSION = 1
"""Of what is made of the library's responses; part of the key in the cache."""
SPEED = 343.0
"""Of sound [m/s]: the library's, at 20 °C."""
LEAD = 40
"""Half of the library's fractional-delay filter [samples]: so much comes before each arrival."""
RUMBLE_HZ = 20.0
"""Image sources in a rigid room add up to a rumble below this, which no real room has."""
BIN_S = 0.001

Responses = NDArray[np.float64]


def simulator() -> str:
    """Name and version of the library."""
    return f"pyroomacoustics {importlib.metadata.version('pyroomacoustics')}"


def whole_samples(metres: float, rate: int = RATE) -> float:
    """The distance nearest to `metres` that sound takes a whole number of samples for.

    >>> round(whole_samples(0.5) / SPEED * RATE, 9)
    35.0
    """
    return round(metres / SPEED * rate) * SPEED / rate


def travel(mouth: Point, microphone: Point, rate: int = RATE) -> float:
    """How long direct sound takes [samples, fractional]."""
    return float(np.linalg.norm(np.subtract(mouth, microphone))) / SPEED * rate


def removed(geometry: Geometry, rate: int = RATE) -> tuple[int, ...]:
    """Samples by which each voice is advanced: whole samples of its shortest travel, less the lead."""
    shortest = [min(travel(mouth, m, rate) for m in geometry.microphones) for mouth in geometry.mouths]
    return tuple(int(np.floor(samples + 1e-6)) - geometry.lead for samples in shortest)


def absorbing(size_m: Point, mouth: Point, microphone: Point, rt60_s: float) -> tuple[float, int]:
    """Absorption with which the room has this reverberation time between two places, and the order it takes.

    Sabine's formula is off by half in such rooms; so the decay is taken from the image sources themselves, whose
    energies are known for any absorption once their places are.
    """
    cache = ArrayCache(cache_dir() / "rooms")
    key = key_of("absorption", VERSION, simulator(), repr((size_m, mouth, microphone, rt60_s)))
    found = cache.get(key)
    if found:
        return float(found["absorption"]), int(found["order"])
    absorption, order = _absorbing(size_m, mouth, microphone, rt60_s)
    cache.put(key, {"absorption": np.array(absorption), "order": np.array(order)})
    return absorption, order


def _absorbing(size_m: Point, mouth: Point, microphone: Point, rt60_s: float) -> tuple[float, int]:
    import pyroomacoustics as pra

    guess, order = pra.inverse_sabine(rt60_s, size_m)
    room = _room(size_m, guess, order, [mouth], [microphone])
    room.image_source_model()
    distance = np.linalg.norm(room.sources[0].images - np.array(microphone)[:, None], axis=0)
    bins, orders = (distance / SPEED / BIN_S).astype(np.int64), room.sources[0].orders
    low, high = 0.005, 0.995
    for _ in range(20):
        middle = (low + high) / 2.0
        energies = np.bincount(bins, (1.0 - middle) ** orders / distance**2).astype(np.float64)
        long = decay_time(energies, 1.0 / BIN_S) > rt60_s
        low, high = (middle, high) if long else (low, middle)
    return round((low + high) / 2.0, 5), int(order)


def responses(geometry: Geometry, rate: int = RATE) -> Responses:
    """From each mouth to each microphone [mouths, microphones, n], voices advanced as :func:`removed` says.

    Causal: nothing sounds before what makes it. Found again in memory and in the cache by the geometry.
    """
    return _responses(geometry.to_json(), rate, cache_dir())


@lru_cache(maxsize=32)
def _responses(geometry: str, rate: int, folder: Path) -> Responses:
    cache = ArrayCache(folder / "rooms")
    key = key_of("room", VERSION, simulator(), rate, geometry)
    found = cache.get(key)
    made = cast(Responses, found["responses"]) if found else _simulated(Geometry.from_json(geometry), rate)
    if not found:
        cache.put(key, {"responses": made})
    made.setflags(write=False)
    return made


def _simulated(geometry: Geometry, rate: int) -> Responses:
    room = _room(geometry.size_m, geometry.absorption, geometry.order, geometry.mouths, geometry.microphones, rate)
    with _settled():
        room.compute_rir()
    # The library delays everything by half its filter; the rest is the travel that is taken off.
    starts = [samples + LEAD for samples in removed(geometry, rate)]
    cut = [[room.rir[m][s][starts[s] :] for m in range(len(geometry.microphones))] for s in range(len(starts))]
    out = np.zeros((len(starts), len(geometry.microphones), max(len(one) for row in cut for one in row)))
    for s, row in enumerate(cut):
        for m, one in enumerate(row):
            out[s, m, : len(one)] = one
    rumble = scipy.signal.butter(2, RUMBLE_HZ, "highpass", fs=rate, output="sos")
    return np.asarray(scipy.signal.sosfilt(rumble, out, axis=-1))


def _room(
    size_m: Point,
    absorption: float,
    order: int,
    mouths: tuple[Point, ...] | list[Point],
    microphones: tuple[Point, ...] | list[Point],
    rate: int = RATE,
) -> Any:
    import pyroomacoustics as pra

    room = pra.ShoeBox(size_m, fs=rate, materials=pra.Material(absorption), max_order=order)
    for mouth in mouths:
        room.add_source(mouth)
    room.add_microphone_array(np.array(microphones).T)
    return room


@contextmanager
def _settled() -> Iterator[None]:
    """The library's constants as they must be here, put back after.

    One thread: with more the sums come in another order, and the last bits with it. No high-pass of its own: it runs
    backwards too, and what it puts before the direct sound would be cut off.
    """
    from pyroomacoustics.parameters import constants

    wanted = {"num_threads": 1, "rir_hpf_enable": False, "frac_delay_length": 2 * LEAD + 1, "c": SPEED}
    before = {name: constants.get(name) for name in wanted}
    for name, value in wanted.items():
        constants.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            constants.set(name, value)
