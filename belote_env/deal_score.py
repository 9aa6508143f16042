"""The count of one deal in numbers and words (rules, section 6).

>>> score = score_deal("classic", "H", taker_team=0, points=(75, 87), belote=(20, 0))
>>> score.lines[0]
'takers have 75 tricks + 20 belote = 95, against 87 tricks: made'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Final, Literal, cast

from belote_env.cards import CONTRACTS, SANS_ATOUT, TOUT_ATOUT, parse_contract
from belote_env.engine import scoring
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data, trick_point_total
from belote_env.engine.state import LITIGE, RESULTS
from belote_env.rules import RuleSet, resolve

Result = Literal["made", "capot_taker", "chute", "litige"]

MAX_SCORE: Final = 30_000
"""Most marks that a side can have in a match."""

MAX_BELOTE: Final = 4 * scoring.BELOTE
"""Most belote points in a deal: one belote a suit at TA."""

_score_deal = from_python(scoring.score_deal)
_round_marks = from_python(scoring.round_marks)

_SIDES: Final = ("takers", "defence")
_TERMS: Final = ("tricks", "belote", "annonces", "carry")


@dataclass(frozen=True)
class DealScore:
    """The count of a deal that was played, made by `score_deal` or written down by hand.

    Attributes:
        result: ``"made"``, ``"capot_taker"``, ``"chute"`` or ``"litige"``.
        marks: what each team writes down.
        carry: the carry into the next deal.
        lines: every step and term of the count in words, so that a person can check it.
        belote: the part of each team's marks that is belote.
        capot_by: the team that won all eight tricks, or None.
        taker_team: the team that took; None by hand, when only a chute tells it.
        carry_in: the carry into this deal; None by hand, for any.
        last_deal: whether it was counted as the last mène of a concours party; None by hand.
        rules_hash: hash of the rule set that counted it; None by hand.
    """

    result: Result
    marks: tuple[int, int]
    carry: int
    lines: tuple[str, ...]
    belote: tuple[int, int]
    capot_by: int | None
    taker_team: int | None = None
    carry_in: int | None = None
    last_deal: bool | None = None
    rules_hash: str | None = None

    @property
    def fallen_team(self) -> int | None:
        """The team in chute, or None: the takers, who mark less than the defence."""
        if self.result != "chute":
            return None
        return int(self.marks[0] > self.marks[1]) if self.taker_team is None else self.taker_team


def score_deal(
    rs: str | RuleSet,
    contract: str,
    taker_team: int,
    points: tuple[int, int],
    capot_by: int | None = None,
    belote: tuple[int, int] = (0, 0),
    annonces: tuple[int, int] = (0, 0),
    carry: int = 0,
    *,
    last_deal: bool = False,
) -> DealScore:
    """Count a deal that was played (rules, section 6).

    Args:
        rs: a rule set or its id.
        contract: what was played.
        taker_team: the team that took.
        points: trick points with der by team; in a capot all that the deal holds and 0.
        capot_by: the team that won all eight tricks, if one did.
        belote: belote points by team.
        annonces: annonce points by team, before any of them moves; one of them is 0.
        carry: points carried into the deal.
        last_deal: whether it is the last mène of a concours party.
    """
    rules = resolve(rs)
    trump = parse_contract_of(rules, contract)
    taking = check_number("taker_team", taker_team, 1)
    if capot_by is not None:
        capot_by = check_number("capot_by", capot_by, 1)
    points = _check_points(rules, contract, points, capot_by)
    belote = _check_belote(trump, belote)
    annonces = _check_annonce_points(rules, annonces)
    carry = check_number("carry", carry, MAX_SCORE)
    if last_deal and rules.deals_per_party is None:
        raise ValueError(f"last_deal=True: rules {rules.id!r} have no parties of so many deals")
    capot = scoring.NO_CAPOT
    if capot_by is not None:
        capot = scoring.CAPOT_BY_TAKERS if capot_by == taking else scoring.CAPOT_BY_DEFENCE
    sides = (taking, 1 - taking)
    won = [(points[team], belote[team], annonces[team]) for team in sides]
    result, *terms, next_carry = _score_deal(
        rule_data(rules)[0], trump, won[0], won[1], capot, carry, bool(last_deal)
    )
    marks = [int(_round_marks(rule_data(rules)[0], sum(side))) for side in terms]
    lines = [
        f"takers {_test_in_words(rules, won, capot)}: {RESULTS[result]}",
        *_moves_in_words(won, terms),
    ]
    if result == LITIGE and rules.litige == "replay":
        lines.append("nothing is marked: the same dealer deals again")
    for team, name, side, total in zip(sides, _SIDES, terms, marks, strict=True):
        rounded = "" if total == sum(side) else f", rounded to {total}"
        lines.append(f"team {team} ({name}) marks {_sum_in_words(side)}{rounded}")
    if carry or next_carry:
        lines.append(f"carry: {carry} before this deal, {next_carry} after it")
    return DealScore(
        result=cast(Result, RESULTS[result]),
        marks=(marks[taking], marks[1 - taking]),
        carry=next_carry,
        lines=tuple(lines),
        belote=(terms[taking][1], terms[1 - taking][1]),
        capot_by=capot_by,
        taker_team=taking,
        carry_in=carry,
        last_deal=bool(last_deal),
        rules_hash=rules.hash,
    )


def _test_in_words(rules: RuleSet, won: Sequence[Sequence[int]], capot: int) -> str:
    """What decides the contract, as a predicate of the takers."""
    takers, defence = won
    if capot != scoring.NO_CAPOT:
        return "win every trick" if capot == scoring.CAPOT_BY_TAKERS else "win no trick"
    if rules.contract_test == "82_in_tricks":
        return f"have {takers[0]} in tricks, with {scoring.CONTRACT_IN_TRICKS} needed"
    return f"have {_sum_in_words(takers)}, against {_sum_in_words(defence)}"


def _moves_in_words(won: Sequence[Sequence[int]], terms: Sequence[Sequence[int]]) -> list[str]:
    """Belote and annonces that the other side marks."""
    return [
        f"{won[1 - side][term]} {_TERMS[term]} of the {_SIDES[1 - side]} go to the {_SIDES[side]}"
        for side in range(2)
        for term in range(1, 3)
        if terms[side][term] > won[side][term]
    ]


def _sum_in_words(terms: Sequence[int]) -> str:
    """Terms and their sum: ``"75 tricks + 20 belote = 95"``."""
    named = [f"{term} {name}" for term, name in zip(terms, _TERMS, strict=False) if term]
    if len(named) < 2:
        return named[0] if named else "0"
    return f"{' + '.join(named)} = {sum(terms)}"


def _check_points(
    rules: RuleSet, contract: str, points: tuple[int, int], capot_by: int | None
) -> tuple[int, int]:
    total = trick_point_total(rules, contract)
    in_capot = trick_point_total(rules, contract, capot=True)
    points = check_pair("points", points, in_capot)
    if capot_by is None and sum(points) != total:
        hint = "; in a capot name the team in capot_by" if sum(points) == in_capot else ""
        raise ValueError(
            f"points={points}: trick points with der sum to {total} at {contract}, got"
            f" {sum(points)}{hint}"
        )
    if capot_by is not None and (points[capot_by], points[1 - capot_by]) != (in_capot, 0):
        raise ValueError(
            f"points={points}: in a capot by team {capot_by} that team has {in_capot} at"
            f" {contract} and the other 0"
        )
    return points


def _check_belote(contract: int, belote: tuple[int, int]) -> tuple[int, int]:
    most = 0 if contract == SANS_ATOUT else 4 if contract == TOUT_ATOUT else 1
    belote = check_pair("belote", belote, MAX_SCORE)
    if any(points % scoring.BELOTE for points in belote) or sum(belote) > most * scoring.BELOTE:
        raise ValueError(
            f"belote={belote}: a belote is {scoring.BELOTE} points, and a deal at"
            f" {CONTRACTS[contract]} has at most {most}"
        )
    return belote


def _check_annonce_points(rules: RuleSet, annonces: tuple[int, int]) -> tuple[int, int]:
    annonces = check_pair("annonces", annonces, MAX_SCORE)
    if any(annonces):
        check_annonces_played(rules)
    if all(annonces) or any(points % 10 for points in annonces):
        raise ValueError(
            f"annonces={annonces}: one side scores them, a multiple of 10, the other 0"
        )
    return annonces


def parse_contract_of(rules: RuleSet, contract: str) -> int:
    """Contract id (0-5) of a text.

    Raises:
        ValueError: if it is no contract, or one that the rule set does not have.
    """
    parsed = parse_contract(contract)
    if parsed in (SANS_ATOUT, TOUT_ATOUT) and not rules.sa_ta:
        raise ValueError(
            f"contract {contract!r} needs sa_ta=True; rules {rules.id!r} have suits only"
        )
    return parsed


def check_annonces_played(rules: RuleSet) -> None:
    """Refuse annonces under a rule set without them.

    Raises:
        ValueError: saying how to have them.
    """
    if not rules.annonces:
        raise ValueError(f"rules {rules.id!r} have no annonces: set annonces=True")


def check_number(name: str, value: object, most: int) -> int:
    """A whole number of 0 to ``most``, as an int.

    Raises:
        ValueError: if it is none, naming it and what would be right.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) <= most:
        raise ValueError(f"{name}={value!r}: use a whole number 0-{most}")
    return int(value)


def check_pair(name: str, pair: Sequence[object], most: int) -> tuple[int, int]:
    """A number of 0 to ``most`` for each team, as ints.

    Raises:
        ValueError: if it is none, naming it and what would be right.
    """
    if len(pair) != 2:
        raise ValueError(f"{name}={pair!r}: give a number for team 0 and one for team 1")
    return check_number(f"{name}[0]", pair[0], most), check_number(f"{name}[1]", pair[1], most)
