"""Control variates of a deal: what double-dummy play would give each side, its par.

The luck that the two plays of a deal share is in its cards.  What these are worth to each side at
the contract that suits it best, with all hands seen, is known before anybody plays, so that a match
can be rid of what it explains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.search.double_dummy import solve
from agents.search.solver_table import new_table
from belote_env import RuleSet, SelfPlayVectorEnv
from belote_env.actions import BID, PASS, TAKE
from belote_env.cards import SUITS
from belote_env.engine.state import AUCTION
from experiments.lib.pool import work
from experiments.lib.run import reading

_WORST: Final = np.iinfo(np.int64).min // 2


def par_controls(rules: RuleSet, deals: int, seed: int) -> NDArray[np.float64]:
    """Controls [n, 2] of the deals that a seed deals to n environments.

    They are the sum and the distance of the sides' best margins of trick points, each at a contract
    of its own.  Neither changes when the sides are swapped, like the mean of the two plays.

    Raises:
        ValueError: on rules under which trick points do not decide a deal.
    """
    table = new_table()
    best = np.full((deals, 2), _WORST)
    for contract in range(len(SUITS)):
        states = _contracts(rules, deals, seed, contract)
        margins = solve(rules, states, table=table).lower
        for side, own in enumerate((margins, -margins)):
            may = (states["taker"] % 2 == side) | (rules.family == "auction")
            best[:, side] = np.maximum(best[:, side], np.where(may, own, _WORST))
    return np.column_stack([best.sum(axis=1), np.abs(best[:, 0] - best[:, 1])]).astype(float)


def _contracts(rules: RuleSet, deals: int, seed: int, contract: int) -> NDArray[Any]:
    """The deals at the first card of one of four contracts.

    Where a card is turned it is taken in the first round, by each seat in turn; with bids each suit
    is, and who plays it makes no difference to the cards.
    """
    env = SelfPlayVectorEnv(deals, rules, seed=seed)
    _, mask, _ = env.reset()
    if rules.family == "auction":
        env.step(np.full(deals, BID + contract))
    else:
        for _ in range(contract):
            _, mask, *_ = env.step(np.full(deals, PASS))
        env.step(TAKE + mask[:, TAKE : TAKE + len(SUITS)].argmax(axis=1))
    while (env.states["phase"] == AUCTION).all():
        env.step(np.full(deals, PASS))
    return env.clone_state()


@dataclass(frozen=True)
class ParJob:
    """Deals whose controls are wanted, and the file that keeps them.

    Attributes:
        path: the file.
        rules: the rule set.
        deals: number of deals.
        seed: their seed.
    """

    path: Path
    rules: RuleSet
    deals: int
    seed: int


def solve_pars(
    jobs: Sequence[ParJob],
    workers: int,
    stopped: Callable[[], bool],
    solved: Callable[[float], None],
) -> NDArray[np.float64] | None:
    """Controls [n, 2] of the deals of some jobs, in order; None if stopped before all were solved.

    Args:
        jobs: the deals; those whose file is there are not solved again.
        workers: number of processes; with one it is this.
        stopped: asked between jobs whether to leave the rest.
        solved: is given the share that is solved after every job, in 0-1.

    Raises:
        RunError: if a file is damaged, or is not of the deals of its job.
    """
    missing = [job for job in jobs if not job.path.exists()]
    for done, (job, controls) in enumerate(work(iter(missing), _solve, workers, stopped), start=1):
        job.path.parent.mkdir(parents=True, exist_ok=True)
        partial = job.path.with_name(f".partial-{job.path.name}")
        np.save(partial, controls)
        partial.replace(job.path)
        solved(done / len(missing))
    if not all(job.path.exists() for job in jobs):
        return None
    return np.concatenate([_read(job) for job in jobs])


def _read(job: ParJob) -> NDArray[np.float64]:
    with reading(job.path, "remove it to solve its deals again"):
        controls = np.load(job.path)
        if controls.dtype != np.float64 or controls.shape != (job.deals, 2):
            found = f"{controls.dtype} {controls.shape}"
            raise ValueError(f"it has {found}, not two controls of {job.deals} deals")
        if not np.isfinite(controls).all():
            raise ValueError("it has a control that is no finite number")
        return controls


def _solve(job: ParJob) -> NDArray[np.float64]:
    return par_controls(job.rules, job.deals, job.seed)
