"""Batches of games: check all actions, then step all, with observation, mask and reward.

The same kernels serve one environment (a batch of one) and a worker's share of many: they act on
the rows ``start`` to ``stop`` of the arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import float64, int64

from belote_env.actions import NUM_ACTIONS, SPLIT
from belote_env.engine.encoding import encode, encode_hidden, write_mask
from belote_env.engine.episode import begin_deal, end_deal
from belote_env.engine.history import encode_history
from belote_env.engine.jit import Record, kernel, merged, part
from belote_env.engine.slots import (
    action_from_slots,
    actions_to_slots,
    plain_order,
    suit_order,
)
from belote_env.engine.state import OVER
from belote_env.engine.step import legal_actions, step

MARKS_PER_UNIT = 162.0
"""Marks that make a reward of one."""

# Rewards.
MARKS = 0
TRICKS = 1
WIN = 2
REWARDS = ("marks", "tricks", "win")

# Forms of the observation.
FLAT = 0
UNIVERSAL = 1
HISTORY = 2
OBSERVATIONS = ("flat", "universal", "history")

# Modes of `run_batch`.
DEAL = 0
CHECK = 1
STEP = 2
OBSERVE = 3

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


# What the seat to act may do, as kept in `turn`: the legal actions in their slots, in two words,
# and from bit ORDER of the second on the suit in each slot, two bits a slot.
_ORDER = NUM_ACTIONS - SPLIT
HIGH = (1 << _ORDER) - 1


@merged
def _seat_order(rules: Record, s: Record, seat: int, canonical: bool) -> tuple[int, int, int, int]:
    """Suit in each slot as ``seat`` sees it."""
    return suit_order(rules, s, seat) if canonical else plain_order()


@merged
def _kept_order(turn: Any) -> tuple[int, int, int, int]:
    """Suit in each slot, from an entry of `turn`."""
    packed = turn[1] >> _ORDER
    return packed & 3, (packed >> 2) & 3, (packed >> 4) & 3, (packed >> 6) & 3


@merged
def _observe(
    rules: Record,
    s: Record,
    seat: int,
    canonical: bool,
    form: int,
    obs: Any,
    mask: Any,
    turn: Any,
) -> None:
    """Write the observation of a seat (uint64 view) and its mask (int8 [A]), empty off turn.

    The entry of `turn` is written if the seat is to act and cleared after the end.
    """
    order = _seat_order(rules, s, seat, canonical)
    if form != HISTORY:  # `observe_history` writes that one
        encode(rules, s, seat, order, canonical, form == UNIVERSAL, obs)
    low = int64(0)
    high = int64(0)
    if s.seat == seat:
        low, high = legal_actions(rules, s)
        if canonical:
            low, high = actions_to_slots(order, low, high)
        packed = order[0] | order[1] << 2 | order[2] << 4 | order[3] << 6
        turn[0] = low
        turn[1] = high | packed << _ORDER
    elif s.seat < 0:
        turn[0] = 0
        turn[1] = 0
    write_mask(low, high, mask)


@merged
def _team_points(s: Record) -> float:
    return float64(s.points[0]) - float64(s.points[1])


@merged
def _reward(
    s: Record, kind: int, deal_over: bool, episode_over: bool, single: bool, was: float
) -> float:
    """Reward of team 0 for a step that began with the points difference ``was``."""
    marks = float64(s.marks[0]) - float64(s.marks[1])
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


@merged
def _advance(
    rules: Record, s: Record, action: int, episode: int, kind: int
) -> tuple[bool, bool, float]:
    """Step one game and settle a finished deal, the next deal not dealt yet.

    Returns:
        ``(deal over, episode over, reward of team 0)``.
    """
    was = _team_points(s)
    step(rules, s, action)
    deal_over = s.phase == OVER
    episode_over = deal_over and end_deal(rules, s, episode)
    return deal_over, episode_over, _reward(s, kind, deal_over, episode_over, episode == 0, was)


@part
def _find_illegal(turn: Any, actions: Any, start: int, stop: int) -> int:
    """First row whose action is not legal, or -1."""
    for i in range(start, stop):
        action = int64(actions[i])
        if action < 0 or action >= NUM_ACTIONS:
            return i
        word = turn[i, 0] >> action if action < SPLIT else (turn[i, 1] & HIGH) >> (action - SPLIT)
        if not word & 1:
            return i
    return -1


@merged
def _record_outcome(s: Record, outcome: Any) -> None:
    outcome.result = s.result
    outcome.contract = s.contract
    outcome.taker = s.taker
    for team in range(2):
        outcome.marks[team] = s.marks[team]


@kernel
def run_batch(
    rules: Record,
    states: Any,
    mode: int,
    settings: Record,
    actions: Any,
    turn: Any,
    obs: Any,
    mask: Any,
    seat: Any,
    reward: Any,
    done: Any,
    outcome: Any,
    start: int,
    stop: int,
) -> int:
    """Everything a batch does, in one kernel as each more would compile the whole game again.

    Args:
        rules: rule data, shape (1,).
        states: states, shape (N,).
        mode: DEAL begins an episode in each row; CHECK only looks for an illegal action; STEP does
            too and plays the actions if there is none; OBSERVE changes nothing.  All but CHECK then
            write what the seats see.
        settings: int64 [5]: episode, reward, whether suits are canonical, whether STEP deals on,
            form of the observation.
        actions: int64 [N], in slots under canonical suits.
        turn: int64 [N, 2], kept from call to call: what each seat to act may do, as last observed.
        obs: observations as words, uint64 [N, D / 8].
        mask: int8 [N, A].
        seat: int8 [N]; under OBSERVE the seats to observe, else written with the seats to act.
        reward: float32 [N, seats].
        done: bool [N], whether the episode ended.
        outcome: dtype `OUTCOME_DTYPE` [N].
        start: first row.
        stop: row after the last.

    Returns:
        The first row with an illegal action, or -1.
    """
    r = rules[0]
    canonical = settings[2] != 0
    form = settings[4]
    if mode in (CHECK, STEP):
        illegal = _find_illegal(turn, actions, start, stop)
        if mode == CHECK or illegal >= 0:
            return illegal
    for i in range(start, stop):
        s = states[i]
        begins = mode == DEAL
        episode_over = True
        if mode == STEP:
            action = int64(actions[i])
            if canonical:
                action = action_from_slots(_kept_order(turn[i]), action)
            deal_over, episode_over, gain = _advance(r, s, action, settings[0], settings[1])
            for k in range(reward.shape[1]):
                reward[i, k] = gain if k & 1 == 0 else -gain
            done[i] = episode_over
            outcome[i].ended = deal_over
            if deal_over:
                _record_outcome(s, outcome[i])
            begins = deal_over and settings[3] != 0
        if begins:
            begin_deal(r, s, episode_over)
        if mode != OBSERVE:
            seat[i] = s.seat
        sees = max(int64(seat[i]), 0)
        _observe(r, s, sees, canonical, form, obs[i], mask[i], turn[i])
    return -1


@kernel
def observe_history(
    rules: Record, states: Any, canonical: bool, obs: Any, seat: Any, start: int, stop: int
) -> None:
    """Write the public events as a seat of each row sees them, after `run_batch`.

    A kernel of its own, as few who play need the time that it takes to compile.
    """
    for i in range(start, stop):
        sees = max(int64(seat[i]), 0)
        order = _seat_order(rules[0], states[i], sees, canonical)
        encode_history(rules[0], states[i], sees, order, canonical, obs[i])


@kernel
def state_batch(
    rules: Record,
    states: Any,
    canonical: bool,
    form: int,
    out: Any,
    start: int,
    stop: int,
) -> int:
    """Write the full information of each row as its seat to act sees it (seat 0 when over)."""
    for i in range(start, stop):
        s = states[i]
        seat = max(int64(s.seat), 0)
        order = _seat_order(rules[0], s, seat, canonical)
        if form == HISTORY:
            at = encode_history(rules[0], s, seat, order, canonical, out[i])
        else:
            at = encode(rules[0], s, seat, order, canonical, form == UNIVERSAL, out[i])
        encode_hidden(rules[0], s, seat, order, canonical, out[i], at)
    return -1
