from __future__ import annotations

import pytest
import torch

from agents.learned.network import ActorCritic, NetworkConfig, Scale
from belote_env import RuleSet, SelfPlayVectorEnv, observation, rules


@pytest.mark.parametrize("preset", list(rules.PRESETS))
def test_inputs_are_scaled_to_0_1(preset: str) -> None:
    env = SelfPlayVectorEnv(32, preset, seed=0)
    _, mask, _ = env.reset()
    scale = Scale(observation.state_schema(preset))
    for _ in range(45):
        _, mask, *_ = env.step(mask.argmax(axis=1))
        scaled = scale(torch.from_numpy(env.state()))
        assert scaled.min() >= 0
        assert scaled.max() <= 1


def test_scale_uses_the_bounds_of_each_byte(classic: RuleSet) -> None:
    slices = observation.schema(classic)
    _, high = observation.bounds(slices)
    scaled = Scale(slices)(torch.from_numpy(high)[None])
    torch.testing.assert_close(scaled, torch.ones_like(scaled))


def test_actor_and_critic_share_no_weight(network: ActorCritic) -> None:
    size = observation.total_size(observation.state_schema("classic"))
    state = torch.randint(0, 2, (4, size), dtype=torch.uint8)
    network.value(state).sum().backward()
    assert all(parameter.grad is None for parameter in network.actor.parameters())
    assert all(parameter.grad is not None for parameter in network.critic.parameters())


def test_first_policy_is_nearly_uniform(family: RuleSet, family_network: ActorCritic) -> None:
    obs = torch.randint(0, 2, (64, family_network.obs_size), dtype=torch.uint8)
    mask = torch.ones((64, family.num_actions), dtype=torch.bool)
    entropy = family_network.policy(obs, mask).entropy()
    uniform = torch.full((64,), float(family.num_actions)).log()
    torch.testing.assert_close(entropy, uniform, atol=0.01, rtol=0)


def test_widths_must_be_positive() -> None:
    with pytest.raises(ValueError, match=r"critic=\[64, 0\]: use one or more positive widths"):
        NetworkConfig(actor=[64], critic=[64, 0], canonical_suits=True)
    with pytest.raises(ValueError, match=r"actor=\[\]"):
        NetworkConfig(actor=[], critic=[64], canonical_suits=True)
