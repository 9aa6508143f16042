"""What importing the package registers with Gymnasium and PettingZoo."""

# pyright: reportMissingTypeStubs=false

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

import belote_env
from belote_env import BeloteEnv, BeloteVectorEnv, RuleSet, raw_env


def test_gymnasium_makes_the_single_environment():
    made = gymnasium.make("Belote-v0", rules="club_501", seat=2, canonical_suits=True)

    assert isinstance(made.unwrapped, BeloteEnv)
    assert made.unwrapped.table.game.rules.id == "club_501"
    assert made.unwrapped.seat == 2
    observation, info = made.reset(seed=0)
    assert made.observation_space.contains(observation)
    made.step(int(info["action_mask"].argmax()))
    made.close()


@pytest.mark.parametrize(
    ("mode", "kind"),
    [(None, BeloteVectorEnv), ("vector_entry_point", BeloteVectorEnv), ("sync", Any)],
)
def test_gymnasium_makes_the_vector_environment(mode: str | None, kind: Any):
    made = gymnasium.make_vec("Belote-v0", 3, mode, rules="classic_annonces")

    assert kind is Any or isinstance(made, kind)
    observations, infos = made.reset(seed=0)
    assert made.num_envs == 3
    assert made.observation_space.contains(observations)
    made.step(infos["action_mask"].argmax(axis=1))
    made.close()


def test_the_autoreset_mode_is_chosen_when_the_vector_environment_is_made():
    made = gymnasium.make_vec("Belote-v0", 2, autoreset_mode="SameStep")

    assert made.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP


def test_both_ways_to_make_a_vector_environment_deal_the_same():
    ours: Any = gymnasium.make_vec("Belote-v0", 3, "vector_entry_point")
    theirs: Any = gymnasium.make_vec("Belote-v0", 3, "sync")
    ours.reset(seed=5)
    theirs.reset(seed=5)
    dealt = [environment.unwrapped.table.game.state["deck"][0] for environment in theirs.envs]

    assert np.array_equal(ours.states["deck"], dealt)


def test_pettingzoo_makes_the_aec_environment():
    made: Any = pettingzoo.make("aec", "belote/belote-v0", rules=RuleSet(annonces=True))

    assert isinstance(made.unwrapped, raw_env)
    assert made.unwrapped.game.rules.id == "classic_annonces"
    made.reset(seed=0)
    made.step(int(made.last()[4]["action_mask"].argmax()))
    assert isinstance(pettingzoo.make("aec", "belote/belote").unwrapped, raw_env)


def test_registering_again_changes_nothing():
    specs = gymnasium.spec("Belote-v0"), pettingzoo.spec("aec", "belote/belote-v0")
    importlib.reload(belote_env)

    assert gymnasium.spec("Belote-v0") is specs[0]
    assert pettingzoo.spec("aec", "belote/belote-v0") is specs[1]


def test_importing_the_package_loads_no_torch():
    code = "import sys, belote_env; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
