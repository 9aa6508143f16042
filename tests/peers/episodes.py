"""Episodes of the environment played by agents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from belote_env import Agent


def play(env: Any, agents: Sequence[Agent]) -> Iterator[int]:
    """Play an episode; each action before it is stepped."""
    for name in env.agent_iter():
        observation, _, termination, truncation, info = env.last()
        action = None
        if not (termination or truncation):
            agent = agents[env.possible_agents.index(name)]
            action = agent.act(observation, observation["action_mask"], info)
            yield action
        env.step(action)
