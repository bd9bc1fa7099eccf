"""The planner's other half: conversations whose scripts are written and shipped."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.design import DesignSettings
from pipeline.errors import ConfigError, InputError
from pipeline.plan import Request, dithers_of, language_of, ranked, scene_of
from pipeline.records import Amounts, ClaimAct, ConversationSpec, Dithers, Speaker, TurnAct, VocalisationAct
from pipeline.speech.voices import voice
from pipeline.text import words_of
from pipeline.writers.reference import reference_files
from pipeline.writers.screenplay import Role, Screenplay, read_screenplay


def plan_reference(
    request: Request, n: int, design: DesignSettings, scenes: Mapping[str, float], folder: Path | None = None
) -> list[ConversationSpec]:
    """The first `n` reference conversations of the type, speakers, split and domain asked for.

    Which conversation comes as which depends on the files alone; the corpus seed decides what stages 2 to 5 draw.

    Raises
    ------
    ConfigError
        when there are fewer of them.
    InputError
        when a file cannot be used.

    """
    chosen = [play for play in map(read_screenplay, reference_files(folder)) if _is_asked(play, request)]
    if n > len(chosen):
        raise ConfigError(
            f"n={n}: there are {len(chosen)} reference scripts of type {','.join(request.types)}, speakers "
            f"{','.join(map(str, request.speakers))} and split {request.split}; ask for fewer, or write more with "
            "script=lines"
        )
    plays = chosen[:n]
    places = ranked((play.type, len(play.speakers)) for play in plays)
    return [
        _spec(play, index, dithers_of(request.seed, cell, rank), request, design, scenes)
        for index, (play, (cell, rank)) in enumerate(zip(plays, places, strict=True))
    ]


def _is_asked(play: Screenplay, request: Request) -> bool:
    return (
        play.type in request.types
        and len(play.speakers) in request.speakers
        and request.split in ("both", play.split)
        and request.domain in (None, play.domain)
    )


def _spec(
    play: Screenplay,
    index: int,
    dithers: Dithers,
    request: Request,
    design: DesignSettings,
    scenes: Mapping[str, float],
) -> ConversationSpec:
    asked = amounts_of(play)
    return ConversationSpec(
        id=play.id,
        index=index,
        corpus_seed=request.seed,
        type=play.type,
        split=play.split,
        domain=play.domain,
        tone=play.tone,
        topic=f"reference/{play.id}",
        title=play.title,
        setting=play.setting,
        relation=play.relation,
        target_s=round(60 * asked.words / design.types[play.type].words_per_min, 1),
        speakers=_cast(play.speakers, play),
        scene=scene_of(request.seed, index, scenes),
        amounts=asked,
        dithers=dithers,
    )


def amounts_of(play: Screenplay) -> Amounts:
    """What a written script has of each act."""
    sounds = [act.kind for act in play.acts if isinstance(act, VocalisationAct)]
    turns = [act for act in play.acts if isinstance(act, TurnAct)]
    return Amounts(
        floor_turns=len(turns),
        floor_claims=sum(isinstance(act, ClaimAct) for act in play.acts),
        backchannels=sounds.count("backchannel"),
        laughs=sounds.count("laughter"),
        words=sum(len(words_of(turn.text)) for turn in turns),
    )


def _cast(roles: Sequence[Role], play: Screenplay) -> tuple[Speaker, ...]:
    return tuple(_speaker(role, channel, play) for channel, role in enumerate(roles))


def _speaker(role: Role, channel: int, play: Screenplay) -> Speaker:
    speaking = voice(role.voice)
    if speaking.split != play.split:
        raise InputError(f"reference script {play.id}: voice {role.voice} of {role.name} is not of split {play.split}")
    return Speaker(
        id=f"s{channel + 1}",
        name=role.name,
        voice=speaking.id,
        gender=speaking.gender,
        style=speaking.style,
        persona=role.persona,
        stance=role.stance,
        language=language_of(speaking),
        channel=channel,
    )
