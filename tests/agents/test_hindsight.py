"""Worlds are less likely in which an opponent had a better card, with all hands seen."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.search.determinize import sample_worlds
from agents.search.double_dummy import UNLIMITED, new_table, solve_cards
from agents.search.hindsight import HARDLY, judge_worlds
from agents.search.pimc import PimcAgent
from belote_env.engine.options import rule_data
from belote_env.engine.state import PLAY, cards_played
from belote_env.game import Game
from tests.agents.test_weights import KEY
from tests.agents.worlds import FOUR_PLAYERS, Position, decisions, packs, random_line

SLIP = 0.25
MOST_SLIPS = 5
"""With so many a world is hardly possible (HARDLY), so no more are looked for."""


def mistakes(position: Position, world: NDArray[np.uint32], most_cards: int) -> int:
    """Cards of opponents that were not their best ones, by playing the deal again."""
    found = 0
    game = Game(position.rules, seed=0)
    game.start_from(packs(position, world[None])[0].tolist(), int(position.state["dealer"]))
    state = position.state
    for action in [*state["calls"][: state["num_calls"]].tolist(), *cards_played(state)]:
        hand = int(game.state["hands"][0, game.seat])
        opponent = (game.seat - position.seat) % 2 == 1
        judged = game.state["phase"][0] == PLAY and hand.bit_count() <= most_cards
        if opponent and judged and len(game.legal_actions()) > 1:
            margins = solve_cards(position.rules, game.state).lower[0]
            side = 1 - 2 * (game.seat % 2)
            found += max(margins[card] * side for card in game.legal_actions()) > (
                margins[action] * side
            )
        game.step(action)
    return found


def positions(rules: str, seed: int, num: int) -> list[Position]:
    """Positions of the play, a deal each, one trick or more after its start."""
    rng = random.Random(seed)
    found = []
    while len(found) < num:
        late = [p for p in decisions(random_line(rng, rules)) if p.state["num_played"] > 4]
        late = [p for p in late if p.state["phase"] == PLAY and p.state["bid"] < 10]
        if late:
            found.append(rng.choice(late))
    return found


@pytest.mark.parametrize("rules", FOUR_PLAYERS)
def test_every_card_that_was_not_the_best_is_a_slip(rules: str):
    judged = 0
    for position in positions(rules, 3, 6):
        data = rule_data(position.rules)
        for most_cards in (5, 8):
            worlds = np.empty((4, 4), np.uint32)
            sample_worlds(data, position.known, KEY, 0, worlds)
            chances = np.empty(4)
            given = data, position.known, worlds, KEY, most_cards, SLIP
            judge_worlds(*given, UNLIMITED, new_table(), chances)
            slips = np.array([mistakes(position, w, most_cards) for w in worlds])
            np.testing.assert_allclose(chances, SLIP ** np.minimum(slips, MOST_SLIPS))
            judged += slips.sum()

            for budget in (0, 30, 300, 3_000):
                in_part = np.empty(4)
                judge_worlds(*given, budget, new_table(), in_part)
                assert (in_part >= chances).all()
                assert budget or (in_part == 1).all()

    assert judged > 5


def test_a_world_is_given_up_when_it_is_hardly_possible():
    assert SLIP**MOST_SLIPS < HARDLY < SLIP ** (MOST_SLIPS - 1)


def test_worlds_count_by_how_good_the_opponents_cards_were_in_them():
    changed = 0
    for position in positions("classic", 5, 12):
        plain = PimcAgent("classic", worlds=16).evaluate(position.known, KEY)
        same = PimcAgent("classic", worlds=16, hindsight=6, card_slip=1.0)
        judged = PimcAgent("classic", worlds=16, hindsight=6, card_slip=0.01)
        in_threads = PimcAgent("classic", worlds=16, hindsight=6, card_slip=0.01, threads=3)

        np.testing.assert_allclose(same.evaluate(position.known, KEY), plain)
        by_one = judged.evaluate(position.known, KEY)
        np.testing.assert_allclose(in_threads.evaluate(position.known, KEY), by_one)
        changed += not np.allclose(by_one, plain)

    assert changed
