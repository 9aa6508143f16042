"""Likely worlds are those in which the heuristic player would have done what the others did."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.heuristic import HeuristicAgent
from agents.heuristics.player import value_cards
from agents.search.beliefs import AT_RANDOM, HEURISTIC_SLIP, TEMPERATURE, Beliefs, Weights
from agents.search.determinize import num_worlds
from agents.search.knowledge import known_states
from belote_env.cards import NUM_CARDS
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data
from belote_env.engine.state import AUCTION, cards_played
from belote_env.game import Game
from belote_env.rules import resolve
from tests.agents.test_weights import KEY, in_play
from tests.agents.worlds import Position, decisions, packs, random_line
from tests.observing import observe

CALL_SLIP, TRUST = 0.25, 0.4
_value_cards = from_python(value_cards)


def beliefs(position: Position, weights: Weights = "heuristic", trust: float = TRUST) -> Beliefs:
    return Beliefs(rule_data(position.rules), weights, CALL_SLIP, trust)


def card_chances(game: Game, card: int) -> tuple[float, float]:
    """Chances of a card from who plays as the heuristic player does, and from anybody else."""
    legal = game.legal_actions()
    values = np.full(NUM_CARDS, np.nan)
    best = _value_cards(rule_data(game.rules)[0], game.state[0], values)
    assert np.flatnonzero(~np.isnan(values)).tolist() == legal
    assert values[best] == np.nanmax(values)
    soft = np.exp((values[legal] - values[best]) / TEMPERATURE)
    share = float(soft[legal.index(card)] / soft.sum())
    slip = HEURISTIC_SLIP / (len(legal) - 1)
    return (
        1 - HEURISTIC_SLIP if card == best else slip,
        (1 - AT_RANDOM) * share + AT_RANDOM / len(legal),
    )


def likelihood(position: Position, world: NDArray[np.uint32], trust: float) -> tuple[float, float]:
    """Weight and trust of a world, by playing the deal again with an agent beside it."""
    agent, weight = HeuristicAgent(position.rules), 1.0
    chances = np.ones((2, 2))  # of the cards of our side and of theirs, by what it may be
    game = Game(position.rules, seed=0)
    game.start_from(packs(position, world[None])[0].tolist(), int(position.state["dealer"]))
    state = position.state
    for action in [*state["calls"][: state["num_calls"]].tolist(), *cards_played(state)]:
        if game.seat != position.seat and len(game.legal_actions()) > 1:
            if game.state["phase"][0] == AUCTION:
                seen = observe(position.rules, game.state, game.seat)
                weight *= 1 if agent.act_batch(*seen)[0] == action else CALL_SLIP
            else:
                chances[(game.seat - position.seat) % 2] *= card_chances(game, action)
        game.step(action)
    chances *= [trust, 1 - trust]
    return weight * chances.sum(axis=1).prod(), chances[1, 0] / chances[1].sum()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("trust", [0, 0.4, 1])
def test_worlds_weigh_what_makes_the_others_do_what_they_did(seed: int, trust: float):
    position = in_play("contree", seed, hidden=12)  # all was dealt before the auction
    worlds = beliefs(position, trust=trust).pool(position.known, KEY)
    weights = np.diff(worlds.cumulative, prepend=0.0)

    assert len(set(weights)) > 3
    for k in range(40):
        weight, trusted = likelihood(position, worlds.hands[k], trust)
        assert weights[k] == pytest.approx(weight, abs=1e-12 * weights.sum())
        assert worlds.trust[k] == pytest.approx(trusted)


def test_worlds_are_drawn_in_proportion_to_their_weights():
    position = in_play("contree", 1, hidden=9)
    pool = beliefs(position).pool(position.known, KEY)
    drawn = beliefs(position).draw(position.known, KEY, 15)

    assert num_worlds(rule_data(position.rules), position.known) == len(pool.hands) > 15
    assert len(drawn.hands) < 15
    times = dict(zip(map(bytes, drawn.hands), 15 * drawn.shares, strict=True))
    trusts = dict(zip(map(bytes, drawn.hands), drawn.trust, strict=True))
    for hands, share, trust in zip(map(bytes, pool.hands), pool.shares, pool.trust, strict=True):
        assert abs(times.get(hands, 0) - 15 * share) < 1
        assert trusts.get(hands, trust) == trust


def test_what_a_side_plays_tells_whether_it_is_heuristic_players():
    """The true world's trust in opponents grows with the heuristic player's cards, and falls."""
    rules, agent = resolve("classic"), HeuristicAgent("classic")
    for follows in (True, False):
        game, rng = Game(rules, seed=0), random.Random(1)
        while game.state["num_played"][0] < 24:
            legal = game.legal_actions()
            action = int(agent.act_batch(*observe(rules, game.state, game.seat))[0])
            if not follows and action < NUM_CARDS and len(legal) > 1:
                action = rng.choice([card for card in legal if card != action])
            game.step(action)
        known = known_states(rules, observe(rules, game.state, game.seat)[0])
        pool = Beliefs(rule_data(rules), "heuristic", CALL_SLIP, TRUST).pool(known, KEY)
        true = np.roll(game.state["hands"][0], -game.seat)
        trust = pool.trust[(pool.hands == true).all(axis=1)]
        assert len(trust) == 1
        assert trust[0] > 0.99 if follows else trust[0] < 0.01


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
    with pytest.raises(ValueError, match=f"call_slip={slip}: use a number above 0 and at most 1"):
        Beliefs(rule_data(random_line(random.Random(1), "classic").rules), "uniform", slip, 1)


@pytest.mark.parametrize("trust", [-0.1, 1.1])
def test_trust_is_a_chance(trust: float):
    with pytest.raises(ValueError, match=f"trust={trust}: use a number of at least 0"):
        Beliefs(rule_data(random_line(random.Random(1), "classic").rules), "uniform", 1, trust)
