"""The heuristic card player: each legal card is given a value, the best is played.

A card's value is what the trick is expected to bring, its points times the chance that one's side
wins it less the chance that it does not, and what the card, or the hand without it, is worth later.
"""

from __future__ import annotations

from typing import Any, Final

from numpy import int64

from agents.heuristics.unseen import (
    Holder,
    beats,
    commands,
    holders,
    lacks,
    may_hold,
    top_of_suit,
)
from belote_env.cards import BEATS, RUFF_CARDS, SUIT_CARDS, TEN
from belote_env.engine.bits import lowest_bit, popcount
from belote_env.engine.jit import Record, part
from belote_env.engine.state import NO_CARD
from belote_env.engine.step import legal_plays

_TENS: Final = 0x01010101 << TEN
_NONE: Final = -1e9


@part
def choose_card(rules: Record, s: Record, w: Record, values: Any) -> int:
    """The card that the seat to act plays.

    Args:
        rules: record of `RULES_DTYPE`.
        s: record of `STATE_DTYPE`; of the hands only that of the seat to act is read.
        w: record of `PLAY_DTYPE`.
        values: float64 [32] to write: the value of each legal card if there are several; or None.
    """
    legal = legal_plays(rules, s)
    if legal & (legal - 1) == 0:
        return lowest_bit(legal)
    if s.num_played & 3 == 0:
        return _lead(rules, s, legal, w, values)
    return _follow(rules, s, legal, w, values)


@part
def _role(s: Record) -> int:
    """Column of the weights: the taker's place as seen from the seat to act."""
    return (s.taker - s.seat) & 3


@part
def _lead(rules: Record, s: Record, legal: int, w: Record, values: Any) -> Any:
    """The best card to lead with."""
    role = _role(s)
    contract = int64(s.contract)
    following, partner, last, unseen = holders(rules, s, w)
    tricks = int64(s.num_played) >> 2
    trumps = RUFF_CARDS[contract]
    their_trumps = popcount(trumps & (may_hold(following) | may_hold(last)))
    idle = w.lead_idle_trump[role] * (their_trumps == 0)
    master = w.lead_master[role] if their_trumps else w.lead_safe_master[role]
    next_trumps = 1.0 - lacks(following, trumps, True)
    partner_trumps = 1.0 - lacks(partner, trumps, True)
    last_trumps = 1.0 - lacks(last, trumps, True)
    best = int64(0)
    best_value = _NONE
    suits = legal
    while suits:
        led = lowest_bit(suits) >> 3
        suit = SUIT_CARDS[led]
        left = legal & suit
        suits ^= left
        trump_led = led == contract
        plain = 1.0 * (not trump_led)
        next_ruffs = plain * next_trumps * lacks(following, suit, False)
        partner_ruffs = plain * partner_trumps * lacks(partner, suit, False)
        last_ruffs = plain * last_trumps * lacks(last, suit, False)
        top = top_of_suit(contract, unseen, led)
        partner_tops = 1.0 - lacks(partner, top, trump_led)
        for_suit = w.lead_length[role] * (popcount(left) - 1)
        for_suit += trump_led * (w.lead_trump[role] + w.lead_trump_each[role] * their_trumps)
        for_suit += trump_led * (w.lead_late_trump[role] * tricks)
        for_suit += trump_led * idle
        single = left & (left - 1) == 0
        for_suit += w.lead_singleton[role] * (plain * (single & (legal & trumps != 0)))
        pot = w.lead_pot[role] + w.lead_pot_ten[role] * (unseen & suit & _TENS != 0)
        ten_loses = unseen & suit & BEATS[contract, 8 * led + TEN] != 0
        from_ten = w.lead_from_ten[role] * ((left & _TENS != 0) & ten_loses)
        for_top = w.lead_top_trump[role] if trump_led else master
        late_top = plain * (w.lead_late_master[role] * tricks)
        while left:
            card = lowest_bit(left)
            left &= left - 1
            points = rules.card_points[contract, card]
            higher = unseen & suit & BEATS[contract, card]
            wins = (lacks(following, higher, trump_led) - next_ruffs) * (
                lacks(last, higher, trump_led) - last_ruffs
            )
            rescue = partner_ruffs + partner_tops * (higher != 0)
            wins += (1.0 - wins) * w.rescue[role] * rescue
            value = for_suit + (points + pot) * (2.0 * wins - 1.0)
            value -= w.lead_points[role] * points
            value += for_top * (higher == 0)
            value += late_top * (higher == 0)
            value += from_ten * (card & 7 != TEN)
            _note(values, card, value)
            if value > best_value:
                best_value = value
                best = card
    return best


@part
def _follow(rules: Record, s: Record, legal: int, w: Record, values: Any) -> Any:
    """The best card to follow with."""
    role = _role(s)
    contract = int64(s.contract)
    holding = int64(s.best_card)
    hand = int64(s.hands[s.seat])
    seats_to_come = 3 - (int64(s.num_played) & 3)
    following, partner, last, unseen = holders(rules, s, w)
    partner_holds = s.best_seat == s.seat ^ 2
    tricks = int64(s.num_played) >> 2
    trumps = RUFF_CARDS[contract]
    their_trumps = popcount(trumps & (may_hold(following) | may_hold(last)))
    on_table = w.to_come[role] * seats_to_come
    for seat in range(4):
        if s.trick[seat] != NO_CARD:
            on_table += rules.card_points[contract, s.trick[seat]]
    keep_trump = w.keep_trump[role] + w.keep_trump_each[role] * their_trumps
    late_trump = w.keep_late_trump[role] * tricks
    keep_master = w.keep_master[role] if their_trumps else w.keep_safe_master[role]
    late_master = w.keep_late_master[role] * tricks
    new_void = w.new_void[role] * (hand & trumps != 0)
    wins_under = _wins(s, w, following, partner, unseen, holding, partner_holds)
    best = int64(0)
    best_value = _NONE
    left = legal
    while left:
        card = lowest_bit(left)
        bit = 1 << card
        left ^= bit
        suit = SUIT_CARDS[card >> 3]
        takes = bit & BEATS[contract, holding] != 0
        points = rules.card_points[contract, card]
        higher = unseen & suit & BEATS[contract, card]
        wins = _wins(s, w, following, partner, unseen, card, True) if takes else wins_under
        value = (on_table + points) * (2.0 * wins - 1.0) + w.lead_next[role] * wins
        value -= w.keep_points[role] * points
        value -= w.overtake[role] * (takes & partner_holds)
        others = hand & suit & ~bit
        ten_loses = unseen & suit & BEATS[contract, (card & ~7) + TEN]
        value -= w.keep_length[role] * popcount(others)
        trump = bit & trumps != 0
        top = higher == 0
        plain_top = top & (not trump)
        value -= trump * keep_trump + plain_top * keep_master
        value -= trump * late_trump + plain_top * late_master
        value -= w.keep_top_trump[role] * (trump & top)
        second = (not trump) & (not top) & (others != 0) & (higher & (higher - 1) == 0)
        value -= w.keep_second[role] * second
        value += new_void * ((not trump) & (others == 0))
        lone_ten = (others & _TENS != 0) & (others & (others - 1) == 0) & (ten_loses != 0)
        value -= w.bare_ten[role] * ((not trump) & lone_ten)
        _note(values, card, value)
        if value > best_value:
            best_value = value
            best = card
    return best


@part
def _note(values: Any, card: int, value: float) -> None:
    """Write the value of a card where that is asked for."""
    if values is not None:
        values[card] = value


@part
def _wins(
    s: Record, w: Record, following: Holder, partner: Holder, unseen: int, card: int, ours: bool
) -> float:
    """Chance that our side wins the trick if ``card`` holds it when we have played.

    Args:
        s: record of `STATE_DTYPE`.
        w: record of `PLAY_DTYPE`.
        following: what is known of the next seat.
        partner: what is known of partner.
        unseen: cards that we do not see.
        card: the card that holds the trick.
        ours: whether ``card`` is partner's or our own.
    """
    position = s.num_played & 3
    if position == 3:
        return 1.0 if ours else 0.0
    contract = int64(s.contract)
    led = int64(s.led)
    chance = 1.0 - beats(following, contract, led, card) if ours else 0.0
    if position == 1:
        trust = w.rescue[_role(s)]
        chance += (1.0 - chance) * trust * commands(partner, contract, led, card, unseen)
    return chance
