"""Random play in one call: how often deals are void, made or lost, and how fast deals can be had.

>>> rollout("classic", deals=1_000_000, seed=0, threads=2).rates["made"]
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from belote_env.checks import check_threads, check_whole
from belote_env.engine.options import rule_data
from belote_env.engine.rng import seed_key
from belote_env.engine.rollout import DECISIONS, MARKS, NUM_TOTALS, roll_out
from belote_env.engine.state import RESULTS, new_states
from belote_env.rules import RuleSet, resolve


@dataclass(frozen=True)
class Totals:
    """What became of some deals.

    Attributes:
        deals: number of deals.
        decisions: calls, cards and words in all.
        results: number of deals by result (void, made, capot_taker, chute, litige).
        marks: marks of teams 0 and 1 in all.
    """

    deals: int
    decisions: int
    results: dict[str, int]
    marks: tuple[int, int]

    @property
    def rates(self) -> dict[str, float]:
        """Share of the deals by result."""
        return {name: count / self.deals for name, count in self.results.items()}


def rollout(rules: str | RuleSet, deals: int, seed: int | None = None, threads: int = 1) -> Totals:
    """Play deals uniformly at random, all four seats.

    Args:
        rules: a rule set or its id.
        deals: number of deals; deal k is the first of environment k of a
            `belote_env.SelfPlayVectorEnv` with the same seed.
        seed: seed of cards and play; fresh entropy for None.
        threads: threads that share the deals, at most one a deal; the totals do not depend on it.

    Raises:
        ValueError: on fewer than one deal or thread, or what is no number.
    """
    deals = check_whole("deals", deals, least=1)
    threads = check_threads(threads, deals)
    data = rule_data(resolve(rules))
    key = seed_key(seed)
    cuts = [deals * k // threads for k in range(threads + 1)]

    def share(first: int, last: int) -> NDArray[np.int64]:
        # Room on both sides keeps what threads write out of each other's cache lines.
        totals = np.zeros(NUM_TOTALS + 32, np.int64)[16:-16]
        roll_out(data, new_states(3)[1:2], key, first, last, totals)
        return totals

    if threads == 1:
        totals = share(0, deals)
    else:
        with ThreadPoolExecutor(threads) as pool:
            totals = sum(pool.map(share, cuts[:-1], cuts[1:]), np.zeros(NUM_TOTALS, np.int64))
    return Totals(
        deals=deals,
        decisions=int(totals[DECISIONS]),
        results={RESULTS[r]: int(totals[r]) for r in range(1, len(RESULTS))},
        marks=(int(totals[MARKS]), int(totals[MARKS + 1])),
    )
