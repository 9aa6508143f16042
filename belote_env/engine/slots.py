"""A seat's view: seats counted from it, and suits in slots.

Slot k holds suit k, or under canonical suits the k-th suit of an order that depends on what the
seat sees alone (`suit_order`).  Observations, masks and actions are moved to their slots and back
here.
"""

from __future__ import annotations

from typing import Any

from numpy import int64

from belote_env.actions import (
    BID,
    COINCHE,
    NUM_BIDS,
    SPLIT,
    TAKE,
)
from belote_env.cards import FULL_DECK, NUM_CARDS, NUM_CONTRACTS
from belote_env.engine.bits import lowest_bit
from belote_env.engine.jit import Record, merged, part
from belote_env.engine.options import AUCTION_FAMILY
from belote_env.engine.state import AUCTION


@merged
def relative_seat(rules: Record, seat: int, k: int) -> int:
    """The seat ``k`` places after another; with two players seats 2 and 3 are the empty ones."""
    return (seat + k) & 3 if rules.last_seat == 3 else seat ^ k


@part
def _suit_key(rules: Record, s: Record, seat: int, suit: int) -> tuple[int, int]:
    """What a seat sees of a suit, as a pair of numbers: suits with equal keys look the same to it.

    From the highest bit: own cards, the turned suit, the cards each seat has played, annonces shown
    (one side shows), and the trick of the lowest card played: no seat plays twice to a trick, so
    two suits with the same cards fallen from the same seats differ there.  The second number holds
    what was called in the suit: every bid is made once, and one suit at most is taken.
    """
    shift = 8 * suit
    key = (int64(s.hands[seat]) >> shift) & 0xFF
    key = key << 1 | (rules.family != AUCTION_FAMILY and s.deck[rules.turned] >> 3 == suit)
    fallen = 0
    shown = 0
    for k in range(4):
        other = relative_seat(rules, seat, k)
        cards = (int64(s.fallen[other]) >> shift) & 0xFF
        key = key << 8 | cards
        fallen |= cards
        shown |= ((int64(s.shown[other]) >> shift) & 0xFF) << (8 - 8 * (k >> 1))
    key = (key << 16 | shown) << 4
    if fallen:
        trick = (s.place[shift + lowest_bit(fallen)] - 1) // (rules.last_seat + 1)
        key |= 15 - trick
    called = 0
    for i in range(s.num_calls):
        call: Any = int64(s.calls[i])
        if call == TAKE + suit:
            called |= 1
        elif BID <= call < COINCHE and (call - BID) % NUM_CONTRACTS == suit:
            called |= 1 << ((call - BID) // NUM_CONTRACTS)
    return key, called


@part
def suit_order(rules: Record, s: Record, seat: int) -> tuple[int, int, int, int]:
    """Suit in each slot under canonical suits: trump (the turned suit in the auction), then by key.

    Relabelling the suits of a whole deal leaves what is in the slots as it is.
    """
    first = int64(s.contract)
    if s.phase == AUCTION or first < 0:
        first = int64(-1)
        if rules.family != AUCTION_FAMILY:
            first = int64(s.deck[rules.turned]) >> 3
    keys = (  # np.int64, as each literal would be compiled apart
        _suit_key(rules, s, seat, int64(0)),
        _suit_key(rules, s, seat, int64(1)),
        _suit_key(rules, s, seat, int64(2)),
        _suit_key(rules, s, seat, int64(3)),
    )
    packed = 0
    for suit in range(4):
        place = 0
        for other in range(4):
            ahead = keys[other] > keys[suit] or (keys[other] == keys[suit] and other < suit)
            place += other != suit and (other == first or (suit != first and ahead))
        packed |= suit << (4 * place)
    return packed & 15, (packed >> 4) & 15, (packed >> 8) & 15, (packed >> 12) & 15


@merged
def plain_order() -> tuple[int, int, int, int]:
    """Suit in each slot without canonical suits."""
    return 0, 1, 2, 3


@part
def slots_of(order: Any) -> int:
    """Slot of each suit, four bits a suit."""
    return 1 << (4 * order[1]) | 2 << (4 * order[2]) | 3 << (4 * order[3])


@part
def to_slots(order: Any, cards: int) -> int:
    """A set of cards with its suits moved to their slots."""
    return (
        ((cards >> (8 * order[0])) & 0xFF)
        | ((cards >> (8 * order[1])) & 0xFF) << 8
        | ((cards >> (8 * order[2])) & 0xFF) << 16
        | ((cards >> (8 * order[3])) & 0xFF) << 24
    )


def _bid_columns() -> tuple[int, int]:
    words = [0, 0]
    for value in range(NUM_BIDS):
        word, bit = divmod(BID + NUM_CONTRACTS * value, SPLIT)
        words[word] |= 1 << bit
    return words[0], words[1]


_BIDS_OF_SUIT_0 = _bid_columns()
"""The bids at the first suit, as a set in two words; those of suit ``k`` are ``k`` bits higher."""
_BID_SUITS = tuple(word * 0b1111 for word in _BIDS_OF_SUIT_0)


@merged
def _bids_to_slots(order: Any, legal: int, word: int) -> int:
    bids = _BIDS_OF_SUIT_0[word]
    return (
        ((legal >> order[0]) & bids)
        | ((legal >> order[1]) & bids) << 1
        | ((legal >> order[2]) & bids) << 2
        | ((legal >> order[3]) & bids) << 3
    )


@part
def actions_to_slots(order: Any, low: int, high: int) -> tuple[int, int]:
    """A set of actions with the suits of cards, takes and bids moved to their slots."""
    takes = 0
    for k in range(4):
        takes |= ((low >> (TAKE + order[k])) & 1) << k
    others = low & ~((0b1111 << TAKE) | FULL_DECK | _BID_SUITS[0])
    low_slots = to_slots(order, low & FULL_DECK) | takes << TAKE | _bids_to_slots(order, low, 0)
    return low_slots | others, (high & ~_BID_SUITS[1]) | _bids_to_slots(order, high, 1)


@part
def action_from_slots(order: Any, action: int) -> int:
    """The action id that an action in slots stands for; ids outside the table stay as they are."""
    if 0 <= action < NUM_CARDS:
        return order[action >> 3] * 8 + (action & 7)
    if TAKE <= action < TAKE + 4:
        return TAKE + order[action - TAKE]
    if BID <= action < COINCHE:
        contract = (action - BID) % NUM_CONTRACTS
        if contract < 4:
            return action - contract + order[contract]
    return action


@part
def suits_to_slots(order: Any, suits: int) -> int:
    """The sets of suits of four seats (four bits each) moved to the slots."""
    return (
        ((suits >> order[0]) & 0x1111)
        | ((suits >> order[1]) & 0x1111) << 1
        | ((suits >> order[2]) & 0x1111) << 2
        | ((suits >> order[3]) & 0x1111) << 3
    )
