"""A telephone line: a narrow band at 8 kHz and a codec, causal, so that nothing is heard before it is said."""

import io
from functools import lru_cache

import numpy as np
import scipy.signal
import soundfile
from numpy.typing import NDArray

from pipeline.errors import ConfigError
from pipeline.records.room import Codec, Telephone
from pipeline.rooms.settings import TelephoneSettings
from pipeline.samples import RATE
from pipeline.sound.levels import amplitude

LINE_RATE = 8000
RIPPLE_DB, STOP_DB = 0.5, 45.0
"""Within the band, and beyond it."""
_FILES: dict[Codec, tuple[str, str]] = {
    "mu-law": ("WAV", "ULAW"),
    "a-law": ("WAV", "ALAW"),
    "gsm": ("WAV", "GSM610"),
    "opus": ("OGG", "OPUS"),
}
"""Container and encoding of each codec in libsndfile."""
Sections = NDArray[np.float64]


def telephone(settings: TelephoneSettings, active_speech_db: float, rate: int = RATE) -> Telephone:
    """The line that brings speech of this active level [dBFS] to the one asked for.

    Raises
    ------
    ConfigError
        when the corpus rate is no multiple of the line's.

    """
    if rate % LINE_RATE:
        raise ConfigError(
            f"room.telephone: a line of {LINE_RATE} Hz needs a corpus rate that it divides, not {rate} Hz"
        )
    return Telephone(
        low_hz=settings.low_hz,
        high_hz=settings.high_hz,
        codec=settings.codec,
        rate=LINE_RATE,
        gain=amplitude(settings.level_db - active_speech_db),
        delay=_delay(settings.low_hz, settings.high_hz, rate),
        library=f"libsndfile {soundfile.__libsndfile_version__}",
    )


def through_line(samples: NDArray[np.float32], line: Telephone, rate: int = RATE) -> NDArray[np.float32]:
    """`samples` [n] as the other end hears them [n]; what passes the codec's overload point is clipped."""
    step = rate // line.rate
    band = _band(line.low_hz, line.high_hz, rate)
    sent = scipy.signal.sosfilt(band, samples.astype(np.float64) * line.gain)[::step]
    raised = np.zeros(len(samples))
    raised[::step] = coded(np.clip(sent, -1.0, 1.0), line.codec) * step
    heard = scipy.signal.sosfilt(_smoothing(line.high_hz, rate), raised)
    return np.asarray(heard / line.gain, dtype=np.float32)


def coded(samples: NDArray[np.float64], codec: Codec) -> NDArray[np.float64]:
    """`samples` [n] at the line's rate, encoded and decoded [n]."""
    if codec == "none" or not len(samples):
        return samples
    file, (container, encoding) = io.BytesIO(), _FILES[codec]
    soundfile.write(file, samples, LINE_RATE, format=container, subtype=encoding)
    file.seek(0)
    decoded, _ = soundfile.read(file, dtype="float64")
    return np.asarray(np.pad(decoded[: len(samples)], (0, max(0, len(samples) - len(decoded)))))


@lru_cache
def _band(low_hz: float, high_hz: float, rate: int) -> Sections:
    """The band of the line, which also keeps what 8 kHz cannot carry from folding into it."""
    return np.asarray(scipy.signal.ellip(8, RIPPLE_DB, STOP_DB, [low_hz, high_hz], "bandpass", fs=rate, output="sos"))


@lru_cache
def _smoothing(high_hz: float, rate: int) -> Sections:
    """What keeps the images of the band at multiples of 8 kHz out."""
    return np.asarray(scipy.signal.ellip(8, RIPPLE_DB, STOP_DB, high_hz, fs=rate, output="sos"))


@lru_cache
def _delay(low_hz: float, high_hz: float, rate: int) -> int:
    """By how much what is heard is most like what was said, codec aside [samples].

    The line takes one sample of so many: its response is that to a click, on the mean of where the click may fall.
    """
    line = Telephone(low_hz=low_hz, high_hz=high_hz, codec="none", rate=LINE_RATE, gain=1.0, delay=0, library="")
    step, n = rate // LINE_RATE, rate // 10
    response = np.zeros(n - step)
    for place in range(step):
        click = np.zeros(n, np.float32)
        click[place] = 1.0
        response += through_line(click, line, rate)[place : place + len(response)]
    return int(np.argmax(response))
