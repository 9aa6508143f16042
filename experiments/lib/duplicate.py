"""Duplicate play: deals and matches are played twice with the same cards, the sides swapped.

What one side was dealt the other was dealt too, so the luck of the cards cancels in the mean of
the two plays (rules, section 12).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.oracle import Player, act_seated
from belote_env import RuleSet, SelfPlayVectorEnv
from belote_env.engine.batch import OUTCOME_DTYPE
from belote_env.engine.state import CAPOT_TAKER, MADE, UNFINISHED, VOID
from belote_env.game import Episode
from experiments.lib.statistics import Estimate, mean_by_deal, ratio_by_deal


@dataclass(frozen=True)
class Effort:
    """What playing has cost a player.

    Attributes:
        decisions: times that it was asked for an action.
        seconds: time that it took for them.
    """

    decisions: int = 0
    seconds: float = 0.0

    def __add__(self, other: Effort) -> Effort:
        return Effort(self.decisions + other.decisions, self.seconds + other.seconds)


@dataclass(frozen=True)
class DuplicateMatch:
    """How n deals or matches ended, each played twice; in play p the player is team p.

    Attributes:
        outcomes: `SelfPlayVectorEnv.outcome` records [2, n, k] of the deals of each, which are
            followed by unfinished ones where there are fewer than k.
        winners: 1 where team 0 won, -1 where team 1 did, 0 where neither, int8 [2, n].
        efforts: of the player and of its opponent.
    """

    outcomes: NDArray[Any]
    winners: NDArray[np.int8]
    efforts: tuple[Effort, Effort] = (Effort(), Effort())

    @classmethod
    def joined(cls, parts: Sequence[DuplicateMatch]) -> DuplicateMatch:
        """The match of which these are the parts, in order."""
        most_deals = max(part.outcomes.shape[2] for part in parts)
        own, other = zip(*(part.efforts for part in parts), strict=True)
        return cls(
            np.concatenate([_padded(part.outcomes, most_deals) for part in parts], axis=1),
            np.concatenate([part.winners for part in parts], axis=1),
            (sum(own, Effort()), sum(other, Effort())),
        )

    @property
    def swapped(self) -> DuplicateMatch:
        """The match as the opponent sees it."""
        own, other = self.efforts
        return DuplicateMatch(self.outcomes[::-1], self.winners[::-1], (other, own))

    @property
    def plays(self) -> NDArray[np.float64]:
        """Marks of the player's side less the other's in each play [2, n]."""
        marks = self.outcomes["marks"].astype(float).sum(axis=2)
        return (marks[..., 0] - marks[..., 1]) * [[1], [-1]]

    @property
    def margins(self) -> NDArray[np.float64]:
        """Marks of the player's side less the other's, mean of the two plays [n]."""
        return self.plays.mean(axis=0)

    @property
    def deals(self) -> NDArray[np.float64]:
        """Deals played, mean of the two plays [n]."""
        return (self.outcomes["result"] != UNFINISHED).sum(axis=2).mean(axis=0)

    @property
    def wins(self) -> NDArray[np.float64]:
        """Share of the two plays that the player won, a draw for half [n]."""
        return (0.5 + self.winners * [[0.5], [-0.5]]).mean(axis=0)

    def results(self) -> dict[str, Estimate]:
        """Marks a deal, plays won, and how often deals are void, taken by each side, then made."""
        took, made = _takes(self.outcomes)
        other_took, other_made = _takes(self.outcomes[::-1])
        void = (self.outcomes["result"] == VOID).sum(axis=(0, 2))
        deals = 2 * self.deals
        return {
            "marks": ratio_by_deal(self.margins, self.deals),
            "win_rate": mean_by_deal(self.wins),
            "void_rate": ratio_by_deal(void, deals),
            "take_rate": ratio_by_deal(took, deals),
            "made_rate": ratio_by_deal(made, took),
            "opponent_take_rate": ratio_by_deal(other_took, deals),
            "opponent_made_rate": ratio_by_deal(other_made, other_took),
        }


def made_contract(outcomes: NDArray[Any]) -> NDArray[np.bool_]:
    """Deals whose takers made their contract."""
    return np.isin(outcomes["result"], (MADE, CAPOT_TAKER))


def _takes(outcomes: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Takes, and contracts made, in both plays [n] by the side that is team p in play p."""
    taken = ~np.isin(outcomes["result"], (UNFINISHED, VOID))
    took = taken & (outcomes["taker"] % 2 == [[[0]], [[1]]])
    return took.sum(axis=(0, 2)), (took & made_contract(outcomes)).sum(axis=(0, 2))


def _padded(outcomes: NDArray[Any], most_deals: int) -> NDArray[Any]:
    """Outcomes [..., k] with unfinished deals added."""
    padded = np.zeros((*outcomes.shape[:-1], most_deals), OUTCOME_DTYPE)
    padded[..., : outcomes.shape[-1]] = outcomes
    return padded


def play_duplicate(
    player: Player,
    opponent: Player,
    rules: RuleSet,
    plays: int,
    seed: int,
    threads: int = 1,
    episode: Episode = "deal",
) -> DuplicateMatch:
    """Play the deals or matches of a seed twice: the player is team 0 first, then team 1.

    In a match the packs are the same in both plays, deal by deal, whoever deals them.  (Where the
    rules have them cut, the later ones follow from the tricks before.)

    Args:
        player: an agent, or one that sees hidden cards.
        opponent: the other.
        rules: the rule set.
        plays: number of deals or matches.
        seed: seed of the deals.
        threads: threads of the environment.
        episode: ``"deal"`` or ``"match"``.
    """
    first = _play((player, opponent), rules, plays, seed, threads, episode)
    second = _play((opponent, player), rules, plays, seed, threads, episode)
    most_deals = max(first[0].shape[1], second[0].shape[1])
    return DuplicateMatch(
        np.stack([_padded(first[0], most_deals), _padded(second[0], most_deals)]),
        np.stack([first[1], second[1]]),
        (first[2][0] + second[2][1], first[2][1] + second[2][0]),
    )


def _play(
    teams: tuple[Player, Player],
    rules: RuleSet,
    plays: int,
    seed: int,
    threads: int,
    episode: Episode,
) -> tuple[NDArray[Any], NDArray[np.int8], tuple[Effort, Effort]]:
    """Outcomes [n, k], winners [n] and efforts of one episode in each of n environments."""
    env = SelfPlayVectorEnv(plays, rules, episode, reward="win", seed=seed, threads=threads)
    obs, mask, seat = env.reset()
    outcomes = np.zeros((plays, 1), OUTCOME_DTYPE)
    deals = np.zeros(plays, np.int64)
    winners = np.zeros(plays, np.int8)
    efforts = [Effort(), Effort()]
    playing = np.ones(plays, bool)
    while playing.any():
        # Any legal action does where the episode is over: what is dealt after it does not count.
        actions = mask.argmax(axis=1)
        for team, player in enumerate(teams):
            rows = np.flatnonzero(playing & (seat % 2 == team))
            if len(rows):
                started = perf_counter()
                actions[rows] = act_seated(player, env.states[rows], obs[rows], mask[rows])
                efforts[team] += Effort(len(rows), perf_counter() - started)
        obs, mask, seat, reward, done = env.step(actions)
        ended = np.flatnonzero(playing & env.outcome["ended"])
        if len(ended):
            outcomes = _padded(outcomes, max(outcomes.shape[1], int(deals[ended].max()) + 1))
            outcomes[ended, deals[ended]] = env.outcome[ended]
            deals[ended] += 1
            over = playing & done
            winners[over] = reward[over, 0]
            playing &= ~done
    env.close()
    return outcomes, winners, (efforts[0], efforts[1])
