"""Specs and small helpers that the tests of stage 1 share."""

from pipeline.records import Amounts, ConversationSpec, Dithers, InteractionType, Speaker
from pipeline.writers.topics import ROLES, load_bank

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")
VOICES = ("af_alloy", "am_adam", "af_aoede", "am_echo", "af_nova")


def make_spec(
    type: InteractionType = "argumentative",
    n: int = 3,
    *,
    turns: int = 12,
    claims: int = 4,
    backchannels: int = 4,
    laughs: int = 1,
    words: int = 210,
    index: int = 0,
    seed: int = 7,
    topic: str | None = None,
    **changes: object,
) -> ConversationSpec:
    """A spec of stage 1 whose topic is the first of its type in the bank."""
    topic = topic if topic is not None else load_bank().keys(type=type)[0]
    found = load_bank().topic(topic) if topic in load_bank().keys() else None
    spec = ConversationSpec(
        id=f"c{index:04d}",
        index=index,
        corpus_seed=seed,
        type=type,
        split="dev",
        domain=found.domain if found else "book club",
        tone="casual and friendly",
        topic=topic,
        title=found.title if found else topic,
        setting=found.setting if found else "Friends talk at a kitchen table.",
        target_s=60.0,
        speakers=tuple(
            Speaker(
                id=f"s{i + 1}",
                name=NAMES[i],
                voice=VOICES[i],
                gender="FM"[i % 2],  # type: ignore[arg-type]
                style="warm",
                persona="likes long walks",
                stance=ROLES[type][i % 3],
                channel=i,
            )
            for i in range(n)
        ),
        scene="cafe",
        amounts=Amounts(floor_turns=turns, floor_claims=claims, backchannels=backchannels, laughs=laughs, words=words),
        dithers=Dithers(claims_won=0.5, holds=0.5, contested=0.5),
    )
    return spec.model_copy(update=changes)
