"""From a world to a state that the engine plays on from, and to the pack that was dealt.

A world (`agents.search.determinize`) says which cards each seat holds.  The rest is open, and drawn
here uniformly: the order of the stock during the auction; and after it, which of its cards each
seat held when it called.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64

from belote_env.cards import FULL_DECK, NUM_CARDS, NUM_SEATS
from belote_env.engine.bits import nth_bit, popcount
from belote_env.engine.dealing import FIRST_CARDS
from belote_env.engine.jit import Record, part
from belote_env.engine.options import TURN_UP
from belote_env.engine.rng import below, draw
from belote_env.engine.state import AUCTION


@part
def lay_pack(rules: Record, s: Record, stream: Any) -> None:
    """Make the pack of a state one that deals its hands, the order of the cards drawn uniformly.

    Args:
        rules: record of `RULES_DTYPE`, of four players.
        s: a state with the hands of a world; ``s.deck`` is written, the turned card stays.
        stream: key of the stream to draw from (uint64).
    """
    dealt = np.zeros(NUM_SEATS + 1, np.int64)
    stock = FULL_DECK
    turned = int64(0)
    if rules.family == TURN_UP:
        turned = 1 << int64(s.deck[rules.turned])
    for seat in range(NUM_SEATS):
        cards = int64(s.hands[seat]) | int64(s.fallen[seat])
        stock &= ~cards
        dealt[seat] = cards & ~turned
    dealt[NUM_SEATS] = stock & ~turned
    late_seat = (s.dealer + 1) & 3
    late_cards = 0
    for place in range(NUM_CARDS):
        if turned and place == rules.turned:
            continue
        holder = int64(NUM_SEATS)
        if place < rules.dealt_first:
            holder = (s.dealer + 1 + FIRST_CARDS[rules.family, place]) & 3
        elif s.phase != AUCTION:
            holder = late_seat
            late_cards += 1
            if late_cards == (2 if late_seat == s.taker else 3):
                late_seat = (late_seat + 1) & 3
                late_cards = 0
        pool = dealt[holder]
        card = nth_bit(pool, below(draw(stream, place), popcount(pool)))
        dealt[holder] = pool ^ (1 << card)
        s.deck[place] = card


@part
def enter_world(rules: Record, s: Record, hands: Any, stream: Any) -> None:
    """Make a state that the engine plays on from of what a seat knows and a world.

    Args:
        rules: record of `RULES_DTYPE`, of four players.
        s: a copy of what the seat knows, changed in place.
        hands: uint32 [4], the world.
        stream: key of a stream (uint64), for the order of the cards still to be dealt.
    """
    for seat in range(NUM_SEATS):
        s.hands[seat] = hands[seat]
    if s.phase == AUCTION:
        lay_pack(rules, s, stream)
