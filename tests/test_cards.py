"""Card ids, names, orders and values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from belote_env import cards
from belote_env.cards import CONTRACTS, NUM_CARDS, card_name, parse_card, parse_contract
from tests.reference import CARDS, trick_winner


def test_names_and_ids_are_one_to_one_in_the_documented_order():
    names = [card_name(card) for card in range(NUM_CARDS)]

    assert names == CARDS
    assert [parse_card(name) for name in names] == list(range(NUM_CARDS))


@pytest.mark.parametrize("name", ["", "J", "HJ", "1H", "JX", "jh", "10H", "JHH"])
def test_a_wrong_card_is_refused_by_name(name: str):
    with pytest.raises(ValueError, match=f"^{name!r} is no card: .*'JH'"):
        parse_card(name)


def test_contracts_are_numbered_in_the_documented_order():
    assert [parse_contract(name) for name in ("S", "H", "D", "C", "SA", "TA")] == list(range(6))
    with pytest.raises(ValueError, match="'NT' is no contract: use one of S, H, D, C, SA, TA"):
        parse_contract("NT")


def test_sets_of_cards():
    board = cards.bitboard([31, 0, 12])

    assert board == 1 << 31 | 1 << 12 | 1
    assert list(cards.iter_cards(board)) == [0, 12, 31]
    assert cards.card_names(board) == ["7S", "JH", "AC"]
    assert list(cards.iter_cards(0)) == []
    assert cards.bitboard(range(NUM_CARDS)) == cards.FULL_DECK


def test_values_sum_as_in_the_rules():
    trumps, plain = sum(cards.TRUMP_POINTS.values()), sum(cards.PLAIN_POINTS.values())

    assert (trumps, plain) == (62, 30)
    sums = {
        name: (4 * sum(cards.SA_POINTS[name].values()), 4 * sum(cards.TA_POINTS[name].values()))
        for name in cards.SA_POINTS
    }
    assert sums == {"scaled": (152, 152), "raw": (120, 248), "pagat": (152, 152)}


@pytest.mark.parametrize("contract", range(len(CONTRACTS)))
def test_a_card_beats_another_where_it_takes_the_trick(contract: int):
    for holder in range(NUM_CARDS):
        takes = [
            card
            for card in range(NUM_CARDS)
            if card != holder
            and trick_winner(CONTRACTS[contract], [CARDS[holder], CARDS[card]]) == 1
        ]
        assert int(cards.BEATS[contract, holder]) == cards.bitboard(takes)


@pytest.mark.parametrize("wrong", [-1, 32, 40, True, 1.0, "JH", None])
def test_what_is_no_card_id_is_refused(wrong: Any):
    for call in (cards.card_name, lambda card: cards.bitboard([0, card])):
        with pytest.raises(ValueError, match=rf"^card={wrong!r}: use a whole number 0-31$"):
            call(wrong)


def test_ids_may_be_of_any_integral_type():
    twelve: Any = np.uint8(12)
    assert cards.card_name(twelve) == "JH"
    assert cards.bitboard(np.array([0, 31], np.uint8)) == 1 | 1 << 31


def test_suit_and_trump_sets():
    for suit in range(4):
        assert cards.card_names(int(cards.SUIT_CARDS[suit])) == CARDS[8 * suit : 8 * suit + 8]
    assert cards.TRUMP_CARDS.tolist() == [*cards.SUIT_CARDS, 0, cards.FULL_DECK]
    assert cards.RUFF_CARDS.tolist() == [*cards.SUIT_CARDS, 0, 0]
