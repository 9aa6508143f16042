"""Agents that follow a deal event by event, told of it from what a seat observes.

    >>> agent = FollowingAgent(CountsTrumps(), rules="classic")

An observation holds the whole public history of the deal.  So before each decision the agent is
told the deal from its start: it plays any number of seats and games in turn, in any batch, and a
position may be copied or gone back to.  It need do no more than begin anew at `Agent.start_deal`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.knowledge import known_states
from belote_env import Agent, RuleSet
from belote_env.agent import PublicEvent
from belote_env.engine.batch import OBSERVE
from belote_env.game import parse_episode
from belote_env.observation import schema, views
from belote_env.rows import Rows
from belote_env.rules import resolve
from belote_env.vector import parse_reward


def public_events(rules: str | RuleSet, observations: NDArray[np.uint8]) -> list[list[PublicEvent]]:
    """What everybody has seen and heard of each deal, in order; seats are counted from the own.

    Args:
        rules: the rule set, of four players.
        observations: uint8 [N, D], flat and without canonical suits.

    Raises:
        ValueError: if the observations are not those of the rules.
    """
    rules = resolve(rules)
    states = known_states(rules, observations)
    rows = Rows(rules, states, parse_episode("deal"), parse_reward("marks"), False, "history")
    rows.run(OBSERVE, len(states))
    slices = schema(rules, "history")
    return [
        [PublicEvent(what, who - 1) for what, who in views(row, slices)["events"].tolist() if what]
        for row in rows.obs
    ]


class FollowingAgent(Agent):
    """Tells an agent of each deal before it asks it to act.

    Args:
        agent: one with `Agent.start_deal` and `Agent.observe`.
        rules: the rule set that it plays, of four players.
    """

    def __init__(self, agent: Agent, rules: str | RuleSet = "classic") -> None:
        self._agent = agent
        self._rules = resolve(rules)

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """What the agent does, having been told of the deal so far."""
        (events,) = public_events(self._rules, observation["observation"][None])
        self._agent.start_deal(self._rules)
        for event in events:
            self._agent.observe(event)
        return self._agent.act(observation, mask, info)
