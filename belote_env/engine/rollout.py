"""Whole random deals in one call: every decision uniform over the legal actions.

Random play needs neither the public history nor what it proves, so the 32 cards of a deal are
played on local variables, with the rules of `belote_env.engine.play`; the auction and the count
use the state as ever.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64, uint32

from belote_env.actions import PASS, SPLIT
from belote_env.cards import (
    BEATS,
    CAPOT_DER,
    DER,
    HAND_SIZE,
    KING,
    NUM_CARDS,
    QUEEN,
    TRUMP_CARDS,
)
from belote_env.engine.annonces import compare_annonces, say_annonces
from belote_env.engine.auction import call, legal_calls
from belote_env.engine.bits import nth_bit, popcount
from belote_env.engine.dealing import start_match
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.options import ANNOUNCE_CHOICE, TWO_PLAYER
from belote_env.engine.play import legal_cards
from belote_env.engine.rng import below, below_low, draw, stream_key, substream
from belote_env.engine.scoring import count_deal
from belote_env.engine.state import AUCTION, OVER, PLAY, RESULTS
from belote_env.engine.step import legal_actions, step

_PLAY_STREAM = np.uint64(0x706C6179)  # sets the stream of the play apart from that of the deals

# Totals beside the number of deals of each result.
DECISIONS = len(RESULTS)
MARKS = DECISIONS + 1  # by team
NUM_TOTALS = MARKS + 2


_HALF = 32
_LOW_HALF = (1 << _HALF) - 1


@part
def pick(legal: tuple[int, int], number: Any) -> int:
    """A random action of a set in two words: all are cards, or none is; ``number`` is a word."""
    low, high = legal
    calls = low >> PASS
    first = popcount(low)
    if high == 0:
        k = below(number, first)
        return PASS + nth_bit(calls, k) if calls else nth_bit(low, k)
    k = below(number, first + popcount(high))
    if k < first:
        return PASS + nth_bit(calls, k)
    k -= first
    second = popcount(high & _LOW_HALF)
    if k < second:
        return SPLIT + nth_bit(high & _LOW_HALF, k)
    return SPLIT + _HALF + nth_bit(high >> _HALF, k - second)


@part
def _bid_at_random(rules: Record, s: Record, stream: Any) -> int:
    """Random calls to the end of the auction; the number of words drawn."""
    drawn = 0
    while s.phase == AUCTION:
        call(rules, s, pick(legal_calls(rules, s), draw(stream, drawn)))
        drawn += 1
    return drawn


@part
def say_everything(rules: Record, s: Record) -> None:
    """Say what is still to be said under `announce: auto`; the order of play makes no difference.

    Args:
        rules: record of `RULES_DTYPE`, of four players and `announce: auto`.
        s: record of `STATE_DTYPE` in the play, with the cards of all seats.
    """
    for seat in range(4):
        s.rebelote_said[seat] = s.belote_said[seat]
    for suit in range(4):
        pair = uint32((1 << KING | 1 << QUEEN) << (8 * suit))
        if (TRUMP_CARDS[s.contract] >> (8 * suit)) & 1:
            for seat in range(4):
                if s.hands[seat] & pair == pair:
                    s.belote_said[seat] |= 1 << suit
                    s.rebelote_said[seat] |= 1 << suit
    if rules.annonces and s.num_played <= 4:
        to_act = s.seat
        for seat in range(4):
            s.seat = seat
            say_annonces(rules, s)
        s.seat = to_act
        compare_annonces(rules, s)


@part
def _play_at_random(rules: Record, s: Record, stream: Any, drawn: int) -> None:
    """Random cards for all tricks to come, two a word; points, tricks and cards enter the state.

    The holder of the trick is kept by arithmetic, as a branch on it would be mispredicted often.
    """
    contract = int64(s.contract)
    beats = BEATS[contract]
    card_points = rules.card_points[contract]
    hands = s.hands
    taker = int64(s.taker)
    leader = int64(s.seat)
    second_points = int64(s.points[1])
    all_points = s.points[0] + second_points
    second_tricks = int64(s.tricks[1])
    taker_tricks = int64(s.taker_tricks)
    for trick in range(int64(s.num_played) >> 2, HAND_SIZE):
        led = 0
        best_card = 0
        best_seat = leader
        points = 0
        word = draw(stream, drawn)
        for position in range(4):
            seat = (leader + position) & 3
            hand = int64(hands[seat])
            legal = hand
            if position:
                partner_master = best_seat == seat ^ 2
                legal = legal_cards(rules, contract, hand, led, best_card, partner_master)
            if position == 2:
                drawn += 1
                word = draw(stream, drawn)
            count = popcount(legal)
            k = below_low(word, count) if position & 1 else below(word, count)
            card = nth_bit(legal, k)
            hands[seat] = uint32(hand ^ (1 << card))
            s.place[card & 31] = 4 * trick + position + 1
            points += card_points[card]
            if position:
                takes = -((beats[best_card] >> card) & 1)
                best_card = (best_card & ~takes) | (card & takes)
                best_seat = (best_seat & ~takes) | (seat & takes)
            else:
                led = card >> 3
                best_card = card
        drawn += 1
        leader = best_seat
        all_points += points
        second_points += points & -(best_seat & 1)
        second_tricks += best_seat & 1
        taker_tricks += best_seat == taker
    s.tricks[0] = HAND_SIZE - second_tricks
    s.tricks[1] = second_tricks
    s.taker_tricks = taker_tricks
    s.points[0] = all_points - second_points
    s.points[1] = second_points
    capot = second_tricks == 0 or second_tricks == HAND_SIZE
    s.points[leader & 1] += CAPOT_DER if capot else DER
    s.num_played = NUM_CARDS


@part
def _decide_at_random(rules: Record, s: Record, stream: Any, drawn: int) -> int:
    """Random decisions to the end of a deal, words included; their number."""
    decisions = 0
    while s.phase != OVER:
        step(rules, s, pick(legal_actions(rules, s), draw(stream, drawn + decisions)))
        decisions += 1
    return decisions


@part
def play_tricks(rules: Record, s: Record, stream: Any, drawn: int, last_deal: bool) -> None:
    """Play the tricks to come at random, say all there is to say, and count the deal.

    Args:
        rules: record of `RULES_DTYPE`, of four players and `announce: auto`.
        s: record of `STATE_DTYPE`, between two tricks.
        stream: key of the stream to draw from (uint64).
        drawn: how many of its words are used up.
        last_deal: whether the match ends with this deal whatever the scores are.
    """
    say_everything(rules, s)
    _play_at_random(rules, s, stream, drawn)
    count_deal(rules, s, last_deal)
    s.phase = OVER
    s.seat = -1


@part
def play_deal(rules: Record, s: Record, stream: Any) -> int:
    """Play a deal that has just begun at random to its end; the number of decisions."""
    calls = _bid_at_random(rules, s, stream)
    if s.phase != PLAY:
        return calls
    if rules.announce == ANNOUNCE_CHOICE or rules.family == TWO_PLAYER:
        return calls + _decide_at_random(rules, s, stream, calls)
    play_tricks(rules, s, stream, calls, False)
    return calls + NUM_CARDS


@kernel
def roll_out(rules: Record, states: Any, seed: Any, first: int, last: int, totals: Any) -> None:
    """Play deals ``first`` to ``last`` - 1 of a seed and add up what became of them.

    Args:
        rules: rule data, shape (1,).
        states: scratch, one state, shape (1,).
        seed: key of the seed (uint64); deal k is the first deal of its environment k.
        first: first deal.
        last: the deal after the last.
        totals: int64 [NUM_TOTALS], added to: deals by result, DECISIONS, MARKS of both teams.
    """
    s = states[0]
    for k in range(first, last):
        s.key = stream_key(seed, k)
        s.deal = 0
        start_match(rules[0], s)
        totals[DECISIONS] += play_deal(rules[0], s, substream(seed ^ _PLAY_STREAM, k))
        totals[s.result] += 1
        totals[MARKS] += s.marks[0]
        totals[MARKS + 1] += s.marks[1]
