"""A game in Python: the order of its calls, and what is refused."""

from __future__ import annotations

import random
from typing import Any

import pytest

from belote_env import Game, IllegalActionError
from belote_env.cards import NUM_CARDS
from belote_env.rules import PRESETS


def finished(rules: str = "classic", episode: Any = "match", seed: int = 0) -> Game:
    """A game whose first deal is over and not yet entered."""
    game = Game(rules, episode, seed=seed)
    rng = random.Random(seed)
    while not game.over:
        game.step(rng.choice(game.legal_actions()))
    return game


def test_a_deal_in_progress_is_neither_ended_nor_followed():
    game = Game("classic", "match", seed=1)
    before = game.clone().tobytes()
    for call in (game.end_deal, game.begin_deal):
        with pytest.raises(ValueError, match=r"_deal\(\): the deal is not over, seat \d is to act"):
            call()

    assert game.state.tobytes() == before


@pytest.mark.parametrize("rules", PRESETS)
def test_a_deal_is_entered_once(rules: str):
    for seed in range(8):
        game = finished(rules, seed=seed)
        game.restore(game.clone())
        if game.end_deal():
            continue
        before = game.clone()
        game.restore(before)
        with pytest.raises(ValueError, match=r"^end_deal\(\): the deal was entered before"):
            game.end_deal()

        assert game.state.tobytes() == before.tobytes()
        game.begin_deal()


def test_a_void_deal_is_entered_once():
    game = Game("classic", "match", seed=1)
    while not game.over:
        game.step(game.legal_actions()[0])
    assert not game.end_deal()
    with pytest.raises(ValueError, match=r"^end_deal\(\): the deal was entered before"):
        game.end_deal()


def test_a_match_that_is_over_has_no_next_deal():
    game = finished("classic+target=1+belote_only_finish=free")
    while not game.end_deal():
        game.begin_deal()
        while not game.over:
            game.step(game.legal_actions()[-1])
    with pytest.raises(ValueError, match=r"^begin_deal\(\): the match is over: start\(\)"):
        game.begin_deal()


def test_a_match_is_new_or_not():
    game = Game("classic", seed=1)
    before = game.clone().tobytes()
    wrong: Any = "no"
    with pytest.raises(ValueError, match="new_match='no': use True or False"):
        game.start_from(range(NUM_CARDS), 0, new_match=wrong)

    assert game.state.tobytes() == before


def test_an_action_of_thousands_of_digits_is_refused_as_any_other():
    with pytest.raises(IllegalActionError, match=r"illegal action of 16610 bits \(outside 0-40\)"):
        Game(seed=1).step(10**5000)


@pytest.mark.parametrize(("rules", "last"), [("classic", 40), ("contree", 108)])
def test_the_actions_of_the_rules_are_named(rules: str, last: int):
    with pytest.raises(IllegalActionError, match=rf"action {last + 1} \(outside 0-{last}\)"):
        Game(rules, seed=1).step(last + 1)
