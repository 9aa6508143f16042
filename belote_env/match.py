"""Matches and concours from the scores of their deals (rules, section 7).

    >>> match = Match("classic", scores=(900, 850))
    >>> match.add(score_deal("classic", contract="H", taker_team=0, points=(105, 57)))
    >>> match.scores, match.over, match.winner
    ((1005, 907), True, 0)

The count itself is `belote_env.engine.scoring.settle`, run on a state kept for it; the match
episodes of `belote_env.game.Game` settle with the same kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from belote_env.cards import NUM_CARDS
from belote_env.checks import (
    check_choice,
    check_flag,
    check_list,
    check_pair,
    check_seat,
    check_text,
    check_whole,
    require,
)
from belote_env.deal_score import (
    MAX_BELOTE,
    DealScore,
    check_capot,
    check_carry,
)
from belote_env.engine.episode import MATCH, end_deal_at
from belote_env.engine.options import rule_data
from belote_env.engine.scoring import BELOTE
from belote_env.engine.state import MADE, RESULTS, VOID, new_states
from belote_env.rules import MAX_SCORE, RuleSet, resolve


class Match:
    """A match to a target, or one party of a concours, deal by deal.

    Args:
        rules: a rule set or its id.
        scores: marks of both teams so far; totals that end the match make it one that is over.
        deals_played: deals that count as a mène so far.
        carry: points carried from earlier litiges; none in the auction family.
        dealer: seat that deals next.

    Raises:
        ValueError: if one of these is no such number, or more mènes are played than a party has.
    """

    def __init__(
        self,
        rules: str | RuleSet,
        scores: tuple[int, int] = (0, 0),
        deals_played: int = 0,
        *,
        carry: int = 0,
        dealer: int = 0,
    ) -> None:
        self.rules = resolve(rules)
        scores = check_pair("scores", scores, MAX_SCORE)
        most_deals = self.rules.deals_per_party or MAX_SCORE
        deals_played = check_whole("deals_played", deals_played, most=most_deals)
        carry = check_carry(self.rules, carry)
        dealer = check_seat("dealer", dealer, self.rules.num_seats)
        self._tricks = NUM_CARDS // self.rules.num_seats
        self._state = new_states(1)
        self._state["winner"] = -1
        self._state["carry"] = carry
        # What was played before enters as one deal, so that `settle` says whether it ended there.
        self._state["deals_played"] = max(deals_played - 1, 0)
        self._settle(MADE, marks=scores, tricks=(1, 1))
        self._state["deals_played"] = deals_played
        self._state["dealer"] = dealer

    def add(self, score: DealScore, tricks: tuple[int, int] | None = None) -> None:
        """Enter a deal that was played.

        Args:
            score: its count, with ``carry`` and ``last_deal`` of this match.
            tricks: the tricks won by each team.  With four players they decide nothing that the
                capot does not tell, and are checked against it.  With two, where there is no
                capot, they alone tell who has won none: without them each has won one.

        Raises:
            ValueError: if the match is over, the deal is no `DealScore`, contradicts itself, was
                counted with another carry or as another mène, the tricks do not fit, or a total
                would pass `MAX_SCORE`.
        """
        self._check_open()
        if not isinstance(score, DealScore):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"score={score!r}: use a DealScore, such as score_deal() makes")
        self._check_fits(score)
        tricks = self._check_tricks(score, tricks)
        self._state["taker"] = score.fallen_team or 0  # who took matters in a chute alone
        self._state["belote_marks"] = score.belote
        self._state["carry"] = score.carry
        self._settle(RESULTS.index(score.result), marks=score.marks, tricks=tricks)

    def _check_tricks(self, score: DealScore, tricks: tuple[int, int] | None) -> tuple[int, int]:
        """Tricks as they may have been: they tell whether a team has won none."""
        if tricks is None:
            return int(score.capot_by != 1), int(score.capot_by != 0)
        tricks = check_pair("tricks", tricks, self._tricks)
        all_by = tricks.index(self._tricks) if self._tricks in tricks else None
        capot_by = None if self.rules.family == "two_player" else all_by
        if sum(tricks) != self._tricks or capot_by != score.capot_by:
            raise ValueError(
                f"tricks={tricks!r} do not fit {self._tricks} tricks and capot_by={score.capot_by}"
            )
        return tricks

    def add_void(self) -> None:
        """Enter a deal that nobody took.

        Raises:
            ValueError: if the match is over.
        """
        self._check_open()
        self._settle(VOID, marks=(0, 0), tricks=(0, 0))

    def _settle(self, result: int, *, marks: tuple[int, int], tricks: tuple[int, int]) -> None:
        self._state["result"] = result
        self._state["marks"] = marks
        self._state["tricks"] = tricks  # only whether a team has won one matters
        end_deal_at(rule_data(self.rules), self._state, 0, MATCH)

    def _check_open(self) -> None:
        if self.over:
            raise ValueError(f"the match is over at {self.scores[0]}-{self.scores[1]}")

    def _check_fits(self, score: DealScore) -> None:
        check_choice("result", score.result, self._results())
        marks = check_pair("marks", score.marks, MAX_SCORE)
        check_pair("belote", score.belote, MAX_BELOTE)
        check_carry(self.rules, score.carry)
        check_capot(self.rules, score.capot_by)
        if score.taker_team is not None:
            check_whole("taker_team", score.taker_team, most=1)
        if score.last_deal is not None:
            check_flag("last_deal", score.last_deal)
        self._check_agrees(score)
        if score.result == "chute" and score.taker_team is None and marks[0] == marks[1]:
            raise ValueError(f"taker_team=None: marks={marks} do not tell which team is in chute")
        if score.rules_hash is not None:
            check_text("rules_hash", score.rules_hash, "that of a rule set, or None")
        if score.rules_hash not in (None, self.rules.hash):
            raise ValueError(
                f"the deal was counted by other rules than those of the match ({self.rules.id!r})"
            )
        if score.carry_in is not None:
            check_whole("carry_in", score.carry_in, most=MAX_SCORE)
        if score.carry_in not in (None, self.carry):
            raise ValueError(
                f"the deal was counted with carry={score.carry_in}, but the match carries"
                f" {self.carry} into it: count it with carry={self.carry}"
            )
        if score.result == "litige" and score.last_deal not in (None, self.last_deal):
            raise ValueError(
                f"the litige was counted with last_deal={score.last_deal}, but this is mène"
                f" {self.deals_played + 1}: count it with last_deal={self.last_deal}"
            )
        for team in range(2):
            if self.scores[team] + score.marks[team] > MAX_SCORE:
                raise ValueError(
                    f"{score.marks[team]} marks more than {self.scores[team]} would take team"
                    f" {team} past {MAX_SCORE}"
                )

    def _check_agrees(self, score: DealScore) -> None:
        """Refuse a count that contradicts itself."""
        result, capot_by, marks, belote = score.result, score.capot_by, score.marks, score.belote
        if capot_by is None:
            require(result != "capot_taker", "capot_by", None, "the takers' team in a capot_taker")
        else:  # a bid may be made by annonces alone, all tricks being the defence's
            by_annonces = self.rules.family == "auction" and score.taker_team != capot_by
            made = result == "made" and by_annonces
            fits = made or result in ("capot_taker", "chute")
            require(fits, "result", result, f"that of a capot by team {capot_by}")
        by_takers = score.taker_team in (None, capot_by)
        if result == "capot_taker":
            require(by_takers, "capot_by", capot_by, f"taker_team={score.taker_team}, the takers")
        elif result != "litige":
            require(any(marks), "marks", marks, "those of a deal that was played, not all 0")
        most = MAX_BELOTE if self.rules.sa_ta else BELOTE
        whole = not any(points % BELOTE for points in belote) and sum(belote) <= most
        require(whole, "belote", belote, f"{BELOTE} points for each, {most} in all at most")
        within = belote[0] <= marks[0] and belote[1] <= marks[1]
        require(within, "belote", belote, f"the part of marks={marks} that is belote")
        left = score.carry == 0 or result == "litige"
        require(left, "carry", score.carry, f"0 after result={result!r}")

    def _results(self) -> list[str]:
        """Results of a deal that was played by these rules."""
        left_out: set[str] = set()
        if not self.rules.has_litige:
            left_out.add("litige")
        if self.rules.family == "two_player":
            left_out.add("capot_taker")
        return [result for result in RESULTS[MADE:] if result not in left_out]

    @property
    def scores(self) -> tuple[int, int]:
        """Marks of both teams."""
        return int(self._state["scores"][0, 0]), int(self._state["scores"][0, 1])

    @property
    def deals_played(self) -> int:
        """Deals that count as a mène: void and replayed ones do not."""
        return int(self._state["deals_played"][0])

    @property
    def last_deal(self) -> bool:
        """Whether the next deal is the last mène of a concours party."""
        return self.deals_played + 1 == self.rules.deals_per_party

    @property
    def carry(self) -> int:
        """Points carried into the next deal."""
        return int(self._state["carry"][0])

    @property
    def dealer(self) -> int:
        """The seat that deals next."""
        return int(self._state["dealer"][0])

    @property
    def pending(self) -> list[int]:
        """Teams that reached the target by belote alone and still need a trick."""
        return [team for team in range(2) if self._state["blocked"][0, team]]

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return bool(self._state["match_over"][0])

    @property
    def winner(self) -> int | None:
        """The team that won; None while the match is open and after a drawn party."""
        winner = int(self._state["winner"][0])
        return None if winner < 0 else winner


@dataclass(frozen=True)
class Standing:
    """How a team stands in a concours: parties played and won, and marks over all of them."""

    team: str
    parties: int = 0
    wins: int = 0
    points: int = 0


class Concours:
    """A concours: each team plays `parties` parties, every one from nothing (rules, section 7).

    Args:
        rules: a rule set with `parties`, or its id.
        teams: the names of two teams or more.

    Raises:
        ValueError: if the rule set has no number of parties, or a team is named twice or alone.
    """

    def __init__(self, rules: str | RuleSet, teams: Sequence[str]) -> None:
        self.rules = resolve(rules)
        if self.rules.parties is None:
            raise ValueError(f"rules {self.rules.id!r} have no parties: set parties=3 or 4")
        for number, team in enumerate(check_list("teams", teams, "names")):
            check_text(f"teams[{number}]", team, "a name")
        self._standings = {team: Standing(team) for team in teams}
        if len(self._standings) < max(2, len(teams)):
            raise ValueError(f"teams={teams!r}: give two names or more, all different")

    def add(self, first: str, second: str, party: Match) -> None:
        """Enter a finished party, in which ``first`` was team 0 and ``second`` team 1.

        Raises:
            ValueError: if a team is unknown, meets itself or has played all its parties, or the
                party is no match, not over or was played by other rules.
        """
        if not isinstance(party, Match):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"party={party!r}: use a Match")
        if party.rules != self.rules:
            raise ValueError(f"the party has rules {party.rules.id!r}, not {self.rules.id!r}")
        if not party.over:
            raise ValueError(f"the party is not over: {party.deals_played} mènes are played")
        for team in (first, second):
            check_text("team", team, "a name")
        if first == second:
            raise ValueError(f"team {first!r} cannot meet itself")
        for team in (first, second):
            if team not in self._standings:
                known = ", ".join(self._standings)
                raise ValueError(f"unknown team {team!r}; the teams are {known}")
            if self._standings[team].parties == self.rules.parties:
                raise ValueError(f"team {team!r} has played all its {self.rules.parties} parties")
        for number, team in enumerate((first, second)):
            before = self._standings[team]
            self._standings[team] = Standing(
                team,
                parties=before.parties + 1,
                wins=before.wins + (party.winner == number),
                points=before.points + party.scores[number],
            )

    @property
    def over(self) -> bool:
        """Whether every team has played all its parties."""
        return all(s.parties == self.rules.parties for s in self._standings.values())

    @property
    def ranking(self) -> list[Standing]:
        """The teams, best first: by parties won, then by points; equal ones as they were named."""
        return sorted(self._standings.values(), key=lambda s: (-s.wins, -s.points))
