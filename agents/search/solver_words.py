"""The words that the solver works on: all that changes in a search is in one array of them.

Every array takes seven arguments of each call, so there is one.  Where an index is masked it is to
show the compiler that it is not negative.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.search.solver_table import NUM_VALUES, OFFSET
from belote_env.cards import NUM_CARDS
from belote_env.engine.jit import part

UNKNOWN: Final = 10_000
"""Returned in place of a value when the budget is used up."""

# The array of words.
HANDS: Final = 0  # cards of each seat
BUDGET: Final = 4  # cards that may yet be played
BONUS: Final = 5  # of a capot
POINTS: Final = 8  # of each card
BEATEN_BY: Final = POINTS + NUM_CARDS  # cards that take a trick which the card holds
HISTORY: Final = BEATEN_BY + NUM_CARDS  # how often a card has settled the question, as a lead
FOLLOWING: Final = NUM_CARDS  # and, so much further on, as a later card
FRAMES: Final = HISTORY + 2 * NUM_CARDS  # a row for each ply, the number of cards played before it
ROW_BITS: Final = 5
LOW_CARDS: Final = FRAMES + ((NUM_CARDS + 1) << ROW_BITS)  # names of sets, eight a suit
WORTH: Final = LOW_CARDS + NUM_CARDS + OFFSET
"""What a deal is worth, by its value to team 0: never less where the value is more."""
_SIZE: Final = WORTH - OFFSET + NUM_VALUES

# A row.
SEAT: Final = 0  # to play
LED: Final = 1  # suit led
BEST_CARD: Final = 2  # holds the trick
BEST_SEAT: Final = 3
IN_TRICK: Final = 4  # points of the cards in the trick
REST: Final = 5  # points of all cards not won at the start of the trick, and der
CAPOTS: Final = 6  # sides that can still make capot, a bit each
GOAL: Final = 7  # is the value at least this?
VALUE: Final = 8  # a bound, from the cards tried so far
CARD: Final = 9  # being tried
GAIN: Final = 10  # what team 0 wins by the trick if that card ends it
KEY: Final = 11  # at the start of a trick: the position, and the bounds known before the search
LOWER: Final = 12
UPPER: Final = 13
GOOD_CARD: Final = 14
FOREIGN: Final = 15  # cards that may come to lie in a trick with the seat's
NUM_MOVES: Final = 16  # cards yet to be tried
MOVES: Final = 17


@part
def workspace() -> Any:
    """The array of words that a search needs; any two values of a deal are worth different."""
    work = np.zeros(_SIZE, np.int64)
    for i in range(NUM_VALUES):
        work[WORTH - OFFSET + i] = i
    return work


@part
def row(ply: int) -> Any:
    """Where the row of a ply begins."""
    return FRAMES + ((ply & 63) << ROW_BITS)
