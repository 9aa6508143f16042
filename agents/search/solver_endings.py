"""The last two tricks of a deal, which no search is needed for: each seat has two cards at most."""

from __future__ import annotations

from typing import Any

from numpy import int64

from agents.search.solver_words import BEATEN_BY, BONUS, HANDS, POINTS, UNKNOWN
from belote_env.engine.bits import lowest_bit
from belote_env.engine.jit import Record, part
from belote_env.engine.play import legal_cards


@part
def last_gain(work: Any, rest: int, capots: int, team: int) -> Any:
    """What team 0 gains by all the rest going to a team.

    Args:
        work: from `agents.search.solver_words.workspace`.
        rest: points of all cards not won yet, and der.
        capots: sides that can still make capot, a bit each.
        team: 0 or 1.
    """
    bonus = work[BONUS] if capots >> team & 1 else int64(0)
    return -bonus if team else rest + bonus


@part
def _takes(work: Any, card: int, best_card: int) -> Any:
    """Whether a card takes a trick that ``best_card`` holds: 0 or 1."""
    return work[BEATEN_BY + (best_card & 31)] >> card & 1


@part
def _drawn(work: Any, first: int, second: int, third: int, fourth: int) -> Any:
    """Whether the side of the seat that leads loses a trick of these cards: 0 or 1."""
    lost = _takes(work, second, first)
    best_card = second if lost else first
    if _takes(work, third, best_card):
        lost = int64(0)
        best_card = third
    return lost | _takes(work, fourth, best_card)


@part
def last_trick(work: Any, leader: int, rest: int, capots: int) -> Any:
    """The value at the start of the last trick.

    Args:
        work: from `agents.search.solver_words.workspace`.
        leader: the seat that leads.
        rest: as in `last_gain`.
        capots: the same.
    """
    lost = _drawn(
        work,
        lowest_bit(work[HANDS + leader]),
        lowest_bit(work[HANDS + ((leader + 1) & 3)]),
        lowest_bit(work[HANDS + ((leader + 2) & 3)]),
        lowest_bit(work[HANDS + ((leader + 3) & 3)]),
    )
    return last_gain(work, rest, capots, (leader ^ lost) & 1)


@part
def _next_lost(work: Any, place: int, first: int, second: int, third: int, fourth: int) -> Any:
    """Whether the side of ``first`` loses the last trick if the seat ``place`` after it leads."""
    if place == 0:
        return _drawn(work, first, second, third, fourth)
    if place == 1:
        return 1 - _drawn(work, second, third, fourth, first)
    if place == 2:
        return _drawn(work, third, fourth, first, second)
    return 1 - _drawn(work, fourth, first, second, third)


@part
def last_two_tricks(
    rules: Record,
    contract: int,
    work: Any,
    leader: int,
    rest: int,
    capots: int,
    goal: int,
) -> Any:
    """A bound on the value at the start of the last trick but one that answers the question.

    Here plain loops over the cards of the trick are quicker than the search and its table.

    Args:
        rules: record of `RULES_DTYPE`.
        contract: 0-5.
        work: from `agents.search.solver_words.workspace`.
        leader: the seat that leads.
        rest: as in `last_gain`.
        capots: the same.
        goal: is the value at least this?
    """
    # Signs are such that the leader's side plays for the highest value.
    sign = 1 - 2 * (leader & 1)
    goal = goal if sign > 0 else 1 - goal
    own = work[HANDS + leader]
    left = work[HANDS + ((leader + 1) & 3)]
    partner = work[HANDS + ((leader + 2) & 3)]
    right = work[HANDS + ((leader + 3) & 3)]
    best = int64(-UNKNOWN)
    leads = own
    while leads and best < goal:
        first = lowest_bit(leads)
        leads &= leads - 1
        led = first >> 3
        after_first = int64(UNKNOWN)
        seconds = legal_cards(rules, contract, left, led, first, False)
        while seconds and after_first >= goal:
            second = lowest_bit(seconds)
            seconds &= seconds - 1
            lost = _takes(work, second, first)
            of_two = second if lost else first
            after_second = int64(-UNKNOWN)
            thirds = legal_cards(rules, contract, partner, led, of_two & 31, not lost)
            while thirds and after_second < goal:
                third = lowest_bit(thirds)
                thirds &= thirds - 1
                taken = _takes(work, third, of_two)
                of_three = third if taken else of_two
                place = int64(2) if taken else lost
                after_third = int64(UNKNOWN)
                fourths = legal_cards(rules, contract, right, led, of_three & 31, place == 1)
                while fourths and after_third >= goal:
                    fourth = lowest_bit(fourths)
                    fourths &= fourths - 1
                    winner = int64(3) if _takes(work, fourth, of_three) else place
                    next_lost = _next_lost(
                        work,
                        winner,
                        lowest_bit(own ^ int64(1) << first),
                        lowest_bit(left ^ int64(1) << second),
                        lowest_bit(partner ^ int64(1) << third),
                        lowest_bit(right ^ int64(1) << fourth),
                    )
                    points = (
                        work[POINTS + (first & 31)]
                        + work[POINTS + (second & 31)]
                        + work[POINTS + (third & 31)]
                        + work[POINTS + (fourth & 31)]
                    )
                    team = (leader ^ winner) & 1
                    value = last_gain(
                        work, rest - points, capots & 1 << team, (leader ^ next_lost) & 1
                    )
                    if team == 0:
                        value += points
                    after_third = min(after_third, sign * value)
                after_second = max(after_second, after_third)
            after_first = min(after_first, after_second)
        best = max(best, after_first)
    return sign * best
