"""Perfect-information Monte Carlo: the mean over worlds of what the solver says, in marks."""

from __future__ import annotations

from math import inf, nan
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.search.beliefs import Worlds
from agents.search.determinize import list_worlds, num_worlds, sample_worlds
from agents.search.double_dummy import NOT_LEGAL, solve_cards
from agents.search.marks import UNIT
from agents.search.pack import enter_world
from agents.search.pimc import Objective, PimcAgent
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data
from belote_env.engine.rng import stream_key
from belote_env.engine.state import OVER, PLAY
from belote_env.engine.step import step_at
from belote_env.rules import RuleSet, resolve
from tests.agents.test_ismcts import act, choices, legal_of
from tests.agents.test_weights import KEY, in_play
from tests.agents.worlds import FOUR_PLAYERS

_enter = from_python(enter_world)


def marks_by_playing(rules: RuleSet, state: NDArray[Any], card: int) -> int:
    """Marks of seat 0's side less the others' once everybody has played best from a card on."""
    step_at(rule_data(rules), state, 0, card)
    while state["phase"][0] != OVER:
        margins = solve_cards(rules, state).lower[0]
        legal = np.flatnonzero(margins != NOT_LEGAL)
        side = 1 - 2 * (int(state["seat"][0]) % 2)
        best = legal[(margins[legal] * side).argmax()]
        step_at(rule_data(rules), state, 0, int(best))
    return int(state["marks"][0, 0] - state["marks"][0, 1])


@pytest.mark.parametrize("name", ["classic", "contree", "classic_annonces"])
def test_the_mean_is_over_the_marks_of_every_world_played_out_at_its_best(name: str):
    rules = resolve(name)
    data = rule_data(rules)
    position = in_play(name, 4, hidden=6)
    known, legal = position.known, legal_of(position)
    hands = np.zeros((num_worlds(data, known), 4), np.uint32)
    count = list_worlds(data, known, hands)
    sums = np.zeros(32)
    for world in hands[:count]:
        for card in legal:
            state = known.copy()
            _enter(data[0], state[0], world, KEY)
            sums[card] += marks_by_playing(rules, state, card)

    means = PimcAgent(rules, worlds=len(hands)).evaluate(known, KEY)

    assert count > 3
    np.testing.assert_allclose(means[legal, 0], sums[legal] / count)


@pytest.mark.parametrize("rules", [*FOUR_PLAYERS, "contree+score_mode=bid_only"])
def test_marks_are_those_of_an_exact_solver(rules: str):
    compared = 0
    for position in choices(rules, 5, 24):
        if position.state["phase"] == PLAY and position.state["num_played"] >= 8:
            for loss in (0.0, 6.0):
                quick, exact = (
                    PimcAgent(rules, worlds=6, objective=objective, expected_loss=loss).evaluate(
                        position.known, KEY
                    )
                    for objective in get_args(Objective)
                )
                np.testing.assert_array_equal(quick[:, 0], exact[:, 0])
            compared += 1

    assert compared > 5


def test_what_is_expected_to_be_lost_makes_no_card_better():
    worse = 0
    for position in choices("classic", 3, 60):
        if position.state["phase"] == PLAY and position.state["num_played"] >= 12:
            plain, careful = (
                PimcAgent("classic", worlds=6, expected_loss=loss).evaluate(position.known, KEY)
                for loss in (0.0, 10.0)
            )
            assert (careful[:, 0] <= plain[:, 0] + 1 / UNIT).all()
            worse += not np.allclose(careful[:, 0], plain[:, 0])

    assert worse > 5


def test_a_world_drawn_again_counts_again(monkeypatch: pytest.MonkeyPatch):
    position = in_play("classic", 4, hidden=6)
    agent = PimcAgent("classic")
    hands = np.zeros((3, 4), np.uint32)
    sample_worlds(rule_data(agent.rules), position.known, KEY, 0, hands)
    assert len(np.unique(hands, axis=0)) == 3
    means = []
    for drawn in ([0], [1], [2], [2, 0, 2, 1, 0, 2]):
        even = np.arange(1.0, len(drawn) + 1)
        worlds = Worlds(hands[drawn], even, np.zeros(len(drawn)))
        monkeypatch.setattr(agent, "_beliefs", SimpleNamespace(draw=lambda *_, w=worlds: w))
        means.append(agent.evaluate(position.known, KEY))

    expected = (2 * means[0] + means[1] + 3 * means[2]) / 6
    np.testing.assert_allclose(means[3], expected)


def test_with_a_limit_of_time_all_worlds_are_looked_at_once_if_there_are_few():
    position = in_play("classic", 4, hidden=6)
    for weights in ("uniform", "heuristic"):
        by_time = PimcAgent("classic", time_ms=60_000, weights=weights)
        by_number = PimcAgent("classic", worlds=256, weights=weights)
        first_key = np.uint64(stream_key(KEY, 0))  # of the worlds that are drawn first
        expected = by_number.evaluate(position.known, first_key)
        np.testing.assert_allclose(by_time.evaluate(position.known, KEY), expected)


@pytest.mark.parametrize("rules", FOUR_PLAYERS)
def test_it_plays_a_legal_action_anywhere(rules: str):
    agent = PimcAgent(rules, worlds=2, budget=2_000, seed=1)
    for position in choices(rules, 8, 10):
        assert act(agent, position) in legal_of(position)


def test_decisions_do_not_depend_on_the_number_of_threads():
    positions = [p for p in choices("classic", 3, 30) if p.state["num_played"] > 12][:6]
    assert positions
    for position in positions:
        one = PimcAgent("classic", worlds=7, seed=2).evaluate(position.known, KEY)
        three = PimcAgent("classic", worlds=7, threads=3, seed=2).evaluate(position.known, KEY)
        np.testing.assert_array_equal(one, three)


def test_marks_and_points_may_ask_for_different_cards():
    differing = 0
    for position in choices("classic", 4, 120):
        if position.state["phase"] == PLAY and position.state["num_played"] >= 16:
            by_marks = PimcAgent("classic", worlds=8, seed=1)
            by_points = PimcAgent("classic", worlds=8, objective="points", seed=1)
            differing += act(by_marks, position) != act(by_points, position)

    assert differing


def test_a_limit_of_time_and_a_budget_are_kept_to():
    position = next(p for p in choices("classic", 3, 30) if p.state["num_played"] > 12)

    assert act(PimcAgent("classic", time_ms=5, seed=1), position) in legal_of(position)
    assert act(PimcAgent("classic", budget=0, seed=1), position) in legal_of(position)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"worlds": 0}, "worlds=0: use a whole number 1-1000000"),
        ({"worlds": "32"}, "worlds='32': use a whole number"),
        ({"worlds": 2.5}, "worlds=2.5: use a whole number"),
        ({"worlds": True}, "worlds=True: use a whole number"),
        ({"worlds": 10**26}, "worlds=1000.*: use a whole number 1-1000000"),
        ({"time_ms": 0}, "time_ms=0: use a number above 0"),
        ({"time_ms": "5"}, "time_ms='5': use a number"),
        ({"time_ms": inf}, "time_ms=inf: use a number"),
        ({"time_ms": nan}, "time_ms=nan: use a number"),
        ({"time_ms": 1e300}, "time_ms=1e.300: use a number above 0 and at most 86,400,000"),
        ({"objective": "tricks"}, "objective='tricks': use one of 'marks', 'points'"),
        ({"objective": []}, r"objective=\[\]: use one of"),
        ({"expected_loss": -1}, "expected_loss=-1: use a number of at least 0 and at most 100"),
        ({"expected_loss": nan}, "expected_loss=nan: use a number"),
        ({"weights": "best"}, "weights='best': use one of 'uniform', 'heuristic'"),
        ({"call_slip": None}, "call_slip=None: use a number"),
        ({"trust": nan}, "trust=nan: use a number"),
        ({"trust": True}, "trust=True: use a number"),
        ({"budget": -1}, "budget=-1: use a whole number"),
        ({"budget": 2.5}, "budget=2.5: use a whole number"),
        ({"budget": 10**23}, "budget=1000.*: use a whole number"),
        ({"postpone": True}, "postpone=True: use a whole number 0-4"),
        ({"hindsight": 9}, "hindsight=9: use a whole number 0-8"),
        ({"hindsight_budget": -1}, "hindsight_budget=-1: use a whole number"),
        ({"card_slip": 0}, "card_slip=0: use a number of at least 1e-06"),
        ({"threads": 0}, "threads=0: use a whole number 1-256"),
        ({"threads": "2"}, "threads='2': use a whole number"),
        ({"threads": 1_000_000}, "threads=1000000: use a whole number 1-256"),
        ({"rules": "classic+announce=choice"}, "announce='choice'"),
        ({"rules": "two_player"}, "two_player"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        PimcAgent(**options)
