"""From trick points to marks: what a deal is worth that the solver has played out."""

from __future__ import annotations

from math import floor
from typing import Any, Final

from numpy import int64

from agents.search.double_dummy import points_of, to_margin
from belote_env.cards import HAND_SIZE
from belote_env.engine.jit import Record, part
from belote_env.engine.rollout import say_everything
from belote_env.engine.scoring import count_deal
from belote_env.engine.state import OVER

UNIT: Final = 16
"""Parts of a mark in which `expect_losses` counts."""


@part
def end_with(rules: Record, s: Record, margin: int) -> None:
    """End a deal with a margin of trick points, all being said that may be, and count it.

    Args:
        rules: record of `RULES_DTYPE` that the solver takes (`solver_input.check_rules`).
        s: record of `STATE_DTYPE` in the play, with the cards of all seats; no générale, which is
            won by tricks of one seat.  The marks, with belote, annonces and carry, enter it.
        margin: of team 0, as the solver counts it.
    """
    contract = int64(s.contract)
    s.points[0], s.points[1] = points_of(rules, contract, margin)
    capot = abs(margin) == rules.capot_total[contract]
    s.tricks[0] = HAND_SIZE * (margin > 0) if capot else 1
    s.tricks[1] = HAND_SIZE - s.tricks[0]
    say_everything(rules, s)
    count_deal(rules, s, s.deals_played + 1 == rules.deals_per_party)
    s.phase = OVER
    s.seat = -1


@part
def enter_marks(
    rules: Record, states: Any, k: int, ended: Any, marks: Any, zero: int
) -> tuple[Any, Any]:
    """Enter the marks of team 0 less those of team 1 by what the deal is worth to team 0.

    They never fall as the value rises, so they can be what it is worth to the solver.

    Args:
        rules: as in `end_with`.
        states: of which one is the position.
        k: its number.
        ended: a state to end, shape (1,).
        marks: int64, where they are entered.
        zero: the place of value 0.

    Returns:
        The lowest and the highest value.
    """
    s = states[k]
    contract = int64(s.contract)
    bonus = rules.capot_total[contract] - rules.total[contract]
    lowest = int64(s.points[0]) if s.tricks[0] else -bonus
    highest = rules.total[contract] - s.points[1] + (0 if s.tricks[1] else bonus)
    for value in range(lowest, highest + 1):
        ended[0] = s
        end_with(rules, ended[0], to_margin(rules, contract, value))
        marks[zero + value] = int64(ended[0].marks[0]) - int64(ended[0].marks[1])
    return lowest, highest


@part
def expect_losses(
    rules: Record, contract: int, marks: Any, zero: int, values: tuple[int, int], loss: float
) -> None:
    """Turn marks into those to expect if team 0 loses some points yet, in parts of UNIT.

    As it does not see all hands it will not find its best cards every time, so a contract that is
    only just made is worth less than one with points to spare.  How many it loses is drawn from a
    geometric distribution; a capot that is lost leaves all points but those.

    Args:
        rules: as in `end_with`.
        contract: 0-5.
        marks: from `enter_marks`; they do not fall afterwards either.
        zero: the place of value 0.
        values: the lowest and the highest.
        loss: points that are lost on average.
    """
    kept = 1.0 / (1.0 + loss)
    lowest, highest = values
    expected = 0.0
    for value in range(lowest, highest + 1):
        worth = float(marks[zero + value])
        entered = worth
        if value > max(lowest, 0):
            entered = expected + kept * (worth - expected)
        if value <= rules.total[contract]:
            expected = entered
        marks[zero + value] = int64(floor(entered * UNIT + 0.5))
