"""The public events of a deal as a sequence of tokens: the kernel behind ``observation="history"``.

An event is two bytes, what happened and who did it (1 the seat that sees, 2 the next, and so on);
zeros follow the last.  What happened is one of

======= ==========================================================
1-109   a call or a card: its action id, plus one
110-117 said: belote, rebelote, tierce, cinquante, cent, carré
118-149 a card of an annonce shown
150-181 the deal, with the turned card
182     the deal, no card being turned
======= ==========================================================

The deal stands first, by the dealer.  Words follow the card with which they were said, and the
annonces that win are shown before the first card of trick 2.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy import int64

from belote_env.actions import BID, COINCHE, NUM_ACTIONS, TAKE
from belote_env.cards import KING, NUM_CARDS, NUM_CONTRACTS, NUM_SEATS, QUEEN, TRUMP_CARDS
from belote_env.engine.encoding import cards_of, counts_of, dealer_of
from belote_env.engine.jit import Record, part
from belote_env.engine.options import AUCTION_FAMILY, TWO_PLAYER
from belote_env.engine.slots import relative_seat, slots_of, to_slots
from belote_env.engine.state import ANNONCE_KINDS

WORDS: Final = 1 + NUM_ACTIONS
"""Token of belote; rebelote and the kinds of annonces follow."""
SHOWN: Final = WORDS + 2 + len(ANNONCE_KINDS)
"""Token of card 0 of an annonce shown."""
TURNED: Final = SHOWN + NUM_CARDS
"""Token of a deal with card 0 turned; the last is that of a deal without one."""
LAST_TOKEN: Final = TURNED + NUM_CARDS


@part
def _add(events: Any, count: int, what: int, who: int) -> int:
    events[2 * count] = what
    events[2 * count + 1] = who + 1
    return count + 1


@part
def _in_slot(slots: int, card: int) -> int:
    """A card with its suit in its slot."""
    return ((slots >> (4 * (card >> 3))) & 15) << 3 | (card & 7)


@part
def _call_in_slot(slots: int, call: int) -> int:
    if TAKE <= call < TAKE + 4:
        return TAKE + ((slots >> (4 * (call - TAKE))) & 15)
    if BID <= call < COINCHE:
        contract = (call - BID) % NUM_CONTRACTS
        if contract < 4:
            return call - contract + ((slots >> (4 * contract)) & 15)
    return call


@part
def _add_words(
    rules: Record, s: Record, seat: int, card: int, who: int, events: Any, count: int
) -> int:
    """What ``seat`` said as it played a card."""
    rank = card & 7
    if s.contract >= 0 and rank in (KING, QUEEN):
        other = card ^ KING ^ QUEEN
        first = s.place[other] == 0 or s.place[other] > s.place[card]
        if (TRUMP_CARDS[s.contract] >> card) & 1 and (s.belote_said[seat] >> (card >> 3)) & 1:
            if first != (rules.family == TWO_PLAYER):
                count = _add(events, count, int64(WORDS), who)
            if not first and (s.rebelote_said[seat] >> (card >> 3)) & 1:
                count = _add(events, count, int64(WORDS + 1), who)
    if rules.annonces and s.place[card] <= NUM_SEATS:
        for kind in range(4):
            for _ in range((s.annonces_said[seat] >> (2 * kind)) & 3):
                count = _add(events, count, WORDS + 2 + kind, who)
    return count


@part
def encode_history(
    rules: Record, s: Record, seat: int, order: Any, canonical: bool, out: Any
) -> int:
    """Write own hand, the counts and the events as ``seat`` sees them.

    Args:
        rules: record of `RULES_DTYPE`.
        s: record of `STATE_DTYPE`.
        seat: 0-3.
        order: suit in each slot.
        canonical: whether it is another than the plain order.
        out: uint64 view of the vector.

    Returns:
        The number of words written.
    """
    slots = slots_of(order)
    at = cards_of(out, int64(0), order, canonical, int64(s.hands[seat]))
    at = counts_of(rules, s, seat, slots, out, at)
    events = out.view(np.uint8)[8 * at : 8 * (at + rules.history_words)]
    events[:] = 0
    dealer = int64(dealer_of(rules, s))
    turned = int64(NUM_CARDS)
    if rules.family != AUCTION_FAMILY:
        turned = _in_slot(slots, int64(s.deck[rules.turned]))
    count = _add(events, int64(0), TURNED + turned, (dealer - seat) & rules.last_seat)
    for i in range(s.num_calls):
        call = _call_in_slot(slots, int64(s.calls[i]))
        count = _add(events, count, 1 + call, (dealer + 1 + i - seat) & rules.last_seat)
    cards = np.empty(NUM_CARDS, np.uint8)
    for card in range(NUM_CARDS):
        if s.place[card]:
            cards[s.place[card] - 1] = card
    for i in range(s.num_played):
        card = int64(cards[i])
        who = 0
        for k in range(4):
            if (s.fallen[relative_seat(rules, seat, k)] >> card) & 1:
                who = k
        if i == NUM_SEATS and rules.annonces:
            count = _add_shown(s, seat, order, events, count)
        count = _add(events, count, 1 + _in_slot(slots, card), who)
        count = _add_words(rules, s, relative_seat(rules, seat, who), card, who, events, count)
    return at + rules.history_words


@part
def _add_shown(s: Record, seat: int, order: Any, events: Any, count: int) -> int:
    """The cards of the annonces that were shown."""
    for k in range(4):
        shown = to_slots(order, int64(s.shown[(seat + k) & 3]))
        for card in range(NUM_CARDS):
            if (shown >> card) & 1:
                count = _add(events, count, SHOWN + card, int64(k))
    return count
