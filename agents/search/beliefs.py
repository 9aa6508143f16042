"""Which worlds are likely: those in which the heuristic player would have done what the others did.

Worlds are drawn uniformly (`agents.search.determinize`) and weighed.  A decision of another seat
that the heuristic player would have made too leaves the weight as it is; any other multiplies it by
a slip, the chance one gives a player to see it otherwise.  The own decisions were made on what the
seat knew, in whatever world.

`agents.search.weights` does this for any policy that gives probabilities, from Python.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy import int64, uint64
from numpy.typing import NDArray

from agents.heuristics.player import heuristic_action
from agents.search.determinize import list_worlds, num_worlds, sample_worlds
from agents.search.pack import lay_pack
from belote_env.actions import DECLARE, SILENT
from belote_env.cards import NUM_CARDS, NUM_SEATS
from belote_env.checks import require
from belote_env.engine.dealing import lay_out
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.rng import draw, substream
from belote_env.engine.state import AUCTION, SPEECH
from belote_env.engine.step import legal_actions, step, was_said

Weights = Literal["uniform", "heuristic"]
"""How likely worlds are taken to be: all the same, or as `weigh_worlds` says."""

_POOL: Final = 1024
"""Worlds that are weighed to find likely ones."""
_UNIT: Final = 1.0 / (1 << 53)


class Worlds(NamedTuple):
    """Some worlds with the sums of their weights up to each.

    Attributes:
        hands: uint32 [n, 4].
        cumulative: float64 [n].
    """

    hands: NDArray[np.uint32]
    cumulative: NDArray[np.float64]

    @property
    def shares(self) -> NDArray[np.float64]:
        """The weight of each, of sum 1."""
        return np.diff(self.cumulative, prepend=0.0) / self.cumulative[-1]


@part
def past_line(known: Record, line: Any) -> Any:
    """Write the calls and cards of a deal so far in their order; how many there are."""
    for i in range(known.num_calls):
        line[i] = known.calls[i]
    for card in range(NUM_CARDS):
        if known.place[card]:
            line[known.num_calls + known.place[card] - 1] = card
    return int64(known.num_calls) + int64(known.num_played)


@part
def _likelihood(
    rules: Record,
    known: Record,
    s: Record,
    line: Any,
    length: int,
    call_slip: float,
    card_slip: float,
) -> float:
    """Weight of the deal laid out in ``s``."""
    weight = 1.0
    for i in range(length):
        action = line[i]
        low, high = legal_actions(rules, s)
        if s.seat != 0 and (high or low & (low - 1)):
            slip = call_slip if s.phase == AUCTION else card_slip
            if slip < 1.0 and heuristic_action(rules, s) != action:
                weight *= slip
        step(rules, s, action)
        while s.phase == SPEECH and i + 1 < length:
            step(rules, s, DECLARE if was_said(known, s) else SILENT)
    return weight


@kernel
def weigh_worlds(
    rules: Record,
    known: Any,
    worlds: Any,
    key: Any,
    call_slip: float,
    card_slip: float,
    cumulative: Any,
) -> None:
    """Weigh worlds.

    Args:
        rules: rule data, shape (1,), of four players.
        known: what the seat knows, a state, shape (1,).
        worlds: uint32 [n, 4], drawn uniformly.
        key: key of a stream (uint64), for what worlds leave open.
        call_slip: factor of a call that the heuristic player would not have made.
        card_slip: factor of a card that it would not have played.
        cumulative: float64 [n] to write: the sum of the weights up to each world.
    """
    r = rules[0]
    line = np.empty(len(known[0].calls) + NUM_CARDS, np.int64)
    length = past_line(known[0], line)
    states = known.copy()
    s = states[0]
    total = 0.0
    for k in range(len(worlds)):
        states[0] = known[0]
        for seat in range(NUM_SEATS):
            s.hands[seat] = worlds[k, seat]
        lay_pack(r, s, substream(key, k))
        lay_out(r, s)
        total += _likelihood(r, known[0], s, line, length, call_slip, card_slip)
        cumulative[k] = total


@part
def likely_world(cumulative: Any, word: Any) -> int:
    """The number of a world drawn by weight, with a random word (uint64)."""
    goal = float(int64(word >> uint64(11))) * _UNIT * cumulative[-1]
    first = 0
    last = len(cumulative) - 1
    while first < last:
        middle = (first + last) >> 1
        if cumulative[middle] > goal:
            last = middle
        else:
            first = middle + 1
    return first


@kernel
def _choose_worlds(worlds: Worlds, key: Any, out: Any) -> None:
    for k in range(len(out)):
        out[k] = worlds.hands[likely_world(worlds.cumulative, draw(key, k))]


class Beliefs:
    """How a searching agent comes by its worlds.

    Args:
        rules: rule data, shape (1,), of four players.
        weights: how likely worlds are taken to be.
        call_slip: see `weigh_worlds`, above 0 and at most 1.
        card_slip: the same.

    Raises:
        ValueError: if an argument is out of its range.
    """

    def __init__(
        self, rules: NDArray[Any], weights: Weights, call_slip: float, card_slip: float
    ) -> None:
        require(weights in get_args(Weights), "weights", weights, "'uniform' or 'heuristic'")
        require(0 < call_slip <= 1, "call_slip", call_slip, "a number above 0 and up to 1")
        require(0 < card_slip <= 1, "card_slip", card_slip, "a number above 0 and up to 1")
        self._rules = rules
        self._slips = (float(call_slip), float(card_slip))
        self.uniform = weights == "uniform"

    def pool(self, known: NDArray[Any], key: np.uint64) -> Worlds:
        """Worlds drawn uniformly, weighed; none if all are taken to be as likely.

        Args:
            known: what the seat knows, a state, shape (1,).
            key: key of the random stream.
        """
        hands = np.empty((0 if self.uniform else _POOL, 4), np.uint32)
        sample_worlds(self._rules, known, key, 0, hands)
        return self._weighed(known, key, hands)

    def draw(self, known: NDArray[Any], key: np.uint64, num: int) -> Worlds:
        """Worlds to average over: all there are, with their weights, or ``num`` that are drawn.

        Args:
            known: what the seat knows, a state, shape (1,).
            key: key of the random stream.
            num: how many are enough.
        """
        if num_worlds(self._rules, known) <= num:
            hands = np.empty((num, 4), np.uint32)
            return self._weighed(known, key, hands[: list_worlds(self._rules, known, hands)])
        hands = np.empty((num, 4), np.uint32)
        if self.uniform:
            sample_worlds(self._rules, known, key, 0, hands)
        else:
            _choose_worlds(self.pool(known, key), key, hands)
        return Worlds(hands, np.arange(1.0, num + 1))

    def _weighed(self, known: NDArray[Any], key: np.uint64, hands: NDArray[np.uint32]) -> Worlds:
        cumulative = np.arange(1.0, len(hands) + 1)
        if not self.uniform:
            weigh_worlds(self._rules, known, hands, key, *self._slips, cumulative)
        return Worlds(hands, cumulative)
