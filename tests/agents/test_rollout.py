from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.learned.network import ActorCritic
from agents.learned.rollout import Batch, collect
from belote_env import RandomAgent, RuleSet, SelfPlayVectorEnv
from belote_env.actions import PASS
from belote_env.engine.state import UNFINISHED, VOID

DEALS = 40


def play(network: ActorCritic, rules: RuleSet, exploring: float, seed: int = 0) -> Batch:
    env = SelfPlayVectorEnv(DEALS, rules, canonical_suits=True)
    generator = torch.Generator().manual_seed(seed)
    return collect(env, network, seed, exploring, RandomAgent(seed), generator)


@pytest.fixture
def batch(family_network: ActorCritic, family: RuleSet) -> Batch:
    return play(family_network, family, exploring=0.25)


def test_every_deal_is_played_to_its_end(batch: Batch) -> None:
    assert (batch.outcomes["result"] != UNFINISHED).all()
    assert batch.outcomes["ended"].all()
    assert set(batch.deal[~np.isin(batch.deal, np.flatnonzero(batch.explored))]) == set(
        np.flatnonzero(~batch.explored)
    )


def test_all_seats_get_the_marks_of_their_side_once(batch: Batch, family: RuleSet) -> None:
    marks = batch.outcomes["marks"].astype(float)
    for_team_0 = (marks[:, 0] - marks[:, 1]) / 162
    total = batch.reward.sum(axis=0)
    np.testing.assert_allclose(
        total, np.outer(for_team_0, [1, -1] * (family.num_seats // 2)), rtol=1e-6
    )
    assert ((batch.reward != 0).any(axis=2).sum(axis=0) <= 1).all()


def test_forced_decisions_are_no_rows(batch: Batch) -> None:
    assert (batch.mask.sum(axis=1) > 1).all()
    assert batch.mask[np.arange(len(batch.action)), batch.action].all()


def test_random_calls_are_no_rows_and_their_deals_explore(
    family_network: ActorCritic, family: RuleSet
) -> None:
    # A policy that always passes: nobody takes but in the deals with a random auction.
    with torch.no_grad():
        last = [m for m in family_network.actor.modules() if isinstance(m, torch.nn.Linear)][-1]
        last.bias[PASS] = 100
    batch = play(family_network, family, exploring=0.5)
    assert batch.explored.sum() == DEALS // 2
    assert (batch.outcomes["result"][~batch.explored] == VOID).all()
    assert (batch.outcomes["result"][batch.explored] != VOID).mean() > 0.8
    calls = batch.mask[:, PASS]
    assert not batch.explored[batch.deal[calls]].any()
    passes = 4 if family.family == "auction" else 2 * family.num_seats
    assert calls.sum() == passes * (DEALS // 2)


def test_rows_of_a_step_are_of_different_deals(batch: Batch) -> None:
    starts = np.concatenate([[0], batch.ends[:-1]])
    assert batch.ends[-1] == len(batch.action) == len(batch.state)
    assert len(batch.ends) == len(batch.reward)
    for start, end in zip(starts, batch.ends, strict=True):
        assert len(np.unique(batch.deal[start:end])) == end - start


def test_log_probabilities_are_those_of_the_stored_rows(
    batch: Batch, family_network: ActorCritic
) -> None:
    obs = torch.from_numpy(batch.state[:, : family_network.obs_size])
    with torch.no_grad():
        policy = family_network.policy(obs, torch.from_numpy(batch.mask))
        log_prob = policy.log_prob(torch.from_numpy(batch.action))
    np.testing.assert_allclose(log_prob.numpy(), batch.log_prob, atol=1e-5)


def test_same_seeds_give_the_same_batch(network: ActorCritic, classic: RuleSet) -> None:
    first, again = (play(network, classic, exploring=0.25, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.state, again.state)
    np.testing.assert_array_equal(first.action, again.action)
    other = play(network, classic, exploring=0.25, seed=4)
    assert other.state.shape != first.state.shape or (other.state != first.state).any()
