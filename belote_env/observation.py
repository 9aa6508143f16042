"""What a seat sees: one flat vector of bytes with named slices, and the same for every seat.

    >>> schema("classic")[0]
    Slice(name='hand', offset=0, shape=(32,), low=0, high=1, meaning='Own cards.')

It comes in three forms.  ``"flat"`` holds what a rule set needs; ``"universal"`` is as wide for
every rule set of four players, whose options are among its slices; ``"history"`` holds the public
events as a sequence of tokens (`belote_env.engine.history`).

Seats are counted from the seat that sees: 0 is itself, 1 the next to play, 2 its partner; with two
players seats 2 and 3 are empty.  Nothing depends on a card that the seat cannot know.  Cards are
flags in id order; with canonical suits the four groups of eight hold the trump suit first (in the
auction the turned suit, if there is one), the other suits by own holding, and action ids follow the
same order.  Numbers that may exceed a byte take two: number // 16 and number % 16.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import NUM_ACTIONS, NUM_BIDS
from belote_env.cards import NUM_SEATS
from belote_env.checks import check_choice
from belote_env.engine.batch import OBSERVATIONS
from belote_env.engine.history import LAST_TOKEN
from belote_env.engine.options import NUM_OPTION_BYTES, call_slots, history_events
from belote_env.engine.state import CALLS_ROOM
from belote_env.rules import RuleSet, resolve

VERSION: Final = 2
"""Version of the schema, stamped into checkpoints and datasets; a change of any slice raises it."""


@dataclass(frozen=True)
class Slice:
    """A named part of the vector.

    Attributes:
        name: what to ask for in `views`.
        offset: place of its first byte.
        shape: its shape when seen alone.
        low: lowest value of a byte.
        high: highest value of a byte.
        meaning: a line of documentation.
    """

    name: str
    offset: int
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str

    @property
    def size(self) -> int:
        """Number of bytes."""
        return int(np.prod(self.shape))


_Part = tuple[str, tuple[int, ...], int, str]

_HAND: Final[_Part] = ("hand", (32,), 1, "Own cards.")

_CARDS: Final[list[_Part]] = [
    ("masters", (32,), 1, "Own cards that no unseen card of their suit beats."),
    ("winning", (32,), 1, "Own cards that beat the card that holds the trick."),
    ("trick", (3, 32), 1, "Card of seats 1-3 in the current trick."),
    ("played", (4, 32), 1, "All cards played by seats 0-3."),
    ("excluded", (3, 32), 1, "Unseen cards that seats 1-3 are proven not to hold."),
    ("trick_number", (32,), 16, "Trick to which each card was played, from 1, or 0."),
    ("void", (4, 4), 1, "Suits that seats 0-3 are proven not to hold."),
    ("belote", (4, 4), 1, "Seats 0-3 have said belote in a suit."),
    ("rebelote", (4, 4), 1, "Seats 0-3 have said rebelote in a suit."),
]

_COUNTS: Final[list[_Part]] = [
    ("dealer", (4,), 1, "Dealer, seats 0-3."),
    ("taker", (4,), 1, "Taker, seats 0-3."),
    ("contract", (6,), 1, "Contract so far: S H D C SA TA."),
    ("tolerance", (2,), 1, "Own and other side have been forgiven a missing rebelote."),
    ("phase", (7,), 1, "Round 1, round 2, play, say belote, rebelote, annonces?, over."),
    ("deals_played", (1,), 255, "Deals of this match that counted, at most 255."),
    ("tricks", (2,), 16, "Tricks won by own and other side."),
    ("points", (2, 2), 255, "Trick points of own and other side: sixteens, ones."),
    ("carry", (2,), 255, "Points carried: sixteens, ones."),
    ("scores", (2, 2), 255, "Marks of own and other side, at most 4095: sixteens, ones."),
    ("target", (2,), 255, "Target, 0 in a concours: sixteens, ones."),
    ("blocked", (2,), 1, "Own and other side need one more trick to have won."),
]

_TURNED: Final[list[_Part]] = [("turned", (32,), 1, "The turned card, which goes to the taker.")]

_BID: Final[list[_Part]] = [
    ("bid", (11,), 1, "Value of the contract: 80-160, capot, générale."),
    ("doubled", (2,), 1, "It was doubled by coinche, by surcoinche."),
    ("taker_tricks", (1,), 8, "Tricks won by the taker's own cards."),
    ("bid_worth", (2,), 255, "Worth of the bid: sixteens, ones."),
]

_ANNONCES: Final[list[_Part]] = [
    ("annonces_said", (4, 4), 2, "Tierces, cinquantes, cents, carrés said by seats 0-3."),
    ("annonces_shown", (4, 32), 1, "Annonces shown by seats 0-3 of the side that scores."),
    ("annonce_side", (4,), 1, "Not compared yet, won by own side, the other, nobody."),
    ("annonce_points", (2, 2), 255, "Annonce points, own and other side: sixteens, ones."),
]

_OPTIONS: Final[list[_Part]] = [
    ("options", (NUM_OPTION_BYTES - 1,), 1, "A flag for each value of each rule option."),
    ("deals_per_party", (1,), 20, "Mènes of a party, 0 in a match to a target."),
]

_HIDDEN: Final[list[_Part]] = [
    ("other_hands", (3, 32), 1, "Cards of seats 1-3."),
    ("stock", (32,), 19, "Place (from 1) of each card still to be dealt or drawn, or 0."),
]


def _calls(length: int) -> list[_Part]:
    meaning = (
        "Calls in order: value (1 where a trump is taken) at S H D C SA TA; pass 1, coinche 2,"
        " surcoinche 3; by own side."
    )
    return [("calls", (length, 8), NUM_BIDS, meaning)]


def _parts(rules: RuleSet, observation: str) -> list[_Part]:
    """Name, shape, highest byte and meaning of each slice, in order."""
    if observation == "history":
        events: _Part = (
            "events",
            (history_events(rules), 2),
            LAST_TOKEN,
            "Public events in order: what happened, and the seat (1-4) that did it.",
        )
        return [_HAND, *_COUNTS, events]
    seen = [_HAND, *_CARDS, *_COUNTS]
    if observation == "universal":
        return [*seen, *_TURNED, *_BID, *_calls(CALLS_ROOM), *_ANNONCES, *_OPTIONS]
    seen += _BID if rules.family == "auction" else _TURNED
    seen += _calls(call_slots(rules))
    return seen + _ANNONCES if rules.annonces else seen


def check_observation(rules: RuleSet, observation: str) -> int:
    """Code of a form of the observation.

    Raises:
        ValueError: if it is none of `OBSERVATIONS`, or `universal` for two players.
    """
    check_choice("observation", observation, OBSERVATIONS)
    if observation == "universal" and rules.num_seats != NUM_SEATS:
        raise ValueError(
            f"observation='universal' is for four players, and rules {rules.id!r} have"
            f" {rules.num_seats}: use 'flat' or 'history'"
        )
    return OBSERVATIONS.index(observation)


def num_actions(rules: RuleSet, observation: str) -> int:
    """Length A of the action mask: ``"universal"`` has the whole table for every rule set.

    Raises:
        ValueError: as `check_observation`.
    """
    check_observation(rules, observation)
    return NUM_ACTIONS if observation == "universal" else rules.num_actions


def _slices(parts: list[_Part]) -> tuple[Slice, ...]:
    slices: list[Slice] = []
    offset = 0
    for name, shape, high, meaning in parts:
        slices.append(Slice(name, offset, shape, 0, high, meaning))
        offset += slices[-1].size
    return tuple(slices)


@cache
def _schema(rules: RuleSet, observation: str, hidden: bool) -> tuple[Slice, ...]:
    return _slices(_parts(rules, observation) + (_HIDDEN if hidden else []))


def _checked_schema(rules: str | RuleSet, observation: str, hidden: bool) -> tuple[Slice, ...]:
    rules = resolve(rules)
    check_observation(rules, observation)
    return _schema(rules, observation, hidden)


def schema(rules: str | RuleSet, observation: str = "flat") -> tuple[Slice, ...]:
    """Slices of the observation of a rule set in one of its forms, in order.

    Raises:
        ValueError: as `check_observation`.
    """
    return _checked_schema(rules, observation, hidden=False)


def state_schema(rules: str | RuleSet, observation: str = "flat") -> tuple[Slice, ...]:
    """Slices of the full-information vector: the observation, then what it hides.

    Raises:
        ValueError: as `check_observation`.
    """
    return _checked_schema(rules, observation, hidden=True)


def total_size(slices: tuple[Slice, ...]) -> int:
    """Number of bytes of a vector with these slices."""
    return slices[-1].offset + slices[-1].size


def bounds(slices: tuple[Slice, ...]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Lowest and highest value of each byte, uint8 [D] each."""
    low = np.concatenate([np.full(s.size, s.low, np.uint8) for s in slices])
    high = np.concatenate([np.full(s.size, s.high, np.uint8) for s in slices])
    return low, high


def views(vector: NDArray[np.uint8], slices: tuple[Slice, ...]) -> dict[str, NDArray[np.uint8]]:
    """The slices of one vector [D] or a batch [N, D], each in its shape, without a copy."""
    lead = vector.shape[:-1]
    return {
        s.name: vector[..., s.offset : s.offset + s.size].reshape(*lead, *s.shape) for s in slices
    }


def number(pair: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The numbers written as (number // 16, number % 16) on the last axis."""
    return pair[..., 0].astype(np.int64) * 16 + pair[..., 1]
