"""What every deal keeps: its 32 cards, its trick points, its legal actions."""

from __future__ import annotations

from functools import reduce
from operator import or_

from hypothesis import given

from belote_env.cards import CONTRACTS, FULL_DECK
from belote_env.engine.dealing import TURNED
from belote_env.engine.options import trick_point_total
from belote_env.engine.state import AUCTION, MADE, VOID
from tests.property.strategies import Line, lines, whole_deals


@given(lines())
def test_every_card_is_in_one_place(line: Line):
    state = line.end().state[0]
    places = state["hands"].tolist() + state["fallen"].tolist()
    if state["phase"] == AUCTION or state["result"] == VOID:
        places += [1 << card for card in state["deck"][TURNED:].tolist()]

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
    capot = 8 in tricks
    assert sum(tricks) == 8
    assert sum(points) == trick_point_total(line.rules, contract, capot)
    if capot:
        assert points[tricks.index(0)] == 0


@given(whole_deals())
def test_marks_are_never_negative_and_the_winners_of_a_contract_mark_most(line: Line):
    state = line.end().state[0]
    marks, team = state["marks"].tolist(), int(state["taker"]) & 1

    assert min(marks) >= 0
    if state["result"] == MADE and line.rules.contract_test == "majority":
        assert marks[team] >= marks[1 - team]
