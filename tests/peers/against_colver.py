"""Deals of contrée that this engine and colver play in step, compared at every decision.

``play_deal(seed, index)`` repeats any deal, so deals can be spread over processes.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from agents.peers.colver import CALLS, RULES, ColverDeal
from belote_env.actions import (
    BID,
    BID_CAPOT,
    BID_NAMES,
    COINCHE,
    PASS,
    SURCOINCHE,
    IllegalActionError,
    action_name,
)
from belote_env.cards import BEATS, NUM_CARDS, NUM_CONTRACTS, iter_cards
from belote_env.engine.state import AUCTION, PLAY, RESULTS
from belote_env.game import Game

DIFFERENCES: Final = {
    "surcoinche as first call": (
        "section 9: a surcoinche answers a coinche. colver's legal_actions agree, but its step"
        " begins the play of a contract of value 0"
    ),
    "another illegal call": (
        "section 9: only a higher value overcalls, coinche is said on the other side's bid, and"
        " after it only pass and surcoinche. colver's legal_actions agree, but its step takes any"
    ),
    "an illegal card": "section 3. colver's legal_actions agree, but its step takes any card",
}
"""What colver does otherwise, and the section of the rules by which `Game.step` raises there."""

_DOUBLED: Final = ("", ", coinche", ", surcoinche")
_PASS_RATES: Final = (0.3, 0.6, 0.85)
_ILLEGAL_TRIES: Final = 0.1
"""Share of the decisions after the first at which an illegal action is tried."""


@dataclass
class Tally:
    """What some deals have covered.

    Attributes:
        counts: deals, calls, cards, belotes, and illegal actions tried.
        contracts: deals played, by value of the bid and doubling.
        results: deals by result, capot bids and capots of either side apart.
        differences: what colver did otherwise, by the names of `DIFFERENCES`.
    """

    counts: Counter[str] = field(default_factory=Counter[str])
    contracts: Counter[str] = field(default_factory=Counter[str])
    results: Counter[str] = field(default_factory=Counter[str])
    differences: Counter[str] = field(default_factory=Counter[str])

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        for name, counter in vars(self).items():
            counter.update(getattr(other, name))


class Disagreement(AssertionError):
    """The engines differ where no entry of `DIFFERENCES` says so."""


def play_deal(seed: int, index: int) -> Tally:
    """Play a random deal on both engines.

    Raises:
        Disagreement: at the first difference, with its place and both values.
    """
    table = _Table(seed, index)
    rng = table.rng
    table.compare()
    table.try_illegal(SURCOINCHE)
    pass_rate = rng.choice(_PASS_RATES)
    # In half of the deals one side plays high and the other, which bids less, low: capots.
    high_side = rng.choice((0, 1, -1, -1))
    while not table.game.over:
        if table.state["num_calls"] and rng.random() < _ILLEGAL_TRIES:
            table.try_illegal(_an_illegal_action(table.game, rng))
        if table.state["phase"] == AUCTION:
            shy = high_side == 1 - table.game.seat % 2
            table.step(_a_call(table.game, 0.95 if shy else pass_rate, rng))
        else:
            table.step(_a_card(table.game, high_side, rng))
        table.compare()
    table.enter_result()
    return table.tally


class _Table:
    """One deal on both engines: on colver's once more when the play begins.

    That second deal has no auction of its own but is begun by `ColverDeal.set_contract`.
    """

    def __init__(self, seed: int, index: int) -> None:
        self.rng = random.Random(f"{seed} {index}")
        self.tally = Tally(counts=Counter(deals=1))
        self.game = Game(RULES, seed=0)
        self.game.start_from(self.rng.sample(range(NUM_CARDS), NUM_CARDS), self.rng.randrange(4))
        self._hands = [list(iter_cards(int(hand))) for hand in self.state["hands"]]
        self._deals = [ColverDeal(self._hands, int(self.state["dealer"]))]
        self._name = f"seed {seed}, deal {index}"

    @property
    def state(self) -> Any:
        """The state of this engine's deal."""
        return self.game.state[0]

    def compare(self) -> None:
        """Demand that the engines show the same."""
        ours = _shown_by_us(self.game)
        for way, deal in zip(("its auction", "set_contract"), self._deals, strict=False):
            for what, theirs in _shown_by_colver(deal).items():
                if ours[what] != theirs:
                    self._disagree(f"{what}: {ours[what]}, colver after {way} {theirs}")

    def step(self, action: int) -> None:
        """Apply a legal action."""
        self.tally.counts["calls" if self.state["phase"] == AUCTION else "cards"] += 1
        self.game.step(action)
        for deal in self._deals:
            deal.step(action)
        if self.state["phase"] == PLAY and len(self._deals) == 1:
            self._begin_play()

    def _begin_play(self) -> None:
        state = self.state
        value, doubled = int(state["bid"]) - 1, int(state["doubled"])
        self.tally.contracts[f"{BID_NAMES[value]}{_DOUBLED[doubled]}"] += 1
        deal = ColverDeal(self._hands, int(state["dealer"]))
        bid = BID + NUM_CONTRACTS * value + int(state["contract"])
        deal.set_contract(bid, int(state["taker"]), doubled)
        self._deals.append(deal)

    def try_illegal(self, action: int) -> None:
        """Demand that this engine refuses an action; count what colver does."""
        self.tally.counts["illegal actions tried"] += 1
        before = self.game.clone()
        try:
            self.game.step(action)
        except IllegalActionError:
            if self.game.clone() != before:
                self._disagree(f"the refused {action_name(action)} has changed the game")
        else:
            self._disagree(f"{action_name(action)} is illegal but was taken")
        if self._deals[0].takes(action):
            if action < NUM_CARDS:
                name = "an illegal card"
            elif action == SURCOINCHE and not self.state["num_calls"]:
                name = "surcoinche as first call"
            else:
                name = "another illegal call"
            self.tally.differences[name] += 1

    def enter_result(self) -> None:
        """Count what the deal came to."""
        bid = "capot bid: " if self.state["bid"] == BID_CAPOT + 1 else ""
        capot = " (capot)" if 8 in self.state["tricks"] else ""
        self.tally.results[f"{bid}{RESULTS[self.state['result']]}{capot}"] += 1
        self.tally.counts["belotes"] += int(self.state["rebelote_said"].any())

    def _disagree(self, what: str) -> None:
        calls, cards = self.state["num_calls"], self.state["num_played"]
        raise Disagreement(f"{self._name}, after {calls} calls and {cards} cards: {what}")


def _shown_by_us(game: Game) -> dict[str, Any]:
    state = game.state[0]
    words = (state["belote_said"] > 0).astype(int) + (state["rebelote_said"] > 0)
    shown = {
        "seat": game.seat,
        "legal actions": game.legal_actions(),
        "trick points": tuple(state["points"].tolist()),
        "tricks": tuple(state["tricks"].tolist()),
        "words of belote": (int(words[0::2].max()), int(words[1::2].max())),
    }
    return shown | ({"marks": tuple(state["marks"].tolist())} if game.over else {})


def _shown_by_colver(deal: ColverDeal) -> dict[str, Any]:
    shown = {
        "seat": deal.seat,
        "legal actions": deal.legal_actions(),
        "trick points": deal.points,
        "tricks": deal.tricks,
        "words of belote": deal.belote_words,
    }
    return shown | ({"marks": deal.marks} if deal.over else {})


def _an_illegal_action(game: Game, rng: random.Random) -> int:
    actions = CALLS if game.state["phase"][0] == AUCTION else range(NUM_CARDS)
    return rng.choice(sorted(set(actions).difference(game.legal_actions())))


def _a_call(game: Game, pass_rate: float, rng: random.Random) -> int:
    """Pass at a rate; else double at times, or bid, mostly one of the next values."""
    legal = game.legal_actions()
    doubling = [action for action in (COINCHE, SURCOINCHE) if action in legal]
    if doubling and rng.random() < 0.3:
        return doubling[0]
    bids = [action for action in legal if BID <= action < COINCHE]
    if not bids or rng.random() < pass_rate:
        return PASS
    near = int(rng.expovariate(0.1))
    return bids[near] if near < len(bids) else rng.choice(bids)


def _a_card(game: Game, high_side: int, rng: random.Random) -> int:
    """A random card; where a side plays high, it and the other side choose by strength."""
    cards = game.legal_actions()
    if high_side < 0:
        return rng.choice(cards)
    contract = int(game.state["contract"][0])
    beaten_by = [int(BEATS[contract, card]).bit_count() for card in cards]
    strongest = beaten_by.index(min(beaten_by) if game.seat % 2 == high_side else max(beaten_by))
    return cards[strongest]
