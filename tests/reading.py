"""A slow reading of a state: every slice of what a seat sees, in the words of the schema."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from belote_env import observation
from belote_env.actions import BID_NAMES, action_name
from belote_env.cards import CONTRACTS, SUITS, card_name, iter_cards
from belote_env.engine.options import OPTION_FLAGS
from belote_env.engine.state import AUCTION, OVER, SAY_BELOTE, SAY_REBELOTE, SPEECH
from belote_env.rules import RuleSet
from tests.reference_rules import PLAIN_HEIGHT, TRUMP_HEIGHT, trick_winner

NUMBERS = ("points", "carry", "scores", "target", "annonce_points", "bid_worth")
"""Slices that hold numbers of two bytes each."""
TURNED = {"turn_up": 20, "two_player": 12}
"""Place of the turned card in the pack."""
WORDS_OF_CALLS = ("pass", "coinche", "surcoinche")


class Reading:
    """A state as one seat reads it: card ids, seats counted from its own, sides own first.

    Args:
        state: one record.
        seat: the seat.
        order: suit in each slot.
        form: form of the observation.
    """

    def __init__(
        self, rules: RuleSet, state: Any, seat: int, order: Sequence[int], form: str = "flat"
    ) -> None:
        self.rules, self.state, self.seat, self.order = rules, state, seat, list(order)
        self.universal = form == "universal"
        self.num_seats = 2 if rules.family == "two_player" else 4
        # Of two players, the seats that nobody sits at come last.
        around = [(seat + k) % self.num_seats for k in range(self.num_seats)]
        self.seats = around + [s for s in range(4) if s not in around]
        self.sides = [seat % 2, 1 - seat % 2]
        self.cards = [8 * suit + rank for suit in order for rank in range(8)]
        place = state["place"].tolist()
        self.played = sorted((card for card in range(32) if place[card]), key=place.__getitem__)
        self.contract = CONTRACTS[state["contract"]] if state["contract"] >= 0 else None
        self.hand = self.cards_of("hands", seat)
        self.in_trick = self.played[len(self.played) - len(self.played) % self.num_seats :]

    def cards_of(self, field: str, seat: int) -> set[int]:
        return set(iter_cards(int(self.state[field][seat])))

    def flags(self, cards: Iterable[int]) -> list[bool]:
        """Flags of cards, by slot of their suit and rank."""
        cards = set(cards)
        return [card in cards for card in self.cards]

    def suit_flags(self, suits: int) -> list[int]:
        return [suits >> suit & 1 for suit in self.order]

    def contract_column(self, name: str) -> int:
        return self.order.index(SUITS.index(name)) if name in SUITS else CONTRACTS.index(name)

    def height(self, card: int) -> int:
        """Height of a card within its suit."""
        rank, suit = card_name(card)
        return (TRUMP_HEIGHT if self.contract in (suit, "TA") else PLAIN_HEIGHT)[rank]

    def by_side(self, field: str) -> list[int]:
        return [int(self.state[field][side]) for side in self.sides]

    # The slices, by name

    def slice_hand(self) -> Any:
        return self.flags(self.hand)

    def slice_turned(self) -> Any:
        if self.rules.family == "auction":
            return self.flags([])
        return self.flags([int(self.state["deck"][TURNED[self.rules.family]])])

    def slice_masters(self) -> Any:
        unseen = set(range(32)) - self.hand - set(self.played)
        return self.flags(
            card
            for card in self.hand
            if self.contract
            and all(self.height(u) < self.height(card) for u in unseen if u // 8 == card // 8)
        )

    def slice_winning(self) -> Any:
        trick = [card_name(card) for card in self.in_trick]
        return self.flags(
            card
            for card in self.hand
            if trick
            and self.contract
            and trick_winner(self.contract, [*trick, card_name(card)]) == len(trick)
        )

    def slice_trick(self) -> Any:
        return [self.flags(self.cards_of("fallen", s) & set(self.in_trick)) for s in self.seats[1:]]

    def slice_played(self) -> Any:
        return [self.flags(self.cards_of("fallen", s)) for s in self.seats]

    def slice_excluded(self) -> Any:
        seen = self.hand | set(self.played)
        return [self.flags(self.cards_of("excluded", s) - seen) for s in self.seats[1:]]

    def slice_trick_number(self) -> Any:
        tricks = {card: i // self.num_seats + 1 for i, card in enumerate(self.played)}
        return [tricks.get(card, 0) for card in self.cards]

    def slice_void(self) -> Any:
        suits = [set(range(8 * suit, 8 * suit + 8)) for suit in self.order]
        return [[suit <= self.cards_of("excluded", s) for suit in suits] for s in self.seats]

    def slice_belote(self) -> Any:
        return [self.suit_flags(int(self.state["belote_said"][s])) for s in self.seats]

    def slice_rebelote(self) -> Any:
        return [self.suit_flags(int(self.state["rebelote_said"][s])) for s in self.seats]

    def slice_dealer(self) -> Any:
        return [s == self.state["dealer"] for s in self.seats]

    def slice_taker(self) -> Any:
        return [s == self.state["taker"] for s in self.seats]

    def slice_contract(self) -> Any:
        column = self.contract_column(self.contract) if self.contract else None
        return [k == column for k in range(6)]

    def slice_tolerance(self) -> Any:
        return self.by_side("tolerance_used")

    def slice_phase(self) -> Any:
        phase, speech = self.state["phase"], int(self.state["speech"])
        if phase == AUCTION:
            two_rounds = self.rules.family != "auction"
            column = int(two_rounds and self.state["num_calls"] >= self.num_seats)
        elif phase == OVER:
            column = 6
        elif phase == SPEECH and self.state["seat"] == self.seat:
            question = speech & -speech
            column = {SAY_BELOTE: 3, SAY_REBELOTE: 4}.get(question, 5)
        else:
            column = 2  # what another seat is asked to say is hidden
        return [k == column for k in range(7)]

    def slice_deals_played(self) -> Any:
        return [min(255, int(self.state["deals_played"]))]

    def slice_tricks(self) -> Any:
        return self.by_side("tricks")

    def slice_points(self) -> Any:
        return self.by_side("points")

    def slice_carry(self) -> Any:
        return int(self.state["carry"])

    def slice_scores(self) -> Any:
        return [min(4095, score) for score in self.by_side("scores")]

    def slice_target(self) -> Any:
        return min(4095, self.rules.target or 0)

    def slice_blocked(self) -> Any:
        return self.by_side("blocked")

    def slice_bid(self) -> Any:
        return [k + 1 == self.state["bid"] for k in range(11)]

    def slice_doubled(self) -> Any:
        return [k + 1 == self.state["doubled"] for k in range(2)]

    def slice_taker_tricks(self) -> Any:
        return [int(self.state["taker_tricks"])]

    def slice_bid_worth(self) -> Any:
        bid = int(self.state["bid"])
        if bid == 0:
            return 0
        capot = 500 if self.rules.capot_bid == "flat_500" else self.rules.capot_bid
        return {"capot": capot, "generale": 500}.get(BID_NAMES[bid - 1]) or 70 + 10 * bid

    def slice_calls(self) -> Any:
        length = 17 if self.rules.sa_ta else 2 * self.num_seats
        if self.rules.family == "auction":
            length = 40 if self.rules.generale else 37
        rows = [[0] * 8 for _ in range(40 if self.universal else length)]
        for i in range(self.state["num_calls"]):
            name = action_name(int(self.state["calls"][i]))
            if name in WORDS_OF_CALLS:
                rows[i][6] = 1 + WORDS_OF_CALLS.index(name)
            else:
                *bid, contract = name.split()
                rows[i][self.contract_column(contract)] = 1 + BID_NAMES.index(bid[0]) if bid else 1
            rows[i][7] = int((self.state["dealer"] + 1 + i) % 2 == self.seat % 2)
        return rows

    def slice_annonces_said(self) -> Any:
        said = [int(self.state["annonces_said"][s]) for s in self.seats]
        return [[kinds // 4**kind % 4 for kind in range(4)] for kinds in said]

    def slice_annonces_shown(self) -> Any:
        return [self.flags(self.cards_of("shown", s)) for s in self.seats]

    def slice_annonce_side(self) -> Any:
        team = int(self.state["annonce_team"])
        column = 0
        if len(self.played) > 4:
            column = 3 if team < 0 else 1 + self.sides.index(team)
        return [k == column for k in range(4)]

    def slice_annonce_points(self) -> Any:
        return self.by_side("annonce_points")

    def slice_options(self) -> Any:
        flags = [getattr(self.rules, option) == value for option, value in OPTION_FLAGS]
        return flags + [False] * (79 - len(flags))

    def slice_deals_per_party(self) -> Any:
        return [self.rules.deals_per_party or 0]

    def slice_other_hands(self) -> Any:
        return [self.flags(self.cards_of("hands", s)) for s in self.seats[1:]]

    def slice_stock(self) -> Any:
        """What is in no hand and was not played, the turned card aside, in dealing order."""
        dealt = set(self.played).union(*(self.cards_of("hands", s) for s in range(4)))
        deck = self.state["deck"].tolist()
        stock = [card for card in deck if card not in dealt]
        if self.state["phase"] == OVER:
            stock = []
        elif self.state["phase"] == AUCTION:
            stock = stock[1:]
        return [stock.index(card) + 1 if card in stock else 0 for card in self.cards]


def assert_decodes(
    vector: NDArray[np.uint8], slices: tuple[observation.Slice, ...], reading: Reading
) -> None:
    """Hold every slice of a vector but the events against a reading.

    Raises:
        AssertionError: naming the slice, with what the vector and what the state says.
    """
    for name, view in observation.views(vector, slices).items():
        if name == "events":  # `tests.test_history` reads them
            continue
        decoded = observation.number(view) if name in NUMBERS else view
        expected = getattr(reading, f"slice_{name}")()
        assert np.array_equal(decoded, expected), (name, decoded, expected)
