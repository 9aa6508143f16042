"""Worlds: the deals that a seat cannot tell from the true one, counted and drawn uniformly.

A world says which cards each seat holds now.  It is consistent with what the seat knows: its own
cards and those that have fallen, the sizes of the hands, what every seat is proven not to hold (by
not following, not trumping, not going over, not saying belote), the turned card in its taker's
hand, the honour still to come of a belote that was said, the cards of annonces that were shown.
While the auction of the turn-up game goes on, cards are still to be dealt to every seat, the own
one included: they are the stock.

Such worlds are counted, as in Knuth's method of drawing from a set without listing it: a table says
how many there are once the first few unseen cards have found their place.  It numbers the worlds
from 0 on, and a number drawn uniformly gives a world drawn uniformly.

What the players said of their annonces restricts whole hands, and there a world that contradicts it
is drawn again.
"""

from __future__ import annotations

from math import comb
from typing import Any, Final

import numpy as np
from numpy import int64, uint32, uint64

from belote_env.cards import FULL_DECK, HAND_SIZE, KING, NUM_CARDS, NUM_SEATS, QUEEN
from belote_env.engine.annonces import (
    MAX_ANNONCES,
    compare_annonces,
    find_annonces,
    kinds_said,
    may_hold_annonces,
)
from belote_env.engine.bits import lowest_bit, popcount
from belote_env.engine.encoding import all_fallen
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.options import ANNOUNCE_CHOICE, TURN_UP
from belote_env.engine.rng import draw, substream
from belote_env.engine.state import AUCTION, OVER

_UNSEEN: Final = NUM_CARDS - HAND_SIZE
"""Most cards that the others may hold."""
_WIDTH: Final = HAND_SIZE + 1
_HONOURS: Final = 1 << KING | 1 << QUEEN

MOST_TRIES: Final = 1 << 22
"""Worlds that are tried for one that agrees with the annonces.  Only what no deal can have led to
takes as many."""

WORLDS_DTYPE: Final = np.dtype(
    [
        ("total", np.int64),  # number of worlds, not asking for annonces
        ("limit", np.uint64),  # the largest multiple of it in 64 bits: words below are unbiased
        ("hands", np.int64, NUM_SEATS),  # cards of each seat that are the same in all worlds
        ("open", np.int64),  # the other unseen cards
        ("stock", np.int64),  # how many of them are not dealt yet
        ("deals", np.int64),  # ways to deal those that are
        ("start", np.int64),  # column of the table before the first card is placed
        # Worlds in which seat 1, and seat 1 or 2, gets the n-th open card, by n and by how many
        # more cards seats 1 and 2 get: column 9 * first + second.
        ("up_to", np.int64, (_UNSEEN, _WIDTH * _WIDTH, 2)),
    ],
    align=True,
)
"""The worlds of a seat, counted."""

_CHOOSE: Final = np.array([[comb(n, k) for k in range(NUM_CARDS)] for n in range(NUM_CARDS)])
"""Binomial coefficients, int64 [32, 32]."""


# Counting ------------------------------------------------------------------------------------


@part
def _located(rules: Record, s: Record, seat: int) -> Any:
    """Cards that a seat is known to have been dealt, besides those that it has played."""
    cards = int64(s.shown[seat])
    for suit in range(4):
        cards |= ((int64(s.belote_said[seat]) >> suit) & 1) * _HONOURS << (8 * suit)
    if rules.family == TURN_UP and s.phase != AUCTION and s.taker == seat:
        cards |= 1 << int64(s.deck[rules.turned])
    return cards


@part
def _count_ways(may: tuple[int, int, int], room: tuple[int, int, int], worlds: Record) -> int:
    """Fill the table of the ways to deal the open cards, lowest first; their number.

    Args:
        may: the cards that each of seats 1 to 3 may hold.
        room: how many of the open cards each of them gets.
        worlds: record of `WORLDS_DTYPE`.
    """
    num = room[0] + room[1] + room[2]
    cards = np.empty(NUM_CARDS, np.int64)
    rest = int64(worlds.open)
    for n in range(num):
        cards[n] = lowest_bit(rest)
        rest &= rest - 1
    ways = np.zeros((2, _WIDTH * _WIDTH), np.int64)
    ways[num & 1, 0] = 1
    for n in range(num - 1, -1, -1):
        left = num - n
        card = cards[n]
        fits_first = (may[0] >> card) & 1
        fits_second = (may[1] >> card) & 1
        fits_third = (may[2] >> card) & 1
        later = ways[~n & 1]
        for first in range(max(0, left - room[1] - room[2]), min(room[0], left) + 1):
            rest = left - first
            for second in range(max(0, rest - room[2]), min(room[1], rest) + 1):
                at = _WIDTH * first + second
                to_first = later[at - _WIDTH] if first and fits_first else 0
                to_second = later[at - 1] if second and fits_second else 0
                to_third = later[at] if rest > second and fits_third else 0
                worlds.up_to[n, at, 0] = to_first
                worlds.up_to[n, at, 1] = to_first + to_second
                ways[n & 1, at] = to_first + to_second + to_third
    worlds.start = _WIDTH * room[0] + room[1]
    return ways[0, worlds.start]


@part
def count_worlds(rules: Record, s: Record, worlds: Record) -> int:
    """Count the worlds that agree with what seat 0 knows, annonces that were said left aside.

    Args:
        rules: record of `RULES_DTYPE`, of four players.
        s: what the seat knows (`agents.search.knowledge`).
        worlds: record of `WORLDS_DTYPE` to write.

    Returns:
        Their number; 0 after the end of a deal, with two players, or if no deal can have led here.
    """
    worlds.total = 0
    if rules.last_seat != NUM_SEATS - 1 or s.phase == OVER:
        return 0
    auction = s.phase == AUCTION
    unseen = FULL_DECK & ~(int64(s.hands[0]) | all_fallen(s))
    if auction and rules.family == TURN_UP:
        unseen &= ~(1 << int64(s.deck[rules.turned]))
    first = _located(rules, s, int64(1))
    second = _located(rules, s, int64(2))
    third = _located(rules, s, int64(3))
    may1 = unseen & ~(int64(s.excluded[1]) | second | third)
    may2 = unseen & ~(int64(s.excluded[2]) | first | third)
    may3 = unseen & ~(int64(s.excluded[3]) | first | second)
    worlds.hands[0] = int64(s.hands[0])
    worlds.hands[1] = may1 & ~(may2 | may3)
    worlds.hands[2] = may2 & ~(may1 | may3)
    worlds.hands[3] = may3 & ~(may1 | may2)
    fixed: Any = worlds.hands[1] | worlds.hands[2] | worlds.hands[3]
    open_cards = unseen & ~fixed
    size = rules.dealt_first >> 2 if auction else HAND_SIZE
    room1 = size - popcount(worlds.hands[1] | int64(s.fallen[1]))
    room2 = size - popcount(worlds.hands[2] | int64(s.fallen[2]))
    room3 = size - popcount(worlds.hands[3] | int64(s.fallen[3]))
    stock = popcount(open_cards) - room1 - room2 - room3
    if open_cards & ~(may1 | may2 | may3) or min(room1, room2, room3, stock) < 0:
        return 0
    if stock and not auction:
        return 0
    worlds.open = open_cards
    worlds.stock = stock
    worlds.deals = _count_ways((may1, may2, may3), (room1, room2, room3), worlds)
    total = worlds.deals * _CHOOSE[popcount(open_cards), stock]
    worlds.total = total
    if total:
        worlds.limit = ~uint64(0) // uint64(total) * uint64(total)
    return total


@part
def _subset(cards: int, size: int, number: int) -> int:
    """The subset of a size that has a number, from 0 on."""
    subset = 0
    left = popcount(cards)
    while size:
        card = cards & -cards
        cards ^= card
        left -= 1
        with_it = _CHOOSE[left, size - 1]
        if number < with_it:
            subset |= card
            size -= 1
        else:
            number -= with_it
    return subset


@part
def world_at(worlds: Record, number: int, hands: Any) -> None:
    """The world that has a number.

    Args:
        worlds: record of `WORLDS_DTYPE`, from `count_worlds`.
        number: 0 to ``worlds.total - 1``.
        hands: uint32 [4] to write, the cards that each seat holds.
    """
    rest = int64(worlds.open)
    if worlds.stock:
        rest &= ~_subset(rest, int64(worlds.stock), number // worlds.deals)
        number %= worlds.deals
    first = int64(worlds.hands[1])
    second = int64(worlds.hands[2])
    third = int64(worlds.hands[3]) | rest
    at = int64(worlds.start)
    n = 0
    while rest:
        card = rest & -rest
        rest ^= card
        up_to_first = worlds.up_to[n, at, 0]
        up_to_second = worlds.up_to[n, at, 1]
        # Without branches: each would be mispredicted half of the time.
        to_first = -int64(number < up_to_first)
        to_second = ~to_first & -int64(number < up_to_second)
        number -= (up_to_first & to_second) | (up_to_second & ~(to_first | to_second))
        first |= card & to_first
        second |= card & to_second
        at += _WIDTH * to_first + to_second
        n += 1
    hands[0] = uint32(worlds.hands[0])
    hands[1] = uint32(first)
    hands[2] = uint32(second)
    hands[3] = uint32(third & ~(first | second))


# Annonces ------------------------------------------------------------------------------------


@part
def annonces_agree(rules: Record, s: Record, hands: Any, trial: Record) -> bool:
    """Whether the players would have said and shown the same annonces, holding these hands.

    Args:
        rules: record of `RULES_DTYPE`.
        s: what the seat knows.
        hands: uint32 [4], a world.
        trial: a state to compare annonces in: a copy of ``s``, whose annonces change.
    """
    if not rules.annonces:
        return True
    found = np.empty((MAX_ANNONCES, 4), np.int64)
    anything_said = s.annonces_said[0] != 0
    for seat in range(1, NUM_SEATS):
        said = s.annonces_said[seat]
        cards = int64(hands[seat]) | int64(s.fallen[seat])
        if said:
            count = find_annonces(rules, int64(s.contract), cards, found)
            if kinds_said(found, count) != said:
                return False
            anything_said = True
        elif s.fallen[seat] and rules.announce != ANNOUNCE_CHOICE and may_hold_annonces(cards):
            return False
    if s.num_played <= NUM_SEATS or not anything_said:
        return True
    for seat in range(NUM_SEATS):
        trial.hands[seat] = hands[seat]
        trial.shown[seat] = 0
    compare_annonces(rules, trial)
    agrees = trial.annonce_team == s.annonce_team
    for seat in range(NUM_SEATS):
        agrees = agrees and trial.shown[seat] == s.shown[seat]
    return agrees


# Drawing -------------------------------------------------------------------------------------


@part
def draw_world(
    rules: Record, s: Record, worlds: Record, stream: Any, trial: Record, hands: Any
) -> bool:
    """Draw a world uniformly from all that agree with what seat 0 knows.

    Args:
        rules: record of `RULES_DTYPE`.
        s: what the seat knows.
        worlds: its worlds, counted; at least one.
        stream: key of the stream to draw from (uint64).
        trial: as in `annonces_agree`.
        hands: uint32 [4] to write.

    Returns:
        False if none of `MOST_TRIES` worlds agrees with the annonces.
    """
    for i in range(MOST_TRIES):
        word = draw(stream, i)
        if word < worlds.limit:
            world_at(worlds, int64(word % uint64(worlds.total)), hands)
            if annonces_agree(rules, s, hands, trial):
                return True
    return False


@kernel
def sample_worlds(rules: Record, known: Any, key: Any, first: int, out: Any) -> int:
    """Draw worlds uniformly and independently from all that agree with what seat 0 knows.

    World k is the same whatever else is drawn: it depends on ``key`` and ``first + k`` alone.

    Args:
        rules: rule data, shape (1,), of four players.
        known: what the seat knows, a state, shape (1,) (`agents.search.knowledge`).
        key: key of the stream to draw from (uint64), the agent's own.
        first: number of the first world in the stream.
        out: uint32 [n, 4] to write, the cards that each seat, counted from the seat, holds now.

    Returns:
        The number of worlds written: n; or fewer if the deal is over or there is no world, which
        is never so with what was observed.
    """
    worlds = np.empty(1, WORLDS_DTYPE)
    trial = known.copy()
    if count_worlds(rules[0], known[0], worlds[0]) == 0:
        return 0
    for k in range(len(out)):
        stream = substream(key, first + k)
        if not draw_world(rules[0], known[0], worlds[0], stream, trial[0], out[k]):
            return k
    return len(out)


@kernel
def list_worlds(rules: Record, known: Any, out: Any) -> int:
    """Write each of the worlds that agree with what seat 0 knows once, as far as there is room.

    Args:
        rules: rule data, shape (1,), of four players.
        known: what the seat knows, a state, shape (1,).
        out: uint32 [n, 4] to write.

    Returns:
        The number of worlds written; if it is n there may be more.
    """
    worlds = np.empty(1, WORLDS_DTYPE)
    trial = known.copy()
    hands = np.empty(NUM_SEATS, np.uint32)
    count = 0
    for number in range(count_worlds(rules[0], known[0], worlds[0])):
        if count == len(out):
            break
        world_at(worlds[0], number, hands)
        if annonces_agree(rules[0], known[0], hands, trial[0]):
            out[count] = hands
            count += 1
    return count


@kernel
def num_worlds(rules: Record, known: Any) -> int:
    """`count_worlds` of a state of shape (1,), with rule data of shape (1,)."""
    worlds = np.empty(1, WORLDS_DTYPE)
    count_worlds(rules[0], known[0], worlds[0])
    return worlds["total"][0]  # read from the array, which so outlives its record
