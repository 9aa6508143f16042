"""No agent looks where it may not: its choice depends on what its seat observes and its seed."""

from __future__ import annotations

import random
from typing import Any, Final

import numpy as np
import pytest

from agents.registry import make_agent
from belote_env import Game, SelfPlayVectorEnv
from belote_env.actions import TAKE
from belote_env.agent import act_batch
from belote_env.engine.state import OVER
from belote_env.observation import schema, views
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
    "pimc(worlds=4, budget=1000, hindsight=8, hindsight_budget=1000)",
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


@pytest.mark.parametrize(
    "spec", ["pimc(worlds=2)", "ismcts(iterations=20)", "montecarlo(worlds=2)"]
)
def test_masks_and_observations_that_cannot_be_are_refused(spec: str):
    agent: Any = make_agent(spec, seed=1)
    obs, mask, _ = SelfPlayVectorEnv(2, "classic", seed=1).reset()
    nothing = mask.copy()
    nothing[1] = 0
    for masks, message in (
        (nothing, r"^masks\[1\]: no action is legal"),
        (mask[:, :5], r"^masks: use int8 of shape \(2, 41\), got shape \(2, 5\)"),
        (mask[:1], r"^masks: use int8 of shape \(2, 41\), got shape \(1, 41\)"),
        (mask.astype(float), r"^masks: use int8 .* got float64"),
        (None, r"^masks=None: use int8"),
    ):
        with pytest.raises(ValueError, match=message):
            agent.act_batch(obs, masks)
    for seen, message in (
        (np.full_like(obs, 255), r"^observations\[0\]: byte 0 of 'hand' is 255"),
        (obs * 0, r"^observations\[0\]: 'dealer' has 0 flags"),
        (obs.astype(float), r"^observations: use uint8 \[N, 632\].* got float64"),
        (obs.tolist(), r"^observations=.*: use uint8 \[N, 632\]"),
    ):
        with pytest.raises(ValueError, match=message):
            agent.act_batch(seen, mask)


def test_a_hand_that_no_deal_gives_is_refused():
    game = Game("classic", seed=3)
    game.step(TAKE + int(game.state["deck"][0, 20]) // 8)
    game.step(game.legal_actions()[0])
    obs, mask = observe(game.rules, game.state, game.seat)
    views(obs, schema("classic"))["hand"][:] = 0
    mask[:, :2] = 1
    with pytest.raises(ValueError, match="observation: no deal can have led to it"):
        make_agent("montecarlo(worlds=2)", seed=1).act_batch(obs, mask)
