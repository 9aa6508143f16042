"""Legal cards, what a card proves about a hand, and the course of a trick (rules, sections 3-4)."""

from __future__ import annotations

import numpy as np

from belote_env.cards import (
    BEATS,
    CAPOT_DER,
    DER,
    FULL_DECK,
    HAND_SIZE,
    KING,
    NUM_CARDS,
    QUEEN,
    RUFF_CARDS,
    SUIT_CARDS,
    TRUMP_CARDS,
)
from belote_env.engine.annonces import compare_annonces, say_annonces
from belote_env.engine.jit import Record, part
from belote_env.engine.options import (
    ANNOUNCE_CHOICE,
    PARTNER_FORBIDDEN,
    PARTNER_RAISE,
    RAISE_SOFT,
    UNDERTRUMP_MUST,
)
from belote_env.engine.state import SAY_BELOTE, SAY_REBELOTE, SPEECH


@part
def legal_cards(
    rules: Record, contract: int, hand: int, led: int, best_card: int, partner_master: bool
) -> int:
    """Cards of ``hand`` that may follow to a trick (rules, section 3).

    Args:
        rules: record of `RULES_DTYPE`.
        contract: 0-5.
        hand: the hand, as a set of cards (int64).
        led: suit of the card that led.
        best_card: the card that holds the trick.
        partner_master: whether partner played ``best_card``.

    Returns:
        The legal cards (int64).
    """
    follow = hand & SUIT_CARDS[led]
    if follow:
        obliged = SUIT_CARDS[led] & TRUMP_CARDS[contract]
        if not obliged or (partner_master and rules.raise_over_partner == RAISE_SOFT):
            return follow
        higher = follow & BEATS[contract, best_card]
        return higher if higher else follow
    trumps = hand & RUFF_CARDS[contract]
    if not trumps:
        return hand
    higher = trumps & BEATS[contract, best_card]
    if not partner_master:
        if higher:
            return higher
        return trumps if rules.undertrump == UNDERTRUMP_MUST else hand
    lower = trumps & ~higher
    if rules.undertrump_partner == PARTNER_FORBIDDEN:
        return hand & ~lower if hand != lower else hand
    if rules.undertrump_partner == PARTNER_RAISE and higher:
        return hand & ~lower
    return hand


@part
def ruled_out(
    rules: Record, contract: int, led: int, best_card: int, partner_master: bool, card: int
) -> int:
    """Cards that a seat cannot hold, as it would not have been allowed ``card`` with one of them.

    Arguments as in `legal_cards`, ``card`` being the legal card that was played.
    """
    bit = 1 << card
    beating = BEATS[contract, best_card]
    if bit & SUIT_CARDS[led]:
        obliged = SUIT_CARDS[led] & TRUMP_CARDS[contract]
        if not obliged or (partner_master and rules.raise_over_partner == RAISE_SOFT):
            return 0
        return 0 if bit & beating else obliged & beating
    out = SUIT_CARDS[led]
    trumps = RUFF_CARDS[contract]
    higher = trumps & beating
    if bit & higher:
        return out
    undertrumps = bit & trumps
    if not partner_master:
        if undertrumps or rules.undertrump != UNDERTRUMP_MUST:
            return out | higher
        return out | trumps
    if undertrumps and rules.undertrump_partner == PARTNER_RAISE:
        return out | higher
    if undertrumps and rules.undertrump_partner == PARTNER_FORBIDDEN:
        return FULL_DECK & ~(trumps & ~higher)
    return out


@part
def _say_belote(rules: Record, s: Record, seat: int, card: int) -> None:
    """Belote and rebelote with the trump king and queen (rules, section 4), or ask for them."""
    suit = np.uint8(1 << (card >> 3))
    other = np.uint32(1 << (card ^ KING ^ QUEEN))
    choice = rules.announce == ANNOUNCE_CHOICE
    if s.hands[seat] & other:
        if choice:
            s.speech |= SAY_BELOTE
        else:
            s.belote_said[seat] |= suit
    elif s.belote_said[seat] & suit:
        if choice:
            s.speech |= SAY_REBELOTE
        else:
            s.rebelote_said[seat] |= suit
    elif not choice:
        s.excluded[seat] |= other  # silence: belote would have been said


@part
def play_card(rules: Record, s: Record, card: int) -> None:
    """Play a legal card of the seat to act: its words, and the trick if it is the fourth."""
    seat = np.int64(s.seat)
    contract = np.int64(s.contract)
    position = s.num_played & 3
    bit = np.uint32(1 << card)
    if s.num_played == 4 and rules.annonces:
        compare_annonces(rules, s)
    if position:
        partner_master = s.best_seat == seat ^ 2
        led = np.int64(s.played[s.num_played - position]) >> 3
        s.excluded[seat] |= np.uint32(
            ruled_out(rules, contract, led, np.int64(s.best_card), partner_master, card)
        )
    else:
        s.leaders[s.num_played >> 2] = seat
    if s.num_played < 4 and rules.annonces:
        say_annonces(rules, s)
    s.hands[seat] &= ~bit
    s.fallen[seat] |= bit
    s.played[s.num_played] = card
    s.num_played += 1
    if not position or (BEATS[contract, s.best_card] >> card) & 1:
        s.best_card = card
        s.best_seat = seat
    rank = card & 7
    if rank in (KING, QUEEN) and (TRUMP_CARDS[contract] >> card) & 1:
        _say_belote(rules, s, seat, card)
    if position == 3:
        _take_trick(rules, s, contract)
        s.next_seat = s.best_seat
    else:
        s.next_seat = (seat + 1) & 3
    if s.speech:
        s.phase = SPEECH
    else:
        s.seat = s.next_seat


@part
def _take_trick(rules: Record, s: Record, contract: int) -> None:
    """Give the trick just completed to the seat that holds it, with der after the last."""
    team = s.best_seat & 1
    points = 0
    for i in range(s.num_played - 4, s.num_played):
        points += rules.card_points[contract, s.played[i]]
    s.tricks[team] += 1
    if s.num_played == NUM_CARDS:
        points += CAPOT_DER if s.tricks[team] == HAND_SIZE else DER
    s.points[team] += points
