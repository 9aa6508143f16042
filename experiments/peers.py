"""Play random deals on this engine and the public ones in step, and compare them at every decision.

    python -m experiments.peers --deals 20000 --processes 2

Needs the extra ``peers``.  A disagreement ends the run with its place and both values; what an
agreeing run has covered, and what the public engines do otherwise, goes to a small JSON file.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import subprocess
import time
from collections import Counter
from functools import partial
from importlib.metadata import version
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any, Final

from rich.progress import track

from belote_env.cards import CONTRACTS, NUM_CARDS
from belote_env.rules import RuleSet
from tests.peers import against_belote_cli, against_colver

_PACKAGES: Final = ("belote-env", "colver", "belote-cli", "numba", "numpy")


def compare_with_colver(deals: int, seed: int, pool: Pool) -> dict[str, Any]:
    """Play deals of contrée, and sum up what they have covered.

    Raises:
        Disagreement: where the engines differ and no rule says why.
    """
    tally = against_colver.Tally()
    played = pool.imap_unordered(partial(against_colver.play_deal, seed), range(deals), 100)
    for deal in track(played, f"{deals} deals of contrée with colver", total=deals):
        tally.add(deal)
    return {
        **_stamp(against_colver.RULES),
        **dict(sorted(tally.counts.items())),
        "contracts": dict(sorted(tally.contracts.items())),
        "results": dict(sorted(tally.results.items())),
        "differences": {
            name: {"times": tally.differences[name], "rule": rule}
            for name, rule in against_colver.DIFFERENCES.items()
        },
    }


def compare_with_belote_cli(positions: int, seed: int, pool: Pool) -> dict[str, Any]:
    """Play deals at every contract for so many positions at colour, at SA and at TA.

    Raises:
        AssertionError: where the engines differ.
    """
    compared: Counter[str] = Counter()
    for kind, contracts in {"colour": range(4), "SA": range(4, 5), "TA": range(5, 6)}.items():
        deals = -(-positions // (NUM_CARDS * len(contracts)))
        for contract in contracts:
            play = partial(against_belote_cli.play_deal, seed, contract)
            name = f"{deals} deals at {CONTRACTS[contract]} with belote-cli"
            for _ in track(pool.imap_unordered(play, range(deals), 50), name, total=deals):
                compared[kind] += NUM_CARDS
    return {**_stamp(against_belote_cli.RULES), "positions": compared}


def _stamp(rules: RuleSet) -> dict[str, str]:
    return {"rules": rules.id, "rules_hash": rules.hash}


def _commit() -> str:
    """The commit that the comparison runs on, marked if files have changed since."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=40"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def main() -> None:
    """Run the comparisons as the command line asks."""
    parser = argparse.ArgumentParser(description="Compare this engine with the public ones.")
    parser.add_argument("--deals", type=int, default=20_000, help="deals with colver")
    parser.add_argument("--positions", type=int, default=20_000, help="of each kind, belote-cli")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--result", type=Path, default=Path(__file__).parent / "results" / "peers.json"
    )
    args = parser.parse_args()

    start = time.perf_counter()
    against_colver.play_deal(args.seed, 0)  # compiles the kernels before the processes load them
    with multiprocessing.get_context("spawn").Pool(args.processes) as pool:
        covered = {
            "colver": compare_with_colver(args.deals, args.seed, pool),
            "belote_cli": compare_with_belote_cli(args.positions, args.seed, pool),
        }
    result = {
        "seed": args.seed,
        **covered,
        "seconds": round(time.perf_counter() - start),
        "processes": args.processes,
        "commit": _commit(),
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in _PACKAGES},
        },
    }
    args.result.parent.mkdir(parents=True, exist_ok=True)
    args.result.write_text(json.dumps(result, indent=2) + "\n")
    print(f"{args.deals} deals agree; see {args.result}")


if __name__ == "__main__":
    main()
