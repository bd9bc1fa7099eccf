"""Settings of the voice: which backend speaks, from which model."""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from pipeline.errors import ConfigError
from pipeline.records.base import Record
from pipeline.speech import voices
from pipeline.speech.endpoint.settings import EndpointSettings
from pipeline.speech.variation import PaceSettings, VariationSettings
from pipeline.speech.voices import Split, Voice


class EndingSettings(Record):
    """How speech ends before a yield and before a hold.

    The mode is of F0 and acts in stage 3 alone, after all is timed. The lengths are of the clock in stage 2.
    """

    mode: Literal["own", "clear", "neutral"] = "own"
    """`own`: the voice's own F0; `clear`: a fall, a rise or a continuation by what follows; `neutral`: always level."""
    strength: float = Field(ge=0, le=1, default=1.0)
    """Part of the way from the voice's own F0 to that of the mode."""
    window_s: float = Field(ge=0.1, le=0.6, default=0.3)
    """How much voiced speech before the end is shaped [s]."""
    fall_st: float = Field(ge=-12, le=0, default=-6.0)
    """Before a yield, F0 falls at least so far over the window [semitones]."""
    continuation_st: float = Field(ge=-4, le=6, default=1.0)
    """Where the floor is kept, F0 rises at least so far over the window [semitones]; 0: level at least."""
    rise_st: float = Field(ge=0, le=12, default=6.0)
    """Where a question is yielded, F0 rises at least so far over the window [semitones]."""
    final_length: float = Field(ge=0.5, le=2, default=1.0)
    """Factor on the duration of the last rhyme of a turn or claim; 1: the voice's own."""
    clause_length: float = Field(ge=0.5, le=2, default=1.0)
    """Factor on the duration of the last rhyme before each pause at a clause boundary, where holds may come."""

    @property
    def lengths(self) -> dict[str, float]:
        """Factors of the clock that change anything, by name."""
        named = {"final_length": self.final_length, "clause_length": self.clause_length}
        return {name: factor for name, factor in named.items() if factor != 1.0}

    @property
    def tones(self) -> dict[str, Any] | None:
        """Everything that decides boundary tones; None where the voice's own stay."""
        if self.mode == "own" or self.strength == 0:
            return None
        return self.model_dump(mode="json", exclude={"final_length", "clause_length"})


class LombardSettings(Record):
    """How turns and claims are lifted while another's turn or claim sounds over them; no time changes.

    Speakers who compete for the floor raise level and pitch (French & Local 1983, Turn-competitive incomings, Journal
    of Pragmatics 7), and over noise level, pitch and the share of high frequencies (Summers et al. 1988, Effects of
    noise on speech production, JASA 84: 5 to 10 dB). The amounts are own choice, at the lower end.
    """

    strength: float = Field(ge=0, le=1, default=0.0)
    """Part of the lift; 0: none."""
    level_db: float = Field(ge=0, le=10, default=4.0)
    """Of the energy over the stretch [dB]."""
    tilt_db: float = Field(ge=0, le=9, default=3.0)
    """What lies above 1 kHz against what lies below [dB]."""
    pitch_st: float = Field(ge=0, le=4, default=1.5)
    """Of F0 [semitones]."""

    @property
    def lift(self) -> dict[str, float]:
        """The lift as it acts, by name; empty where nothing is lifted."""
        amounts = {"level_db": self.level_db, "tilt_db": self.tilt_db, "pitch_st": self.pitch_st}
        lift = {name: round(self.strength * amount, 4) for name, amount in amounts.items()}
        return lift if any(lift.values()) else {}


def _known(name: str) -> str:
    """The id of a voice of the pool; ValueError, as validation needs it, when there is none."""
    try:
        return voices.voice(name).id
    except ConfigError as error:
        raise ValueError(str(error)) from None


class TtsSettings(Record):
    """Of the clock in stage 2 and of stage 3, which share one backend."""

    backend: Literal["onnx", "kokoro", "openai"] = "onnx"
    """`onnx`: the two graphs, without torch; `kokoro`: the official package (an extra); `openai`: an endpoint."""
    precision: Literal["float32", "int8"] = "float32"
    """Of the two graphs' weights and activations."""
    fade_s: float = Field(ge=0.005, le=0.015, default=0.008)
    """Fade where a speaker is cut off: short enough to sound cut, long enough not to click."""
    pace: PaceSettings = PaceSettings()
    """Of turns, claims and vocalisations, as factors on the voices' own."""
    variation: VariationSettings = VariationSettings()
    """Of pace and level, between speakers and between utterances."""
    lombard: LombardSettings = LombardSettings()
    """Effort in overlap; by default none."""
    endings: EndingSettings = EndingSettings()
    """Prosody before yields and holds."""
    endpoint: EndpointSettings | None = None
    """Of `openai` alone: any endpoint that takes requests like OpenAI's."""

    pools: dict[Split, tuple[str, ...]] | None = None
    """Voices of each split by id or by Kokoro's name, in place of the shipped ones; no voice in both."""

    def voices(self, split: Split) -> list[Voice]:
        """The voices that conversations of a split are cast with: the endpoint's, else those of the pools."""
        return self.endpoint.of_split(split) if self.endpoint else voices.split(split, self.pools)

    @field_validator("pools")
    @classmethod
    def _disjoint(cls, pools: dict[Split, tuple[str, ...]] | None) -> dict[Split, tuple[str, ...]] | None:
        seen: dict[str, Split] = {}
        for split, names in (pools or {}).items():
            for name in names:
                ident = _known(name)
                if ident in seen:
                    raise ValueError(
                        f"voice {name} is in {seen[ident]} and in {split}: a voice belongs once to one split"
                    )
                seen[ident] = split
        return pools

    @model_validator(mode="after")
    def _fits(self) -> "TtsSettings":
        if (self.backend == "openai") != (self.endpoint is not None):
            raise ValueError("an endpoint belongs to backend openai and to no other: choose tts=openai")
        if self.endpoint is None:
            return self
        if self.endings.tones is not None or self.endings.lengths:
            raise ValueError(
                "a speech endpoint has no prosody to shape: leave endings.mode at own and the lengths at 1, or choose "
                "tts=onnx or tts=kokoro"
            )
        if self.lombard.lift.get("pitch_st"):
            raise ValueError(
                "a speech endpoint has no F0 to shape: set lombard.pitch_st to 0 or lombard.strength to 0, or choose "
                "tts=onnx or tts=kokoro"
            )
        return self
