"""The auction of the turn-up game, with the overbids of SA and TA (rules, section 2)."""

from __future__ import annotations

from belote_env.actions import PASS, TAKE
from belote_env.cards import SANS_ATOUT, TOUT_ATOUT
from belote_env.engine.dealing import TURNED, complete_hands
from belote_env.engine.jit import Record, part
from belote_env.engine.options import ROUND2_ALLOWED, SA_TA_SECOND
from belote_env.engine.state import OVER, VOID

_PASS_BIT = 1 << PASS
_SUIT_BITS = 0b1111 << TAKE
_SA_BIT = 1 << (TAKE + SANS_ATOUT)
_TA_BIT = 1 << (TAKE + TOUT_ATOUT)


@part
def legal_calls(rules: Record, s: Record) -> int:
    """Legal calls of the seat to act, as a set of action ids (int64)."""
    if s.contract == TOUT_ATOUT:
        return _PASS_BIT
    if s.contract == SANS_ATOUT:
        return _PASS_BIT | _TA_BIT
    if s.contract >= 0:
        return _PASS_BIT | _SA_BIT | _TA_BIT
    turned_bit = 1 << (TAKE + (s.deck[TURNED] >> 3))
    calls = _PASS_BIT
    first_round = s.num_calls < 4
    if first_round:
        calls |= turned_bit
    elif rules.round2_turned_suit == ROUND2_ALLOWED:
        calls |= _SUIT_BITS
    else:
        calls |= _SUIT_BITS & ~turned_bit
    if rules.sa_ta and not (first_round and rules.sa_ta_rounds == SA_TA_SECOND):
        calls |= _SA_BIT | _TA_BIT
    return calls


@part
def call(rules: Record, s: Record, action: int) -> None:
    """Enter a legal call; the last one deals the rest of the cards or voids the deal."""
    s.calls[s.num_calls] = action
    first_round = s.num_calls < 4
    s.num_calls += 1
    if action == PASS:
        s.passes += 1
        if s.contract >= 0 and s.passes == 3:
            complete_hands(s)
            return
        if s.contract < 0 and s.passes == 8:
            s.phase = OVER
            s.result = VOID
            s.seat = -1
            return
    else:
        s.passes = 0
        s.contract = action - TAKE
        s.taker = s.seat
        if not rules.sa_ta or (first_round and rules.sa_ta_rounds == SA_TA_SECOND):
            complete_hands(s)
            return
    s.seat = (s.seat + 1) & 3
