"""What every deal keeps: its 32 cards, its trick points, its legal actions."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from hypothesis import assume, given

from belote_env.cards import CONTRACTS, FULL_DECK
from belote_env.engine.options import trick_point_total
from belote_env.engine.state import AUCTION, CHUTE, MADE, VOID
from belote_env.rules import RuleSet
from tests.property.strategies import Line, lines, whole_deals


def left_in_pack(rules: RuleSet, state: Any) -> list[int]:
    """The cards not dealt yet, the turned card first until it is taken, or not drawn yet."""
    first = {"turn_up": 20, "auction": 32, "two_player": 12}[rules.family]
    if state["phase"] != AUCTION and state["result"] != VOID:
        first = 32
        if rules.family == "two_player":
            first = min(32, 14 + state["num_played"] // 2 * 2)
    return state["deck"][first:].tolist()


@given(lines())
def test_every_card_is_in_one_place(line: Line):
    state = line.end().state[0]
    places = state["hands"].tolist() + state["fallen"].tolist()
    places += [1 << card for card in left_in_pack(line.rules, state)]

    assert sum(places) == reduce(or_, places) == FULL_DECK
    assert sorted(state["deck"]) == list(range(32))


@given(lines())
def test_the_seat_to_act_has_a_legal_action_and_plays_its_own_cards(line: Line):
    game = line.end()
    legal = game.legal_set()

    assert (legal != 0) != game.over
    assert game.over == (game.seat == -1)
    cards = legal & FULL_DECK
    assert cards & ~int(game.state["hands"][0, game.seat]) == 0


@given(whole_deals())
def test_trick_points_sum_to_the_total_of_the_contract(line: Line):
    state = line.end().state[0]
    points, tricks = state["points"].tolist(), state["tricks"].tolist()

    if state["result"] == VOID:
        assert points == tricks == state["marks"].tolist() == [0, 0]
        return
    contract = CONTRACTS[state["contract"]]
    capot = 8 in tricks and line.rules.num_seats == 4
    assert sum(tricks) == 32 // line.rules.num_seats
    assert sum(points) == trick_point_total(line.rules, contract, capot)
    if capot:
        assert points[tricks.index(0)] == 0


@given(whole_deals())
def test_marks_are_never_negative_and_the_winners_of_a_contract_mark_most(line: Line):
    rules, state = line.rules, line.end().state[0]
    marks, team = state["marks"].tolist(), int(state["taker"]) & 1

    assert min(marks) >= 0
    by_majority = rules.contract_test == "majority" and rules.family != "auction"
    if state["result"] == MADE and by_majority:
        assert marks[team] >= marks[1 - team]


@given(whole_deals())
def test_the_losers_of_a_chute_or_of_a_doubled_contract_mark_their_belote_alone(line: Line):
    rules, state = line.rules, line.end().state[0]
    losers = int(state["taker"]) & 1
    if state["result"] != CHUTE:
        losers = 1 - losers
        assume(state["doubled"] and rules.doubled_loser == "zero")
    assume(rules.rounding == "none")

    assert state["marks"][losers] == state["belote_marks"][losers]
