"""Outlines of channels, so that the page draws waveforms without decoding the sound."""

import base64

import numpy as np
from numpy.typing import NDArray

from pipeline.loader import KINDS, Conversation, Kind
from pipeline.viewer.records import Peaks
from pipeline.workspace import fingerprint, sha256_of

PER_SECOND = 100
"""Bytes a second and channel: a pixel each at the zoom that the page begins with, four at its greatest."""


def hop_of(rate: int) -> int:
    """Samples a byte stands for."""
    return max(1, round(rate / PER_SECOND))


def outline(samples: NDArray[np.float32], hop: int) -> NDArray[np.uint8]:
    """The greatest magnitude in each `hop` samples, the last ones maybe fewer.

    Parameters
    ----------
    samples
        Float32 [n] in [-1, 1].
    hop
        Samples each value stands for.

    Returns
    -------
    ndarray
        uint8 [ceil(n / hop)]; 255 is full scale, and what sounds at all is at least 1.

    """
    padded = np.zeros(-(-samples.size // hop) * hop, dtype=np.float32)
    padded[: samples.size] = np.abs(samples)
    greatest = padded.reshape(-1, hop).max(axis=1)
    coded: NDArray[np.uint8] = np.minimum(np.ceil(greatest * 255), 255).astype(np.uint8)
    return coded


def peaks(conversation: Conversation) -> Peaks:
    """The outlines of all channels; InputError where one cannot be read."""
    hop = hop_of(conversation.rate)
    clean, noisy = ({s.id: _coded(conversation, s.id, kind, hop) for s in conversation.speakers} for kind in KINDS)
    return Peaks(hop=hop, clean=clean, noisy=noisy)


def state_of(conversation: Conversation) -> str:
    """A sum over all channels: while it is the same, so are the outlines."""
    files = [conversation.path(speaker.id, kind) for kind in KINDS for speaker in conversation.speakers]
    sums = {path.relative_to(conversation.folder).as_posix(): sha256_of(path) for path in files}
    return fingerprint(files=sums, hop=hop_of(conversation.rate))


def _coded(conversation: Conversation, speaker: str, kind: Kind, hop: int) -> str:
    return base64.b64encode(outline(conversation.channel(speaker, kind), hop).tobytes()).decode("ascii")
