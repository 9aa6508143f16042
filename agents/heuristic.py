"""The heuristic agent: it calls and plays by rules of thumb, without search or learning.

    >>> agent = HeuristicAgent("classic")
    >>> outcomes = play_deals("classic", deals=1_000, seed=0, sides=("heuristic-v1", "random"))

It counts the cards, values its hand suit by suit and plays the card that its weights like best
(`agents.heuristics`); it has no random stream.  A version is never changed once it is published, so
that results against it stay comparable.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.heuristics.player import RANDOM, choose_actions, play_deals_of
from agents.heuristics.weights import CALLS, PLAY, VERSIONS
from agents.search.knowledge import known_states
from belote_env import Agent, RuleSet
from belote_env.checks import check_choice, check_whole, is_whole, require
from belote_env.engine.batch import OUTCOME_DTYPE
from belote_env.engine.options import rule_data
from belote_env.engine.rng import seed_key
from belote_env.engine.state import new_states
from belote_env.rules import resolve

_SIDES: Final = {
    "random": RANDOM,
    **{f"heuristic-v{version}": row for row, version in enumerate(VERSIONS)},
}
_MOST_DEALS: Final = 100_000_000


def _rules_of_four(rules: str | RuleSet) -> RuleSet:
    rules = resolve(rules)
    require(rules.num_seats == 4, "rules", rules.id, "rules of four players")
    return rules


class HeuristicAgent(Agent):
    """Plays from flat observations without canonical suits.

    Args:
        rules: the rule set that it is to play, of four players.
        version: one of `VERSIONS`.

    Raises:
        ValueError: if the rules are for two players, or there is no such version.
    """

    def __init__(self, rules: str | RuleSet = "classic", version: int = VERSIONS[-1]) -> None:
        known = is_whole(version) and version in VERSIONS
        require(known, "version", version, f"one of {', '.join(map(str, VERSIONS))}")
        self.rules = _rules_of_four(rules)
        self._row = VERSIONS.index(version)

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """A legal action."""
        return int(self.act_batch(observation["observation"][None], mask[None])[0])

    def act_batch(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """A legal action for each row.

        Raises:
            ValueError: if the observations are not those of the rules it plays.
        """
        known = known_states(self.rules, observations)
        actions = np.empty(len(known), np.int64)
        choose_actions(rule_data(self.rules), known, PLAY, CALLS, self._row, actions)
        return actions


def play_deals(
    rules: str | RuleSet,
    deals: int,
    seed: int,
    sides: tuple[str, str] = ("heuristic-v1", "heuristic-v1"),
    first: int = 0,
) -> NDArray[Any]:
    """Play whole deals in one call.

    Args:
        rules: a rule set of four players, or its id.
        deals: number of deals; deal k is the first of environment k of a
            `belote_env.SelfPlayVectorEnv` with the same seed.
        seed: seed of the cards, and of random play.
        sides: who plays seats 0 and 2, and who 1 and 3: ``"random"`` or ``"heuristic-v1"``.
        first: the first deal.

    Returns:
        How the deals ended, dtype `OUTCOME_DTYPE` [deals].

    Raises:
        ValueError: if the rules are for two players, or a number or a side is none.
    """
    rules = _rules_of_four(rules)
    deals = check_whole("deals", deals, 1, _MOST_DEALS)
    first = check_whole("first", first, most=_MOST_DEALS)
    for side in sides:
        check_choice("sides", side, tuple(_SIDES))
    rows = np.array([_SIDES[side] for side in sides])
    out = np.zeros(deals, OUTCOME_DTYPE)
    play_deals_of(rule_data(rules), new_states(1), seed_key(seed), first, rows, PLAY, CALLS, out)
    return out
