"""How many turns, claims and vocalisations a script is asked for."""

from pipeline.by_speakers import value_for
from pipeline.design import DesignSettings
from pipeline.records import Amounts, InteractionType
from pipeline.timing import TimingSettings


def crowd(n_speakers: int) -> float:
    """s_N, the factor by which claims and vocalisations grow with the number of speakers (Table 15)."""
    return 1 + 0.1 * (n_speakers - 2)


def amounts_for(
    type: InteractionType, n_speakers: int, target_s: float, design: DesignSettings, timing: TimingSettings
) -> Amounts:
    """The request formula of Table 15, with the factors that make the realised rates come out as published.

    Floor segments become turns by taking off what stage 2 adds: successful claims and holds.
    """
    asked, minutes = design.types[type], target_s / 60
    claims = asked.int_per_min * minutes * crowd(n_speakers) * value_for(design.claims, n_speakers)
    sounds = asked.bc_per_min * minutes * crowd(n_speakers) * asked.vocalisations * design.vocalisations
    segments = 60 * minutes / asked.turn_s * asked.segments
    won = claims * timing.claim_success_rate[type]
    turns = max(
        2 * n_speakers,
        round(segments * (1 - value_for(timing.hold_rate, n_speakers)) - won * (1 + timing.resume_probability)),
    )
    laughs = round(sounds * design.laughter_share)
    return Amounts(
        floor_turns=turns,
        floor_claims=round(claims),
        backchannels=max(0, round(sounds) - laughs),
        laughs=laughs,
        words=max(turns * 3, round(asked.words_per_min * minutes)),
    )
