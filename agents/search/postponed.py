"""Perfect information postponed: who plays next does not see all hands yet (EPIMC).

Each world's solver lets everybody play as if he saw all hands.  Here that begins only some cards
later.  Until then a seat plays the same card in all worlds that it cannot tell apart: those in
which the same cards have fallen and it holds the same hand.  It takes the one that is best on
average over them, each as likely as it was before.

Source: Arjonilla, Saffidine and Cazenave 2024, "Perfect Information Monte Carlo with Postponing
Reasoning", of which this is the form without search for an equilibrium: worlds do not get less
likely by what the others would have played in them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from belote_env.cards import NUM_CARDS, iter_cards
from belote_env.engine.jit import kernel
from belote_env.engine.state import copy_states
from belote_env.engine.step import legal_plays, step

Values: TypeAlias = NDArray[np.float64]
"""What each card is worth to seat 0's side, counted in two ways, [n, 32, 2]; 0 if not legal."""
Solver: TypeAlias = Callable[[NDArray[Any]], Values]
"""Values of the legal cards in some worlds, states [n], if all hands are seen."""


@kernel
def _legal_plays(rules: Any, states: Any, legal: Any) -> None:
    for i in range(len(states)):
        legal[i] = legal_plays(rules[0], states[i])


@kernel
def _play(rules: Any, states: Any, card: int) -> None:
    for i in range(len(states)):
        step(rules[0], states[i], card)


def value_cards_ahead(
    rules: NDArray[Any],
    states: NDArray[Any],
    weights: NDArray[np.float64],
    postpone: int,
    main: int,
    solve: Solver,
) -> Values:
    """Values of the legal cards in worlds that share what has been called and played.

    Args:
        rules: rule data, shape (1,), of four players and `announce: auto`.
        states: the worlds, in the play, shape (n,).
        weights: how likely they are, float64 [n].
        postpone: how many cards are played after the next one before all hands are seen, less
            than there are cards to play.
        main: column of the values that the seats choose by; the other one settles ties.
        solve: values each world as if all hands were seen.
    """
    if postpone == 0 or _told_apart(states, postpone):
        return solve(states)
    legal = _legal(rules, states)
    values = np.zeros((len(states), NUM_CARDS, 2))
    for card in iter_cards(int(np.bitwise_or.reduce(legal))):
        rows = np.flatnonzero(legal >> card & 1)
        after = copy_states(states[rows])
        _play(rules, after, card)
        ahead = value_cards_ahead(rules, after, weights[rows], postpone - 1, main, solve)
        values[rows, card] = _chosen(rules, after, weights[rows], ahead, main)
    return values


def _legal(rules: NDArray[Any], states: NDArray[Any]) -> NDArray[np.int64]:
    legal = np.empty(len(states), np.int64)
    _legal_plays(rules, states, legal)
    return legal


def _told_apart(states: NDArray[Any], postpone: int) -> bool:
    """Whether the seats that play while all is not seen know the world by their own hand."""
    if len(states) == 1:
        return True
    if (int(states["num_played"][0]) & 3) + postpone > 3:
        return False  # who leads to the next trick is open
    seat = int(states["seat"][0])
    hands = states["hands"]
    return all(
        len(np.unique(hands[:, (seat + turn) & 3])) == len(states)
        for turn in range(1, postpone + 1)
    )


def _chosen(
    rules: NDArray[Any],
    states: NDArray[Any],
    weights: NDArray[np.float64],
    values: Values,
    main: int,
) -> NDArray[np.float64]:
    """Values of the card that the seat to act plays in each world, [n, 2]."""
    seat = int(states["seat"][0])
    _, first, group = np.unique(states["hands"][:, seat], return_index=True, return_inverse=True)
    sums = np.zeros((len(first), NUM_CARDS, 2))
    np.add.at(sums, group, weights[:, None, None] * values)
    sums *= 1 - 2 * (seat & 1)
    legal = _legal(rules, states[first])[:, None] >> np.arange(NUM_CARDS) & 1 != 0
    worth = np.where(legal, sums[:, :, main], -np.inf)
    equal = worth == worth.max(axis=1, keepdims=True)
    best = np.where(equal, sums[:, :, 1 - main], -np.inf).argmax(axis=1)
    return values[np.arange(len(states)), best[group]]
