"""What any seat sees of any state, through the kernel that serves the environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from belote_env import SelfPlayVectorEnv
from belote_env.engine import slots
from belote_env.engine.batch import MARKS, OBSERVATIONS, OBSERVE
from belote_env.engine.episode import DEAL
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data
from belote_env.rows import Rows
from belote_env.rules import RuleSet, resolve

_suit_order = from_python(slots.suit_order)


def forms(rules: str | RuleSet) -> list[str]:
    """The forms of observation that rules have: ``universal`` is for four players."""
    two = resolve(rules).num_seats == 2
    return [form for form in OBSERVATIONS if not (two and form == "universal")]


def observe(
    rules: str | RuleSet,
    states: NDArray[Any],
    seats: int | Sequence[int] | NDArray[Any],
    canonical: bool = False,
    form: str = "flat",
) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Observations uint8 [N, D] and masks int8 [N, A] of a seat of each state (N,)."""
    rows = Rows(resolve(rules), states, DEAL, MARKS, canonical, form)
    rows.obs[:], rows.mask[:] = 0xAA, -1  # every byte is to be written
    rows.seat[:] = seats
    rows.run(OBSERVE, len(states))
    return rows.obs, rows.mask


def observe_all(
    rules: str | RuleSet, states: NDArray[Any], canonical: bool = False, form: str = "flat"
) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Observations uint8 [N, S, D] and masks int8 [N, S, A] of all S seats."""
    num_seats = resolve(rules).num_seats
    seats = np.tile(np.arange(num_seats), len(states))
    obs, mask = observe(rules, np.repeat(states, num_seats), seats, canonical, form)
    shape = (len(states), num_seats, -1)
    return obs.reshape(shape), mask.reshape(shape)


def observe_everything(
    rules: str | RuleSet, states: NDArray[Any], canonical: bool = False, form: str = "flat"
) -> NDArray[np.uint8]:
    """Full-information vectors uint8 [N, S] of the seats to act, seat 0 after the end."""
    env = SelfPlayVectorEnv(len(states), rules, canonical_suits=canonical, observation=form)
    env.reset()
    env.states[:] = states  # not by `set_state`: tests make up states that no play leads to
    return env.state(out=np.full((len(states), env.state_size), 0xAA, np.uint8))


def suits_in_slots(
    rules: str | RuleSet, state: Any, seat: int, canonical: bool = True
) -> tuple[int, ...]:
    """Suit in each slot of what a seat sees of a state (one record)."""
    return _suit_order(rule_data(resolve(rules))[0], state, seat) if canonical else (0, 1, 2, 3)
