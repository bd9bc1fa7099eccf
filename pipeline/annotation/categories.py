"""What annotators may call a moment, and how the form puts it."""

from collections.abc import Mapping
from typing import Literal, get_args

Category = Literal[
    "turn_yield", "turn_hold", "interruption", "non_floor_taking", "backchannel", "laughter", "none_of_these"
]
CATEGORIES: tuple[Category, ...] = get_args(Category)
ASKED: tuple[Category, ...] = CATEGORIES[:-1]
"""The kinds of events that are validated: an interrupted turn is the other side of an interruption."""
WORDING: Mapping[Category, tuple[str, str]] = {
    "turn_yield": ("Gives up the floor", "stops because the turn is over; another may go on"),
    "turn_hold": ("Pauses and keeps the floor", "falls silent, and means to go on"),
    "interruption": ("Takes the floor from another", "comes in while another holds the floor, and gets it"),
    "non_floor_taking": ("Tries for the floor and does not get it", "comes in with a claim; the other goes on"),
    "backchannel": ("Listener’s sign", "such as “mm-hmm” or “right”, without wanting the floor"),
    "laughter": ("Laughter", "of somebody who listens"),
    "none_of_these": ("None of these", "nothing of the kind happens there"),
}
"""Title and explanation of each."""
CODES: Mapping[str, Category] = {str(n): name for n, name in enumerate(CATEGORIES, 1)}
"""What the form and its answers call them, so that no page shows a label of the generator."""
