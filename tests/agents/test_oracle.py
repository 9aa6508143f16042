from __future__ import annotations

import numpy as np
import pytest

from agents.oracle import act_seated
from agents.search.double_dummy import solve
from agents.search.oracle import DoubleDummyPlayer
from belote_env import SelfPlayVectorEnv
from belote_env.actions import BID, PASS, TAKE
from belote_env.engine.state import PLAY


def play_ends(preset: str, cards: int) -> SelfPlayVectorEnv:
    """Deals taken by the first to speak, in which the first cards are played from the top."""
    env = SelfPlayVectorEnv(40, preset, seed=5)
    _, mask, _ = env.reset()
    if preset == "contree":
        env.step(np.full(40, BID + 1))
        for _ in range(3):
            _, mask, *_ = env.step(np.full(40, PASS))
    else:
        _, mask, *_ = env.step(TAKE + mask[:, TAKE : TAKE + 4].argmax(axis=1))
    assert (env.states["phase"] == PLAY).all()
    for _ in range(cards):
        _, mask, *_ = env.step(mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1))
    return env


@pytest.mark.parametrize("preset", ["classic", "contree", "classic_annonces"])
@pytest.mark.parametrize("cards", [12, 13, 18])
def test_four_oracles_get_what_the_position_is_worth(preset: str, cards: int) -> None:
    env = play_ends(preset, cards)
    worth = solve(preset, env.states).lower
    player = DoubleDummyPlayer(preset)
    obs, mask, _ = env.set_state(env.clone_state())
    for _ in range(cards, 31):
        obs, mask, *_ = env.step(act_seated(player, env.states, obs, mask))
    last = env.clone_state()
    env.step(act_seated(player, env.states, obs, mask))
    np.testing.assert_array_equal(solve(preset, last).lower, worth)


def test_one_oracle_does_no_worse_than_the_position_is_worth() -> None:
    env = play_ends("classic", 12)
    worth = solve("classic", env.states).lower
    player = DoubleDummyPlayer("classic")
    obs, mask, seat = env.set_state(env.clone_state())
    for _ in range(12, 31):
        actions = mask.argmax(axis=1)
        rows = np.flatnonzero(seat % 2 == 0)
        actions[rows] = act_seated(player, env.states[rows], obs[rows], mask[rows])
        obs, mask, seat, *_ = env.step(actions)
    reached = solve("classic", env.states).lower
    assert (reached >= worth).all()
    assert (reached > worth).any()


def test_states_outside_the_play_are_refused() -> None:
    env = SelfPlayVectorEnv(2, "classic", seed=0)
    obs, mask, _ = env.reset()
    with pytest.raises(ValueError, match=r"states\[0\]: phase=0 .* the play"):
        DoubleDummyPlayer("classic").act_states(env.states, obs, mask)


def test_rules_that_the_solver_does_not_play_are_refused() -> None:
    with pytest.raises(ValueError, match="four seats"):
        DoubleDummyPlayer("two_player")
