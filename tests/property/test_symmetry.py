"""The game knows neither seats nor suits by name: rotated and relabelled games are the same."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from belote_env import SelfPlayVectorEnv, observation
from belote_env.actions import NUM_ACTIONS, TAKE, parse_action
from belote_env.cards import NUM_CARDS, SUITS, parse_card
from belote_env.engine import encoding
from belote_env.engine.jit import from_python
from belote_env.rules import resolve
from tests.observing import observe_all
from tests.property.strategies import Line, lines, raw, whole_deals

suit_order = from_python(encoding.suit_order)

COUNTS = ("points", "tricks", "marks", "belote_marks", "annonce_points", "tolerance_used")
"""Fields that are counted by team."""
FACTS = ("phase", "result", "carry", "num_calls", "num_played", "contract", "speech")
"""Fields that neither seats nor the names of suits appear in, but for a suit as contract."""

suit_permutations = st.permutations(range(4))


def relabelled_action(suits: Sequence[int], action: int) -> int:
    """The action with each suit ``s`` called ``suits[s]``."""
    if action < NUM_CARDS:
        return 8 * suits[action // 8] + action % 8
    return TAKE + suits[action - TAKE] if TAKE <= action < TAKE + 4 else action


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
    return vector


def assert_same_facts(ours: NDArray[Any], theirs: NDArray[Any], *but: str) -> None:
    for field in (*FACTS, *COUNTS):
        if field not in but:
            np.testing.assert_array_equal(ours[field], theirs[field], field)


@given(lines(), st.integers(1, 3))
def test_rotating_the_seats_changes_nothing_that_a_seat_sees(line: Line, by: int):
    rotated = Line(line.rules, (line.dealer + by) % 4, line.deck, line.actions)
    states, turned = line.states(), rotated.states()

    obs, mask = observe_all(line.rules, states)
    obs_turned, mask_turned = observe_all(line.rules, turned)

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

    obs, mask = observe_all(line.rules, states)
    obs_other, mask_other = observe_all(line.rules, other)

    expected = relabelled_observation(suits, obs, observation.schema(line.rules))
    np.testing.assert_array_equal(expected, obs_other)
    action_of = [relabelled_action(suits, action) for action in range(NUM_ACTIONS)]
    np.testing.assert_array_equal(mask, mask_other[..., action_of])
    assert_same_facts(states, other, "contract")


def assert_canonically_equal(line: Line, suits: Sequence[int]) -> None:
    """Under canonical suits a relabelled deal must be indistinguishable for every seat."""
    states, other = line.states(), relabelled(suits, line).states()
    obs, mask = observe_all(line.rules, states, canonical=True)
    obs_other, mask_other = observe_all(line.rules, other, canonical=True)

    np.testing.assert_array_equal(obs, obs_other)
    np.testing.assert_array_equal(mask, mask_other)


@given(lines(), suit_permutations)
def test_canonical_suits_hide_the_names_of_the_suits(line: Line, suits: list[int]):
    assert_canonically_equal(line, suits)


@given(lines(st.just(resolve("sans_tout_atout"))), suit_permutations)
def test_canonical_suits_hide_the_names_at_sans_and_tout_atout(line: Line, suits: list[int]):
    assert_canonically_equal(line, suits)


# Seat 3 holds neither diamonds nor clubs: only the tierce that seat 1 shows tells them apart.
BY_ANNONCES = (
    "classic_annonces",
    {
        1: "AH QD KD AD 7C 8C TC JS",
        2: "TH 9S 7D 8D TD 9C JC QC",
        3: "8H 9H JH KH 7S 8S TS QS",
        0: "7H QH KS AS 9D JD KC AC",
    },
    "S AH TH 8H 7H JS",
    "DC",
)
# Seat 2 holds neither diamonds nor clubs yet: only the call of seat 1 tells them apart.
BY_CALL = (
    "sans_tout_atout",
    {
        1: "AH QD KD AD 7C 8C TC JS",
        2: "7H 8H TH 9S TS 9C JC QC",
        3: "9H JH KH 7D 8D TD 8S QS",
        0: "QH 7S KS AS 9D JD KC AC",
    },
    "pass pass pass pass D SA pass pass",
    "DC",
)
# All seats hold and play the same hearts and diamonds: only the order of play tells them apart.
BY_TRICK = (
    "classic",
    {
        1: "7H JH 7D JD 7C 8C 9C 7S",
        2: "8H QH 8D QD TC JC QC 8S",
        3: "9H KH 9D KD KC AC 9S TS",
        0: "TH AH TD AD JS QS KS AS",
    },
    "S 7H 8H 9H TH TD 7D 8D 9D AS",
    "HD",
)


@pytest.mark.parametrize(("rules", "hands", "actions", "alike"), [BY_ANNONCES, BY_CALL, BY_TRICK])
def test_canonical_suits_tell_apart_suits_that_look_almost_alike(
    rules: str, hands: dict[int, str], actions: str, alike: str
):
    deck = deck_of(hands, taker=1)
    line = Line(resolve(rules), 0, deck, tuple(map(parse_action, actions.split())))
    suits = [SUITS.index(suit) for suit in SUITS.translate(str.maketrans(alike, alike[::-1]))]

    assert_canonically_equal(line, suits)


def deck_of(hands: dict[int, str], taker: int) -> tuple[int, ...]:
    """The pack that deals some hands in seat order from the dealer's next; the taker's last card
    is turned up."""
    cards = {seat: [parse_card(name) for name in hand.split()] for seat, hand in hands.items()}
    turned = cards[taker].pop()
    packets = [hand[:3] for hand in cards.values()] + [hand[3:5] for hand in cards.values()]
    rest = [hand[5:] for hand in cards.values()]
    return (*itertools.chain(*packets), turned, *itertools.chain(*rest))


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
            [relabelled_action(suit_order(state, int(seat)), slot) for slot in range(NUM_ACTIONS)]
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
