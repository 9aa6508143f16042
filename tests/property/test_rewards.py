"""Rewards: equal for partners, zero-sum, and the same return under every variant."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from belote_env import SelfPlayVectorEnv
from belote_env.engine.batch import REWARDS
from belote_env.game import Episode
from belote_env.rules import RuleSet
from tests.property.strategies import rule_sets

NUM_ENVS = 4
STEPS = 150


def play(
    rules: RuleSet, episode: Episode, reward: str, seed: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[Any]]:
    """Rewards [T, N, seats], done [T, N] and outcomes [T, N] of the same random games."""
    env = SelfPlayVectorEnv(NUM_ENVS, rules, episode, reward, seed)
    rng = np.random.default_rng(seed)
    mask = env.reset()[1]
    rewards, dones, outcomes = [], [], []
    for _ in range(STEPS):
        actions = (mask * rng.random(mask.shape)).argmax(axis=1)
        _, mask, _, got, done = env.step(actions)
        rewards.append(got.copy())
        dones.append(done.copy())
        outcomes.append(env.outcome.copy())
    return np.array(rewards), np.array(dones), np.array(outcomes)


@given(rule_sets, st.sampled_from(("deal", "match")), st.integers(0, 999))
@settings(max_examples=20)
def test_variants_of_the_reward_are_fair_and_agree(rules: RuleSet, episode: Episode, seed: int):
    games = {reward: play(rules, episode, reward, seed) for reward in REWARDS}
    rewards = {name: game[0] for name, game in games.items()}
    _, done, outcome = games["marks"]

    for name, (got, ends, _) in games.items():
        assert got.shape == (STEPS, NUM_ENVS, rules.num_seats)
        for seat in range(rules.num_seats):  # partners alike, adversaries opposite
            np.testing.assert_array_equal(got[..., seat], got[..., 0] * (-1) ** seat, name)
        np.testing.assert_array_equal(ends, done, name)

    ended = outcome["ended"]
    margin = (outcome["marks"][..., 0] - outcome["marks"][..., 1]) * ended
    np.testing.assert_allclose(rewards["marks"][..., 0], margin / 162, rtol=1e-6)
    for i in range(NUM_ENVS):
        deal = np.cumsum(ended[:, i]) - ended[:, i]  # number of the deal of each step
        whole = deal < ended[:, i].sum()
        returns = [
            np.bincount(deal[whole], rewards[name][whole, i, 0]) for name in ("marks", "tricks")
        ]
        np.testing.assert_allclose(returns[0], returns[1], atol=1e-5)
    assert np.all(rewards["win"][~done] == 0)
    if episode == "deal":
        np.testing.assert_array_equal(rewards["win"][..., 0], np.sign(margin))


@given(rule_sets, st.integers(0, 999))
@settings(max_examples=10)
def test_a_match_is_won_by_the_side_with_more_marks(rules: RuleSet, seed: int):
    if rules.target is None:
        short = rules.replace(deals_per_party=2)
    else:
        short = rules.replace(target=100, belote_only_finish="free")
    win, done, outcome = play(short, "match", "win", seed)

    for i in range(NUM_ENVS):
        match = np.cumsum(done[:, i]) - done[:, i]
        marks = outcome["marks"][:, i] * outcome["ended"][:, i, None]
        for number in range(done[:, i].sum()):
            totals = marks[match == number].sum(axis=0)
            assert win[match == number, i, 0].sum() == np.sign(totals[0] - totals[1])
