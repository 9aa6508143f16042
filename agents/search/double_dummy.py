"""Double-dummy solver: what a deal is worth, and each card, when all hands are seen.

    >>> solution = solve_cards("classic", states)      # states of the play, dtype STATE_DTYPE
    >>> solution.lower[0], solution.upper[0]           # by card, equal unless a budget ran out
    >>> final_points("classic", contract, solution.lower[:, card])

A *margin* is the trick points of team 0 less those of team 1 at the end of the deal, with der and
capot, when each side plays for its own as best it can.  Capot is the highest margin and the lowest,
so marks, which never fall as a side's trick points rise, follow from it.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from agents.search.solver_bounds import neighbours
from agents.search.solver_input import check_margins, check_rules, check_states
from agents.search.solver_search import search, set_up, value_range
from agents.search.solver_table import begin_epoch, check_table, new_table
from agents.search.solver_words import BONUS, BUDGET, HANDS, POINTS, UNKNOWN, WORTH, workspace
from belote_env.cards import NUM_CARDS, NUM_CONTRACTS
from belote_env.checks import check_whole
from belote_env.engine.bits import lowest_bit
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.options import rule_data
from belote_env.engine.step import legal_plays
from belote_env.rules import RuleSet, resolve

NOT_LEGAL: Final = -1
"""Bounds of a card that may not be played; margins are even."""
UNLIMITED: Final = 1 << 62
"""A budget that is never used up."""
FIRST_STEP: Final = 16
"""Of questions about a value that is a guess in the dark."""
NEXT_STEP: Final = 2
"""Where another card's is known."""


class Solution(NamedTuple):
    """Bounds on the margin after each card of some positions.

    Attributes:
        lower: int64 [N, 32], NOT_LEGAL for a card that may not be played.
        upper: the same; equal to ``lower`` unless a budget was used up.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]


@part
def to_margin(rules: Record, contract: int, value: int) -> Any:
    """The margin of a deal that is worth ``value`` to team 0, counted as in `search`."""
    if value < 0:
        return -rules.capot_total[contract]
    if value > rules.total[contract]:
        return rules.capot_total[contract]
    return 2 * value - rules.total[contract]


@part
def points_of(rules: Record, contract: int, margin: int) -> tuple[Any, Any]:
    """Trick points of team 0 and of team 1 in a deal that ends with a margin."""
    total = abs(margin)
    if total < rules.capot_total[contract]:
        total = rules.total[contract]
    return (total + margin) >> 1, (total - margin) >> 1


@part
def _to_step(work: Any, lower: int, goal: int) -> Any:
    """The first value worth the same as a goal, or the first worth more than ``lower``."""
    while goal > lower and work[WORTH + goal - 1] == work[WORTH + goal]:
        goal -= 1
    while work[WORTH + goal] == work[WORTH + lower]:
        goal += 1
    return goal


@part
def narrow(
    rules: Record,
    contract: int,
    work: Any,
    table: Any,
    root: int,
    cards: int,
    won: int,
    bounds: tuple[int, int],
    guess: int,
    step: int,
) -> tuple[Any, Any]:
    """Ask about the best of some cards until its bounds are worth the same.

    From the guess on, steps double until they pass the value; then the gap is halved.  It also ends
    when the budget is used up.

    Args:
        rules: record of `RULES_DTYPE`.
        contract: 0-5.
        work: after `set_up`.
        table: from `new_table`.
        root: the ply of the position.
        cards: the cards.
        won: points that team 0 has won.
        bounds: on the value of the deal to team 0.
        guess: a likely value.
        step: the first step.

    Returns:
        The bounds.
    """
    lower, upper = bounds
    total = rules.total[contract]
    goal = guess
    while work[WORTH + lower] != work[WORTH + upper] and work[BUDGET] >= 0:
        goal = _to_step(work, lower, min(max(goal, lower + 1), upper))
        value = search(rules, contract, work, table, root, cards, goal - won)
        if value == UNKNOWN:
            break
        value += won
        if value >= goal:
            # No deal is worth between nothing and a capot on either side.
            lower = max(value, 0) if value <= total else total + work[BONUS]
            goal = min(lower + step, (lower + upper + 1) >> 1)
        else:
            upper = min(value, total) if value >= 0 else -work[BONUS]
            goal = max(upper + 1 - step, (lower + upper + 1) >> 1)
        step *= 2
    return lower, upper


@part
def _begin(rules: Record, s: Record, work: Any, table: Any, budget: int) -> tuple[Any, Any]:
    """Enter a position; the least and the most that its deal can be worth to team 0."""
    begin_epoch(table)
    set_up(rules, s, work)
    work[BUDGET] = budget
    lowest, highest = value_range(work, int64(s.num_played))
    return s.points[0] + lowest, s.points[0] + highest


@part
def bound_cards(
    rules: Record, s: Record, work: Any, table: Any, budget: int, lower: Any, upper: Any
) -> None:
    """Write bounds on the value of the deal to team 0 after each legal card of a state.

    The value of one card is the first guess at the next one's, and bounds that of its neighbours,
    which differ by no more than their points do.

    Args:
        rules: record of `RULES_DTYPE`.
        s: record of `STATE_DTYPE` in the play, with all four hands.
        work: from `workspace`; bounds that are worth the same by it are enough.
        table: from `new_table`.
        budget: how many cards the search may play.
        lower: int64 [32], NOT_LEGAL where a card is not legal, which is no value either.
        upper: the same.
    """
    contract = int64(s.contract)
    root = int64(s.num_played)
    won = int64(s.points[0])
    lowest, highest = _begin(rules, s, work, table, budget)
    lower[:] = NOT_LEGAL
    upper[:] = NOT_LEGAL
    foreign = work[HANDS] | work[HANDS + 1] | work[HANDS + 2] | work[HANDS + 3]
    foreign &= ~work[HANDS + s.seat]
    if root & 3:
        foreign |= int64(1) << int64(s.best_card)
    legal = legal_plays(rules, s)
    guess = (lowest + highest + 1) >> 1
    step = int64(FIRST_STEP)
    left = legal
    done = int64(0)
    while left:
        card = lowest_bit(left)
        left &= left - 1
        bounds = (lowest, highest)
        others = done & neighbours(contract, card, foreign)
        while others:
            other = lowest_bit(others)
            others &= others - 1
            gap = abs(work[POINTS + card] - work[POINTS + other])
            bounds = (max(bounds[0], lower[other] - gap), min(bounds[1], upper[other] + gap))
        low, high = narrow(
            rules, contract, work, table, root, int64(1) << card, won, bounds, guess, step
        )
        lower[card] = low
        upper[card] = high
        done |= int64(1) << card
        if work[WORTH + low] == work[WORTH + high]:
            if step == FIRST_STEP:
                guess = low
            guess = min(low, guess) if s.seat & 1 else max(low, guess)
            step = int64(NEXT_STEP)


@part
def bound_state(rules: Record, s: Record, work: Any, table: Any, budget: int) -> tuple[Any, Any]:
    """Bounds on the margin of a state; arguments as in `bound_cards`."""
    contract = int64(s.contract)
    root = int64(s.num_played)
    won = int64(s.points[0])
    lowest, highest = _begin(rules, s, work, table, budget)
    low, high = narrow(
        rules,
        contract,
        work,
        table,
        root,
        int64(-1),
        won,
        (lowest, highest),
        (lowest + highest + 1) >> 1,
        int64(FIRST_STEP),
    )
    return to_margin(rules, contract, low), to_margin(rules, contract, high)


@kernel
def _solve_cards(
    rules: Record, states: Any, table: Any, budget: int, lower: Any, upper: Any
) -> None:
    work = workspace()
    for i in range(len(states)):
        bound_cards(rules[0], states[i], work, table, budget, lower[i], upper[i])
        contract = int64(states[i].contract)
        for card in range(NUM_CARDS):
            if lower[i, card] != NOT_LEGAL:
                lower[i, card] = to_margin(rules[0], contract, lower[i, card])
                upper[i, card] = to_margin(rules[0], contract, upper[i, card])


@kernel
def _solve(rules: Record, states: Any, table: Any, budget: int, lower: Any, upper: Any) -> None:
    work = workspace()
    for i in range(len(states)):
        lower[i], upper[i] = bound_state(rules[0], states[i], work, table, budget)


@kernel
def _final_points(rules: Record, contract: int, margins: Any, out: Any) -> None:
    for i in range(len(margins)):
        out[i, 0], out[i, 1] = points_of(rules[0], contract, margins[i])


def solve_cards(
    rules: str | RuleSet,
    states: NDArray[Any],
    *,
    table: NDArray[np.int64] | None = None,
    budget: int = UNLIMITED,
) -> Solution:
    """The margin after each legal card of some positions.

    Args:
        rules: a rule set or its id.
        states: positions of the play with all four hands, shape (N,), dtype `STATE_DTYPE`.
        table: from `new_table`, for calls that follow each other; a new one for None.
        budget: how many cards the search may play for each position, 0 to UNLIMITED.
            Where they do not suffice, the bounds are as far apart as they then are.

    Raises:
        ValueError: on rules under which trick points do not decide a deal, states that are not in
            the play or in which what the solver reads does not fit together, another table, or a
            budget that is none.
    """
    given = _checked(rules, states, table, budget)
    lower = np.empty((len(states), NUM_CARDS), np.int64)
    upper = np.empty_like(lower)
    _solve_cards(*given, lower, upper)
    return Solution(lower, upper)


def solve(
    rules: str | RuleSet,
    states: NDArray[Any],
    *,
    table: NDArray[np.int64] | None = None,
    budget: int = UNLIMITED,
) -> Solution:
    """The margin of some positions, shape (N,) in place of (N, 32); else as `solve_cards`."""
    given = _checked(rules, states, table, budget)
    lower = np.empty(len(states), np.int64)
    upper = np.empty_like(lower)
    _solve(*given, lower, upper)
    return Solution(lower, upper)


def final_points(
    rules: str | RuleSet, contract: int, margins: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Trick points of each team in deals that end with some margins.

    Args:
        rules: a rule set or its id.
        contract: 0-5.
        margins: int64 [N].

    Returns:
        int64 [N, 2].

    Raises:
        ValueError: on an unknown contract, or a margin that none of its deals has.
    """
    rules = resolve(rules)
    contract = check_whole("contract", contract, most=NUM_CONTRACTS - 1)
    check_margins(rules, contract, margins)
    out = np.empty((len(margins), 2), np.int64)
    _final_points(rule_data(rules), contract, margins, out)
    return out


def _checked(
    rules: str | RuleSet, states: NDArray[Any], table: NDArray[np.int64] | None, budget: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64], int]:
    """What the kernels take, once all is found to be in order."""
    rules = resolve(rules)
    check_rules(rules)
    budget = check_whole("budget", budget, most=UNLIMITED)
    if table is None:
        table = new_table()
    check_table(table)
    return rule_data(rules), check_states(rules, states), table, budget
