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


def _above() -> NDArray[np.uint8]:
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
_ABOVE: Final = _above()
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
def _masters(contract: int, hand: int, others: int) -> Any:
    """Cards of a hand in plain suits above all that others hold of their suit."""
    order = int64(1 if TRUMP_CARDS[contract] & ~RUFF_CARDS[contract] else 0)
    cards = int64(0)
    for suit in range(4):
        shift = suit << 3
        own = hand >> shift & 255
        if own and suit != contract:
            cards |= (own & int64(_ABOVE[order, others >> shift & 255])) << shift
    return cards


@part
def _cashable(contract: int, masters: int, partner: int, left: int, right: int, drawn: bool) -> Any:
    """Masters of plain suits that a leader can win with one after the other, whatever others do.

    An opponent with trumps cannot ruff them, as none is left to him (``drawn``) or he must follow.
    Nor must partner, who would have the lead: he has enough cards that are no trumps.
    """
    trumps = RUFF_CARDS[contract]
    cards = masters
    if not drawn:
        for suit in range(4):
            shift = suit << 3
            room = int64(8)
            if left & trumps:
                room = popcount(left >> shift & 255)
            if right & trumps:
                room = min(room, popcount(right >> shift & 255))
            sure = masters >> shift & 255
            for _ in range(popcount(sure) - room):
                cards ^= (sure & -sure) << shift
                sure &= sure - 1
    if partner & trumps and popcount(partner & ~trumps) < popcount(cards):
        return int64(0)
    return cards


@part
def _suits(cards: int) -> Any:
    """The suits of some cards: the bits of their sevens."""
    cards |= cards >> 4 & 0x0F0F0F0F
    cards |= cards >> 2 & 0x03030303
    return (cards | cards >> 1) & 0x01010101


@part
def _stops(contract: int, own: int, masters: int, stopper: int, others: int) -> Any:
    """Cards that an opponent of the leader is sure to win once the leader's masters are played.

    Nobody else has trumps.  To whatever suit the leader has losers the opponent has a master, so he
    comes to lead; and he can keep his masters until then, as the suits that he must follow to with
    them are not those in which the leader has masters.

    Args:
        contract: 0-5.
        own: the leader's hand.
        masters: those of the leader.
        stopper: the opponent's hand.
        others: all hands but the opponent's.

    Returns:
        The cards, his trumps among them; none if it is not so.
    """
    stops = _masters(contract, stopper, others)
    cards = stops | stopper & RUFF_CARDS[contract]
    losers = own & ~masters
    if _suits(losers) & ~_suits(stops) or popcount(cards) > popcount(losers):
        return int64(0)
    return cards


@part
def sure_cards(
    contract: int, own: int, left: int, partner: int, right: int
) -> tuple[Any, Any, Any, Any]:
    """Cards that are sure to be won at the start of a trick.

    A trump above all trumps of the other side is won by its own side whenever it is played.  The
    leader can also cash masters of plain suits, after as many rounds of trumps as it takes to draw
    the opponents' where his own masters suffice for them.  With a loser he can then let partner
    cash his, who has kept them as far as there are tricks left for them.  If an opponent can take
    the lead from him so, that one's masters are won by the other side.

    Args:
        contract: 0-5.
        own: the leader's hand.
        left: hand of the seat after the leader.
        partner: hand of the leader's partner.
        right: hand of the seat before the leader.

    Returns:
        ``(cards won by the leader's side, tricks it can win in a row, cards won by the other side,
        tricks it is sure to win in a row)``; tricks may be more than there are, and the other
        side's are 0 unless they are all.
    """
    trumps = RUFF_CARDS[contract]
    rounds = ours = theirs = int64(0)
    drawn = True
    if trumps:
        shift = contract << 3
        our_trumps = (own | partner) >> shift & 255
        their_trumps = (left | right) >> shift & 255
        top = own >> shift & int64(_ABOVE[1, their_trumps | partner >> shift & 255])
        rounds = popcount(top)
        drawn = rounds >= popcount(left & trumps) and rounds >= popcount(right & trumps)
        ours = (our_trumps & int64(_ABOVE[1, their_trumps])) << shift
        theirs = (their_trumps & int64(_ABOVE[1, our_trumps])) << shift
    masters = _masters(contract, own, left | partner | right)
    cashed = _cashable(contract, masters, partner, left, right, drawn)
    ours |= cashed
    tricks = popcount(cashed) + rounds
    if not (left | partner | right) & trumps:
        entries = _masters(contract, partner, own | left | right)
        if _suits(entries) & _suits(own & ~trumps & ~masters):
            ours |= entries
            tricks += popcount(entries)
    stops = int64(0)
    if not (own | partner) & trumps and own != masters:
        if not right & trumps:
            stops = _stops(contract, own, masters, left, own | partner | right)
        if not stops and not left & trumps:
            stops = _stops(contract, own, masters, right, own | left | partner)
    num_stops = popcount(stops)
    return ours, tricks, theirs | stops, num_stops if num_stops == popcount(own) else int64(0)
