"""The network: an actor that sees one seat's observation and a critic that sees all hands.

The critic is used in training alone (PerfectDou, NeurIPS 2022: perfect training, imperfect
execution).  The two share no weight, so nothing hidden reaches the actor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from agents.learned.distributions import MaskedCategorical
from belote_env import observation
from belote_env.checks import require
from belote_env.rules import RuleSet


@dataclass
class NetworkConfig:
    """Widths of the hidden layers and the form of the input.

    Attributes:
        actor: widths of the actor's hidden layers.
        critic: widths of the critic's hidden layers.
        canonical_suits: whether it sees suits in canonical order (trump first).
    """

    actor: list[int]
    critic: list[int]
    canonical_suits: bool

    def __post_init__(self) -> None:
        for name in ("actor", "critic"):
            widths = getattr(self, name)
            require(
                len(widths) > 0 and min(widths) > 0, name, widths, "one or more positive widths"
            )


class Scale(nn.Module):
    """Bytes to floats in [0, 1], each by its range in the observation's schema."""

    low: Tensor
    factor: Tensor

    def __init__(self, slices: tuple[observation.Slice, ...]) -> None:
        super().__init__()
        low, high = (torch.from_numpy(bound).float() for bound in observation.bounds(slices))
        # Not persistent: the schema's version, which a checkpoint carries, stands for them.
        self.register_buffer("low", low, persistent=False)
        self.register_buffer("factor", 1.0 / (high - low), persistent=False)

    def forward(self, vectors: Tensor) -> Tensor:
        """Scale uint8 vectors [N, D] to float32."""
        return (vectors.float() - self.low) * self.factor


def mlp(inputs: int, widths: Sequence[int], outputs: int, output_gain: float) -> nn.Sequential:
    """A multilayer perceptron with ReLU, orthogonally initialised."""
    layers: list[nn.Module] = []
    for width in widths:
        layers += [_linear(inputs, width, math.sqrt(2)), nn.ReLU()]
        inputs = width
    return nn.Sequential(*layers, _linear(inputs, outputs, output_gain))


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class ActorCritic(nn.Module):
    """One policy for all seats, and a value of the deal for the seat to act.

    Args:
        rules: the rule set, which fixes the sizes of observation and state and the actions.
        config: the widths.

    Attributes:
        obs_size: length of an observation; a state begins with one.
    """

    def __init__(self, rules: RuleSet, config: NetworkConfig) -> None:
        super().__init__()
        obs_slices = observation.schema(rules)
        state_slices = observation.state_schema(rules)
        self.obs_size = observation.total_size(obs_slices)
        state_size = observation.total_size(state_slices)
        # A small output gain makes the first policy uniform over the legal actions.
        actor = mlp(self.obs_size, config.actor, rules.num_actions, output_gain=0.01)
        critic = mlp(state_size, config.critic, 1, output_gain=1.0)
        self.actor = nn.Sequential(Scale(obs_slices), actor)
        self.critic = nn.Sequential(Scale(state_slices), critic)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    def policy(self, obs: Tensor, mask: Tensor) -> MaskedCategorical:
        """Distribution of a batch of observations (uint8 [N, D]) and masks (bool [N, A])."""
        return MaskedCategorical(self.actor(obs), mask)

    def value(self, state: Tensor) -> Tensor:
        """Expected rest of the return [N] for the seat to act, from full states (uint8 [N, S])."""
        return self.critic(state).squeeze(-1)
