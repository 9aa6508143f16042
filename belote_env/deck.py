"""Packs in dealing order from the hands that they deal, and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import PASS
from belote_env.cards import NUM_CARDS, card_name, iter_cards, parse_card
from belote_env.checks import check_list, check_seat
from belote_env.engine.options import TURNED_PLACE
from belote_env.game import Game
from belote_env.rules import RuleSet, preset, resolve


@cache
def places(family: str, dealer: int, taker: int | None = None) -> tuple[tuple[int, ...], ...]:
    """Places in the pack of the cards of each seat, in the order in which it gets them.

    Args:
        family: a value of the option ``family``.
        dealer: a seat.
        taker: the seat that takes the turned card, for the cards of the play; None for those
            dealt before the auction.
    """
    game = Game(preset("classic", family=family), seed=0)
    game.start_from(range(NUM_CARDS), dealer)  # a pack in which each card is its place
    if taker is not None:
        while game.seat != taker:
            game.step(PASS)
        game.step(game.legal_actions()[-1])  # the take
    hands = game.state["hands"][0, : game.rules.num_seats]
    return tuple(tuple(iter_cards(int(hand))) for hand in hands)


def turned_card(rules: RuleSet, deck: Sequence[int] | NDArray[np.uint8]) -> str | None:
    """Name of the card of a pack that is turned up; None in the auction family."""
    place = TURNED_PLACE[rules.family]
    return None if place is None else card_name(int(deck[place]))


def complete_deck(
    rules: str | RuleSet,
    hands: Sequence[Sequence[str]],
    dealer: int,
    turned: str | None = None,
    stock: Sequence[str] | None = None,
    rng: np.random.Generator | None = None,
) -> list[int]:
    """A pack that deals given hands, the cards left open being drawn at random.

    Where a card is turned up, hands of the first cards (five each, six of two players) are those
    dealt before the auction.  Hands of the play (eight each, seven of two players) are dealt if
    the seat with the turned card takes; whoever else took would get other cards late.  In the
    auction family hands of eight are the whole deal.

    Args:
        rules: a rule set or its id.
        hands: the cards of each seat, in the order in which it gets them.
        dealer: a seat.
        turned: the turned card; with hands of the play it must be given, and in one of them.
        stock: what the hands and the turned card leave of the pack, in dealing order.
        rng: draws the open cards; fresh entropy for None.

    Returns:
        The 32 card ids in dealing order, for `belote_env.game.Game.start_from`.

    Raises:
        ValueError: if a hand or the stock has another size, a card is unknown or given twice, hands
            of the play come without the turned card, or something is given that the deal has not.
    """
    rules = resolve(rules)
    dealer = check_seat("dealer", dealer, rules.num_seats)
    if len(check_list("hands", hands, "the cards of each seat")) != rules.num_seats:
        raise ValueError(f"hands: give those of {rules.num_seats} seats, got {len(hands)}")
    turned_place = TURNED_PLACE[rules.family]
    if turned_place is None and turned is not None:
        raise ValueError(f"turned card: rules {rules.id!r} turn none up, got {turned!r}")
    first, whole = (len(places(rules.family, dealer, taker)[0]) for taker in (None, dealer))
    size = len(check_list("hand of seat 0", hands[0], "cards"))
    if size not in (first, whole):
        sizes = " or ".join(map(str, sorted({first, whole})))
        raise ValueError(f"hand of seat 0: give {sizes} cards, got {size}")
    given: dict[int, str] = {}
    by_seat = [
        _parse_cards(f"hand of seat {seat}", hand, size, given) for seat, hand in enumerate(hands)
    ]
    by_place: dict[int | None, int] = {}
    taker = None
    if size > first:
        taker = _give_turned_card(by_seat, turned, first)
    elif turned is not None:
        by_place[turned_place] = _parse_cards("turned card", [turned], 1, given)[0]
    hand_places = places(rules.family, dealer, taker)
    for cards, seat_places in zip(by_seat, hand_places, strict=True):
        by_place.update(zip(seat_places, cards, strict=True))
    if stock is not None:
        dealt = {turned_place}.union(*hand_places)
        left = [place for place in range(NUM_CARDS) if place not in dealt]
        if not left:
            raise ValueError(f"stock: hands of {size} leave none")
        by_place.update(zip(left, _parse_cards("stock", stock, len(left), given), strict=True))
    if rng is not None and not isinstance(rng, np.random.Generator):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"rng={rng!r}: use a generator, such as np.random.default_rng(seed)")
    unused = [card for card in range(NUM_CARDS) if card not in given]
    drawn = iter((rng or np.random.default_rng()).permutation(unused).tolist())
    return [by_place[place] if place in by_place else next(drawn) for place in range(NUM_CARDS)]


def _give_turned_card(by_seat: list[list[int]], turned: str | None, turn: int) -> int:
    """Move the turned card to its turn in the hand of the play that holds it; returns its seat."""
    size = len(by_seat[0])
    if turned is None:
        raise ValueError(f"turned card: give it with hands of {size}, to say which seat takes it")
    card = _parse_card("turned card", turned)
    taker = next((seat for seat, hand in enumerate(by_seat) if card in hand), None)
    if taker is None:
        raise ValueError(f"turned card: {turned} is in no hand; of hands of {size} one holds it")
    by_seat[taker].remove(card)
    by_seat[taker].insert(turn, card)
    return taker


def _parse_cards(where: str, names: Sequence[str], size: int, given: dict[int, str]) -> list[int]:
    """Card ids of ``size`` names; ``given`` says where each card was met, and is added to."""
    if len(check_list(where, names, "cards")) != size:
        raise ValueError(f"{where}: give {size} cards, got {len(names)}")
    cards: list[int] = []
    for name in names:
        card = _parse_card(where, name)
        if card in given:
            raise ValueError(f"{where}: {name} was given before, in the {given[card]}")
        given[card] = where
        cards.append(card)
    return cards


def _parse_card(where: str, name: str) -> int:
    try:
        return parse_card(name)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
