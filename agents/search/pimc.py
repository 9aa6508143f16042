"""Perfect-information Monte Carlo: the card that is best on average over worlds that are solved.

    >>> agent = PimcAgent("classic", worlds=32, seed=0)

In each world drawn (`agents.search.determinize`) the solver says what every legal card is worth if
everybody sees all hands from then on.  What it says is turned into marks, under the score and what
is carried, before it is averaged (Ginsberg 2001 for bridge).  On request hands are not seen before
some more cards have been played (`agents.search.postponed`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count, pairwise
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from agents.heuristics.player import heuristic_action
from agents.search.agent import MOST_THREADS, MOST_WORLDS, SearchAgent, check_time
from agents.search.beliefs import Beliefs, Weights, Worlds
from agents.search.determinize import num_worlds
from agents.search.double_dummy import NOT_LEGAL, UNLIMITED, bound_cards, to_margin
from agents.search.hindsight import judge_worlds
from agents.search.marks import UNIT, enter_marks, expect_losses
from agents.search.postponed import value_cards_ahead
from agents.search.solver_input import check_rules
from agents.search.solver_table import NUM_VALUES, OFFSET, new_table
from agents.search.solver_words import WORTH, workspace
from belote_env import RuleSet
from belote_env.actions import BID_GENERALE
from belote_env.cards import HAND_SIZE, NUM_CARDS
from belote_env.checks import check_choice, check_number, check_whole
from belote_env.engine.bits import popcount
from belote_env.engine.jit import kernel
from belote_env.engine.options import rule_data
from belote_env.engine.rng import stream_key
from belote_env.engine.state import PLAY, new_states

Objective = Literal["marks", "points"]

_MARKS: Final = 0
_MARGIN: Final = 1
_MOST_POSTPONED: Final = 4
_MOST_LOST: Final = 100
_LEAST_SLIP: Final = 1e-6
_SHARE: Final = 4
"""Worlds that a thread solves before it looks at the clock."""
_AT_ONCE: Final = 256
"""Worlds that are drawn at once where the clock decides how many are solved."""


@kernel
def value_cards(
    rules: Any, states: Any, exact: bool, budget: int, loss: float, table: Any, values: Any
) -> None:
    """What every legal card is worth to the side of seat 0 in some worlds.

    If marks are enough, the solver stops as soon as they are certain: all trick points with which a
    contract fails are the same to it.

    Args:
        rules: rule data, shape (1,), of four players.
        states: the worlds, in the play, shape (n,).
        exact: whether margins must be exact too.
        budget: how many cards the solver may play in a world.
        loss: points that the own side loses yet with a full hand, less with fewer cards.
        table: from `new_table`.
        values: float64 [n, 32, 2] to write: marks of the own side less the others', and margins of
            trick points, both in the middle of what is left open.
    """
    r = rules[0]
    work = workspace()
    lower = np.empty(NUM_CARDS, np.int64)
    upper = np.empty(NUM_CARDS, np.int64)
    ended = states[:1].copy()
    marks = work
    zero = WORTH
    if exact:
        marks = np.empty(NUM_VALUES, np.int64)
        zero = OFFSET
    for k in range(len(states)):
        contract = int64(states[k].contract)
        given = enter_marks(r, states, k, ended, marks, zero)
        cards_left = popcount(int64(states[k].hands[0]))
        expect_losses(r, contract, marks, zero, given, loss * cards_left / HAND_SIZE)
        bound_cards(r, states[k], work, table, budget, lower, upper)
        for card in range(NUM_CARDS):
            if lower[card] != NOT_LEGAL:
                value = (lower[card] + upper[card]) >> 1
                values[k, card, _MARKS] = marks[zero + value] / UNIT
                values[k, card, _MARGIN] = to_margin(r, contract, value)


@kernel
def _heuristic(rules: Any, known: Any) -> int:
    return heuristic_action(rules[0], known[0])


def _distinct(worlds: Worlds) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Worlds without those drawn again, [n, 4], and the share of each, [n]."""
    hands, place = np.unique(worlds.hands, axis=0, return_inverse=True)
    shares = np.zeros(len(hands))
    np.add.at(shares, place.ravel(), worlds.shares)
    return hands, shares


def _check_budget(name: str, budget: int | None) -> int:
    return UNLIMITED if budget is None else check_whole(name, budget, most=UNLIMITED)


class PimcAgent(SearchAgent):
    """Plays the card that is best on average; it calls and speaks as the heuristic player does.

    Args:
        rules: the rule set that it is to play, of four players and `announce: auto`.
        worlds: worlds of a decision, up to `MOST_WORLDS`.  If no more are possible, all of them are
            looked at.
        time_ms: milliseconds of a decision, up to `MOST_MS`, in place of ``worlds``; it ends sooner
            if all worlds that are possible have been looked at, and cannot be repeated exactly
            otherwise.
        objective: what is averaged, ``"marks"`` or trick ``"points"``.
        expected_loss: points that its side is taken to lose with a full hand, and less with fewer
            cards, as it will not see all hands; 0 to 100.  Marks are averaged over what is lost, so
            a contract that is only just made in a world counts for less.
        weights: how likely worlds are taken to be (`agents.search.beliefs`).
        call_slip: if by the heuristic player, how likely another call is than the one it makes.
        trust: and how likely a side is to be heuristic players before it has played a card, 0 to 1.
        budget: how many cards the solver may play in a world, up to `UNLIMITED`; None for as many
            as it needs.
        postpone: how many more cards are played before all hands are seen, 0 to 4; the worlds of
            a decision must be given by number.
        postpone_hand: most cards in the hand with which that is done: each card more takes several
            times as long.
        hindsight: most cards in the hand of an opponent with which the cards that it has played
            count by how good they were, 0 to 8, 0 for never (`agents.search.hindsight`).
        card_slip: how likely a card is then that was not among the best, 1e-6 to 1.
        hindsight_budget: how many cards the solver may play to find that out in a world, up to
            `UNLIMITED`; None for as many as it needs.  The last cards are judged first, and those
            that are left count as best.
        threads: threads that share the worlds, up to `MOST_THREADS`; decisions do not depend on it.
        seed: seed of its random numbers; fresh entropy for None.

    Raises:
        ValueError: if an argument is out of its range, or the solver refuses the rules.
    """

    def __init__(
        self,
        rules: str | RuleSet = "classic",
        worlds: int = 32,
        time_ms: float | None = None,
        objective: Objective = "marks",
        expected_loss: float = 0.0,
        weights: Weights = "uniform",
        call_slip: float = 0.1,
        trust: float = 0.5,
        budget: int | None = None,
        postpone: int = 0,
        postpone_hand: int = 5,
        hindsight: int = 0,
        card_slip: float = 0.2,
        hindsight_budget: int | None = None,
        threads: int = 1,
        seed: int | None = None,
    ) -> None:
        super().__init__(rules, seed)
        check_rules(self.rules)
        check_choice("objective", objective, get_args(Objective))
        self._data = rule_data(self.rules)
        self._beliefs = Beliefs(self._data, weights, call_slip, trust)
        self._worlds = check_whole("worlds", worlds, 1, MOST_WORLDS)
        self._time_ms = check_time(time_ms)
        self._main = _MARGIN if objective == "points" else _MARKS
        self._loss = check_number("expected_loss", expected_loss, most=_MOST_LOST)
        self._budget = _check_budget("budget", budget)
        self._postpone = check_whole("postpone", postpone, most=_MOST_POSTPONED)
        if self._postpone and time_ms is not None:
            raise ValueError(
                f"time_ms={time_ms!r}: use None, and worlds instead, if all hands are seen later"
            )
        self._postpone_hand = check_whole("postpone_hand", postpone_hand, 1, HAND_SIZE)
        self._hindsight = check_whole("hindsight", hindsight, most=HAND_SIZE)
        self._card_slip = check_number("card_slip", card_slip, least=_LEAST_SLIP, most=1)
        self._hindsight_budget = _check_budget("hindsight_budget", hindsight_budget)
        threads = check_whole("threads", threads, 1, MOST_THREADS)
        self._tables = [new_table() for _ in range(threads)]

    def decide(self, known: NDArray[Any], legal: NDArray[np.int64], key: np.uint64) -> int:
        """The best card on average; of equals the one better by the other count, then the first."""
        generale = known["bid"][0] == BID_GENERALE + 1  # won by tricks of one seat: not solved
        if known["phase"][0] != PLAY or generale:
            return int(_heuristic(self._data, known))
        means = self.evaluate(known, key)
        if self._main == _MARGIN:
            means = means[:, ::-1]
        return int(max(legal, key=lambda card: tuple(means[card])))

    def evaluate(self, known: NDArray[Any], key: np.uint64) -> NDArray[np.float64]:
        """Marks and trick points of the own side less the others', means by card, float64 [32, 2].

        Where marks are the objective and all hands are seen at once, points are in the middle of
        what the marks leave open.

        Args:
            known: what the seat knows, a state of the play, shape (1,).
            key: key of the random stream of this decision.
        """
        if self._time_ms is None:
            sums, total = self._sum(
                known, key, *_distinct(self._beliefs.draw(known, key, self._worlds))
            )
            return sums / total
        end = time.perf_counter() + self._time_ms / 1_000
        all_at_once = num_worlds(self._data, known) <= _AT_ONCE
        sums = np.zeros((NUM_CARDS, 2))
        total = 0.0
        for draws in count():
            worlds = self._beliefs.draw(known, np.uint64(stream_key(key, draws)), _AT_ONCE)
            hands, shares = _distinct(worlds)
            order = np.random.default_rng((int(key), draws)).permutation(len(hands))
            for start in range(0, len(order), _SHARE * len(self._tables)):
                part = order[start : start + _SHARE * len(self._tables)]
                more, share = self._sum(known, key, hands[part], shares[part])
                sums += more
                total += share
                if time.perf_counter() >= end:
                    return sums / total
            if all_at_once:
                break
        return sums / total

    def _sum(
        self,
        known: NDArray[Any],
        key: np.uint64,
        hands: NDArray[np.uint32],
        shares: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], float]:
        """Sums over some worlds, each by its share in hindsight, and the sum of the shares."""
        if self._hindsight:
            shares = shares * self._judge(known, key, hands)
        states = new_states(len(hands))
        states[:] = known
        states["hands"] = hands
        postpone = 0
        if int(known["hands"][0, 0]).bit_count() <= self._postpone_hand:
            postpone = min(self._postpone, NUM_CARDS - 1 - int(known["num_played"][0]))
        # Seats that do not see all hands settle ties by points, which changes others' marks.
        solve = partial(self._solve, postpone > 0 or self._main == _MARGIN)
        values = value_cards_ahead(self._data, states, shares, postpone, self._main, solve)
        return np.einsum("k,kco->co", shares, values), float(shares.sum())

    def _judge(
        self, known: NDArray[Any], key: np.uint64, hands: NDArray[np.uint32]
    ) -> NDArray[np.float64]:
        """How likely the opponents have played their cards, [n]; see `judge_worlds`."""
        chances = np.empty(len(hands))

        def judge(own: slice, table: NDArray[np.int64]) -> None:
            judge_worlds(
                self._data,
                known,
                hands[own],
                key,
                self._hindsight,
                self._card_slip,
                self._hindsight_budget,
                table,
                chances[own],
            )

        self._shared(judge, len(hands))
        return chances

    def _solve(self, exact: bool, states: NDArray[Any]) -> NDArray[np.float64]:
        """What every card is worth if all hands are seen, [n, 32, 2]; see `value_cards`."""
        values = np.zeros((len(states), NUM_CARDS, 2))

        def solve(own: slice, table: NDArray[np.int64]) -> None:
            value_cards(
                self._data, states[own], exact, self._budget, self._loss, table, values[own]
            )

        self._shared(solve, len(states))
        return values

    def _shared(self, task: Callable[[slice, NDArray[np.int64]], None], num: int) -> None:
        """Do a task for ``num`` worlds, an equal share in each thread, with a table of its own."""
        threads = len(self._tables)
        ends = [thread * num // threads for thread in range(threads + 1)]
        shares = [slice(*pair) for pair in pairwise(ends)]
        if threads == 1:
            task(shares[0], self._tables[0])
            return
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(task, shares, self._tables))
