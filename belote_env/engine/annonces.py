"""Annonces: finding them in a hand, saying their kinds, comparing them (rules, section 5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64, uint32

from belote_env.cards import (
    ACE,
    JACK,
    NINE,
    NUM_CONTRACTS,
    RANKS,
    SANS_ATOUT,
    TEN,
)
from belote_env.engine.jit import Record, part
from belote_env.engine.options import ANNOUNCE_CHOICE, TIE_FIRST
from belote_env.engine.state import CARRE, SAY_ANNONCES

MAX_ANNONCES = 3
"""Most annonces in one hand: a carré and two tierces around it, if cards may serve twice."""

# Columns of a found annonce.
KIND = 0
TOP = 1  # rank of a carré, highest card of a sequence
POINTS = 2
CARDS = 3


def _carre_points() -> np.ndarray:
    table = np.zeros((NUM_CONTRACTS, 8), np.int64)
    for contract in range(NUM_CONTRACTS):
        table[contract, NINE:] = 100
        if contract == SANS_ATOUT:
            table[contract, [ACE, TEN]] = 200, 150
        else:
            table[contract, [JACK, NINE]] = 200, 150
    return table


CARRE_POINTS = _carre_points()
"""Points of a carré by contract and rank, shape (6, 8); sevens and eights are worth nothing."""

SEQUENCE_POINTS = np.array([20, 50, 100], np.int64)
"""Points of a tierce, a cinquante and a cent."""

# Order among carrés of equal points: A > T > K > Q > J > 9.
_CARRE_ORDER = np.array(["789JQKTA".index(rank) for rank in RANKS], np.int64)
_RANK_COLUMN = 0x01010101
_NOT_SEVEN_EIGHT = 0xFC


@part
def may_hold_annonces(hand: int) -> bool:
    """Whether a hand has a run of three or four of a kind: a cheap test before the search."""
    column = hand & (hand >> 16)
    runs = hand & ((hand >> 1) & 0x7F7F7F7F) & ((hand >> 2) & 0x3F3F3F3F)
    return runs != 0 or (column & (column >> 8) & _NOT_SEVEN_EIGHT) != 0


@part
def find_annonces(rules: Record, contract: int, hand: int, out: Any) -> int:
    """Find the annonces of a hand of eight cards, carrés first, then by suit and height.

    Args:
        rules: record of `RULES_DTYPE`.
        contract: 0-5.
        hand: the hand as dealt (int64).
        out: int64 [MAX_ANNONCES, 4], filled with KIND, TOP, POINTS, CARDS a row.

    Returns:
        The number of annonces found.
    """
    count = 0
    free = hand
    for rank in range(NINE, ACE + 1):
        column = _RANK_COLUMN << rank
        if hand & column == column:
            out[count, KIND] = CARRE
            out[count, TOP] = rank
            out[count, POINTS] = CARRE_POINTS[contract, rank]
            out[count, CARDS] = column
            count += 1
            if not rules.annonce_card_reuse:
                free &= ~column
    for suit in range(4):
        length = 0
        for card in range(8 * suit, 8 * suit + 9):
            if card < 8 * suit + 8 and (free >> card) & 1:
                length += 1
                continue
            if length >= 3:
                kind = min(length, 5) - 3
                out[count, KIND] = kind
                out[count, TOP] = card - 1
                out[count, POINTS] = SEQUENCE_POINTS[kind]
                out[count, CARDS] = ((1 << length) - 1) << (card - length)
                count += 1
            length = 0
    return count


@part
def annonce_strength(contract: int, kind: int, top: int, points: int) -> int:
    """An int that orders annonces: kind, carrés by points and rank, sequences by top and trump."""
    if kind == CARRE:
        return ((CARRE + 1) << 12) | (points << 4) | _CARRE_ORDER[top]
    return ((kind + 1) << 12) | ((top & 7) << 1) | (top >> 3 == contract)


@part
def winning_team(rules: Record, strengths: Any, first: int) -> int:
    """The side whose best annonce is the strongest.

    Args:
        rules: record of `RULES_DTYPE`.
        strengths: int64 [4], strength of each seat's best annonce, 0 for none.
        first: the seat that spoke first.

    Returns:
        0 or 1, or -1 if nobody has one or the best are equal and cancel (`annonce_tie`).
    """
    best = max(max(strengths[0], strengths[1]), max(strengths[2], strengths[3]))
    winner = -1
    for k in range(4):
        seat = (first + k) & 3
        if best == 0 or strengths[seat] != best:
            continue
        if winner < 0:
            winner = seat & 1
        elif winner != seat & 1 and rules.annonce_tie != TIE_FIRST:
            return -1
    return winner


@part
def say_annonces(rules: Record, s: Record) -> None:
    """Say the kinds of the annonces of the seat about to play to trick 1, or ask whether to."""
    hand = int64(s.hands[s.seat])
    if not may_hold_annonces(hand):
        return
    found = np.empty((MAX_ANNONCES, 4), np.int64)
    count = find_annonces(rules, int64(s.contract), hand, found)
    if count and rules.announce == ANNOUNCE_CHOICE:
        s.speech |= SAY_ANNONCES
    elif count:
        s.annonces_said[s.seat] = kinds_said(found, count)


@part
def kinds_said(found: Any, count: int) -> int:
    """How many of each kind, two bits a kind, as a seat says them."""
    said = 0
    for i in range(count):
        said += 1 << (2 * found[i, KIND])
    return said


@part
def declare_annonces(rules: Record, s: Record) -> None:
    """The seat that has just played to trick 1 says the kinds of its annonces."""
    found = np.empty((MAX_ANNONCES, 4), np.int64)
    hand = int64(s.hands[s.seat]) | int64(s.fallen[s.seat])
    count = find_annonces(rules, int64(s.contract), hand, found)
    s.annonces_said[s.seat] = kinds_said(found, count)


@part
def compare_annonces(rules: Record, s: Record) -> None:
    """Compare what was said as trick 2 starts: one side scores and shows all its annonces."""
    found = np.empty((MAX_ANNONCES, 4), np.int64)
    strengths = np.zeros(4, np.int64)
    points = np.zeros(4, np.int64)
    cards = np.zeros(4, np.int64)
    contract = int64(s.contract)
    for seat in range(4):
        if s.annonces_said[seat]:
            hand = int64(s.hands[seat]) | int64(s.fallen[seat])
            for i in range(find_annonces(rules, contract, hand, found)):
                strength = annonce_strength(
                    contract, found[i, KIND], found[i, TOP], found[i, POINTS]
                )
                strengths[seat] = max(strengths[seat], strength)
                points[seat] += found[i, POINTS]
                cards[seat] |= found[i, CARDS]
    winner = winning_team(rules, strengths, (s.dealer + 1) & 3)
    s.annonce_team = winner
    if winner >= 0:
        s.annonce_points[winner] = points[winner] + points[winner + 2]
        s.shown[winner] = uint32(cards[winner])
        s.shown[winner + 2] = uint32(cards[winner + 2])
