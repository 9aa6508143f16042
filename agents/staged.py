"""One agent's opening with another's ending: slow search where it is quick and pays most.

>>> make_agent("staged(opening=ismcts, ending=pimc(worlds=64), tricks=6)")
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.oracle import check_honest
from belote_env import Agent, RuleSet
from belote_env.actions import PASS
from belote_env.agent import act_batch
from belote_env.cards import HAND_SIZE
from belote_env.checks import check_whole
from belote_env.observation import schema, views
from belote_env.rules import resolve


class StagedAgent(Agent):
    """Calls and begins the play as one agent does, and ends it as another.

    Args:
        opening: the agent that begins.
        ending: the agent that ends.
        rules: the rule set that they play.
        tricks: how many of the tricks, the last ones, are the ending, 0 to 8.

    Raises:
        ValueError: if there are not so many tricks, or one that is to play is no agent.
    """

    def __init__(
        self, opening: Agent, ending: Agent, rules: str | RuleSet = "classic", tricks: int = 6
    ) -> None:
        check_honest("opening", opening)
        check_honest("ending", ending)
        self._opening = opening
        self._ending = ending
        self._tricks = check_whole("tricks", tricks, most=HAND_SIZE)
        self._schema = schema(resolve(rules))

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """What the agent whose turn it is would do."""
        seen = observation["observation"]
        return self._agent(bool(self._ends(seen[None], mask[None])[0])).act(observation, mask, info)

    def act_batch(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """What the agents whose turn it is would do."""
        actions = np.empty(len(masks), np.int64)
        ends = self._ends(observations, masks)
        for ending in (False, True):
            rows = np.flatnonzero(ends == ending)
            if len(rows):
                actions[rows] = act_batch(self._agent(ending), observations[rows], masks[rows])
        return actions

    def _agent(self, ending: bool) -> Agent:
        return self._ending if ending else self._opening

    def _ends(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Whether the seat to act has come to the ending: in the auction one may always pass."""
        cards = views(observations, self._schema)["hand"].sum(axis=1)
        return (cards <= self._tricks) & (masks[:, PASS] == 0)
