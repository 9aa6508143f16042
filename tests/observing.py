"""What any seat sees of any state, through the kernel that serves the environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from belote_env import SelfPlayVectorEnv
from belote_env.engine.batch import MARKS, OBSERVE
from belote_env.engine.episode import DEAL
from belote_env.rows import Rows
from belote_env.rules import RuleSet, resolve


def observe(
    rules: str | RuleSet,
    states: NDArray[Any],
    seats: int | Sequence[int] | NDArray[Any],
    canonical: bool = False,
) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Observations uint8 [N, D] and masks int8 [N, A] of a seat of each state (N,)."""
    rows = Rows(resolve(rules), states, DEAL, MARKS, canonical)
    rows.seat[:] = seats
    rows.run(OBSERVE, len(states))
    return rows.obs, rows.mask


def observe_all(
    rules: str | RuleSet, states: NDArray[Any], canonical: bool = False
) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Observations uint8 [N, 4, D] and masks int8 [N, 4, A] of all four seats."""
    seats = np.tile(np.arange(4), len(states))
    obs, mask = observe(rules, np.repeat(states, 4), seats, canonical)
    return obs.reshape(len(states), 4, -1), mask.reshape(len(states), 4, -1)


def observe_everything(
    rules: str | RuleSet, states: NDArray[Any], canonical: bool = False
) -> NDArray[np.uint8]:
    """Full-information vectors uint8 [N, S] of the seats to act, seat 0 after the end."""
    env = SelfPlayVectorEnv(len(states), rules, canonical_suits=canonical)
    env.set_state(states)
    return env.state()
