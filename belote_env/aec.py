"""The PettingZoo environment: four seats, one observation and mask at a time.

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
from operator import index
from typing import Any, Final

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from belote_env.actions import NUM_ACTIONS, IllegalActionError
from belote_env.engine.batch import DEAL, OBSERVE, OUTCOME_DTYPE, STEP, run_batch, state_batch
from belote_env.engine.encoding import action_from_slots, suit_order
from belote_env.engine.jit import compiled
from belote_env.game import Episode, Game, illegal_action
from belote_env.observation import bounds, schema, state_schema
from belote_env.render import check_render_mode, draw
from belote_env.rules import RuleSet
from belote_env.vector import parse_reward

AGENTS: Final = ("player_0", "player_1", "player_2", "player_3")
"""Names of seats 0-3."""
OBSERVATIONS: Final = ("flat",)
"""Forms of the observation: ``"flat"`` is the vector of `belote_env.observation`."""

Observation = dict[str, NDArray[Any]]
"""``{"observation": uint8 [D], "action_mask": int8 [A]}``."""

_OFF_TURN: Final = np.zeros(NUM_ACTIONS, np.int8)
# PettingZoo's api_test resets with this option to see that options are taken at all.
_API_TEST_OPTION: Final = "options"


def check_observation(observation: str) -> None:
    """Refuse an unknown form of observation.

    Raises:
        ValueError: if it is none of `OBSERVATIONS`.
    """
    if observation not in OBSERVATIONS:
        raise ValueError(f"observation={observation!r}: use one of {OBSERVATIONS}")


def env(
    rules: str | RuleSet = "classic",
    episode: Episode = "deal",
    reward: str = "marks",
    observation: str = "flat",
    render_mode: str | None = None,
    canonical_suits: bool = False,
) -> AECEnv[str, Observation, int]:
    """`raw_env` behind PettingZoo's check that `reset` comes before everything else.

    Actions need no wrapper: the environment itself refuses every action that is not legal.
    """
    return OrderEnforcingWrapper(
        raw_env(rules, episode, reward, observation, render_mode, canonical_suits)
    )


@dataclass(frozen=True)
class Snapshot:
    """A copy of an environment in progress, see `raw_env.clone_state`."""

    game: NDArray[Any]
    agents: tuple[str, ...]
    agent_selection: str
    over: bool
    rewards: dict[str, float]
    cumulative_rewards: dict[str, float]


class raw_env(AECEnv[str, Observation, int]):
    """Belote for four agents, ``"player_0"`` to ``"player_3"``; 0 and 2 play against 1 and 3.

    Every seat has the same spaces.  The mask stands in the observation and in ``infos``; it is all
    zeros for a seat that is not to act.  When the episode ends, all four terminate at once and take
    their last reward from `last`, in seat order.

    Args:
        rules: a rule set or its id.
        episode: ``"deal"`` or ``"match"``; the deals of a match follow each other.
        reward: ``"marks"``, ``"tricks"`` or ``"win"``, as in `belote_env.SelfPlayVectorEnv`.
        observation: one of `OBSERVATIONS`.
        render_mode: None, ``"ansi"`` (`render` returns text) or ``"human"`` (it prints it).
        canonical_suits: whether suits stand in canonical order (see `belote_env.observation`) in
            observations, masks and actions alike.

    Attributes:
        game: the `belote_env.Game` that is played.
        state_space: space of `state`.
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
        check_observation(observation)
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self.game = Game(rules, episode)
        self.possible_agents = list(AGENTS)
        low, high = bounds(schema(self.game.rules))
        self.observation_spaces = {
            agent: Dict(
                {
                    "observation": Box(low, high, dtype=np.uint8),
                    "action_mask": Box(0, 1, (NUM_ACTIONS,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: Discrete(NUM_ACTIONS) for agent in AGENTS}
        low, high = bounds(state_schema(self.game.rules))
        self.state_space = Box(low, high, dtype=np.uint8)
        self._settings = np.array(
            [self.game.episode, parse_reward(reward), canonical_suits, False], np.int64
        )
        self._bind()

    def observation_space(self, agent: str) -> Space[Any]:
        """Space of the agent's observation, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Space of the agent's actions, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new episode.

        Args:
            seed: starts the stream of deals of this seed; None goes on with the present one.
            options: a deal to play in place of the stream's next.

        Raises:
            ValueError: on a bad seed or option; nothing has changed then.
        """
        if seed is not None:
            self.game.reseed(seed)
        self._kernel(*self._deal)
        self.agents = list(AGENTS)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self._paid = False
        self._skip_agent_selection = None
        self.infos = {agent: {"action_mask": _OFF_TURN.copy()} for agent in AGENTS}
        self._turn(self._seat.item(0))

    def step(self, action: int | None) -> None:
        """Play the action of the agent to act; None for an agent that has terminated.

        Raises:
            IllegalActionError: naming the seat, the action and the legal ones; nothing has changed.
            ValueError: if a terminated agent is given an action.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)  # pyright: ignore[reportArgumentType]
            return
        try:
            self._action[0] = index(action)  # pyright: ignore[reportArgumentType]
        except (TypeError, OverflowError):
            self._action[0] = -1
        if self._kernel(*self._step) >= 0:
            raise IllegalActionError(self._illegal_action(action))
        self.infos[agent] = {"action_mask": _OFF_TURN.copy()}
        self._cumulative_rewards[agent] = 0.0
        gain = self._reward.item(0)
        if gain or self._paid:
            self._pay(gain)
        seat = self._seat.item(0)
        if seat >= 0:
            self._turn(seat)
        elif self._done.item(0):
            self._end_episode()
        else:
            self.game.begin_deal()
            self._look()

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last action, termination, truncation, info of the agent."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            False,
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """What a seat sees, whether it is to act or not; arrays of its own."""
        if agent == self._seen_by:
            mask = self.infos[agent]["action_mask"]
            return {"observation": self._seen.copy(), "action_mask": mask}
        self._other_seat[0] = AGENTS.index(agent)
        self._kernel(*self._observe_other)
        return {"observation": self._other_obs[0].copy(), "action_mask": _OFF_TURN.copy()}

    def state(self) -> NDArray[np.uint8]:
        """Full information for centralised critics, uint8 [S], as the seat to act sees it.

        Its slices are those of `belote_env.observation.state_schema`.
        """
        out = np.empty((1, *self.state_space.shape), np.uint8)
        canonical = bool(self._settings[2])
        state_batch(self.game.rule_data, self.game.state, canonical, out.view(np.uint64), 0, 1)
        return out[0]

    def clone_state(self) -> Snapshot:
        """A copy of everything that decides how the game goes on, for `set_state`."""
        return Snapshot(
            self.game.clone(),
            tuple(self.agents),
            self.agent_selection,
            self.terminations[self.agent_selection],
            dict(self.rewards),
            dict(self._cumulative_rewards),
        )

    def set_state(self, state: Snapshot) -> None:
        """Go back to a copied state, of this or another environment with the same arguments.

        Raises:
            ValueError: if its game is no state; nothing has changed then.
        """
        self.game.restore(state.game)
        self._open(state.agents, state.over)
        self.rewards.update(state.rewards)
        self._cumulative_rewards.update(state.cumulative_rewards)
        ...

    def render(self) -> str | None:
        """The table as the seat to act sees it: text, or None once printed."""

    def close(self) -> None:
        """Nothing to release."""
