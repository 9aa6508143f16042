"""Many games at once for self-play: one call steps them all and returns what each seat to act sees.

    >>> env = SelfPlayVectorEnv(1024, "classic", seed=0)
    >>> obs, mask, seat = env.reset()
    >>> actions = (mask * np.random.default_rng(0).random(mask.shape)).argmax(axis=1)
    >>> obs, mask, seat, reward, done = env.step(actions)

Deal k of environment i is a function of (seed, i, k), whatever is played, whatever the number of
environments and threads.  Two batches with one seed thus play the same cards: duplicate matches.
(Under the rule ``dealing="cut"`` the later deals of a match follow from the tricks of the last.)
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from belote_env.actions import IllegalActionError
from belote_env.checks import (
    check_choice,
    check_flag,
    check_list,
    check_started,
    check_threads,
    check_whole,
)
from belote_env.engine.batch import (
    CHECK,
    DEAL,
    OBSERVE,
    OUTCOME_DTYPE,
    REWARDS,
    STEP,
    state_batch,
)
from belote_env.engine.options import rule_data
from belote_env.engine.rng import seed_key, stream_keys
from belote_env.engine.state import copy_states, new_states, words
from belote_env.engine.state_check import check_in_progress, check_states
from belote_env.game import Episode, illegal_action, parse_episode
from belote_env.observation import (
    check_observation,
    num_actions,
    schema,
    state_schema,
    total_size,
)
from belote_env.rows import Rows, as_array, check_array, legal_of, no_actions
from belote_env.rules import RuleSet, resolve

Observed = tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.int8]]
Stepped = tuple[
    NDArray[np.uint8], NDArray[np.int8], NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_]
]


def parse_reward(reward: str) -> int:
    """Code of a reward's name.

    Raises:
        ValueError: if it is none of `REWARDS`.
    """
    return REWARDS.index(check_choice("reward", reward, REWARDS))


class SelfPlayVectorEnv:
    """A batch of games in which the caller plays all seats.

    Args:
        num_envs: number of games N.
        rules: a rule set or its id.
        episode: ``"deal"`` or ``"match"``.
        reward: ``"marks"``, own side's marks minus the other's over 162 when a deal ends;
            ``"tricks"``, the same in parts, trick points as they are won and the rest at the end;
            ``"win"``, 1 or -1 when the episode ends (0 when drawn).
        seed: seed of the deals; fresh entropy for None.
        threads: threads that share the batch, at most one a game; the results do not depend on it.
        canonical_suits: whether suits stand in canonical order (see `belote_env.observation`), in
            observations, masks and the actions given to `step` alike.
        observation: ``"flat"``, ``"universal"`` or ``"history"``, see `belote_env.observation`.

    Attributes:
        states: the games, shape (N,) and dtype `STATE_DTYPE`; change them through `set_state`.
        outcome: shape (N,), dtype `OUTCOME_DTYPE`: the deal, if any, that the last step ended.
        observation_size: D, see `belote_env.observation.schema`.
        state_size: S, see `belote_env.observation.state_schema`.
        num_actions: A.
    """

    def __init__(
        self,
        num_envs: int,
        rules: str | RuleSet = "classic",
        episode: Episode = "deal",
        reward: str = "marks",
        seed: int | None = None,
        threads: int = 1,
        canonical_suits: bool = False,
        observation: str = "flat",
    ) -> None:
        self.num_envs = num_envs = check_whole("num_envs", num_envs, least=1)
        threads = check_threads(threads, num_envs)
        self.rules = resolve(rules)
        self.canonical_suits = check_flag("canonical_suits", canonical_suits)
        self._form = check_observation(self.rules, observation)
        self.observation_size = total_size(schema(self.rules, observation))
        self.state_size = total_size(state_schema(self.rules, observation))
        self.num_actions = num_actions(self.rules, observation)
        self.states = new_states(num_envs)
        self._episode = parse_episode(episode)
        self._rows = Rows(
            self.rules,
            self.states,
            self._episode,
            parse_reward(reward),
            self.canonical_suits,
            observation,
            deals_on=True,
        )
        self.outcome = self._rows.outcome
        self._shares = _shares(num_envs, threads)
        self._pool = self._open_pool()
        self._reseed(seed)
        self._started = False
        self._closed = False

    def _open_pool(self) -> ThreadPoolExecutor | None:
        threads = len(self._shares)
        return ThreadPoolExecutor(threads) if threads > 1 else None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_pool": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._pool = self._open_pool()

    def _reseed(self, seed: int | None) -> None:
        self.states["key"] = stream_keys(seed_key(seed), self.num_envs)
        self.states["deal"] = 0

    def reset(self, seed: int | None = None) -> Observed:
        """Deal a new episode in every environment.

        Args:
            seed: restarts all streams of deals; None goes on with them.

        Returns:
            ``(obs uint8 [N, D], mask int8 [N, A], seat int8 [N])`` of the seats to act.  The
            arrays are reused by the next call; copy what is to be kept.

        Raises:
            ValueError: on a bad seed; nothing has changed then.
            RuntimeError: after `close`.
        """
        self._check_open()
        if seed is not None:
            self._reseed(seed)
        self.outcome[:] = np.zeros(1, OUTCOME_DTYPE)
        self._started = True
        self._run(DEAL)
        return self._observed

    def step(self, actions: ArrayLike, out: Stepped | None = None) -> Stepped:
        """Play one action in every environment; a finished episode is followed by the next deal.

        Args:
            actions: N action ids, in canonical order if the environment is.
            out: C-contiguous arrays ``(obs, mask, seat, reward, done)`` that take the place of the
                environment's own from this call on: later calls without it write there too.

        Returns:
            ``(obs, mask, seat, reward float32 [N, seats], done bool [N])``: reward and done belong
            to the action, the observation to the seat to act now.

        Raises:
            IllegalActionError: naming environment, seat and action; no environment has changed.
            ValueError: if the actions or ``out`` have the wrong shape or dtype, or arrays of
                ``out`` share memory.
            ResetNeededError: before the first `reset`.
            RuntimeError: after `close`.
        """
        self._check_usable("step()")
        rows = self._rows
        taken = actions if type(actions) is np.ndarray else as_array(actions, self.num_envs)
        if taken.shape != rows.actions.shape or taken.dtype.kind not in "iu":
            raise no_actions(self.num_envs, f"{taken.dtype} {taken.shape}")
        if out is not None:
            rows.write_into(*_five_arrays(out))
        rows.actions[:] = taken
        illegal = self._run(CHECK) if len(self._shares) > 1 else -1
        illegal = illegal if illegal >= 0 else self._run(STEP)
        if illegal >= 0:
            raise IllegalActionError(self._illegal_action(illegal, int(taken[illegal])))
        return rows.obs, rows.mask, rows.seat, rows.reward, rows.done

    def state(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """Full information for centralised critics, uint8 [N, S], as the seats to act see it.

        Args:
            out: C-contiguous uint8 [N, S] to write into.

        Raises:
            ValueError: if ``out`` has another shape or dtype.
            ResetNeededError: before the first `reset`.
        """
        shape = (self.num_envs, self.state_size)
        self._check_usable("state()")
        if out is None:
            out = np.empty(shape, np.uint8)
        check_array("out", out, shape, np.uint8)
        common = (rule_data(self.rules), self.states, self.canonical_suits, self._form)
        words_out = out.view(np.uint64)
        self._share(lambda start, stop: state_batch(*common, words_out, start, stop))
        return out

    def clone_state(self) -> NDArray[Any]:
        """A copy of all games, for `set_state`.

        Raises:
            ResetNeededError: before the first `reset`.
        """
        self._check_usable("clone_state()")
        return copy_states(self.states)

    def set_state(self, states: NDArray[Any]) -> Observed:
        """Go back to copied games and observe them.

        Raises:
            ValueError: if the array is not N states that these rules and this kind of episode can
                have, or a deal in it is over; nothing has changed then.
            RuntimeError: after `close`.
        """
        self._check_open()
        check_states(states, self.num_envs, self.rules, self._episode)
        check_in_progress(states)
        words(self.states)[:] = words(states)
        self._started = True
        self._rows.seat[:] = states["seat"]
        self._run(OBSERVE)
        return self._observed

    def close(self) -> None:
        """End the worker threads, and with them the environment."""
        self._closed = True
        if self._pool is not None:
            self._pool.shutdown()

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("the environment is closed: make another")

    def _check_usable(self, what: str) -> None:
        self._check_open()
        check_started(self._started, what)

    @property
    def _observed(self) -> Observed:
        return self._rows.obs, self._rows.mask, self._rows.seat

    def _run(self, mode: int) -> int:
        """Run the batch kernel over all rows; an illegal row or -1."""
        return self._share(lambda start, stop: self._rows.run(mode, stop, start))

    def _share(self, work: Callable[[int, int], int]) -> int:
        """Do work on every share of the rows, on a thread each; first illegal row or -1."""
        if self._pool is None:
            return work(0, self.num_envs)
        starts, stops = zip(*self._shares, strict=True)
        rows = self._pool.map(work, starts, stops)
        return min([row for row in rows if row >= 0], default=-1)

    def _illegal_action(self, i: int, action: int) -> str:
        seat, legal = int(self.states["seat"][i]), legal_of(self._rows.turn[i])
        message = illegal_action(seat, action, legal, self.num_actions, self.canonical_suits)
        return f"environment {i}: {message}"


def _five_arrays(out: Stepped) -> Stepped:
    """Refuse what cannot take the place of what `SelfPlayVectorEnv.step` returns."""
    legal = "(obs, mask, seat, reward, done)"
    if len(check_list("out", out, f"arrays {legal}")) != 5:
        raise ValueError(f"out: give five arrays {legal}, got {len(out)}")
    return out


def _shares(total: int, threads: int) -> list[tuple[int, int]]:
    """Cut ``total`` rows into nearly equal ranges."""
    cuts = [total * k // threads for k in range(threads + 1)]
    return [(a, b) for a, b in pairwise(cuts) if a < b]
