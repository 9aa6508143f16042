"""What a position shows without search: sure tricks, and cards that stand for each other."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from belote_env.cards import PLAIN_ORDER, RANKS, RUFF_CARDS, TRUMP_CARDS, TRUMP_ORDER
from belote_env.engine.bits import popcount
from belote_env.engine.jit import part

_ORDERS: Final = (PLAIN_ORDER, TRUMP_ORDER)


def _neighbours() -> NDArray[np.uint8]:
    table = np.zeros((2, 8, 256), np.uint8)
    for trump, order in enumerate(_ORDERS):
        ranks = [RANKS.index(rank) for rank in order]
        for place, rank in enumerate(ranks):
            for others in range(256):
                for step in (-1, 1):
                    other = place
                    while 0 <= other < 8 and not others >> ranks[other] & 1:
                        table[trump, rank, others] |= 1 << ranks[other]
                        other += step
    return table


def _masters() -> NDArray[np.uint8]:
    table = np.zeros((2, 256), np.uint8)
    for trump, order in enumerate(_ORDERS):
        for others in range(256):
            for name in reversed(order):
                if others >> RANKS.index(name) & 1:
                    break
                table[trump, others] |= 1 << RANKS.index(name)
    return table


_NEIGHBOURS: Final = _neighbours()
"""Ranks of a suit with none of ``others`` between them and ``rank``, itself among them: sets, by
trump or plain order, ``rank`` and ``others``.  Shape (2, 8, 256)."""
_MASTERS: Final = _masters()
"""Ranks of a suit above all of ``others``: sets, by trump or plain order and ``others``.
Shape (2, 256)."""


@part
def neighbours(contract: int, card: int, others: int) -> Any:
    """Cards of a suit that take the same tricks as ``card`` where ``others`` lie against them.

    Args:
        contract: 0-5.
        card: a card.
        others: set of all cards that may come to lie in a trick with it.
    """
    shift = card & 24
    order = TRUMP_CARDS[contract] >> card & 1
    return int64(_NEIGHBOURS[order, card & 7, others >> shift & 255]) << shift


@part
def _cashable(contract: int, own: int, partner: int, left: int, right: int, drawn: bool) -> Any:
    """Cards of plain suits that a leader can win with one after the other, whatever others do.

    They are above all other cards of their suit, and an opponent with trumps cannot ruff them, as
    none is left to him (``drawn``) or he must follow.  Nor must partner, who would have the lead:
    he has enough cards that are no trumps.
    """
    trumps = RUFF_CARDS[contract]
    order = int64(1 if TRUMP_CARDS[contract] & ~trumps else 0)
    cards = int64(0)
    count = int64(0)
    for suit in range(4):
        shift = suit << 3
        mine = own >> shift & 255
        if suit == contract or not mine:
            continue
        sure = mine & int64(_MASTERS[order, (partner | left | right) >> shift & 255])
        number = popcount(sure)
        room = number
        if not drawn and left & trumps:
            room = min(room, popcount(left >> shift & 255))
        if not drawn and right & trumps:
            room = min(room, popcount(right >> shift & 255))
        while number > room:
            sure &= sure - 1
            number -= 1
        cards |= sure << shift
        count += number
    if partner & trumps and popcount(partner & ~trumps) < count:
        return int64(0)
    return cards


@part
def sure_cards(
    contract: int, own: int, left: int, partner: int, right: int
) -> tuple[Any, Any, Any]:
    """Cards that are sure to be won at the start of a trick.

    A trump above all trumps of the other side is won by its own side whenever it is played.  The
    leader can also cash masters of plain suits, after as many rounds of trumps as it takes to draw
    the opponents' where his own masters suffice for them.

    Args:
        contract: 0-5.
        own: the leader's hand.
        left: hand of the seat after the leader.
        partner: hand of the leader's partner.
        right: hand of the seat before the leader.

    Returns:
        ``(cards won by the leader's side, tricks the leader can win in a row, cards won by the
        other side)``.
    """
    trumps = RUFF_CARDS[contract]
    if not trumps:
        cashed = _cashable(contract, own, partner, left, right, True)
        return cashed, popcount(cashed), int64(0)
    shift = contract << 3
    ours = (own | partner) >> shift & 255
    theirs = (left | right) >> shift & 255
    top = own >> shift & int64(_MASTERS[1, theirs | partner >> shift & 255])
    rounds = popcount(top)
    drawn = rounds >= popcount(left & trumps) and rounds >= popcount(right & trumps)
    cashed = _cashable(contract, own, partner, left, right, drawn)
    return (
        cashed | (ours & int64(_MASTERS[1, theirs])) << shift,
        popcount(cashed) + rounds,
        (theirs & int64(_MASTERS[1, ours])) << shift,
    )
