"""The heuristic caller: takes in the turn-up game, bids and doubling in the auction family."""

from __future__ import annotations

from typing import Any, Final

from numpy import int64

from agents.heuristics.hands import TO_BID, TO_OPPOSE, TO_SUPPORT, TO_TAKE, wins_all, worth
from belote_env.actions import (
    BID,
    BID_CAPOT,
    BID_GENERALE,
    COINCHE,
    PASS,
    SPLIT,
    SURCOINCHE,
    TAKE,
)
from belote_env.cards import NUM_CONTRACTS, SANS_ATOUT
from belote_env.engine.auction import legal_calls
from belote_env.engine.jit import Record, part
from belote_env.engine.options import AUCTION_FAMILY

# Columns of the weights `take_even` and `bid_below`: who has taken, or bid last, so far.
_NOBODY: Final = 0
_THEY: Final = 1
_PARTNER: Final = 2

_NONE: Final = -1e9


@part
def choose_call(rules: Record, s: Record, w: Record) -> int:
    """The call of the seat to act.

    Args:
        rules: record of `RULES_DTYPE`.
        s: record of `STATE_DTYPE`; of the hands only that of the seat to act is read.
        w: record of `CALL_DTYPE`.
    """
    if rules.family == AUCTION_FAMILY:
        return _bid(rules, s, w)
    return _take(rules, s, w)


@part
def _take(rules: Record, s: Record, w: Record) -> Any:
    """Take at the contract whose worth exceeds what it needs by most, if any does."""
    legal, _ = legal_calls(rules, s)
    hand = int64(s.hands[s.seat]) | 1 << int64(s.deck[rules.turned])
    calls = int64(s.num_calls)
    leads = (s.dealer + 1) & 3 == s.seat
    taken_by = _taken_by(s)
    best = int64(PASS)
    best_margin = 0.0
    for contract in range(NUM_CONTRACTS):
        if (legal >> (TAKE + contract)) & 1:
            margin = worth(rules, w, TO_TAKE, contract, hand, leads)
            if contract < SANS_ATOUT:
                margin -= w.take[min(calls >> 2, 1), calls & 3]
            else:
                margin -= w.take_even[contract - SANS_ATOUT, taken_by]
            if margin >= best_margin:
                best_margin = margin
                best = int64(TAKE + contract)
    return best


@part
def _taken_by(s: Record) -> int:
    """Who has taken, or bid last, so far: partner stands for our side."""
    if s.taker < 0:
        return _NOBODY
    return _THEY if (s.taker ^ s.seat) & 1 else _PARTNER


@part
def _bid(rules: Record, s: Record, w: Record) -> int:
    """Bid up to the points expected; double a bid that is expected to fail."""
    _, high = legal_calls(rules, s)
    hand = int64(s.hands[s.seat])
    contract = int64(s.contract)
    worth_of_bid = rules.bid_value[s.bid]
    ours = (s.taker ^ s.seat) & 1 == 0
    if s.doubled:
        if not ours or not (high >> (SURCOINCHE - SPLIT)) & 1:
            return PASS
        spare = _expected(rules, s, w, contract, hand) - worth_of_bid
        return SURCOINCHE if spare >= w.surcoinche else PASS
    best = int64(0)
    best_points = _NONE
    for other in range(NUM_CONTRACTS if rules.sa_ta else SANS_ATOUT):
        points = _expected(rules, s, w, other, hand)
        if points > best_points:
            best_points = points
            best = other
    everything = wins_all(best, hand)
    value = _highest_bid(rules, s, w, best_points, everything)
    if value >= 0:
        return BID + NUM_CONTRACTS * value + best
    if s.bid and not ours:
        theirs = rules.total[contract] - worth(rules, w, TO_OPPOSE, contract, hand, _leads(s))
        if worth_of_bid - theirs >= w.coinche:
            return COINCHE
    return PASS


@part
def _leads(s: Record) -> bool:
    """Whether the seat to act leads to trick 1."""
    return (s.dealer + 1) & 3 == s.seat


@part
def _expected(rules: Record, s: Record, w: Record, contract: int, hand: int) -> float:
    """Points that our side is expected to make at a contract.

    To what partner has promised comes what our cards are worth to him; but a bid of his over our
    own at the same contract has counted them.
    """
    leads = _leads(s)
    points = worth(rules, w, TO_BID, contract, hand, leads)
    promised = 0.0
    bid_too = False
    for i in range(s.num_calls):
        call = int64(s.calls[i])
        turn = (s.dealer + 1 + i - s.seat) & 3
        if BID <= call < COINCHE and turn & 1 == 0:
            same = (call - BID) % NUM_CONTRACTS == contract
            if turn == 0:
                bid_too |= same
            else:
                promised = 0.0
                if same:
                    promised = 1.0 * rules.bid_value[1 + (call - BID) // NUM_CONTRACTS]
    if promised == 0.0 or bid_too:
        return max(points, promised)
    return max(points, promised + worth(rules, w, TO_SUPPORT, contract, hand, leads))


@part
def _highest_bid(rules: Record, s: Record, w: Record, points: float, everything: bool) -> Any:
    """Place of the highest bid that is legal and within reach, or -1."""
    top = int64(-1)
    if everything or points >= w.capot:
        top = BID_GENERALE if everything and rules.generale else BID_CAPOT
    else:
        for value in range(BID_CAPOT):
            if rules.bid_value[1 + value] <= points - w.bid_below[_taken_by(s)]:
                top = int64(value)
    return top if top >= s.bid else -1
