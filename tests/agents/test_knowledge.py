"""What a seat knows: the state as it sees the table, from its observation alone."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from agents.peers.seen import seen_deal
from agents.search.knowledge import known_states
from belote_env.actions import SPLIT, TAKE
from belote_env.engine.options import TURNED_PLACE, rule_data
from belote_env.engine.state import NO_CARD, OVER, PLAY, SPEECH, STATE_DTYPE, cards_played
from belote_env.engine.step import legal_at
from belote_env.game import Game
from belote_env.observation import schema, views
from belote_env.rules import PRESETS, RuleSet
from tests.observing import observe
from tests.property.strategies import Line, rule_sets, watched_lines

BY_SEAT = (
    *("hands", "fallen", "excluded", "shown", "trick"),
    *("belote_said", "rebelote_said", "annonces_said"),
)
BY_TEAM = ("scores", "points", "annonce_points", "tricks", "blocked", "tolerance_used")
SEATS = ("dealer", "taker", "seat", "next_seat", "best_seat")
NOT_SEEN = ("key", "deal", "marks", "belote_marks", "result", "winner", "match_over")
"""What an observation does not tell; of a match that is over no agent decides."""


def as_seen(rules: RuleSet, states: NDArray[Any], seat: int) -> NDArray[Any]:
    """States as a seat sees them: counted from it, and nothing of what is hidden."""
    seen = states.copy()
    places = np.arange(4)
    players = rules.num_seats
    places[:players] = (seat + places[:players]) % players
    for field in BY_SEAT:
        seen[field] = states[field][:, places]
    for field in BY_TEAM:
        seen[field] = states[field][:, [seat % 2, 1 - seat % 2]]
    for field in SEATS:
        nobody = states[field] < 0
        seen[field] = np.where(nobody, -1, (states[field] - seat) % players)
    team = states["annonce_team"]
    seen["annonce_team"] = np.where(team < 0, -1, team ^ seat % 2)
    led = states["num_played"] > 0
    seen["best_seat"] = np.where(led, seen["best_seat"], 0)
    seen["next_seat"] = np.where(led, seen["next_seat"], 0)
    seen["hands"][:, 1:] = 0
    seen["deck"] = 0
    turned = TURNED_PLACE[rules.family]
    if turned is not None:
        seen["deck"][:, turned] = states["deck"][:, turned]
    asked = (states["phase"] == SPEECH) & (states["seat"] != seat)
    seen["phase"][asked] = PLAY
    seen["speech"][asked] = 0
    seen["seat"][asked] = seen["next_seat"][asked]
    for field in NOT_SEEN:
        seen[field] = 0
    return seen


def known(rules: RuleSet, states: NDArray[Any], seat: int) -> NDArray[Any]:
    """What a seat knows in some states, without the fields that it does not know."""
    record = known_states(rules, observe(rules, states, seat)[0])
    for field in NOT_SEEN:
        record[field] = 0
    return record


def assert_equal(records: NDArray[Any], expected: NDArray[Any]) -> None:
    for field in STATE_DTYPE.names or ():
        np.testing.assert_array_equal(records[field], expected[field], field)


@given(watched_lines(st.one_of(rule_sets, rule_sets.map(lambda r: r.replace(announce="choice")))))
def test_a_seat_knows_the_table_as_it_sees_it(watched: tuple[Line, int]):
    line, seat = watched
    states = line.states()

    assert_equal(known(line.rules, states, seat), as_seen(line.rules, states, seat))


@pytest.mark.parametrize("preset", PRESETS)
def test_a_seat_knows_where_the_match_stands(preset: str):
    game, rng = Game(preset, "match", seed=1), random.Random(preset)
    deals, states = 0, list[NDArray[Any]]()
    while deals < 30:
        states.append(game.clone())
        game.step(rng.choice(game.legal_actions()))
        if game.over:
            deals += 1
            if game.end_deal():
                game.start()
            else:
                game.begin_deal()
    moments = np.concatenate(states)
    assert moments["scores"].any()
    assert moments["deals_played"].any()

    for seat in range(game.rules.num_seats):
        seen = as_seen(game.rules, moments, seat)
        assert_equal(known(game.rules, moments, seat), seen)


@given(watched_lines())
def test_the_legal_actions_of_a_seat_follow_from_what_it_knows(watched: tuple[Line, int]):
    line, _ = watched
    states = line.states()
    states = states[states["phase"] != OVER]
    obs, mask = observe(line.rules, states, states["seat"])

    for record, legal in zip(known_states(line.rules, obs), mask, strict=True):
        low, high = legal_at(rule_data(line.rules), record[None], 0)
        actions = low | high << SPLIT
        assert [actions >> action & 1 for action in range(len(legal))] == legal.tolist()


@given(watched_lines(rule_sets.filter(lambda rules: rules.num_seats == 4)))
def test_another_reader_of_observations_sees_the_same_deal(watched: tuple[Line, int]):
    line, seat = watched
    obs, _ = observe(line.rules, line.end().state, seat)
    seen, record = seen_deal(line.rules, obs[0]), known_states(line.rules, obs)[0]

    cards = cards_played(record)
    assert [card for _, card in seen.plays] == cards
    for player in range(4):
        assert sum(1 << card for card in seen.played_by(player)) == record["fallen"][player]
    assert seen.calls == tuple(record["calls"][: record["num_calls"]].tolist())
    assert (seen.dealer, seen.taker) == (record["dealer"], record["taker"])
    assert sum(1 << card for card in seen.hand) == record["hands"][0]


def test_before_the_first_call_a_seat_knows_its_hand_and_the_turned_card():
    game = Game("classic", seed=3)
    record = known(game.rules, game.state, game.seat)[0]

    assert record["hands"].tolist() == [int(game.state["hands"][0, game.seat]), 0, 0, 0]
    assert record["deck"][20] == game.state["deck"][0, 20]
    assert record["dealer"] == 3
    assert record["seat"] == 0
    assert record["trick"].tolist() == [NO_CARD] * 4


def test_observations_of_other_rules_are_refused():
    game = Game("contree", seed=0)
    obs, _ = observe(game.rules, game.state, 0)
    floats: Any = obs.astype(np.float64)

    with pytest.raises(ValueError, match=r"use uint8 \[N, 632\], as rules 'classic' give"):
        known_states("classic", obs)
    with pytest.raises(ValueError, match="got float64"):
        known_states("contree", floats)
    with pytest.raises(ValueError, match=r"got shape \(\d+,\)"):
        known_states("contree", obs[0])


def seen_in_play() -> tuple[str, NDArray[np.uint8], dict[str, NDArray[np.uint8]]]:
    """Observations of two seats in the second trick, and their slices as views."""
    game = Game("classic", seed=3)
    game.step(TAKE + int(game.state["deck"][0, 20]) // 8)
    while game.state["num_played"][0] < 6:
        game.step(game.legal_actions()[0])
    obs = np.concatenate([observe(game.rules, game.state, seat)[0] for seat in range(2)])
    known_states("classic", obs)
    return "classic", obs, views(obs, schema("classic"))


@pytest.mark.parametrize("name", ["hand", "trick_number", "dealer", "contract", "phase", "calls"])
def test_bytes_beyond_their_bounds_are_refused(name: str):
    rules, obs, seen = seen_in_play()
    seen[name][1] = 255
    message = rf"^observations\[1\]: byte \d+ of '{name}' is 255: use 0-\d+$"
    with pytest.raises(ValueError, match=message):
        known_states(rules, obs)


@pytest.mark.parametrize("name", ["dealer", "phase", "turned"])
@pytest.mark.parametrize("flag", [0, 1])
def test_one_flag_is_asked_for(name: str, flag: int):
    rules, obs, seen = seen_in_play()
    seen[name][1] = flag
    with pytest.raises(ValueError, match=rf"^observations\[1\]: '{name}' has \d+ flags: use one"):
        known_states(rules, obs)


def test_cards_played_in_no_order_of_a_deal_are_refused():
    for name, content in (
        ("trick_number", 0),  # no card has a trick
        ("trick_number", 1),  # several cards of a seat in one
        ("trick_number", 16),
        ("played", 1),  # everybody has played everything
        ("calls", 0),  # nobody has taken
        ("hand", 1),  # the cards played among them
    ):
        rules, obs, seen = seen_in_play()
        seen[name][1] = content
        with pytest.raises(ValueError, match=r"^observations\[1\]: the cards played are"):
            known_states(rules, obs)


def test_a_trick_left_out_is_refused():
    rules, obs, seen = seen_in_play()
    seen["trick_number"][1][seen["trick_number"][1] == 2] = 3
    with pytest.raises(ValueError, match=r"^observations\[1\]: the cards played are"):
        known_states(rules, obs)
