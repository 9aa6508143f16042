"""Deals are played on to their end, and the solver is asked only where it may be."""

from __future__ import annotations

import random

import numpy as np
import pytest

from agents.search.playouts import HEURISTIC, RANDOM, finish
from agents.search.solver_table import new_table
from agents.search.solver_words import workspace
from belote_env.actions import BID_GENERALE
from belote_env.cards import NUM_CARDS
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data
from belote_env.engine.state import AUCTION, OVER, copy_states
from tests.agents.worlds import FOUR_PLAYERS, random_line
from tests.property.strategies import Line

RULES = "coinche+generale=True"
KEY = np.uint64(5)
_finish = from_python(finish)
_workspace = from_python(workspace)


def finished(line: Line, i: int, policy: int, stop: int) -> list[int]:
    """Marks of a deal that is finished from its state number i."""
    state = copy_states(line.states()[i : i + 1])
    data = rule_data(line.rules)[0]
    _finish(data, state[0], policy, stop, KEY, _workspace(), new_table())
    assert state["phase"][0] == OVER
    return state["marks"][0].tolist()


@pytest.mark.parametrize("policy", [RANDOM, HEURISTIC])
@pytest.mark.parametrize("rules", [*FOUR_PLAYERS, "contree+announce=choice"])
def test_a_deal_is_finished_from_anywhere(rules: str, policy: int):
    line = random_line(random.Random(rules), rules)
    for i in range(0, len(line.actions), 3):
        finished(line, i, policy, NUM_CARDS)


def test_the_solver_finishes_the_last_tricks_as_the_last_trick_is_forced():
    rng = random.Random(2)
    for _ in range(20):
        line = random_line(rng, "classic")
        for i in np.flatnonzero(line.states()["num_played"] == NUM_CARDS - 4)[:1]:
            by_play = finished(line, int(i), RANDOM, NUM_CARDS)
            assert finished(line, int(i), RANDOM, NUM_CARDS - 4) == by_play


def test_a_deal_bid_generale_is_played_and_not_solved():
    rng, found = random.Random(1), 0
    while found < 5:
        line = random_line(rng, RULES)
        states = line.states()
        for i in np.flatnonzero((states["bid"] == BID_GENERALE + 1) & (states["phase"] != OVER)):
            if states["phase"][i] == AUCTION or states["num_played"][i] == 0:
                by_play = finished(line, int(i), HEURISTIC, NUM_CARDS)
                assert finished(line, int(i), HEURISTIC, 0) == by_play
                found += 1
