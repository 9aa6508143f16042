"""Likely worlds are those in which the heuristic player would have done what the others did."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.heuristic import HeuristicAgent
from agents.search.beliefs import Beliefs, Weights
from agents.search.determinize import num_worlds
from belote_env.engine.options import rule_data
from belote_env.engine.state import AUCTION, cards_played
from belote_env.game import Game
from tests.agents.test_weights import KEY, in_play
from tests.agents.worlds import Position, decisions, packs, random_line
from tests.observing import observe

CALL_SLIP, CARD_SLIP = 0.25, 0.5


def beliefs(position: Position, weights: Weights = "heuristic") -> Beliefs:
    return Beliefs(rule_data(position.rules), weights, CALL_SLIP, CARD_SLIP)


def likelihood(position: Position, world: NDArray[np.uint32]) -> float:
    """The weight of a world, by playing the deal again with an agent beside it."""
    agent, weight = HeuristicAgent(position.rules), 1.0
    game = Game(position.rules, seed=0)
    game.start_from(packs(position, world[None])[0].tolist(), int(position.state["dealer"]))
    state = position.state
    for action in [*state["calls"][: state["num_calls"]].tolist(), *cards_played(state)]:
        if game.seat != position.seat and len(game.legal_actions()) > 1:
            slip = CALL_SLIP if game.state["phase"][0] == AUCTION else CARD_SLIP
            seen = observe(position.rules, game.state, game.seat)
            if agent.act_batch(*seen)[0] != action:
                weight *= slip
        game.step(action)
    return weight


@pytest.mark.parametrize("seed", range(3))
def test_each_decision_that_the_heuristic_player_would_not_make_costs_a_slip(seed: int):
    position = in_play("contree", seed, hidden=12)  # all was dealt before the auction
    worlds = beliefs(position).pool(position.known, KEY)
    weights = np.diff(worlds.cumulative, prepend=0.0)

    assert len(set(weights)) > 3
    for k in range(40):
        assert weights[k] == pytest.approx(likelihood(position, worlds.hands[k]))


def test_worlds_are_drawn_in_proportion_to_their_weights():
    position = in_play("contree", 1, hidden=9)
    pool = beliefs(position).pool(position.known, KEY)
    weights = Counter[bytes]()
    for hands, weight in zip(pool.hands, np.diff(pool.cumulative, prepend=0.0), strict=True):
        weights[hands.tobytes()] += weight / pool.cumulative[-1]
    total = num_worlds(rule_data(position.rules), position.known)
    drawn = beliefs(position).draw(position.known, KEY, total - 1)

    counts = Counter(hands.tobytes() for hands in drawn.hands)
    assert set(counts) <= set(weights)
    for world, share in weights.items():
        spread = (share * (1 - share) / len(drawn.hands)) ** 0.5
        assert abs(counts[world] / len(drawn.hands) - share) < 5 * spread + 1e-9


@pytest.mark.parametrize("weights", ["uniform", "heuristic"])
def test_all_worlds_are_taken_where_there_are_few(weights: Weights):
    position = in_play("classic", 0, hidden=6)
    total = num_worlds(rule_data(position.rules), position.known)
    worlds = beliefs(position, weights).draw(position.known, KEY, total)

    assert len({hands.tobytes() for hands in worlds.hands}) == len(worlds.hands) == total
    if weights == "uniform":
        assert (np.diff(worlds.cumulative) == 1).all()


def test_without_weights_there_is_no_pool():
    position = decisions(random_line(random.Random(1), "classic"))[0]

    assert len(beliefs(position, "uniform").pool(position.known, KEY).hands) == 0


@pytest.mark.parametrize("slip", [0, -0.5, 1.5])
def test_a_slip_is_a_chance(slip: float):
    with pytest.raises(ValueError, match=f"call_slip={slip}: use a number above 0 and up to 1"):
        Beliefs(rule_data(random_line(random.Random(1), "classic").rules), "uniform", slip, 1)
