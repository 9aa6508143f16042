"""Some games and the arrays that the batch kernel reads and writes for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import NUM_ACTIONS
from belote_env.engine.batch import OUTCOME_DTYPE, STEP, run_batch
from belote_env.engine.jit import compiled
from belote_env.engine.options import rule_data
from belote_env.observation import schema, total_size
from belote_env.rules import RuleSet


class Rows:
    """The caller sets `states`, `actions` or `seats`, and calls `run`, which fills the others.

    Args:
        rules: the rule set.
        states: games, shape (N,) and dtype `STATE_DTYPE`; they are changed in place.
        episode: code of the episode.
        reward: code of the reward.
        canonical_suits: whether suits stand in canonical order.

    Attributes:
        actions: int64 [N].
        obs: uint8 [N, D].
        mask: int8 [N, A].
        seats: int8 [N].
        reward: float32 [N, 4].
        done: bool [N].
    """

    def __init__(
        self,
        rules: RuleSet,
        states: NDArray[Any],
        episode: int,
        reward: int,
        canonical_suits: bool,
    ) -> None:
        num = len(states)
        self.rules = rules
        self.states = states
        # A finished deal is not followed by the next: its last observation is still wanted.
        self._settings = np.array([episode, reward, canonical_suits, False], np.int64)
        self.actions = np.zeros(num, np.int64)
        self.obs = np.zeros((num, total_size(schema(rules))), np.uint8)
        self.mask = np.zeros((num, NUM_ACTIONS), np.int8)
        self.seats = np.zeros(num, np.int8)
        self.reward = np.zeros((num, 4), np.float32)
        self.done = np.zeros(num, np.bool_)
        self._outcome = np.zeros(num, OUTCOME_DTYPE)
        self._bind()

    def _bind(self) -> None:
        self._before = (rule_data(self.rules), self.states)
        self._after = (
            self._settings,
            self.actions,
            self.obs.view(np.uint64),
            self.mask,
            self.seats,
            self.reward,
            self.done,
            self._outcome,
            0,
        )
        self._kernel = compiled(run_batch, *self._before, STEP, *self._after, 1)

    def run(self, mode: int, count: int) -> int:
        """Run `belote_env.engine.batch.run_batch` on the first ``count`` rows.

        Returns:
            The first row with an illegal action, or -1.
        """
        return self._kernel(*self._before, mode, *self._after, count)

    def __getstate__(self) -> dict[str, Any]:
        bound = ("_before", "_after", "_kernel")
        return {name: value for name, value in vars(self).items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._bind()
