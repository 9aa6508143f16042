"""Batches of games: check all actions, then step all, with observation, mask and reward.

The same kernels serve one environment (a batch of one) and a worker's share of many: they act on
the rows ``start`` to ``stop`` of the arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from belote_env.actions import NUM_ACTIONS
from belote_env.engine.encoding import (
    action_from_slots,
    actions_to_slots,
    encode,
    encode_hidden,
    plain_order,
    suit_order,
    write_mask,
)
from belote_env.engine.episode import begin_deal, end_deal
from belote_env.engine.jit import kernel
from belote_env.engine.state import OVER
from belote_env.engine.step import legal_actions, step

MARKS_PER_UNIT = 162.0
"""Marks that make a reward of one."""

# Rewards.
MARKS = 0
TRICKS = 1
WIN = 2
REWARDS = ("marks", "tricks", "win")

OUTCOME_DTYPE = np.dtype(
    [
        ("ended", np.bool_),  # a deal ended in the last step
        ("result", np.uint8),
        ("contract", np.int8),
        ("taker", np.int8),
        ("marks", np.int16, 2),
    ]
)
"""The deal that ended in the last step of an environment."""


@kernel
def seat_order(s: Any, seat: int, canonical: bool) -> tuple[int, int, int, int]:
    """Suit in each slot as ``seat`` sees it."""
    return suit_order(s, seat) if canonical else plain_order()


@kernel
def observe(rules: Any, s: Any, seat: int, canonical: bool, obs: Any, mask: Any) -> None:
    """Write the observation of a seat (uint64 view) and its mask (int8 [A]), empty off turn."""
    order = seat_order(s, seat, canonical)
    encode(rules, s, seat, order, obs)
    legal = legal_actions(rules, s) if s.seat == seat else 0
    if canonical:
        legal = actions_to_slots(order, legal)
    write_mask(legal, mask)


@kernel
def find_illegal(
    rules: Any, states: Any, canonical: bool, actions: Any, start: int, stop: int
) -> int:
    """First row whose action is not legal, or -1."""
    for i in range(start, stop):
        s = states[i]
        action = np.int64(actions[i])
        if action < 0 or action >= NUM_ACTIONS:
            return i
        if canonical:
            action = action_from_slots(suit_order(s, np.int64(s.seat)), action)
        if not (legal_actions(rules[0], s) >> action) & 1:
            return i
    return -1


@kernel
def _team_points(s: Any) -> float:
    return np.float64(s.points[0]) - np.float64(s.points[1])


@kernel
def _reward(s: Any, kind: int, deal_over: bool, episode_over: bool, single: bool, was: float) -> float:
    """Reward of team 0 for a step that began with the points difference ``was``."""
    marks = np.float64(s.marks[0]) - np.float64(s.marks[1])
    if kind == WIN:
        if not episode_over:
            return 0.0
        if single:
            return np.sign(marks)
        return 0.0 if s.winner < 0 else 1.0 - 2.0 * s.winner
    if kind == TRICKS:
        gained = _team_points(s) - was
        return (marks - was if deal_over else gained) / MARKS_PER_UNIT
    return marks / MARKS_PER_UNIT if deal_over else 0.0


@kernel
def advance(rules: Any, s: Any, action: int, episode: int, kind: int) -> tuple[bool, bool, float]:
    """Step one game and settle a finished deal, the next deal not dealt yet.

    Returns:
        ``(deal over, episode over, reward of team 0)``.
    """
    was = _team_points(s)
    step(rules, s, action)
    deal_over = s.phase == OVER
    episode_over = deal_over and end_deal(rules, s, episode)
    return deal_over, episode_over, _reward(s, kind, deal_over, episode_over, episode == 0, was)


@kernel
def reset_batch(
    rules: Any, states: Any, canonical: bool, obs: Any, mask: Any, seat: Any, start: int, stop: int
) -> None:
    """Deal a new episode in each row and observe it."""
    for i in range(start, stop):
        s = states[i]
        begin_deal(rules[0], s, True)
        seat[i] = s.seat
        observe(rules[0], s, np.int64(s.seat), canonical, obs[i], mask[i])


@kernel
def observe_batch(
    rules: Any, states: Any, canonical: bool, obs: Any, mask: Any, seat: Any, start: int, stop: int
) -> None:
    """Observe each row as it stands."""
    for i in range(start, stop):
        s = states[i]
        seat[i] = s.seat
        observe(rules[0], s, np.int64(s.seat), canonical, obs[i], mask[i])


@kernel
def step_batch(
    rules: Any,
    states: Any,
    actions: Any,
    episode: int,
    kind: int,
    canonical: bool,
    obs: Any,
    mask: Any,
    seat: Any,
    reward: Any,
    done: Any,
    outcome: Any,
    start: int,
    stop: int,
) -> None:
    """Step each row by a legal action, deal on where a deal ended, and observe the seat to act."""
    r = rules[0]
    for i in range(start, stop):
        s = states[i]
        action = np.int64(actions[i])
        if canonical:
            action = action_from_slots(suit_order(s, np.int64(s.seat)), action)
        deal_over, episode_over, gain = advance(r, s, action, episode, kind)
        reward[i, 0] = gain
        reward[i, 1] = -gain
        reward[i, 2] = gain
        reward[i, 3] = -gain
        done[i] = episode_over
        outcome[i].ended = deal_over
        if deal_over:
            outcome[i].result = s.result
            outcome[i].contract = s.contract
            outcome[i].taker = s.taker
            outcome[i].marks[0] = s.marks[0]
            outcome[i].marks[1] = s.marks[1]
            begin_deal(r, s, episode_over)
        seat[i] = s.seat
        observe(r, s, np.int64(s.seat), canonical, obs[i], mask[i])


@kernel
def state_batch(
    rules: Any, states: Any, canonical: bool, out: Any, start: int, stop: int
) -> None:
    """Write the full-information vector of each row as its seat to act sees it (seat 0 when over)."""
    for i in range(start, stop):
        s = states[i]
        seat = max(np.int64(s.seat), 0)
        order = seat_order(s, seat, canonical)
        at = encode(rules[0], s, seat, order, out[i])
        encode_hidden(s, seat, order, out[i], at)
