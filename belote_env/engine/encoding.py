"""What a seat sees, written as bytes: the kernels behind `belote_env.observation`.

The vector is written eight bytes at a time, as words of a uint64 view.  The order of the words here
is the order of the slices in `belote_env.observation.schema`, which the tests decode back.

Suits are written in the slots of `belote_env.engine.slots`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from belote_env.actions import BID, COINCHE, NUM_ACTIONS, NUM_BIDS, PASS, SPLIT, SURCOINCHE, TAKE
from belote_env.cards import (
    BEATS,
    FULL_DECK,
    NUM_CARDS,
    NUM_CONTRACTS,
    PLAIN_ORDER,
    RANKS,
    TRUMP_CARDS,
    TRUMP_ORDER,
)
from belote_env.engine.bits import (
    load_word,
    write_8_flags,
    write_16_flags,
    write_32_flags,
)
from belote_env.engine.dealing import DRAWN_FIRST
from belote_env.engine.jit import Record, merged, part
from belote_env.engine.options import AUCTION_FAMILY
from belote_env.engine.slots import relative_seat, slots_of, suits_to_slots, to_slots
from belote_env.engine.state import (
    AUCTION,
    CALLS_ROOM,
    OVER,
    PLAY,
    SAY_BELOTE,
    SAY_REBELOTE,
)

LARGEST_NUMBER = 4095
"""Numbers above a byte are written as number // 16 and number % 16, up to this one."""

_ONES = 0x0101010101010101
_TRICK_NUMBERS = 0x1F * _ONES
"""Bits of the number of a trick, 0 to 16, in every byte of a word."""


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
    fallen = int64(0)
    for seat in range(4):
        fallen |= int64(s.fallen[seat])
    return fallen


@merged
def dealer_of(rules: Record, s: Record) -> int:
    """The seat that dealt: `dealer` is the next one's once a match is over."""
    return (s.dealer - s.match_over) & rules.last_seat


@merged
def cards_of(out: Any, at: int, order: Any, canonical: bool, cards: int) -> int:
    """Write a set of cards as 32 flags."""
    write_32_flags(out, at, to_slots(order, cards) if canonical else cards)
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


def _call_words() -> NDArray[np.int64]:
    table = np.zeros((NUM_ACTIONS, 8), np.uint8)
    table[TAKE : TAKE + NUM_CONTRACTS, :NUM_CONTRACTS] = np.eye(NUM_CONTRACTS)
    for value in range(NUM_BIDS):
        first = BID + NUM_CONTRACTS * value
        table[first : first + NUM_CONTRACTS, :NUM_CONTRACTS] = (value + 1) * np.eye(NUM_CONTRACTS)
    table[[PASS, COINCHE, SURCOINCHE], NUM_CONTRACTS] = 1, 2, 3
    table[PASS : BID + NUM_CONTRACTS * NUM_BIDS + 2, 7] = 1
    return table.view(np.int64).ravel()


_CALL_WORDS = _call_words()
"""A call by action id, as eight bytes: its value in one of the six columns S H D C SA TA; 1, 2 or 3
for pass, coinche and surcoinche; 1."""
_OTHER_SIDE = (1 << 56) - 1


@part
def _write_calls(
    s: Record, dealer: int, seat: int, order: Any, canonical: bool, out: Any, at: int, length: int
) -> int:
    side = -1 if (dealer + 1 - seat) & 1 == 0 else _OTHER_SIDE
    for i in range(length):
        call = _CALL_WORDS[s.calls[i]] & side
        if canonical:
            call = to_slots(order, call & FULL_DECK) | (call & ~FULL_DECK)
        out[at + i] = call
        side ^= ~_OTHER_SIDE
    return at + length


@part
def _phase(rules: Record, s: Record, seat: int) -> int:
    """Column of the phase: round 1, round 2, play, say belote, rebelote, annonces, over.

    What another seat is asked to say would tell its cards, so it looks like play.
    """
    if s.phase == AUCTION:
        return 0 if s.num_calls <= rules.last_seat or rules.family == AUCTION_FAMILY else 1
    if s.phase == OVER:
        return 6
    if s.phase == PLAY or s.seat != seat:
        return 2
    if s.speech & SAY_BELOTE:
        return 3
    return 4 if s.speech & SAY_REBELOTE else 5


@part
def _write_annonces(s: Record, seat: int, order: Any, canonical: bool, out: Any, at: int) -> int:
    for half in range(2):
        word = 0
        for k in range(2):
            said = s.annonces_said[(seat + 2 * half + k) & 3]
            for kind in range(4):
                word |= ((said >> (2 * kind)) & 3) << (8 * (4 * k + kind))
        out[at + half] = word
    at += 2
    for k in range(4):
        at = cards_of(out, at, order, canonical, int64(s.shown[(seat + k) & 3]))
    column = 0
    if s.num_played > 4:
        column = 3
        if s.annonce_team >= 0:
            column = 1 + ((s.annonce_team ^ seat) & 1)
    own, other = s.annonce_points[seat & 1], s.annonce_points[~seat & 1]
    out[at] = 1 << (8 * column) | _number(int64(own)) << 32 | _number(int64(other)) << 48
    return at + 1


@part
def counts_of(rules: Record, s: Record, seat: int, slots: int, out: Any, at: int) -> int:
    """Write where the deal and the match stand, from word ``at`` on; the word after it."""
    own, other = seat & 1, ~seat & 1
    word = 1 << (8 * ((dealer_of(rules, s) - seat) & rules.last_seat))
    if s.taker >= 0:
        word |= 1 << (32 + 8 * ((s.taker - seat) & rules.last_seat))
    out[at] = word
    contract = int64(s.contract)
    word = int64(s.tolerance_used[own]) << 48 | int64(s.tolerance_used[other]) << 56
    if contract >= 0:
        word |= 1 << (8 * ((slots | 0x540000) >> (4 * contract) & 15))
    out[at + 1] = word
    out[at + 2] = 1 << (8 * _phase(rules, s, seat)) | min(s.deals_played, 255) << 56
    out[at + 3] = (
        int64(s.tricks[own])
        | int64(s.tricks[other]) << 8
        | _number(int64(s.points[own])) << 16
        | _number(int64(s.points[other])) << 32
        | _number(int64(s.carry)) << 48
    )
    out[at + 4] = (
        _number(int64(s.scores[own]))
        | _number(int64(s.scores[other])) << 16
        | _number(rules.target) << 32
        | int64(s.blocked[own]) << 48
        | int64(s.blocked[other]) << 56
    )
    return at + 5


@part
def _write_bid(rules: Record, s: Record, out: Any, at: int) -> int:
    word = int64(0)
    if s.bid:
        word = 1 << (8 * ((s.bid - 1) & 7))
    out[at] = word if s.bid <= 8 else 0
    word = word if s.bid > 8 else 0
    if s.doubled:
        word |= 1 << (16 + 8 * s.doubled)
    worth = _number(rules.bid_value[s.bid])
    out[at + 1] = word | int64(s.taker_tricks) << 40 | worth << 48
    return at + 2


@part
def encode(
    rules: Record,
    s: Record,
    seat: int,
    order: Any,
    canonical: bool,
    universal: bool,
    out: Any,
) -> int:
    """Write what ``seat`` sees of a state.

    Args:
        rules: record of `RULES_DTYPE`.
        s: record of `STATE_DTYPE`.
        seat: 0-3; all seats in the vector are counted from it.
        order: suit in each slot.
        canonical: whether it is another than the plain order.
        universal: whether to write what any rules of four players need.
        out: uint64 view of the vector.

    Returns:
        The number of words written.
    """
    hand = int64(s.hands[seat])
    fallen = all_fallen(s)
    at = cards_of(out, int64(0), order, canonical, hand)
    masters = 0
    winning = 0
    if s.contract >= 0:
        contract = int64(s.contract)
        masters = _masters(contract, hand, FULL_DECK & ~(hand | fallen))
        if s.num_played & rules.last_seat:
            winning = hand & BEATS[contract, s.best_card]
    at = cards_of(out, at, order, canonical, masters)
    at = cards_of(out, at, order, canonical, winning)
    voids = 0
    said = 0
    said_again = 0
    at_played = at + 12
    at_excluded = at_played + 16
    for k in range(4):
        other = relative_seat(rules, seat, k)
        excluded = int64(s.excluded[other])
        voids |= _full_suits(excluded) << (4 * k)
        said |= int64(s.belote_said[other]) << (4 * k)
        said_again |= int64(s.rebelote_said[other]) << (4 * k)
        at_played = cards_of(out, at_played, order, canonical, int64(s.fallen[other]))
        if k:
            at = cards_of(out, at, order, canonical, 1 << int64(s.trick[other]))
            at_excluded = cards_of(out, at_excluded, order, canonical, excluded & ~(fallen | hand))
    at = at_excluded
    for k in range(4):
        places = load_word(s.place, 8 * order[k])
        out[at + k] = ((places + rules.last_seat * _ONES) >> rules.trick_shift) & _TRICK_NUMBERS
    at += 4
    if canonical:
        voids = suits_to_slots(order, voids)
        said = suits_to_slots(order, said)
        said_again = suits_to_slots(order, said_again)
    write_16_flags(out, at, voids)
    write_16_flags(out, at + 2, said)
    write_16_flags(out, at + 4, said_again)
    at = counts_of(rules, s, seat, slots_of(order), out, at + 6)
    bids = rules.family == AUCTION_FAMILY
    if universal or not bids:
        turned = 0 if bids else 1 << int64(s.deck[rules.turned])
        at = cards_of(out, at, order, canonical, turned)
    if universal or bids:
        at = _write_bid(rules, s, out, at)
    at = _write_calls(
        s,
        dealer_of(rules, s),
        seat,
        order,
        canonical,
        out,
        at,
        CALLS_ROOM if universal else rules.call_slots,
    )
    if universal or rules.annonces:
        at = _write_annonces(s, seat, order, canonical, out, at)
    if universal:
        for i in range(len(rules.option_flags)):
            out[at + i] = rules.option_flags[i]
        at += len(rules.option_flags)
    return at


@part
def encode_hidden(
    rules: Record, s: Record, seat: int, order: Any, canonical: bool, out: Any, at: int
) -> int:
    """Write what ``seat`` does not see, from word ``at`` on: the other hands and the stock."""
    for k in range(1, 4):
        at = cards_of(out, at, order, canonical, int64(s.hands[relative_seat(rules, seat, k)]))
    slots = slots_of(order)
    for k in range(4):
        out[at + k] = 0
    in_bytes = out.view(np.uint8)
    first = _next_of_stock(rules, s)
    for i in range(first, NUM_CARDS):
        card = int64(s.deck[i])
        slot = (slots >> (4 * (card >> 3))) & 15
        in_bytes[8 * (at + slot) + (card & 7)] = i - first + 1
    return at + 4


@part
def _next_of_stock(rules: Record, s: Record) -> Any:
    """Place in the pack of the next card to be dealt or drawn."""
    if s.phase == AUCTION and rules.family != AUCTION_FAMILY:
        return rules.turned + 1
    if s.phase != OVER and s.num_played < rules.free_cards:
        return DRAWN_FIRST + (int64(s.num_played) & ~1)
    return NUM_CARDS


@merged
def write_mask(low: int, high: int, out: Any) -> None:
    """Write a set of actions as flags, int8 [A]."""
    first = low | high << SPLIT
    write_32_flags(out, 0, first)
    if out.shape[0] == NUM_ACTIONS:
        second = high >> (64 - SPLIT)
        write_32_flags(out, 32, first >> 32)
        write_32_flags(out, 64, second)
        write_8_flags(out, 96, second >> 32)
        write_8_flags(out, 101, second >> 37)
    else:
        write_8_flags(out, 32, first >> 32)
        out[40] = (first >> 40) & 1
