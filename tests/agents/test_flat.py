"""Flat Monte Carlo: the mean over worlds of what follows each action."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.heuristic import HeuristicAgent
from agents.search.determinize import list_worlds, num_worlds
from agents.search.flat import FlatAgent
from agents.search.pack import enter_world
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data
from belote_env.engine.state import AUCTION, OVER
from belote_env.engine.step import step_at
from belote_env.rules import resolve
from tests.agents.test_ismcts import act, choices, legal_of
from tests.agents.test_weights import KEY, in_play
from tests.agents.worlds import FOUR_PLAYERS
from tests.observing import observe

_enter = from_python(enter_world)


@pytest.mark.parametrize("name", ["classic", "contree"])
def test_values_are_means_over_worlds_of_deals_played_on_by_the_heuristic_agent(name: str):
    rules = resolve(name)
    data, agent = rule_data(rules), HeuristicAgent(rules)
    position = in_play(name, 2, hidden=9)
    known, legal = position.known, legal_of(position)
    hands = np.zeros((num_worlds(data, known), 4), np.uint32)
    list_worlds(data, known, hands)
    expected = np.zeros(len(legal))
    for world in hands:
        for i, action in enumerate(legal):
            state = known.copy()
            _enter(data[0], state[0], world, KEY)
            step_at(data, state, 0, action)
            while state["phase"][0] != OVER:
                seen = observe(rules, state, int(state["seat"][0]))
                step_at(data, state, 0, int(agent.act_batch(*seen)[0]))
            expected[i] += int(state["marks"][0, 0] - state["marks"][0, 1])

    flat = FlatAgent(rules, worlds=len(hands), weights="uniform")
    values = flat.evaluate(known, np.array(legal), KEY)

    np.testing.assert_allclose(values, expected / len(hands))


@pytest.mark.parametrize("rules", [*FOUR_PLAYERS, "contree+announce=choice"])
def test_it_acts_legally_anywhere(rules: str):
    agent = FlatAgent(rules, worlds=8, seed=1)
    for position in choices(rules, 8, 12):
        assert act(agent, position) in legal_of(position)


def test_calls_may_be_valued_by_the_solver():
    position = next(p for p in choices("classic", 8, 40) if p.state["phase"] == AUCTION)
    agent = FlatAgent("classic", worlds=2, valuer="solver", seed=1)

    assert act(agent, position) in legal_of(position)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"worlds": 0}, "worlds=0: use a whole number 1-1000000"),
        ({"valuer": "best"}, "valuer='best': use one of 'heuristic', 'solver'"),
        ({"weights": "best"}, "weights='best': use one of 'uniform', 'heuristic'"),
        ({"rules": "classic+announce=choice", "valuer": "solver"}, "announce='choice'"),
        ({"rules": "two_player"}, "two_player"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        FlatAgent(**options)
