"""Agents that see hidden cards, as a type of their own: they bound what an honest agent can win.

They have no `act`, so nothing that takes an `Agent` takes one; `agents.registry.make_agent` refuses
their names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from belote_env import Agent
from belote_env.agent import act_batch, check_agent
from belote_env.checks import require


class OracleAgent(ABC):
    """Chooses actions with all cards on the table; for evaluation alone."""

    @abstractmethod
    def act_states(
        self,
        states: NDArray[Any],
        observations: NDArray[np.uint8],
        masks: NDArray[np.int8],
    ) -> NDArray[np.int64]:
        """A legal action for the seat to act of each state, int64 [N].

        Args:
            states: shape (N,), dtype `belote_env.engine.state.STATE_DTYPE`, not to be changed.
            observations: what those seats may see, uint8 [N, D].
            masks: their legal actions, int8 [N, A].
        """


Player = Agent | OracleAgent
"""What may sit at a table of an evaluation."""


def check_player(name: str, player: object) -> None:
    """Refuse what may not sit at a table of an evaluation.

    Raises:
        ValueError: if it is neither an oracle nor an agent, as `check_honest` has it.
    """
    if not isinstance(player, OracleAgent):
        check_honest(name, player)


def check_honest(name: str, agent: object) -> None:
    """Refuse what is no agent, as `belote_env.agent.check_agent`, and None too.

    Raises:
        ValueError: if it cannot act from an observation alone.
    """
    require(agent is not None, name, agent, "an agent")
    check_agent(name, agent)


def act_seated(
    player: Player,
    states: NDArray[Any],
    observations: NDArray[np.uint8],
    masks: NDArray[np.int8],
) -> NDArray[np.int64]:
    """Actions of a player, int64 [N]; only an oracle is shown the states."""
    if isinstance(player, OracleAgent):
        return player.act_states(states, observations, masks)
    return act_batch(player, observations, masks)
