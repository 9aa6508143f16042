"""A seed names its deals, whatever the batch, the threads, the process or the actions."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from belote_env import Game, SelfPlayVectorEnv
from tests.property.strategies import raw

STEPS = 150
"""Enough for the third deal of a match."""


RULES = ("sans_tout_atout", "coinche", "two_player")
"""A rule set of each family."""


def highest(mask: NDArray[np.int8]) -> NDArray[np.int64]:
    """The highest legal action of each row: a take or a bid rather than a pass."""
    return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


def first_states(num_envs: int, threads: int, rules: str = RULES[0], seed: int = 7) -> list[bytes]:
    """States of environment 0 over a match in which everyone plays the highest legal action."""
    env = SelfPlayVectorEnv(num_envs, rules, "match", seed=seed, threads=threads)
    mask = env.reset()[1]
    states = [raw(env.states[0])]
    for _ in range(STEPS):
        mask = env.step(highest(mask))[1]
        states.append(raw(env.states[0]))
    env.close()
    return states


def decks(
    seed: int, num_envs: int = 64, player: int = 0, rules: str = RULES[0]
) -> NDArray[np.uint8]:
    """Packs [deal, environment, 32] of the first three deals of matches played at random."""
    env = SelfPlayVectorEnv(num_envs, rules, "match", seed=seed)
    rng = np.random.default_rng(player)
    mask = env.reset()[1]
    packs = np.zeros((3, num_envs, 32), np.uint8)
    for _ in range(STEPS):
        number = env.states["deal"] - 1
        known = number < 3
        packs[number[known], known] = env.states["deck"][known]
        mask = env.step((mask * rng.random(mask.shape)).argmax(axis=1))[1]
    assert env.states["deal"].min() >= 3
    return packs


@pytest.mark.parametrize("num_envs", [1, 3, 64])
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("rules", RULES)
def test_deals_depend_on_neither_batch_nor_threads(rules: str, num_envs: int, threads: int):
    assert first_states(num_envs, threads, rules) == first_states(1, 1, rules)


def test_deals_are_the_same_in_another_process():
    script = (
        "import hashlib; from tests.property.test_seeds import first_states;"
        "print(hashlib.sha256(b''.join(first_states(3, 2))).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    digest = hashlib.sha256(b"".join(first_states(3, 2))).hexdigest()
    assert done.stdout.strip() == digest


@pytest.mark.parametrize("rules", RULES)
def test_deals_do_not_depend_on_the_actions(rules: str):
    np.testing.assert_array_equal(
        decks(seed=1, player=0, rules=rules), decks(seed=1, player=1, rules=rules)
    )


def test_deals_do_not_depend_on_the_rules():
    np.testing.assert_array_equal(decks(seed=1, rules="coinche"), decks(seed=1, rules="classic"))


def test_every_deal_of_every_environment_and_seed_is_another():
    packs = np.concatenate([decks(seed) for seed in range(4)], axis=1).reshape(-1, 32)

    assert len(np.unique(packs, axis=0)) == len(packs) == 3 * 4 * 64


@pytest.mark.parametrize("rules", RULES)
def test_an_environment_plays_on_whatever_the_others_do(rules: str):
    states: list[bytes] = []
    for others in range(2):
        env = SelfPlayVectorEnv(8, rules, "match", seed=3)
        rng = np.random.default_rng(others)
        mask = env.reset()[1]
        for _ in range(STEPS):
            actions = (mask * rng.random(mask.shape)).argmax(axis=1)
            actions[3] = highest(mask)[3]
            mask = env.step(actions)[1]
        states.append(raw(env.states[3]))

    assert states[0] == states[1]


@pytest.mark.parametrize("cut", ["", "+dealing=cut"])
@pytest.mark.parametrize("rules", RULES)
def test_a_game_is_environment_0_of_a_batch_with_its_seed(rules: str, cut: str):
    game = Game(rules + cut, "match", seed=11)
    env = SelfPlayVectorEnv(5, rules + cut, "match", seed=11)
    mask = env.reset()[1]

    for _ in range(STEPS):
        assert raw(game.state) == raw(env.states[0])
        game.step(game.legal_actions()[-1])
        if game.over and game.end_deal():
            game.start()
        elif game.over:
            game.begin_deal()
        mask = env.step(highest(mask))[1]


def test_a_reset_with_a_seed_starts_its_deals_again_and_one_without_goes_on():
    env = SelfPlayVectorEnv(2, seed=1)
    env.reset()
    first = raw(env.states)
    env.reset()
    second = raw(env.states)
    env.reset(seed=1)

    assert first == raw(env.states) != second


def test_no_seed_gives_other_deals_each_time():
    assert raw(Game().state["deck"]) != raw(Game().state["deck"])


def test_global_random_states_are_left_alone():
    before = random.getstate(), np.random.get_state()  # noqa: NPY002

    first_states(num_envs=2, threads=2)
    decks(seed=2, num_envs=2)
    Game()

    after = random.getstate(), np.random.get_state()  # noqa: NPY002
    assert before[0] == after[0]
    for was, now in zip(before[1], after[1], strict=True):
        np.testing.assert_array_equal(was, now)
