"""Many single-learner games at once, as a Gymnasium vector environment.

    >>> games = gymnasium.make_vec("Belote-v0", num_envs=64, autoreset_mode="SameStep")
    >>> observations, infos = games.reset(seed=0)
    >>> observations, rewards, ended, _, infos = games.step(infos["action_mask"].argmax(axis=1))

Environment i of ``reset(seed=s)`` is dealt what `belote_env.single.BeloteEnv` is under
``reset(seed=s + i)``, as in Gymnasium's own vector environments.  With agents whose choices follow
from what they see alone, everything else is the same too.  Agents that draw lots, the built-in one
among them, draw for all environments in turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from belote_env.actions import IllegalActionError
from belote_env.agent import Agent, AnswerError, RandomAgent, act_batch
from belote_env.checks import (
    ResetNeededError,
    check_choice,
    check_dict,
    check_flag,
    check_seed,
    check_started,
    check_whole,
)
from belote_env.engine.batch import DEAL, OBSERVE, STEP
from belote_env.engine.episode import begin_deal_at
from belote_env.engine.options import rule_data
from belote_env.engine.rng import seed_key, stream_key
from belote_env.engine.state import new_states, words
from belote_env.game import Episode, illegal_action, parse_episode
from belote_env.observation import bounds, num_actions, schema
from belote_env.render import RENDER_MODES, check_render_mode, draw, show
from belote_env.rows import Rows, check_actions, legal_of
from belote_env.rules import RuleSet, resolve
from belote_env.single import (
    OnIllegal,
    Seat,
    check_on_illegal,
    check_others,
    check_seat,
    name_agent,
    worst_return,
)
from belote_env.vector import parse_reward

_Seen = tuple[NDArray[np.uint8], dict[str, Any]]
_Stepped = tuple[
    NDArray[np.uint8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
]
_Games = NDArray[np.intp]
"""Numbers of some of the environments."""


class BeloteVectorEnv(VectorEnv[NDArray[np.uint8], NDArray[np.int64], NDArray[Any]]):
    """N games of Belote, each for one learner; see `belote_env.single.BeloteEnv`.

    Args:
        num_envs: number of games N.
        rules: a rule set or its id.
        episode: ``"deal"`` or ``"match"``.
        reward: ``"marks"``, ``"tricks"`` or ``"win"``.
        observation: a form of the observation, see `belote_env.observation`.
        seat: the learner's, or ``"random"`` for one drawn at the start of each episode.
        partner: plays the seats opposite, by `Agent.act_batch`; None for the built-in random agent.
        opponents: plays the other seats; None for the built-in random agent.
        on_illegal: ``"raise"`` or ``"forfeit"``.
        render_mode: None, ``"ansi"`` or ``"human"``.
        canonical_suits: whether suits stand in canonical order for all seats.
        autoreset_mode: how a finished episode is followed by the next: by the step after, whose
            action is not played (NEXT_STEP); within its last step, with the last observation in
            ``infos["final_obs"]`` (SAME_STEP); by `reset` with a ``reset_mask`` (DISABLED).

    The mask of legal actions stands in ``infos["action_mask"]``, int8 [N, A].

    Attributes:
        states: the games, shape (N,) and dtype `STATE_DTYPE`.
        seats: the learners' seats, int8 [N].
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | RuleSet = "classic",
        episode: Episode = "deal",
        reward: str = "marks",
        observation: str = "flat",
        seat: Seat = 0,
        partner: Agent | None = None,
        opponents: Agent | None = None,
        on_illegal: OnIllegal = "raise",
        render_mode: str | None = None,
        canonical_suits: bool = False,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        num_envs = check_whole("num_envs", num_envs, least=1)
        self.rules = resolve(rules)
        check_seat(seat, self.rules)
        check_others(partner, opponents, self.rules)
        check_on_illegal(on_illegal)
        check_render_mode(render_mode)
        self.autoreset_mode = _parse_autoreset(autoreset_mode)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": 1,
            "autoreset_mode": self.autoreset_mode,
        }
        self.num_envs = num_envs
        self.render_mode = render_mode
        low, high = bounds(schema(self.rules, observation))
        actions = num_actions(self.rules, observation)
        self.single_observation_space = Box(low, high, dtype=np.uint8)
        self.single_action_space = Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

        self.states = new_states(num_envs)
        self.seats = np.full(num_envs, 0 if seat == "random" else int(seat), np.int8)
        self._draws_seat = seat == "random"
        self._partner = partner
        self._opponents = opponents
        self._random = RandomAgent()
        self._canonical = check_flag("canonical_suits", canonical_suits)
        self._forfeits = on_illegal == "forfeit"
        self._worst = worst_return(self.rules, episode, reward)
        # The kernel works on the first rows of a batch: games that are to move are copied there.
        self._rows = Rows(
            self.rules,
            new_states(num_envs),
            parse_episode(episode),
            parse_reward(reward),
            self._canonical,
            observation,
        )
        self._turn = np.zeros((num_envs, 2), np.int64)
        self._mask = np.zeros((num_envs, actions), np.int8)
        self._reward = np.zeros(num_envs)
        self._return = np.zeros(num_envs)
        self._over = np.ones(num_envs, np.bool_)
        self._reseed(np.arange(num_envs), None)
        self._started = False
        self._halfway = False  # an agent failed: all games need a reset

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> _Seen:
        """Deal new episodes and play each up to the learner's first decision.

        Args:
            seed: environment i starts the deals of ``seed + i``; the built-in random agent and the
                drawn seats start afresh too.
            options: ``{"reset_mask": bool [N]}`` to leave the other environments as they are.

        Raises:
            ValueError: on a bad seed or options; nothing has changed then.
        """
        games = self._chosen({} if options is None else check_dict("options", options, "options"))
        seed = check_seed(seed)
        super().reset(seed=seed)
        if seed is not None:
            self._random = RandomAgent(int(self.np_random.integers(2**63)))
            self._reseed(games, seed)
        self._started = True
        self._halfway = False
        self._begin(games)
        self._play_others()
        return self._look(), self._infos()

    def step(self, actions: ArrayLike) -> _Stepped:
        """Play the learners' actions, then the others up to the learners' next ones.

        Args:
            actions: N action ids.

        Raises:
            IllegalActionError: under ``on_illegal="raise"``, naming environment, seat and action;
                nothing has changed.  Also naming an agent that played one; all games need a reset
                then.
            ValueError: if the actions have the wrong shape or dtype.
            ResetNeededError: before the first `reset`, after an agent failed, or if an episode is
                over under DISABLED.
        """
        check_started(self._started, "step()")
        given = check_actions(actions, self.num_envs)
        taken = given.astype(np.int64)
        waiting = self._over.copy()
        if self._halfway or (self.autoreset_mode == AutoresetMode.DISABLED and waiting.any()):
            raise ResetNeededError(f"call reset() for environments {waiting.nonzero()[0].tolist()}")
        actions = self._mask.shape[1]
        legal = self._mask[np.arange(self.num_envs), taken % actions] == 1
        legal &= (taken >= 0) & (taken < actions)
        illegal = ~legal & ~waiting
        if illegal.any() and not self._forfeits:
            first = int(illegal.argmax())
            raise IllegalActionError(self._illegal_action(first, int(given[first])))
        self._reward[:] = 0.0
        self._begin(waiting.nonzero()[0])
        self._play(legal.nonzero()[0], taken[legal])
        self._play_others()
        self._over |= illegal
        self._reward[illegal] = self._worst - self._return[illegal]
        self._return += self._reward
        rewards, ended = self._reward.copy(), self._over.copy()
        observations, infos = self._look(), self._infos()
        if self.autoreset_mode == AutoresetMode.SAME_STEP and ended.any():
            final = _final(observations, self._mask, ended)
            self._begin(ended.nonzero()[0])
            self._play_others()
            observations, infos = self._look(), self._infos() | final
        return observations, rewards, ended, np.zeros(self.num_envs, np.bool_), infos

    def render(self) -> tuple[Any, ...] | None:
        """The tables as the learners see them, each as in `belote_env.single.BeloteEnv.render`.

        Raises:
            ResetNeededError: before the first `reset`.
        """
        check_started(self._started, "render()")
        tables = [
            draw(self.rules, state, int(seat))
            for state, seat in zip(self.states, self.seats, strict=True)
        ]
        return tuple(show(self.render_mode, table) for table in tables)

    def _chosen(self, options: dict[str, Any]) -> _Games:
        """The environments that a reset is for."""
        unknown = options.keys() - {"reset_mask"}
        if unknown:
            raise ValueError(f"unknown options {sorted(unknown, key=repr)}: use 'reset_mask'")
        given = options.get("reset_mask", np.ones(self.num_envs, np.bool_))
        try:
            chosen = np.asarray(given)
        except ValueError:  # lists of different lengths
            chosen = np.empty(0)
        if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_ or not chosen.any():
            raise ValueError(
                f"reset_mask must be {self.num_envs} booleans, one of them True, got {given}"
            )
        return chosen.nonzero()[0]

    def _reseed(self, games: _Games, seed: int | None) -> None:
        """Let the next deals be the first of the seeds' streams."""
        for i in games:
            key = seed_key(None if seed is None else seed + int(i))
            self.states["key"][i] = stream_key(key, 0)
        self.states["deal"][games] = 0

    def _begin(self, games: _Games) -> None:
        """Deal a new episode in some games."""
        if not len(games):
            return
        self._load(games)
        self._rows.run(DEAL, len(games))
        self._store(games)
        self._over[games] = False
        self._return[games] = 0.0
        if self._draws_seat:
            self.seats[games] = self.np_random.integers(self.rules.num_seats, size=len(games))

    def _play_others(self) -> None:
        """Let the agents act in all games up to the learners' turn or the end.

        If one fails the games stand halfway, and all need a reset.
        """
        try:
            while len(games := ((self.states["seat"] != self.seats) & ~self._over).nonzero()[0]):
                self._play_turn(games)
        except Exception:
            self._over[:] = self._halfway = True
            raise

    def _play_turn(self, games: _Games) -> None:
        """Let the agents act once in games where it is their turn."""
        num, rows = len(games), self._rows
        self._load(games)
        rows.seat[:num] = rows.states["seat"][:num]
        rows.run(OBSERVE, num)
        self._turn[games] = rows.turn[:num]
        is_partner = rows.seat[:num] == self.seats[games] ^ 2
        self._play(games, self._choose(games, is_partner))

    def _choose(self, games: _Games, is_partner: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The agents' actions in games where they are to act, which fill the first rows."""
        partner = self._random if self._partner is None else self._partner
        opponents = self._random if self._opponents is None else self._opponents
        if partner is opponents:
            return self._ask(partner, games, slice(len(games)))
        actions = np.empty(len(games), np.int64)
        for agent, its_turn in ((partner, is_partner), (opponents, ~is_partner)):
            if its_turn.any():
                actions[its_turn] = self._ask(agent, games, its_turn.nonzero()[0])
        return actions

    def _ask(self, agent: Agent, games: _Games, rows: _Games | slice) -> NDArray[np.int64]:
        """An agent's actions in some of the rows."""
        try:
            return act_batch(agent, self._rows.obs[rows], self._rows.mask[rows])
        except AnswerError as error:
            game = int(games[rows][error.row])
            seat = int(self.states["seat"][game])
            whose = name_agent(seat, int(self.seats[game]), self._partner, self._opponents)
            raise IllegalActionError(
                f"environment {game}: {whose}: seat {seat}: {error.fault}"
            ) from None

    def _load(self, games: _Games) -> None:
        words(self._rows.states)[: len(games)] = words(self.states)[games]
        self._rows.turn[: len(games)] = self._turn[games]

    def _store(self, games: _Games) -> None:
        words(self.states)[games] = words(self._rows.states)[: len(games)]
        self._turn[games] = self._rows.turn[: len(games)]

    def _play(self, games: _Games, actions: NDArray[np.int64]) -> None:
        """Play an action in some games, and deal on where a match is not over."""
        num, rows = len(games), self._rows
        self._load(games)
        rows.actions[:num] = actions
        illegal = rows.run(STEP, num)
        if illegal >= 0:
            raise IllegalActionError(
                self._illegal_action(int(games[illegal]), int(actions[illegal]))
            )
        self._store(games)
        self._reward[games] += rows.reward[np.arange(num), self.seats[games]]
        done = rows.done[:num]
        self._over[games] = done
        for i in games[(rows.seat[:num] < 0) & ~done]:
            begin_deal_at(rule_data(self.rules), self.states, i, False)

    def _look(self) -> NDArray[np.uint8]:
        """What the learners see, [N, D]; their masks are kept."""
        rows = self._rows
        words(rows.states)[:] = words(self.states)
        rows.turn[:] = self._turn
        rows.seat[:] = self.seats
        rows.run(OBSERVE, self.num_envs)
        self._turn[:] = rows.turn
        self._mask[:] = rows.mask
        self._mask[self._over] = 0
        return rows.obs.copy()

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self._mask.copy(),
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }

    def _illegal_action(self, i: int, action: int) -> str:
        seat, learner, legal = (
            int(self.states["seat"][i]),
            int(self.seats[i]),
            legal_of(self._turn[i]),
        )
        message = illegal_action(seat, action, legal, self._mask.shape[1], self._canonical)
        if seat != learner:
            message = f"{name_agent(seat, learner, self._partner, self._opponents)}: {message}"
        return f"environment {i}: {message}"


def _parse_autoreset(mode: str | AutoresetMode) -> AutoresetMode:
    names = [known.value for known in AutoresetMode]
    return (
        mode
        if isinstance(mode, AutoresetMode)
        else AutoresetMode(check_choice("autoreset_mode", mode, names))
    )


def _final(
    observations: NDArray[np.uint8], mask: NDArray[np.int8], ended: NDArray[np.bool_]
) -> dict[str, Any]:
    """What Gymnasium reports of episodes that end in a step which begins the next ones."""
    final_obs = np.full(len(ended), None, object)
    for i in ended.nonzero()[0]:
        final_obs[i] = observations[i]
    return {
        "final_obs": final_obs,
        "_final_obs": ended.copy(),
        "final_info": {"action_mask": np.zeros_like(mask), "_action_mask": ended.copy()},
        "_final_info": ended.copy(),
    }
