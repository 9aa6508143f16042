"""The PettingZoo environment: the seats of a table, one observation and mask at a time.

    >>> game = env("classic")
    >>> game.reset(seed=1)
    >>> for agent in game.agent_iter():
    ...     observation, reward, termination, truncation, info = game.last()
    ...     done = termination or truncation
    ...     game.step(None if done else int(info["action_mask"].argmax()))

It steps the same kernel as `belote_env.SelfPlayVectorEnv`, and deal k of a seed is that of the
batch's environment 0.  Training is faster on the batch; this is the interface others know.
"""

# PettingZoo ships no type stubs and no py.typed marker.
# pyright: reportMissingTypeStubs=false

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import Any, Final

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from belote_env.actions import NUM_ACTIONS, IllegalActionError
from belote_env.checks import (
    ResetNeededError,
    check_choice,
    check_dict,
    check_flag,
    check_started,
    is_finite,
)
from belote_env.engine.batch import OBSERVATIONS, OBSERVE, STEP, state_batch
from belote_env.engine.episode import EPISODES, MATCH
from belote_env.engine.state import OVER
from belote_env.engine.state_check import check_in_progress, check_states
from belote_env.game import Episode, Game, action_index, illegal_action
from belote_env.observation import bounds, num_actions, schema, state_schema
from belote_env.position import start_from
from belote_env.render import check_render_mode, draw, show
from belote_env.rows import Rows, legal_of
from belote_env.rules import RuleSet
from belote_env.vector import parse_reward

AGENTS: Final = ("player_0", "player_1", "player_2", "player_3")
"""Names of seats 0-3; two players are the first two."""

Observation = dict[str, NDArray[Any]]
"""``{"observation": uint8 [D], "action_mask": int8 [A]}``."""

# PettingZoo's api_test resets with this option to see that options are taken at all.
_API_TEST_OPTION: Final = "options"

_ALL_GONE: Final = "every agent has taken its last reward: call reset()"

_BOOKS: Final = (
    "agents",
    "agent_selection",
    "infos",
    "num_agents",
    "rewards",
    "terminations",
    "truncations",
)
"""What PettingZoo keeps of an episode: there is none before the first `reset`."""


def env(
    rules: str | RuleSet = "classic",
    episode: Episode = "deal",
    reward: str = "marks",
    observation: str = "flat",
    render_mode: str | None = None,
    canonical_suits: bool = False,
) -> OrderEnforcingWrapper[str, Any, Any]:
    """`raw_env` behind PettingZoo's checks of the order of calls.

    Actions need no wrapper: the environment itself refuses every action that is not legal.
    """
    return _Ordered(raw_env(rules, episode, reward, observation, render_mode, canonical_suits))


class _Ordered(OrderEnforcingWrapper[str, Any, Any]):
    """PettingZoo's checks, with the errors of `raw_env` for what comes before `reset`."""

    def __init__(self, table: raw_env) -> None:
        super().__init__(table)
        self._table = table

    def __getattr__(self, name: str) -> Any:
        if name in _BOOKS:
            check_started(self._table.started, name)
            return getattr(self._table, name)
        return super().__getattr__(name)

    def __str__(self) -> str:
        return str(self.env)

    def set_state(self, state: Snapshot) -> None:
        self._table.set_state(state)
        self._has_reset = self._has_updated = True

    def step(self, action: Any) -> None:
        check_started(self._table.started, "step()")
        super().step(action)

    def last(self, observe: bool = True) -> Any:
        check_started(self._table.started, "last()")
        return super().last(observe)

    def observe(self, agent: str) -> Any:
        check_started(self._table.started, "observe()")
        return super().observe(agent)

    def state(self) -> NDArray[Any]:
        check_started(self._table.started, "state()")
        return super().state()

    def render(self) -> Any:
        check_started(self._table.started, "render()")
        return super().render()

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        check_started(self._table.started, "agent_iter()")
        return super().agent_iter(max_iter)


@dataclass(frozen=True)
class Snapshot:
    """A copy of an environment in progress, see `raw_env.clone_state`.

    Attributes:
        rules: the rule set that is played.
        episode: ``"deal"`` or ``"match"``.
        game: the state of the game, shape (1,).
        rewards: reward of the last step of each agent that remains.
        cumulative_rewards: what each of them has not yet taken from `raw_env.last`.
    """

    rules: RuleSet
    episode: str
    game: NDArray[Any]
    rewards: dict[str, float]
    cumulative_rewards: dict[str, float]


class raw_env(AECEnv[str, Any, Any]):
    """Belote for four agents, ``"player_0"`` to ``"player_3"``; 0 and 2 play against 1 and 3.

    Rule sets of two players have the first two agents.  Every seat has the same spaces.  The mask
    stands in the observation and in ``infos``; it is all zeros for a seat that is not to act.  When
    the episode ends, all terminate at once and take their last reward from `last`, in seat order.

    Args:
        rules: a rule set or its id.
        episode: ``"deal"`` or ``"match"``; the deals of a match follow each other.
        reward: ``"marks"``, ``"tricks"`` or ``"win"``, as in `belote_env.SelfPlayVectorEnv`.
        observation: ``"flat"``, ``"universal"`` or ``"history"``, see `belote_env.observation`.
        render_mode: None, ``"ansi"`` (`render` returns text) or ``"human"`` (the table is printed
            after each reset and step).
        canonical_suits: whether suits stand in canonical order (see `belote_env.observation`) in
            observations, masks and actions alike.

    Attributes:
        game: the `belote_env.Game` that is played; it changes through the environment alone.
        state_space: space of `state`.
        started: whether there is an episode.
    """

    metadata = {  # noqa: RUF012 - PettingZoo declares it an instance variable
        "name": "belote_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        rules: str | RuleSet = "classic",
        episode: Episode = "deal",
        reward: str = "marks",
        observation: str = "flat",
        render_mode: str | None = None,
        canonical_suits: bool = False,
    ) -> None:
        super().__init__()
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self.canonical_suits = check_flag("canonical_suits", canonical_suits)
        self.game = Game(rules, episode)
        self._observation = observation
        self.possible_agents = list(AGENTS[: self.game.rules.num_seats])
        low, high = bounds(schema(self.game.rules, observation))
        actions = num_actions(self.game.rules, observation)
        self._off_turn = np.zeros(actions, np.int8)
        self.observation_spaces: dict[str, Space[Any]] = {
            agent: Dict(
                {
                    "observation": Box(low, high, dtype=np.uint8),
                    "action_mask": Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces: dict[str, Space[Any]] = {
            agent: Discrete(actions) for agent in self.possible_agents
        }
        low, high = bounds(state_schema(self.game.rules, observation))
        self.state_space = Box(low, high, dtype=np.uint8)
        self.started = False
        self._seen_by: str | None = None
        self._row = Rows(
            self.game.rules,
            self.game.state,
            self.game.episode,
            parse_reward(reward),
            self.canonical_suits,
            observation,
        )

    def observation_space(self, agent: str) -> Space[Any]:
        """Space of the agent's observation, always the same object.

        Raises:
            ValueError: if there is no such agent.
        """
        return self.observation_spaces[check_choice("agent", agent, self.possible_agents)]

    def action_space(self, agent: str) -> Space[Any]:
        """Space of the agent's actions, always the same object.

        Raises:
            ValueError: if there is no such agent.
        """
        return self.action_spaces[check_choice("agent", agent, self.possible_agents)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new episode.

        Args:
            seed: starts the stream of deals of this seed; None goes on with the present one.
            options: a deal or position in place of the stream's next deal: ``{"record": ...}`` or
                ``{"hands": ..., "dealer": ...}``, see `belote_env.position.start_from`.

        Raises:
            ValueError: on a bad seed or options; nothing has changed then.
        """
        options = {} if options is None else check_dict("options", options, "options by name")
        given = {name: value for name, value in options.items() if name != _API_TEST_OPTION}
        before = self.game.clone()
        try:
            if seed is not None:
                self.game.reseed(seed)
            if given:
                start_from(self.game, given)
            else:
                self.game.start()
        except Exception:
            self.game.restore(before)
            raise
        nothing = dict.fromkeys(self.possible_agents, 0.0)
        self._open(nothing, nothing)
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Play the action of the agent to act.

        Args:
            action: an action id, any kind of integer; None for an agent that has terminated.

        Raises:
            IllegalActionError: naming the seat, the action and the legal ones; nothing has changed.
            ValueError: if a terminated agent is given an action.
            ResetNeededError: before the first `reset`, or once no agent is left.
        """
        check_started(self.started, "step()")
        agent = self.agent_selection
        try:
            terminated = self.terminations[agent]
        except KeyError:
            raise ResetNeededError(_ALL_GONE) from None
        if terminated:
            self._was_dead_step(action)
            return
        row = self._row
        try:
            taken = action if type(action) is int else action_index(action)
        except TypeError:
            raise IllegalActionError(f"{agent}: action {action!r} is no integer") from None
        row.actions[0] = taken if 0 <= taken < NUM_ACTIONS else -1
        if row.run(STEP, 1) >= 0:
            raise IllegalActionError(self._illegal_action(taken))
        self.infos[agent] = {"action_mask": self._off_turn.copy()}
        self._cumulative_rewards[agent] = 0.0
        gain = row.reward.item(0)
        if gain or self._paid:
            self._pay(gain)
        seat = row.seat.item(0)
        if seat >= 0:
            self._give_turn(seat)
        elif row.done.item(0):
            self.terminations = dict.fromkeys(self.possible_agents, True)
            self.agent_selection = AGENTS[0]
            self._seen_by = None
        else:
            self.game.begin_deal()
            self._look(self.game.seat)
            self._give_turn(self.game.seat)
        if self.render_mode == "human":
            self.render()

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """The agents in the order in which they are to act, until none remains.

        Raises:
            ResetNeededError: before the first `reset`.
        """
        check_started(self.started, "agent_iter()")
        return super().agent_iter(max_iter)

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last action, termination, truncation, info of the agent.

        Raises:
            ResetNeededError: before the first `reset`, or once no agent is left.
        """
        check_started(self.started, "last()")
        agent = self.agent_selection
        try:
            reward = self._cumulative_rewards[agent]
        except KeyError:
            raise ResetNeededError(_ALL_GONE) from None
        return (
            self.observe(agent) if observe else None,
            reward,
            self.terminations[agent],
            False,
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """What a seat sees, whether it is to act or not, in arrays of its own.

        Raises:
            ResetNeededError: before the first `reset`.
            ValueError: if there is no such agent.
        """
        if agent is not self._seen_by:  # who is seen has been looked for, there is an episode
            check_started(self.started, "observe()")
            check_choice("agent", agent, self.possible_agents)
            self._look(AGENTS.index(agent))
        row = self._row
        return {"observation": row.obs[0].copy(), "action_mask": row.mask[0].copy()}

    def state(self) -> NDArray[np.uint8]:
        """Full information for centralised critics, uint8 [S], as the seat to act sees it.

        Its slices are those of `belote_env.observation.state_schema`.

        Raises:
            ResetNeededError: before the first `reset`.
        """
        check_started(self.started, "state()")
        out = np.empty((1, *self.state_space.shape), np.uint8)
        words = out.view(np.uint64)
        form = OBSERVATIONS.index(self._observation)
        state_batch(self.game.rule_data, self.game.state, self.canonical_suits, form, words, 0, 1)
        return out[0]

    def clone_state(self) -> Snapshot:
        """A copy of everything that decides how the game goes on, for `set_state`.

        Raises:
            ResetNeededError: before the first `reset`.
        """
        check_started(self.started, "clone_state()")
        return Snapshot(
            self.game.rules,
            EPISODES[self.game.episode],
            self.game.clone(),
            dict(self.rewards),
            dict(self._cumulative_rewards),
        )

    def set_state(self, state: Snapshot) -> None:
        """Go back to a copied state, of this or another environment with the same arguments.

        Raises:
            ValueError: if it is no such copy, has other rules or another kind of episode, or stands
                between two deals of a match; nothing has changed then.
        """
        self._check_snapshot(state)
        self.game.restore(state.game)
        self._open(state.rewards, state.cumulative_rewards)

    def render(self) -> str | None:
        """The table as the seat to act sees it: returned as text, or printed (``"human"``).

        Raises:
            ResetNeededError: before the first `reset`.
        """
        check_started(self.started, "render()")
        return show(self.render_mode, draw(self.game.rules, self.game.state[0]))

    def close(self) -> None:
        """Nothing is held that needs closing."""

    def _open(self, rewards: dict[str, float], cumulative_rewards: dict[str, float]) -> None:
        """Keep the books of the agents that remain, from the game as it stands."""
        over = self.game.over
        self.started = True
        self.agents = list(rewards)
        self.rewards = dict(rewards)
        self._cumulative_rewards = dict(cumulative_rewards)
        self._paid = any(rewards.values())
        self.terminations = dict.fromkeys(rewards, over)
        self.truncations = dict.fromkeys(rewards, False)
        self.infos = {agent: {"action_mask": self._off_turn.copy()} for agent in rewards}
        self._skip_agent_selection = None
        self._seen_by = None
        if not over:
            self._look(self.game.seat)
            self._give_turn(self.game.seat)
        else:
            self.agent_selection = next(iter(rewards), AGENTS[0])

    def _check_snapshot(self, state: Snapshot) -> None:
        game = self.game
        if not isinstance(state, Snapshot):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"state={state!r}: use what clone_state() returned")
        if not isinstance(state.rules, RuleSet) or state.rules != game.rules:  # pyright: ignore[reportUnnecessaryIsInstance]
            theirs = getattr(state.rules, "id", state.rules)
            raise ValueError(f"state: it has rules {theirs!r}, the environment {game.rules.id!r}")
        if check_choice("state: episode", state.episode, EPISODES) != EPISODES[game.episode]:
            raise ValueError(
                f"state: it has episode={state.episode!r}, the environment"
                f" {EPISODES[game.episode]!r}"
            )
        check_states(state.game, 1, game.rules, game.episode)
        if game.episode == MATCH and not state.game["match_over"][0]:
            check_in_progress(state.game)
        everybody = self.possible_agents
        over = state.game["phase"][0] == OVER
        books = {"rewards": state.rewards, "cumulative_rewards": state.cumulative_rewards}
        for name, numbers in books.items():
            check_dict(f"state: {name}", numbers, "rewards by agent")
            gone = len(everybody) - len(state.rewards) if over else 0
            if list(numbers) != everybody[gone:] or not all(map(is_finite, numbers.values())):
                raise ValueError(
                    f"state: {name}={numbers!r}: use a finite number for each of {everybody} in"
                    " this order, the first of which may be missing once the episode is over"
                )

    def _look(self, seat: int) -> None:
        """Fill the row with what a seat sees."""
        self._row.seat[0] = seat
        self._row.run(OBSERVE, 1)
        self._seen_by = AGENTS[seat]

    def _give_turn(self, seat: int) -> None:
        """Let the seat act, whose view the row holds."""
        agent = AGENTS[seat]
        self.agent_selection = self._seen_by = agent
        self.infos[agent] = {"action_mask": self._row.mask[0].copy()}

    def _pay(self, gain: float) -> None:
        """Book a step's reward: ``gain`` to team 0, its opposite to team 1."""
        self._paid = gain != 0.0
        for agent, reward in zip(self.possible_agents, cycle((gain, 0.0 - gain)), strict=False):
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward

    def _clear_rewards(self) -> None:
        self.rewards = dict.fromkeys(self.rewards, 0.0)

    def _illegal_action(self, action: int) -> str:
        legal = legal_of(self._row.turn[0])
        actions = len(self._off_turn)
        return illegal_action(self.game.seat, action, legal, actions, self.canonical_suits)
