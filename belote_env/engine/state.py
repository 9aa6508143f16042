"""The state of one deal and of the match around it: one fixed-size record, copied by assignment.

A batch of games is an array of such records, one game an array of one.  Bitboards follow
`belote_env.cards`.  The record holds everything that is hidden too (`deck`, `hands`); what a seat
may see of it is the business of `belote_env.observation`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from belote_env.cards import NUM_CARDS

CALLS_ROOM: Final = 40
"""Calls of the longest auction: three passes, eleven bids with two passes after each but the last,
and after that pass, pass, coinche, pass, pass, surcoinche."""
NO_CARD: Final = 32
"""In `trick`, for a seat that has not played to it: as a bit, outside every set of cards."""

# Phases of a deal.
AUCTION: Final = 0
PLAY: Final = 1
SPEECH: Final = 2
OVER: Final = 3

# Results of a deal.
UNFINISHED: Final = 0
VOID: Final = 1
MADE: Final = 2
CAPOT_TAKER: Final = 3
CHUTE: Final = 4
LITIGE: Final = 5
RESULTS: Final = ("unfinished", "void", "made", "capot_taker", "chute", "litige")

# What the seat to act is asked to say under `announce: choice` (bits of `speech`).
SAY_BELOTE: Final = 1
SAY_REBELOTE: Final = 2
SAY_ANNONCES: Final = 4

# Kinds of annonce; `annonces_said` counts them in two bits each.
CARRE: Final = 3
ANNONCE_KINDS: Final = ("tierce", "cinquante", "cent", "carre")

STATE_DTYPE: Final = np.dtype(
    [
        # randomness: deal number `deal` of the stream `key`
        ("key", np.uint64),
        ("deal", np.uint32),  # number of the next deal to be dealt from the stream
        # the cards
        ("hands", np.uint32, 4),  # cards each seat holds now
        ("fallen", np.uint32, 4),  # cards each seat has played
        ("excluded", np.uint32, 4),  # cards each seat is proven not to hold, by what it played
        ("shown", np.uint32, 4),  # annonces of the winning side, shown at trick 2
        # the match
        ("scores", np.int32, 2),
        ("carry", np.int32),
        ("marks", np.int32, 2),  # of the deal, once it is over
        ("belote_marks", np.int16, 2),  # belote that each side marks, part of `marks`
        ("deals_played", np.uint16),  # mènes counted: void and replayed deals are not
        # what the sides have in this deal
        ("points", np.int16, 2),  # trick points by team, with der once won
        ("annonce_points", np.int16, 2),
        ("tricks", np.uint8, 2),
        ("belote_said", np.uint8, 4),  # by seat, a bit a suit
        ("rebelote_said", np.uint8, 4),
        ("annonces_said", np.uint8, 4),  # by seat, two bits a kind
        ("annonce_team", np.int8),  # -1 until compared, or nobody
        # the public history
        ("deck", np.uint8, 32),  # the pack in dealing order (hidden); card 20 is turned up
        ("calls", np.uint8, CALLS_ROOM),  # action ids, from the seat next to the dealer on
        ("place", np.uint8, 32),  # of each card in the order of play, 1 to 32; 0 if not played
        ("num_calls", np.uint8),
        ("num_played", np.uint8),
        ("passes", np.uint8),  # passes since the last call of another kind
        # where the deal stands
        ("phase", np.uint8),
        ("result", np.uint8),
        ("dealer", np.uint8),
        ("seat", np.int8),  # to act; -1 when the deal is over
        ("next_seat", np.int8),  # who plays after the pending speech
        ("speech", np.uint8),  # SAY_ bits pending for `seat`
        ("contract", np.int8),  # -1 until someone takes
        ("taker", np.int8),  # -1 until someone takes
        ("bid", np.uint8),  # 1-9 for 80-160, 10 capot, 11 générale; 0 in the turn-up game
        ("doubled", np.uint8),  # 1 coinche, 2 surcoinche
        ("taker_tricks", np.uint8),  # won by the taker's own cards
        ("trick", np.uint8, 4),  # card of each seat in the trick, or NO_CARD
        ("led", np.uint8),  # suit that the trick was led in
        ("best_card", np.uint8),  # the card that holds the trick
        ("best_seat", np.uint8),
        # where the match stands
        ("blocked", np.uint8, 2),  # reached the target by belote alone, awaiting a trick
        ("tolerance_used", np.uint8, 2),  # a missing rebelote was forgiven
        ("match_over", np.uint8),
        ("winner", np.int8),  # team; -1 while open or drawn
    ],
    align=True,
)
"""Layout of a state, without gaps: equal states have equal bytes.  At most 256 bytes."""


def new_states(num: int) -> NDArray[Any]:
    """Zeroed states, shape (num,); `belote_env.engine.dealing.start_match` deals into them."""
    return np.zeros(num, STATE_DTYPE)


def words(states: NDArray[Any]) -> NDArray[np.uint64]:
    """States as rows of words, which NumPy copies a hundred times faster than records."""
    return states.view(np.uint64).reshape(len(states), -1)


def copy_states(states: NDArray[Any]) -> NDArray[Any]:
    """A copy of some states."""
    return words(states).copy().view(STATE_DTYPE).reshape(len(states))


def cards_played(state: Any) -> list[int]:
    """The cards of a state (one record) in the order played."""
    order = np.argsort(state["place"], kind="stable")
    return order[NUM_CARDS - int(state["num_played"]) :].tolist()
