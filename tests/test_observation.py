"""Every slice of a vector, decoded and held against a slow reading of the state."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from belote_env import observation
from belote_env.engine.options import OPTION_FLAGS
from belote_env.engine.state import AUCTION
from belote_env.rules import PRESETS, RuleSet, resolve
from tests.observing import forms, observe_all, observe_everything, suits_in_slots
from tests.property.strategies import Line, lines, rule_sets, whole_deals
from tests.reading import TURNED, Reading, assert_decodes


def some_states(rng: random.Random, line: Line) -> NDArray[Any]:
    """Two states of a line and its last, each with a standing of the match of its own."""
    states = line.states()
    states = states[[*rng.sample(range(len(states)), 2), -1]]
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
    rules, states = line.rules, some_states(rng, line)
    for form in forms(rules):
        slices = observation.schema(rules, form)

        obs, mask = observe_all(rules, states, canonical, form)

        low, high = observation.bounds(slices)
        assert np.all((low <= obs) & (obs <= high))
        assert mask.shape[2] == observation.num_actions(rules, form)
        for i, state in enumerate(states):
            for seat in range(rules.num_seats):
                order = suits_in_slots(rules, state, seat, canonical)
                assert_decodes(obs[i, seat], slices, Reading(rules, state, seat, order, form))
                assert mask[i, seat].any() == (state["seat"] == seat)


@pytest.mark.parametrize("canonical", [False, True])
@given(line=whole_deals(), rng=st.randoms(use_true_random=False))
def test_the_full_vector_is_the_observation_and_what_it_hides(
    line: Line, rng: random.Random, canonical: bool
):
    rules, states = line.rules, some_states(rng, line)
    for form in forms(rules):
        slices = observation.state_schema(rules, form)

        full = observe_everything(rules, states, canonical, form)

        obs, _ = observe_all(rules, states, canonical, form)
        low, high = observation.bounds(slices)
        assert np.all((low <= full) & (full <= high))
        for i, state in enumerate(states):
            seat = max(int(state["seat"]), 0)
            np.testing.assert_array_equal(full[i, : obs.shape[2]], obs[i, seat])
            order = suits_in_slots(rules, state, seat, canonical)
            assert_decodes(full[i], slices, Reading(rules, state, seat, order, form))


@given(lines())
def test_canonical_suits_are_the_trump_or_turned_suit_then_the_others_by_own_cards(line: Line):
    family = line.rules.family
    for state in line.states():
        contract, bidding = int(state["contract"]), state["phase"] == AUCTION
        first = None if family == "auction" else int(state["deck"][TURNED[family]]) // 8
        if contract >= 0 and not bidding:
            first = contract
        for seat in range(line.rules.num_seats):
            order = list(suits_in_slots(line.rules, state, seat))
            assert sorted(order) == [0, 1, 2, 3]
            if first is not None and first < 4:
                assert order.pop(0) == first
            held = [int(state["hands"][seat]) >> 8 * suit & 255 for suit in order]
            assert held == sorted(held, reverse=True)


@given(lines())
def test_the_hands_are_disjoint_and_hold_all_cards_in_play(line: Line):
    rules, states = line.rules, line.states()
    obs, _ = observe_all(rules, states)
    views = observation.views(obs, observation.schema(rules))

    cards = views["hand"].sum(axis=1) + views["played"][:, 0].sum(axis=1)

    assert cards.max() == 1
    first, whole = {"turn_up": (20, 32), "auction": (32, 32), "two_player": (12, 14)}[rules.family]
    played = (states["phase"] != AUCTION) & (states["contract"] >= 0)
    expected = np.where(played, whole, first)
    if rules.family == "two_player":
        expected = np.minimum(32, expected + states["num_played"] // 2 * 2)
    np.testing.assert_array_equal(cards.sum(axis=1), expected)


@given(
    st.lists(lines(rule_sets.filter(lambda rules: rules.num_seats == 4)), min_size=2, max_size=5)
)
def test_the_universal_vector_says_by_which_rules_it_is_played(played: list[Line]):
    vectors = [observe_all(line.rules, line.end().state, form="universal")[0] for line in played]

    for vector, line in zip(vectors, played, strict=True):
        assert vector.shape == vectors[0].shape
        views = observation.views(vector[0, 0], observation.schema(line.rules, "universal"))
        told = [flag for flag, on in zip(OPTION_FLAGS, views["options"], strict=False) if on]
        target, menes = int(observation.number(views["target"])), int(views["deals_per_party"][0])
        # What is left concerns what is shown, or the parties of a concours.
        rest = {name: getattr(line.rules, name) for name in ("direction", "parties")}
        options = {**dict(told), "target": target or None, "deals_per_party": menes or None}
        assert RuleSet(**options, **rest) == line.rules
        assert len(dict(told)) == len(told)


# The schema ----------------------------------------------------------------------------------


@given(rule_sets)
def test_slices_follow_one_another_and_fill_whole_words(rules: RuleSet):
    for form in forms(rules):
        for slices in (observation.schema(rules, form), observation.state_schema(rules, form)):
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
    for form in forms(rules):
        slices = observation.schema(rules, form)

        assert observation.state_schema(rules, form)[: len(slices)] == slices


@given(rule_sets)
def test_only_annonces_and_the_auction_change_the_schema(rules: RuleSet):
    changes = {"family": rules.family, "annonces": rules.annonces, "sa_ta": rules.sa_ta}
    same = RuleSet(**changes, generale=rules.generale)

    for form in forms(rules):
        assert observation.schema(rules, form) == observation.schema(same, form)


@given(rule_sets.filter(lambda rules: rules.num_seats == 4), rule_sets)
def test_the_universal_schema_is_one_for_all_rules_of_four_players(rules: RuleSet, any_: RuleSet):
    assert observation.schema(rules, "universal") == observation.schema("classic", "universal")
    assert observation.num_actions(rules, "universal") == 109
    flat = 109 if any_.family == "auction" else 41
    assert observation.num_actions(any_, "flat") == observation.num_actions(any_, "history") == flat


def test_two_players_and_unknown_forms_are_refused():
    with pytest.raises(ValueError, match=r"'universal' is for four players, .*'two_player' have 2"):
        observation.schema("two_player", "universal")
    with pytest.raises(ValueError, match="observation='short': use one of 'flat', 'universal', 'h"):
        observation.state_schema("classic", "short")


def test_the_size_of_the_vectors_never_changes_unnoticed():
    sizes = {  # of an observation and of the full vector, form by form
        name: tuple(
            observation.total_size(schema(name, form))
            for form in forms(name)
            for schema in (observation.schema, observation.state_schema)
        )
        for name in PRESETS
    }

    assert observation.VERSION == 2
    assert sizes == {
        "classic": (632, 760, 1136, 1264, 160, 288),
        "classic_annonces": (784, 912, 1136, 1264, 216, 344),
        "sans_tout_atout": (856, 984, 1136, 1264, 248, 376),
        "club_501": (632, 760, 1136, 1264, 160, 288),
        "concours": (632, 760, 1136, 1264, 160, 288),
        "two_player": (600, 728, 152, 280),
        "contree": (848, 976, 1136, 1264, 216, 344),
        "contree_ffb": (848, 976, 1136, 1264, 216, 344),
        "coinche": (1000, 1128, 1136, 1264, 272, 400),
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
