"""Marks of a deal that the solver has played out are those of the deal played to its end."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.search.double_dummy import to_margin
from agents.search.marks import UNIT, end_with, enter_marks, expect_losses
from belote_env.actions import BID_GENERALE
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data
from belote_env.engine.state import AUCTION, OVER, PLAY, copy_states
from tests.agents.solving import draw_solvable_rules
from tests.agents.worlds import FOUR_PLAYERS, random_line
from tests.property.strategies import Line

_end_with = from_python(end_with)
_enter_marks = from_python(enter_marks)
_expect_losses = from_python(expect_losses)
_to_margin = from_python(to_margin)
ZERO, NONE = 100, np.iinfo(np.int64).min
RULES = (
    *FOUR_PLAYERS,
    "classic_annonces+belote_tolerance=none",
    "contree+annonces=True",
    "coinche+sa_ta=True+annonces=True",
)


@pytest.mark.parametrize("rules", RULES)
def test_a_deal_ended_anywhere_has_the_marks_of_its_end(rules: str):
    rng = random.Random(rules)
    ended = 0
    for _ in range(60):
        line = random_line(rng, rules)
        states = line.states()
        end = states[-1]
        if end["contract"] < 0:
            continue
        margin = int(end["points"][0]) - int(end["points"][1])
        for i in range(len(states)):
            if states["phase"][i] in (AUCTION, OVER):
                continue
            state = copy_states(states[i : i + 1])
            _end_with(rule_data(line.rules)[0], state[0], margin)
            assert state["marks"].tolist() == [end["marks"].tolist()]
            assert state["phase"] == OVER
            ended += 1

    assert ended > 300


def entered_marks(line: Line, states: NDArray[Any], k: int) -> NDArray[np.int64]:
    """Marks by value from the lowest on."""
    marks = np.full(512, NONE)
    _enter_marks(rule_data(line.rules)[0], states, k, copy_states(states[:1]), marks, ZERO)
    return marks


@pytest.mark.parametrize("rules", RULES)
def test_marks_of_every_value_are_entered_and_never_fall(rules: str):
    rng = random.Random(rules)
    entered = 0
    for _ in range(10):
        line = random_line(rng, rules)
        data = rule_data(line.rules)
        states = line.states()
        states = states[(states["phase"] == PLAY) & (states["num_played"] < 32)]
        for k in range(0, len(states), 5):
            state = states[k]
            contract = int(state["contract"])
            marks = entered_marks(line, states, k)
            values = np.flatnonzero(marks != NONE) - ZERO
            margins = [_to_margin(data[0], contract, value) for value in values]
            total, capot = int(data["total"][0, contract]), int(data["capot_total"][0, contract])
            won, lost = state["points"].tolist()
            assert margins[0] == (2 * won - total if state["tricks"][0] else -capot)
            assert margins[-1] == (total - 2 * lost if state["tricks"][1] else capot)
            assert values.tolist() == list(range(values[0], values[-1] + 1))
            for value, margin in zip(values, margins, strict=True):
                ended = copy_states(states[k : k + 1])
                _end_with(data[0], ended[0], margin)
                assert marks[ZERO + value] == int(ended["marks"][0, 0]) - int(ended["marks"][0, 1])
            assert (np.diff(marks[ZERO + values]) >= 0).all()
            entered += 1

    assert entered > 20


def test_marks_never_fall_under_any_options_that_the_solver_takes():
    rng = random.Random(8)
    compared = 0
    while compared < 4_000:
        line = random_line(rng, draw_solvable_rules(rng, contract=0))
        states = line.states()
        states = states[(states["phase"] == PLAY) & (states["bid"] != BID_GENERALE + 1)]
        for k in range(0, len(states), 9):
            marks = entered_marks(line, states, k)
            assert (np.diff(marks[marks != NONE]) >= 0).all(), (line.rules.id, states[k])
            compared += 1


def mean_marks(marks: dict[int, int], value: int, total: int, loss: float) -> float:
    """Marks if some points of a value are lost, summed over how many."""
    least = max(min(marks), 0)
    if value <= least:
        return marks[value]
    mean, chance = 0.0, 1 / (1 + loss)
    for lost in range(5_000):
        # Whoever does not make capot has all points, less those lost beside.
        left = value if lost == 0 else min(value, total + 1) - lost
        mean += chance * marks[max(left, least)]
        chance *= loss / (1 + loss)
    return mean


@pytest.mark.parametrize("rules", RULES)
def test_expected_marks_are_the_mean_over_what_is_lost(rules: str):
    rng = random.Random(rules)
    compared = 0
    while compared < 6:
        line = random_line(rng, rules)
        data = rule_data(line.rules)
        states = line.states()
        states = states[(states["phase"] == PLAY) & (states["num_played"] < 32)]
        for k in range(compared, len(states), 13):
            contract = int(states[k]["contract"])
            marks = entered_marks(line, states, k)
            values = np.flatnonzero(marks != NONE) - ZERO
            whole = dict(zip(values.tolist(), marks[ZERO + values].tolist(), strict=True))
            for loss in (0.0, 0.5, 12.0):
                expected = marks.copy()
                bounds = int(values[0]), int(values[-1])
                _expect_losses(data[0], contract, expected, ZERO, bounds, loss)
                assert (np.diff(expected[ZERO + values]) >= 0).all()
                for value in whole:
                    mean = mean_marks(whole, value, int(data["total"][0, contract]), loss)
                    assert expected[ZERO + value] / UNIT == pytest.approx(
                        mean, abs=0.5 / UNIT + 1e-6
                    )
            compared += 1
