"""The Gymnasium environment: one learner; agents play its partner and its opponents.

    >>> game = gymnasium.make("Belote-v0", rules="classic")
    >>> observation, info = game.reset(seed=1)
    >>> lowest = info["action_mask"].argmax()
    >>> observation, reward, terminated, truncated, info = game.step(lowest)

The observation is the flat vector of `belote_env.observation`, so that any learner takes it; legal
actions stand in ``info["action_mask"]`` and in `BeloteEnv.action_masks`.
"""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from belote_env.actions import NUM_BIDS, IllegalActionError
from belote_env.aec import AGENTS, raw_env
from belote_env.agent import Agent, RandomAgent, check_agent
from belote_env.cards import SANS_ATOUT
from belote_env.checks import (
    ResetNeededError,
    check_choice,
    check_seed,
    check_started,
    is_whole,
    require,
)
from belote_env.deal_score import MAX_ANNONCES
from belote_env.engine.batch import MARKS_PER_UNIT
from belote_env.engine.options import rule_data
from belote_env.engine.scoring import BELOTE
from belote_env.game import Episode
from belote_env.observation import bounds, num_actions, schema
from belote_env.render import RENDER_MODES, check_render_mode, draw, show
from belote_env.rules import MAX_ROUNDING, RuleSet

Seat = Literal[0, 1, 2, 3, "random"]
OnIllegal = Literal["raise", "forfeit"]


_Step = tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]


def check_seat(seat: Seat, rules: RuleSet) -> None:
    """Refuse what is no seat of a learner."""
    seats = range(rules.num_seats)
    valid = seat in seats if is_whole(seat) else isinstance(seat, str) and seat == "random"
    require(valid, "seat", seat, f"{', '.join(map(str, seats))} or 'random'")


def check_others(partner: Agent | None, opponents: Agent | None, rules: RuleSet) -> None:
    """Refuse agents that cannot act, and a partner where there is none."""
    check_agent("partner", partner)
    check_agent("opponents", opponents)
    if partner is not None and rules.num_seats == 2:
        raise ValueError(f"partner={partner!r}: rules {rules.id!r} have none, leave it at None")


def name_agent(seat: int, learner: int, partner: Agent | None, opponents: Agent | None) -> str:
    """The argument and agent that play a seat beside the learner, for messages."""
    return f"partner={partner!r}" if seat == learner ^ 2 else f"opponents={opponents!r}"


def check_on_illegal(on_illegal: OnIllegal) -> None:
    """Refuse an unknown way to meet an illegal action."""
    check_choice("on_illegal", on_illegal, ("raise", "forfeit"))


def worst_return(rules: RuleSet, episode: Episode = "deal", reward: str = "marks") -> float:
    """The return of a forfeit: no episode that is played to its end has a lower one.

    A deal marks at most a capot, the bid and what multiplies them, with every belote and annonce
    there may be.  A match may cost that in each of its deals; as each marks half of the trick
    points or a bid of 80 or more for one of the sides, a target bounds their number.  A lost
    episode has -1 under the reward ``"win"``.
    """
    if reward == "win":
        return -1.0
    data = rule_data(rules)[0]
    contracts = None if rules.sa_ta else SANS_ATOUT
    rounding = 0 if rules.rounding == "none" else MAX_ROUNDING
    tricks = int(data["capot_total"][:contracts].max())
    marks = BELOTE * (4 if rules.sa_ta else 1) + rounding
    marks += MAX_ANNONCES if rules.annonces else 0
    least = int(data["total"][:contracts].min()) // 2
    if rules.family == "auction":
        factor, bids = int(data["multiplier"].max()), data["bid_value"][: NUM_BIDS + rules.generale]
        marks += int(bids.max()) * factor + tricks * (factor if rules.multiplier_on == "all" else 1)
        least = int(bids[1])
    else:
        marks += tricks
    deals = 1
    if episode == "match":
        deals = rules.deals_per_party or 2 * int(data["target"]) // (least - rounding) + 1
    return -deals * marks / MARKS_PER_UNIT


class BeloteEnv(gymnasium.Env[NDArray[np.uint8], Any]):
    """Belote for one learner.

    The return of an episode is the margin of the learner's side, as the reward counts it.

    Args:
        rules: a rule set or its id.
        episode: ``"deal"`` or ``"match"``.
        reward: ``"marks"``, ``"tricks"`` or ``"win"``, as in `belote_env.SelfPlayVectorEnv`.
        observation: a form of the observation, see `belote_env.observation`.
        seat: the learner's, or ``"random"`` for another one drawn at each reset.
        partner: plays the seat opposite; None for the built-in random agent.
        opponents: plays the two other seats; None for the built-in random agent.
        on_illegal: what an illegal action does: ``"raise"`` an error, or ``"forfeit"`` the episode,
            which then ends with a return of `worst_return`.
        render_mode: None, ``"ansi"`` (`render` returns text) or ``"human"`` (the table is printed
            after each reset and step).
        canonical_suits: whether suits stand in canonical order for all seats.

    The built-in random agent and the drawn seats start afresh when `reset` is given a seed; agents
    that are passed in keep random streams of their own.

    Attributes:
        table: the `belote_env.raw_env` of all four seats.
        seat: the learner's seat in this episode.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
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
    ) -> None:
        check_on_illegal(on_illegal)
        self.table = raw_env(rules, episode, reward, observation, None, canonical_suits)
        check_render_mode(render_mode)
        check_seat(seat, self.table.game.rules)
        check_others(partner, opponents, self.table.game.rules)
        self.render_mode = render_mode
        self.seat = 0 if seat == "random" else int(seat)
        low, high = bounds(schema(self.table.game.rules, observation))
        self.observation_space = Box(low, high, dtype=np.uint8)
        self.action_space = Discrete(num_actions(self.table.game.rules, observation))
        self._draws_seat = seat == "random"
        self._partner = partner
        self._opponents = opponents
        self._random = RandomAgent()
        self._forfeits = on_illegal == "forfeit"
        self._worst = worst_return(self.table.game.rules, episode, reward)
        self._return = 0.0
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Deal a new episode and play up to the learner's first decision.

        Args:
            seed: starts the deals, the built-in random agent and the drawn seats afresh.
            options: a deal or position to start from, as in `belote_env.raw_env.reset`.

        Raises:
            ValueError: on a bad seed or options; nothing has changed then.  Also on a position with
                nothing left for the learner to decide; reset again then.
        """
        seed = check_seed(seed)
        self.table.reset(seed, options)
        super().reset(seed=seed)
        self._over = True
        if seed is not None:
            self._random = RandomAgent(int(self.np_random.integers(2**63)))
        if self._draws_seat:
            self.seat = int(self.np_random.integers(self.table.game.rules.num_seats))
        self._play_others()
        if self._ended():
            raise ValueError(f"seat {self.seat} has nothing to decide from the given position on")
        self._return = 0.0
        self._over = False
        if self.render_mode == "human":
            self.render()
        return self._seen()

    def step(self, action: Any) -> _Step:
        """Play the learner's action, then the others up to its next one.

        Args:
            action: an action id, any kind of integer.

        Raises:
            IllegalActionError: under ``on_illegal="raise"``; nothing has changed.  Also naming an
                agent that played one; the episode is over then.
            ResetNeededError: before the first `reset`, or if the episode is over.
        """
        check_started(self.table.started, "step()")
        if self._over:
            raise ResetNeededError("the episode is over: call reset()")
        try:
            self.table.step(action)
        except IllegalActionError:
            if not self._forfeits:
                raise
            return self._forfeit()
        self._over = True  # and so it remains if an agent fails
        reward = self.table.rewards[AGENTS[self.seat]] + self._play_others()
        self._return += reward
        self._over = self._ended()
        if self.render_mode == "human":
            self.render()
        observation, info = self._seen()
        return observation, reward, self._over, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Legal actions of the learner, bool [A], under the name that sb3-contrib looks for.

        Raises:
            ResetNeededError: before the first `reset`.
        """
        check_started(self.table.started, "action_masks()")
        return self._seen()[1]["action_mask"].astype(np.bool_)

    def render(self) -> str | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The table as the learner sees it: returned as text, or printed (``"human"``).

        Raises:
            ResetNeededError: before the first `reset`.
        """
        check_started(self.table.started, "render()")
        game = self.table.game
        return show(self.render_mode, draw(game.rules, game.state[0], self.seat))

    def _play_others(self) -> float:
        """Let the agents play up to the learner's turn or the end; what the learner gains by it."""
        table, learner = self.table, AGENTS[self.seat]
        gained = 0.0
        while not self._ended() and table.agent_selection != learner:
            observation, _, _, _, info = table.last()
            assert observation is not None
            seat = AGENTS.index(table.agent_selection)
            action = self._agent(seat).act(observation, info["action_mask"], info)
            try:
                table.step(action)
            except IllegalActionError as error:
                agent = name_agent(seat, self.seat, self._partner, self._opponents)
                raise IllegalActionError(f"{agent}: {error}") from None
            gained += table.rewards[learner]
        return gained

    def _agent(self, seat: int) -> Agent:
        agent = self._partner if seat == self.seat ^ 2 else self._opponents
        return self._random if agent is None else agent

    def _ended(self) -> bool:
        return self.table.terminations[AGENTS[self.seat]]

    def _seen(self) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """What the learner sees, and its mask: empty once the episode is over."""
        seen = self.table.observe(AGENTS[self.seat])
        if self._over:
            seen["action_mask"][:] = 0
        return seen["observation"], {"action_mask": seen["action_mask"]}

    def _forfeit(self) -> _Step:
        self._over = True
        observation, info = self._seen()
        return observation, self._worst - self._return, True, False, info
