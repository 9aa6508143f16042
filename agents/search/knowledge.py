"""What a seat knows, as a state: read back from its observation and nothing else.

    >>> known = known_states("classic", observations)  # observations uint8 [N, D]

The state is the deal as the seat sees the table: seats are counted from it, so that it is seat 0
and its side team 0.  It holds the own hand alone, and of the pack the turned card.  Whatever the
engine does for a seat by public knowledge it does here for seat 0, such as telling its legal cards.

The calls and cards read are played again on the engine, so who took, who won which trick and what
a card proves about a hand are found where all rules are.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numpy import int64, uint32
from numpy.typing import NDArray

from belote_env.actions import BID, COINCHE, PASS, TAKE
from belote_env.cards import KING, NUM_CARDS, NUM_CONTRACTS, NUM_SEATS, QUEEN
from belote_env.checks import check_array
from belote_env.engine.auction import call
from belote_env.engine.bits import load_word, lowest_bit
from belote_env.engine.dealing import clear_match, lay_out
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.options import AUCTION_FAMILY, rule_data
from belote_env.engine.play import play_card
from belote_env.engine.state import OVER, PLAY, SAY_ANNONCES, new_states
from belote_env.observation import Slice, bounds, schema, views
from belote_env.rules import RuleSet, resolve


def _offsets(rules: str) -> dict[str, int]:
    slices: tuple[Slice, ...] = schema(rules)
    return {s.name: s.offset for s in slices}


# Where the slices begin that all rules have, and those that follow them.
_AT: Final = _offsets("classic")
_HAND: Final = _AT["hand"]
_PLAYED: Final = _AT["played"]
_TRICK_NUMBER: Final = _AT["trick_number"]
_BELOTE: Final = _AT["belote"]
_REBELOTE: Final = _AT["rebelote"]
_DEALER: Final = _AT["dealer"]
_TOLERANCE: Final = _AT["tolerance"]
_PHASE: Final = _AT["phase"]
_DEALS_PLAYED: Final = _AT["deals_played"]
_CARRY: Final = _AT["carry"]
_SCORES: Final = _AT["scores"]
_BLOCKED: Final = _AT["blocked"]
_TURNED: Final = _AT["turned"]
_CALLS: Final = _AT["calls"]
_CALLS_AFTER_BID: Final = _offsets("contree")["calls"]
_CALL_SIZE: Final = 8

# Slices on annonces, from the end of the calls on.
_SHOWN: Final = 4 * NUM_SEATS
_SIDE: Final = _SHOWN + NUM_SEATS * NUM_CARDS
_ANNONCE_POINTS: Final = _SIDE + 4

# Columns of the phase.
_ASKED_BELOTE: Final = 3
_ASKED_ANNONCES: Final = 5
_ENDED: Final = 6

_ONE_FLAG: Final = ("dealer", "phase", "turned")
"""Slices of flags of which one is set."""
_NOBODY: Final = -1
"""In place of a card, of a seat that has not played to a trick."""

_GATHER: Final = 0x0102040810204080
"""Brings the lowest bits of eight bytes together in the highest byte of the product."""
_HONOURS: Final = 1 << KING | 1 << QUEEN


@part
def _flags(seen: Any, at: int) -> int:
    """Eight flags as the bits of a byte."""
    return ((load_word(seen, at) * _GATHER) >> 56) & 0xFF


@part
def _cards(seen: Any, at: int) -> int:
    """Flags of the 32 cards as a set."""
    cards = 0
    for suit in range(4):
        cards |= _flags(seen, at + 8 * suit) << (8 * suit)
    return cards


@part
def _number(seen: Any, at: int) -> Any:
    """A number written as sixteens and ones."""
    return 16 * int64(seen[at]) + int64(seen[at + 1])


@part
def _read_match(seen: Any, s: Record) -> None:
    clear_match(s)
    for side in range(2):
        s.scores[side] = _number(seen, _SCORES + 2 * side)
        s.blocked[side] = seen[_BLOCKED + side]
        s.tolerance_used[side] = seen[_TOLERANCE + side]
    s.carry = _number(seen, _CARRY)
    s.deals_played = seen[_DEALS_PLAYED]


@part
def _call_at(rules: Record, seen: Any, at: int) -> int:
    """Action id of a call, -1 after the last."""
    word = load_word(seen, at)
    by_contract = word & ((1 << (8 * NUM_CONTRACTS)) - 1)
    if by_contract == 0:
        kind = (word >> (8 * NUM_CONTRACTS)) & 0xFF
        if kind <= 1:
            return PASS if kind else -1
        return COINCHE + kind - 2
    contract = lowest_bit(by_contract) >> 3
    if rules.family != AUCTION_FAMILY:
        return TAKE + contract
    value = by_contract >> (8 * contract)
    return BID + NUM_CONTRACTS * (value - 1) + contract


@part
def _play_calls(rules: Record, seen: Any, s: Record, at: int) -> None:
    for i in range(rules.call_slots):
        action = _call_at(rules, seen, at + _CALL_SIZE * i)
        if action < 0:
            return
        call(rules, s, action)


@part
def _play_cards(rules: Record, seen: Any, s: Record) -> bool:
    """Play the cards that have fallen, from hands of all that each seat is seen to have held.

    Returns:
        Whether they are different ones, fill their tricks in turn, and have a contract if any.
    """
    by_trick = np.full(2 * NUM_CARDS, _NOBODY, np.int64)
    num = 0
    gone = _cards(seen, _HAND)
    for seat in range(NUM_SEATS):
        said = _flags(seen, _BELOTE + 4 * seat) & 15
        s.belote_said[seat] = said
        s.rebelote_said[seat] = _flags(seen, _REBELOTE + 4 * seat) & 15
        fallen = _cards(seen, _PLAYED + NUM_CARDS * seat)
        if fallen & gone:
            return False
        gone |= fallen
        held = fallen
        for suit in range(4):
            held |= ((said >> suit) & 1) * _HONOURS << (8 * suit)
        s.hands[seat] = uint32(held)
        while fallen:
            card = lowest_bit(fallen)
            fallen &= fallen - 1
            place = NUM_SEATS * (int64(seen[_TRICK_NUMBER + card]) - 1) + seat
            if place < 0 or place >= len(by_trick) or by_trick[place] != _NOBODY:
                return False
            by_trick[place] = card
            num += 1
    if num and s.contract < 0:
        return False
    s.hands[0] |= uint32(_cards(seen, _HAND))
    phase = int64(load_word(seen, _PHASE) & ((1 << 56) - 1))
    asked = lowest_bit(phase) >> 3
    for i in range(num):
        card = by_trick[NUM_SEATS * (i >> rules.trick_shift) + s.seat]
        if card == _NOBODY:
            return False
        play_card(rules, s, card)
        if s.speech and i == num - 1 and _ASKED_BELOTE <= asked <= _ASKED_ANNONCES:
            s.speech &= SAY_ANNONCES if asked == _ASKED_ANNONCES else 0xFF
        elif s.speech:  # answered: the words are known
            s.speech = 0
            s.phase = PLAY
            s.seat = s.next_seat
    if asked == _ENDED:
        s.phase = OVER
        s.seat = -1
    return True


@part
def _read_annonces(seen: Any, s: Record, at: int) -> None:
    for seat in range(NUM_SEATS):
        said = 0
        for kind in range(4):
            said |= int64(seen[at + 4 * seat + kind]) << (2 * kind)
        s.annonces_said[seat] = said
        s.shown[seat] = uint32(_cards(seen, at + _SHOWN + NUM_CARDS * seat))
    s.annonce_team = -1
    for side in range(2):
        s.annonce_points[side] = _number(seen, at + _ANNONCE_POINTS + 2 * side)
        if seen[at + _SIDE + 1 + side]:
            s.annonce_team = side


@part
def read_observation(rules: Record, seen: Any, s: Record) -> bool:
    """Write what a seat knows into a state; False, and a state in part, if no deal shows that.

    Args:
        rules: record of `RULES_DTYPE`.
        seen: the seat's observation, flat and without canonical suits, uint8 [D], each byte within
            its bounds.
        s: record of `STATE_DTYPE`; every field is written.  What an observation does not tell is
            zero, the marks of a finished deal among it.
    """
    s.key = 0
    s.deal = 0
    s.next_seat = 0
    for i in range(NUM_CARDS):
        s.deck[i] = 0
    if rules.family != AUCTION_FAMILY:
        s.deck[rules.turned] = lowest_bit(_cards(seen, _TURNED))
    s.dealer = lowest_bit(load_word(seen, _DEALER)) >> 3
    lay_out(rules, s)
    _read_match(seen, s)
    calls = _CALLS_AFTER_BID if rules.family == AUCTION_FAMILY else _CALLS
    _play_calls(rules, seen, s, calls)
    if not _play_cards(rules, seen, s):
        return False
    s.hands[0] = uint32(_cards(seen, _HAND))
    for seat in range(1, NUM_SEATS):
        s.hands[seat] = 0
    if rules.annonces:
        _read_annonces(seen, s, calls + _CALL_SIZE * rules.call_slots)
    return True


@part
def _is_one(flags: int) -> bool:
    return flags != 0 and flags & (flags - 1) == 0


@part
def _is_read(rules: Record, seen: Any, highest: Any) -> bool:
    """Whether bytes are within their bounds, and slices of `_ONE_FLAG` have one."""
    beyond = False
    for i in range(len(highest)):
        beyond |= seen[i] > highest[i]
    if beyond or not _is_one(_flags(seen, _DEALER) & 15) or not _is_one(_flags(seen, _PHASE) & 127):
        return False
    return rules.family == AUCTION_FAMILY or _is_one(_cards(seen, _TURNED))


@kernel
def read_observations(rules: Record, observations: Any, highest: Any, states: Any) -> int:
    """`read_observation` row by row: how many rows, up to the first that no deal shows.

    Args:
        rules: rule data, shape (1,).
        observations: uint8 [N, D].
        highest: of each byte, uint8 [D].
        states: states to write, shape (N,).
    """
    for i in range(len(states)):
        seen = observations[i]
        if not _is_read(rules[0], seen, highest) or not read_observation(rules[0], seen, states[i]):
            return i
    return len(states)


@cache
def _highest(rules: RuleSet) -> NDArray[np.uint8]:
    return bounds(schema(rules))[1]


def _fault(rules: RuleSet, seen: NDArray[np.uint8]) -> str:
    """What is wrong with an observation that was not read."""
    slices = schema(rules)
    for byte in np.flatnonzero(seen > _highest(rules)).tolist():
        (of,) = (s for s in slices if s.offset <= byte < s.offset + s.size)
        return f"byte {byte} of {of.name!r} is {seen[byte]}: use {of.low}-{of.high}"
    by_name = views(seen, slices)
    for name in _ONE_FLAG:
        if name in by_name and by_name[name].sum() != 1:
            return f"{name!r} has {by_name[name].sum()} flags: use one"
    return "the cards played are in no order of a deal: use what a seat saw"


def known_states(rules: str | RuleSet, observations: NDArray[np.uint8]) -> NDArray[Any]:
    """What the seats that have these observations know, as states of shape (N,).

    Args:
        rules: the rule set played, or its id.
        observations: flat and without canonical suits, uint8 [N, D].

    Raises:
        ValueError: if the observations have another shape or dtype than those of the rule set, or
            one of them is not what a deal shows.
    """
    rules = resolve(rules)
    width = len(_highest(rules))
    legal = f"uint8 [N, {width}], as rules {rules.id!r} give"
    check_array("observations", observations, np.uint8, (None, width), legal)
    states = new_states(len(observations))
    rows = np.ascontiguousarray(observations)
    row = read_observations(rule_data(rules), rows, _highest(rules), states)
    if row < len(states):
        raise ValueError(f"observations[{row}]: {_fault(rules, rows[row])}")
    return states
