"""One decision of a deal: legal actions and their effect (rules, sections 2-6 and 10)."""

from __future__ import annotations

from typing import Any

from numpy import int64, uint8

from belote_env.actions import DECLARE, SILENT
from belote_env.cards import NUM_CARDS
from belote_env.engine.annonces import declare_annonces
from belote_env.engine.auction import call, legal_calls
from belote_env.engine.jit import Record, kernel, merged, part
from belote_env.engine.options import TWO_PLAYER
from belote_env.engine.play import legal_cards, play_card
from belote_env.engine.scoring import count_deal
from belote_env.engine.state import (
    AUCTION,
    OVER,
    PLAY,
    SAY_ANNONCES,
    SAY_BELOTE,
    SAY_REBELOTE,
    SPEECH,
)

_SPEECH_BITS = 1 << DECLARE | 1 << SILENT


@part
def legal_plays(rules: Record, s: Record) -> Any:
    """Legal cards of the seat to act in the play, as a set of cards (int64)."""
    hand = int64(s.hands[s.seat])
    following = legal_cards(
        rules,
        int64(s.contract),
        hand,
        int64(s.led),
        int64(s.best_card),
        s.best_seat == s.seat ^ 2,
    )
    free = s.num_played & rules.last_seat == 0 or s.num_played < rules.free_cards
    return hand if free else following


@merged
def legal_actions(rules: Record, s: Record) -> tuple[int, int]:
    """Legal actions of the seat to act, as a set in two words (`SPLIT`); empty when over."""
    if s.phase == PLAY:
        return legal_plays(rules, s), 0
    if s.phase == AUCTION:
        return legal_calls(rules, s)
    if s.phase == SPEECH:
        return _SPEECH_BITS, 0
    return 0, 0


@part
def _suit_just_played(s: Record) -> Any:
    """Suit of the last card played, as a bit."""
    for card in range(NUM_CARDS):
        if s.place[card] == s.num_played:
            return uint8(1 << (card >> 3))
    return uint8(0)


@part
def was_said(seen: Record, s: Record) -> bool:
    """Whether the seat that is asked in ``s`` said it, as ``seen``, of the same deal, tells."""
    suit = _suit_just_played(s)
    if s.speech & SAY_BELOTE:
        return seen.belote_said[s.seat] & suit != 0
    if s.speech & SAY_REBELOTE:
        return seen.rebelote_said[s.seat] & suit != 0
    return seen.annonces_said[s.seat] != 0


@part
def speak(rules: Record, s: Record, declared: bool) -> None:
    """Answer the first thing the seat is asked to say (rules, section 10)."""
    suit = _suit_just_played(s)
    if s.speech & SAY_BELOTE:
        s.speech ^= SAY_BELOTE
        if declared:
            s.belote_said[s.seat] |= suit
            if rules.family == TWO_PLAYER:
                s.rebelote_said[s.seat] |= suit
    elif s.speech & SAY_REBELOTE:
        s.speech ^= SAY_REBELOTE
        if declared:
            s.rebelote_said[s.seat] |= suit
    else:
        s.speech ^= SAY_ANNONCES
        if declared:
            declare_annonces(rules, s)
    if s.speech == 0:
        s.phase = PLAY
        s.seat = s.next_seat


@merged
def step(rules: Record, s: Record, action: int) -> None:
    """Apply a legal action of the seat to act; the last one counts the deal.

    Args:
        rules: record of `RULES_DTYPE`.
        s: record of `STATE_DTYPE`, changed in place.
        action: an action id of `legal_actions` (not checked here).
    """
    if s.phase == AUCTION:
        call(rules, s, action)
        return
    if s.phase == PLAY:
        play_card(rules, s, action)
    else:
        speak(rules, s, action == DECLARE)
    if s.num_played == NUM_CARDS and s.phase == PLAY:
        last_deal = s.deals_played + 1 == rules.deals_per_party
        count_deal(rules, s, last_deal)
        s.phase = OVER
        s.seat = -1


@kernel
def legal_at(rules: Record, states: Any, i: int) -> tuple[int, int]:
    """`legal_actions` of state ``i`` of a batch; ``rules`` has shape (1,), ``states`` (N,)."""
    return legal_actions(rules[0], states[i])


@kernel
def step_at(rules: Record, states: Any, i: int, action: int) -> None:
    """`step` on state ``i`` of a batch; ``rules`` has shape (1,), ``states`` (N,)."""
    step(rules[0], states[i], action)
