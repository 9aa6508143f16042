"""Information-set tree search: exact where nothing is hidden, repeatable, within its bounds."""

from __future__ import annotations

import random
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from agents.search.determinize import num_worlds
from agents.search.flat import FlatAgent
from agents.search.ismcts import IsmctsAgent
from agents.search.pimc import PimcAgent
from belote_env.engine.options import rule_data
from belote_env.engine.state import AUCTION, STATE_DTYPE
from belote_env.rules import resolve
from tests.agents.test_weights import KEY, in_play
from tests.agents.worlds import FOUR_PLAYERS, Position, decisions, random_line
from tests.observing import observe


def legal_of(position: Position) -> list[int]:
    _, mask = observe(position.rules, np.array([position.state], STATE_DTYPE), position.seat)
    return np.flatnonzero(mask[0]).tolist()


def choices(rules: str, seed: int, num: int) -> list[Position]:
    """Decisions with an open choice, from anywhere in random deals."""
    rng, found = random.Random(seed), list[Position]()
    while len(found) < num:
        several = [p for p in decisions(random_line(rng, rules)) if len(legal_of(p)) > 1]
        found += rng.sample(several, min(3, len(several)))
    return found[:num]


def act(agent: Any, position: Position) -> int:
    mask = np.zeros(agent.rules.num_actions, np.int8)
    mask[legal_of(position)] = 1
    return int(agent.act_batch(position.observation, mask[None])[0])


@pytest.mark.parametrize(
    "options", [{}, {"observers": "multiple"}, {"observers": "open", "worlds": 9}, {"endgame": 1}]
)
def test_where_all_is_known_the_best_card_is_found(options: dict[str, Any]):
    rng, checked = random.Random(3), 0
    agent = IsmctsAgent("classic", iterations=3_000, seed=1, **options)
    while checked < 25:
        for position in decisions(random_line(rng, "classic")):
            state = np.array([position.state], STATE_DTYPE)
            open_choice = state["phase"] != AUCTION and len(legal_of(position)) > 1
            if open_choice and num_worlds(rule_data(agent.rules), position.known) == 1:
                marks = PimcAgent("classic").evaluate(position.known, KEY)[:, 0]
                assert marks[act(agent, position)] == marks[legal_of(position)].max()
                checked += 1


def last_choices(seed: int, num: int) -> list[Position]:
    """Choices of a card, ``num`` or more, after which only the last opponent has one."""
    rng, found = random.Random(seed), list[Position]()
    while len(found) < num:
        found += [
            position
            for position in decisions(random_line(rng, "classic"))
            if position.state["num_played"] == 26 and len(legal_of(position)) > 1
        ]
    return found


def largest_gaps(agents: list[Any], positions: list[Position], worth: Any) -> list[float]:
    """How far each agent's mean of the card it likes best is from what that is worth, at most."""
    gaps = np.zeros((len(positions), len(agents)))
    for i, position in enumerate(positions):
        for k, agent in enumerate(agents):
            visits, means = agent.evaluate(position.known, KEY)
            best = visits.argmax()
            gaps[i, k] = abs(means[best] - worth(position.known, best))
    return gaps.max(axis=0).tolist()


def test_opponents_who_are_heuristic_players_do_as_these_would():
    options: dict[str, Any] = {"iterations": 20_000, "weights": "heuristic"}
    agents = [IsmctsAgent("classic", trust=trust, seed=1, **options) for trust in (1.0, 0.0)]
    flat = FlatAgent("classic", worlds=4_096, trust=1.0)

    def worth(known: Any, card: int) -> float:
        return float(flat.evaluate(known, np.array([card]), KEY)[0])

    like, unlike = largest_gaps(agents, last_choices(4, 12), worth)
    assert like < 1
    assert unlike > 8


def test_opponents_to_whom_all_hands_are_open_play_as_the_solver_does():
    options: dict[str, Any] = {"iterations": 20_000, "worlds": 256}
    agents = [IsmctsAgent("classic", observers=o, seed=1, **options) for o in ("open", "single")]
    solver = PimcAgent("classic", worlds=256)

    seeing, blind = largest_gaps(
        agents, last_choices(4, 12), lambda known, card: solver.evaluate(known, KEY)[card, 0]
    )
    assert seeing < 1
    assert blind > 5


@pytest.mark.parametrize("rules", [*FOUR_PLAYERS, "coinche+announce=choice+annonces=True"])
@pytest.mark.parametrize("observers", ["single", "multiple", "open"])
def test_every_iteration_tries_a_legal_action(rules: str, observers: Any):
    agent = IsmctsAgent(rules, iterations=200, observers=observers, seed=1)
    for position in choices(rules, 5, 12):
        visits, means = agent.evaluate(position.known, KEY)

        assert visits.sum() == 200
        assert set(np.flatnonzero(visits)) <= set(legal_of(position))
        assert np.isfinite(means[visits > 0]).all()
        assert act(agent, position) in legal_of(position)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_same_seed_and_threads_search_the_same(threads: int):
    for position in choices("contree", 6, 4):
        found = [
            IsmctsAgent("contree", iterations=500, threads=threads, seed=4).evaluate(
                position.known, KEY
            )
            for _ in range(2)
        ]
        np.testing.assert_array_equal(found[0], found[1])
        assert found[0][0].sum() == -(-500 // threads) * threads


def test_options_make_a_difference():
    position = in_play("classic", 2, hidden=20)
    plain = IsmctsAgent("classic", iterations=500, seed=1).evaluate(position.known, KEY)
    changes: list[dict[str, Any]] = [
        {"exploration": 2.0},
        {"observers": "multiple"},
        {"observers": "open"},
        {"worlds": 8},
        {"rollouts": "heuristic"},
        {"endgame": 5},
        {"weights": "heuristic"},
        {"threads": 2},
    ]
    for options in changes:
        agent = IsmctsAgent("classic", iterations=500, seed=1, **options)
        assert (agent.evaluate(position.known, KEY)[0] != plain[0]).any(), options


def test_a_limit_of_time_is_kept_to_and_uses_it():
    agent = IsmctsAgent("classic", time_ms=500, seed=1)
    short = IsmctsAgent("classic", time_ms=0.001, seed=1)
    position = choices("classic", 1, 1)[0]

    assert short.evaluate(position.known, KEY)[0].sum() == 128
    assert agent.evaluate(position.known, KEY)[0].sum() > 128


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iterations": 0}, "iterations=0: use a whole number 1-10000000"),
        ({"iterations": 10**17}, "iterations=1000.*: use a whole number 1-10000000"),
        ({"time_ms": -1}, "time_ms=-1: use a number above 0"),
        ({"time_ms": inf}, "time_ms=inf: use a number"),
        ({"exploration": -0.1}, "exploration=-0.1: use a number of at least 0"),
        ({"exploration": inf}, "exploration=inf: use a number"),
        ({"exploration": nan}, "exploration=nan: use a number"),
        ({"exploration": 1e300}, "exploration=1e.300: use a number of .* at most 1,000,000"),
        ({"exploration": None}, "exploration=None: use a number"),
        ({"observers": "none"}, "observers='none': use one of 'single', 'multiple', 'open'"),
        ({"observers": ["single"]}, r"observers=\['single'\]: use one of"),
        ({"worlds": 0}, "worlds=0: use a whole number 1-1000000"),
        ({"rollouts": "best"}, "rollouts='best': use one of 'random', 'heuristic'"),
        ({"rollouts": ["x"]}, r"rollouts=\['x'\]: use one of"),
        ({"weights": "best"}, "weights='best': use one of 'uniform', 'heuristic'"),
        ({"endgame": 9}, "endgame=9: use a whole number 0-8"),
        ({"endgame": 2.5}, "endgame=2.5: use a whole number 0-8"),
        ({"threads": 0}, "threads=0: use a whole number 1-256"),
        ({"threads": 1.5}, "threads=1.5: use a whole number 1-256"),
        ({"rules": "two_player"}, "rules='two_player': use rules of four players"),
        ({"rules": "classic+announce=choice", "endgame": 2}, "announce='choice'"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        IsmctsAgent(**options)


def test_rules_may_be_given_as_such():
    assert IsmctsAgent(resolve("contree")).rules.id == "contree"
