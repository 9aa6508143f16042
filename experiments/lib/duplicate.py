"""Duplicate matches: every deal is played twice with the same cards, the sides swapped.

What one side was dealt the other was dealt too, so the luck of the cards cancels in the mean of
the two plays (rules, section 12).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from belote_env import Agent, RuleSet, SelfPlayVectorEnv
from belote_env.engine.state import CAPOT_TAKER, MADE, VOID
from experiments.lib.statistics import Estimate, mean_by_deal, ratio_by_deal


@dataclass(frozen=True)
class DuplicateMatch:
    """How n deals ended, each played twice.

    Attributes:
        outcomes: `SelfPlayVectorEnv.outcome` records [2, n]; in play p the agent is team p.
    """

    outcomes: NDArray[Any]

    @property
    def margins(self) -> NDArray[np.float64]:
        """Marks a deal: the agent's less the opponent's, mean of the two plays [n]."""
        marks = self.outcomes["marks"].astype(float)
        return ((marks[0, :, 0] - marks[0, :, 1]) + (marks[1, :, 1] - marks[1, :, 0])) / 2

    def results(self) -> dict[str, Estimate]:
        """Marks a deal, and how often deals are void, taken by each side, and then made."""
        took, made = _takes(self.outcomes)
        other_took, other_made = _takes(self.outcomes[::-1])
        plays = np.full(len(self.margins), 2)
        return {
            "marks": mean_by_deal(self.margins),
            "void_rate": ratio_by_deal((self.outcomes["result"] == VOID).sum(axis=0), plays),
            "take_rate": ratio_by_deal(took, plays),
            "made_rate": ratio_by_deal(made, took),
            "opponent_take_rate": ratio_by_deal(other_took, plays),
            "opponent_made_rate": ratio_by_deal(other_made, other_took),
        }


def made_contract(outcomes: NDArray[Any]) -> NDArray[np.bool_]:
    """Deals whose takers made their contract."""
    return np.isin(outcomes["result"], (MADE, CAPOT_TAKER))


def _takes(outcomes: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Takes, and contracts made, in the two plays of each deal by the side that is team p in p."""
    took = (outcomes["result"] != VOID) & (outcomes["taker"] % 2 == [[0], [1]])
    return took.sum(axis=0), (took & made_contract(outcomes)).sum(axis=0)


def play_duplicate(
    agent: Agent, opponent: Agent, rules: RuleSet, deals: int, seed: int, threads: int = 1
) -> DuplicateMatch:
    """Play ``deals`` deals of a seed twice: the agent is team 0 in the first play, then team 1."""
    plays = [
        _play((agent, opponent), rules, deals, seed, threads),
        _play((opponent, agent), rules, deals, seed, threads),
    ]
    return DuplicateMatch(np.stack(plays))


def _play(
    teams: tuple[Agent, Agent], rules: RuleSet, deals: int, seed: int, threads: int
) -> NDArray[Any]:
    """Outcomes [n] of one deal in each of n environments."""
    env = SelfPlayVectorEnv(deals, rules, seed=seed, threads=threads)
    obs, mask, seat = env.reset()
    outcomes = env.outcome.copy()
    playing = np.ones(deals, bool)
    while playing.any():
        # Any legal action does where the deal is over: what is dealt after it does not count.
        actions = mask.argmax(axis=1)
        for team, agent in enumerate(teams):
            rows = np.flatnonzero(playing & (seat % 2 == team))
            if len(rows):
                actions[rows] = agent.act_batch(obs[rows], mask[rows])
        obs, mask, seat, _, done = env.step(actions)
        ended = playing & done
        outcomes[ended] = env.outcome[ended]
        playing &= ~done
    env.close()
    return outcomes
