"""Which worlds are likely: those in which the others had reason to call and play as they did.

Worlds are drawn uniformly (`agents.search.determinize`) and weighed by what the other seats did.
A call that the heuristic player would have made too leaves the weight as it is; any other
multiplies it by a slip, the chance one gives a player to see it otherwise.

A card multiplies the weight by its chance.  Nobody says how a side plays, so it is taken to be one
of two: heuristic players, who hardly ever play another card than they do; or others, who play a
card the more rarely the less it is worth to the heuristic player, and now and then any.  Which of
them it is shows in what it plays: in a world whose cards a side has played like the heuristic
player, it most likely is one.

The own decisions were made on what the seat knew, in whatever world.  `agents.search.weights`
weighs worlds by any policy that gives probabilities, from Python.
"""

from __future__ import annotations

from math import ceil, exp
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy import int64, uint64
from numpy.typing import NDArray

from agents.heuristics.player import heuristic_action, value_cards
from agents.search.determinize import list_worlds, num_worlds, sample_worlds
from agents.search.pack import lay_pack
from belote_env.actions import DECLARE, SILENT
from belote_env.cards import NUM_CARDS, NUM_SEATS
from belote_env.checks import check_choice, check_number
from belote_env.engine.bits import lowest_bit, popcount
from belote_env.engine.dealing import lay_out
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.rng import draw, substream
from belote_env.engine.state import AUCTION, SPEECH
from belote_env.engine.step import legal_actions, step, was_said

Weights = Literal["uniform", "heuristic"]
"""How likely worlds are taken to be: all the same, or as `weigh_worlds` says."""

_POOL: Final = 4096
"""Worlds that are weighed to find likely ones."""
HEURISTIC_SLIP: Final = 0.03
"""How often a heuristic player is taken to play another card than it does."""
TEMPERATURE: Final = 8.0
"""Card points by which a card is worth less that other players play e times as rarely."""
AT_RANDOM: Final = 0.3
"""How often those play any card."""
_UNIT: Final = 1.0 / (1 << 53)


class Worlds(NamedTuple):
    """Some worlds with the sums of their weights up to each.

    Attributes:
        hands: uint32 [n, 4].
        cumulative: float64 [n].
        trust: how likely the opponents are to be heuristic players in each, float64 [n].
    """

    hands: NDArray[np.uint32]
    cumulative: NDArray[np.float64]
    trust: NDArray[np.float64]

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
def _share(values: Any, best: int, cards: int, card: int) -> float:
    """Chance of a card from a player who sees what cards are worth roughly as the heuristic one."""
    num = popcount(cards)
    total = 0.0
    while cards:
        total += exp((values[lowest_bit(cards)] - values[best]) / TEMPERATURE)
        cards &= cards - 1
    explained = exp((values[card] - values[best]) / TEMPERATURE) / total
    return (1.0 - AT_RANDOM) * explained + AT_RANDOM / num


@part
def _likelihood(
    rules: Record,
    known: Record,
    s: Record,
    line: Any,
    length: int,
    values: Any,
    call_slip: float,
    trust: float,
) -> tuple[float, float]:
    """Weight of the deal laid out in ``s``, and how likely its opponents are heuristic players.

    ``values`` is scratch, float64 [32].
    """
    weight = 1.0
    # Chances of the cards of our side and of theirs, if it is heuristic players and if not.
    ours_strict = theirs_strict = 1.0
    ours_rough = theirs_rough = 1.0
    for i in range(length):
        action = line[i]
        low, high = legal_actions(rules, s)
        if s.seat != 0 and (high or low & (low - 1)):
            if s.phase == AUCTION:
                if call_slip < 1.0 and heuristic_action(rules, s) != action:
                    weight *= call_slip
            else:
                best = value_cards(rules, s, values)
                strict = HEURISTIC_SLIP / (popcount(low) - 1)
                if action == best:
                    strict = 1.0 - HEURISTIC_SLIP
                rough = _share(values, best, low, action)
                if s.seat & 1:
                    theirs_strict *= strict
                    theirs_rough *= rough
                else:
                    ours_strict *= strict
                    ours_rough *= rough
        step(rules, s, action)
        while s.phase == SPEECH and i + 1 < length:
            step(rules, s, DECLARE if was_said(known, s) else SILENT)
    theirs_strict *= trust
    theirs = theirs_strict + (1.0 - trust) * theirs_rough
    weight *= theirs * (trust * ours_strict + (1.0 - trust) * ours_rough)
    return weight, theirs_strict / theirs


@kernel
def weigh_worlds(
    rules: Record,
    known: Any,
    key: Any,
    call_slip: float,
    trust: float,
    weighed: Worlds,
) -> None:
    """Weigh worlds.

    Args:
        rules: rule data, shape (1,), of four players.
        known: what the seat knows, a state, shape (1,).
        key: key of a stream (uint64), for what worlds leave open.
        call_slip: factor of a call that the heuristic player would not have made.
        trust: how likely a side is to be heuristic players, before it has played a card.
        weighed: worlds drawn uniformly, of which the rest is written.
    """
    r = rules[0]
    line = np.empty(len(known[0].calls) + NUM_CARDS, np.int64)
    length = past_line(known[0], line)
    values = np.empty(NUM_CARDS)
    states = known.copy()
    s = states[0]
    total = 0.0
    for k in range(len(weighed.hands)):
        states[0] = known[0]
        for seat in range(NUM_SEATS):
            s.hands[seat] = weighed.hands[k, seat]
        lay_pack(r, s, substream(key, k))
        lay_out(r, s)
        weight, weighed.trust[k] = _likelihood(
            r, known[0], s, line, length, values, call_slip, trust
        )
        total += weight
        weighed.cumulative[k] = total


@part
def chance(word: Any) -> float:
    """A random word (uint64) as a number from 0 up to 1."""
    return float(int64(word >> uint64(11))) * _UNIT


@part
def likely_world(cumulative: Any, word: Any) -> int:
    """The number of a world drawn by weight, with a random word (uint64)."""
    goal = chance(word) * cumulative[-1]
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
def _choose_worlds(worlds: Worlds, num: int, key: Any, chosen: Worlds) -> int:
    """Draw ``num`` worlds by weight, evenly spread, and count each; how many are different."""
    spacing = worlds.cumulative[-1] / num
    offset = chance(draw(key, 0))
    count = 0
    last = 0.0
    for k in range(len(worlds.hands)):
        drawn = min(ceil(worlds.cumulative[k] / spacing - offset), num)
        if drawn > last:
            chosen.hands[count] = worlds.hands[k]
            chosen.cumulative[count] = drawn
            chosen.trust[count] = worlds.trust[k]
            count += 1
            last = drawn
    return count


class Beliefs:
    """How a searching agent comes by its worlds.

    Args:
        rules: rule data, shape (1,), of four players.
        weights: how likely worlds are taken to be.
        call_slip: see `weigh_worlds`, above 0 and at most 1.
        trust: the same, 0 to 1.

    Raises:
        ValueError: if an argument is out of its range.
    """

    def __init__(
        self, rules: NDArray[Any], weights: Weights, call_slip: float, trust: float
    ) -> None:
        check_choice("weights", weights, get_args(Weights))
        self._rules = rules
        self._tempers = (
            check_number("call_slip", call_slip, above=True, most=1),
            check_number("trust", trust, most=1),
        )
        self.uniform = weights == "uniform"

    def pool(self, known: NDArray[Any], key: np.uint64) -> Worlds:
        """Worlds drawn uniformly, weighed; none if all are taken to be as likely.

        Args:
            known: what the seat knows, a state, shape (1,).
            key: key of the random stream.
        """
        if self.uniform:
            return _uniform(np.empty((0, 4), np.uint32))
        hands = np.empty((_POOL, 4), np.uint32)
        if self._num_worlds(known) <= _POOL:
            hands = hands[: list_worlds(self._rules, known, hands)]
        else:
            sample_worlds(self._rules, known, key, 0, hands)
        return self._weighed(known, key, hands)

    def draw(self, known: NDArray[Any], key: np.uint64, num: int) -> Worlds:
        """Worlds to average over: all there are, with their weights, or ``num`` that are drawn.

        Args:
            known: what the seat knows, a state, shape (1,).
            key: key of the random stream.
            num: how many are enough; of those drawn more than once all but one are left out.
        """
        hands = np.empty((num, 4), np.uint32)
        if self._num_worlds(known) <= num:
            return self._weighed(known, key, hands[: list_worlds(self._rules, known, hands)])
        if self.uniform:
            sample_worlds(self._rules, known, key, 0, hands)
            return _uniform(hands)
        drawn = _uniform(hands)
        count = _choose_worlds(self.pool(known, key), num, key, drawn)
        return Worlds(hands[:count], drawn.cumulative[:count], drawn.trust[:count])

    def _num_worlds(self, known: NDArray[Any]) -> int:
        """How many worlds there are; an observation that no deal can have led to is refused."""
        num = num_worlds(self._rules, known)
        if num == 0:
            raise ValueError("observation: no deal can have led to it, use what a seat saw")
        return num

    def _weighed(self, known: NDArray[Any], key: np.uint64, hands: NDArray[np.uint32]) -> Worlds:
        worlds = _uniform(hands)
        if not self.uniform:
            weigh_worlds(self._rules, known, key, *self._tempers, worlds)
        return worlds


def _uniform(hands: NDArray[np.uint32]) -> Worlds:
    """Worlds of the same weight, of whose opponents nothing is expected."""
    return Worlds(hands, np.arange(1.0, len(hands) + 1), np.zeros(len(hands)))
