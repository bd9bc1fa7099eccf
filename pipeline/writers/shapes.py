"""What a conversation of each type looks like, beyond its topic: the rules of its skeleton."""

from collections.abc import Mapping

from pipeline.records import InteractionType, Record
from pipeline.writers.reactions import Manner
from pipeline.writers.speaking import MAIN
from pipeline.writers.topics import Does


class Shape(Record):
    """How the skeleton of one type is built."""

    main: str | None = None
    """The one part that tells or explains; other parts' small reactions may be left out to join its moves."""
    unfinished_claims: bool = False
    """Whether claims cut into an unfinished clause (argumentative, collaborative: Figure 6)."""
    asking_claims: bool = False
    """Whether claims are questions (instructional: Figure 6)."""
    short_claims: bool = False
    """Whether claims are short asides or coordination moves (casual, task_oriented: Figure 6)."""
    main_words: float = 1.0
    """How much longer the main part's turns are."""


SHAPES: Mapping[InteractionType, Shape] = {
    # Positions and counter-positions, one side giving way near the end; claims compete for the floor.
    "argumentative": Shape(unfinished_claims=True),
    # Drifting talk: linked subjects, little stories; claims are short asides.
    "casual": Shape(short_claims=True),
    # One thing built from idea to idea; claims finish or top each other's ideas.
    "collaborative": Shape(unfinished_claims=True),
    # Steps in order by one explainer; listeners ask, check and are corrected; claims are their questions.
    "instructional": Shape(main=MAIN["instructional"], asking_claims=True, main_words=1.5),
    # Beats of one story by one teller; listeners ask and react shortly; claims are guesses and memories.
    "narrative": Shape(main=MAIN["narrative"], main_words=1.8),
    # Options, constraints, confirmations, a decision; claims are coordination moves.
    "task_oriented": Shape(short_claims=True),
}

LENGTH: Mapping[Does, float] = {
    "opens": 1.15,
    "objects": 1.1,
    "agrees": 0.8,
    "asks": 0.7,
    "answers": 1.0,
    "tells": 1.35,
    "adds": 1.0,
    "explains": 1.35,
    "checks": 0.7,
    "proposes": 1.1,
    "doubts": 0.95,
    "jokes": 0.75,
    "admits": 1.0,
    "decides": 1.0,
    "corrects": 0.9,
    "reacts": 0.65,
    "sums_up": 1.3,
    "closes": 1.0,
}
"""How long a move of each kind is beside others; which move gets which of the drawn lengths goes by this."""

MANNERS: Mapping[Does, Manner] = {
    "objects": "against",
    "doubts": "against",
    "corrects": "against",
    "agrees": "along",
    "admits": "along",
    "decides": "along",
    "closes": "along",
    "sums_up": "along",
    "asks": "asking",
    "checks": "asking",
    "jokes": "light",
    "reacts": "light",
}
"""How a line that makes a move may open; the others tell."""
ASKING: frozenset[Does] = frozenset({"asks", "checks"})
REPLYING: frozenset[Does] = frozenset({"answers", "corrects", "reacts", "agrees", "objects", "doubts", "admits"})
ANSWERING: frozenset[Does] = frozenset({"answers", "corrects", "reacts", "agrees"})
"""Moves that mean nothing without the one before, even where they open an exchange."""
SMALL: frozenset[Does] = frozenset({"reacts", "jokes", "agrees", "adds", "doubts", "admits"})
"""Listeners' moves that a story or explanation can do without."""
