"""The count of a deal and of a match (rules, sections 4, 6, 7 and 9)."""

from __future__ import annotations

from typing import Any

from numpy import int64

from belote_env.actions import BID_CAPOT, BID_GENERALE
from belote_env.cards import HAND_SIZE, KING, QUEEN, SANS_ATOUT
from belote_env.engine.jit import Record, part
from belote_env.engine.options import (
    BELOTE_LOST,
    CHAIN_REPLACE,
    CHUTE_CAPOT_PLAIN,
    EXCEED,
    FINISH_BLOCKED_CAPOT,
    FINISH_FREE,
    LAST_CARRY_LOST,
    LITIGE_BELOTE_KEPT,
    LITIGE_CHUTE,
    LITIGE_REPLAY,
    LOSER_KEEPS,
    MULTIPLY_ALL,
    ROUND_5_UP,
    ROUND_6_UP,
    SCORE_BID_ONLY,
    SCORE_MADE,
    TEST_82_IN_TRICKS,
    TOLERANCE_ALWAYS,
    TOLERANCE_ONCE,
    VOID_SAME_DEALER,
)
from belote_env.engine.state import CAPOT_TAKER, CHUTE, LITIGE, MADE, VOID

_Side = tuple[int, int, int]
_Terms = tuple[int, int, int, int]

BELOTE = 20
"""Points of a belote (rules, section 4)."""
CONTRACT_IN_TRICKS = 82
"""Trick points that make a contract under ``contract_test: 82_in_tricks``."""

# Who has made capot.
NO_CAPOT = 0
CAPOT_BY_TAKERS = 1
CAPOT_BY_DEFENCE = 2


@part
def deal_result(rules: Record, takers: _Side, defence: _Side, capot: int) -> int:
    """Result of a deal from each side's ``(trick points, belote, annonces)`` (rules, section 6)."""
    if capot == CAPOT_BY_TAKERS:
        return CAPOT_TAKER
    if capot == CAPOT_BY_DEFENCE:
        return CHUTE
    if rules.contract_test == TEST_82_IN_TRICKS:
        margin = takers[0] - defence[0]
        made = takers[0] >= CONTRACT_IN_TRICKS
    else:
        margin = sum3(takers) - sum3(defence)
        made = margin > 0
    if made:
        return MADE
    return LITIGE if margin == 0 and rules.litige != LITIGE_CHUTE else CHUTE


@part
def sum3(terms: Any) -> int:
    """Sum of three terms."""
    return terms[0] + terms[1] + terms[2]


@part
def score_deal(
    rules: Record,
    contract: int,
    takers: _Side,
    defence: _Side,
    capot: int,
    carry: int,
    last_deal: bool,
    bid: int,
    doubled: int,
    alone: bool,
) -> tuple[int, _Terms, _Terms, int]:
    """The marks of a played deal, term by term (rules, sections 6 and 9).

    Args:
        rules: record of `RULES_DTYPE`.
        contract: 0-5.
        takers: ``(trick points with der, belote, annonces)`` of the takers.
        defence: the same of the defence.
        capot: NO_CAPOT, CAPOT_BY_TAKERS or CAPOT_BY_DEFENCE.
        carry: points carried from earlier litiges.
        last_deal: whether this is the last mène of a concours party.
        bid: as in a state, like the next two; 0 outside the auction family.
        doubled: 0, 1 or 2.
        alone: whether the taker's own cards have won all tricks.

    Returns:
        ``(result, takers' terms, defence's terms, next carry)``, the terms being ``(tricks, belote,
        annonces, bid or carry)``; a side's marks are their sum, rounded by `round_marks`.
    """
    if bid:
        return _score_bid(rules, contract, takers, defence, capot, bid, doubled, alone)
    return _score_take(rules, contract, takers, defence, capot, carry, last_deal)


@part
def _bid_made(
    rules: Record, takers: _Side, defence: _Side, capot: int, bid: int, alone: bool
) -> bool:
    """Whether a bid is made, before any rounding (rules, section 9)."""
    if rules.need_majority and sum3(takers) <= sum3(defence):
        return False
    if bid == BID_GENERALE + 1:
        return alone
    if bid == BID_CAPOT + 1:
        return capot == CAPOT_BY_TAKERS
    return sum3(takers) >= rules.bid_value[bid]


@part
def _score_bid(
    rules: Record,
    contract: int,
    takers: _Side,
    defence: _Side,
    capot: int,
    bid: int,
    doubled: int,
    alone: bool,
) -> tuple[int, _Terms, _Terms, int]:
    """`score_deal` of the auction family (rules, section 9)."""
    t, bt, at = takers
    d, bd, ad = defence
    made = _bid_made(rules, takers, defence, capot, bid, alone)
    times = rules.multiplier[doubled]
    worth = 0 if rules.score_mode == SCORE_MADE else rules.bid_value[bid] * times
    base = rules.chute_base
    if made:
        if capot == CAPOT_BY_TAKERS:
            base = rules.capot_total[contract]
    elif capot == CAPOT_BY_DEFENCE and rules.chute_capot != CHUTE_CAPOT_PLAIN:
        base = rules.capot_total[contract]
    if rules.multiplier_on == MULTIPLY_ALL:
        base *= times
    if rules.score_mode == SCORE_BID_ONLY:
        base = t = d = 0
    if rules.flat_capot and bid == BID_CAPOT + 1:
        base = t = 0
    lost = rules.belote_on_chute == BELOTE_LOST
    if not made:
        if lost:
            return CHUTE, (0, 0, 0, 0), (base, bd + bt, at + ad, worth), 0
        return CHUTE, (0, bt, 0, 0), (base, bd, at + ad, worth), 0
    result = CAPOT_TAKER if capot == CAPOT_BY_TAKERS else MADE
    if not doubled:
        return result, (t, bt, at, worth), (d, bd, ad, 0), 0
    both = at if rules.score_mode == SCORE_BID_ONLY else at + ad
    kept = d if rules.doubled_loser == LOSER_KEEPS else 0
    if lost:
        return result, (base, bt + bd, both, worth), (kept, 0, 0, 0), 0
    return result, (base, bt, both, worth), (kept, bd, 0, 0), 0


@part
def _score_take(
    rules: Record,
    contract: int,
    takers: _Side,
    defence: _Side,
    capot: int,
    carry: int,
    last_deal: bool,
) -> tuple[int, _Terms, _Terms, int]:
    """`score_deal` of the games in which a trump is taken (rules, section 6)."""
    t, bt, at = takers
    d, bd, ad = defence
    result = deal_result(rules, takers, defence, capot)
    nothing = (0, 0, 0, 0)
    if result == CAPOT_TAKER:
        total = rules.capot_total[contract]
        return result, (total, bt, at + ad, carry), (0, bd, 0, 0), 0
    if result == MADE:
        return result, (t, bt, at, carry), (d, bd, ad, 0), 0
    if result == CHUTE:
        total = rules.total[contract]
        if capot == CAPOT_BY_DEFENCE and rules.chute_capot != CHUTE_CAPOT_PLAIN:
            total = rules.capot_total[contract]
        if rules.belote_on_chute == BELOTE_LOST:
            return result, nothing, (total, bd + bt, at + ad, carry), 0
        return result, (0, bt, 0, 0), (total, bd, at + ad, carry), 0
    if rules.litige == LITIGE_REPLAY:
        return result, nothing, nothing, carry
    if last_deal and rules.litige_last_deal != LAST_CARRY_LOST:
        return result, (t, bt, at, 0), (d, bd, ad, 0), 0
    kept = bt if rules.litige_belote == LITIGE_BELOTE_KEPT else 0
    carried = 0 if last_deal else t + at + bt - kept
    if rules.litige_chain != CHAIN_REPLACE and not last_deal:
        carried += carry
    return result, (0, kept, 0, 0), (d, bd, ad, 0), carried


@part
def round_marks(rules: Record, marks: int) -> int:
    """A side's marks of a deal, rounded once, at the end (`rounding`)."""
    if rules.rounding == ROUND_5_UP:
        return (marks + 5) // 10 * 10
    if rules.rounding == ROUND_6_UP:
        return (marks + 4) // 10 * 10
    return marks


@part
def belote_counts(
    rules: Record,
    contract: int,
    said: bool,
    said_again: bool,
    king_first: bool,
    tolerance_used: bool,
) -> tuple[bool, bool]:
    """Whether a belote scores, and whether that takes the side's tolerance (rules, section 4).

    Args:
        rules: record of `RULES_DTYPE`.
        contract: 0-5.
        said: "belote" was said with the first of the two cards.
        said_again: "rebelote" was said with the second.
        king_first: the king was played before the queen.
        tolerance_used: the side was forgiven a missing "rebelote" before.

    Returns:
        ``(scores, tolerance taken)``.
    """
    if contract == SANS_ATOUT or not said or (rules.belote_king_first and not king_first):
        return False, False
    if said_again or rules.belote_tolerance == TOLERANCE_ALWAYS:
        return True, False
    forgiven = rules.belote_tolerance == TOLERANCE_ONCE and not tolerance_used
    return forgiven, forgiven


@part
def _king_first(s: Record, suit: int) -> bool:
    return s.place[8 * suit + KING] < s.place[8 * suit + QUEEN]


@part
def _count_belotes(rules: Record, s: Record, team: int) -> int:
    """Points of a side's belotes; a forgiven rebelote takes its tolerance."""
    points = 0
    for suit in range(4):
        for seat in range(team, 4, 2):
            if (s.belote_said[seat] >> suit) & 1:
                scores, forgiven = belote_counts(
                    rules,
                    int64(s.contract),
                    True,
                    (s.rebelote_said[seat] >> suit) & 1 != 0,
                    _king_first(s, suit),
                    s.tolerance_used[team] != 0,
                )
                if scores:
                    points += BELOTE
                if forgiven:
                    s.tolerance_used[team] = 1
    return points


@part
def count_deal(rules: Record, s: Record, last_deal: bool) -> None:
    """Count a deal whose 32 cards have been played: result, marks and next carry of the state."""
    taking = s.taker & 1
    defending = 1 - taking
    for team in range(2):
        s.belote_marks[team] = _count_belotes(rules, s, team)
    belotes = (int64(s.belote_marks[0]), int64(s.belote_marks[1]))
    capot = NO_CAPOT
    if s.tricks[taking] == rules.capot_tricks:
        capot = CAPOT_BY_TAKERS
    elif s.tricks[defending] == rules.capot_tricks:
        capot = CAPOT_BY_DEFENCE
    result, takers, defence, carry = score_deal(
        rules,
        int64(s.contract),
        (int64(s.points[taking]), belotes[taking], int64(s.annonce_points[taking])),
        (int64(s.points[defending]), belotes[defending], int64(s.annonce_points[defending])),
        capot,
        int64(s.carry),
        last_deal,
        int64(s.bid),
        int64(s.doubled),
        s.taker_tricks == HAND_SIZE,
    )
    s.result = result
    s.marks[taking] = round_marks(rules, takers[0] + takers[1] + takers[2] + takers[3])
    s.marks[defending] = round_marks(rules, defence[0] + defence[1] + defence[2] + defence[3])
    s.belote_marks[taking] = takers[1]
    s.belote_marks[defending] = defence[1]
    s.carry = carry


@part
def _reached(rules: Record, score: int) -> bool:
    return score > rules.target if rules.target_rule == EXCEED else score >= rules.target


@part
def _belote_only(rules: Record, s: Record, team: int) -> bool:
    """Whether a side has just reached the target by its belote alone (`belote_only_finish`)."""
    if rules.belote_only_finish == FINISH_FREE or s.result == VOID:
        return False
    capot = s.tricks[team] == 0
    chute = s.result == CHUTE and team == s.taker & 1
    if not capot and (not chute or rules.belote_only_finish == FINISH_BLOCKED_CAPOT):
        return False
    score = int64(s.scores[team])
    return _reached(rules, score) and not _reached(rules, score - s.belote_marks[team])


@part
def settle(rules: Record, s: Record) -> None:
    """Enter a finished deal in the match: totals, next dealer, end of the match (rules, section 7).

    Concours: the party ends after `deals_per_party` mènes; an equal one is drawn (winner -1).
    """
    replayed = s.result == LITIGE and rules.litige == LITIGE_REPLAY
    if not replayed and (s.result != VOID or rules.void_dealer != VOID_SAME_DEALER):
        s.dealer = (s.dealer + 1) & rules.last_seat
    if replayed or s.result == VOID:
        return
    s.deals_played += 1
    for team in range(2):
        s.scores[team] += s.marks[team]
    if rules.target == 0:
        if s.deals_played == rules.deals_per_party:
            _end_match(s, s.scores[0] > s.scores[1], s.scores[0] < s.scores[1])
        return
    for team in range(2):
        if s.blocked[team]:
            s.blocked[team] = s.tricks[team] == 0
        else:
            s.blocked[team] = _belote_only(rules, s, team)
    first = _reached(rules, int64(s.scores[0])) and not s.blocked[0]
    second = _reached(rules, int64(s.scores[1])) and not s.blocked[1]
    if first and second:
        first = s.scores[0] > s.scores[1]
        second = s.scores[0] < s.scores[1]
    if first or second:
        _end_match(s, first, second)


@part
def _end_match(s: Record, first_won: bool, second_won: bool) -> None:
    """Close the match; a carry that is still open is lost."""
    s.match_over = 1
    s.winner = 0 if first_won else 1 if second_won else -1
    s.carry = 0
