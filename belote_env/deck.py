"""Packs in dealing order from the hands that they deal, and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from belote_env.actions import PASS, TAKE
from belote_env.cards import HAND_SIZE, NUM_CARDS, NUM_SEATS, RANKS, iter_cards, parse_card
from belote_env.engine.dealing import TURNED
from belote_env.game import Game

FIRST_CARDS: Final = 5
"""Cards that each seat is dealt before the auction."""
STOCK: Final = range(TURNED + 1, NUM_CARDS)
"""Places in the pack of the cards dealt after the auction."""


@cache
def places(dealer: int, taker: int | None = None) -> tuple[tuple[int, ...], ...]:
    """Places in the pack of the cards of each seat, in the order in which it gets them.

    Args:
        dealer: seat 0-3.
        taker: the seat that takes; None for the first five cards alone.
    """
    game = Game("classic", seed=0)
    game.start_from(range(NUM_CARDS), dealer)  # a pack in which each card is its place
    if taker is not None:
        while game.seat != taker:
            game.step(PASS)
        game.step(TAKE + TURNED // len(RANKS))
    return tuple(tuple(iter_cards(int(hand))) for hand in game.state["hands"][0])


def complete_deck(
    hands: Sequence[Sequence[str]],
    dealer: int,
    turned: str | None = None,
    stock: Sequence[str] | None = None,
    rng: np.random.Generator | None = None,
) -> list[int]:
    """A pack that deals given hands, the cards left open being drawn at random.

    Args:
        hands: the cards of each seat 0-3, in the order in which it gets them.  Five each are those
            dealt before the auction.  Eight each are those of the play: the pack then deals them
            if the seat with the turned card takes, whoever else took would get other cards late.
        dealer: seat 0-3.
        turned: the turned card; with eight cards each it must be given, and in one of the hands.
        stock: the eleven cards dealt after the auction, in dealing order; only with hands of five.
        rng: draws the open cards; fresh entropy for None.

    Returns:
        The 32 card ids in dealing order, for `belote_env.game.Game.start_from`.

    Raises:
        ValueError: if a hand or the stock has another size, a card is unknown or given twice, or
            hands of eight come without the turned card or with a stock.
    """
    if type(dealer) is not int or dealer not in range(NUM_SEATS):
        raise ValueError(f"dealer: {dealer!r} is no seat 0-3")
    if len(hands) != NUM_SEATS:
        raise ValueError(f"hands: give those of {NUM_SEATS} seats, got {len(hands)}")
    size = len(hands[0])
    if size not in (FIRST_CARDS, HAND_SIZE):
        raise ValueError(f"hand of seat 0: give {FIRST_CARDS} or {HAND_SIZE} cards, got {size}")
    given: dict[int, str] = {}
    by_seat = [
        _parse_cards(f"hand of seat {seat}", hand, size, given) for seat, hand in enumerate(hands)
    ]
    taker = None if size == FIRST_CARDS else _give_turned_card(by_seat, turned, stock)
    deck: list[int | None] = [None] * NUM_CARDS
    for hand, hand_places in zip(by_seat, places(dealer, taker), strict=True):
        for card, place in zip(hand, hand_places, strict=True):
            deck[place] = card
    if taker is None and turned is not None:
        deck[TURNED] = _parse_cards("turned card", [turned], 1, given)[0]
    if stock is not None:
        deck[STOCK.start :] = _parse_cards("stock", stock, len(STOCK), given)
    unused = [card for card in range(NUM_CARDS) if card not in given]
    drawn = iter((rng or np.random.default_rng()).permutation(unused).tolist())
    return [next(drawn) if card is None else card for card in deck]


def _give_turned_card(
    by_seat: list[list[int]], turned: str | None, stock: Sequence[str] | None
) -> int:
    """Move the turned card to its turn in the hand of eight that holds it; returns its seat."""
    if turned is None:
        raise ValueError("turned card: give it with hands of eight, to say which seat takes it")
    if stock is not None:
        raise ValueError("stock: hands of eight leave none")
    card = parse_card(turned)
    taker = next(seat for seat, hand in enumerate(by_seat) if card in hand)
    by_seat[taker].remove(card)
    by_seat[taker].insert(FIRST_CARDS, card)
    return taker


def _parse_cards(where: str, names: Sequence[str], size: int, given: dict[int, str]) -> list[int]:
    """Card ids of ``size`` names; ``given`` says where each card was met, and is added to."""
    if len(names) != size:
        raise ValueError(f"{where}: give {size} cards, got {len(names)}")
    cards: list[int] = []
    for name in names:
        try:
            card = parse_card(name)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        if card in given:
            raise ValueError(f"{where}: {name} was given before, in the {given[card]}")
        given[card] = where
        cards.append(card)
    return cards
