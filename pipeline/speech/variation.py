"""Natural variation: a speaker's pace and level in a conversation, and those of single utterances.

Each is drawn evenly within a stated range around what the calibration gives the voice, pace on a logarithmic scale,
so that the means over a corpus are those of the calibrated voices. Pace decides times and is drawn in stage 2; level
is drawn in stage 3. Vocalisations take their speaker's pace alone: they are too short to have one of their own.
"""

import math

import numpy as np
from pydantic import Field

from pipeline.records import ClaimAct, ConversationSpec, TurnAct, VocalisationAct
from pipeline.records.base import Record
from pipeline.seeds import generator


class PaceSettings(Record):
    """Factors on the voices' own calibrated pace, by what is said; defaults fitted to the durations of Table 21."""

    turns: float = Field(ge=0.5, le=2, default=0.97)
    """Of those who hold the floor."""
    claims: float = Field(ge=0.5, le=2, default=1.0)
    """Of those who try to come in."""
    vocalisations: float = Field(ge=0.5, le=2, default=1.15)
    """Of backchannels, and of words after laughter: listeners say them faster than speakers would."""
    lexicon: float = Field(ge=0.5, le=2, default=1.0)
    """Of backchannels from the lexicon, whose weights bring them to the published lengths already."""

    def of(self, act: TurnAct | ClaimAct | VocalisationAct) -> float:
        """The factor for an act."""
        if isinstance(act, VocalisationAct):
            return self.lexicon if act.author == "lexicon" else self.vocalisations
        return self.claims if isinstance(act, ClaimAct) else self.turns


OWN_PACE = PaceSettings(turns=1, claims=1, vocalisations=1, lexicon=1)
"""Every voice at the pace that it is calibrated to."""


class VariationSettings(Record):
    """Half widths of the ranges; 0: none. Own choice: heard as the same person in the same mood."""

    pace_speaker: float = Field(ge=0, le=0.25, default=0.03)
    """How far a speaker's pace in a conversation may lie from the voice's own, as a share of it."""
    pace_utterance: float = Field(ge=0, le=0.25, default=0.03)
    """How far the pace of a turn or claim may lie from its speaker's."""
    backchannels: float = Field(ge=0, le=1.5, default=1.0)
    """How far one backchannel lies from the next in pace, F0 and energy (see :mod:`pipeline.speech.variants`); 0: the
    same word of the same voice always sounds the same."""
    level_speaker_db: float = Field(ge=0, le=6, default=1.0)
    """How far a speaker's level in a conversation may lie from the common one [dB]."""
    level_utterance_db: float = Field(ge=0, le=6, default=1.0)
    """How far the level of an utterance may lie from its speaker's [dB]."""

    @property
    def pace(self) -> dict[str, float]:
        """The ranges that act in stage 2, by name; empty where there are none."""
        named = {
            "speaker": self.pace_speaker,
            "utterance": self.pace_utterance,
            "backchannels": self.backchannels,
        }
        return {name: width for name, width in named.items() if width}

    @property
    def level(self) -> dict[str, float]:
        """The ranges that act in stage 3 [dB], by name; empty where there are none."""
        named = {"speaker": self.level_speaker_db, "utterance": self.level_utterance_db}
        return {name: width for name, width in named.items() if width}


STEADY = VariationSettings(pace_speaker=0, pace_utterance=0, backchannels=0, level_speaker_db=0, level_utterance_db=0)
"""No variation at all."""


def speed_of(
    spec: ConversationSpec,
    act: TurnAct | ClaimAct | VocalisationAct,
    own: float,
    pace: PaceSettings,
    settings: VariationSettings,
) -> float:
    """The speed at which the speaker of `act` says it: the voice's `own`, at the `pace` of such acts, varied.

    It is rounded to the hundredth. So coarse a step is not heard, and what a voice says often is found in the cache
    more often.
    """
    shift = _drawn(spec, "orchestrate", "pace", act.speaker, math.log1p(settings.pace_speaker))
    if not isinstance(act, VocalisationAct):
        shift += _drawn(spec, "orchestrate", "pace", act.id, math.log1p(settings.pace_utterance))
    return round(own * pace.of(act) * math.exp(shift), 2)


def level_of(spec: ConversationSpec, speaker: str, act_id: str, settings: VariationSettings) -> float:
    """The level of an utterance over that of its calibrated voice, to the hundredth [dB]."""
    own = _drawn(spec, "render", "level", speaker, settings.level_speaker_db)
    return round(own + _drawn(spec, "render", "level", act_id, settings.level_utterance_db), 2)


def _drawn(spec: ConversationSpec, stage: str, purpose: str, name: str, width: float) -> float:
    """A value from -`width` to `width` that belongs to `name` in this conversation, or in this pair."""
    if not width:
        return 0.0
    rng: np.random.Generator = generator(spec.corpus_seed, spec.entity, stage, purpose, name)
    return float(rng.uniform(-width, width))
