"""The points counter of the terminal: asks for each deal, prints its count and the match."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

from belote_env.actions import BID_GENERALE, BID_NAMES
from belote_env.cards import CONTRACTS, NUM_CARDS, SANS_ATOUT, TOUT_ATOUT
from belote_env.deal_score import DOUBLED, MAX_ANNONCES, Bid, DealScore, score_deal
from belote_env.engine.options import trick_point_total
from belote_env.engine.scoring import BELOTE
from belote_env.match import Match
from belote_env.rules import PRESETS, RuleSet, resolve

T = TypeVar("T")

_VOID: Final = "void"
_NO_TEAM: Final = ("no", "")
_MOST_DIGITS: Final = 9
_DOUBLED_ANSWERS: Final = ("no", "coinche", "surcoinche")


class _Called(NamedTuple):
    """What was called: the contract, in the auction family with its bid."""

    contract: str
    bid: Bid | None = None


class Answers:
    """Where answers come from: given ones, a terminal that is asked again, or plain input.

    Args:
        given: the answers; None to read standard input, a line each.
    """

    def __init__(self, given: Iterable[str] | None = None) -> None:
        self._given = None if given is None else iter(given)
        self._terminal = given is None and sys.stdin.isatty()
        self._count = 0

    def ask(self, question: str, read: Callable[[str], T]) -> T:
        """The answer to a question, as ``read`` understands it.

        Raises:
            EOFError: if there are no more answers.
            ValueError: if an answer is refused and there is no terminal to ask again.
        """
        while True:
            answer = self._next(question)
            self._count += 1
            try:
                return read(answer)
            except ValueError as error:
                if not self._terminal:
                    raise ValueError(f"answer {self._count} to {question!r}: {error}") from None
                print(f"  {error}")

    def _next(self, question: str) -> str:
        if self._given is not None:
            for answer in self._given:
                return answer.strip()
            raise EOFError
        try:
            return input(f"{question}: " if self._terminal else "").strip()
        except EOFError:
            if self._terminal:
                print()  # leave the line of the question
            raise

    def check_none_left(self) -> None:
        """Refuse answers to questions that are not asked; a terminal is not waited for.

        Raises:
            ValueError: naming the first of them.
        """
        if self._terminal:
            return
        left = [answer for answer in self._given or sys.stdin if answer.strip()]
        if left:
            raise ValueError(
                f"answer {self._count + 1} ({left[0].strip()!r}): the match is over, leave out"
                f" {len(left)}"
            )


def ask_rules(answers: Answers) -> RuleSet:
    """The rule set to play by.

    Raises:
        EOFError: if there are no more answers.
        ValueError: as `Answers.ask`.
    """
    question = f"rule set ({', '.join(PRESETS)}; Enter for classic)"
    return answers.ask(question, lambda answer: resolve(answer or "classic"))


def count_match(match: Match, answers: Answers) -> bool:
    """Ask for deals and print their count until the match or the answers end.

    A match that is over is said to be.

    Returns:
        False if the answers end inside a deal, which is then left out.

    Raises:
        ValueError: as `Answers.ask`, and on answers that are left when the match is over.
    """
    if match.over:
        print(f"the match is over: {_standing(match)}")
    while not match.over:
        try:
            called = _ask_called(match, answers)
        except EOFError:
            return True
        if called is None:
            match.add_void()
        else:
            try:
                score, tricks = _ask_deal(match, called, answers)
            except EOFError:
                return False
            match.add(score, tricks)
            print("\n".join(f"  {line}" for line in score.lines))
        print(_standing(match))
    answers.check_none_left()
    return True


def _standing(match: Match) -> str:
    parts = [f"{match.scores[0]}-{match.scores[1]}", f"deals played: {match.deals_played}"]
    if match.carry:
        parts.append(f"carry {match.carry}")
    parts += [f"team {t} is at the target by belote alone, needs a trick" for t in match.pending]
    if match.over:
        parts.append("drawn" if match.winner is None else f"team {match.winner} wins")
    return ", ".join(parts)


def _ask_called(match: Match, answers: Answers) -> _Called | None:
    """What was called; None for a void deal."""
    rules = match.rules
    contracts = CONTRACTS if rules.sa_ta else CONTRACTS[:SANS_ATOUT]
    where = f"deal {match.deals_played + 1}, dealer seat {match.dealer}"
    if rules.family != "auction":
        question = f"{where}: contract ({', '.join(contracts)}, or {_VOID})"
        contract = answers.ask(question, lambda answer: _choose(answer, (*contracts, _VOID)))
        return None if contract == _VOID else _Called(contract)
    values = BID_NAMES if rules.generale else BID_NAMES[:BID_GENERALE]

    def read_bid(answer: str) -> _Called | None:
        if answer.lower() == _VOID:
            return None
        value, _, contract = answer.partition(" ")
        bid = _choose(value, values), _choose(contract.strip(), contracts)
        return _Called(bid[1], bid)

    named = f"{values[0]} {contracts[0]} to {values[-1]} {contracts[-1]}"
    return answers.ask(f"{where}: last bid ({named}, or {_VOID})", read_bid)


def _ask_deal(
    match: Match, called: _Called, answers: Answers
) -> tuple[DealScore, tuple[int, int] | None]:
    """The count of a deal, and the tricks won where one side has them all."""
    contract, bid = called
    verb = "taken" if bid is None else "bid"
    taker_team = answers.ask(f"{verb} by team (0 or 1)", lambda answer: _number(answer, range(2)))
    doubled, alone = DOUBLED[0], None
    if bid is not None:
        doubled = answers.ask(f"doubled ({', '.join(_DOUBLED_ANSWERS)})", _doubled)
    points, all_by = _ask_points(match.rules, contract, taker_team, answers)
    if bid is not None and bid[0] == BID_NAMES[BID_GENERALE] and all_by == taker_team:
        alone = _ask_yes("did the bidder win all 8 tricks alone", answers)
    two_player = match.rules.family == "two_player"
    score = score_deal(
        match.rules,
        contract=contract,
        taker_team=taker_team,
        points=points,
        capot_by=None if two_player else all_by,
        belote=_ask_belote(contract, answers),
        annonces=_ask_annonces(match.rules, answers),
        carry=match.carry,
        last_deal=match.last_deal,
        bid=bid,
        doubled=doubled,
        alone=alone,
    )
    tricks = None if all_by is None else _by_team(all_by, _num_tricks(match.rules), 0)
    return score, tricks


def _ask_points(
    rules: RuleSet, contract: str, taker_team: int, answers: Answers
) -> tuple[tuple[int, int], int | None]:
    """Trick points by team, and who won every trick."""
    total = trick_point_total(rules, contract)
    in_capot = trick_point_total(rules, contract, capot=True)
    or_capot = f", or {in_capot} for a capot" if in_capot != total else ""
    takers = answers.ask(
        f"trick points of the takers with der (0-{total}{or_capot})",
        lambda answer: _number(answer, (*range(total + 1), in_capot)),
    )
    all_by = None
    won_all = f"win all {_num_tricks(rules)} tricks"
    if takers == in_capot:
        if or_capot or _ask_yes(f"did the takers {won_all}", answers):
            all_by = taker_team
    elif takers == 0 and _ask_yes(f"did the defence {won_all}", answers):
        all_by = 1 - taker_team
    defence = (total if all_by is None else in_capot) - takers
    return _by_team(taker_team, takers, defence), all_by


def _num_tricks(rules: RuleSet) -> int:
    return NUM_CARDS // rules.num_seats


def _ask_belote(contract: str, answers: Answers) -> tuple[int, int]:
    if contract == CONTRACTS[SANS_ATOUT]:
        return 0, 0
    if contract != CONTRACTS[TOUT_ATOUT]:
        team = answers.ask("belote of team (0, 1 or no)", _team)
        return _by_team(team, BELOTE, 0)
    first = answers.ask("belotes of team 0 (0-4)", lambda answer: _number(answer, range(5)))
    left = range(5 - first)
    second = answers.ask(f"belotes of team 1 (0-{left[-1]})", lambda a: _number(a, left))
    return first * BELOTE, second * BELOTE


def _ask_annonces(rules: RuleSet, answers: Answers) -> tuple[int, int]:
    if not rules.annonces:
        return 0, 0
    team = answers.ask("annonces of team (0, 1 or no)", _team)
    if team is None:
        return 0, 0
    question = "points of its annonces (a multiple of 10)"
    points = answers.ask(question, lambda answer: _number(answer, range(10, MAX_ANNONCES + 1, 10)))
    return _by_team(team, points, 0)


def _by_team(team: int | None, own: int, other: int) -> tuple[int, int]:
    """A pair from the numbers of a team and of the other one; nothing for no team."""
    if team is None:
        return 0, 0
    return (own, other) if team == 0 else (other, own)


def _ask_yes(question: str, answers: Answers) -> bool:
    choices = ("yes", "no")
    return answers.ask(f"{question} (yes or no)", lambda answer: _choose(answer, choices)) == "yes"


def _doubled(answer: str) -> int:
    return DOUBLED[_DOUBLED_ANSWERS.index(_choose(answer or "no", _DOUBLED_ANSWERS))]


def _team(answer: str) -> int | None:
    return None if answer in _NO_TEAM else _number(answer, range(2))


def _choose(answer: str, choices: Sequence[str]) -> str:
    for choice in choices:
        if answer.lower() == choice.lower():
            return choice
    raise ValueError(f"{answer!r} is none of {', '.join(choices)}")


def _number(answer: str, numbers: Sequence[int]) -> int:
    if answer.isdecimal() and len(answer) <= _MOST_DIGITS and int(answer) in numbers:
        return int(answer)
    raise ValueError(f"{answer!r} is none of the numbers asked for")
