"""Every slice of a vector, decoded and held against a slow reading of the state."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from belote_env import observation
from belote_env.cards import CONTRACTS, SUITS, card_name, iter_cards
from belote_env.engine import encoding
from belote_env.engine.jit import from_python
from belote_env.engine.state import (
    AUCTION,
    OVER,
    SAY_BELOTE,
    SAY_REBELOTE,
    SPEECH,
)
from belote_env.rules import PRESETS, RuleSet, resolve
from tests.observing import observe_all, observe_everything
from tests.property.strategies import Line, lines, rule_sets, whole_deals
from tests.reference import PLAIN_HEIGHT, TRUMP_HEIGHT, trick_winner

suit_order = from_python(encoding.suit_order)

NUMBERS = ("points", "carry", "scores", "target", "annonce_points")
"""Slices that hold numbers of two bytes each."""


class Reading:
    """A state as one seat reads it: card ids, seats counted from its own, sides own first.

    Args:
        state: one record.
        seat: the seat.
        order: suit in each slot.
    """

    def __init__(self, rules: RuleSet, state: Any, seat: int, order: Sequence[int]) -> None:
        self.rules, self.state, self.seat, self.order = rules, state, seat, list(order)
        self.seats = [(seat + k) % 4 for k in range(4)]
        self.sides = [seat % 2, 1 - seat % 2]
        self.cards = [8 * suit + rank for suit in order for rank in range(8)]
        self.played: list[int] = state["played"][: state["num_played"]].tolist()
        self.players = [(int(state["leaders"][i // 4]) + i) % 4 for i in range(len(self.played))]
        self.contract = CONTRACTS[state["contract"]] if state["contract"] >= 0 else None
        self.hand = set(iter_cards(int(state["hands"][seat])))
        self.in_trick = len(self.played) % 4

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
        return self.flags([int(self.state["deck"][20])])

    def slice_masters(self) -> Any:
        unseen = set(range(32)) - self.hand - set(self.played)
        return self.flags(
            card
            for card in self.hand
            if self.contract
            and all(self.height(u) < self.height(card) for u in unseen if u // 8 == card // 8)
        )

    def slice_winning(self) -> Any:
        trick = [card_name(card) for card in self.played[len(self.played) - self.in_trick :]]
        return self.flags(
            card
            for card in self.hand
            if trick
            and self.contract
            and trick_winner(self.contract, [*trick, card_name(card)]) == len(trick)
        )

    def slice_trick(self) -> Any:
        start = len(self.played) - self.in_trick
        trick = dict(zip(self.players[start:], self.played[start:], strict=True))
        return [self.flags([trick[s]] if s in trick else []) for s in self.seats[1:]]

    def slice_played(self) -> Any:
        plays = list(zip(self.players, self.played, strict=True))
        return [self.flags(card for player, card in plays if player == s) for s in self.seats]

    def slice_excluded(self) -> Any:
        seen = self.hand | set(self.played)
        return [self.flags(self.cards_of("excluded", s) - seen) for s in self.seats[1:]]

    def slice_trick_number(self) -> Any:
        tricks = {card: i // 4 + 1 for i, card in enumerate(self.played)}
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
            column = 0 if self.state["num_calls"] < 4 else 1
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

    def slice_calls(self) -> Any:
        rows = [[0] * 8 for _ in range(17 if self.rules.sa_ta else 8)]
        for i in range(self.state["num_calls"]):
            take = int(self.state["calls"][i]) - 33
            column = 6 if take < 0 else self.contract_column(CONTRACTS[take])
            rows[i][column] = 1
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

    def slice_other_hands(self) -> Any:
        return [self.flags(self.cards_of("hands", s)) for s in self.seats[1:]]

    def slice_stock(self) -> Any:
        deck = self.state["deck"].tolist()
        stock = deck[21:] if self.state["phase"] == AUCTION else []
        return [stock.index(card) + 1 if card in stock else 0 for card in self.cards]


def assert_decodes(
    vector: NDArray[np.uint8], slices: tuple[observation.Slice, ...], reading: Reading
) -> None:
    for name, view in observation.views(vector, slices).items():
        decoded = observation.number(view) if name in NUMBERS else view
        expected = getattr(reading, f"slice_{name}")()
        assert np.array_equal(decoded, expected), (name, decoded, expected)


def some_states(rng: random.Random, line: Line) -> NDArray[Any]:
    """States of a line, each with a standing of the match of its own."""
    states = line.states()
    states = states[rng.sample(range(len(states)), min(len(states), 6))]
    for state in states:
        for field, most in (("scores", 5000), ("blocked", 1), ("tolerance_used", 1)):
            state[field] = [rng.randint(0, most), rng.randint(0, most)]
        state["carry"] = rng.randint(0, 500)
        state["deals_played"] = rng.randint(0, 300)
    return states


# Decoding ------------------------------------------------------------------------------------


@pytest.mark.parametrize("canonical", [False, True])
@given(line=whole_deals(), rng=st.randoms(use_true_random=False))
def test_every_slice_says_what_the_state_says(line: Line, rng: random.Random, canonical: bool):
    rules, slices = line.rules, observation.schema(line.rules)
    states = some_states(rng, line)

    obs, mask = observe_all(rules, states, canonical)

    low, high = observation.bounds(slices)
    assert np.all(obs >= low)
    assert np.all(obs <= high)
    for i, state in enumerate(states):
        for seat in range(4):
            order = suit_order(state, seat) if canonical else range(4)
            assert_decodes(obs[i, seat], slices, Reading(rules, state, seat, order))
            assert mask[i, seat].any() == (state["seat"] == seat)


@pytest.mark.parametrize("canonical", [False, True])
@given(line=whole_deals(), rng=st.randoms(use_true_random=False))
def test_the_full_vector_is_the_observation_and_what_it_hides(
    line: Line, rng: random.Random, canonical: bool
):
    rules, slices = line.rules, observation.state_schema(line.rules)
    states = some_states(rng, line)

    full = observe_everything(rules, states, canonical)

    obs, _ = observe_all(rules, states, canonical)
    low, high = observation.bounds(slices)
    assert np.all((low <= full) & (full <= high))
    for i, state in enumerate(states):
        seat = max(int(state["seat"]), 0)
        np.testing.assert_array_equal(full[i, : obs.shape[2]], obs[i, seat])
        order = suit_order(state, seat) if canonical else range(4)
        assert_decodes(full[i], slices, Reading(rules, state, seat, order))


@given(lines())
def test_the_first_canonical_suit_is_the_trump_or_turned_suit(line: Line):
    for state in line.states():
        contract = int(state["contract"])
        first = int(state["deck"][20]) // 8
        if state["phase"] != AUCTION and contract >= 0:
            first = contract
        for seat in range(4):
            order = list(suit_order(state, seat))
            assert sorted(order) == [0, 1, 2, 3]
            assert first >= 4 or order[0] == first


@given(lines())
def test_the_four_hands_are_disjoint_and_hold_all_cards_in_play(line: Line):
    states = line.states()
    obs, _ = observe_all(line.rules, states)
    views = observation.views(obs, observation.schema(line.rules))

    cards = views["hand"].sum(axis=1) + views["played"][:, 0].sum(axis=1)

    assert cards.max() == 1
    played = (states["phase"] != AUCTION) & (states["contract"] >= 0)
    np.testing.assert_array_equal(cards.sum(axis=1), np.where(played, 32, 20))


# The schema ----------------------------------------------------------------------------------


@given(rule_sets)
def test_slices_follow_one_another_and_fill_whole_words(rules: RuleSet):
    for slices in (observation.schema(rules), observation.state_schema(rules)):
        ends = np.cumsum([part.size for part in slices])
        assert [part.offset for part in slices] == [0, *ends[:-1]]
        assert observation.total_size(slices) == ends[-1]
        assert ends[-1] % 8 == 0
        assert len({part.name for part in slices}) == len(slices)
        for part in slices:
            assert 0 <= part.low < part.high <= 255
            assert part.meaning.endswith(".")


@given(rule_sets)
def test_the_full_vector_begins_with_the_observation(rules: RuleSet):
    slices = observation.schema(rules)

    assert observation.state_schema(rules)[: len(slices)] == slices


@given(rule_sets)
def test_only_annonces_and_the_auction_change_the_schema(rules: RuleSet):
    same = RuleSet(annonces=rules.annonces, sa_ta=rules.sa_ta)

    assert observation.schema(rules) == observation.schema(same)


def test_the_size_of_the_vectors_never_changes_unnoticed():
    sizes = {
        name: (
            observation.total_size(observation.schema(name)),
            observation.total_size(observation.state_schema(name)),
        )
        for name in PRESETS
    }

    assert observation.VERSION == 1
    assert sizes == {
        "classic": (632, 760),
        "classic_annonces": (784, 912),
        "sans_tout_atout": (856, 984),
        "club_501": (632, 760),
        "concours": (632, 760),
    }


def test_views_have_the_shapes_of_the_schema_and_copy_nothing():
    slices = observation.schema("classic")
    batch = np.zeros((5, 3, observation.total_size(slices)), np.uint8)

    views = observation.views(batch, slices)

    assert {name: view.shape for name, view in views.items()} == {
        part.name: (5, 3, *part.shape) for part in slices
    }
    for view in views.values():
        view[...] += 1
    assert np.all(batch == 1)


def test_numbers_are_sixteens_and_ones():
    pairs = np.array([[[0, 0], [62, 8]], [[255, 15], [0, 15]]], np.uint8)

    assert observation.number(pairs).tolist() == [[0, 1000], [4095, 15]]


def test_schemas_are_found_by_rule_set_and_by_id():
    rules = resolve("sans_tout_atout+undertrump=may_discard")

    assert observation.schema(rules) is observation.schema(rules.id)
    with pytest.raises(ValueError, match="unknown rule set"):
        observation.schema("nothing")
