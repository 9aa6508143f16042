"""The worth of a hand under a contract: a sum over its cards, suit by suit."""

from __future__ import annotations

from typing import Final

import numpy as np

from agents.heuristics.unseen import top_of_suit
from belote_env.cards import (
    ACE,
    BEATS,
    JACK,
    KING,
    NINE,
    QUEEN,
    SANS_ATOUT,
    SUIT_CARDS,
    TEN,
)
from belote_env.engine.annonces import MAX_ANNONCES, POINTS, find_annonces, may_hold_annonces
from belote_env.engine.bits import lowest_bit, popcount
from belote_env.engine.jit import Record, part

# What a hand is judged for: rows of the weights.
TO_TAKE: Final = 0
"""Five cards and the turned one, to take at the contract: on a scale of its own."""
TO_BID: Final = 1
"""Eight cards, to bid the contract: trick points and belote expected by our side."""
TO_OPPOSE: Final = 2
"""Eight cards, against the contract: trick points expected by our side."""
TO_SUPPORT: Final = 3
"""Eight cards, beside a partner who has bid the contract: points beyond those of his bid."""

_PAIR: Final = 1 << KING | 1 << QUEEN
_ACE: Final = 1 << ACE
_TEN: Final = 1 << TEN
_KING: Final = 1 << KING
_STRONGEST: Final = np.array([[ACE, TEN, KING], [JACK, NINE, ACE]], np.int64)
"""Ranks from the strongest down, at SA and at TA."""


@part
def worth(rules: Record, w: Record, judgement: int, contract: int, hand: int, leads: bool) -> float:
    """Worth of a hand under a contract, its annonces counted in part.

    Args:
        rules: record of `RULES_DTYPE`.
        w: record of `CALL_DTYPE`.
        judgement: TO_TAKE, TO_BID, TO_OPPOSE or TO_SUPPORT.
        contract: 0-5.
        hand: the cards, as a set.
        leads: whether the hand leads to trick 1.
    """
    points = w.annonces * _annonce_points(rules, contract, hand)
    if contract < SANS_ATOUT:
        return points + _colour_worth(w, judgement, contract, hand)
    return points + _even_worth(w, judgement, contract - SANS_ATOUT, hand, leads)


@part
def _colour_worth(w: Record, judgement: int, trump: int, hand: int) -> float:
    total = w.base[judgement]
    ranks = (hand >> (8 * trump)) & 0xFF
    if ranks & _PAIR == _PAIR:
        total += w.belote[judgement]
    while ranks:
        total += w.trump[judgement, lowest_bit(ranks)]
        ranks &= ranks - 1
    for suit in range(4):
        if suit != trump:
            total += _side_worth(w, judgement, (hand >> (8 * suit)) & 0xFF)
    return total


@part
def _side_worth(w: Record, judgement: int, ranks: int) -> float:
    """Worth of the cards of a suit that is not trumps, a set of ranks."""
    if ranks == 0:
        return w.void[judgement]
    if ranks & _ACE:
        return w.ace[judgement] + (w.ten_with_ace[judgement] if ranks & _TEN else 0.0)
    if ranks & (ranks - 1) == 0:
        return w.singleton[judgement]
    if ranks & _TEN:
        return w.ten_guarded[judgement]
    return w.king_guarded[judgement] if ranks & _KING else 0.0


@part
def _even_worth(w: Record, judgement: int, kind: int, hand: int, leads: bool) -> float:
    """Worth of a hand where no suit ruffs another: ``kind`` is 0 at SA and 1 at TA."""
    first = 1 << _STRONGEST[kind, 0]
    second = 1 << _STRONGEST[kind, 1]
    third = 1 << _STRONGEST[kind, 2]
    total = w.even_base[judgement, kind]
    if leads:
        total += w.leads[judgement, kind]
    for suit in range(4):
        ranks = (hand >> (8 * suit)) & 0xFF
        if ranks & _PAIR == _PAIR:
            total += w.even_belote[judgement, kind]
        if ranks & first:
            total += w.first[judgement, kind]
            total += w.small_with_first[judgement, kind] * popcount(ranks & ~first)
            if ranks & second:
                total += w.second_with_first[judgement, kind]
                if ranks & third:
                    total += w.third_with_both[judgement, kind]
        elif ranks & second and ranks != second:
            total += w.second_guarded[judgement, kind]
    return total


@part
def _annonce_points(rules: Record, contract: int, hand: int) -> int:
    """Points of the annonces in a hand, which score if the other side has none better."""
    points = 0
    if rules.annonces and may_hold_annonces(hand):
        found = np.empty((MAX_ANNONCES, 4), np.int64)
        for i in range(find_annonces(rules, contract, hand, found)):
            points += found[i, POINTS]
    return points


@part
def wins_all(contract: int, hand: int) -> bool:
    """Whether a hand wins every trick from its first lead on, however the others are dealt."""
    for suit in range(4):
        cards = hand & SUIT_CARDS[suit]
        missing = SUIT_CARDS[suit] & ~cards
        masters = cards
        if missing:
            masters &= BEATS[contract, lowest_bit(top_of_suit(contract, missing, suit))]
        draws_all = popcount(masters) >= popcount(missing)
        if not draws_all and (masters != cards or suit == contract):
            return False
    return True
