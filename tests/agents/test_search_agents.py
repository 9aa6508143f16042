"""No agent looks where it may not: its choice depends on what its seat observes and its seed."""

from __future__ import annotations

import random
from typing import Final

import numpy as np
import pytest

from agents.registry import make_agent
from belote_env.agent import act_batch
from belote_env.engine.state import OVER
from tests.agents.worlds import Position, random_line
from tests.observing import observe
from tests.property.test_information import redeals

AGENTS: Final = (
    "random",
    "heuristic",
    "ismcts(iterations=100, endgame=2, weights=heuristic)",
    "ismcts(iterations=100, observers=multiple, rollouts=heuristic)",
    "ismcts(iterations=100, observers=open, worlds=16, weights=heuristic)",
    "pimc(worlds=2, budget=1000)",
    "pimc(worlds=2, budget=1000, weights=heuristic)",
    "montecarlo(worlds=8)",
)


@pytest.mark.parametrize("spec", AGENTS)
@pytest.mark.parametrize("rules", ["classic", "contree", "classic_annonces"])
def test_no_choice_depends_on_unseen_cards(spec: str, rules: str):
    rng, compared = random.Random(spec), 0
    while compared < 20:
        line = random_line(rng, rules)
        start = line.until(rng.randrange(len(line.actions)))
        state = start.end().state
        if state["phase"][0] == OVER:
            continue
        seat = int(state["seat"][0])
        seen, mask = observe(start.rules, state, seat)
        chosen = act_batch(make_agent(spec, rules, seed=9), seen, mask)[0]
        assert mask[0, chosen]
        for game in redeals(rng, start, seat, tries=3):
            # The deal's own stream is another one too.
            again = Position(start.rules, game.state[0], seat).observation
            assert act_batch(make_agent(spec, rules, seed=9), again, mask)[0] == chosen
            compared += 1


@pytest.mark.parametrize("spec", [spec for spec in AGENTS if "(" in spec])
def test_a_decision_is_the_same_alone_and_in_a_batch(spec: str):
    rng = random.Random(4)
    line = random_line(rng, "classic")
    states = line.states()[:-1]
    seen = [observe(line.rules, states[i : i + 1], int(states["seat"][i])) for i in range(20)]
    observations = np.concatenate([obs for obs, _ in seen])
    masks = np.concatenate([mask for _, mask in seen])
    together = make_agent(spec, "classic", seed=3).act_batch(observations, masks)

    agent = make_agent(spec, "classic", seed=3)
    alone = [agent.act_batch(*seen[i])[0] for i in reversed(range(20))]
    assert together.tolist() == alone[::-1]
