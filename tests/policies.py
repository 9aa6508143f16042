"""Ways of playing the reference at random, so that rare auctions and results are met often."""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

from tests.reference import Deal
from tests.reference_rules import card_points


class Policy(NamedTuple):
    """How a deal is played at random.

    Attributes:
        passing: probability of a pass, before any other choice among the calls.
        doubling: probability of a coinche or surcoinche where it is legal, before a pass.
        climbing: whether a bid is one step above the last, so that auctions are long.
        stronger: the seats that play their high cards while the others keep to their low ones (a
            capot), or None for a uniform choice.
        soloist: the seat that alone bids, its longest suit as high as it may (a générale), or None.
        level: whether the points are shifted before the last card to the edge of the contract.
    """

    passing: float
    doubling: float
    climbing: bool
    stronger: frozenset[int] | None
    soloist: int | None
    level: bool

    @classmethod
    def draw(cls, rng: random.Random, deal: Deal) -> Policy:
        """A policy at random for a deal; often with a soloist where a seat holds a long suit."""
        seats = range(deal.players)
        stronger = rng.choice((None, None, frozenset(seats[::2]), frozenset(seats[1::2])))
        (length, _), soloist = max((_longest(deal, seat), seat) for seat in seats)
        if rng.random() < (0.5 if length >= 6 else 0.05):
            stronger = frozenset({soloist})
        else:
            soloist = None
        return cls(
            passing=rng.choice((0, 0.3, 0.6, 0.8)),
            doubling=rng.choice((0, 0.2, 0.5)),
            climbing=rng.random() < 0.8,
            stronger=stronger,
            soloist=soloist,
            level=rng.random() < 0.15,
        )

    def choose(self, rng: random.Random, deal: Deal, legal: list[str]) -> str:
        """What the seat to act does."""
        if deal.phase == "auction":
            return self._call(rng, deal, legal)
        if deal.phase != "play" or self.stronger is None:
            return rng.choice(legal)
        best = max if deal.seat in self.stronger else min
        return best(legal, key=lambda card: _height(deal, card))

    def _call(self, rng: random.Random, deal: Deal, legal: list[str]) -> str:
        bids = [call for call in legal if " " in call]
        if legal[-1] in ("coinche", "surcoinche") and rng.random() < self.doubling:
            return legal[-1]
        if bids and self.soloist is not None:
            return _solo(deal, bids) if deal.seat == self.soloist else "pass"
        if rng.random() < self.passing:
            return "pass"
        if bids and self.climbing:
            return rng.choice(_of_value(bids, bids[0]))
        return rng.choice(legal)


def _of_value(bids: list[str], bid: str) -> list[str]:
    """The bids of the same value as one of them."""
    return [other for other in bids if other.split()[0] == bid.split()[0]]


def _solo(deal: Deal, bids: list[str]) -> str:
    """The highest bid in the longest suit of the seat to act."""
    assert deal.seat is not None
    _, suit = _longest(deal, deal.seat)
    return f"{bids[-1].split()[0]} {suit}"


def _longest(deal: Deal, seat: int) -> tuple[int, str]:
    """How many cards a seat holds in its longest suit, and the suit."""
    held = Counter(card[1] for card in deal.hands[seat])
    return max((count, suit) for suit, count in held.items())


def _height(deal: Deal, card: str) -> tuple[bool, int, str]:
    assert deal.contract is not None
    return card[1] == deal.contract, card_points(deal.options, deal.contract, card), card
