"""Small round robins, and pairings with results that are known."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.spec import as_spec
from belote_env import rules
from belote_env.engine.batch import OUTCOME_DTYPE
from belote_env.engine.state import MADE
from experiments.lib.duplicate import DuplicateMatch, Effort
from experiments.lib.round_robin import Pairing, RoundRobin

CLASSIC = rules.preset("classic")
SPECS = {
    "random": as_spec("random"),
    "mixed": as_spec("mixed(bids=random, cards=random)"),
    "other": as_spec("mixed(bids=random, cards=mixed(bids=random, cards=random))"),
}


def round_robin(folder: Path, plays: int = 20, **options: Any) -> RoundRobin:
    meetings = dict.fromkeys(combinations(SPECS, 2), plays)
    return RoundRobin(folder, SPECS, meetings, CLASSIC, "deal", block=6, seed=1, **options)


def play(robin: RoundRobin, workers: int = 1, blocks: int | None = None) -> list[str]:
    """Play, for some blocks or to the end; the pairings in the order of their blocks."""
    entered: list[str] = []

    def note(pairing: Pairing) -> None:
        entered.append(f"{pairing.first} {pairing.second}")

    robin.play(workers, lambda: blocks is not None and len(entered) >= blocks, note)
    return entered


def assert_same(robin: RoundRobin, other: RoundRobin) -> None:
    for pairing, same in zip(robin.pairings, other.pairings, strict=True):
        assert (pairing.first, pairing.second) == (same.first, same.second)
        np.testing.assert_array_equal(pairing.match.outcomes, same.match.outcomes)
        np.testing.assert_array_equal(pairing.match.winners, same.match.winners)


def match_of(margins: NDArray[np.float64], efforts: tuple[Effort, Effort]) -> DuplicateMatch:
    """Made contracts of which the player gets so much more than the opponent in each play."""
    outcomes = np.zeros((*margins.shape, 1), OUTCOME_DTYPE)
    outcomes["result"] = MADE
    by_team = margins * [[1], [-1]]
    outcomes["marks"][..., 0, 0] = np.maximum(by_team, 0)
    outcomes["marks"][..., 0, 1] = np.maximum(-by_team, 0)
    return DuplicateMatch(outcomes, np.sign(by_team).astype(np.int8), efforts)


def pairing_of(first: str, second: str, mean: float, deals: int = 200) -> Pairing:
    rng = np.random.default_rng([ord(first[0]), ord(second[0])])
    luck = rng.normal(0, 60, deals).round()
    margins = np.stack([luck, -luck]) + rng.normal(mean, 40, (2, deals)).round()
    return Pairing(
        first, second, blocks={0: match_of(margins, (Effort(100, 0.5), Effort(90, 0.1)))}
    )
