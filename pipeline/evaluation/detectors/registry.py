"""The detectors by name."""

from collections.abc import Callable, Iterable

from pipeline.errors import ConfigError
from pipeline.evaluation.detectors.base import Detector
from pipeline.evaluation.detectors.rms import Rms
from pipeline.evaluation.detectors.silero import Silero
from pipeline.evaluation.detectors.smart_turn import SmartTurn
from pipeline.evaluation.detectors.webrtc import WebRtc

DETECTORS: dict[str, Callable[[], Detector]] = {
    "rms": Rms,
    "webrtc": WebRtc,
    "silero": Silero,
    "smart_turn": SmartTurn,
}


def detector(name: str) -> Detector:
    """A new detector of that name; ConfigError when there is none."""
    known([name])
    return DETECTORS[name]()


def known(names: Iterable[str]) -> None:
    """ConfigError where there is no detector of one of `names`."""
    for name in names:
        if name not in DETECTORS:
            raise ConfigError(f"detector {name!r}: there is {', '.join(DETECTORS)}; others enter with --predictions")
