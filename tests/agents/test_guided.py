"""Tree search with an evaluator: it follows what it is told, and looks ahead of it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.search.determinize import num_worlds
from agents.search.guided import GuidedAgent
from agents.search.pimc import PimcAgent
from belote_env.engine.options import rule_data
from belote_env.engine.state import PLAY
from tests.agents.test_ismcts import act, choices, legal_of
from tests.agents.test_weights import KEY
from tests.agents.worlds import decisions, random_line


def ignorant(
    obs: NDArray[np.uint8], masks: NDArray[np.int8]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """All actions as likely, no side ahead."""
    return masks / masks.sum(axis=1, keepdims=True), np.zeros(len(masks))


def fond_of_the_last(
    obs: NDArray[np.uint8], masks: NDArray[np.int8]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The last legal action and no other."""
    last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    return np.eye(masks.shape[1])[last], np.zeros(len(masks))


@pytest.mark.parametrize("rules", ["classic", "contree", "classic_annonces+announce=choice"])
@pytest.mark.parametrize("batch", [1, 8])
def test_every_iteration_but_the_first_visits_a_legal_action(rules: str, batch: int):
    agent = GuidedAgent(ignorant, rules, iterations=100, batch=batch, seed=1)
    for position in choices(rules, 5, 6):
        visits, means = agent.evaluate(position.known, KEY)

        assert visits.sum() == 99
        assert set(np.flatnonzero(visits)) <= set(legal_of(position))
        assert np.isfinite(means[visits > 0]).all()
        assert act(agent, position) in legal_of(position)


def test_priors_are_followed_while_nothing_speaks_against_them():
    for position in choices("classic", 7, 8):
        agent = GuidedAgent(fond_of_the_last, "classic", iterations=12, batch=1, seed=1)
        if position.state["num_played"] < 16:
            assert act(agent, position) == legal_of(position)[-1]


def test_it_looks_ahead_to_the_end_of_a_deal():
    rng, checked = random.Random(3), 0
    agent = GuidedAgent(ignorant, "classic", iterations=400, exploration=1.0, seed=1)
    while checked < 15:
        for position in decisions(random_line(rng, "classic")):
            late = position.state["num_played"] >= 20 and position.state["phase"] == PLAY
            known = num_worlds(rule_data(agent.rules), position.known) == 1
            if late and known and len(legal_of(position)) > 1:
                marks = PimcAgent("classic").evaluate(position.known, KEY)[:, 0]
                assert marks[act(agent, position)] == marks[legal_of(position)].max()
                checked += 1


def test_what_an_evaluator_returns_is_checked():
    def wrong(obs: NDArray[np.uint8], masks: NDArray[np.int8]) -> Any:
        return np.zeros((len(masks), 3)), np.zeros(len(masks))

    position = choices("classic", 7, 1)[0]
    with pytest.raises(ValueError, match=r"use one that returns arrays of shapes \(1, 41\)"):
        act(GuidedAgent(wrong, "classic", seed=1), position)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iterations": 0}, "iterations=0: use a whole number 1-200000"),
        ({"batch": 0}, "batch=0: use a whole number 1-65536"),
        ({"exploration": -1}, "exploration=-1: use a number of at least 0"),
        ({"observers": "none"}, "observers='none': use one of 'single', 'multiple', 'open'"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        GuidedAgent(ignorant, **options)
