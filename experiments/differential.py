"""Compare the kernels with the slow reference on very many random deals, over several processes.

    python -m experiments.differential --deals 1000000 --processes 2

A disagreement ends the run with the deal and both values; ``play_table(seed, index)`` of
`tests.differential` repeats it.  What an agreeing run has covered goes to a small JSON file.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import subprocess
import time
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.progress import track

from tests.differential import DEALS_PER_TABLE, Tally, play_table


def compare(deals: int, processes: int, seed: int) -> Tally:
    """Play random deals on the kernels and the reference.

    Args:
        deals: how many, rounded up to whole tables.
        processes: how many processes play.
        seed: seed of the tables; the result does not depend on the number of processes.

    Raises:
        AssertionError: where they disagree.
    """
    tables = -(-deals // DEALS_PER_TABLE)
    tally = play_table(seed, 0)  # also compiles the kernels once, before the processes load them
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        rest = pool.imap_unordered(partial(play_table, seed), range(1, tables), chunksize=10)
        for table in track(rest, f"{tables} tables of {DEALS_PER_TABLE}", total=tables - 1):
            tally.add(table)
    return tally


def summary(tally: Tally, seed: int, processes: int, seconds: float) -> dict[str, Any]:
    """The result of a run with what is needed to repeat it."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=40"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    covered = {name: dict(sorted(counter.items())) for name, counter in vars(tally).items()}
    return {
        "seed": seed,
        **covered.pop("counts"),
        **covered,
        "seconds": round(seconds),
        "processes": processes,
        "commit": commit.stdout.strip(),
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in ("belote-env", "numba", "numpy")},
        },
    }


def main() -> None:
    """Run the comparison as the command line asks."""
    parser = argparse.ArgumentParser(description="Compare the kernels with the slow reference.")
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--result", type=Path, default=Path(__file__).parent / "results" / "differential.json"
    )
    args = parser.parse_args()

    start = time.perf_counter()
    tally = compare(args.deals, args.processes, args.seed)
    result = summary(tally, args.seed, args.processes, time.perf_counter() - start)
    args.result.parent.mkdir(parents=True, exist_ok=True)
    args.result.write_text(json.dumps(result, indent=2) + "\n")
    print(f"{tally.counts['deals']} deals agree; see {args.result}")


if __name__ == "__main__":
    main()
