"""Where the cards that a seat does not see may lie, and the chance that a seat lacks some of them.

A seat knows of every unseen card which seats may hold it: from what they have played (`excluded` of
a state), the turned card's taker, belote said and annonces shown.  Between those seats every place
in a hand is taken to be equally likely, but that a taker has more trumps than another.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from belote_env.cards import (
    BEATS,
    FULL_DECK,
    HAND_SIZE,
    KING,
    PLAIN_ORDER,
    QUEEN,
    RANKS,
    RUFF_CARDS,
    SUIT_CARDS,
    TRUMP_CARDS,
    TRUMP_ORDER,
)
from belote_env.engine.bits import popcount
from belote_env.engine.encoding import all_fallen
from belote_env.engine.jit import Record, part

Holder: TypeAlias = tuple[int, int, int, int, int, float, float]
"""What is known of a hand: the cards that it alone can hold, that it and one other seat can hold,
that all three other seats can; places left for the latter two kinds, and how many cards compete for
them; how much likelier than an average hand it is to hold one that is a trump, and one that is not.
"""

_PAIR: Final = 1 << KING | 1 << QUEEN
_PARTS: Final = 4
"""Parts of a card in which the cards asked for are counted."""
_MOST_COMPETING: Final = 3 * HAND_SIZE
_MOST_ASKED: Final = 16 * _PARTS - 1
_NONE_LACKED: Final = _MOST_ASKED + 1
"""Column of zeros, for cards one of which the hand holds: quicker to look up than to branch on."""


def _lacks() -> NDArray[np.float64]:
    """The hypergeometric chance of none, also for a number of cards that is not whole."""
    table = np.ones((HAND_SIZE + 1, _MOST_COMPETING + 1, _NONE_LACKED + 1))
    table[..., _NONE_LACKED] = 0.0
    for places, competing, asked in np.ndindex(table.shape):
        for place in range(min(places, competing)):
            table[places, competing, asked] *= max(0.0, 1.0 - asked / _PARTS / (competing - place))
    return table


def _tops() -> NDArray[np.int64]:
    table = np.zeros((2, 256), np.int64)
    for row, order in enumerate((PLAIN_ORDER, TRUMP_ORDER)):
        for ranks in range(1, 256):
            top = max(order.index(RANKS[r]) for r in range(8) if ranks >> r & 1)
            table[row, ranks] = 1 << RANKS.index(order[top])
    return table


LACKS: Final = _lacks()
"""Chance that places hold none of the cards asked for: by places, competing cards, asked cards."""
TOPS: Final = _tops()
"""``TOPS[is_trump, ranks]``: the strongest of some ranks of a suit, as a set of ranks."""


@part
def top_of_suit(contract: int, cards: int, suit: int) -> int:
    """The strongest card of a suit among some cards, as a set of at most one card."""
    shift = 8 * suit
    trump = (TRUMP_CARDS[contract] >> shift) & 1
    return TOPS[trump, (cards >> shift) & 0xFF] << shift


@part
def _located(rules: Record, s: Record, seat: int) -> Any:
    """Cards that a seat has been heard or seen to hold, fallen ones among them."""
    cards = int64(s.shown[seat])
    if rules.turned:
        cards |= int64(seat == s.taker) << int64(s.deck[rules.turned])
    said = int64(s.belote_said[seat])
    if said:
        for suit in range(4):
            cards |= (_PAIR << (8 * suit)) & -((said >> suit) & 1)
    return cards


@part
def _holder(s: Record, w: Record, seat: int, own: int, first: int, second: int) -> Holder:
    """What is known of ``seat``, from the cards that it and each of two others can hold."""
    sole = own & ~(first | second)
    three = own & first & second
    pair = own & (first ^ second)
    places = HAND_SIZE - popcount(int64(s.fallen[seat])) - popcount(sole)
    took = 1 if seat == s.taker else 0
    return sole, pair, three, places, popcount(pair | three), w.trumps[took], w.others[took]


@part
def holders(rules: Record, s: Record, w: Record) -> tuple[Holder, Holder, Holder, int]:
    """What the seat to act knows, in the play, of the hands of the next seat, partner and the last.

    Returns:
        ``(next, partner, last, unseen)``, the last being all cards that the seat does not see.
    """
    seat = int64(s.seat)
    one = (seat + 1) & 3
    two = (seat + 2) & 3
    three = (seat + 3) & 3
    unseen = FULL_DECK & ~(all_fallen(s) | int64(s.hands[seat]))
    at_one = unseen & _located(rules, s, one)
    at_two = unseen & _located(rules, s, two)
    at_three = unseen & _located(rules, s, three)
    by_one = unseen & ~(int64(s.excluded[one]) | at_two | at_three)
    by_two = unseen & ~(int64(s.excluded[two]) | at_one | at_three)
    by_three = unseen & ~(int64(s.excluded[three]) | at_one | at_two)
    return (
        _holder(s, w, one, by_one, by_two, by_three),
        _holder(s, w, two, by_two, by_one, by_three),
        _holder(s, w, three, by_three, by_one, by_two),
        unseen,
    )


@part
def may_hold(holder: Holder) -> int:
    """All cards that a seat can hold."""
    return holder[0] | holder[1] | holder[2]


@part
def lacks(holder: Holder, cards: int, trumps: bool) -> float:
    """Chance that a seat holds none of some cards, all of which are trumps, or none is."""
    sole, pair, three, places, competing, likelier, otherwise = holder
    twice = 2 * popcount(cards & three) + 3 * popcount(cards & pair)
    asked = int64(0.5 * _PARTS * (likelier if trumps else otherwise) * twice + 0.5)
    column = max(min(asked, _MOST_ASKED), _NONE_LACKED * (cards & sole != 0))
    return LACKS[places, competing, column]


@part
def ruffs(holder: Holder, suit: int, trumps: int) -> float:
    """Chance that a seat lacks a suit, a set of cards, and holds one of some trumps."""
    if trumps == 0:
        return 0.0
    return lacks(holder, suit, False) * (1.0 - lacks(holder, trumps, True))


@part
def beats(holder: Holder, contract: int, led: int, card: int) -> float:
    """Chance that a seat, which must follow to suit ``led``, can take the trick from ``card``."""
    suit = SUIT_CARDS[led]
    beating = BEATS[contract, card]
    follows = 1.0 - lacks(holder, beating & suit, led == contract)
    return follows + ruffs(holder, suit, beating & RUFF_CARDS[contract] & ~suit)


@part
def commands(holder: Holder, contract: int, led: int, card: int, unseen: int) -> float:
    """As `beats`, but in the suit only by the strongest card unseen, which no other hand beats."""
    suit = SUIT_CARDS[led]
    beating = BEATS[contract, card]
    follows = 1.0 - lacks(holder, beating & top_of_suit(contract, unseen, led), led == contract)
    return follows + ruffs(holder, suit, beating & RUFF_CARDS[contract] & ~suit)
