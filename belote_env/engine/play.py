"""Legal cards, what a card proves about a hand, and the course of a trick (rules, sections 3-4)."""

from __future__ import annotations

from numpy import int64, uint8, uint32

from belote_env.cards import (
    BEATS,
    CAPOT_DER,
    DER,
    FULL_DECK,
    KING,
    NUM_CARDS,
    QUEEN,
    RUFF_CARDS,
    SUIT_CARDS,
    TRUMP_CARDS,
)
from belote_env.engine.annonces import compare_annonces, say_annonces
from belote_env.engine.dealing import draw_from_talon
from belote_env.engine.jit import Record, part
from belote_env.engine.options import (
    ANNOUNCE_CHOICE,
    PARTNER_FORBIDDEN,
    PARTNER_RAISE,
    RAISE_SOFT,
    TWO_PLAYER,
    UNDERTRUMP_MUST,
)
from belote_env.engine.state import NO_CARD, SAY_BELOTE, SAY_REBELOTE, SPEECH

_HONOURS = 0x01010101 * (1 << KING | 1 << QUEEN)


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
    suit = SUIT_CARDS[led]
    may_stay = partner_master and rules.raise_over_partner == RAISE_SOFT
    by_following = 0 if bit & beating or may_stay else suit & TRUMP_CARDS[contract] & beating
    trumps = RUFF_CARDS[contract]
    higher = trumps & beating
    undertrumps = bit & trumps != 0
    refused = higher if undertrumps or rules.undertrump != UNDERTRUMP_MUST else trumps
    if partner_master:
        forbidden = rules.undertrump_partner == PARTNER_FORBIDDEN
        if undertrumps and forbidden and not bit & (suit | higher):
            return FULL_DECK & ~(trumps & ~higher)
        refused = higher if undertrumps and rules.undertrump_partner == PARTNER_RAISE else 0
    by_not_following = suit | (0 if bit & higher else refused)
    return by_following if bit & suit else by_not_following


@part
def _say_belote(rules: Record, s: Record, seat: int, card: int) -> None:
    """Belote and rebelote with the trump king and queen (rules, section 4), or ask for them.

    Of two players, who may yet draw the other card, one speaks when he has played both (section 8).
    """
    suit = uint8(1 << (card >> 3))
    other = uint32(1 << (card ^ KING ^ QUEEN))
    choice = rules.announce == ANNOUNCE_CHOICE
    if rules.family == TWO_PLAYER:
        if s.fallen[seat] & other:
            if choice:
                s.speech |= SAY_BELOTE
            else:
                s.belote_said[seat] |= suit
                s.rebelote_said[seat] |= suit
    elif s.hands[seat] & other:
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
    """Play a legal card of the seat to act: its words, and the trick if it is the last of one."""
    seat = int64(s.seat)
    contract = int64(s.contract)
    best_card = int64(s.best_card)
    position = s.num_played & rules.last_seat
    bit = uint32(1 << card)
    if rules.annonces:
        if s.num_played == 4:
            compare_annonces(rules, s)
        if s.num_played < 4:
            say_annonces(rules, s)
    leads = position == 0
    proven = ruled_out(rules, contract, int64(s.led), best_card, s.best_seat == seat ^ 2, card)
    s.excluded[seat] |= uint32(0 if leads or s.num_played < rules.free_cards else proven)
    s.hands[seat] &= ~bit
    s.fallen[seat] |= bit
    s.trick[seat] = card
    s.num_played += 1
    s.place[card] = s.num_played
    s.led = card >> 3 if leads else s.led
    takes = leads or (BEATS[contract, best_card] >> card) & 1 != 0
    s.best_card = card if takes else best_card
    s.best_seat = seat if takes else s.best_seat
    if (TRUMP_CARDS[contract] & _HONOURS) >> card & 1:
        _say_belote(rules, s, seat, card)
    if position == rules.last_seat:
        _take_trick(rules, s, contract)
        s.next_seat = s.best_seat
    else:
        s.next_seat = (seat + 1) & rules.last_seat
    if s.speech:
        s.phase = SPEECH
    else:
        s.seat = s.next_seat


@part
def _take_trick(rules: Record, s: Record, contract: int) -> None:
    """Give the trick just completed to the seat that holds it, with der after the last."""
    team = s.best_seat & 1
    points = 0
    for seat in range(rules.last_seat + 1):
        points += rules.card_points[contract, s.trick[seat]]
        s.trick[seat] = NO_CARD
    s.tricks[team] += 1
    s.taker_tricks += s.best_seat == s.taker
    if s.num_played == NUM_CARDS:
        points += CAPOT_DER if s.tricks[team] == rules.capot_tricks else DER
    s.points[team] += points
    if s.num_played <= rules.free_cards:
        draw_from_talon(rules, s, int64(s.best_seat))
