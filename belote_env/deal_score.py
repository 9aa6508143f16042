"""The count of one deal in numbers and words (rules, sections 6, 8 and 9).

>>> score = score_deal("classic", "H", taker_team=0, points=(75, 87), belote=(20, 0))
>>> score.lines[0]
'takers have 75 tricks + 20 belote = 95, against 87 tricks: made'
>>> score = score_deal("contree", taker_team=0, points=(75, 87), bid=(80, "H"), doubled=2)
>>> score.lines[-1]
'team 1 (defence) marks 162 base + 160 bid (2 x 80) = 322'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, cast

from belote_env.actions import BID_GENERALE, BID_NAMES
from belote_env.cards import CONTRACTS, SANS_ATOUT, TOUT_ATOUT, parse_contract
from belote_env.checks import (
    check_flag,
    check_pair,
    check_whole,
    is_flag,
    is_list,
    is_whole,
    require,
)
from belote_env.deal_words import Count, in_words
from belote_env.engine import scoring
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data, trick_point_total
from belote_env.engine.state import RESULTS
from belote_env.rules import MAX_SCORE, RuleSet, resolve

Result = Literal["made", "capot_taker", "chute", "litige"]
Bid = tuple[int | str, str]
"""The value and the contract of a bid: ``(110, "H")``, ``("capot", "S")``."""

MAX_BELOTE: Final = 4 * scoring.BELOTE
"""Most belote points in a deal: one belote a suit at TA."""

MAX_ANNONCES: Final = 550
"""The most that the annonces of a side are worth: four carrés, of jacks and nines among them."""

DOUBLED: Final = (1, 2, 4)
"""How often a bid is doubled, as `score_deal` is told: not, by a coinche, by a surcoinche."""

_score_deal = from_python(scoring.score_deal)
_round_marks = from_python(scoring.round_marks)


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
        taker_team: the team that took or bid; None by hand, when only a chute tells it.
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
    contract: str | None = None,
    taker_team: int | None = None,
    points: tuple[int, int] | None = None,
    capot_by: int | None = None,
    belote: tuple[int, int] = (0, 0),
    annonces: tuple[int, int] = (0, 0),
    carry: int = 0,
    *,
    last_deal: bool = False,
    bid: Bid | None = None,
    doubled: int = 1,
    alone: bool | None = None,
) -> DealScore:
    """Count a deal that was played (rules, sections 6, 8 and 9).

    Args:
        rs: a rule set or its id.
        contract: what was played; a bid names it too.
        taker_team: the team that took or bid; always needed.
        points: trick points with der by team, always needed; in a capot all that the deal holds
            and 0.
        capot_by: the team that won all eight tricks, if one did; two players have no capot.
        belote: belote points by team.
        annonces: annonce points by team, before any of them moves; one of them is 0.
        carry: points carried into the deal; none in the auction family.
        last_deal: whether it is the last mène of a concours party.
        bid: value and contract of the last bid, such as ``(110, "H")`` or ``("capot", "S")``;
            needed in the auction family, and there alone, like the next two.
        doubled: 1 for a bid that was not doubled, 2 after a coinche, 4 after a surcoinche (also
            where the option makes that a factor of 3).
        alone: whether the bidder won all eight tricks with his own cards; needed when his team has
            won them and the bid is a générale.

    Raises:
        ValueError: on what the rules do not have, or could not have been; the message says what
            would be right.
    """
    rules = resolve(rs)
    taking = check_whole("taker_team", taker_team, most=1)
    capot_by = check_capot(rules, capot_by)
    contract, auction = _check_auction(rules, contract, bid, doubled, alone, capot_by == taking)
    trump = parse_contract_of(rules, contract)
    points = _check_points(rules, contract, points, capot_by)
    belote = _check_belote(trump, belote)
    annonces = _check_annonce_points(rules, annonces)
    carry = check_carry(rules, carry)
    last_deal = check_flag("last_deal", last_deal)
    if last_deal and rules.deals_per_party is None:
        raise ValueError(f"last_deal=True: rules {rules.id!r} have no parties of so many deals")
    capot = scoring.NO_CAPOT
    if capot_by is not None:
        capot = scoring.CAPOT_BY_TAKERS if capot_by == taking else scoring.CAPOT_BY_DEFENCE
    won = [(points[team], belote[team], annonces[team]) for team in (taking, 1 - taking)]
    result, *terms, next_carry = _score_deal(
        rule_data(rules)[0], trump, won[0], won[1], capot, carry, last_deal, *auction
    )
    marks = [int(_round_marks(rule_data(rules)[0], sum(side))) for side in terms]
    count = Count(
        rules, contract, taking, won, capot, *auction, result, terms, marks, carry, next_carry
    )
    return DealScore(
        result=cast(Result, RESULTS[result]),
        marks=(marks[taking], marks[1 - taking]),
        carry=next_carry,
        lines=tuple(in_words(count)),
        belote=(terms[taking][1], terms[1 - taking][1]),
        capot_by=capot_by,
        taker_team=taking,
        carry_in=carry,
        last_deal=last_deal,
        rules_hash=rules.hash,
    )


def _check_auction(
    rules: RuleSet,
    contract: str | None,
    bid: Bid | None,
    doubled: int,
    alone: bool | None,
    capot_by_takers: bool,
) -> tuple[str, tuple[int, int, bool]]:
    """The contract; the bid and its doubling as in a state, and whether one seat won all tricks."""
    if not is_whole(doubled) or doubled not in DOUBLED:
        raise ValueError(f"doubled={doubled!r}: use 1 (not doubled), 2 (coinche) or 4 (surcoinche)")
    if rules.family != "auction":
        given = {"bid": bid, "doubled": None if doubled == 1 else doubled, "alone": alone}
        for name, value in given.items():
            if value is not None:
                raise ValueError(f"{name}={value!r}: rules {rules.id!r} have no bids; leave it out")
        if contract is None:
            raise ValueError("contract=None: say what was played, such as 'H'")
        return contract, (0, 0, False)
    level, bid_contract = _parse_bid(rules, bid)
    if contract is not None:
        parse_contract(contract)
    if contract not in (None, bid_contract):
        raise ValueError(f"contract={contract!r} is not that of bid={bid!r}: leave contract out")
    require(alone is None or is_flag(alone), "alone", alone, "True, False or None")
    if alone and not capot_by_takers:
        raise ValueError("alone=True: the bidder's team has won every trick then; set capot_by")
    if level == BID_GENERALE and capot_by_takers and alone is None:
        raise ValueError(
            "alone=None: in a générale say whether the bidder himself won every trick (True, False)"
        )
    return bid_contract, (level + 1, DOUBLED.index(doubled), bool(alone))


def _parse_bid(rules: RuleSet, bid: Bid | None) -> tuple[int, str]:
    """Index in `BID_NAMES` and contract of a bid."""
    if not is_list(bid) or len(bid) != 2:
        raise ValueError(
            f"bid={bid!r}: give the value and the contract that were bid, such as (110, 'H')"
        )
    value, contract = bid
    parse_contract(contract)
    levels = BID_NAMES if rules.generale else BID_NAMES[:BID_GENERALE]
    if str(value) not in levels:
        raise ValueError(
            f"bid={bid!r}: rules {rules.id!r} have bids of {', '.join(levels)}, not {value!r}"
        )
    return levels.index(str(value)), contract


def _check_points(
    rules: RuleSet, contract: str, points: tuple[int, int] | None, capot_by: int | None
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


def check_capot(rules: RuleSet, capot_by: object) -> int | None:
    """The team that has won all eight tricks, as an int or None.

    Raises:
        ValueError: if it is no team, or the rules have no capot.
    """
    if capot_by is None:
        return None
    if rules.family == "two_player":
        raise ValueError(
            f"capot_by={capot_by!r}: rules {rules.id!r} have no capot, whoever wins all tricks;"
            " leave it out"
        )
    return check_whole("capot_by", capot_by, most=1)


def check_carry(rules: RuleSet, carry: object) -> int:
    """A carry into a deal, as an int.

    Raises:
        ValueError: if it is no such number, or the rules carry nothing.
    """
    carry = check_whole("carry", carry, most=MAX_SCORE)
    if carry and rules.family == "auction":
        raise ValueError(f"carry={carry}: rules {rules.id!r} have no litige, so nothing is carried")
    return carry


def _check_annonce_points(rules: RuleSet, annonces: tuple[int, int]) -> tuple[int, int]:
    annonces = check_pair("annonces", annonces, MAX_ANNONCES)
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
        hint = "" if rules.family == "two_player" else ": set annonces=True"
        raise ValueError(f"rules {rules.id!r} have no annonces{hint}")
