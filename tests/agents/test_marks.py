"""Marks of a deal that the solver has played out are those of the deal played to its end."""

from __future__ import annotations

import random

import pytest

from agents.search.marks import end_with
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data
from belote_env.engine.state import AUCTION, OVER, copy_states
from tests.agents.worlds import FOUR_PLAYERS, random_line

_end_with = from_python(end_with)
RULES = (
    *FOUR_PLAYERS,
    "classic_annonces+belote_tolerance=none",
    "contree+annonces=True",
    "coinche+sa_ta=True+annonces=True",
)


@pytest.mark.parametrize("rules", RULES)
def test_a_deal_ended_anywhere_has_the_marks_of_its_end(rules: str):
    rng = random.Random(rules)
    ended = 0
    for _ in range(60):
        line = random_line(rng, rules)
        states = line.states()
        end = states[-1]
        if end["contract"] < 0:
            continue
        margin = int(end["points"][0]) - int(end["points"][1])
        for i in range(len(states)):
            if states["phase"][i] in (AUCTION, OVER):
                continue
            state = copy_states(states[i : i + 1])
            _end_with(rule_data(line.rules)[0], state[0], margin)
            assert state["marks"].tolist() == [end["marks"].tolist()]
            assert state["phase"] == OVER
            ended += 1

    assert ended > 300
