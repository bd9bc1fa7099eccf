"""From the bytes of an answer to sound at 24 kHz, or one line that says why there is none."""

import io

import numpy as np
import soundfile
import soxr

from pipeline.llm.faults import scrubbed
from pipeline.samples import RATE, to_samples
from pipeline.speech.backend import Floats
from pipeline.speech.bounds import measure_bounds
from pipeline.speech.endpoint.client import Answer
from pipeline.speech.endpoint.faults import no_sound
from pipeline.speech.endpoint.settings import EndpointSettings

EDGE_S = 0.25
"""Silence kept, or made, before the onset and after the offset."""
_TEXTUAL = ("text/", "application/json", "application/xml")
_RATES = (8_000, 192_000)


def sound_of(answer: Answer, text: str, settings: EndpointSettings) -> Floats:
    """Mono sound at 24 kHz, shape (n,), with 0.25 s before its first and after its last audible sample.

    Other rates are resampled by soxr, several channels are averaged.

    Raises
    ------
    EndpointError
        when it is empty, silent, or no sound at all.

    """
    samples, rate = _decoded(answer, settings)
    if samples.ndim > 1:
        samples = samples.mean(axis=1, dtype=np.float32)
    if not samples.size:
        raise no_sound(f"an empty sound for {text[:60]!r}", settings, "ask again, or see the server's log")
    if not np.isfinite(samples).all():
        raise no_sound("samples that are no numbers", settings, "choose another tts.endpoint.format")
    if rate != RATE:
        if not _RATES[0] <= rate <= _RATES[1]:
            raise no_sound(f"a sound of {rate} samples a second", settings, "choose another tts.endpoint.format")
        samples = np.asarray(soxr.resample(samples, rate, RATE, quality="VHQ"), np.float32)
    speech = measure_bounds(samples)
    if not speech.length:
        raise no_sound(
            f"nothing but silence for {text[:60]!r}", settings, "see whether the voice can say this, or rephrase it"
        )
    edge = to_samples(EDGE_S, RATE)
    padded = np.pad(samples, edge)
    return np.asarray(padded[speech.start : speech.end + 2 * edge], np.float32)


def _decoded(answer: Answer, settings: EndpointSettings) -> tuple[Floats, int]:
    """Samples, shape (n,) or (n, channels), and their rate."""
    if not answer.body:
        raise no_sound("an empty reply", settings, "see the server's log")
    if answer.content_type.startswith(_TEXTUAL):
        raise no_sound(f"{answer.content_type.partition(';')[0]} (found {_shown(answer.body)})", settings)
    if settings.format == "pcm":
        if len(answer.body) % 2:
            raise no_sound(
                f"{len(answer.body)} bytes, which are no 16 bit samples", settings, "choose another tts.endpoint.format"
            )
        return np.asarray(np.frombuffer(answer.body, "<i2") / 2**15, np.float32), settings.pcm_rate
    try:
        samples, rate = soundfile.read(io.BytesIO(answer.body), dtype="float32")
    except (soundfile.SoundFileError, RuntimeError, ValueError):
        raise no_sound(f"what is not {settings.format} (found {_shown(answer.body)})", settings) from None
    return np.asarray(samples, np.float32), int(rate)


def _shown(body: bytes) -> str:
    """The beginning of an answer on one line."""
    return repr(scrubbed(body[:200].decode("utf-8", "replace"), "", 60))
