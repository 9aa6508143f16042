"""The action table, to and from text."""

from __future__ import annotations

import pytest

from belote_env.actions import (
    BID,
    BID_CAPOT,
    BID_GENERALE,
    BID_NAMES,
    COINCHE,
    DECLARE,
    NUM_ACTIONS,
    NUM_TAKE_ACTIONS,
    PASS,
    SILENT,
    SURCOINCHE,
    TAKE,
    IllegalActionError,
    action_name,
    parse_action,
)
from belote_env.cards import CONTRACTS
from tests.reference_rules import BIDS, CARDS


def test_the_table_is_the_documented_one():
    names = [action_name(action) for action in range(NUM_ACTIONS)]

    words = ["declare", "silent"]
    bids = [f"{value} {contract}" for value in BIDS for contract in CONTRACTS]
    doubles = ["coinche", "surcoinche"]
    assert names == [*CARDS, "pass", "S", "H", "D", "C", "SA", "TA", *words, *bids, *doubles]
    assert (PASS, TAKE, DECLARE, SILENT) == (32, 33, 39, 40)
    assert (BID, COINCHE, SURCOINCHE) == (41, 107, 108)
    assert (NUM_TAKE_ACTIONS, NUM_ACTIONS) == (41, 109)


def test_a_bid_is_numbered_by_value_and_contract():
    assert BID_NAMES[BID_CAPOT:] == ("capot", "generale")
    assert BID_NAMES[BID_GENERALE] == "generale"
    for value, name in enumerate(BID_NAMES):
        for contract, suit in enumerate(CONTRACTS):
            assert parse_action(f"{name} {suit}") == BID + 6 * value + contract


def test_texts_and_ids_are_one_to_one():
    assert [parse_action(action_name(a)) for a in range(NUM_ACTIONS)] == list(range(NUM_ACTIONS))


@pytest.mark.parametrize("action", [-1, 109, 1000])
def test_an_id_outside_the_table_is_refused(action: int):
    with pytest.raises(ValueError, match=f"action {action} is outside 0-108"):
        action_name(action)


@pytest.mark.parametrize("text", ["double", "70 H", "85 S", "80 NT", "80H", "capot", ""])
def test_a_wrong_text_is_refused_with_the_right_ones(text: str):
    with pytest.raises(ValueError, match=rf"'{text}' is no action: use a card or one of pass, S, "):
        parse_action(text)


def test_a_wrong_card_is_refused_as_a_card():
    with pytest.raises(ValueError, match="'7X' is no card"):
        parse_action("7X")


def test_an_illegal_action_is_a_value_error():
    assert issubclass(IllegalActionError, ValueError)
