"""The auction: taking the turned card with overbids of SA and TA, or bidding for a contract.

Rules, sections 2, 8 and 9.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import (
    BID,
    BID_CAPOT,
    BID_GENERALE,
    COINCHE,
    NUM_BIDS,
    PASS,
    SPLIT,
    SURCOINCHE,
    TAKE,
)
from belote_env.cards import NUM_CONTRACTS, SANS_ATOUT, TOUT_ATOUT
from belote_env.engine.dealing import begin_play, complete_hands
from belote_env.engine.jit import Record, merged, part
from belote_env.engine.options import AUCTION_FAMILY, ROUND2_ALLOWED, SA_TA_SECOND
from belote_env.engine.state import OVER, VOID

_PASS_BIT = 1 << PASS
_SUIT_BITS = 0b1111 << TAKE
_SA_BIT = 1 << (TAKE + SANS_ATOUT)
_TA_BIT = 1 << (TAKE + TOUT_ATOUT)
_COINCHE_BIT = 1 << (COINCHE - SPLIT)
_SURCOINCHE_BIT = 1 << (SURCOINCHE - SPLIT)


def _higher_bids() -> NDArray[np.int64]:
    table = np.zeros((NUM_BIDS + 1, 2, 2, 2), np.int64)
    for bid, sa_ta, generale in np.ndindex(table.shape[:3]):
        contracts = NUM_CONTRACTS if sa_ta else SANS_ATOUT
        for value in range(bid, BID_GENERALE + 1 if generale else BID_CAPOT + 1):
            for contract in range(contracts):
                word, bit = divmod(BID + NUM_CONTRACTS * value + contract, SPLIT)
                table[bid, sa_ta, generale, word] |= 1 << bit
    return table


HIGHER_BIDS: Final = _higher_bids()
"""Bids that overcall the `bid` of a state, by it, `sa_ta` and `generale`: a set in two words.
Shape (12, 2, 2, 2)."""


@merged
def legal_calls(rules: Record, s: Record) -> tuple[int, int]:
    """Legal calls of the seat to act, as a set in two words."""
    if rules.family == AUCTION_FAMILY:
        return _legal_bids(rules, s)
    return _legal_takes(rules, s), 0


@part
def _legal_bids(rules: Record, s: Record) -> tuple[int, int]:
    """A higher bid, coinche of the other side's, surcoinche of a coinche (rules, section 9)."""
    other_side = (s.taker ^ s.seat) & 1
    if s.doubled:
        return _PASS_BIT, 0 if other_side else _SURCOINCHE_BIT
    higher = HIGHER_BIDS[s.bid, rules.sa_ta, rules.generale]
    coinche = _COINCHE_BIT if s.bid and other_side else 0
    return _PASS_BIT | higher[0], higher[1] | coinche


@part
def _bid(rules: Record, s: Record, action: int) -> None:
    """Enter a legal call; three passes or a surcoinche end the auction, four void the deal."""
    s.calls[s.num_calls] = action
    s.num_calls += 1
    if action == PASS:
        s.passes += 1
        if s.bid == 0 and s.passes == 4:
            _void(s)
            return
    else:
        s.passes = 0
    if action in (COINCHE, SURCOINCHE):
        s.doubled += 1
    elif action != PASS:
        s.bid = 1 + (action - BID) // NUM_CONTRACTS
        s.contract = (action - BID) % NUM_CONTRACTS
        s.taker = s.seat
    if action == SURCOINCHE or (s.bid and s.passes == 3):
        begin_play(rules, s)
    else:
        s.seat = (s.seat + 1) & 3


@part
def _void(s: Record) -> None:
    s.phase = OVER
    s.result = VOID
    s.seat = -1


@part
def _legal_takes(rules: Record, s: Record) -> int:
    """Round 1 takes the turned suit, round 2 another; SA and TA overbid (rules, section 2)."""
    if s.contract == TOUT_ATOUT:
        return _PASS_BIT
    if s.contract == SANS_ATOUT:
        return _PASS_BIT | _TA_BIT
    if s.contract >= 0:
        return _PASS_BIT | _SA_BIT | _TA_BIT
    turned_bit = 1 << (TAKE + (s.deck[rules.turned] >> 3))
    calls = _PASS_BIT
    first_round = s.num_calls <= rules.last_seat
    if first_round:
        calls |= turned_bit
    elif rules.round2_turned_suit == ROUND2_ALLOWED:
        calls |= _SUIT_BITS
    else:
        calls |= _SUIT_BITS & ~turned_bit
    if rules.sa_ta and not (first_round and rules.sa_ta_rounds == SA_TA_SECOND):
        calls |= _SA_BIT | _TA_BIT
    return calls


@merged
def call(rules: Record, s: Record, action: int) -> None:
    """Enter a legal call; the last one begins the play or voids the deal."""
    if rules.family == AUCTION_FAMILY:
        _bid(rules, s, action)
    else:
        _take(rules, s, action)


@part
def _take(rules: Record, s: Record, action: int) -> None:
    """Enter a legal call; the last one deals the rest of the cards or voids the deal."""
    s.calls[s.num_calls] = action
    first_round = s.num_calls <= rules.last_seat
    s.num_calls += 1
    if action == PASS:
        s.passes += 1
        if s.contract >= 0 and s.passes == 3:
            complete_hands(rules, s)
            return
        if s.contract < 0 and s.passes == 2 * rules.last_seat + 2:
            _void(s)
            return
    else:
        s.passes = 0
        s.contract = action - TAKE
        s.taker = s.seat
        if not rules.sa_ta or (first_round and rules.sa_ta_rounds == SA_TA_SECOND):
            complete_hands(rules, s)
            return
    s.seat = (s.seat + 1) & rules.last_seat
