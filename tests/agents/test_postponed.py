"""Perfect information postponed: seats choose a card for all worlds that they cannot tell apart."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.search.determinize import num_worlds, sample_worlds
from agents.search.double_dummy import NOT_LEGAL, solve_cards
from agents.search.pack import enter_world
from agents.search.pimc import PimcAgent
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data
from belote_env.engine.state import OVER, copy_states
from belote_env.engine.step import legal_at, step_at
from belote_env.rules import RuleSet, resolve
from tests.agents.test_ismcts import legal_of
from tests.agents.test_weights import KEY, in_play

_enter = from_python(enter_world)
Worths = list[NDArray[np.int64]]
"""Marks and margin of seat 0's side in each of some worlds."""


def after(rules: RuleSet, states: list[NDArray[Any]], card: int) -> list[NDArray[Any]]:
    children = [copy_states(state) for state in states]
    for child in children:
        step_at(rule_data(rules), child, 0, card)
    return children


def cards_of(rules: RuleSet, state: NDArray[Any]) -> list[int]:
    legal = int(legal_at(rule_data(rules), state, 0)[0])
    return [card for card in range(32) if legal >> card & 1]


def all_seen(rules: RuleSet, state: NDArray[Any]) -> NDArray[np.int64]:
    """What a deal comes to if from here on everybody sees all hands."""
    while state["phase"][0] != OVER:
        margins = solve_cards(rules, state).lower[0]
        side = 1 - 2 * (int(state["seat"][0]) % 2)
        best = max(np.flatnonzero(margins != NOT_LEGAL), key=lambda card: margins[card] * side)
        state = after(rules, [state], int(best))[0]
    ends = state["marks"][0], state["points"][0]
    return np.array([int(end[0]) - int(end[1]) for end in ends])


def worths(rules: RuleSet, states: list[NDArray[Any]], hidden: int) -> Worths:
    """What some worlds come to, the next ``hidden`` cards played without seeing all hands."""
    if hidden == 0 or states[0]["phase"][0] == OVER:
        return [all_seen(rules, state) for state in states]
    seat = int(states[0]["seat"][0])
    by_card: dict[int, dict[int, NDArray[np.int64]]] = defaultdict(dict)
    groups: dict[int, list[int]] = defaultdict(list)
    for k, state in enumerate(states):
        groups[int(state["hands"][0, seat])].append(k)
    for card in range(32):
        rows = [k for k, state in enumerate(states) if card in cards_of(rules, state)]
        if rows:
            children = after(rules, [states[k] for k in rows], card)
            by_card[card] = dict(zip(rows, worths(rules, children, hidden - 1), strict=True))
    found: Worths = [np.zeros(2, np.int64)] * len(states)
    for rows in groups.values():
        cards = cards_of(rules, states[rows[0]])
        side = 1 - 2 * (seat % 2)
        total = {card: np.sum([by_card[card][k] for k in rows], axis=0) * side for card in cards}
        best = max(cards, key=lambda card: tuple(total[card]))
        for k in rows:
            found[k] = by_card[best][k]
    return found


@pytest.mark.parametrize("name", ["classic", "contree"])
@pytest.mark.parametrize("postpone", [1, 2, 3, 4])
def test_values_are_those_of_the_tree_written_out(name: str, postpone: int):
    rules = resolve(name)
    data, compared = rule_data(rules), 0
    agent = PimcAgent(rules, worlds=6, postpone=postpone)
    for seed, hidden in enumerate((5, 6, 7, 8)):
        position = in_play(name, seed, hidden)
        known = position.known
        if num_worlds(data, known) <= 6 or known["num_played"][0] == 31:
            continue
        worlds = np.empty((6, 4), np.uint32)
        sample_worlds(data, known, KEY, 0, worlds)
        states = [copy_states(known) for _ in worlds]
        for state, world in zip(states, worlds, strict=True):
            _enter(data[0], state[0], world, KEY)

        means = agent.evaluate(known, KEY)

        for card in legal_of(position):
            expected = np.mean(worths(rules, after(rules, states, card), postpone), axis=0)
            np.testing.assert_allclose(means[card], expected)
            compared += 1
    assert compared >= 4


def test_the_next_card_of_the_seat_itself_is_not_chosen_world_by_world():
    rules = resolve("classic")
    gaps: list[float] = []
    for seed in range(60):
        position = in_play("classic", seed, hidden=9)
        known = position.known
        if num_worlds(rule_data(rules), known) < 12:
            continue
        seen = PimcAgent(rules, worlds=12, seed=1).evaluate(known, KEY)
        later = PimcAgent(rules, worlds=12, postpone=1, seed=1).evaluate(known, KEY)
        gaps += [
            seen[card, 0] - later[card, 0]
            for card in legal_of(position)
            if after(rules, [known], card)[0]["seat"][0] == 0  # it wins the trick and leads
        ]

    assert min(gaps) >= 0
    assert max(gaps) > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"postpone": 5}, "postpone=5: use a whole number 0-4"),
        ({"postpone": 1, "time_ms": 5}, "time_ms=5: use None, and worlds instead"),
        ({"postpone": 1, "postpone_hand": 9}, "postpone_hand=9: use a whole number 1-8"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        PimcAgent(**options)
