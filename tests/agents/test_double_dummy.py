"""The double-dummy solver: against plain minimax and against itself."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from agents.search.double_dummy import final_points, new_table, solve, solve_cards
from agents.search.solver_table import EPOCH, LAST_EPOCH
from belote_env.cards import CONTRACTS, NUM_CONTRACTS
from belote_env.engine.options import trick_point_total
from belote_env.rules import preset, resolve
from tests.agents.solving import (
    FOUR_SEATS,
    RULES,
    check_against_children,
    check_against_minimax,
    check_best_play,
    check_exchanged_suits,
    check_turned_table,
    deal,
    ending,
    play_at_random,
    reaches,
    value,
)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_endings_equal_plain_minimax(size: int):
    rng = random.Random(size)
    capots = 0
    for rules, contract in itertools.product(RULES, range(NUM_CONTRACTS)):
        for _ in range(6):
            capots += check_against_minimax(rules, ending(rules, contract, size, rng))
    assert capots > 20


def test_endings_of_five_cards_equal_plain_minimax():
    rng = random.Random(5)
    for rules in RULES:
        check_against_minimax(rules, ending(rules, rng.randrange(NUM_CONTRACTS), 5, rng))


def test_points_reached_by_plain_search():
    rng = random.Random(6)
    for contract in range(NUM_CONTRACTS):
        rules = preset("sans_tout_atout")
        for size in (3, 5):
            position = ending(rules, contract, size, rng)
            margin = np.array([value(rules, position)])
            points = int(final_points(rules, contract, margin)[0, 0])
            assert reaches(rules, position, points)
            assert not reaches(rules, position, points + 1)


@pytest.mark.parametrize("name", FOUR_SEATS)
def test_each_card_is_worth_what_the_position_after_it_is(name: str):
    rng = random.Random(name)
    rules = preset(name)
    for num_played in (0, 1, 6, 11, 20):
        check_against_children(rules, play_at_random(rules, deal(rng), num_played, rng))


def test_best_play_leads_to_the_value():
    rng = random.Random(1)
    for rules in (preset(name) for name in FOUR_SEATS):
        check_best_play(rules, deal(rng))


def test_suits_may_be_exchanged():
    rng = random.Random(2)
    for _ in range(12):
        check_exchanged_suits(preset("contree"), deal(rng), rng)


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_the_table_may_be_turned(turn: int):
    rng = random.Random(turn)
    for _ in range(6):
        check_turned_table(preset("classic"), deal(rng), turn)


@pytest.mark.parametrize("rules", ["classic", "sans_tout_atout+sa_ta_values=raw"])
def test_both_sides_share_the_total(rules: str):
    for contract in range(NUM_CONTRACTS):
        total = trick_point_total(resolve(rules), CONTRACTS[contract])
        capot = trick_point_total(resolve(rules), CONTRACTS[contract], capot=True)
        margins = np.array([-capot, -total, 0, 2, total, capot])
        points = final_points(rules, contract, margins)
        assert (points[:, 0] - points[:, 1] == margins).all()
        assert points.sum(axis=1).tolist() == [capot, total, total, total, total, capot]
        assert points.min() == 0


def test_a_budget_leaves_bounds_around_the_value():
    rng = random.Random(3)
    rules = preset("coinche")
    open_before, open_after = 0, 0
    for _ in range(10):
        position = deal(rng)
        exact = solve_cards(rules, position)
        for budget in (0, 30, 1_000, 10_000):
            bounds = solve_cards(rules, position, budget=budget)
            assert (bounds.lower <= exact.lower).all()
            assert (bounds.upper >= exact.upper).all()
            gaps = int((bounds.lower < bounds.upper).sum())
            open_before += gaps if budget == 0 else 0
            open_after += gaps if budget == 10_000 else 0
            single = solve(rules, position, budget=budget)
            assert single.lower[0] <= value(rules, position) <= single.upper[0]
    assert open_after < open_before


def test_a_table_serves_many_deals():
    rng = random.Random(4)
    rules = preset("classic")
    table = new_table()
    states = np.concatenate([deal(rng) for _ in range(4)])
    expected = [solve_cards(rules, states[i : i + 1]).lower[0].tolist() for i in range(4)]
    assert solve_cards(rules, states, table=table).lower.tolist() == expected
    table[EPOCH] = LAST_EPOCH - 1
    assert solve_cards(rules, states, table=table).lower.tolist() == expected
    assert table[EPOCH] == 3


def test_states_are_left_as_they_are():
    states = np.concatenate([deal(random.Random(seed)) for seed in range(3)])
    before = states.tobytes()
    solve_cards("classic", states)
    assert states.tobytes() == before
