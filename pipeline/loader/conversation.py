"""One finished conversation as data: its records, and any stretch of any channel, read when asked for."""

from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from pipeline.errors import InputError
from pipeline.output.flac import read_flac
from pipeline.output.manifest import read_meta
from pipeline.records import ConversationSpec, Event, Gold, Speaker, Timeline
from pipeline.records.base import first_fault
from pipeline.samples import to_samples, to_seconds

Kind = Literal["clean", "noisy"]
KINDS: tuple[Kind, ...] = ("clean", "noisy")
Sound = NDArray[np.float32]


class Conversation:
    """One finished conversation; each part is read from its file when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __repr__(self) -> str:
        return f"Conversation({str(self.folder)!r})"

    @property
    def id(self) -> str:
        """The id, which is the folder's name."""
        return self.folder.name

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What `meta.json` holds: specification, seeds, versions, levels, noise, realised figures."""
        return read_meta(self.folder)

    @cached_property
    def spec(self) -> ConversationSpec:
        """What the conversation was to be: type, split, speakers, topic, scene."""
        try:
            return ConversationSpec.model_validate(self.meta.get("spec"))
        except ValidationError as error:
            raise InputError(f"{self.folder / 'meta.json'}: not a valid spec: {first_fault(error)}") from None

    @cached_property
    def timeline(self) -> Timeline:
        """Utterances with words, segments, turns, events, and who holds the floor when."""
        return Timeline.read(self.folder / "timeline.json")

    @cached_property
    def gold(self) -> Gold:
        """End-of-turn and interruption gold."""
        return Gold.read(self.folder / "gold.json")

    @property
    def events(self) -> tuple[Event, ...]:
        """The event log, in order of time [samples]."""
        return self.timeline.events

    @property
    def speakers(self) -> tuple[Speaker, ...]:
        """The participants, in the order of :meth:`channels`."""
        return self.timeline.speakers

    @property
    def rate(self) -> int:
        """Sample rate [Hz]."""
        return self.timeline.rate

    @property
    def n_samples(self) -> int:
        """Length of every channel [samples]."""
        return self.timeline.n_samples

    @property
    def duration_s(self) -> float:
        """Length of every channel [s]."""
        return to_seconds(self.n_samples, self.rate)

    def path(self, speaker: str, kind: Kind = "noisy") -> Path:
        """The FLAC file of a speaker's channel; InputError for a speaker or kind that there is not."""
        if kind not in KINDS:
            raise InputError(f"{self.id}: channels are clean or noisy, not {kind!r}")
        known = [one.id for one in self.speakers]
        if speaker not in known:
            raise InputError(f"{self.id}: no speaker {speaker!r}; there are {', '.join(known)}")
        return self.folder / kind / f"{speaker}.flac"

    @property
    def mix_path(self) -> Path:
        """The FLAC file of the mono mix: all speech over one copy of the noise."""
        return self.folder / "mix.flac"

    def channel(
        self,
        speaker: str,
        kind: Kind = "noisy",
        start: int = 0,
        end: int | None = None,
        *,
        start_s: float | None = None,
        end_s: float | None = None,
    ) -> Sound:
        """A speaker's channel, float32 [n] in [-1, 1).

        Parameters
        ----------
        speaker, kind
            Whose channel, and whether `clean` or `noisy`.
        start, end
            First sample and one past the last; `end` None: to the end. Only this stretch is read.
        start_s, end_s
            The same in seconds, instead.

        Raises
        ------
        InputError
            for a speaker, kind or stretch that there is not, or a file that cannot be read.

        """
        path = self.path(speaker, kind)
        return self._read(path, *self._stretch(start, end, start_s, end_s))

    def channels(
        self,
        kind: Kind = "noisy",
        start: int = 0,
        end: int | None = None,
        *,
        start_s: float | None = None,
        end_s: float | None = None,
    ) -> Sound:
        """All channels, float32 [speakers, n] in the order of `speakers`; a stretch as for :meth:`channel`."""
        begin, stop = self._stretch(start, end, start_s, end_s)
        return np.stack([self._read(self.path(speaker.id, kind), begin, stop) for speaker in self.speakers])

    def mix(
        self,
        kind: Kind = "noisy",
        start: int = 0,
        end: int | None = None,
        *,
        start_s: float | None = None,
        end_s: float | None = None,
    ) -> Sound:
        """All speakers in one channel, float32 [n]; a stretch as for :meth:`channel`.

        `noisy`: `mix.flac`, in which the noise that the channels share sounds once. `clean`: the sum of the clean
        channels, which may exceed 1.
        """
        begin, stop = self._stretch(start, end, start_s, end_s)
        if kind == "noisy":
            return self._read(self.mix_path, begin, stop)
        summed: Sound = self.channels(kind, begin, stop).sum(axis=0, dtype=np.float32)
        return summed

    def _stretch(self, start: int, end: int | None, start_s: float | None, end_s: float | None) -> tuple[int, int]:
        if (start_s is not None and start != 0) or (end_s is not None and end is not None):
            raise InputError(f"{self.id}: a stretch is given in samples or in seconds, not in both")
        begin = start if start_s is None else to_samples(start_s, self.rate)
        stop = end if end_s is None else to_samples(end_s, self.rate)
        stop = self.n_samples if stop is None else stop
        if not 0 <= begin <= stop <= self.n_samples:
            raise InputError(f"{self.id}: no samples {begin} to {stop} there; it has 0 to {self.n_samples}")
        return begin, stop

    def _read(self, path: Path, start: int, stop: int) -> Sound:
        samples, rate = read_flac(path, start, stop)
        if (samples.size, rate) != (stop - start, self.rate):
            raise InputError(f"{path}: does not fit timeline.json ({rate} Hz); make this conversation again")
        return samples
