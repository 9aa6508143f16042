"""Worlds are less likely in which an opponent had a better card, with all hands seen."""

from __future__ import annotations

import random
from math import log

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.search.determinize import list_worlds, num_worlds, sample_worlds
from agents.search.double_dummy import NOT_LEGAL, UNLIMITED, new_table, solve_cards
from agents.search.hindsight import judge_worlds
from agents.search.pimc import PimcAgent
from belote_env.engine.options import rule_data
from belote_env.engine.state import PLAY, cards_played, new_states
from belote_env.game import Game
from tests.agents.test_weights import KEY
from tests.agents.worlds import FOUR_PLAYERS, Position, decisions, packs, random_line

SLIP = 0.25


def mistakes(position: Position, world: NDArray[np.uint32], most_cards: int) -> list[bool]:
    """Which cards of opponents were not their best ones, by playing the deal again."""
    found: list[bool] = []
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
            best = max(margins[card] * side for card in game.legal_actions())
            found.append(best > margins[action] * side)
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


def drawn(position: Position, num: int) -> NDArray[np.uint32]:
    worlds = np.empty((num, 4), np.uint32)
    sample_worlds(rule_data(position.rules), position.known, KEY, 0, worlds)
    return worlds


def listed(position: Position, num: int) -> NDArray[np.uint32]:
    worlds = np.empty((num, 4), np.uint32)
    assert list_worlds(rule_data(position.rules), position.known, worlds) == num
    return worlds


def judge(
    position: Position, worlds: NDArray[np.uint32], most_cards: int, budget: int = UNLIMITED
) -> NDArray[np.float64]:
    chances = np.empty(len(worlds))
    given = rule_data(position.rules), position.known, worlds, KEY, most_cards, SLIP
    judge_worlds(*given, budget, new_table(), chances)
    return chances


@pytest.mark.parametrize("rules", FOUR_PLAYERS)
def test_every_card_that_was_not_the_best_is_a_slip(rules: str):
    judged = 0
    for position in positions(rules, 3, 6):
        for most_cards in (5, 8):
            worlds = drawn(position, 4)
            slips = [mistakes(position, world, most_cards) for world in worlds]
            chances = judge(position, worlds, most_cards)
            np.testing.assert_allclose(chances, [SLIP ** sum(found) for found in slips])
            judged += sum(map(sum, slips))

            for world, found in zip(worlds, slips, strict=True):
                # The last cards are judged, the more the larger the budget.
                within = [sum(found[start:]) for start in range(len(found) + 1)]
                before = 0
                for budget in (0, 30, 300, 3_000):
                    (chance,) = judge(position, world[None], most_cards, budget)
                    num = round(log(chance) / log(SLIP))
                    assert num in within
                    assert before <= num <= (sum(found) if budget else 0)
                    before = num

    assert judged > 5


@pytest.mark.parametrize("budget", [100, 1_000, 10_000])
def test_a_world_is_judged_the_same_beside_others(budget: int):
    told_apart = 0
    for position in positions("classic", 5, 12):
        worlds = drawn(position, 40)
        chances = judge(position, worlds, 8, budget)
        alone = [judge(position, world[None], 8, budget)[0] for world in worlds]
        np.testing.assert_array_equal(chances, alone)
        told_apart += len(np.unique(chances)) > 1

    assert told_apart > 3


def test_worlds_count_by_how_good_the_opponents_cards_were_in_them():
    changed = 0
    for position in positions("classic", 5, 12):
        plain = PimcAgent("classic", worlds=16).evaluate(position.known, KEY)
        same = PimcAgent("classic", worlds=16, hindsight=6, card_slip=1.0)
        by_one, by_three = (
            PimcAgent(
                "classic",
                worlds=16,
                hindsight=8,
                hindsight_budget=3_000,
                card_slip=0.01,
                threads=threads,
            ).evaluate(position.known, KEY)
            for threads in (1, 3)
        )

        np.testing.assert_allclose(same.evaluate(position.known, KEY), plain)
        np.testing.assert_allclose(by_three, by_one)
        changed += not np.allclose(by_one, plain)

    assert changed


def test_means_are_those_of_the_worlds_by_their_chances():
    compared = 0
    for position in positions("classic", 7, 30):
        num = num_worlds(rule_data(position.rules), position.known)
        if num > 100:
            continue
        worlds = listed(position, num)
        chances = judge(position, worlds, 8)
        states = new_states(num)
        states[:] = position.known
        states["hands"] = worlds
        margins = solve_cards("classic", states).lower
        by_clock = PimcAgent(
            "classic", time_ms=60_000, objective="points", hindsight=8, card_slip=SLIP
        )
        by_number = PimcAgent(
            "classic", worlds=100, objective="points", hindsight=8, card_slip=SLIP
        )

        for agent in (by_clock, by_number):
            means = agent.evaluate(position.known, KEY)[:, 1]
            for card in np.flatnonzero(margins[0] != NOT_LEGAL):
                assert means[card] == pytest.approx(margins[:, card] @ chances / chances.sum())
        compared += 1

    assert compared > 2
