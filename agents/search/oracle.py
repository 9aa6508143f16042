"""The double-dummy player: what the cards are worth to who sees them all, an upper bound."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.oracle import OracleAgent
from agents.search.double_dummy import solve_cards
from agents.search.solver_input import check_rules
from agents.search.solver_table import new_table
from belote_env import RuleSet
from belote_env.cards import NUM_CARDS
from belote_env.rules import resolve


class DoubleDummyPlayer(OracleAgent):
    """Plays the card after which its side gets most if everybody sees all hands from then on.

    Of equally good cards the first.  It makes no calls: `agents.mixed` gives it another's.

    Args:
        rules: the rule set played.

    Raises:
        ValueError: on rules under which trick points do not decide a deal.
    """

    def __init__(self, rules: str | RuleSet = "classic") -> None:
        self._rules = resolve(rules)
        check_rules(self._rules)
        self._table = new_table()

    def act_states(
        self,
        states: NDArray[Any],
        observations: NDArray[np.uint8],
        masks: NDArray[np.int8],
    ) -> NDArray[np.int64]:
        """The best cards, for states in the play.

        Raises:
            ValueError: if a state is not in the play.
        """
        legal = masks[:, :NUM_CARDS] != 0
        actions = legal.argmax(axis=1)
        open_choice = np.flatnonzero(legal.sum(axis=1) != 1)
        margins = solve_cards(self._rules, states[open_choice], table=self._table).lower
        sides = 1 - 2 * (states["seat"][open_choice].astype(np.int64) % 2)
        worth = np.where(legal[open_choice], margins * sides[:, None], np.iinfo(np.int64).min)
        actions[open_choice] = worth.argmax(axis=1)
        return actions
