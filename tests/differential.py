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
from itertools import product
from typing import Any, Final, Literal

from numpy.typing import NDArray

from belote_env.actions import NUM_ACTIONS, action_name
from belote_env.cards import CONTRACTS, SUITS, card_name
from belote_env.engine.state import ANNONCE_KINDS, CALLS_ROOM, NO_CARD, RESULTS, STATE_DTYPE
from belote_env.game import Game
from belote_env.rules import INTEGER_OPTIONS, PRESETS, RuleSet
from tests.drawn_rules import draw_rules
from tests.policies import Policy
from tests.reference import PACKETS, Deal, Match, cut_deck
from tests.reference_rules import BIDS, CARDS, trick_winner

DEALS_PER_TABLE: Final = 20

_ACTIONS: Final = {action_name(action): action for action in range(NUM_ACTIONS)}
_BITS: Final = {name: 1 << action for name, action in _ACTIONS.items()}
_CONTRACTS: Final = {"": -1} | {name: contract for contract, name in enumerate(CONTRACTS)}
_PHASES: Final = ("auction", "play", "speech", "over")
_DOUBLED: Final = {"coinche": 1, "surcoinche": 2}
_PRESETS: Final = [
    rules.replace(announce=announce)
    for rules, announce in product(PRESETS.values(), ("auto", "choice"))
]
_FIELDS: Final = STATE_DTYPE.names or ()


@dataclass
class Tally:
    """What the tables have covered.

    Attributes:
        counts: deals, decisions, matches that came to their end, and deals that left a side
            blocked.
        options: deals under each value of each option, by ``option=value``.
        results: deals by result, capots of either side apart.
        bids: deals of the auction family by bid, doubling and result.
        calls: auctions with bids by how many calls they had.
        cuts: decks by the place at which they were cut.
    """

    counts: Counter[str] = field(default_factory=Counter[str])
    options: Counter[str] = field(default_factory=Counter[str])
    results: Counter[str] = field(default_factory=Counter[str])
    bids: Counter[str] = field(default_factory=Counter[str])
    calls: Counter[int] = field(default_factory=Counter[int])
    cuts: Counter[int] = field(default_factory=Counter[int])

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.counts.update(other.counts)
        self.options.update(other.options)
        self.results.update(other.results)
        self.bids.update(other.bids)
        self.calls.update(other.calls)
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


def _by_seat(values: Iterable[Any], nobody: Any = 0) -> list[Any]:
    """Values of the seats; two players leave the last two places empty."""
    values = list(values)
    return values + [nobody] * (4 - len(values))


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
    words = [call for call in calls if call != "pass"]
    offers = [call for call in deal.calls if call[1] not in ("pass", "coinche", "surcoinche")]
    taker, offer = offers[-1] if offers else (-1, "")
    bid, _, contract = offer.rpartition(" ")
    fallen = [0, 0, 0, 0]
    place = [0] * 32
    for number, (seat, card) in enumerate(deal.played, 1):
        fallen[seat] |= _BITS[card]
        place[_ACTIONS[card]] = number
    gone = sum(fallen)
    expected = {
        "phase": _PHASES.index(deal.phase),
        "seat": -1 if deal.seat is None else deal.seat,
        "dealer": deal.dealer,
        "contract": _CONTRACTS[contract],
        "taker": taker,
        "bid": BIDS.index(bid) + 1 if bid else 0,
        "doubled": _DOUBLED.get(words[-1], 0) if words else 0,
        "hands": _by_seat(map(_set, deal.hands)),
        "fallen": fallen,
        "excluded": _by_seat((_set(excluded) | gone for excluded in deal.excluded), gone),
        "shown": _by_seat(map(_set, deal.annonce_shown)),
        "calls": _ids(calls, CALLS_ROOM),
        "num_calls": len(calls),
        "passes": next((n for n, call in enumerate(calls[::-1]) if call != "pass"), len(calls)),
        "place": place,
        "num_played": len(deal.played),
        "points": deal.points,
        "tricks": deal.tricks,
        "taker_tricks": deal.taker_tricks,
        "belote_said": _said(deal, "belote"),
        "rebelote_said": _said(deal, "rebelote"),
        "annonces_said": _by_seat(map(_kinds, deal.annonces_said)),
        "annonce_team": -1 if deal.annonce_team is None else deal.annonce_team,
        "annonce_points": deal.annonce_points,
        "result": RESULTS.index(deal.result or "unfinished"),
        "marks": list(deal.marks),
        "carry": deal.next_carry,
        "tolerance_used": [int(used) for used in deal.tolerance_used],
    }
    trick = deal.trick
    on_table = dict(deal.played[len(deal.played) - len(trick) :])
    expected["trick"] = [_ACTIONS[on_table[s]] if s in on_table else NO_CARD for s in range(4)]
    if trick and deal.contract is not None:
        holder = trick_winner(deal.contract, trick)
        expected["best_card"] = _ACTIONS[trick[holder]]
        expected["best_seat"] = list(on_table)[holder]
        expected["led"] = SUITS.index(trick[0][1])
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


def stacked_deck(rng: random.Random, rules: RuleSet) -> list[str]:
    """A pack that deals long suits, or many cards of a rank, but for a few exchanges."""
    cards = sorted(CARDS, key=lambda card: card[0]) if rng.random() < 0.3 else list(CARDS)
    for _ in range(rng.randrange(8)):
        i, j = rng.sample(range(32), 2)
        cards[i], cards[j] = cards[j], cards[i]
    packets = PACKETS[rules.family]
    size, start = sum(packets), 0
    deck: list[str] = []
    for packet in packets:
        for seat in range(rules.num_seats):
            first = size * seat + start
            deck += cards[first : first + packet]
        start += packet
    return deck + cards[len(deck) :]


# Playing -------------------------------------------------------------------------------------


class Table:
    """One rule set, in the kernels and in the reference, and the random choices around it.

    Args:
        seed: seed of all tables.
        index: number of this table; every fourth plays a preset, with either way to announce.
    """

    def __init__(self, seed: int, index: int) -> None:
        self.name = f"seed {seed}, table {index}"
        self.rng = rng = random.Random(f"{seed}/{index}")
        preset = _PRESETS[index // 4 % len(_PRESETS)]
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
        """Start an episode: every other match close to its end, one deal in five of long suits."""
        self.game.start()
        if self.episode == "deal" and self.rng.random() < 0.2:
            deck = stacked_deck(self.rng, self.rules)
            self.game.start_from([_ACTIONS[card] for card in deck], self.read("dealer"))
        match = Match(self.rules.options, self.read("dealer"))
        self.compare(expected_match(match))
        if self.episode == "match" and self.rng.random() < 0.5:
            self.go_near_the_end(match)
        return match

    def go_near_the_end(self, match: Match) -> None:
        """Give a match scores that a deal or a few will end, and all that it may carry by then."""
        rng, target = self.rng, self.rules.target
        if self.rules.family != "auction":  # it knows no litige
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
        policy = Policy.draw(self.rng, deal)
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
        self.count(deal)

    def count(self, deal: Deal) -> None:
        """Enter a finished deal in the tally."""
        tally = self.tally
        tally.counts.update(deals=1, decisions=self.decision)
        tally.options.update(self.labels)
        capot = "" if deal.capot_by is None else " (capot)"
        tally.results[f"{deal.result}{capot}"] += 1
        if self.rules.family == "auction":
            tally.calls[len(deal.calls)] += 1
        if deal.bid is not None:
            made = "chute" if deal.result == "chute" else "made"
            tally.bids[f"{deal.bid} {deal.doubled or 'plain'} {made}"] += 1

    def level(self, deal: Deal) -> None:
        """Shift trick points between the sides, a card before the end, to where the test turns."""
        end = copy.deepcopy(deal)
        while legal := end.legal():
            end.act(legal[0])
        if end.capot_by is not None:
            return
        assert deal.taker is not None
        takers = deal.taker % 2
        terms = [end.points, end.belote, end.annonce_points]
        if self.rules.contract_test == "82_in_tricks":
            terms = [end.points]
        total = sum(term[takers] for term in terms)
        margin = total - sum(term[1 - takers] for term in terms)
        surplus = [margin // 2] if margin % 2 == 0 else []  # over a tie
        if deal.bid is not None and deal.bid.isdecimal():
            surplus += [total - int(deal.bid), total - int(deal.bid) + 1]  # over the bid, or short
        if not surplus:
            return
        shifted = list(deal.points)
        less = self.rng.choice(surplus)
        shifted[takers] -= less
        shifted[1 - takers] += less
        if min(shifted) >= 0:
            deal.points = shifted
            self.game.state["points"] = shifted


def play_table(seed: int, index: int) -> Tally:
    """Play table ``index`` of a seed.

    Raises:
        AssertionError: where the kernels and the reference disagree.
    """
    return Table(seed, index).play()
