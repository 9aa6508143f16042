"""What holds the double-dummy solver to its word: plain minimax, other positions, and itself.

Each ``check`` raises AssertionError at the first value that differs.
"""

from __future__ import annotations

import itertools
import random
from typing import Any, Final

import numba
import numpy as np
from numba.typed import Dict
from numpy.typing import NDArray

from agents.search.double_dummy import NOT_LEGAL, final_points, solve, solve_cards
from agents.search.solver_input import check_rules
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
from belote_env.rules import PRESETS, RuleSet, option_values
from tests.drawn_rules import draw_rules

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


@_jit
def _reaches(rules: Any, line: Any, depth: int, goal: int, known: Any) -> bool:
    """Whether team 0 ends with so many points; at worst every line is played."""
    s = line[depth]
    if s.phase == OVER:
        return s.points[0] >= goal
    whole_tricks = s.num_played % 4 == 0
    key = np.int64(0)
    if whole_tricks:
        left = np.int64(s.hands[0] | s.hands[1] | s.hands[2] | s.hands[3])
        capots = np.int64((s.tricks[0] > 0) | (s.tricks[1] > 0) << 1)
        key = left | np.int64(s.seat) << 32 | capots << 34 | np.int64(goal - s.points[0]) << 36
        if key in known:
            return known[key]
    own = s.seat % 2 == 0
    found = not own
    cards = legal_at(rules, line, depth)[0]
    for card in range(NUM_CARDS):
        if cards >> card & 1:
            line[depth + 1] = line[depth]
            step_at(rules, line, depth + 1, card)
            if _reaches(rules, line, depth + 1, goal, known) == own:
                found = own
                break
    if whole_tricks:
        known[key] = found
    return found


def reaches(rules: RuleSet, position: NDArray[Any], goal: int) -> bool:
    """Whether team 0 ends with at least so many points, by trying card after card on the engine.

    Nothing helps but what was found of the same position before: no bounds, no order, no cards
    taken as equal.  So it takes seconds for a full deal.
    """
    line = new_states(NUM_CARDS + 1)
    line[0] = position[0]
    known = Dict.empty(numba.types.int64, numba.types.boolean)
    return bool(_reaches(rule_data(rules), line, 0, goal, known))


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


def check_against_children(rules: RuleSet, position: NDArray[Any]) -> None:
    """Each card is worth what the position after it is, solved by itself."""
    for card, margin in values(rules, position).items():
        assert value(rules, after(rules, position, card)) == margin, (rules.id, position, card)


def check_exchanged_suits(rules: RuleSet, position: NDArray[Any], rng: random.Random) -> None:
    """At the start of the play the suits may trade places."""
    suits = rng.sample(range(4), 4)
    moved = copy_states(position)
    for seat, hand in enumerate(position["hands"][0].tolist()):
        moved["hands"][0, seat] = bitboard(8 * suits[c >> 3] + c % 8 for c in iter_cards(hand))
    contract = int(position["contract"][0])
    moved["contract"] = suits[contract] if contract < SANS_ATOUT else contract
    expected = {8 * suits[c >> 3] + c % 8: m for c, m in values(rules, position).items()}
    assert values(rules, moved) == expected, (rules.id, position, suits)


def check_turned_table(rules: RuleSet, position: NDArray[Any], turn: int) -> None:
    """At the start of the play the hands may move by some seats; the sides trade places by one."""
    turned = copy_states(position)
    turned["hands"][0] = np.roll(position["hands"][0], turn)
    turned["seat"] = (position["seat"] + turn) % NUM_SEATS
    sign = -1 if turn % 2 else 1
    expected = {card: sign * margin for card, margin in values(rules, position).items()}
    assert values(rules, turned) == expected, (rules.id, position, turn)


def check_best_play(rules: RuleSet, position: NDArray[Any]) -> bool:
    """Best cards keep the value to the end, where the sides share the deal's total.

    Returns:
        Whether it ends in a capot.
    """
    expected, contract = value(rules, position), int(position["contract"][0])
    while position["phase"][0] == PLAY:
        margins = values(rules, position)
        best = max if position["seat"][0] % 2 == 0 else min
        card = best(margins, key=lambda card: margins[card])
        assert margins[card] == expected, (rules.id, position)
        position = after(rules, position, card)
    points = final_points(rules, contract, np.array([expected]))[0].tolist()
    assert points == position["points"][0].tolist(), (rules.id, position)
    capot = 8 in position["tricks"][0]
    assert sum(points) == trick_point_total(rules, CONTRACTS[contract], capot=capot)
    return capot


def draw_solvable_rules(rng: random.Random, contract: int) -> RuleSet:
    """Drawn options under which the solver decides deals of a contract."""
    while True:
        rules = draw_rules(rng)
        if rules.num_seats != NUM_SEATS or (contract >= SANS_ATOUT and not rules.sa_ta):
            continue
        rules = rules.replace(announce="auto", belote_king_first=False)
        try:
            check_rules(rules)
        except ValueError:
            continue
        return rules
