"""Action masks of the PettingZoo environment, which PettingZoo's own tests never look at."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from belote_env import raw_env
from belote_env.actions import action_name
from belote_env.aec import AGENTS
from belote_env.cards import NUM_CARDS, card_name
from belote_env.engine.state import AUCTION
from belote_env.observation import num_actions, schema, views
from belote_env.rules import PRESETS
from tests.observing import forms
from tests.playing import pick
from tests.property.strategies import PRESETS_AND_SPEECH
from tests.reference import Deal

RULES = (*PRESETS_AND_SPEECH, "coinche+sa_ta=True+generale=True")


def names(mask: NDArray[np.int8]) -> set[str]:
    """Texts of the actions of a mask."""
    return {action_name(int(action)) for action in mask.nonzero()[0]}


def reference_of(table: raw_env) -> Deal:
    """The deal that an environment has just dealt, in the slow reference."""
    state = table.game.state[0]
    deck = [card_name(int(card)) for card in state["deck"]]
    return Deal(table.game.rules.options, int(state["dealer"]), deck)


@pytest.mark.parametrize("rules", RULES)
def test_masks_are_the_legal_actions_of_the_reference(rules: str):
    table: Any = raw_env(rules)
    rng = random.Random(0)
    for seed in range(12):
        table.reset(seed=seed)
        reference = reference_of(table)
        while not table.terminations["player_0"]:
            seen, _, _, _, info = table.last()
            assert table.agent_selection == AGENTS[reference.seat or 0]
            assert names(info["action_mask"]) == set(reference.legal())
            assert np.array_equal(seen["action_mask"], info["action_mask"])
            action = pick(info["action_mask"], rng)
            reference.act(action_name(action))
            table.step(action)
        assert reference.phase == "over"


@pytest.mark.parametrize("canonical_suits", [False, True])
@pytest.mark.parametrize(
    ("rules", "observation"), [(rules, form) for rules in RULES for form in forms(rules)]
)
def test_only_the_seat_to_act_has_actions_and_it_always_has_one(
    rules: str, observation: str, canonical_suits: bool
):
    table = raw_env(rules, observation=observation, canonical_suits=canonical_suits)
    length = num_actions(table.game.rules, observation)
    assert length == (109 if observation == "universal" else table.game.rules.num_actions)
    rng = random.Random(0)
    for seed in range(3):
        table.reset(seed=seed)
        while not table.terminations["player_0"]:
            for agent in table.possible_agents:
                for mask in (
                    table.infos[agent]["action_mask"],
                    table.observe(agent)["action_mask"],
                ):
                    assert mask.dtype == np.int8
                    assert mask.shape == (length,)
                    assert set(mask.tolist()) <= {0, 1}
                    assert mask.any() == (agent == table.agent_selection)
            table.step(pick(table.infos[table.agent_selection]["action_mask"], rng))
        for agent in table.possible_agents:
            assert not table.infos[agent]["action_mask"].any()
            assert not table.observe(agent)["action_mask"].any()


@pytest.mark.parametrize("rules", PRESETS)
def test_masks_are_the_same_in_every_form_of_the_observation(rules: str):
    tables = {form: raw_env(rules, observation=form) for form in forms(rules)}
    rng = random.Random(0)
    for table in tables.values():
        table.reset(seed=1)
    flat = tables["flat"]
    while not flat.terminations["player_0"]:
        legal = names(flat.infos[flat.agent_selection]["action_mask"])
        action = pick(flat.infos[flat.agent_selection]["action_mask"], rng)
        for table in tables.values():
            assert names(table.infos[table.agent_selection]["action_mask"]) == legal
            table.step(action)
        assert len({table.game.state.tobytes() for table in tables.values()}) == 1


@pytest.mark.parametrize("rules", PRESETS)
def test_the_action_space_samples_legal_actions_by_the_mask(rules: str):
    table = raw_env(rules)
    table.reset(seed=0)
    space = table.action_space("player_0")
    while not table.terminations["player_0"]:
        mask = table.infos[table.agent_selection]["action_mask"]
        action = space.sample(mask)
        assert mask[action] == 1
        table.step(action)


@pytest.mark.parametrize(("rules", "dealt"), [("classic", 20), ("contree", 32), ("two_player", 12)])
def test_each_seat_sees_its_own_hand_and_all_hold_the_cards_in_play(rules: str, dealt: int):
    table = raw_env(rules)
    table.reset(seed=0)
    slices = schema(rules)
    rng = random.Random(0)
    while not table.terminations["player_0"]:
        hands = np.array(
            [
                views(table.observe(agent)["observation"], slices)["hand"]
                for agent in table.possible_agents
            ]
        )
        held = table.game.state["hands"][0]
        assert hands.sum(axis=0).max() == 1, "no card is in two hands"
        for seat in range(len(hands)):
            assert sum(1 << int(card) for card in hands[seat].nonzero()[0]) == held[seat]
        state = table.game.state[0]
        if state["phase"] == AUCTION:
            assert hands.sum() == dealt
        else:
            talon = max(18 - int(state["num_played"]) // 2 * 2, 0) if rules == "two_player" else 0
            assert hands.sum() == NUM_CARDS - state["num_played"] - talon
        table.step(pick(table.infos[table.agent_selection]["action_mask"], rng))


@pytest.mark.parametrize("rules", ["classic", "coinche", "two_player"])
def test_looking_at_other_seats_changes_nothing(rules: str):
    table, watched = raw_env(rules), raw_env(rules)
    rng = random.Random(0)
    table.reset(seed=0)
    watched.reset(seed=0)
    while not table.terminations["player_0"]:
        for agent in rng.choices(table.possible_agents, k=3):
            watched.observe(agent)
        seen, other = table.last()[0], watched.last()[0]
        assert seen is not None
        assert other is not None
        assert all(np.array_equal(seen[key], other[key]) for key in seen)
        action = pick(table.infos[table.agent_selection]["action_mask"], rng)
        table.step(action)
        watched.step(action)


@pytest.mark.parametrize("rules", PRESETS_AND_SPEECH)
def test_canonical_suits_play_the_same_games(rules: str):
    plain, canonical = raw_env(rules), raw_env(rules, canonical_suits=True)
    rng = random.Random(0)
    renamed = 0
    for seed in range(5):
        plain.reset(seed=seed)
        canonical.reset(seed=seed)
        while not plain.terminations["player_0"]:
            slots = canonical.infos[canonical.agent_selection]["action_mask"].nonzero()[0].tolist()
            before = canonical.clone_state()
            action = rng.choice(slots)
            canonical.step(action)
            renamed += mimic(plain, canonical) != action
            assert plain.game.state.tobytes() == canonical.game.state.tobytes()
            assert len(slots) == len({*slots}) == count_children(canonical, before, slots)
    assert renamed > 15, "the names of the suits do change"


def mimic(plain: raw_env, canonical: raw_env) -> int:
    """Bring a plain environment to where a canonical one has gone; the action that does."""
    before = plain.clone_state()
    for action in plain.infos[plain.agent_selection]["action_mask"].nonzero()[0].tolist():
        plain.step(action)
        if plain.game.state.tobytes() == canonical.game.state.tobytes():
            return action
        plain.set_state(before)
    raise AssertionError("no legal action leads there")


def count_children(table: raw_env, before: Any, actions: list[int]) -> int:
    """Number of different states that actions lead to; the environment stays as it is."""
    now = table.clone_state()
    children: set[bytes] = set()
    for action in actions:
        table.set_state(before)
        table.step(action)
        children.add(table.game.state.tobytes())
    table.set_state(now)
    return len(children)
