"""What the solver refuses: rules, states, margins and the rest of its arguments."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.search.double_dummy import UNLIMITED, final_points, new_table, solve, solve_cards
from agents.search.solver_input import check_rules
from belote_env.actions import BID_GENERALE
from belote_env.engine.state import NO_CARD, OVER, copy_states
from belote_env.rules import preset
from tests.agents.solving import FOUR_SEATS, deal, play_at_random

RULES = preset("coinche", generale=True)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("two_player", "'two_player': the solver plays with four seats"),
        ("classic+announce=choice", "announce='choice': .* use 'auto'"),
        ("classic+belote_king_first=True", "belote_king_first=True: .* use False"),
        (
            "classic+contract_test=82_in_tricks+litige=replay",
            "contract_test='82_in_tricks' with litige='replay': .* change one of them",
        ),
    ],
)
def test_rules_under_which_tricks_do_not_decide_are_refused(rules: str, message: str):
    with pytest.raises(ValueError, match=message):
        solve_cards(rules, deal(random.Random(1)))


def test_the_other_presets_are_accepted():
    for name in FOUR_SEATS:
        check_rules(preset(name))


def in_a_trick() -> NDArray[Any]:
    """A deal in which seat 2 is to play the third card of the fourth trick, in hearts."""
    for seed in range(1_000):
        states = play_at_random(RULES, deal(random.Random(seed), 1), 14, random.Random(seed))
        if states["seat"][0] == 2 and states["led"][0] == 1 and 0 < states["tricks"][0, 0] < 3:
            return states
    raise AssertionError("no such deal among these")


def test_states_that_come_about_are_taken():
    rng = random.Random(3)
    states = [play_at_random(RULES, deal(rng), num, rng) for num in range(32) for _ in range(4)]
    together = np.concatenate(states)
    expected = [solve(RULES, state).lower[0] for state in states if state["num_played"][0] > 15]
    assert solve(RULES, together[together["num_played"] > 15]).lower.tolist() == expected
    assert solve(RULES, together[64::2]).lower.tolist() == expected[::2]
    assert len(solve(RULES, together[:0]).lower) == 0


@pytest.mark.parametrize(
    ("field", "content"),
    [
        ("phase", OVER),
        ("bid", BID_GENERALE + 1),
        ("contract", -1),
        ("contract", 6),
        ("num_played", 32),
        ("num_played", 200),
        ("seat", -1),
        ("seat", 4),
        ("led", 0),
        ("led", 9),
        ("best_card", 40),
        ("best_seat", 2),
        ("best_seat", 9),
        ("tricks", (7, 7)),
        ("tricks", (0, 0)),
        ("points", (5_000, 0)),
        ("points", (-500, 500)),
        ("hands", (0, 1, 2, 4)),
    ],
)
def test_fields_that_cannot_be_are_refused(field: str, content: Any):
    states = np.concatenate([in_a_trick()] * 2)
    states[field][1] = content
    found = re.escape(f"{states[field][1].tolist()!r}")
    for solver in (solve, solve_cards):
        with pytest.raises(ValueError, match=rf"^states\[1\]: {field}={found} .*: use "):
            solver(RULES, states)


def test_fields_that_do_not_fit_together_are_refused():
    good = in_a_trick()
    seats = [int(seat) for seat in np.flatnonzero(good["trick"][0] != NO_CARD)]
    assert seats == [0, 1]

    def refuses(field: str, states: NDArray[Any]) -> None:
        with pytest.raises(ValueError, match=rf"^states\[0\]: {field}=.* cannot be solved: use "):
            solve_cards(RULES, states)

    other_seat = copy_states(good)
    other_seat["seat"] = 3
    refuses("trick", other_seat)

    twice_in_trick = copy_states(good)
    twice_in_trick["trick"][0, 0] = good["trick"][0, 1]
    refuses("trick", twice_in_trick)

    def swap_in(card: int) -> NDArray[Any]:
        states = copy_states(good)
        hand = int(good["hands"][0, 2])
        states["hands"][0, 2] = hand & (hand - 1) | 1 << card
        return states

    refuses("hands", swap_in(int(good["trick"][0, 1])))
    refuses("hands", swap_in(int(good["fallen"][0, 0]).bit_length() - 1))
    refuses("hands", swap_in(int(good["hands"][0, 1]).bit_length() - 1))

    loser = copy_states(good)
    loser["best_seat"] = 1 - good["best_seat"]
    loser["best_card"] = good["trick"][0, loser["best_seat"][0]]
    refuses("best_card", loser)
    held = copy_states(good)
    held["best_card"] = int(good["hands"][0, 0]).bit_length() - 1
    refuses("best_card", held)

    without_trick = copy_states(good)
    without_trick["tricks"] = (3, 0)
    without_trick["points"] += np.array([-1, 1], np.int16)
    refuses("points", without_trick)
    more = copy_states(good)
    more["points"][0, 0] += 2
    refuses("points", more)


@pytest.mark.parametrize("states", [None, [1], np.zeros(3), deal(random.Random(1)).reshape(1, 1)])
def test_what_is_no_array_of_states_is_refused(states: Any):
    for solver in (solve, solve_cards):
        with pytest.raises(ValueError, match=r"^states.* shape \(N,\), dtype STATE_DTYPE"):
            solver(RULES, states)


@pytest.mark.parametrize(
    "budget", [-1, 1.5, True, "3", None, float("inf"), float("nan"), UNLIMITED + 1, 10**30]
)
def test_budgets_that_are_none_are_refused(budget: Any):
    with pytest.raises(ValueError, match=rf"^budget={re.escape(repr(budget))}: use a whole number"):
        solve(RULES, in_a_trick(), budget=budget)


def test_a_budget_of_another_integral_type_is_taken():
    states = in_a_trick()
    budget: Any = np.int64(UNLIMITED)
    assert solve(RULES, states, budget=budget) == solve(RULES, states)


@pytest.mark.parametrize(
    "table",
    ["x", [0], np.zeros(5, np.int64), new_table().astype(np.int32), np.zeros((2, 3), np.int64)],
)
def test_other_tables_are_refused(table: Any):
    with pytest.raises(ValueError, match=r"^table.*: use one from new_table\(\)"):
        solve(RULES, in_a_trick(), table=table)


def test_a_table_that_cannot_be_written_is_refused():
    table = new_table()
    table.flags.writeable = False
    with pytest.raises(ValueError, match=r"^table: use one from new_table\(\), .* not writable"):
        solve(RULES, in_a_trick(), table=table)


@pytest.mark.parametrize("contract", [-1, 6, True, 1.0, "S", None])
def test_other_contracts_are_refused(contract: Any):
    with pytest.raises(ValueError, match=r"^contract=.*: use a whole number 0-5"):
        final_points(RULES, contract, np.zeros(1, np.int64))


@pytest.mark.parametrize("margin", [3, 164, -164, 250, 254, 1_000, np.iinfo(np.int64).min])
def test_margins_that_no_deal_has_are_refused(margin: int):
    with pytest.raises(ValueError, match=rf"^margins\[1\]={margin} in H: .* -252 or 252"):
        final_points(RULES, 1, np.array([162, margin, 0]))


@pytest.mark.parametrize("margins", [[0, 2], 0, None, np.array([0.5]), np.array([[0]])])
def test_what_is_no_array_of_margins_is_refused(margins: Any):
    with pytest.raises(ValueError, match=r"^margins.*: use int64 of shape \(N,\)"):
        final_points(RULES, 1, margins)
