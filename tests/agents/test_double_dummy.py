"""The double-dummy solver: against plain minimax, against itself, and what it refuses."""

from __future__ import annotations

import itertools
import random
from typing import Any, Final

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from agents.search.double_dummy import (
    NOT_LEGAL,
    check_rules,
    final_points,
    new_table,
    solve,
    solve_cards,
)
from agents.search.solver_table import EPOCH, LAST_EPOCH
from belote_env.actions import BID_GENERALE
from belote_env.cards import (
    CONTRACTS,
    HAND_SIZE,
    NUM_CARDS,
    NUM_CONTRACTS,
    NUM_SEATS,
    SANS_ATOUT,
    bitboard,
    iter_cards,
)
from belote_env.engine.options import rule_data, trick_point_total
from belote_env.engine.state import NO_CARD, OVER, PLAY, copy_states, new_states
from belote_env.engine.step import legal_at, step_at
from belote_env.rules import PRESETS, RuleSet, option_values, preset, resolve

_jit: Any = numba.njit

OPTIONS_OF_PLAY: Final = (
    "undertrump",
    "undertrump_partner",
    "raise_over_partner",
    "sa_ta_values",
)
RULES: Final = tuple(
    RuleSet(sa_ta=True, **dict(zip(OPTIONS_OF_PLAY, values, strict=True)))
    for values in itertools.product(*map(option_values, OPTIONS_OF_PLAY))
)
"""Every combination of the options that the solver's values depend on."""
FOUR_SEATS: Final = tuple(name for name, rules in PRESETS.items() if rules.num_seats == NUM_SEATS)


@_jit
def plain_minimax(rules: Any, line: Any) -> int:
    """The margin of ``line[0]``: every way to play it is played to its end on the engine."""
    left = np.zeros(len(line), np.int64)
    best = np.zeros(len(line), np.int64)
    depth = 0
    left[0] = legal_at(rules, line, 0)[0]
    best[0] = -1000 if line[0].seat % 2 == 0 else 1000
    while True:
        if left[depth]:
            card = 0
            while not left[depth] >> card & 1:
                card += 1
            left[depth] ^= 1 << card
            line[depth + 1] = line[depth]
            depth += 1
            step_at(rules, line, depth, card)
            left[depth] = legal_at(rules, line, depth)[0]
            best[depth] = -1000 if line[depth].seat % 2 == 0 else 1000
            continue
        margin = best[depth]
        if line[depth].phase == OVER:
            margin = int(line[depth].points[0]) - int(line[depth].points[1])
        if depth == 0:
            return margin
        depth -= 1
        if line[depth].seat % 2 == 0:
            best[depth] = max(best[depth], margin)
        else:
            best[depth] = min(best[depth], margin)


def minimax(rules: RuleSet, position: NDArray[Any]) -> int:
    line = new_states(NUM_CARDS + 1)
    line[0] = position[0]
    return plain_minimax(rule_data(rules), line)


def deal(rng: random.Random, contract: int | None = None) -> NDArray[Any]:
    """A random deal at the start of the play."""
    states = new_states(1)
    state = states[0]
    cards = rng.sample(range(NUM_CARDS), NUM_CARDS)
    for seat in range(NUM_SEATS):
        state["hands"][seat] = bitboard(cards[seat * HAND_SIZE : (seat + 1) * HAND_SIZE])
    state["dealer"] = rng.randrange(NUM_SEATS)
    state["seat"] = (state["dealer"] + 1) % NUM_SEATS
    state["taker"] = rng.randrange(NUM_SEATS)
    state["contract"] = rng.randrange(NUM_CONTRACTS) if contract is None else contract
    state["phase"] = PLAY
    state["annonce_team"] = -1
    state["trick"] = NO_CARD
    return states


def legal(rules: RuleSet, position: NDArray[Any]) -> list[int]:
    return list(iter_cards(legal_at(rule_data(rules), position, 0)[0]))


def after(rules: RuleSet, position: NDArray[Any], card: int) -> NDArray[Any]:
    child = copy_states(position)
    step_at(rule_data(rules), child, 0, card)
    return child


def play_at_random(
    rules: RuleSet, position: NDArray[Any], num_played: int, rng: random.Random
) -> NDArray[Any]:
    while position["num_played"][0] < num_played:
        position = after(rules, position, rng.choice(legal(rules, position)))
    return position


def ending(rules: RuleSet, contract: int, size: int, rng: random.Random) -> NDArray[Any]:
    """A position in which the seat to act has some cards; one side may have won all tricks."""
    num_played = NUM_CARDS - NUM_SEATS * size + rng.randrange(NUM_SEATS)
    position = play_at_random(rules, deal(rng, contract), num_played, rng)
    if rng.random() < 0.4:
        side = rng.randrange(2)
        for field in ("points", "tricks"):
            both = position[field][0].sum()
            position[field][0] = (0, both) if side else (both, 0)
    return position


def values(rules: RuleSet, position: NDArray[Any]) -> dict[int, int]:
    """The margin after each legal card."""
    solution = solve_cards(rules, position)
    assert (solution.lower == solution.upper).all()
    margins: list[int] = solution.lower[0].tolist()
    return {card: margin for card, margin in enumerate(margins) if margin != NOT_LEGAL}


def value(rules: RuleSet, position: NDArray[Any]) -> int:
    """The margin; of a deal that is over, what it ended with."""
    if position["phase"][0] == OVER:
        return int(position["points"][0, 0]) - int(position["points"][0, 1])
    solution = solve(rules, position)
    assert solution.lower[0] == solution.upper[0]
    return int(solution.lower[0])


def check_against_minimax(rules: RuleSet, position: NDArray[Any]) -> bool:
    """Whether the ending can come to a capot, after comparing each card."""
    found = values(rules, position)
    expected = {c: minimax(rules, after(rules, position, c)) for c in legal(rules, position)}
    assert found == expected, (rules.id, position)
    best = max if position["seat"][0] % 2 == 0 else min
    assert value(rules, position) == best(expected.values())
    capot = trick_point_total(rules, CONTRACTS[position["contract"][0]], capot=True)
    return capot in map(abs, expected.values())


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


@pytest.mark.parametrize("name", FOUR_SEATS)
def test_each_card_is_worth_what_the_position_after_it_is(name: str):
    rng = random.Random(name)
    rules = preset(name)
    for num_played in (0, 1, 6, 11, 20):
        position = play_at_random(rules, deal(rng), num_played, rng)
        for card, margin in values(rules, position).items():
            assert value(rules, after(rules, position, card)) == margin


def test_best_play_leads_to_the_value():
    rng = random.Random(1)
    for rules in (preset(name) for name in FOUR_SEATS):
        position = deal(rng)
        expected = value(rules, position)
        while position["phase"][0] == PLAY:
            margins = values(rules, position)
            best = max if position["seat"][0] % 2 == 0 else min
            card = best(margins, key=lambda card: margins[card])
            assert margins[card] == expected
            position = after(rules, position, card)
        points = final_points(rules, int(position["contract"][0]), np.array([expected]))
        assert points[0].tolist() == position["points"][0].tolist()


def test_suits_may_be_exchanged():
    rng = random.Random(2)
    rules = preset("contree")
    for _ in range(12):
        position = deal(rng)
        suits = rng.sample(range(4), 4)
        moved = copy_states(position)
        for seat, hand in enumerate(position["hands"][0].tolist()):
            moved["hands"][0, seat] = bitboard(8 * suits[c >> 3] + c % 8 for c in iter_cards(hand))
        contract = int(position["contract"][0])
        moved["contract"] = suits[contract] if contract < SANS_ATOUT else contract
        expected = {8 * suits[c >> 3] + c % 8: m for c, m in values(rules, position).items()}
        assert values(rules, moved) == expected


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_the_table_may_be_turned(turn: int):
    rng = random.Random(turn)
    rules = preset("classic")
    for _ in range(6):
        position = deal(rng)
        turned = copy_states(position)
        turned["hands"][0] = np.roll(position["hands"][0], turn)
        turned["seat"] = (position["seat"] + turn) % NUM_SEATS
        sign = -1 if turn % 2 else 1
        expected = {card: sign * margin for card, margin in values(rules, position).items()}
        assert values(rules, turned) == expected


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


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("two_player", "'two_player': the solver plays with four seats"),
        ("classic+announce=choice", "announce='choice': .* use 'auto'"),
        ("classic+belote_king_first=True", "belote_king_first=True: .* use False"),
    ],
)
def test_rules_under_which_tricks_do_not_decide_are_refused(rules: str, message: str):
    with pytest.raises(ValueError, match=message):
        solve_cards(rules, deal(random.Random(1)))


def test_the_other_presets_are_accepted():
    for name in FOUR_SEATS:
        check_rules(preset(name))


@pytest.mark.parametrize(
    ("field", "content", "message"),
    [
        ("phase", OVER, "number 1 is not in the play"),
        ("bid", BID_GENERALE + 1, "number 1 is a générale"),
        ("hands", (0, 1, 2, 4), "number 1 has hands of other sizes"),
        ("hands", (255, 255, 65280, 16711680), "number 1 has a card in two hands"),
    ],
)
def test_states_that_cannot_be_solved_are_refused(field: str, content: Any, message: str):
    states = np.concatenate([deal(random.Random(1)), deal(random.Random(2))])
    states[field][1] = content
    for solver in (solve, solve_cards):
        with pytest.raises(ValueError, match=message):
            solver("coinche+generale=True", states)


def test_other_bad_arguments_are_refused():
    states = deal(random.Random(1))
    with pytest.raises(ValueError, match=r"shape \(N,\) and dtype STATE_DTYPE, got \(1, 1\)"):
        solve("classic", states.reshape(1, 1))
    with pytest.raises(ValueError, match="budget=-1: use an integer of 0 or more"):
        solve("classic", states, budget=-1)
    with pytest.raises(ValueError, match="contract=6: use an id of 0-5"):
        final_points("classic", 6, np.zeros(1, np.int64))
