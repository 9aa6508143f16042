"""What a round robin says: pair by pair, player by player, and as ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.lib.duplicate import DuplicateMatch, Effort
from experiments.lib.ratings import Rating, rate
from experiments.lib.round_robin import Pairing
from experiments.lib.statistics import (
    Adjusted,
    Controls,
    Estimate,
    Verdict,
    ratio_by_deal,
)


@dataclass(frozen=True)
class PairResult:
    """One pairing, from its first player's side.

    Attributes:
        first: name of a player.
        second: name of its opponent.
        marks: marks a deal, the first's less the second's.
        win_rate: share of the plays that the first won, draws for half.
        deviation: standard deviation of a pair of plays.
        pairing_gain: variance of two plays with other cards over that of a pair with the same.
        adjusted: marks a deal with control variates; None without.
        verdict: what the sequential test said of the first; None if nothing, or without one.
    """

    first: str
    second: str
    marks: Estimate
    win_rate: Estimate
    deviation: float
    pairing_gain: float
    adjusted: Adjusted | None
    verdict: Verdict | None


@dataclass(frozen=True)
class PlayerResult:
    """One player over all its pairings.

    Attributes:
        name: its name.
        rating: its rating.
        against_anchor: marks a deal against the anchor; None for the anchor, and without a meeting.
        against_all: marks a deal, mean over the opponents that it has met.
        win_rate: share of its plays won, mean over these.
        decisions_per_second: actions chosen a second of its own time.
        seconds_per_deal: its own time for a deal, in which it plays a side.
    """

    name: str
    rating: Rating
    against_anchor: Estimate | None
    against_all: Estimate
    win_rate: Estimate
    decisions_per_second: float
    seconds_per_deal: float


class Standings:
    """Results of the pairings that were played.

    Args:
        pairings: the pairings.
        anchor: the player by whom the others are measured.
        controls: control variates of the deals; None for none.

    Attributes:
        players: the results of the players, the best rating first.
        pairs: the results of the pairings.
    """

    def __init__(
        self, pairings: Sequence[Pairing], anchor: str, controls: Controls | None = None
    ) -> None:
        self.anchor = anchor
        self._matches: dict[tuple[str, str], DuplicateMatch] = {}
        for pairing in pairings:
            match = pairing.match
            self._matches[pairing.first, pairing.second] = match
            self._matches[pairing.second, pairing.first] = match.swapped
        names = list(dict.fromkeys(first for first, _ in self._matches))
        self.pairs = [self._pair_result(pairing, controls) for pairing in pairings]
        ratings = rate(names, anchor, self._games(pairings))
        self.players = sorted(
            (self._player_result(name, ratings[name]) for name in names),
            key=lambda player: -player.rating.mean,
        )

    def marks(self, first: str, second: str) -> Estimate | None:
        """Marks a deal of one player against another; None if they have not met."""
        match = self._matches.get((first, second))
        return None if match is None else match.results()["marks"]

    def _games(self, pairings: Sequence[Pairing]) -> list[tuple[str, str, float]]:
        """A game for the ratings is a pair of plays: both players have had the same cards."""
        return [
            (pairing.first, pairing.second, margin)
            for pairing in pairings
            for margin in self._matches[pairing.first, pairing.second].margins.tolist()
        ]

    def _pair_result(self, pairing: Pairing, controls: Controls | None) -> PairResult:
        match = self._matches[pairing.first, pairing.second]
        results = match.results()
        return PairResult(
            first=pairing.first,
            second=pairing.second,
            marks=results["marks"],
            win_rate=results["win_rate"],
            deviation=float(match.margins.std(ddof=1)),
            pairing_gain=_pairing_gain(match.plays),
            adjusted=None if controls is None else controls.adjust(match.margins),
            verdict=pairing.verdict,
        )

    def _player_result(self, name: str, rating: Rating) -> PlayerResult:
        matches = [match for (first, _), match in self._matches.items() if first == name]
        effort = sum((match.efforts[0] for match in matches), Effort())
        deals = sum(2 * float(match.deals.sum()) for match in matches)
        return PlayerResult(
            name=name,
            rating=rating,
            against_anchor=self.marks(name, self.anchor),
            against_all=ratio_by_deal(
                _sum_by_deal([match.margins for match in matches]),
                _sum_by_deal([match.deals for match in matches]),
            ),
            win_rate=ratio_by_deal(
                _sum_by_deal([match.wins for match in matches]),
                _sum_by_deal([np.ones(len(match.wins)) for match in matches]),
            ),
            decisions_per_second=effort.decisions / effort.seconds,
            seconds_per_deal=effort.seconds / deals,
        )


def _sum_by_deal(values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Sums over matches of values [n], which are of the same deals as far as each has come."""
    total = np.zeros(max(map(len, values)))
    for each in values:
        total[: len(each)] += each
    return total


def _pairing_gain(plays: NDArray[np.float64]) -> float:
    """Variance of the mean of two independent plays over that of the mean of a pair [2, n]."""
    paired = plays.mean(axis=0).var(ddof=1)
    return float(plays.var(axis=1, ddof=1).sum() / 4 / paired) if paired else float("nan")
