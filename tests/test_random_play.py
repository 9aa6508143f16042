"""Random play in one call: the deals, rules and counts of step by step, and uniform choices."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from belote_env import Game, SelfPlayVectorEnv, rollout
from belote_env.actions import DECLARE, SILENT
from belote_env.engine.options import rule_data
from belote_env.engine.rng import seed_key
from belote_env.engine.rollout import NUM_TOTALS, roll_out
from belote_env.engine.state import (
    AUCTION,
    PLAY,
    SAY_ANNONCES,
    SAY_BELOTE,
    SAY_REBELOTE,
    cards_played,
    new_states,
)
from belote_env.rules import resolve
from tests.property.strategies import PRESETS_AND_SPEECH

FIELDS = (
    "result",
    "marks",
    "belote_marks",
    "points",
    "tricks",
    "taker_tricks",
    "belote_said",
    "rebelote_said",
    "annonces_said",
    "annonce_team",
    "annonce_points",
    "contract",
    "taker",
    "bid",
    "doubled",
    "carry",
)
RULES = (
    *PRESETS_AND_SPEECH,
    "sans_tout_atout+undertrump=may_discard+sa_ta_values=raw+belote_king_first=True",
    "coinche+sa_ta=True+generale=True",
)
SAID = {
    SAY_BELOTE: "belote_said",
    SAY_REBELOTE: "rebelote_said",
    SAY_ANNONCES: "annonces_said",
}


def what_was_done(played: Any, game: Game) -> int:
    """The next action of a deal that was played to its end."""
    state = game.state[0]
    if state["phase"] == AUCTION:
        return int(played["calls"][state["num_calls"]])
    card = cards_played(played)[state["num_played"] - (state["phase"] != PLAY)]
    if state["phase"] == PLAY:
        return card
    # What is asked first is the lowest bit.
    thing = int(state["speech"]) & -int(state["speech"])
    said = int(played[SAID[thing]][state["seat"]])
    return DECLARE if (said if thing == SAY_ANNONCES else said >> card // 8 & 1) else SILENT


@pytest.mark.parametrize("rules", RULES)
def test_what_was_played_is_legal_and_counts_the_same_step_by_step(rules: str):
    data, states, key = rule_data(resolve(rules)), new_states(1), seed_key(3)
    game = Game(rules)
    chosen: Counter[tuple[int, int]] = Counter()
    for deal in range(300):
        roll_out(data, states, key, deal, deal + 1, np.zeros(NUM_TOTALS, np.int64))
        played = states[0]
        game.start_from(played["deck"].tolist(), int(played["dealer"]))
        while not game.over:
            legal, action = game.legal_actions(), what_was_done(played, game)
            chosen[len(legal), legal.index(action)] += 1
            game.step(action)
        for field in FIELDS:
            np.testing.assert_array_equal(game.state[field][0], played[field], err_msg=field)
    tested = 0
    for choices in range(2, 80):  # each of the legal actions equally often, within five deviations
        counts = np.array([chosen[choices, k] for k in range(choices)])
        expected = counts.sum() / choices
        if expected > 9:
            assert (abs(counts - expected) < 5 * np.sqrt(expected)).all(), (choices, counts)
            tested += 1
    assert tested >= 6


@pytest.mark.parametrize(
    "rules", ["classic", "sans_tout_atout+announce=choice", "contree", "two_player"]
)
def test_the_totals_do_not_depend_on_the_threads(rules: str):
    totals = [rollout(rules, 1001, seed=5, threads=threads) for threads in (1, 2, 3)]
    assert totals[0] == totals[1] == totals[2]
    assert sum(totals[0].results.values()) == totals[0].deals == 1001
    assert sum(totals[0].rates.values()) == pytest.approx(1)


@pytest.mark.parametrize("rules", ["classic", "contree", "two_player"])
def test_deal_k_is_the_first_of_environment_k(rules: str):
    env = SelfPlayVectorEnv(20, rules, seed=9)
    env.reset()
    states = new_states(1)
    data = rule_data(resolve(rules))
    for deal in range(20):
        roll_out(data, states, seed_key(9), deal, deal + 1, np.zeros(NUM_TOTALS, np.int64))
        np.testing.assert_array_equal(states["deck"][0], env.states["deck"][deal])
        assert states["dealer"][0] == env.states["dealer"][deal]


@pytest.mark.parametrize("given", [{"deals": 0}, {"deals": 10, "threads": 0}])
def test_nothing_to_do_is_refused(given: dict[str, int]):
    with pytest.raises(ValueError, match="=0: use a whole number of at least 1"):
        rollout("classic", **given)


@pytest.mark.parametrize("number", [None, "3", 1.5, True])
def test_what_is_no_number_is_refused(number: Any):
    with pytest.raises(ValueError, match=r"^deals=.*: use a whole number of at least 1"):
        rollout("classic", number)
    with pytest.raises(ValueError, match=r"^threads=.*: use a whole number of at least 1"):
        rollout("classic", 1, threads=number)


def test_numbers_of_any_integer_type_are_taken():
    numbers: list[Any] = [np.int64(3), np.int32(1), np.uint8(2)]
    assert rollout("classic", *numbers) == rollout("classic", 3, 1)


def test_more_threads_than_deals_are_no_more_of_them():
    assert rollout("classic", 3, seed=0, threads=10**12) == rollout("classic", 3, seed=0)
