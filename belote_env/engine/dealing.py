"""Dealing (rules, sections 2, 8 and 9): the pack in dealing order, the first cards, the rest.

The pack of deal ``k`` of a stream is a pure function of (key, k), so it does not depend on what is
played.  Packets go out from the seat next to the dealer.  In the turn-up game they are of three
then two, card 20 is turned up, and after the auction each seat gets three more, the taker the
turned card and two.  Where contracts are bid for they are of three, two, three.  Two players get
three, three, card 12 is turned up, its taker's adversary gets the next, and the rest is the talon.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64, uint32
from numpy.typing import NDArray

from belote_env.cards import FULL_DECK, NUM_CARDS
from belote_env.engine.jit import Record, part
from belote_env.engine.options import DEAL_BY_CUT, TURN_UP
from belote_env.engine.rng import below, below_low, draw, substream
from belote_env.engine.state import AUCTION, CALLS_ROOM, NO_CARD, PLAY, UNFINISHED, VOID

_MIN_HEAP = 3
"""Fewest cards in a heap of the cut."""
_DEALER_WORD = 16
_CUT_WORD = 17

_PACKETS = {"turn_up": (4, 3, 2), "auction": (4, 3, 2, 3), "two_player": (2, 3, 3)}
"""Seats, then the size of each round of packets dealt before the auction."""
DRAWN_FIRST = 14
"""Place in the pack of the first card drawn from the talon of two players."""


def _first_cards() -> NDArray[np.int64]:
    table = np.full((len(_PACKETS), NUM_CARDS), -1, np.int64)
    for family, (seats, *packets) in zip(table, _PACKETS.values(), strict=True):
        turns = np.concatenate([np.repeat(np.arange(seats), size) for size in packets])
        family[: len(turns)] = turns
    return table


FIRST_CARDS = _first_cards()
"""Seat, counted from the dealer's next, that each card of the pack goes to before the auction, by
family; -1 for the rest.  Shape (3, 32)."""


@part
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
        if s.result == VOID:
            gathered[i] = s.deck[i]
        else:
            gathered[int64(s.place[i]) - 1] = i
    cut = _MIN_HEAP + below(draw(stream, int64(_CUT_WORD)), NUM_CARDS - 2 * _MIN_HEAP + 1)
    for i in range(NUM_CARDS):
        s.deck[i] = gathered[(cut + i) % NUM_CARDS]


@part
def lay_out(rules: Record, s: Record) -> None:
    """Start a deal from ``s.deck`` and ``s.dealer``: the first cards, everything else cleared."""
    for seat in range(4):
        s.hands[seat] = 0
        s.fallen[seat] = 0
        s.excluded[seat] = 0
        s.shown[seat] = 0
        s.belote_said[seat] = 0
        s.rebelote_said[seat] = 0
        s.annonces_said[seat] = 0
        s.trick[seat] = NO_CARD
    # Hands by turn to speak, two in a word: memory would be waited for at every card.
    first = s.dealer + 1
    low = int64(0)
    high = int64(0)
    for i in range(rules.dealt_first):
        turn = FIRST_CARDS[rules.family, i]
        card = 1 << (s.deck[i] + 32 * (turn & 1))
        low |= 0 if turn & 2 else card
        high |= card if turn & 2 else 0
    for k in range(rules.last_seat + 1):
        half = high if k & 2 else low
        s.hands[(first + k) & rules.last_seat] = uint32((half >> (32 * (k & 1))) & FULL_DECK)
    for i in range(NUM_CARDS):
        s.place[i] = 0
    for i in range(CALLS_ROOM):
        s.calls[i] = 0
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
    s.seat = (s.dealer + 1) & rules.last_seat
    s.next_seat = 0
    s.speech = 0
    s.contract = -1
    s.taker = -1
    s.bid = 0
    s.doubled = 0
    s.taker_tricks = 0
    s.led = 0
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
def start_match(rules: Record, s: Record) -> None:
    """Deal the next deal of the stream as the first of a match: scores clear, dealer drawn."""
    stream = substream(s.key, int64(s.deal))
    s.deal += uint32(1)
    shuffle_pack(stream, s.deck)
    s.dealer = below(draw(stream, int64(_DEALER_WORD)), rules.last_seat + 1)
    clear_match(s)
    lay_out(rules, s)


@part
def start_next_deal(rules: Record, s: Record) -> None:
    """Deal the next deal of a match, ``s.dealer`` being settled."""
    stream = substream(s.key, int64(s.deal))
    s.deal += uint32(1)
    if rules.dealing == DEAL_BY_CUT:
        _gather_and_cut(stream, s)
    else:
        shuffle_pack(stream, s.deck)
    lay_out(rules, s)


@part
def complete_hands(rules: Record, s: Record) -> None:
    """The turned card to the taker, the others what they lack from the pack; the play begins.

    Four get three more cards each, the taker two of them; of two, the other draws one.
    """
    place = rules.turned + 1
    for k in range(1, rules.last_seat + 2):
        seat = (s.dealer + k) & rules.last_seat
        cards = int64(s.hands[seat])
        count = 3 if rules.family == TURN_UP else 1
        if seat == s.taker:
            cards |= 1 << int64(s.deck[rules.turned])
            count -= 1
        for i in range(place, place + count):
            cards |= 1 << int64(s.deck[i])
        s.hands[seat] = uint32(cards)
        place += count
    begin_play(rules, s)


@part
def begin_play(rules: Record, s: Record) -> None:
    """End the auction: the seat next to the dealer leads."""
    s.phase = PLAY
    s.seat = (s.dealer + 1) & rules.last_seat


@part
def draw_from_talon(rules: Record, s: Record, seat: int) -> None:
    """After a trick of two players its winner draws first, then the other (rules, section 8)."""
    top = DRAWN_FIRST + s.num_played - 2
    s.hands[seat] |= uint32(1 << int64(s.deck[top]))
    s.hands[1 - seat] |= uint32(1 << int64(s.deck[top + 1]))
