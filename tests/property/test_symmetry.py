"""The game knows neither seats nor suits by name: rotated and relabelled games are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from belote_env import SelfPlayVectorEnv, observation
from belote_env.actions import BID, COINCHE, NUM_ACTIONS, TAKE, parse_action
from belote_env.cards import NUM_CARDS, NUM_CONTRACTS, SUITS, card_name
from belote_env.deck import complete_deck
from belote_env.engine.history import SHOWN, TURNED
from belote_env.rules import resolve
from tests.observing import forms, observe_all, suits_in_slots
from tests.property.strategies import Line, lines, raw, whole_deals

COUNTS = ("points", "tricks", "marks", "belote_marks", "annonce_points", "tolerance_used")
"""Fields that are counted by team."""
FACTS = (
    *("phase", "result", "carry", "num_calls", "num_played", "contract", "speech"),
    *("bid", "doubled", "taker_tricks"),
)
"""Fields that neither seats nor the names of suits appear in, but for a suit as contract."""

WITHOUT_SUITS = [resolve("sans_tout_atout"), resolve("coinche+sa_ta=True")]
"""Rules whose contracts are often at sans or tout atout."""

suit_permutations = st.permutations(range(4))


def relabelled_action(suits: Sequence[int], action: int) -> int:
    """The action with each suit ``s`` called ``suits[s]``."""
    if action < NUM_CARDS:
        return 8 * suits[action // 8] + action % 8
    if TAKE <= action < TAKE + NUM_CONTRACTS:
        contract = action - TAKE
    elif BID <= action < COINCHE:
        contract = (action - BID) % NUM_CONTRACTS
    else:
        return action
    return action - contract + suits[contract] if contract < 4 else action


def relabelled(suits: Sequence[int], line: Line) -> Line:
    """The same deal with each suit ``s`` called ``suits[s]``."""
    deck, actions = (
        tuple(relabelled_action(suits, action) for action in ids)
        for ids in (line.deck, line.actions)
    )
    return Line(line.rules, line.dealer, deck, actions)


def relabelled_observation(
    suits: Sequence[int], vector: NDArray[np.uint8], slices: tuple[observation.Slice, ...]
) -> NDArray[np.uint8]:
    """What an observation becomes when each suit ``s`` is called ``suits[s]``."""
    vector = vector.copy()
    was = np.argsort(suits)
    for name, view in observation.views(vector, slices).items():
        if view.shape[-1] == NUM_CARDS:
            by_suit = view.reshape(*view.shape[:-1], 4, 8)
            view[...] = by_suit[..., was, :].reshape(view.shape)
        elif name in ("void", "belote", "rebelote", "contract", "calls"):
            view[..., :4] = view[..., was]
        elif name == "events":
            tokens = [relabelled_token(suits, token) for token in range(TURNED + NUM_CARDS + 1)]
            view[..., 0] = np.array(tokens)[view[..., 0]]
    return vector


def relabelled_token(suits: Sequence[int], token: int) -> int:
    """What happened with each suit ``s`` called ``suits[s]``."""
    for first, num in ((1, NUM_ACTIONS), (SHOWN, NUM_CARDS), (TURNED, NUM_CARDS)):
        if first <= token < first + num:
            return first + relabelled_action(suits, token - first)
    return token


def with_shown_sorted(
    obs: NDArray[np.uint8], slices: tuple[observation.Slice, ...]
) -> NDArray[np.uint8]:
    """Observations in which the cards that a seat shows stand in the order of their ids."""
    obs = obs.copy()
    events = observation.views(obs, slices).get("events")
    if events is not None:
        for rows in events.reshape(-1, *events.shape[-2:]):
            shown = (rows[:, 0] >= SHOWN) & (rows[:, 0] < TURNED)
            block = rows[shown]
            rows[shown] = block[np.lexsort((block[:, 0], block[:, 1]))]
    return obs


def assert_same_facts(ours: NDArray[Any], theirs: NDArray[Any], *but: str) -> None:
    for field in (*FACTS, *COUNTS):
        if field not in but:
            np.testing.assert_array_equal(ours[field], theirs[field], field)


@given(lines(), st.integers(1, 3))
def test_rotating_the_seats_changes_nothing_that_a_seat_sees(line: Line, by: int):
    dealer = (line.dealer + by) % line.rules.num_seats
    rotated = Line(line.rules, dealer, line.deck, line.actions)
    states, turned = line.states(), rotated.states()

    for form in forms(line.rules):
        obs, mask = observe_all(line.rules, states, form=form)
        obs_turned, mask_turned = observe_all(line.rules, turned, form=form)
        np.testing.assert_array_equal(obs, np.roll(obs_turned, -by, axis=1))
        np.testing.assert_array_equal(mask, np.roll(mask_turned, -by, axis=1))
    for field in COUNTS:
        np.testing.assert_array_equal(
            states[field], np.roll(turned[field], by, axis=1) if by % 2 else turned[field], field
        )
    assert_same_facts(states, turned, *COUNTS)


@given(lines(), suit_permutations)
def test_relabelling_the_suits_relabels_what_a_seat_sees(line: Line, suits: list[int]):
    states, other = line.states(), relabelled(suits, line).states()

    for form in forms(line.rules):
        slices = observation.schema(line.rules, form)
        obs, mask = observe_all(line.rules, states, form=form)
        obs_other, mask_other = observe_all(line.rules, other, form=form)
        expected = relabelled_observation(suits, obs, slices)
        np.testing.assert_array_equal(
            with_shown_sorted(expected, slices), with_shown_sorted(obs_other, slices)
        )
        action_of = [relabelled_action(suits, action) for action in range(mask.shape[2])]
        np.testing.assert_array_equal(mask, mask_other[..., action_of])
    assert_same_facts(states, other, "contract")


def assert_canonically_equal(line: Line, suits: Sequence[int]) -> None:
    """Under canonical suits a relabelled deal must be indistinguishable for every seat."""
    states, other = line.states(), relabelled(suits, line).states()
    for form in forms(line.rules):
        obs, mask = observe_all(line.rules, states, True, form)
        obs_other, mask_other = observe_all(line.rules, other, True, form)
        np.testing.assert_array_equal(obs, obs_other)
        np.testing.assert_array_equal(mask, mask_other)


@given(lines(), suit_permutations)
def test_canonical_suits_hide_the_names_of_the_suits(line: Line, suits: list[int]):
    assert_canonically_equal(line, suits)


@given(lines(st.sampled_from(WITHOUT_SUITS)), suit_permutations)
def test_canonical_suits_hide_the_names_at_sans_and_tout_atout(line: Line, suits: list[int]):
    assert_canonically_equal(line, suits)


# Hands by seat; seat 0 deals, and the last card of seat 1 is the turned card where there is one.
# Seat 3 holds neither diamonds nor clubs: only the tierce that seat 1 shows tells them apart.
BY_ANNONCES = (
    "classic_annonces",
    [
        "7H QH KS AS 9D JD KC AC",
        "AH QD KD AD 7C 8C TC JS",
        "TH 9S 7D 8D TD 9C JC QC",
        "8H 9H JH KH 7S 8S TS QS",
    ],
    "S,AH,TH,8H,7H,JS",
    "DC",
)
# Seat 2 holds neither diamonds nor clubs yet: only the call of seat 1 tells them apart.
BY_CALL = (
    "sans_tout_atout",
    [
        "QH 7S KS AS 9D JD KC AC",
        "AH QD KD AD 7C 8C TC JS",
        "7H 8H TH 9S TS 9C JC QC",
        "9H JH KH 7D 8D TD 8S QS",
    ],
    "pass,pass,pass,pass,D,SA,pass,pass",
    "DC",
)
# Seat 2 holds neither diamonds nor clubs: only the bids of its adversaries tell them apart.
BY_BID = (
    "contree",
    [
        "7D 8D 9D JD TC JC QC KC",
        "TD QD KD AD 7C 8C 9C AC",
        "7H 8H 9H TH 7S 8S 9S TS",
        "JH QH KH AH JS QS KS AS",
    ],
    "80 D,pass,90 C",
    "DC",
)
# All seats hold and play the same hearts and diamonds: only the order of play tells them apart.
BY_TRICK = (
    "classic",
    [
        "TH AH TD AD JS QS KS AS",
        "7H JH 7D JD 7C 8C 9C 7S",
        "8H QH 8D QD TC JC QC 8S",
        "9H KH 9D KD KC AC 9S TS",
    ],
    "S,7H,8H,9H,TH,TD,7D,8D,9D,AS",
    "HD",
)
BY_TRICK_OF_TWO = (
    "two_player",
    ["8H 8D QH QD KS 9C TC", "7H 7D 9H 9D 7C 8C JS"],
    "S,7H,8H,8D,7D,KS",
    "HD",
)


@pytest.mark.parametrize(
    ("rules", "hands", "actions", "alike"),
    [BY_ANNONCES, BY_CALL, BY_BID, BY_TRICK, BY_TRICK_OF_TWO],
)
def test_canonical_suits_tell_apart_suits_that_look_almost_alike(
    rules: str, hands: list[str], actions: str, alike: str
):
    played = tuple(map(parse_action, actions.split(",")))
    line = Line(resolve(rules), 0, deck_of(rules, hands), played)
    suits = [SUITS.index(suit) for suit in SUITS.translate(str.maketrans(alike, alike[::-1]))]

    assert_canonically_equal(line, suits)


def deck_of(rules: str, hands: list[str]) -> tuple[int, ...]:
    """The pack that deals some hands from seat 0, the rest of it in the order of the ids."""
    by_seat = [hand.split() for hand in hands]
    turned = None if resolve(rules).family == "auction" else by_seat[1][-1]
    dealt = set().union(*by_seat)
    stock = [name for name in map(card_name, range(NUM_CARDS)) if name not in dealt]
    return tuple(complete_deck(rules, by_seat, 0, turned, stock or None))


@given(whole_deals(), st.integers(0, 2**32 - 1))
def test_canonical_actions_are_those_of_the_suits_in_the_slots(line: Line, seed: int):
    states = line.states()[:-1]
    num = len(states)
    plain = SelfPlayVectorEnv(num, line.rules)
    canonical = SelfPlayVectorEnv(num, line.rules, canonical_suits=True)
    _, mask, seats = plain.set_state(states)
    _, mask_in_slots, _ = canonical.set_state(states)
    actions_of = np.array(
        [
            [
                relabelled_action(suits_in_slots(line.rules, state, int(seat)), slot)
                for slot in range(plain.num_actions)
            ]
            for state, seat in zip(states, seats, strict=True)
        ]
    )

    np.testing.assert_array_equal(np.take_along_axis(mask, actions_of, axis=1), mask_in_slots)
    slots = (mask_in_slots * np.random.default_rng(seed).random(mask.shape)).argmax(axis=1)
    *_, seats, reward, done = plain.step(actions_of[np.arange(num), slots])
    *_, seats_too, reward_too, done_too = canonical.step(slots)

    assert raw(plain.states) == raw(canonical.states)
    np.testing.assert_array_equal(seats, seats_too)
    np.testing.assert_array_equal(reward, reward_too)
    np.testing.assert_array_equal(done, done_too)
