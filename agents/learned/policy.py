"""The learned policy as an agent.

>>> agent = LearnedAgent.load("runs/mine")
>>> actions = agent.act_batch(observations, masks)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from agents.learned.checkpoint import CheckpointError, latest, load_network
from agents.learned.network import ActorCritic
from belote_env import Agent, RuleSet
from belote_env.canonical import ACTION_PLACES, observation_places, suit_orders
from belote_env.observation import schema, total_size
from belote_env.rules import resolve


class LearnedAgent(Agent):
    """Plays by a network, from observations without canonical suits.

    Args:
        network: the network; it may go on learning.
        rules: the rule set it was made for.
        canonical_suits: whether the network sees suits in canonical order.
        greedy: play the likeliest action, or draw one.
        seed: seed of the draws, the agent's own random stream.
    """

    def __init__(
        self,
        network: ActorCritic,
        rules: RuleSet,
        canonical_suits: bool,
        greedy: bool = True,
        seed: int = 0,
    ) -> None:
        self.rules = rules
        self._width = total_size(schema(rules))
        self._network = network
        self._canonical_suits = canonical_suits
        self._greedy = greedy
        self._generator = torch.Generator(network.device).manual_seed(seed)

    @classmethod
    def load(
        cls,
        path: str | Path,
        rules: str | RuleSet | None = None,
        *,
        greedy: bool = True,
        seed: int = 0,
        device: str = "cpu",
    ) -> Self:
        """Load a checkpoint, or the last one of a run's directory.

        Args:
            path: a checkpoint's folder, or a run's directory.
            rules: the rules it is wanted for; None for its own.
            greedy: play the likeliest action, or draw one.
            seed: seed of the draws.
            device: where the network computes.

        Raises:
            CheckpointError: if there is none, it is damaged, or it was made for other rules or
                another schema of the observation.
        """
        wanted = None if rules is None else resolve(rules)
        path = Path(path)
        checkpoints = path / "checkpoints"
        if checkpoints.is_dir():
            last = latest(checkpoints)
            if last is None:
                raise CheckpointError(f"{path} holds no whole checkpoint yet")
            path = last
        network, description = load_network(path, wanted)
        made_for = description.rule_set
        canonical = description.network.canonical_suits
        return cls(network.to(device), made_for, canonical, greedy, seed)

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """A legal action, for an observation without canonical suits."""
        return int(self.act_batch(observation["observation"][None], mask[None])[0])

    @torch.no_grad()
    def act_batch(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """A legal action for each row, for observations without canonical suits.

        Raises:
            ValueError: if the observations are not those of the rules it was trained for.
        """
        if observations.shape[1] != self._width:
            raise ValueError(
                f"the agent was trained for {self.rules.id}, whose observations have {self._width}"
                f" bytes; these have {observations.shape[1]}: they are of other rules"
            )
        places = None
        if self._canonical_suits:
            order = suit_orders(observations, self.rules)
            moved = observation_places(self.rules)[order]
            observations = np.take_along_axis(observations, moved, axis=1)
            places = ACTION_PLACES[order, : masks.shape[1]]
            masks = np.take_along_axis(masks, places, axis=1)
        device = self._network.device
        policy = self._network.policy(
            torch.tensor(observations, device=device),
            torch.tensor(masks, dtype=torch.bool, device=device),
        )
        chosen = policy.mode() if self._greedy else policy.sample(self._generator)
        actions = chosen.cpu().numpy()
        return actions if places is None else places[np.arange(len(actions)), actions]
