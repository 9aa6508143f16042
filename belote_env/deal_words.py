"""The count of a deal in words: what decided it, what moved, and every term of the marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from belote_env.actions import BID_GENERALE, BID_NAMES
from belote_env.engine import scoring
from belote_env.engine.options import bid_values, rule_data, trick_point_total
from belote_env.engine.state import CHUTE, LITIGE, RESULTS
from belote_env.rules import RuleSet

_SIDES: Final = ("takers", "defence")
_TERMS: Final = ("tricks", "belote", "annonces", "carry")
_BID_TERMS: Final = ("tricks", "belote", "annonces", "bid")
_DOUBLED: Final = ("", "coinched", "surcoinched")


class Count(NamedTuple):
    """A deal as it was counted; pairs are of the takers and the defence.

    Attributes:
        rules: the rule set.
        contract: what was played.
        taker_team: the takers' team.
        won: each side's trick points, belote and annonces.
        capot: one of the constants of `belote_env.engine.scoring`.
        bid: as in a state, like the next one; 0 outside the auction family.
        doubled: 0, 1 or 2.
        alone: whether the bidder's own cards have won all tricks.
        result: an index of `RESULTS`.
        terms: what each side marks, as `belote_env.engine.scoring.score_deal` lists it.
        marks: their sums, rounded.
        carry: points carried into the deal.
        next_carry: points carried into the next deal.
    """

    rules: RuleSet
    contract: str
    taker_team: int
    won: Sequence[Sequence[int]]
    capot: int
    bid: int
    doubled: int
    alone: bool
    result: int
    terms: Sequence[Sequence[int]]
    marks: Sequence[int]
    carry: int
    next_carry: int


def in_words(count: Count) -> Iterator[str]:
    """Every step and term of a count, a line each."""
    test = _bid_test(count) if count.bid else _take_test(count)
    yield f"takers {test}: {RESULTS[count.result]}"
    if count.doubled:
        times, base_times = _factors(count)
        on = "the bid" if base_times == 1 else "the bid and the base"
        yield f"{_DOUBLED[count.doubled]}: times {times} on {on}"
    yield from _moves(count)
    if count.result == LITIGE and count.rules.litige == "replay":
        yield "nothing is marked: the same dealer deals again"
    teams = (count.taker_team, 1 - count.taker_team)
    names = _names_of_terms(count)
    for team, side, terms, named, marks in zip(
        teams, _SIDES, count.terms, names, count.marks, strict=True
    ):
        rounded = "" if marks == sum(terms) else f", rounded to {marks}"
        yield f"team {team} ({side}) marks {_sum(terms, named)}{rounded}"
    if count.carry or count.next_carry:
        yield f"carry: {count.carry} before this deal, {count.next_carry} after it"


def _take_test(count: Count) -> str:
    """What decides a contract that was taken, as a predicate of the takers."""
    if count.capot != scoring.NO_CAPOT:
        return "win every trick" if count.capot == scoring.CAPOT_BY_TAKERS else "win no trick"
    takers, defence = count.won
    if count.rules.contract_test == "82_in_tricks":
        return f"have {takers[0]} in tricks, with {scoring.CONTRACT_IN_TRICKS} needed"
    return f"have {_sum(takers)}, against {_sum(defence)}"


def _bid_test(count: Count) -> str:
    """What decides a contract that was bid, as a predicate of the takers."""
    takers, defence = map(_sum, count.won)
    by_whom = ""
    if count.bid == BID_GENERALE + 1 and count.capot == scoring.CAPOT_BY_TAKERS:
        by_whom = ", all by the bidder" if count.alone else ", not all by the bidder"
    majority = f" and more than {defence}" if count.rules.need_majority else ""
    return f"have {takers}{by_whom}, with {BID_NAMES[count.bid - 1]}{majority} needed"


def _factors(count: Count) -> tuple[int, int]:
    """By what the bid and the base of a chute or doubled deal are multiplied."""
    times = int(rule_data(count.rules)["multiplier"][0, count.doubled])
    return times, times if count.rules.multiplier_on == "all" else 1


def _moves(count: Count) -> Iterator[str]:
    """Belote and annonces that the other side marks."""
    for side, other in ((0, 1), (1, 0)):
        for term in range(1, 3):
            if count.terms[side][term] > count.won[side][term]:
                moved = f"{count.won[other][term]} {_TERMS[term]}"
                yield f"{moved} of the {_SIDES[other]} go to the {_SIDES[side]}"


def _names_of_terms(count: Count) -> list[Sequence[str]]:
    """Names of the terms of both sides; of a product with its factors."""
    if not count.bid:
        return [_TERMS, _TERMS]
    winner = int(count.result == CHUTE)
    names = [[*_BID_TERMS], [*_BID_TERMS]]
    times, base_times = _factors(count)
    names[winner][3] = _product("bid", times, bid_values(count.rules)[count.bid])
    if count.result == CHUTE or count.doubled:  # a base in place of the own tricks
        base = count.terms[winner][0] // base_times
        in_capot = base == trick_point_total(count.rules, count.contract, capot=True)
        names[winner][0] = _product("capot" if in_capot else "base", base_times, base)
    return [*names]


def _product(name: str, times: int, value: int) -> str:
    return name if times == 1 else f"{name} ({times} x {value})"


def _sum(terms: Sequence[int], names: Sequence[str] = _TERMS) -> str:
    """Terms and their sum: ``"75 tricks + 20 belote = 95"``."""
    named = [f"{term} {name}" for term, name in zip(terms, names, strict=False) if term]
    if len(named) < 2:
        return named[0] if named else "0"
    return f"{' + '.join(named)} = {sum(terms)}"
