"""Compare the double-dummy solver with colver's: the same values, and how fast, in the same run.

    python -m experiments.benchmark_solver                  # some minutes; the committed result
    python -m experiments.benchmark_solver --deals 20 --output /tmp/few.json

Needs the extra ``peers``.  Both solve random deals of `contree` for every legal card, deal by deal
in turns on one thread, from the first lead and from the middle of the play.  Times are those of the
processor, which other work on the machine disturbs least.  A value that differs ends the run;
`experiments.search_proofs` compares far more deals and tells who is right.  Positions with fewer
cards are then timed for this solver alone.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import subprocess
from importlib.metadata import version
from pathlib import Path
from time import process_time
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.peers.colver import RULES, ColverDeal, to_colver
from agents.search.double_dummy import NOT_LEGAL, final_points, new_table, solve, solve_cards
from belote_env.actions import BID
from belote_env.cards import HAND_SIZE, NUM_CARDS, NUM_SEATS, SUITS, bitboard, iter_cards
from belote_env.engine.options import rule_data
from belote_env.engine.state import NO_CARD, PLAY, new_states
from belote_env.engine.step import legal_at, step_at

RESULT: Final = Path(__file__).parent / "results" / "benchmark_solver.json"
_PACKAGES: Final = ("belote-env", "colver", "numba", "numpy")
_FROM_COLVER: Final = {to_colver(card): card for card in range(NUM_CARDS)}
_MIDDLE: Final = range(1, 24)
"""Cards played in the positions from the middle of a deal."""


class Table:
    """A random deal on both engines, at the start of the play of a suit contract."""

    def __init__(self, rng: random.Random) -> None:
        cards = rng.sample(range(NUM_CARDS), NUM_CARDS)
        hands = [cards[seat * HAND_SIZE : (seat + 1) * HAND_SIZE] for seat in range(NUM_SEATS)]
        dealer, taker = rng.randrange(NUM_SEATS), rng.randrange(NUM_SEATS)
        trump = rng.randrange(len(SUITS))
        self.states = new_states(1)
        state = self.states[0]
        state["hands"] = [bitboard(hand) for hand in hands]
        state["dealer"], state["taker"] = dealer, taker
        state["seat"] = (dealer + 1) % NUM_SEATS
        state["contract"], state["bid"] = trump, 1
        state["phase"], state["annonce_team"] = PLAY, -1
        state["trick"] = NO_CARD
        self.colver = ColverDeal(hands, dealer)
        self.colver.set_contract(BID + trump, taker, 0)

    def play(self, cards: int, rng: random.Random) -> None:
        """Play random legal cards on both."""
        data = rule_data(RULES)
        for _ in range(cards):
            card = rng.choice(list(iter_cards(legal_at(data, self.states, 0)[0])))
            step_at(data, self.states, 0, card)
            self.colver.step(card)

    def solve(self, table: NDArray[np.int64]) -> tuple[dict[int, int], float]:
        """Points of team 0 after each card, and the milliseconds that took."""
        start = process_time()
        margins = solve_cards(RULES, self.states, table=table).lower[0]
        spent = process_time() - start
        legal = np.flatnonzero(margins != NOT_LEGAL)
        points = final_points(RULES, int(self.states["contract"][0]), margins[legal])[:, 0]
        return dict(zip(legal.tolist(), points.tolist(), strict=True)), 1e3 * spent

    def solve_by_colver(self) -> tuple[dict[int, int], float]:
        """The same by colver."""
        start = process_time()
        scores = self.colver.env.solve_scores()["scores"]
        spent = process_time() - start
        return {_FROM_COLVER[int(card)]: int(points) for card, points in scores}, 1e3 * spent


class Compared(NamedTuple):
    """A deal solved by both.

    Attributes:
        states: the deal, shape (1,).
        ours: points of team 0 after each legal card.
        theirs: the same by colver.
        milliseconds: of this solver and of colver.
    """

    states: NDArray[Any]
    ours: dict[int, int]
    theirs: dict[int, int]
    milliseconds: tuple[float, float]


def solve_deal(seed: int, index: int, middle: bool, table: NDArray[np.int64]) -> Compared:
    """Solve a deal by both, every card.

    Args:
        seed: seed of the deals.
        index: number of the deal.
        middle: whether some random cards are played before.
        table: of this solver, from `new_table`.
    """
    rng = random.Random(f"{seed} {index} {middle}")
    deal = Table(rng)
    if middle:
        deal.play(rng.choice(_MIDDLE), rng)
    ours, own_time = deal.solve(table)
    theirs, colver_time = deal.solve_by_colver()
    return Compared(deal.states, ours, theirs, (own_time, colver_time))


def compare(deals: int, middle: bool, seed: int) -> dict[str, Any]:
    """Solve deals by both in turns, every card.

    Raises:
        AssertionError: at the first difference, naming the deal.
    """
    table = new_table()
    times = np.zeros((deals, 2))
    for index in range(deals):
        _, ours, theirs, times[index] = solve_deal(seed, index, middle, table)
        if ours != theirs:
            raise AssertionError(f"seed {seed}, deal {index}: {ours}, but colver {theirs}")
    mean = times.mean(axis=0)
    return {
        "deals": deals,
        "solver_ms": summary(times[:, 0]),
        "colver_ms": summary(times[:, 1]),
        "colver_mean_over_ours": round(float(mean[1] / mean[0]), 2),
    }


def time_endings(deals: int, seed: int) -> dict[str, Any]:
    """Milliseconds of this solver by the number of cards each, for all cards and for one value."""
    table = new_table()
    rows: dict[str, Any] = {}
    for size in range(HAND_SIZE, 3, -1):
        times = np.zeros((deals, 2))
        for index in range(deals):
            rng = random.Random(f"{seed} {index} {size}")
            deal = Table(rng)
            deal.play(NUM_CARDS - NUM_SEATS * size, rng)
            _, times[index, 0] = deal.solve(table)
            start = process_time()
            solve(RULES, deal.states, table=table)
            times[index, 1] = 1e3 * (process_time() - start)
        rows[str(size)] = {"all cards": summary(times[:, 0]), "value": summary(times[:, 1])}
    return rows


def summary(times: NDArray[np.float64]) -> dict[str, float]:
    """Mean, median and 99th percentile."""
    figures = {
        "mean": times.mean(),
        "median": np.median(times),
        "p99": np.percentile(times, 99),
    }
    return {name: round(float(figure), 4) for name, figure in figures.items()}


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ("git", *arguments), cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def main() -> None:
    """Run the comparison as the command line asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--deals", type=int, default=300, help="deals of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=RESULT, help="result file")
    arguments = parser.parse_args()
    if arguments.deals < 1:
        parser.error(f"--deals {arguments.deals}: at least 1")

    compare(1, False, arguments.seed)  # compiles
    time_endings(1, arguments.seed)
    result = {
        "command": f"python -m experiments.benchmark_solver --deals {arguments.deals}"
        f" --seed {arguments.seed}",
        "rules": RULES.id,
        "rules_hash": RULES.hash,
        "commit": _git("describe", "--always", "--dirty", "--abbrev=40"),
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
        "platform": platform.platform(),
        "first lead": compare(arguments.deals, False, arguments.seed),
        "middle of the play": compare(arguments.deals, True, arguments.seed),
        "by cards each": time_endings(arguments.deals, arguments.seed),
    }
    print(json.dumps(result, indent=2))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
