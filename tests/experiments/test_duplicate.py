from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from belote_env import Agent, RandomAgent, rules
from belote_env.actions import PASS
from belote_env.engine.batch import OUTCOME_DTYPE
from belote_env.engine.state import CAPOT_TAKER, CHUTE, MADE, VOID
from experiments.lib.duplicate import DuplicateMatch, play_duplicate

CLASSIC = rules.preset("classic")
PRESETS = pytest.mark.parametrize("preset", rules.PRESETS)


class Passer(Agent):
    """Passes, and plays its first legal card."""

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        return PASS if mask[PASS] else int(mask.argmax())


class Taker(Agent):
    """Takes or bids as low as it may, and plays its last legal card."""

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        legal = mask.nonzero()[0]
        return int(legal[min(1, len(legal) - 1) if mask[PASS] else -1])


def play(
    agent: Agent, opponent: Agent, preset: str = "classic", seed: int = 0, deals: int = 100
) -> DuplicateMatch:
    return play_duplicate(agent, opponent, rules.preset(preset), deals, seed)


@PRESETS
def test_equal_sides_are_worth_nothing_on_any_deal(preset: str) -> None:
    match = play(Taker(), Taker(), preset)
    np.testing.assert_array_equal(match.outcomes[0], match.outcomes[1])
    np.testing.assert_array_equal(match.margins, np.zeros(100))


@PRESETS
def test_swapping_the_sides_turns_the_margins_round(preset: str) -> None:
    there, back = play(Taker(), Passer(), preset), play(Passer(), Taker(), preset)
    np.testing.assert_array_equal(there.margins, -back.margins)
    assert np.abs(there.margins).max() > 0


@PRESETS
def test_sides_sit_where_they_should(preset: str) -> None:
    match = play(Taker(), Passer(), preset)
    assert (match.outcomes["taker"][0] % 2 == 0).all()
    assert (match.outcomes["taker"][1] % 2 == 1).all()
    results = match.results()
    assert results["take_rate"].value == 1
    assert results["opponent_take_rate"].value == 0
    assert np.isnan(results["opponent_made_rate"].value)
    void = play(Passer(), Passer(), preset).results()
    assert void["void_rate"].value == 1


def test_random_against_random_is_even() -> None:
    marks = play(RandomAgent(0), RandomAgent(1), deals=2000).results()["marks"]
    assert marks.low < 0 < marks.high
    assert marks.high - marks.low < 15


def test_match_does_not_depend_on_the_number_of_threads() -> None:
    one, two = (
        play_duplicate(RandomAgent(0), Taker(), CLASSIC, 50, 0, threads) for threads in (1, 2)
    )
    np.testing.assert_array_equal(one.outcomes, two.outcomes)


def test_margins_and_rates_of_known_outcomes() -> None:
    outcomes = np.zeros((2, 2), OUTCOME_DTYPE)
    # Deal 0: made by the agent's side in both plays; deal 1: a chute of the other side, then void.
    outcomes[0, 0] = (True, MADE, 1, 2, (100, 62))
    outcomes[1, 0] = (True, CAPOT_TAKER, 1, 3, (20, 252))
    outcomes[0, 1] = (True, CHUTE, 1, 1, (182, 0))
    outcomes[1, 1] = (True, VOID, -1, -1, (0, 0))
    match = DuplicateMatch(outcomes)
    np.testing.assert_array_equal(match.margins, [(38 + 232) / 2, 182 / 2])
    values = {name: estimate.value for name, estimate in match.results().items()}
    assert values == pytest.approx(
        {
            "marks": 113,
            "void_rate": 0.25,
            "take_rate": 0.5,
            "made_rate": 1,
            "opponent_take_rate": 0.25,
            "opponent_made_rate": 0,
        }
    )
