from __future__ import annotations

import copy
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.learned.network import ActorCritic
from agents.learned.ppo import PPOConfig, anneal, generalized_advantages, make_optimizer, update
from agents.learned.rollout import Batch, collect
from belote_env import RandomAgent, RuleSet, SelfPlayVectorEnv


def test_each_seat_bootstraps_from_its_own_next_decision() -> None:
    # Two deals. In deal 0 the seats decide in the order 0, 1, 1 (twice in a row), 3, 0 and a forced
    # card, which is no row, ends it; in deal 1 seats 2, 3, then a forced card, then 2.
    deal = np.array([0, 1, 0, 1, 0, 0, 1, 0])
    seat = np.array([0, 2, 1, 3, 1, 3, 2, 0])
    ends = np.array([2, 4, 5, 7, 8, 8])
    value = np.array([0.1, -0.3, 0.2, 0.4, 0.5, -0.6, 0.7, 0.9], np.float32)
    reward = np.zeros((6, 2, 4), np.float32)
    reward[1, 0] = [1, -1, 1, -1]  # a reward on the way, before anyone but 0 and 1 has decided
    reward[3, 1] = [-2, 2, -2, 2]  # deal 1 ends
    reward[5, 0] = [3, -3, 3, -3]  # deal 0 ends

    gamma, decay = 0.9, 0.5
    expected = np.zeros(8)
    # Deal 0. Seat 0 decides in rows 0 and 7, seat 1 in rows 2 and 4, seat 3 in row 5.
    expected[7] = 3 - 0.9
    expected[0] = 1 + gamma * 0.9 - 0.1 + gamma * decay * expected[7]
    expected[4] = -3 - 0.5
    expected[2] = -1 + gamma * 0.5 - 0.2 + gamma * decay * expected[4]
    expected[5] = -3 + 0.6
    # Deal 1. Seat 2 decides in rows 1 and 6, seat 3 in row 3.
    expected[6] = -2 - 0.7
    expected[1] = gamma * 0.7 + 0.3 + gamma * decay * expected[6]
    expected[3] = 2 - 0.4

    advantage = generalized_advantages(deal, seat, ends, reward, value, gamma, decay)
    np.testing.assert_allclose(advantage, expected, rtol=1e-6)


def test_two_players_bootstrap_from_their_own_next_decisions() -> None:
    # Player 1 wins the second trick and leads the third: it decides twice in a row.
    deal = np.zeros(4, np.int64)
    seat = np.array([0, 1, 1, 0])
    value = np.array([0.5, -0.5, 0.25, 1.0], np.float32)
    reward = np.zeros((4, 1, 2), np.float32)
    reward[3, 0] = [2, -2]

    advantage = generalized_advantages(deal, seat, np.arange(1, 5), reward, value, 1.0, 0.5)
    last = 2 - 1.0, -2 - 0.25
    expected = [1.0 - 0.5 + 0.5 * last[0], 0.25 + 0.5 + 0.5 * last[1], last[1], last[0]]
    np.testing.assert_allclose(advantage, expected, rtol=1e-6)


def test_without_discount_and_decay_the_advantage_is_the_return_less_the_value(
    family_network: ActorCritic, family: RuleSet
) -> None:
    batch = play(family_network, family)
    value = np.random.default_rng(0).random(len(batch.action), np.float32)
    advantage = generalized_advantages(
        batch.deal, batch.seat, batch.ends, batch.reward, value, gamma=1, gae_lambda=1
    )
    marks = batch.outcomes["marks"].astype(np.float32)
    sign = np.where(batch.seat % 2 == 0, 1, -1)
    returns = sign * (marks[:, 0] - marks[:, 1])[batch.deal] / 162
    np.testing.assert_allclose(advantage, returns - value, atol=1e-5)


def play(network: ActorCritic, rules: RuleSet, seed: int = 0, deals: int = 24) -> Batch:
    env = SelfPlayVectorEnv(deals, rules, canonical_suits=True)
    generator = torch.Generator().manual_seed(seed)
    return collect(env, network, seed, 0.25, RandomAgent(seed), generator)


def learn(network: ActorCritic, batch: Batch, config: PPOConfig) -> dict[str, float]:
    optimizer = make_optimizer(network, config)
    return update(network, optimizer, batch, config, 0.0, torch.Generator().manual_seed(0))


def log_probs(network: ActorCritic, batch: Batch) -> torch.Tensor:
    with torch.no_grad():
        obs = torch.from_numpy(batch.state[:, : network.obs_size])
        policy = network.policy(obs, torch.from_numpy(batch.mask))
        return policy.log_prob(torch.from_numpy(batch.action))


def test_an_update_favours_what_turned_out_well(
    family_network: ActorCritic, family: RuleSet, ppo_config: PPOConfig
) -> None:
    batch = play(family_network, family)
    # Seats of team 0 win every deal; nothing else is in the reward.
    batch.reward[:] = 0
    batch.reward[-1] = [1, -1] * (family.num_seats // 2)
    before = log_probs(family_network, batch)
    learn(family_network, batch, replace(ppo_config, entropy_start=0.0, gae_lambda=1.0))
    change = (log_probs(family_network, batch) - before).numpy()
    assert change[batch.seat % 2 == 0].mean() > 0.001
    assert change[batch.seat % 2 == 1].mean() < -0.001


def test_an_update_teaches_the_critic(
    network: ActorCritic, classic: RuleSet, ppo_config: PPOConfig
) -> None:
    batch = play(network, classic)
    config = replace(ppo_config, epochs=20, learning_rate_start=0.01)
    first = learn(network, batch, config)
    second = learn(network, batch, config)
    assert first["explained_variance"] < 0.1
    assert second["explained_variance"] > 0.3


def test_the_mask_of_the_update_is_the_stored_one(
    network: ActorCritic, classic: RuleSet, ppo_config: PPOConfig
) -> None:
    batch = play(network, classic)
    # With the mask of acting the first ratio is one everywhere; a wider one would lower it.
    frozen = replace(ppo_config, learning_rate_start=1e-30)
    same = learn(network, batch, frozen)
    assert same["approx_kl"] == pytest.approx(0, abs=1e-6)
    assert same["clip_fraction"] == 0
    batch.mask[:] = True
    assert learn(network, batch, frozen)["approx_kl"] > 0.1


def test_entropy_bonus_raises_the_entropy(
    network: ActorCritic, classic: RuleSet, ppo_config: PPOConfig
) -> None:
    with torch.no_grad():
        for parameter in network.actor.parameters():
            parameter.mul_(20)
    batch = play(network, classic)
    entropies = []
    for weight in (0.0, 10.0):
        pupil = copy.deepcopy(network)
        config = replace(ppo_config, entropy_start=weight, epochs=8, learning_rate_start=0.01)
        learn(pupil, batch, config)
        obs = torch.from_numpy(batch.state[:, : network.obs_size])
        entropies.append(pupil.policy(obs, torch.from_numpy(batch.mask)).entropy().mean().item())
    assert entropies[1] > entropies[0] + 0.1


def test_updates_are_reproducible(
    network: ActorCritic, classic: RuleSet, ppo_config: PPOConfig
) -> None:
    batch = play(network, classic)
    pupils = [copy.deepcopy(network) for _ in range(2)]
    losses = [learn(pupil, batch, ppo_config) for pupil in pupils]
    assert losses[0] == losses[1]
    for one, other in zip(pupils[0].parameters(), pupils[1].parameters(), strict=True):
        assert torch.equal(one, other)


def test_settings_are_annealed(
    network: ActorCritic, classic: RuleSet, ppo_config: PPOConfig
) -> None:
    assert anneal(1.0, 0.2, 0.25) == pytest.approx(0.8)
    optimizer = make_optimizer(network, ppo_config)
    generator = torch.Generator().manual_seed(0)
    values = update(network, optimizer, play(network, classic), ppo_config, 1.0, generator)
    assert values["learning_rate"] == pytest.approx(1e-4)
    assert values["entropy_weight"] == pytest.approx(0.01)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(1e-4)


@pytest.mark.parametrize(
    ("name", "value", "legal"),
    [
        ("epochs", 0, "a whole number of at least 1"),
        ("learning_rate_end", math.inf, "a number above 0"),
        ("clip", 0.0, "a positive number"),
        ("entropy_end", -0.1, "a number of at least 0"),
        ("value_weight", math.inf, "a number of at least 0"),
        ("gae_lambda", 1.5, "a number of at least 0 and at most 1"),
    ],
)
def test_bad_settings_are_refused(
    ppo_config: PPOConfig, name: str, value: float, legal: str
) -> None:
    with pytest.raises(ValueError, match=f"{name}={value}: use {legal}"):
        replace(ppo_config, **{name: value})
