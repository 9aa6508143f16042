"""The kernels against the slow reference: everything that a game shows, at every decision.

A table is a rule set, an episode and a way of playing, drawn from (seed, index), for twenty deals.
So ``play_table(seed, index)`` repeats any deal, and tables can be spread over processes.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from numpy.typing import NDArray

from belote_env.actions import NUM_ACTIONS, action_name
from belote_env.cards import CONTRACTS, SUITS, card_name
from belote_env.engine.state import ANNONCE_KINDS, CALLS_ROOM, RESULTS, STATE_DTYPE
from belote_env.game import Game
from belote_env.rules import INTEGER_OPTIONS, PRESETS, RuleSet
from tests.drawn_rules import draw_rules
from tests.reference import Deal, Match, card_points, cut_deck, trick_winner

DEALS_PER_TABLE: Final = 20

_ACTIONS: Final = {action_name(action): action for action in range(NUM_ACTIONS)}
_BITS: Final = {name: 1 << action for name, action in _ACTIONS.items()}
_CONTRACTS: Final = {None: -1} | {name: contract for contract, name in enumerate(CONTRACTS)}
_PHASES: Final = ("auction", "play", "speech", "over")
_FIELDS: Final = STATE_DTYPE.names or ()


@dataclass
class Tally:
    """What the tables have covered.

    Attributes:
        counts: deals, decisions, matches that came to their end, and deals that left a side
            blocked.
        options: deals under each value of each option, by ``option=value``.
        results: deals by result, capots of either side apart.
        cuts: decks by the place at which they were cut.
    """

    counts: Counter[str] = field(default_factory=Counter[str])
    options: Counter[str] = field(default_factory=Counter[str])
    results: Counter[str] = field(default_factory=Counter[str])
    cuts: Counter[int] = field(default_factory=Counter[int])

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.counts.update(other.counts)
        self.options.update(other.options)
        self.results.update(other.results)
        self.cuts.update(other.cuts)


def option_label(option: str, value: object) -> str:
    """The name under which `Tally.options` counts a value; integers share one."""
    if option in INTEGER_OPTIONS and value is not None:
        value = "integer"
    return f"{option}={value}"


# The reference in the fields of a state ------------------------------------------------------


def _ids(names: Iterable[str], length: int) -> list[int]:
    """Action ids, filled up with zeros."""
    ids = [_ACTIONS[name] for name in names]
    return ids + [0] * (length - len(ids))


def _set(names: Iterable[str]) -> int:
    """A set of cards or actions, as bits."""
    return sum(map(_BITS.__getitem__, names))


def _said(deal: Deal, word: str) -> list[int]:
    """Suits of which each seat has said a word of belote, as bits."""
    said = [0, 0, 0, 0]
    for seat, suit, spoken in deal.belote_said:
        if spoken == word:
            said[seat] |= 1 << SUITS.index(suit)
    return said


def _kinds(kinds: Mapping[str, int]) -> int:
    """How many annonces of each kind were said, two bits a kind."""
    return sum(count << 2 * ANNONCE_KINDS.index(kind) for kind, count in kinds.items())


def expected_state(deal: Deal) -> dict[str, Any]:
    """Fields of a state as the reference has them.

    Under ``excluded`` are the cards that a seat cannot hold, those already played among them.
    """
    calls = [call for _, call in deal.calls]
    played = [card for _, card in deal.played]
    takes = [call for call in deal.calls if call[1] != "pass"]
    taker, contract = takes[-1] if takes else (-1, None)
    fallen = [0, 0, 0, 0]
    for seat, card in deal.played:
        fallen[seat] |= _BITS[card]
    gone = sum(fallen)
    expected = {
        "phase": _PHASES.index(deal.phase),
        "seat": -1 if deal.seat is None else deal.seat,
        "dealer": deal.dealer,
        "contract": _CONTRACTS[contract if deal.contract is None else deal.contract],
        "taker": taker if deal.taker is None else deal.taker,
        "hands": [_set(hand) for hand in deal.hands],
        "fallen": fallen,
        "excluded": [_set(excluded) | gone for excluded in deal.excluded],
        "shown": [_set(shown) for shown in deal.annonce_shown],
        "calls": _ids(calls, CALLS_ROOM),
        "num_calls": len(calls),
        "passes": len(calls) - calls.index(contract) - 1 if contract else len(calls),
        "played": _ids(played, 32),
        "num_played": len(played),
        "leaders": [seat for seat, _ in deal.played[::4]] + [0] * (8 - (len(played) + 3) // 4),
        "points": deal.points,
        "tricks": deal.tricks,
        "belote_said": _said(deal, "belote"),
        "rebelote_said": _said(deal, "rebelote"),
        "annonces_said": [_kinds(kinds) if kinds else 0 for kinds in deal.annonces_said],
        "annonce_team": -1 if deal.annonce_team is None else deal.annonce_team,
        "annonce_points": deal.annonce_points,
        "result": RESULTS.index(deal.result or "unfinished"),
        "marks": list(deal.marks),
        "carry": deal.next_carry,
        "tolerance_used": [int(used) for used in deal.tolerance_used],
    }
    trick = deal.trick
    if trick and deal.contract is not None:
        holder = trick_winner(deal.contract, trick)
        expected["best_card"] = _ACTIONS[trick[holder]]
        expected["best_seat"] = deal.played[holder - len(trick)][0]
    return expected


def expected_match(match: Match) -> dict[str, Any]:
    """Fields of a state between two deals, as the reference has them."""
    return {
        "scores": match.scores,
        "carry": match.carry,
        "dealer": match.dealer,
        "deals_played": match.deals_played,
        "blocked": [int(team in match.blocked) for team in (0, 1)],
        "tolerance_used": [int(used) for used in match.tolerance_used],
        "match_over": int(match.over),
        "winner": -1 if match.winner is None else match.winner,
    }


# Ways of playing -----------------------------------------------------------------------------


class Policy(NamedTuple):
    """How a deal is played at random.

    Attributes:
        passing: probability of a pass; 0 for a uniform choice among all calls.
        stronger: the team that plays its high cards while the other keeps to its low ones (a
            capot), or None for a uniform choice.
        level: whether the points are shifted before the last card to make a litige.
    """

    passing: float
    stronger: Literal[0, 1] | None
    level: bool

    @classmethod
    def draw(cls, rng: random.Random) -> Policy:
        """A policy at random, uniform play the most likely."""
        passing = rng.choice((0, 0, 0.6, 0.95))
        stronger = rng.choice((None, None, 0, 1))
        return cls(passing, stronger, level=rng.random() < 0.1)

    def choose(self, rng: random.Random, deal: Deal, legal: list[str]) -> str:
        """What the seat to act does."""
        if deal.phase == "auction" and rng.random() < self.passing:
            return "pass"
        if deal.phase != "play" or self.stronger is None:
            return rng.choice(legal)
        assert deal.seat is not None
        best = max if deal.seat % 2 == self.stronger else min
        return best(legal, key=lambda card: _height(deal, card))


def _height(deal: Deal, card: str) -> tuple[bool, int, str]:
    assert deal.contract is not None
    return card[1] == deal.contract, card_points(deal.options, deal.contract, card), card


# Playing -------------------------------------------------------------------------------------


class Table:
    """One rule set, in the kernels and in the reference, and the random choices around it.

    Args:
        seed: seed of all tables.
        index: number of this table; every fourth plays a preset as it stands.
    """

    def __init__(self, seed: int, index: int) -> None:
        self.name = f"seed {seed}, table {index}"
        self.rng = rng = random.Random(f"{seed}/{index}")
        preset = list(PRESETS.values())[index // 4 % len(PRESETS)]
        self.rules: RuleSet = draw_rules(rng) if index % 4 else preset
        self.episode: Literal["deal", "match"] = rng.choice(("deal", "match"))
        self.game = Game(self.rules, self.episode, seed=rng.getrandbits(32))
        state = self.game.state
        self.fields: dict[str, NDArray[Any]] = {
            name: state[name].reshape(state[name].shape[1:]) for name in _FIELDS
        }
        self.labels = [option_label(o, value) for o, value in self.rules.options.items()]
        self.number = 0
        self.decision = 0
        self.tally = Tally()

    def read(self, name: str) -> Any:
        """A field of the kernels' state: an integer or a list."""
        return self.fields[name].tolist()

    def deck(self) -> list[str]:
        """The pack of the kernels' state."""
        return [card_name(card) for card in self.read("deck")]

    def compare(self, expected: Mapping[str, Any], legal: list[str] | None = None) -> None:
        """Hold the kernels' state, and its legal actions, against the reference.

        Raises:
            AssertionError: naming the deal, the decision, and each field with both its values.
        """
        fields = self.fields
        seen: dict[str, Any] = {name: fields[name].tolist() for name in expected}
        if "excluded" in expected:
            gone = sum(seen["fallen"])
            seen["excluded"] = [cards | gone for cards in seen["excluded"]]
        if legal is not None:
            expected = {**expected, "legal": _set(legal)}
            seen["legal"] = self.game.legal_set()
        if seen == expected:
            return
        self.fail(
            f"{name}: kernels {seen[name]}, reference {value}"
            for name, value in expected.items()
            if seen[name] != value
        )

    def fail(self, differences: Iterable[str]) -> None:
        """Raise an AssertionError that says where the table is."""
        where = f"{self.rules.id}, {self.name}, deal {self.number}, decision {self.decision}"
        raise AssertionError("\n  ".join([where, *differences]))

    def play(self) -> Tally:
        """Play the deals of the table on both sides."""
        match, deal = self.new_episode(), None
        for self.number in range(DEALS_PER_TABLE):
            if match.over:
                match = self.new_episode()
            elif deal is not None:
                self.next_deal(deal)
            deal = Deal(
                self.rules.options,
                match.dealer,
                self.deck(),
                match.carry,
                match.last_deal,
                match.tolerance_used,
            )
            self.play_deal(deal)
            over = self.game.end_deal()
            if self.episode == "deal":
                match.over = True
            else:
                match.add(deal)
                self.compare(expected_match(match))
                self.tally.counts.update(matches=match.over, blocked=bool(match.blocked))
            if over != match.over:
                self.fail([f"end of the episode: kernels {over}, reference {match.over}"])
        return self.tally

    def new_episode(self) -> Match:
        """Start an episode, every other match close to its end."""
        self.game.start()
        match = Match(self.rules.options, self.read("dealer"))
        self.compare(expected_match(match))
        if self.episode == "match" and self.rng.random() < 0.5:
            self.go_near_the_end(match)
        return match

    def go_near_the_end(self, match: Match) -> None:
        """Give a match scores that a deal or a few will end, and all that it may carry by then."""
        rng, target = self.rng, self.rules.target
        match.carry = rng.choice((0, rng.randrange(200)))
        match.tolerance_used = (rng.random() < 0.5, rng.random() < 0.5)
        if target is None:
            assert self.rules.deals_per_party is not None
            match.deals_played = self.rules.deals_per_party - rng.choice((1, 2))
            match.scores = [rng.randrange(500), rng.randrange(500)]
        else:
            match.blocked = {team for team in (0, 1) if rng.random() < 0.2}
            for team in (0, 1):
                # Often at most a belote away, for an end by the belote alone.
                away = rng.choice((rng.randint(1, 20), rng.randint(1, 200)))
                blocked = team in match.blocked
                match.scores[team] = target + away if blocked else max(0, target - away)
        for name, value in expected_match(match).items():
            self.game.state[name] = value

    def next_deal(self, previous: Deal) -> None:
        """Go on in a match; under `dealing: cut` the deck must come of the last one's."""
        self.game.begin_deal()
        if self.rules.dealing != "cut":
            return
        deck = self.deck()
        cuts = [place for place in range(3, 30) if cut_deck(previous, place) == deck]
        if not cuts:
            self.fail([f"{deck} is no cut of the last deal's tricks"])
        self.tally.cuts.update(cuts)

    def play_deal(self, deal: Deal) -> None:
        """Play a deal to its end and compare at each decision."""
        policy = Policy.draw(self.rng)
        self.decision = 0
        while legal := deal.legal():
            self.compare(expected_state(deal), legal)
            if policy.level and len(deal.played) == 31 and deal.phase == "play":
                self.level(deal)
            action = policy.choose(self.rng, deal, legal)
            deal.act(action)
            self.game.step(_ACTIONS[action])
            self.decision += 1
        self.compare(expected_state(deal), legal)
        self.tally.counts.update(deals=1, decisions=self.decision)
        self.tally.options.update(self.labels)
        capot = " (capot)" if 8 in deal.tricks else ""
        self.tally.results[f"{deal.result}{capot}"] += 1

    def level(self, deal: Deal) -> None:
        """Shift trick points between the sides, a card before the end, to a litige if possible."""
        end = copy.deepcopy(deal)
        while legal := end.legal():
            end.act(legal[0])
        terms = [end.points, end.belote, end.annonce_points]
        if self.rules.contract_test == "82_in_tricks":
            terms = [end.points]
        margin = sum(term[0] - term[1] for term in terms)
        shifted = [deal.points[0] - margin // 2, deal.points[1] + margin // 2]
        if margin % 2 == 0 and min(shifted) >= 0 and 8 not in end.tricks:
            deal.points = shifted
            self.game.state["points"] = shifted


def play_table(seed: int, index: int) -> Tally:
    """Play table ``index`` of a seed.

    Raises:
        AssertionError: where the kernels and the reference disagree.
    """
    return Table(seed, index).play()
