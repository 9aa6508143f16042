"""One agent's calls with another's cards, to tell what each is worth.

>>> make_agent("mixed(bids=heuristic, cards=random)")
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.oracle import OracleAgent, Player, act_seated, check_player
from belote_env import Agent
from belote_env.actions import PASS
from belote_env.agent import act_batch

Half = TypeVar("Half", Agent, Player)


class MixedAgent(Agent):
    """Calls as one agent does, and plays and speaks as another.

    Args:
        bids: agent that makes the calls.
        cards: agent that plays the cards, and says what is asked of it in the play.
    """

    def __init__(self, bids: Agent, cards: Agent) -> None:
        self._bids = bids
        self._cards = cards

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """What the agent whose turn it is would do."""
        agent = self._bids if mask[PASS] else self._cards
        return agent.act(observation, mask, info)

    def act_batch(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """What the agents whose turn it is would do."""
        actions = np.empty(len(masks), np.int64)
        for agent, rows in _halves(self._bids, self._cards, masks):
            actions[rows] = act_batch(agent, observations[rows], masks[rows])
        return actions


class MixedOracle(OracleAgent):
    """`MixedAgent` of players of whom one at least sees hidden cards."""

    def __init__(self, bids: Player, cards: Player) -> None:
        self._bids = bids
        self._cards = cards

    def act_states(
        self,
        states: NDArray[Any],
        observations: NDArray[np.uint8],
        masks: NDArray[np.int8],
    ) -> NDArray[np.int64]:
        """What the players whose turn it is would do."""
        actions = np.empty(len(masks), np.int64)
        for player, rows in _halves(self._bids, self._cards, masks):
            actions[rows] = act_seated(player, states[rows], observations[rows], masks[rows])
        return actions


def mix(bids: Player, cards: Player) -> Player:
    """The player of these halves: an oracle if one of them is.

    Raises:
        ValueError: if one of them is neither an agent nor an oracle.
    """
    check_player("bids", bids)
    check_player("cards", cards)
    if isinstance(bids, OracleAgent) or isinstance(cards, OracleAgent):
        return MixedOracle(bids, cards)
    return MixedAgent(bids, cards)


def _halves(
    bids: Half, cards: Half, masks: NDArray[np.int8]
) -> list[tuple[Half, NDArray[np.int64]]]:
    """Each half with its rows, if it has any: in the auction one may always pass."""
    auction = masks[:, PASS] != 0
    halves = (bids, auction.nonzero()[0]), (cards, (~auction).nonzero()[0])
    return [(player, rows) for player, rows in halves if len(rows)]
