"""What the solver takes: rules under which tricks decide, and positions that a deal can come to.

The search trusts its input and would run wild on anything else.  Agents that search enter states of
their own making; what comes from outside goes through `check_states` first.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from belote_env.actions import BID_GENERALE
from belote_env.cards import (
    BEATS,
    CONTRACTS,
    DER,
    NUM_CARDS,
    NUM_CONTRACTS,
    NUM_SEATS,
    RUFF_CARDS,
    SUIT_CARDS,
)
from belote_env.checks import check_array
from belote_env.engine.bits import lowest_bit, popcount
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.options import rule_data
from belote_env.engine.state import NO_CARD, PLAY, STATE_DTYPE
from belote_env.rules import RuleSet

_FAULTS: Final = (
    ("phase", f"{PLAY}, the play"),
    ("bid", "another: a générale is won by tricks of the taker alone"),
    ("contract", f"0-{NUM_CONTRACTS - 1}"),
    ("num_played", f"0-{NUM_CARDS - 1}"),
    ("seat", f"a seat 0-{NUM_SEATS - 1}"),
    ("trick", f"a card of each seat that has played to it before `seat`, {NO_CARD} of the others"),
    ("hands", "as many cards as `num_played` leaves to each seat"),
    ("hands", "cards that are in no other hand, nor in the trick, nor fallen"),
    ("led", "the suit 0-3 of the card that was led"),
    ("best_card", "the card that holds the trick"),
    ("best_seat", "the seat whose card holds the trick"),
    ("tricks", "`num_played` // 4 in all"),
    ("points", "those of the cards won, 0 for a side without a trick"),
)
"""What can be wrong with a state: the field, and what would be right."""
_PHASE, _BID, _CONTRACT, _NUM_PLAYED, _SEAT, _TRICK, _SIZES, _TWICE = range(8)
_LED, _BEST_CARD, _BEST_SEAT, _TRICKS, _POINTS = range(8, 13)
_NONE: Final = -1


@part
def _card_fault(s: Record, in_trick: int, held: int) -> Any:
    """What is wrong with where the cards are, as far as they are in the trick or in hands."""
    position = int64(s.num_played) & 3
    for back in range(1, NUM_SEATS + 1):
        card = s.trick[(s.seat - back) & 3]
        if card > NO_CARD or (card == NO_CARD) == (back <= position):
            return _TRICK
    num = popcount(in_trick)
    for turn in range(NUM_SEATS):
        hand = int64(s.hands[(s.seat + turn) & 3])
        size = (NUM_CARDS - int64(s.num_played) + 3 - turn) >> 2
        if popcount(hand) != size:
            return _SIZES
        num += size
        if hand & (s.fallen[0] | s.fallen[1] | s.fallen[2] | s.fallen[3]):
            return _TWICE
    if popcount(in_trick) != position:
        return _TRICK
    return _NONE if popcount(in_trick | held) == num else _TWICE


@part
def _trick_fault(s: Record, in_trick: int) -> Any:
    """What is wrong with what is known of the trick; at its start it is only not to be misread."""
    contract = int64(s.contract)
    if s.led >= len(SUIT_CARDS):
        return _LED
    if s.best_card >= NUM_CARDS:
        return _BEST_CARD
    position = int64(s.num_played) & 3
    if position == 0:
        return _NONE
    if s.trick[(s.seat - position) & 3] >> 3 != s.led:
        return _LED
    # One card at most has followed suit or ruffed and is not beaten.
    best = int64(1) << int64(s.best_card)
    takes = best & in_trick & (SUIT_CARDS[s.led] | RUFF_CARDS[contract])
    if takes == 0 or BEATS[contract, s.best_card] & in_trick:
        return _BEST_CARD
    if s.best_seat >= NUM_SEATS or s.trick[s.best_seat] != s.best_card:
        return _BEST_SEAT
    return _NONE


@part
def _count_fault(rules: Record, s: Record, cards: int) -> Any:
    """What is wrong with what the sides have won; ``cards`` are those that they have not."""
    contract = int64(s.contract)
    if int64(s.tricks[0]) + int64(s.tricks[1]) != s.num_played >> 2:
        return _TRICKS
    points = int64(DER)
    while cards:
        points += rules.card_points[contract, lowest_bit(cards)]
        cards &= cards - 1
    for side in range(2):
        if s.points[side] < 0 or (s.points[side] and s.tricks[side] == 0):
            return _POINTS
        points += s.points[side]
    return _NONE if points == rules.total[contract] else _POINTS


@part
def _fault(rules: Record, s: Record) -> Any:
    """The first thing that is wrong with a state, a place in `_FAULTS` or _NONE."""
    if s.phase != PLAY:
        return _PHASE
    if s.bid == BID_GENERALE + 1:
        return _BID
    if s.contract < 0 or s.contract >= NUM_CONTRACTS:
        return _CONTRACT
    if s.num_played >= NUM_CARDS:
        return _NUM_PLAYED
    if s.seat < 0 or s.seat >= NUM_SEATS:
        return _SEAT
    in_trick = int64(0)
    held = int64(0)
    for seat in range(NUM_SEATS):
        held |= int64(s.hands[seat])
        if s.trick[seat] < NO_CARD:
            in_trick |= int64(1) << int64(s.trick[seat])
    fault = int64(_card_fault(s, in_trick, held))
    if fault == _NONE:
        fault = int64(_trick_fault(s, in_trick))
    if fault == _NONE:
        fault = int64(_count_fault(rules, s, in_trick | held))
    return fault


@kernel
def _first_fault(rules: Any, states: Any) -> tuple[Any, Any]:
    """The first state that cannot be, and what is wrong with it; _NONE if nothing is."""
    for i in range(len(states)):
        fault = int64(_fault(rules[0], states[i]))
        if fault != _NONE:
            return i, fault
    return 0, int64(_NONE)


def check_rules(rules: RuleSet) -> None:
    """Refuse rules under which trick points do not decide what the sides mark.

    Raises:
        ValueError: naming the option.
    """
    if rules.num_seats != NUM_SEATS:
        raise ValueError(f"rules={rules.id!r}: the solver plays with four seats")
    if rules.announce == "choice":
        raise ValueError(
            "announce='choice': what is said changes the marks, and no trick tells it; use 'auto'"
        )
    if rules.belote_king_first:
        raise ValueError(
            "belote_king_first=True: the order of king and queen changes the marks, and no trick"
            " tells it; use False"
        )
    if rules.contract_test == "82_in_tricks" and rules.has_litige and rules.litige == "replay":
        raise ValueError(
            "contract_test='82_in_tricks' with litige='replay': a contract just made can be worth"
            " less than a litige, so marks do not follow trick points; change one of them"
        )


def check_states(rules: RuleSet, states: NDArray[Any]) -> NDArray[Any]:
    """Positions side by side in memory, refused if the solver cannot enter them.

    It looks at the fields that the solver reads, and that no card held has fallen.

    Raises:
        ValueError: if they are no array of states, or one cannot be; the message names the state,
            the field and what would be right.
    """
    check_array("states", states, STATE_DTYPE, (None,), "states of shape (N,), dtype STATE_DTYPE")
    states = np.ascontiguousarray(states)
    row, fault = _first_fault(rule_data(rules), states)
    if fault != _NONE:
        field, right = _FAULTS[fault]
        found = states[field][row].tolist()
        raise ValueError(f"states[{row}]: {field}={found!r} cannot be solved: use {right}")
    return states


def check_margins(rules: RuleSet, contract: int, margins: NDArray[np.int64]) -> None:
    """Refuse margins that no deal of a contract has.

    Raises:
        ValueError: naming the margin.
    """
    check_array("margins", margins, np.int64, (None,), "int64 of shape (N,)")
    total, capot = (int(rule_data(rules)[0][name][contract]) for name in ("total", "capot_total"))
    wrong = (margins < -total) | (margins > total) | (margins % 2 != 0)
    wrong &= (margins != -capot) & (margins != capot)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"margins[{row}]={margins[row]} in {CONTRACTS[contract]}: use an even number from"
            f" -{total} to {total}, or -{capot} or {capot} for a capot"
        )
