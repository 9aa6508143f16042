"""A deal as one seat has seen it, read back from the seat's observation.

The public engines keep a game of their own.  An adapter makes it anew for every decision from what
the seat has seen, so nothing that is hidden from the seat ever reaches it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import BID, COINCHE, PASS, SURCOINCHE, TAKE
from belote_env.cards import CONTRACTS, NUM_CONTRACTS, NUM_SEATS, card_name
from belote_env.observation import number, schema, total_size, views
from belote_env.referee import trick_winner
from belote_env.rules import RuleSet


@dataclass(frozen=True)
class SeenDeal:
    """What a seat knows.  Seats are counted from it: 0 is itself, 1 the next to play.

    Attributes:
        hand: cards that the seat holds.
        dealer: seat of the dealer.
        turned: the turned card; None where none is turned.
        calls: action ids of the calls, from the seat next to the dealer on.
        contract: contract so far, -1 while nobody has taken.
        taker: seat of the taker, -1 while nobody has taken.
        plays: seat and card of each card played, in the order played.
        excluded: unseen cards that each seat is proven not to hold.
        scores: marks of the own and the other side in this match.
    """

    hand: tuple[int, ...]
    dealer: int
    turned: int | None
    calls: tuple[int, ...]
    contract: int
    taker: int
    plays: tuple[tuple[int, int], ...]
    excluded: tuple[frozenset[int], ...]
    scores: tuple[int, int]

    @property
    def dealt(self) -> tuple[int, ...]:
        """Cards that the seat holds or has played."""
        return (*self.hand, *self.played_by(0))

    def played_by(self, seat: int) -> tuple[int, ...]:
        """Cards that a seat has played, in order."""
        return tuple(card for player, card in self.plays if player == seat)


def seen_deal(rules: RuleSet, observation: NDArray[np.uint8]) -> SeenDeal:
    """Read an observation without canonical suits.

    Args:
        rules: the rule set played.
        observation: uint8 [D].

    Raises:
        ValueError: if the observation has another length than those of the rule set.
    """
    slices = schema(rules)
    if observation.shape != (total_size(slices),):
        raise ValueError(
            f"observation: rules {rules.id!r} give one of shape ({total_size(slices)},), got"
            f" {observation.shape}"
        )
    seen = views(observation, slices)
    dealer = int(seen["dealer"].argmax())
    contract = _only(seen["contract"])
    return SeenDeal(
        hand=_cards(seen["hand"]),
        dealer=dealer,
        turned=_only(seen["turned"]) if "turned" in seen else None,
        calls=tuple(_call(rules, row) for row in seen["calls"] if row.any()),
        contract=contract,
        taker=_only(seen["taker"]),
        plays=_plays(rules, contract, dealer, seen["played"], seen["trick_number"]),
        excluded=(frozenset(), *(frozenset(_cards(flags)) for flags in seen["excluded"])),
        scores=(int(number(seen["scores"][0])), int(number(seen["scores"][1]))),
    )


def _cards(flags: NDArray[np.uint8]) -> tuple[int, ...]:
    return tuple(flags.nonzero()[0].tolist())


def _only(flags: NDArray[np.uint8]) -> int:
    """The place of the flag that is set, or -1."""
    return int(flags.argmax()) if flags.any() else -1


def _call(rules: RuleSet, row: NDArray[np.uint8]) -> int:
    """Action id of a call written as its value by contract, or as pass, coinche or surcoinche."""
    value, column = int(row[:NUM_CONTRACTS].max()), int(row[:NUM_CONTRACTS].argmax())
    if not value:
        return (PASS, COINCHE, SURCOINCHE)[row[NUM_CONTRACTS] - 1]
    if rules.family != "auction":
        return TAKE + column
    return BID + NUM_CONTRACTS * (value - 1) + column


def _plays(
    rules: RuleSet,
    contract: int,
    dealer: int,
    played: NDArray[np.uint8],
    trick_number: NDArray[np.uint8],
) -> tuple[tuple[int, int], ...]:
    """Seat and card of each card played: a trick's winner leads the next."""
    plays: list[tuple[int, int]] = []
    leader = (dealer + 1) % NUM_SEATS
    for trick in range(1, int(trick_number.max()) + 1):
        cards = {int(played[:, card].argmax()): card for card in _cards(trick_number == trick)}
        order = [(leader + k) % NUM_SEATS for k in range(len(cards))]
        plays += [(seat, cards[seat]) for seat in order]
        if len(cards) == NUM_SEATS:
            names = [card_name(cards[seat]) for seat in order]
            leader = order[trick_winner(rules, CONTRACTS[contract], names)]
    return tuple(plays)
