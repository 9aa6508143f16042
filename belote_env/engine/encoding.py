"""What a seat sees, written as bytes: the kernels behind `belote_env.observation`.

The vector is written eight bytes at a time, as words of a uint64 view.  The order of the words here
is the order of the slices in `belote_env.observation.schema`, which the tests decode back.

Suits are written in ``slots``.  Slot k holds suit k, or under canonical suits the k-th suit of an
order that depends on what the seat sees alone (`suit_order`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from belote_env.actions import PASS, TAKE
from belote_env.cards import (
    BEATS,
    FULL_DECK,
    NUM_CARDS,
    PLAIN_ORDER,
    RANKS,
    TRUMP_CARDS,
    TRUMP_ORDER,
)
from belote_env.engine.bits import lowest_bit
from belote_env.engine.dealing import TURNED
from belote_env.engine.jit import Record, merged, part
from belote_env.engine.state import AUCTION, MAX_CALLS, OVER, PLAY, SAY_BELOTE, SAY_REBELOTE

CALL_SLOTS = 8
"""Calls of the longest auction without SA and TA."""
LARGEST_NUMBER = 4095
"""Numbers above a byte are written as number // 16 and number % 16, up to this one."""

# Bits of a byte, spread over the eight bytes of a word.
_SPREAD = np.array([[i >> b & 1 for b in range(8)] for i in range(256)], np.uint8)
SPREAD = _SPREAD.view(np.uint64).ravel().astype(np.int64)


def _above() -> Any:
    table = np.zeros((2, 256), np.int64)
    for row, order in enumerate((PLAIN_ORDER, TRUMP_ORDER)):
        for unseen in range(256):
            top = max((order.index(RANKS[r]) for r in range(8) if unseen >> r & 1), default=-1)
            table[row, unseen] = sum(1 << r for r in range(8) if order.index(RANKS[r]) > top)
    return table


_ABOVE = _above()
"""``_ABOVE[is_trump, unseen]``: ranks of a suit stronger than all of ``unseen``, as a byte."""


@part
def all_fallen(s: Record) -> Any:
    """The cards played so far, as a set."""
    fallen = np.int64(0)
    for seat in range(4):
        fallen |= np.int64(s.fallen[seat])
    return fallen


@part
def _suit_key(s: Record, seat: int, suit: int) -> int:
    """What a seat sees of a suit, as a number: suits with equal keys look the same to it.

    From the highest bit: own cards, the turned suit, the cards each seat has played, whether the
    suit was called (one at most is), annonces shown (one side shows), and the trick of the lowest
    card played: no seat plays twice to a trick, so two suits with the same cards fallen from the
    same seats differ there.
    """
    shift = 8 * suit
    key = (np.int64(s.hands[seat]) >> shift) & 0xFF
    key = key << 1 | (s.deck[TURNED] >> 3 == suit)
    fallen = 0
    shown = 0
    for k in range(4):
        other = (seat + k) & 3
        cards = (np.int64(s.fallen[other]) >> shift) & 0xFF
        key = key << 8 | cards
        fallen |= cards
        shown |= ((np.int64(s.shown[other]) >> shift) & 0xFF) << (8 - 8 * (k >> 1))
    called = 0
    for i in range(s.num_calls):
        called |= s.calls[i] == TAKE + suit
    key = (key << 1 | called) << 16 | shown
    lowest = shift + lowest_bit(fallen)
    for i in range(s.num_played):
        if fallen and s.played[i] == lowest:
            return key << 4 | (8 - (i >> 2))
    return key << 4


@part
def suit_order(s: Record, seat: int) -> tuple[int, int, int, int]:
    """Suit in each slot under canonical suits: trump (the turned suit in the auction), then by key.

    Relabelling the suits of a whole deal leaves what is in the slots as it is.
    """
    first = np.int64(s.contract)
    if s.phase == AUCTION or first < 0:
        first = np.int64(s.deck[TURNED]) >> 3
    keys = (
        _suit_key(s, seat, 0),
        _suit_key(s, seat, 1),
        _suit_key(s, seat, 2),
        _suit_key(s, seat, 3),
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
def _slots(order: Any) -> int:
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


@part
def actions_to_slots(order: Any, legal: int) -> int:
    """A set of actions with the suits of its cards and takes moved to their slots."""
    takes = 0
    for k in range(4):
        takes |= ((legal >> (TAKE + order[k])) & 1) << k
    others = legal & ~((0b1111 << TAKE) | FULL_DECK)
    return to_slots(order, legal & FULL_DECK) | takes << TAKE | others


@part
def action_from_slots(order: Any, action: int) -> int:
    """The action id that an action in slots stands for; ids outside the table stay as they are."""
    if 0 <= action < NUM_CARDS:
        return order[action >> 3] * 8 + (action & 7)
    if TAKE <= action < TAKE + 4:
        return TAKE + order[action - TAKE]
    return action


@part
def _cards(out: Any, at: int, order: Any, cards: int) -> int:
    """Write a set of cards as 32 flags."""
    for k in range(4):
        out[at + k] = SPREAD[(cards >> (8 * order[k])) & 0xFF]
    return at + 4


@part
def _number(number: int) -> int:
    """A number of up to 4095 as two bytes, sixteens first."""
    number = min(number, LARGEST_NUMBER)
    return (number >> 4) | (number & 15) << 8


@part
def _masters(contract: int, hand: int, unseen: int) -> int:
    """Cards of a hand that no unseen card of their suit beats."""
    masters = 0
    for suit in range(4):
        shift = 8 * suit
        trump = (TRUMP_CARDS[contract] >> shift) & 1
        masters |= hand & _ABOVE[trump, (unseen >> shift) & 0xFF] << shift
    return masters


@part
def _full_suits(cards: int) -> int:
    """Suits of which a set holds all eight cards, as four bits."""
    cards &= cards >> 4
    cards &= cards >> 2
    cards &= cards >> 1
    return (cards & 1) | (cards >> 7) & 2 | (cards >> 14) & 4 | (cards >> 21) & 8


@part
def _suit_flags(order: Any, suits: int) -> int:
    """The sets of suits of four seats (four bits each) moved to the slots."""
    return (
        ((suits >> order[0]) & 0x1111)
        | ((suits >> order[1]) & 0x1111) << 1
        | ((suits >> order[2]) & 0x1111) << 2
        | ((suits >> order[3]) & 0x1111) << 3
    )


# Column of each action id among S H D C SA TA pass, for calls; other ids are no calls.
_CALL_COLUMN = np.zeros(TAKE + 6, np.int64)
_CALL_COLUMN[TAKE:] = np.arange(6)
_CALL_COLUMN[PASS] = 6


@part
def _write_calls(s: Record, seat: int, slots: int, out: Any, at: int, length: int) -> int:
    columns = slots | 0x6540000  # suits stand in their slots, the others where they are
    own_side = (s.dealer + 1 - seat) & 1 == 0
    for i in range(length):
        call = np.int64(s.calls[i])
        column = (columns >> (4 * _CALL_COLUMN[call])) & 15
        out[at + i] = (1 << (8 * column) | np.int64(own_side) << 56) * (call != 0)
        own_side = not own_side
    return at + length


@part
def _phase(s: Record, seat: int) -> int:
    """Column of the phase: round 1, round 2, play, say belote, rebelote, annonces, over.

    What another seat is asked to say would tell its cards, so it looks like play.
    """
    if s.phase == AUCTION:
        return 0 if s.num_calls < 4 else 1
    if s.phase == OVER:
        return 6
    if s.phase == PLAY or s.seat != seat:
        return 2
    if s.speech & SAY_BELOTE:
        return 3
    return 4 if s.speech & SAY_REBELOTE else 5


@part
def _write_annonces(s: Record, seat: int, order: Any, out: Any, at: int) -> int:
    for half in range(2):
        word = 0
        for k in range(2):
            said = s.annonces_said[(seat + 2 * half + k) & 3]
            for kind in range(4):
                word |= ((said >> (2 * kind)) & 3) << (8 * (4 * k + kind))
        out[at + half] = word
    at += 2
    for k in range(4):
        at = _cards(out, at, order, np.int64(s.shown[(seat + k) & 3]))
    column = 0
    if s.num_played > 4:
        column = 3
        if s.annonce_team >= 0:
            column = 1 + ((s.annonce_team ^ seat) & 1)
    own, other = s.annonce_points[seat & 1], s.annonce_points[~seat & 1]
    out[at] = 1 << (8 * column) | _number(np.int64(own)) << 32 | _number(np.int64(other)) << 48
    return at + 1


@part
def _write_counts(rules: Record, s: Record, seat: int, slots: int, out: Any, at: int) -> int:
    own, other = seat & 1, ~seat & 1
    word = 1 << (8 * ((s.dealer - seat) & 3))
    if s.taker >= 0:
        word |= 1 << (32 + 8 * ((s.taker - seat) & 3))
    out[at] = word
    contract = np.int64(s.contract)
    word = np.int64(s.tolerance_used[own]) << 48 | np.int64(s.tolerance_used[other]) << 56
    if contract >= 0:
        word |= 1 << (8 * ((slots | 0x540000) >> (4 * contract) & 15))
    out[at + 1] = word
    out[at + 2] = 1 << (8 * _phase(s, seat)) | min(s.deals_played, 255) << 56
    out[at + 3] = (
        np.int64(s.tricks[own])
        | np.int64(s.tricks[other]) << 8
        | _number(np.int64(s.points[own])) << 16
        | _number(np.int64(s.points[other])) << 32
        | _number(np.int64(s.carry)) << 48
    )
    out[at + 4] = (
        _number(np.int64(s.scores[own]))
        | _number(np.int64(s.scores[other])) << 16
        | _number(rules.target) << 32
        | np.int64(s.blocked[own]) << 48
        | np.int64(s.blocked[other]) << 56
    )
    return at + 5


@part
def encode(rules: Record, s: Record, seat: int, order: Any, out: Any) -> int:
    """Write what ``seat`` sees of a state.

    Args:
        rules: record of `RULES_DTYPE`.
        s: record of `STATE_DTYPE`.
        seat: 0-3; all seats in the vector are counted from it.
        order: suit in each slot.
        out: uint64 view of the vector.

    Returns:
        The number of words written.
    """
    hand = np.int64(s.hands[seat])
    fallen = all_fallen(s)
    at = _cards(out, np.int64(0), order, hand)
    at = _cards(out, at, order, 1 << np.int64(s.deck[TURNED]))
    masters = 0
    winning = 0
    in_trick = s.num_played & 3
    if s.contract >= 0:
        contract = np.int64(s.contract)
        masters = _masters(contract, hand, FULL_DECK & ~(hand | fallen))
        if in_trick:
            winning = hand & BEATS[contract, s.best_card]
    at = _cards(out, at, order, masters)
    at = _cards(out, at, order, winning)
    for k in range(1, 4):
        card = 0
        since_leader = ((seat + k) - s.leaders[(s.num_played - 1) >> 2]) & 3
        if in_trick and since_leader < in_trick:
            card = 1 << np.int64(s.played[s.num_played - in_trick + since_leader])
        at = _cards(out, at, order, card)
    for k in range(4):
        at = _cards(out, at, order, np.int64(s.fallen[(seat + k) & 3]))
    for k in range(1, 4):
        excluded = np.int64(s.excluded[(seat + k) & 3]) & ~(fallen | hand)
        at = _cards(out, at, order, excluded)
    slots = _slots(order)
    for k in range(4):
        out[at + k] = 0
    in_bytes = out.view(np.uint8)
    for i in range(s.num_played):
        card = np.int64(s.played[i])
        slot = (slots >> (4 * (card >> 3))) & 15
        in_bytes[8 * (at + slot) + (card & 7)] = (i >> 2) + 1
    at += 4
    voids = 0
    said = 0
    said_again = 0
    for k in range(4):
        other = (seat + k) & 3
        voids |= _full_suits(np.int64(s.excluded[other])) << (4 * k)
        said |= np.int64(s.belote_said[other]) << (4 * k)
        said_again |= np.int64(s.rebelote_said[other]) << (4 * k)
    voids = _suit_flags(order, voids)
    if said:
        said = _suit_flags(order, said)
        said_again = _suit_flags(order, said_again)
    out[at] = SPREAD[voids & 0xFF]
    out[at + 1] = SPREAD[voids >> 8]
    out[at + 2] = SPREAD[said & 0xFF]
    out[at + 3] = SPREAD[said >> 8]
    out[at + 4] = SPREAD[said_again & 0xFF]
    out[at + 5] = SPREAD[said_again >> 8]
    at = _write_counts(rules, s, seat, slots, out, at + 6)
    length = MAX_CALLS if rules.sa_ta else CALL_SLOTS
    at = _write_calls(s, seat, slots, out, at, length)
    if rules.annonces:
        at = _write_annonces(s, seat, order, out, at)
    return at


@part
def encode_hidden(s: Record, seat: int, order: Any, out: Any, at: int) -> int:
    """Write what ``seat`` does not see, from word ``at`` on: the other hands and the stock."""
    for k in range(1, 4):
        at = _cards(out, at, order, np.int64(s.hands[(seat + k) & 3]))
    slots = _slots(order)
    for k in range(4):
        out[at + k] = 0
    in_bytes = out.view(np.uint8)
    if s.phase == AUCTION:
        for i in range(TURNED + 1, NUM_CARDS):
            card = np.int64(s.deck[i])
            slot = (slots >> (4 * (card >> 3))) & 15
            in_bytes[8 * (at + slot) + (card & 7)] = i - TURNED
    return at + 4


@part
def write_mask(legal: int, out: Any) -> None:
    """Write a set of actions as flags, int8 [A]."""
    for action in range(out.shape[0]):
        out[action] = (legal >> action) & 1
