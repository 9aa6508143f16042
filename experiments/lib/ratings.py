"""Ratings on one scale from the plays of all pairs, with one player's kept in its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from openskill.models import BradleyTerryFull

ANCHOR: Final = 25.0
"""Rating of the anchor, openskill's own for a newcomer."""


@dataclass(frozen=True)
class Rating:
    """A player's rating.

    Attributes:
        mean: how strong it is; the anchor has `ANCHOR`.
        deviation: how uncertain that is, as a standard deviation; of the anchor too, as what is
            known are the differences.
    """

    mean: float
    deviation: float


def rate(
    players: Sequence[str], anchor: str, games: Iterable[tuple[str, str, float]]
) -> dict[str, Rating]:
    """Ratings by openskill's full-pair Bradley-Terry model (Weng and Lin 2011).

    The players do not change, so nothing is added to their uncertainty between games.  The order of
    the games matters a little: they are taken in a random one, the same every time.

    Args:
        players: their names.
        anchor: the player that is moved to `ANCHOR`, and all the others with it.
        games: names of two players, and what the first has won by (its sign alone matters).
    """
    model = BradleyTerryFull(tau=0.0)
    ratings = {name: model.rating(name=name) for name in players}
    listed = list(games)
    for index in np.random.default_rng(0).permutation(len(listed)):
        first, second, margin = listed[index]
        ranks = [0.0, 0.0] if margin == 0 else [float(margin < 0), float(margin > 0)]
        [[own], [other]] = model.rate([[ratings[first]], [ratings[second]]], ranks=ranks)
        ratings[first], ratings[second] = own, other
    shift = ANCHOR - ratings[anchor].mu
    return {name: Rating(r.mu + shift, r.sigma) for name, r in ratings.items()}
