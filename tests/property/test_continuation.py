"""A state is all there is to a game: copied, pickled or replayed, it continues the same way."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belote_env.engine.state import STATE_DTYPE
from belote_env.engine.step import legal_at, step_at
from belote_env.game import Game
from belote_env.rules import RuleSet
from tests.property.strategies import Line, play_out, raw, rule_sets


def pickled(game: Game) -> Game:
    return pickle.loads(pickle.dumps(game))


def restored(game: Game) -> Game:
    other = Game(game.rules, "match", seed=5)
    other.restore(pickle.loads(pickle.dumps(game.clone())))
    return other


COPIES = (copy.deepcopy, pickled, restored)


@st.composite
def matches(draw: st.DrawFn) -> Game:
    """A match somewhere in its first deals."""
    game = Game(draw(rule_sets), "match", seed=draw(st.integers(0, 999)))
    play_on(game, random.Random(draw(st.integers(0, 999))), draw(st.integers(0, 100)))
    return game


def play_on(game: Game, rng: random.Random, actions: int) -> list[bytes]:
    """Play a match for some actions at random; the states on the way."""
    states: list[bytes] = []
    for _ in range(actions):
        game.step(rng.choice(game.legal_actions()))
        states.append(raw(game.state))
        if game.over and game.end_deal():
            game.start()
        elif game.over:
            game.begin_deal()
    return states


@pytest.mark.parametrize("copied", COPIES)
@given(game=matches(), seed=st.integers(0, 99))
def test_a_copy_continues_like_the_original(copied: Callable[[Game], Game], game: Game, seed: int):
    other = copied(game)

    assert play_on(game, random.Random(seed), 50) == play_on(other, random.Random(seed), 50)


@pytest.mark.parametrize("copied", COPIES)
@given(game=matches())
def test_playing_a_copy_leaves_the_original_alone(copied: Callable[[Game], Game], game: Game):
    before = raw(game.state)

    play_on(copied(game), random.Random(0), 10)

    assert raw(game.state) == before


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_compiles_nothing_anew(copied: Callable[[Game], Game]):
    game = Game("classic", seed=0)
    game.step(game.legal_actions()[0])
    signatures = len(legal_at.signatures), len(step_at.signatures)

    other = copied(game)
    other.step(other.legal_actions()[0])

    assert (len(legal_at.signatures), len(step_at.signatures)) == signatures


@given(rule_sets, st.integers(0, 999))
def test_a_deal_is_replayed_from_its_pack_and_actions(rules: RuleSet, seed: int):
    game = Game(rules, seed=seed)
    deck, dealer = game.state["deck"][0].tolist(), int(game.state["dealer"][0])
    actions = play_out(game, random.Random(seed))

    again = Line(rules, dealer, tuple(deck), actions).end()

    for field in set(STATE_DTYPE.names or ()) - {"key", "deal"}:
        np.testing.assert_array_equal(again.state[field], game.state[field], field)
