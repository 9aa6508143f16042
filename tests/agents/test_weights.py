"""Weights of worlds by what a policy would have done in them."""

from __future__ import annotations

import random
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.search.determinize import sample_worlds
from agents.search.pack import enter_world, lay_pack
from agents.search.weights import world_weights
from belote_env.actions import PASS
from belote_env.cards import HAND_SIZE
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data
from belote_env.engine.state import AUCTION, cards_played
from belote_env.game import Game
from belote_env.observation import schema, views
from tests.agents.worlds import Position, decisions, packs, random_line
from tests.observing import observe

KEY: Final = np.uint64(7)
enter = from_python(enter_world)
lay = from_python(lay_pack)


def play_high(obs: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[np.float64]:
    """Each action twice as likely as the legal one below, the masters four times as likely."""
    weights = masks * 2.0 ** np.cumsum(masks, axis=1)
    masters = views(obs, schema("contree"))["masters"]
    weights[:, :32] *= 1 + 3.0 * masters
    return weights / weights.sum(axis=1, keepdims=True)


def uniform(obs: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[np.float64]:
    return masks / masks.sum(axis=1, keepdims=True)


def replayed(position: Position, world: NDArray[np.uint32]) -> float:
    """Probability of what the other seats did in a deal without words, step by step."""
    game = Game(position.rules, seed=0)
    game.start_from(packs(position, world[None])[0].tolist(), int(position.state["dealer"]))
    state = position.state
    product = 1.0
    for action in [*state["calls"][: state["num_calls"]].tolist(), *cards_played(state)]:
        if game.seat != position.seat:
            product *= play_high(*observe(position.rules, game.state, game.seat))[0, action]
        game.step(action)
    return product


def in_play(rules: str, seed: int, hidden: int) -> Position:
    rng = random.Random(seed)
    while True:
        for position in decisions(random_line(rng, rules)):
            if position.state["phase"] != AUCTION and len(position.hidden) == hidden:
                return position


def worlds_of(position: Position, num: int) -> NDArray[np.uint32]:
    worlds = np.zeros((num, 4), np.uint32)
    assert sample_worlds(rule_data(position.rules), position.known, KEY, 0, worlds) == num
    return worlds


@pytest.mark.parametrize("seed", range(3))
def test_a_weight_is_the_chance_of_what_the_others_did(seed: int):
    position = in_play("contree", seed, hidden=12)
    worlds = worlds_of(position, 10)
    chances = np.array([replayed(position, world) for world in worlds])

    weights = world_weights(position.rules, position.known, worlds, play_high, KEY)
    tempered = world_weights(position.rules, position.known, worlds, play_high, KEY, temper=0.5)

    np.testing.assert_allclose(weights, chances / chances.sum())
    np.testing.assert_allclose(tempered, chances**0.5 / (chances**0.5).sum())
    assert weights.max() > 2 * weights.min()


@pytest.mark.parametrize("rules", ["classic", "sans_tout_atout", "coinche+announce=choice"])
def test_what_was_done_was_legal_in_every_world(rules: str):
    def policy(obs: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        assert (masks.sum(axis=1) > 1).all()
        return uniform(obs, masks)

    rng = random.Random(rules)
    for position in rng.choices(decisions(random_line(rng, rules)), k=12):
        worlds = worlds_of(position, 20)
        weights = world_weights(position.rules, position.known, worlds, policy, KEY)
        assert weights.sum() == pytest.approx(1)
        assert (weights > 0).all()


def take_with_three(obs: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[np.float64]:
    """Takes in the first round with three of the suit among the first five cards, hardly else."""
    seen = views(obs, schema("classic"))
    chances = uniform(obs, masks)
    calling = masks[:, PASS] == 1
    assert (seen["hand"][calling].sum(axis=1) == 5).all()
    turned_suit = np.repeat(seen["turned"].reshape(-1, 4, 8).max(axis=2), 8, axis=1)
    held = (seen["hand"] * turned_suit).sum(axis=1)
    taking = np.where(held >= 3, 0.9, 0.001)[calling, None]
    chances[calling] = masks[calling] * taking
    chances[calling, PASS] = 1 - taking[:, 0]
    return chances


def test_calls_are_weighed_by_the_cards_held_then():
    rng = random.Random(9)
    position = next(
        p
        for _ in range(1000)
        for p in decisions(random_line(rng, "classic"))
        if p.state["num_played"] == 1
        and p.state["num_calls"] <= 3
        and p.state["taker"] not in (p.seat, -1)
    )
    worlds = worlds_of(position, 4000)
    weights = world_weights(position.rules, position.known, worlds, take_with_three, KEY)
    taker = (int(position.state["taker"]) - position.seat) % 4
    suit = np.uint32(0xFF << 8 * int(position.state["contract"]))
    trumps = np.bitwise_count(worlds[:, taker] & suit)

    assert weights @ trumps > trumps.mean() + 0.5


def test_a_bad_policy_is_refused():
    position = in_play("contree", 1, hidden=12)
    worlds = worlds_of(position, 4)
    args = (position.rules, position.known, worlds)

    with pytest.raises(ValueError, match="one that gives what was done a chance"):
        world_weights(*args, lambda obs, masks: np.zeros(masks.shape), KEY)
    with pytest.raises(ValueError, match=r"returns an array of shape \(\d+, 109\)"):
        world_weights(*args, lambda obs, masks: np.zeros(len(masks)), KEY)
    with pytest.raises(ValueError, match="temper=0: use a number above 0"):
        world_weights(*args, uniform, KEY, temper=0)
    with pytest.raises(ValueError, match="at least one world"):
        world_weights(position.rules, position.known, worlds[:0], uniform, KEY)


# States of worlds ----------------------------------------------------------------------------


def entered(position: Position, world: NDArray[np.uint32], key: int = 1) -> Game:
    """A game that goes on in a world, with a pack that deals it."""
    game = Game(position.rules, seed=0)
    state = position.known
    enter(rule_data(position.rules)[0], state[0], world, np.uint64(key))
    lay(rule_data(position.rules)[0], state[0], np.uint64(key))
    game.restore(state)
    return game


@pytest.mark.parametrize("rules", ["classic", "sans_tout_atout", "contree_ffb", "coinche"])
def test_the_engine_plays_on_in_a_world(rules: str):
    rng = random.Random(rules)
    for position in rng.choices(decisions(random_line(rng, rules)), k=10):
        game = entered(position, position.world)
        obs, _ = observe(position.rules, game.state, 0)
        assert (obs == position.observation).all()
        while not game.over:
            game.step(rng.choice(game.legal_actions()))
            hands = game.state["hands"][0] | game.state["fallen"][0]
            if game.state["num_played"][0]:
                assert [int(hand).bit_count() for hand in hands] == [HAND_SIZE] * 4


def test_cards_still_to_be_dealt_are_as_likely_at_every_place():
    rng = random.Random(11)
    position = decisions(random_line(rng, "classic"))[0]
    world = worlds_of(position, 1)[0]
    decks = np.array([entered(position, world, key).state["deck"][0] for key in range(4000)])
    stock = sorted(decks[0, 21:].tolist())
    places = np.array([(decks[:, 21:] == card).mean(axis=0) for card in stock])

    assert (np.sort(decks, axis=1) == np.arange(32)).all()
    assert (decks[:, 20] == decks[0, 20]).all()
    spread = (1 / 11 * 10 / 11 / len(decks)) ** 0.5
    assert np.abs(places - 1 / 11).max() < 4.5 * spread
