"""Whether a state is one that a rule set can have: what `set_state` and `restore` ask of it.

What follows from the calls and the cards played is worked out again: contract and taker, tricks and
points, the seat to act.  The cards that nobody has shown need not be those of the pack: a search
may give the hands others, as long as each card is in one place and the seats could play as they
did.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from belote_env.actions import (
    BID,
    BID_CAPOT,
    BID_GENERALE,
    COINCHE,
    PASS,
    SURCOINCHE,
    TAKE,
)
from belote_env.cards import (
    BEATS,
    CAPOT_DER,
    DER,
    FULL_DECK,
    HAND_SIZE,
    KING,
    NUM_CARDS,
    NUM_CONTRACTS,
    NUM_SEATS,
    QUEEN,
    SANS_ATOUT,
    TRUMP_CARDS,
)
from belote_env.engine.bits import popcount
from belote_env.engine.episode import MATCH
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.options import (
    ANNOUNCE_CHOICE,
    AUCTION_FAMILY,
    EXCEED,
    ROUND2_ALLOWED,
    SA_TA_SECOND,
    TWO_PLAYER,
    rule_data,
)
from belote_env.engine.play import legal_cards
from belote_env.engine.state import (
    AUCTION,
    LITIGE,
    MADE,
    NO_CARD,
    OVER,
    SAY_ANNONCES,
    SAY_BELOTE,
    SAY_REBELOTE,
    SPEECH,
    STATE_DTYPE,
    VOID,
)
from belote_env.rules import RuleSet

_LEGAL: Final = {
    "phase": "a phase 0-3 that the calls and the cards played lead to",
    "deck": "each of the 32 cards once",
    "dealer": "the seat of the rules that dealt, or after the deal the next to deal",
    "calls": "calls that the rules allow one after the other",
    "passes": "the passes since the last other call",
    "contract": "that of the last bid or take, -1 before it",
    "taker": "the seat of the last bid or take, -1 before it",
    "bid": "that of the last bid, 0 before it and where none is made",
    "doubled": "the number of coinches and surcoinches",
    "place": "the order in which the cards were played, by the rules, and 0 for the others",
    "hands": "hands of the right size with each card in one place: a hand, the pack or played",
    "excluded": "cards that the seat does not hold",
    "trick": "the cards of the trick, 32 for a seat without one",
    "led": "the suit that the trick was led in",
    "best_card": "the card that holds the trick",
    "best_seat": "the seat that holds the trick",
    "points": "the points of the tricks won",
    "tricks": "the tricks won",
    "taker_tricks": "the tricks that the taker has won",
    "seat": "the seat to act, or -1 when the deal is over",
    "next_seat": "the seat that plays after what is said",
    "speech": "what the seat is asked to say, where the rules have it choose",
    "belote_said": "what was said with the kings and queens of trump that were played",
    "rebelote_said": "what was said with the kings and queens of trump that were played",
    "annonces_said": "nothing where the rules have no annonces, and before the first card",
    "annonce_team": "-1 unless annonces have been compared",
    "annonce_points": "points of the side whose annonces won",
    "shown": "cards of the side whose annonces won",
    "result": "0 unless the deal is over, then 1-5 as it ended",
    "marks": "0 unless the deal is over",
    "scores": "totals that leave the match open or end it, and none of a deal alone",
    "carry": "points carried from a litige, none of a deal alone",
    "deals_played": "the mènes of the match, none of a deal alone",
    "blocked": "1 for a side that awaits a trick, else 0",
    "tolerance_used": "1 for a side that was forgiven, else 0",
    "match_over": "1 for a match that has ended with its last deal, else 0",
    "winner": "the team that won, -1 while the match is open",
}
"""The fields that can be wrong and what each should be."""
_FIELDS: Final = tuple(_LEGAL)

(
    _PHASE,
    _DECK,
    _DEALER,
    _CALLS,
    _PASSES,
    _CONTRACT,
    _TAKER,
    _BID,
    _DOUBLED,
    _PLACE,
    _HANDS,
    _EXCLUDED,
    _TRICK,
    _LED,
    _BEST_CARD,
    _BEST_SEAT,
    _POINTS,
    _TRICKS,
    _TAKER_TRICKS,
    _SEAT,
    _NEXT_SEAT,
    _SPEECH,
    _BELOTE_SAID,
    _REBELOTE_SAID,
    _ANNONCES_SAID,
    _ANNONCE_TEAM,
    _ANNONCE_POINTS,
    _SHOWN,
    _RESULT,
    _MARKS,
    _SCORES,
    _CARRY,
    _DEALS_PLAYED,
    _BLOCKED,
    _TOLERANCE_USED,
    _MATCH_OVER,
    _WINNER,
) = range(len(_FIELDS))
_SOUND = -1
"""No field is wrong."""

# How an auction stands.
_OPEN = 0
_ENDED = 1
_VOID = 2


@part
def _cards_fault(rules: Record, s: Record) -> int:
    """Where each card is: in the rest of the pack, in a hand or played."""
    pack = int64(0)
    for card in s.deck:
        pack |= int64(1) << min(int64(card), NO_CARD)
    if pack != FULL_DECK:
        return _DECK
    places = int64(0)
    played = int64(0)
    for card in range(NUM_CARDS):
        if s.place[card]:
            places |= int64(1) << min(int64(s.place[card]), NO_CARD + 1)
            played |= int64(1) << card
    if s.num_played > NUM_CARDS or places != (int64(2) << s.num_played) - 2:
        return _PLACE
    if popcount(played) != s.num_played:
        return _PLACE
    seats = rules.last_seat + 1
    each = rules.dealt_first // seats
    if s.phase != AUCTION and s.result != VOID:
        drawn = min(int64(s.num_played), rules.free_cards) // 2
        each = HAND_SIZE - 1 + drawn if rules.family == TWO_PLAYER else HAND_SIZE
    held = int64(0)
    fallen = int64(0)
    for seat in range(NUM_SEATS):
        cards = int64(s.hands[seat])
        if popcount(cards) + popcount(int64(s.fallen[seat])) != (each if seat < seats else 0):
            return _HANDS
        if cards & held or int64(s.fallen[seat]) & fallen:
            return _HANDS
        if cards & int64(s.excluded[seat]):
            return _EXCLUDED
        held |= cards
        fallen |= int64(s.fallen[seat])
    if fallen != played:
        return _PLACE
    for i in range(each * seats, NUM_CARDS):
        held |= int64(1) << int64(s.deck[i])
    return _SOUND if held == FULL_DECK & ~played else _HANDS


@part
def _leader(rules: Record, s: Record) -> int:
    """The seat next to the one that dealt, who has moved on if the deal was entered in a match."""
    for card in range(NUM_CARDS):
        if s.place[card] == 1:
            for seat in range(NUM_SEATS):
                if (s.fallen[seat] >> card) & 1:
                    return seat
    return (int64(s.dealer) + 1) & rules.last_seat


@part
def _call_is_legal(
    rules: Record, s: Record, number: int, contract: int, bid: int, doubled: int, other_side: bool
) -> Any:
    """Whether a call that is no pass may follow; what was called so far is given."""
    call = int64(s.calls[number])
    if rules.family == AUCTION_FAMILY:
        if call == COINCHE:
            return bid > 0 and doubled == 0 and other_side
        if call == SURCOINCHE:
            return doubled == 1 and not other_side
        value = (call - BID) // NUM_CONTRACTS
        suits = (call - BID) % NUM_CONTRACTS < SANS_ATOUT or rules.sa_ta != 0
        most = BID_GENERALE if rules.generale else BID_CAPOT
        return call >= BID and bid <= value <= most and doubled == 0 and suits
    taken = call - TAKE
    first_round = number <= rules.last_seat
    if taken < 0 or taken >= NUM_CONTRACTS or taken <= contract:
        return False
    if taken >= SANS_ATOUT:
        return rules.sa_ta and not (first_round and rules.sa_ta_rounds == SA_TA_SECOND)
    turned = taken == s.deck[rules.turned] >> 3
    allowed = rules.round2_turned_suit == ROUND2_ALLOWED
    return contract < 0 and (turned if first_round else not turned or allowed)


@part
def _auction_stands(
    rules: Record, number: int, passes: int, contract: int, bid: int, doubled: int
) -> int:
    """Whether the auction goes on after so many calls."""
    if rules.family == AUCTION_FAMILY:
        if doubled == 2 or (bid and passes == 3):
            return _ENDED
        return _VOID if passes == NUM_SEATS else _OPEN
    if contract < 0:
        return _VOID if passes == 2 * (rules.last_seat + 1) else _OPEN
    at_once = not rules.sa_ta or (
        rules.sa_ta_rounds == SA_TA_SECOND and passes == 0 and number <= rules.last_seat + 1
    )
    return _ENDED if at_once or passes == 3 else _OPEN


@part
def _calls_fault(rules: Record, s: Record, leader: int) -> int:
    """What the calls lead to."""
    if s.num_calls > rules.call_slots:
        return _CALLS
    passes = int64(0)
    contract = int64(-1)
    taker = int64(-1)
    bid = int64(0)
    doubled = int64(0)
    stands = _OPEN
    for number in range(s.num_calls):
        if stands != _OPEN:
            return _CALLS
        call = int64(s.calls[number])
        seat = (leader + number) & rules.last_seat
        if call == PASS:
            passes += 1
        else:
            if not _call_is_legal(rules, s, number, contract, bid, doubled, (taker ^ seat) & 1):
                return _CALLS
            passes = 0
            if call in (COINCHE, SURCOINCHE):
                doubled += 1
            elif call >= BID:
                bid = 1 + (call - BID) // NUM_CONTRACTS
                contract = (call - BID) % NUM_CONTRACTS
                taker = seat
            else:
                contract = call - TAKE
                taker = seat
        stands = _auction_stands(rules, number + 1, passes, contract, bid, doubled)
    if s.passes != passes:
        return _PASSES
    if s.contract != contract:
        return _CONTRACT
    if s.taker != taker:
        return _TAKER
    if s.bid != bid:
        return _BID
    if s.doubled != doubled:
        return _DOUBLED
    if (s.phase == AUCTION) != (stands == _OPEN) or (s.result == VOID) != (stands == _VOID):
        return _PHASE
    return _SOUND


@part
def _play_fault(rules: Record, s: Record, leader: int) -> int:
    """What the cards played lead to, each of them legal."""
    contract = int64(s.contract)
    held = np.empty(NUM_SEATS, np.int64)
    trick = np.empty(NUM_SEATS, np.int64)
    order = np.empty(NUM_CARDS, np.int64)
    points = np.zeros(2, np.int64)
    tricks = np.zeros(2, np.int64)
    for seat in range(NUM_SEATS):
        held[seat] = int64(s.hands[seat]) | int64(s.fallen[seat])
        trick[seat] = NO_CARD
    for card in range(NUM_CARDS):
        if s.place[card]:
            order[s.place[card] - 1] = card
    seat = leader
    spoke = leader
    led = best_card = best_seat = taker_tricks = in_trick = int64(0)
    for i in range(s.num_played):
        card = order[i]
        bit = int64(1) << card
        if not int64(s.fallen[seat]) & bit:
            return _PLACE
        leads = i & rules.last_seat == 0
        if not leads and i >= rules.free_cards:
            partner = best_seat == seat ^ 2
            if not legal_cards(rules, contract, held[seat], led, best_card, partner) & bit:
                return _PLACE
        held[seat] ^= bit
        trick[seat] = card
        in_trick += rules.card_points[contract, card]
        if leads:
            led = card >> 3
        if leads or (BEATS[contract, best_card] >> card) & 1:
            best_card = card
            best_seat = seat
        spoke = seat
        seat = (seat + 1) & rules.last_seat
        if i & rules.last_seat == rules.last_seat:
            seat = best_seat
            team = best_seat & 1
            tricks[team] += 1
            taker_tricks += best_seat == s.taker
            if i + 1 == NUM_CARDS:
                in_trick += CAPOT_DER if tricks[team] == rules.capot_tricks else DER
            points[team] += in_trick
            in_trick = int64(0)
            for k in range(NUM_SEATS):
                trick[k] = NO_CARD
    for k in range(NUM_SEATS):
        if s.trick[k] != trick[k]:
            return _TRICK
    if s.led != led:
        return _LED
    if s.best_card != best_card:
        return _BEST_CARD
    if s.best_seat != best_seat:
        return _BEST_SEAT
    for team in range(2):
        if s.points[team] != points[team]:
            return _POINTS
        if s.tricks[team] != tricks[team]:
            return _TRICKS
    if s.taker_tricks != taker_tricks:
        return _TAKER_TRICKS
    if s.phase == AUCTION:
        seat = (leader + s.num_calls) & rules.last_seat
    if s.phase == SPEECH:
        if s.next_seat != seat:
            return _NEXT_SEAT
        seat = spoke
    if s.seat != (-1 if s.phase == OVER else seat):
        return _SEAT
    return _SOUND


@part
def _words_fault(rules: Record, s: Record) -> int:
    """What was said, and what is still to be said."""
    choice = rules.announce == ANNOUNCE_CHOICE
    if (s.speech != 0) != (s.phase == SPEECH) or (s.speech and not choice):
        return _SPEECH
    if s.speech > SAY_BELOTE | SAY_REBELOTE | SAY_ANNONCES:
        return _SPEECH
    if s.speech & SAY_ANNONCES and (not rules.annonces or s.num_played > NUM_SEATS):
        return _SPEECH
    trumps = TRUMP_CARDS[s.contract] if s.contract >= 0 else int64(0)
    for seat in range(NUM_SEATS):
        played = int64(s.fallen[seat])
        belote = int64(0)
        rebelote = int64(0)
        for suit in range(4):
            pair = (int64(1) << KING | int64(1) << QUEEN) << (8 * suit)
            if trumps & pair == pair and (int64(s.hands[seat]) | played) & pair == pair:
                if played & pair == pair:
                    rebelote |= 1 << suit
                if played & pair and (played & pair == pair or rules.family != TWO_PLAYER):
                    belote |= 1 << suit
        said = int64(s.belote_said[seat])
        again = int64(s.rebelote_said[seat])
        if said & ~belote or (said != belote and not choice):
            return _BELOTE_SAID
        if again & ~(rebelote & said) or (again != rebelote and not choice):
            return _REBELOTE_SAID
        if s.annonces_said[seat] and (not rules.annonces or not s.num_played):
            return _ANNONCES_SAID
    return _annonces_fault(rules, s)


@part
def _annonces_fault(rules: Record, s: Record) -> int:
    """Which side's annonces won, and what it has shown."""
    compared = rules.annonces and s.num_played > NUM_SEATS
    if s.annonce_team < -1 or s.annonce_team > (1 if compared else -1):
        return _ANNONCE_TEAM
    for team in range(2):
        points = int64(s.annonce_points[team])
        if points < 0 or (points and s.annonce_team != team):
            return _ANNONCE_POINTS
    for seat in range(NUM_SEATS):
        shown = int64(s.shown[seat])
        cards = int64(s.hands[seat]) | int64(s.fallen[seat])
        if shown and (seat & 1 != s.annonce_team or shown & ~cards):
            return _SHOWN
    return _SOUND


@part
def _result_fault(s: Record) -> int:
    """How the deal ended."""
    if s.phase != OVER:
        if s.result:
            return _RESULT
        return _MARKS if s.marks[0] or s.marks[1] else _SOUND
    if s.result > LITIGE or s.result < (MADE if s.num_played else VOID):
        return _RESULT
    return _MARKS if s.marks[0] < 0 or s.marks[1] < 0 else _SOUND


@part
def _reached(rules: Record, s: Record, team: int) -> bool:
    score = int64(s.scores[team])
    enough = score > rules.target if rules.target_rule == EXCEED else score >= rules.target
    return rules.target > 0 and enough and not s.blocked[team]


@part
def _match_fault(rules: Record, s: Record, episode: int) -> int:
    """What a match has come to; a deal alone has nothing of it until it is counted."""
    is_match = episode == MATCH
    counted = is_match or s.phase == OVER
    if s.match_over > is_match or (s.match_over and s.phase != OVER):
        return _MATCH_OVER
    if s.winner < -1 or s.winner > (1 if s.match_over else -1):
        return _WINNER
    most = rules.deals_per_party
    if (s.deals_played and not is_match) or (most and s.deals_played > most - 1 + s.match_over):
        return _DEALS_PLAYED
    for team in range(2):
        if s.scores[team] < 0 or (s.scores[team] and not s.deals_played):
            return _SCORES
        if s.blocked[team] > is_match:
            return _BLOCKED
        if s.tolerance_used[team] > counted:
            return _TOLERANCE_USED
    first = _reached(rules, s, 0)
    second = _reached(rules, s, 1)
    open_at = not (first or second) or (first and second and s.scores[0] == s.scores[1])
    if not s.match_over and not open_at:
        return _SCORES
    if s.carry < 0 or (s.carry and (not counted or rules.family == AUCTION_FAMILY)):
        return _CARRY
    return _SOUND


@part
def _find_fault(rules: Record, s: Record, episode: int) -> int:
    """Index of a field of `_FIELDS` that is wrong, or _SOUND."""
    if s.dealer > rules.last_seat:
        return _DEALER
    if s.phase > OVER:
        return _PHASE
    played = int64(s.num_played)
    if (s.phase == AUCTION and played) or (s.phase == SPEECH and not played):
        return _PHASE
    if s.phase != SPEECH and s.result != VOID and (played == NUM_CARDS) != (s.phase == OVER):
        return _PHASE
    fault = _cards_fault(rules, s)
    if fault >= 0:
        return fault
    leader = _leader(rules, s)
    moved_on = s.phase == OVER and s.dealer == leader
    if not moved_on and (s.dealer + 1) & rules.last_seat != leader:
        return _DEALER
    fault = _calls_fault(rules, s, leader)
    if fault >= 0:
        return fault
    fault = _play_fault(rules, s, leader)
    if fault >= 0:
        return fault
    fault = _words_fault(rules, s)
    if fault >= 0:
        return fault
    fault = _result_fault(s)
    return fault if fault >= 0 else _match_fault(rules, s, episode)


@kernel
def find_fault(rules: Record, states: Any, episode: int) -> tuple[int, int]:
    """The first state that the rules cannot have, and the field that is wrong; (-1, -1) for none.

    Args:
        rules: rule data, shape (1,).
        states: states, shape (N,).
        episode: code of the episode that they are of.
    """
    for i in range(len(states)):
        fault = _find_fault(rules[0], states[i], episode)
        if fault >= 0:
            return i, fault
    return -1, _SOUND


def check_states(states: NDArray[Any], num: int, rules: RuleSet, episode: int) -> None:
    """Refuse what is not an array of ``num`` states that the rules can have.

    Args:
        states: what should be the states, shape (num,) and dtype `STATE_DTYPE`.
        num: how many there should be.
        rules: the rule set.
        episode: code of the episode: the states of a deal alone have no match around them.

    Raises:
        ValueError: if it is no array, its shape or dtype is another, or a state could not have come
            about; the message names the state, the field and what would be right.
    """
    if not isinstance(states, np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(
            f"states must be an array of shape ({num},) and dtype STATE_DTYPE, got {states!r}"
        )
    if states.dtype != STATE_DTYPE or states.shape != (num,):
        raise ValueError(
            f"states must have shape ({num},) and dtype STATE_DTYPE, got {states.shape} of"
            f" {states.dtype}"
        )
    row, fault = map(int, find_fault(rule_data(rules), states, episode))
    if fault >= 0:
        field = _FIELDS[fault]
        raise ValueError(
            f"states[{row}]: {field}={states[field][row].tolist()!r} cannot be under rules"
            f" {rules.id!r}: use {_LEGAL[field]}"
        )
