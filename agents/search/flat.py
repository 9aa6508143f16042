"""Flat Monte Carlo: every legal action tried in the same worlds, the best on average taken.

    >>> agent = FlatAgent("contree", worlds=256, seed=0)

After an action the heuristic player calls and plays for everybody, to the end or, on request, to
where the solver tells what the deal is worth.  It suits the auction, where what follows a call is
long and hardly turns on what the others know: `mixed(bids=montecarlo, cards=...)`.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from agents.search.agent import MOST_WORLDS, SearchAgent
from agents.search.beliefs import Beliefs, Weights
from agents.search.pack import enter_world
from agents.search.playouts import HEURISTIC, finish
from agents.search.solver_input import check_rules
from agents.search.solver_table import new_table
from agents.search.solver_words import workspace
from belote_env import RuleSet
from belote_env.cards import NUM_CARDS
from belote_env.checks import check_choice, check_whole
from belote_env.engine.jit import kernel
from belote_env.engine.options import rule_data
from belote_env.engine.rng import substream
from belote_env.engine.step import step

Valuer = Literal["heuristic", "solver"]


@kernel
def value_actions(
    rules: Any,
    known: Any,
    hands: Any,
    key: Any,
    actions: Any,
    stop: int,
    table: Any,
    values: Any,
) -> None:
    """Marks of seat 0's side less the others' after each of some actions, in some worlds.

    Args:
        rules: rule data, shape (1,), of four players.
        known: what the seat knows, a state, shape (1,).
        hands: the worlds, uint32 [n, 4].
        key: key of a random stream (uint64), for what worlds leave open.
        actions: legal action ids, int64 [m].
        stop: cards after which the solver takes over; 32 for never.
        table: of the solver, from `new_table`.
        values: float64 [n, m] to write.
    """
    r = rules[0]
    work = workspace()
    states = known.copy()
    for k in range(len(hands)):
        for i in range(len(actions)):
            states[0] = known[0]
            s = states[0]
            enter_world(r, s, hands[k], substream(key, k))
            step(r, s, actions[i])
            finish(r, s, HEURISTIC, stop, key, work, table)
            values[k, i] = s.marks[0] - s.marks[1]


class FlatAgent(SearchAgent):
    """Tries every legal action in the same worlds.

    Args:
        rules: the rule set that it is to play, of four players.
        worlds: worlds of a decision, up to `MOST_WORLDS`.  If no more are possible, all of them are
            looked at.
        valuer: what plays the cards once the auction is over: ``"heuristic"``, or ``"solver"``, for
            which everybody sees all hands.
        weights: how likely worlds are taken to be (`agents.search.beliefs`).
        call_slip: if by the heuristic player, how likely another call is than the one it makes.
        trust: and how likely a side is to be heuristic players before it has played a card, 0 to 1.
        seed: seed of its random numbers; fresh entropy for None.

    Raises:
        ValueError: if an argument is out of its range, or the solver is asked for under rules that
            it refuses.
    """

    def __init__(
        self,
        rules: str | RuleSet = "classic",
        worlds: int = 256,
        valuer: Valuer = "heuristic",
        weights: Weights = "heuristic",
        call_slip: float = 0.1,
        trust: float = 0.5,
        seed: int | None = None,
    ) -> None:
        super().__init__(rules, seed)
        check_choice("valuer", valuer, get_args(Valuer))
        if valuer == "solver":
            check_rules(self.rules)
        self._data = rule_data(self.rules)
        self._beliefs = Beliefs(self._data, weights, call_slip, trust)
        self._worlds = check_whole("worlds", worlds, 1, MOST_WORLDS)
        self._stop = 0 if valuer == "solver" else NUM_CARDS
        self._table = new_table()

    def decide(self, known: NDArray[Any], legal: NDArray[np.int64], key: np.uint64) -> int:
        """The action that is best on average, of equals the first."""
        return int(legal[self.evaluate(known, legal, key).argmax()])

    def evaluate(
        self, known: NDArray[Any], actions: NDArray[np.int64], key: np.uint64
    ) -> NDArray[np.float64]:
        """Marks of the own side less the others' after each action, means, float64 [m].

        Args:
            known: what the seat knows, a state, shape (1,).
            actions: legal action ids, int64 [m].
            key: key of the random stream of this decision.
        """
        worlds = self._beliefs.draw(known, key, self._worlds)
        values = np.empty((len(worlds.hands), len(actions)))
        value_actions(
            self._data, known, worlds.hands, key, actions, self._stop, self._table, values
        )
        return worlds.shares @ values
