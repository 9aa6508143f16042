from __future__ import annotations

import numpy as np
import pytest

from belote_env import SelfPlayVectorEnv
from belote_env.canonical import ACTION_PLACES, observation_places, suit_orders
from tests.property.strategies import PRESETS_AND_SPEECH


@pytest.mark.parametrize("rules", [*PRESETS_AND_SPEECH, "coinche+sa_ta=True+generale=True"])
def test_canonical_form_is_the_one_the_environment_writes(rules: str) -> None:
    plain = SelfPlayVectorEnv(100, rules, seed=0)
    canonical = SelfPlayVectorEnv(100, rules, seed=0, canonical_suits=True)
    obs, mask, _ = plain.reset()
    wanted_obs, wanted_mask, _ = canonical.reset()
    rng = np.random.default_rng(0)
    for _ in range(90):
        order = suit_orders(obs, plain.rules)
        places = ACTION_PLACES[order, : plain.num_actions]
        moved = np.take_along_axis(obs, observation_places(plain.rules)[order], axis=1)
        np.testing.assert_array_equal(moved, wanted_obs)
        np.testing.assert_array_equal(np.take_along_axis(mask, places, axis=1), wanted_mask)
        actions = (wanted_mask * rng.random(wanted_mask.shape)).argmax(axis=1)
        obs, mask, *_ = plain.step(places[np.arange(100), actions])
        wanted_obs, wanted_mask, *_ = canonical.step(actions)


def test_all_orders_are_permutations() -> None:
    everything = np.arange(ACTION_PLACES.shape[1])
    assert all((np.sort(places) == everything).all() for places in ACTION_PLACES)
    assert len(np.unique(ACTION_PLACES, axis=0)) == 24
