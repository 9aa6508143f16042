from __future__ import annotations

import pytest
import torch

from agents.learned.network import ActorCritic, NetworkConfig
from agents.learned.ppo import PPOConfig
from belote_env import RuleSet, rules

FAMILIES = ("classic", "contree", "two_player")
"""A preset of each family: other seats, actions and observations."""


@pytest.fixture
def classic() -> RuleSet:
    return rules.preset("classic")


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> RuleSet:
    return rules.preset(request.param)


@pytest.fixture
def network_config() -> NetworkConfig:
    return NetworkConfig(actor=[16], critic=[16], canonical_suits=True)


@pytest.fixture
def network(classic: RuleSet, network_config: NetworkConfig) -> ActorCritic:
    torch.manual_seed(0)
    return ActorCritic(classic, network_config)


@pytest.fixture
def family_network(family: RuleSet, network_config: NetworkConfig) -> ActorCritic:
    torch.manual_seed(0)
    return ActorCritic(family, network_config)


@pytest.fixture
def ppo_config() -> PPOConfig:
    return PPOConfig(
        epochs=2,
        minibatch=128,
        learning_rate_start=1e-3,
        learning_rate_end=1e-4,
        entropy_start=0.02,
        entropy_end=0.01,
        clip=0.2,
        value_weight=0.5,
        gamma=1.0,
        gae_lambda=0.95,
        max_grad_norm=0.5,
    )
