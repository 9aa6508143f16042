"""Some games and the arrays that the batch kernel reads and writes for them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import SPLIT
from belote_env.engine.batch import (
    CHECK,
    HIGH,
    HISTORY,
    OUTCOME_DTYPE,
    STEP,
    observe_history,
    run_batch,
)
from belote_env.engine.jit import compiled
from belote_env.engine.options import rule_data
from belote_env.observation import check_observation, num_actions, schema, total_size
from belote_env.rules import RuleSet


class Rows:
    """The caller sets `states`, `actions` or `seat`, and calls `run`, which fills the others.

    What the seats to act may do is kept in `turn`: a game that is put into a row is to be observed
    there first, by its seat to act, or its entry of `turn` put there with it.

    Args:
        rules: the rule set.
        states: games, shape (N,) and dtype `STATE_DTYPE`; they are changed in place.
        episode: code of the episode.
        reward: code of the reward.
        canonical_suits: whether suits stand in canonical order.
        observation: form of the observation.
        deals_on: whether a finished deal is followed by the next at once; else its last
            observation is what the rows show.

    Attributes:
        actions: int64 [N].
        turn: int64 [N, 2].
        obs: uint8 [N, D].
        mask: int8 [N, A].
        seat: int8 [N].
        reward: float32 [N, seats].
        done: bool [N].
        outcome: dtype `OUTCOME_DTYPE` [N].
    """

    def __init__(
        self,
        rules: RuleSet,
        states: NDArray[Any],
        episode: int,
        reward: int,
        canonical_suits: bool,
        observation: str = "flat",
        deals_on: bool = False,
    ) -> None:
        num = len(states)
        self.rules = rules
        self.states = states
        form = check_observation(rules, observation)
        self._canonical = canonical_suits
        self._in_history = form == HISTORY
        self._settings = np.array([episode, reward, canonical_suits, deals_on, form], np.int64)
        self.actions = np.zeros(num, np.int64)
        self.turn = np.zeros((num, 2), np.int64)
        self.obs = np.zeros((num, total_size(schema(rules, observation))), np.uint8)
        self.mask = np.zeros((num, num_actions(rules, observation)), np.int8)
        self.seat = np.zeros(num, np.int8)
        self.reward = np.zeros((num, rules.num_seats), np.float32)
        self.done = np.zeros(num, np.bool_)
        self.outcome = np.zeros(num, OUTCOME_DTYPE)
        self._bind()

    def _bind(self) -> None:
        self._before = (rule_data(self.rules), self.states)
        self._after = (
            self._settings,
            self.actions,
            self.turn,
            self.obs.view(np.uint64),
            self.mask,
            self.seat,
            self.reward,
            self.done,
            self.outcome,
        )
        self._history = (*self._before, self._canonical, self.obs.view(np.uint64), self.seat)
        self._kernel = compiled(run_batch, *self._before, STEP, *self._after, 0, 1)

    def run(self, mode: int, stop: int, start: int = 0) -> int:
        """Run `belote_env.engine.batch.run_batch` on rows ``start`` to ``stop`` - 1.

        Returns:
            The first row with an illegal action, or -1.
        """
        illegal = self._kernel(*self._before, mode, *self._after, start, stop)
        if self._in_history and mode != CHECK and illegal < 0:
            observe_history(*self._history, start, stop)
        return illegal

    def write_into(
        self,
        obs: NDArray[np.uint8],
        mask: NDArray[np.int8],
        seat: NDArray[np.int8],
        reward: NDArray[np.float32],
        done: NDArray[np.bool_],
    ) -> None:
        """Use other arrays from now on.

        Raises:
            ValueError: if one is not C-contiguous, has another shape or dtype than now or shares
                memory with another one; nothing has changed then.
        """
        given = {"obs": obs, "mask": mask, "seat": seat, "reward": reward, "done": done}
        for name, array in given.items():
            now: NDArray[Any] = getattr(self, name)
            check_array(name, array, now.shape, now.dtype)
        for (name, array), (other, overlapped) in combinations(given.items(), 2):
            if np.may_share_memory(array, overlapped):  # all are contiguous: it is exact
                raise ValueError(f"{name} and {other} share memory: give arrays of their own")
        vars(self).update(given)
        self._bind()

    def __getstate__(self) -> dict[str, Any]:
        bound = ("_before", "_after", "_history", "_kernel")
        return {name: value for name, value in vars(self).items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._bind()


def legal_of(turn: NDArray[np.int64]) -> int:
    """The legal actions in an entry of `Rows.turn`, as a set of bits in their slots."""
    low, high = turn.tolist()
    return low | (high & HIGH) << SPLIT


def check_actions(actions: Any, num: int) -> NDArray[Any]:
    """An action for each of so many games, as an array [num] of integers.

    Raises:
        ValueError: if there is another number of them, or what is no integer.
    """
    taken = actions if type(actions) is np.ndarray else as_array(actions, num)
    if taken.shape != (num,) or taken.dtype.kind not in "iu":
        raise no_actions(num, f"{taken.dtype} {taken.shape}")
    return taken


def as_array(actions: Any, num: int) -> NDArray[Any]:
    """What stands for an array of actions, as one: a list, or a subclass that masks nothing.

    Raises:
        ValueError: if it has a mask, or rows of different lengths.
    """
    if isinstance(actions, np.ma.MaskedArray):
        raise no_actions(num, "a masked array: give its data")
    try:
        return np.asarray(actions)
    except ValueError:
        raise no_actions(num, repr(actions)) from None


def no_actions(num: int, got: str) -> ValueError:
    """The error on what are no actions of so many games."""
    return ValueError(f"actions must be {num} integers, got {got}")


def check_array(name: str, array: NDArray[Any], shape: tuple[int, ...], dtype: Any) -> None:
    """Refuse an array that a kernel cannot write.

    Raises:
        ValueError: if it is no array, not C-contiguous and writable, or has another shape or dtype.
    """
    if not isinstance(array, np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance]
        got = repr(array)
    elif isinstance(array, np.ma.MaskedArray):
        got = "a masked one: give its data"
    elif array.shape == shape and array.dtype == dtype and array.flags.carray:
        return
    else:
        got = f"shape {array.shape} and dtype {array.dtype}"
    raise ValueError(
        f"{name} must be a writable C-contiguous array of shape {shape} and dtype"
        f" {np.dtype(dtype)}, got {got}"
    )
