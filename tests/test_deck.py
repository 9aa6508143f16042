"""Packs from hands: what is given is dealt, the rest is drawn, and what cannot be is refused."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from belote_env.actions import PASS, TAKE
from belote_env.cards import NUM_CARDS, card_name, card_names
from belote_env.deck import complete_deck
from belote_env.game import Game
from belote_env.position import start_from
from belote_env.record import DealRecord
from belote_env.rules import resolve


def test_a_pack_from_the_first_cards() -> None:
    for rules in ("classic", "contree", "two_player"):
        deal = DealRecord.from_game(Game(rules, seed=1))
        for dealer in range(len(deal.hands)):
            stock = deal.stock if deal.turned else None
            deck = complete_deck(rules, deal.hands, dealer, deal.turned, stock)
            again = replace(deal, deck=tuple(deck), dealer=dealer)
            assert (again.hands, again.turned, again.stock) == (deal.hands, deal.turned, deal.stock)
            assert dealer != deal.dealer or again.deck == deal.deck


def test_open_cards_are_drawn() -> None:
    deal = DealRecord.from_game(Game("classic", seed=1))
    decks = {
        tuple(complete_deck("classic", deal.hands, 1, rng=np.random.default_rng(seed)))
        for seed in (1, 2, 1)
    }
    assert len(decks) == 2, "and the same for the same generator"
    for deck in decks:
        assert replace(deal, deck=deck, dealer=1).hands == deal.hands
    assert sorted(complete_deck("classic", deal.hands, 0)) == list(range(NUM_CARDS))


@pytest.mark.parametrize(("rules", "size"), [("classic", 8), ("two_player", 7)])
def test_a_pack_from_the_hands_of_the_play(rules: str, size: int) -> None:
    rng = random.Random(1)
    seats = resolve(rules).num_seats
    for _ in range(20):
        cards = [card_name(card) for card in rng.sample(range(NUM_CARDS), NUM_CARDS)]
        hands = [cards[size * seat : size * (seat + 1)] for seat in range(seats)]
        talon = cards[size * seats :]
        taker, dealer = rng.randrange(seats), rng.randrange(seats)
        turned = rng.choice(hands[taker])
        game = Game(rules, seed=0)
        game.start_from(complete_deck(rules, hands, dealer, turned, talon or None), dealer)
        while game.seat != taker:
            game.step(PASS)
        game.step(TAKE + "SHDC".index(turned[1]))
        dealt = [card_names(hand) for hand in game.state["hands"][0, :seats]]
        assert [set(hand) for hand in dealt] == [set(hand) for hand in hands]
        deal = DealRecord.from_game(game)
        assert deal.turned == turned
        assert deal.stock[len(deal.stock) - len(talon) :] == talon


HANDS = {rules: DealRecord.from_game(Game(rules, seed=0)).hands for rules in ("classic", "contree")}
FIVES, ALL = HANDS["classic"], HANDS["contree"]
SUITS = [[card_name(8 * suit + rank) for rank in range(8)] for suit in range(4)]
SEVENS = [SUITS[0][:7], SUITS[1][:7]]

REFUSED_PACKS: list[tuple[tuple[Any, ...], str]] = [
    (("classic", FIVES[:3], 0), "hands: give those of 4 seats, got 3"),
    (("classic", FIVES, 5), "dealer=5: use a seat 0-3"),
    (("clasic", FIVES, 5), "unknown rule set 'clasic'"),
    (("classic", [*FIVES[:3], FIVES[3][:4]], 0), "hand of seat 3: give 5 cards, got 4"),
    (("classic", [*FIVES[:3], SUITS[0]], 0), "hand of seat 3: give 5 cards, got 8"),
    (("classic", [*FIVES[:3], FIVES[2]], 0), "was given before, in the hand of seat 2"),
    (("classic", FIVES, 0, "ZZ"), "turned card: 'ZZ' is no card"),
    (("classic", FIVES, 0, FIVES[1][0]), f"turned card: {FIVES[1][0]} was given before"),
    (("classic", FIVES, 0, None, ["AS"]), "stock: give 11 cards, got 1"),
    (("classic", SUITS, 0), "turned card: give it with hands of 8, to say which seat takes it"),
    (("classic", SUITS, 0, "ZZ"), "turned card: 'ZZ' is no card"),
    (("classic", SUITS, 0, "AS", SUITS[0]), "stock: hands of 8 leave none"),
    (("contree", FIVES, 0), "hand of seat 0: give 8 cards, got 5"),
    (("contree", ALL, 0, "AS"), "turned card: rules 'contree' turn none up, got 'AS'"),
    (("contree", ALL, 0, None, []), "stock: hands of 8 leave none"),
    (("two_player", SUITS, 0), "hands: give those of 2 seats, got 4"),
    (("two_player", SEVENS, 2), "dealer=2: use a seat 0-1"),
    (("two_player", SUITS[:2], 0), "hand of seat 0: give 6 or 7 cards, got 8"),
    (("two_player", SEVENS, 0), "turned card: give it with hands of 7"),
    (("two_player", SEVENS, 0, "AC"), "turned card: AC is in no hand; of hands of 7 one holds it"),
    (("two_player", SEVENS, 0, "7S", ["AS"]), "stock: give 18 cards, got 1"),
]


@pytest.mark.parametrize(("args", "message"), REFUSED_PACKS)
def test_refused_packs(args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        complete_deck(*args)


@pytest.mark.parametrize(
    ("rules", "given"),
    [
        ("classic", {"hands": FIVES}),
        ("contree", {"hands": ALL}),
        ("two_player", {"hands": SEVENS, "turned": "7S"}),
    ],
)
def test_an_episode_from_given_hands(rules: str, given: dict[str, Any]) -> None:
    """Cards left open come from the stream, so that they are the same again for a seed."""
    packs: set[bytes] = set()
    for seed in (1, 2, 1):
        game = Game(rules, seed=seed)
        start_from(game, {"dealer": 0, **given})
        deal = DealRecord.from_game(game)
        assert deal.dealer == 0
        assert given.get("turned") in (None, deal.turned)
        hands = [set(hand) for hand in given["hands"]]
        assert all(set(first) <= hand for first, hand in zip(deal.hands, hands, strict=True))
        packs.add(bytes(deal.deck))
    assert len(packs) == (1 if rules == "contree" else 2)
