"""Prove the solver, the sampler and the agents right on very many positions.

    python -m experiments.search_proofs                        # all parts, on two processes
    python -m experiments.search_proofs sampler --processes 1
    python -m experiments.search_proofs --share 0.01 --output /tmp/proofs.json

solver   against plain minimax on endings; each card against the position after it, suits exchanged,
         the table turned and best play to the end on full deals
peer     against colver, deal by deal, on full deals and in the middle (needs the extra ``peers``);
         where it differs, plain search tells who is right
sampler  drawn worlds against all that are possible, by chi-square; every world drawn against the
         public history; the same worlds where the hidden cards lie elsewhere
agents   the same action where the hidden cards lie elsewhere and the deal has another seed

A part that fails ends the run with the seed, the number and what differs; a part that passes is
entered in the result file at once, in place of what an earlier run has found.  Position k of a
check depends on the seed and k alone, so what is found does not depend on the processes.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import time
from collections import Counter
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.double_dummy import new_table
from belote_env.cards import card_name
from experiments.lib.pool import work
from experiments.lib.process import set_threads
from experiments.lib.progress import ProgressDisplay
from experiments.lib.run import write_atomic
from tests.agents.proofs import (
    Check,
    Found,
    check_agent,
    check_auction_frequencies,
    check_deal,
    check_ending,
    check_frequencies,
    check_worlds,
)
from tests.agents.solving import OPTIONS_OF_PLAY, after, reaches
from tests.agents.worlds import RULES

RESULT: Final = Path(__file__).parent / "results" / "search_proofs.json"
AGENTS: Final = (
    "random",
    "heuristic",
    "pimc(worlds=8)",
    "pimc(worlds=8, weights=heuristic)",
    "pimc(worlds=4, weights=heuristic, hindsight=8, hindsight_budget=3000)",
    "ismcts(iterations=300)",
    "ismcts(iterations=300, observers=multiple, rollouts=heuristic, weights=heuristic, endgame=3)",
    "ismcts(iterations=300, observers=open, worlds=16, weights=heuristic)",
    "montecarlo(worlds=16)",
    "montecarlo(worlds=1, valuer=solver, weights=uniform)",
    "mixed(bids=montecarlo(worlds=16), cards=pimc(worlds=4))",
)
"""Every agent that plays by itself, with the options that make it draw worlds in different ways."""


def check_with_colver(middle: bool, seed: int, number: int) -> Found:
    """A deal of contrée, every card, from the first lead or from the middle of the play.

    colver's values of some cards contradict its own values of the positions after them.  Where it
    differs, plain search has to say that it is wrong.
    """
    from experiments.benchmark_solver import RULES, solve_deal

    states, ours, theirs, _ = solve_deal(seed, number, middle, new_table())
    assert ours.keys() == theirs.keys(), (ours, theirs)
    counts = Counter({"deals": 1, "cards": len(ours), "cards of another value by colver": 0})
    for card, points in ours.items():
        if points != theirs[card]:
            child = after(RULES, states, card)
            place = f"deal {number}, {card_name(card)}: {points}, but {theirs[card]} by colver"
            assert reaches(RULES, child, points), place
            assert not reaches(RULES, child, points + 1), place
            counts.update(["cards of another value by colver", f"{place}: colver is wrong"])
    return Found(RULES, counts)


PARTS: Final[dict[str, dict[str, tuple[Check, int]]]] = {
    "solver": {
        "endings by plain minimax": (check_ending, 5_000),
        "full deals": (check_deal, 2_000),
    },
    "peer": {
        "full deals by colver": (partial(check_with_colver, False), 2_000),
        "the middle of deals by colver": (partial(check_with_colver, True), 2_000),
    },
    "sampler": {
        "frequencies in small positions": (check_frequencies, 200),
        "frequencies in auctions": (check_auction_frequencies, 50),
        "every world": (partial(check_worlds, 100), 2_500),
    },
    "agents": {spec: (partial(check_agent, spec), 1_000) for spec in AGENTS},
}
"""Checks by part and name, with the number of their positions."""
_PACKAGES: Final = ("belote-env", "numba", "numpy")


class Job(NamedTuple):
    """Some positions of a check."""

    part: str
    name: str
    seed: int
    first: int
    last: int


def do(job: Job) -> list[Found]:
    """Check the positions of a job.

    Raises:
        AssertionError: where something differs, naming the part, the seed and the position.
    """
    check, _ = PARTS[job.part][job.name]
    found = []
    for number in range(job.first, job.last):
        try:
            found.append(check(job.seed, number))
        except AssertionError as error:
            place = f"{job.part}: {job.name}: seed {job.seed}, position {number}"
            raise AssertionError(f"{place}: {error}") from error
    return found


def prove(part: str, share: float, seed: int, processes: int) -> dict[str, Any]:
    """Make all checks of a part.

    Args:
        part: a name of `PARTS`.
        share: part of the positions to check, over 0 and up to 1; at least one of each check.
        seed: seed of the positions.
        processes: how many processes check.

    Raises:
        AssertionError: at the first difference.
    """
    start, commit = time.perf_counter(), _commit()
    sizes = {name: max(1, round(share * num)) for name, (_, num) in PARTS[part].items()}
    for name in sizes:
        do(Job(part, name, seed, 0, 1))  # compiles the kernels, before the processes load them
    chunks = [
        Job(part, name, seed, first, min(first + max(1, num // 50), num))
        for name, num in sizes.items()
        for first in range(0, num, max(1, num // 50))
    ]
    found: dict[str, dict[int, list[Found]]] = {name: {} for name in sizes}
    with ProgressDisplay() as display:
        results = work(iter(chunks), do, processes, lambda: False)
        for done, (job, result) in enumerate(results, 1):
            found[job.name][job.first] = result
            display.show(done / len(chunks), f"{part}: {job.name}")
    ordered = {
        name: [each for first in sorted(by_first) for each in by_first[first]]
        for name, by_first in found.items()
    }
    return {
        **{name: summary(results) for name, results in ordered.items()},
        "seed": seed,
        "seconds": round(time.perf_counter() - start),
        "processes": processes,
        "commit": commit,
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in _PACKAGES},
        },
    }


def summary(results: list[Found]) -> dict[str, Any]:
    """Counts added up, and how the p-values lie."""
    counts = Counter[str]()
    for result in results:
        counts.update(result.counts)
    figures: dict[str, Any] = {**counts, "rules": _rules(results)}
    p_values = np.array([each.p_value for each in results if each.p_value is not None])
    if len(p_values):
        distance, p_value = kolmogorov_smirnov(p_values)
        smallest = float(p_values.min())
        figures["chi-square"] = {
            "tests": len(p_values),
            "smallest p-value": smallest,
            "smallest p-value by Bonferroni": min(1.0, smallest * len(p_values)),
            "p-values by tenths": np.histogram(p_values, bins=10, range=(0, 1))[0].tolist(),
            "distance from uniform (Kolmogorov-Smirnov)": round(distance, 4),
            "p-value of that distance": round(p_value, 4),
        }
        assert smallest * len(p_values) > 1e-3, ("a chi-square test fails", figures)
        assert p_value > 1e-3, ("p-values are not uniform", figures)
    return figures


def _rules(results: list[Found]) -> dict[str, Any]:
    """The rule sets with their hashes; of many, how many, and how often an option has a value."""
    hashes = {found.rules.id: found.rules.hash for found in results}
    if len(hashes) <= len(RULES):
        return hashes
    values = Counter(
        f"{option}={getattr(found.rules, option)}"
        for found in results
        for option in OPTIONS_OF_PLAY
    )
    return {"drawn": len(hashes), **dict(sorted(values.items()))}


def kolmogorov_smirnov(values: NDArray[np.float64]) -> tuple[float, float]:
    """Distance of values in 0-1 from the uniform distribution, and its p-value.

    The p-value is Kolmogorov's series with the correction of Stephens for small samples (1970).
    """
    ordered, num = np.sort(values), len(values)
    steps = np.arange(num + 1) / num
    distance = float(max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max()))
    scaled = (num**0.5 + 0.12 + 0.11 / num**0.5) * distance
    terms = np.arange(1, 101)
    series = 2 * ((-1.0) ** (terms - 1) * np.exp(-2 * (terms * scaled) ** 2)).sum()
    return distance, float(np.clip(series if scaled > 0.2 else 1.0, 0, 1))


def _commit() -> str:
    """The commit that the checks run on, marked if files have changed since."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=40"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def main() -> None:
    """Make the checks that the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all if none is named")
    parser.add_argument("--share", type=float, default=1.0, help="of the positions, for a trial")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=RESULT, help="result file")
    arguments = parser.parse_args()
    if unknown := [part for part in arguments.parts if part not in PARTS]:
        parser.error(f"{unknown[0]!r} is no part: use {', '.join(PARTS)}")
    if not 0 < arguments.share <= 1:
        parser.error(f"--share {arguments.share}: over 0 and up to 1")
    if arguments.processes < 1:
        parser.error(f"--processes {arguments.processes}: at least 1")

    set_threads(1)
    for part in arguments.parts or PARTS:
        result = prove(part, arguments.share, arguments.seed, arguments.processes)
        path = arguments.output
        entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, json.dumps({**entries, part: result}, indent=2) + "\n")
        print(f"{part}: nothing differs, {result['seconds']} s; see {path}")


if __name__ == "__main__":
    main()
