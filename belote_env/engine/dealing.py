"""Dealing (rules, section 2): the pack in dealing order, the first five cards, the rest.

The pack of deal ``k`` of a stream is a pure function of (key, k), so it does not depend on what is
played.  Cards go out three then two from the seat next to the dealer, card 20 is turned up, and
after the auction each seat gets three more, the taker the turned card and two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from belote_env.cards import HAND_SIZE, NUM_CARDS
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.options import DEAL_BY_CUT
from belote_env.engine.rng import below, below_low, draw, substream
from belote_env.engine.state import AUCTION, PLAY, UNFINISHED, VOID

TURNED = 20
"""Place of the turned card in the pack."""
_MIN_HEAP = 3
"""Fewest cards in a heap of the cut."""
_DEALER_WORD = 16
_CUT_WORD = 17

# Seat (counted from the dealer's next) that card i of the first twenty goes to.
_FIRST_ROUND = np.array([i // 3 if i < 12 else (i - 12) // 2 for i in range(TURNED)], np.int64)


@kernel
def shuffle_pack(stream: Any, deck: Any) -> None:
    """Fill ``deck`` (uint8 [32]) with a uniform permutation drawn from words 0-15 of a stream."""
    for i in range(NUM_CARDS):
        deck[i] = i
    for pair in range(NUM_CARDS // 2):
        word = draw(stream, pair)
        i = NUM_CARDS - 1 - 2 * pair
        j = below(word, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
        j = below_low(word, i)
        deck[i - 1], deck[j] = deck[j], deck[i - 1]


@part
def _gather_and_cut(stream: Any, s: Record) -> None:
    """Make the next pack of the last deal's: tricks in the order won, cut once (`dealing: cut`)."""
    gathered = np.empty(NUM_CARDS, np.uint8)
    for i in range(NUM_CARDS):
        gathered[i] = s.deck[i] if s.result == VOID else s.played[i]
    cut = _MIN_HEAP + below(draw(stream, np.int64(_CUT_WORD)), NUM_CARDS - 2 * _MIN_HEAP + 1)
    for i in range(NUM_CARDS):
        s.deck[i] = gathered[(cut + i) % NUM_CARDS]


@part
def lay_out(s: Record) -> None:
    """Start a deal from ``s.deck`` and ``s.dealer``: five cards each, everything else cleared."""
    for seat in range(4):
        s.hands[seat] = 0
        s.fallen[seat] = 0
        s.excluded[seat] = 0
        s.shown[seat] = 0
        s.belote_said[seat] = 0
        s.rebelote_said[seat] = 0
        s.annonces_said[seat] = 0
    for i in range(TURNED):
        seat = (s.dealer + 1 + _FIRST_ROUND[i]) & 3
        s.hands[seat] |= np.uint32(1 << np.int64(s.deck[i]))
    for i in range(s.num_calls):
        s.calls[i] = 0
    for i in range(s.num_played):
        s.played[i] = 0
    for i in range(HAND_SIZE):
        s.leaders[i] = 0
    for team in range(2):
        s.points[team] = 0
        s.tricks[team] = 0
        s.annonce_points[team] = 0
        s.marks[team] = 0
        s.belote_marks[team] = 0
    s.num_calls = 0
    s.num_played = 0
    s.passes = 0
    s.phase = AUCTION
    s.seat = (s.dealer + 1) & 3
    s.next_seat = 0
    s.speech = 0
    s.contract = -1
    s.taker = -1
    s.best_card = 0
    s.best_seat = 0
    s.annonce_team = -1
    s.result = UNFINISHED


@part
def clear_match(s: Record) -> None:
    """Set the score of a match to nothing played."""
    for team in range(2):
        s.scores[team] = 0
        s.blocked[team] = 0
        s.tolerance_used[team] = 0
    s.carry = 0
    s.deals_played = 0
    s.match_over = 0
    s.winner = -1


@part
def start_match(s: Record) -> None:
    """Deal the next deal of the stream as the first of a match: scores clear, dealer drawn."""
    stream = substream(s.key, np.int64(s.deal))
    s.deal += np.uint32(1)
    shuffle_pack(stream, s.deck)
    s.dealer = below(draw(stream, np.int64(_DEALER_WORD)), np.int64(4))
    clear_match(s)
    lay_out(s)


@part
def start_next_deal(rules: Record, s: Record) -> None:
    """Deal the next deal of a match, ``s.dealer`` being settled."""
    stream = substream(s.key, np.int64(s.deal))
    s.deal += np.uint32(1)
    if rules.dealing == DEAL_BY_CUT:
        _gather_and_cut(stream, s)
    else:
        shuffle_pack(stream, s.deck)
    lay_out(s)


@part
def complete_hands(s: Record) -> None:
    """Deal the rest of the pack to all, the turned card to the taker; the play begins."""
    place = TURNED + 1
    for k in range(1, 5):
        seat = (s.dealer + k) & 3
        cards = np.int64(s.hands[seat])
        count = 3
        if seat == s.taker:
            cards |= 1 << np.int64(s.deck[TURNED])
            count = 2
        for i in range(place, place + count):
            cards |= 1 << np.int64(s.deck[i])
        s.hands[seat] = np.uint32(cards)
        place += count
    s.phase = PLAY
    s.seat = (s.dealer + 1) & 3
