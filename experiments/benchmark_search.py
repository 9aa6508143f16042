"""Measure how fast worlds are drawn and trees grow, beside OpenSpiel's search in the same run.

    python -m experiments.benchmark_search                # minutes; writes the committed result
    python -m experiments.benchmark_search --rounds 2 --output /tmp/quick.json

Positions come from deals that the heuristic player plays, with all their constraints.  OpenSpiel's
search (C++, extra ``peers``) plays euchre, the nearest game it has: five cards each, and random
rollouts as here; without the extra its figure is left out.  Every figure is the median over rounds
in which all measurements take turns, on one thread.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import random
import subprocess
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import HeuristicAgent
from agents.search.determinize import sample_worlds
from agents.search.ismcts import IsmctsAgent
from agents.search.knowledge import known_states
from belote_env import SelfPlayVectorEnv
from belote_env.engine.options import rule_data
from belote_env.engine.state import PLAY
from belote_env.rules import resolve

RESULT: Final = Path(__file__).parent / "results" / "benchmark_search.json"
ITERATIONS: Final = 1_000
WORLDS: Final = 10_000
POSITIONS: Final = 20
KEY: Final = np.uint64(1)
_EUCHRE_HAND: Final = 5


def positions(rules: str, tricks: range) -> list[NDArray[Any]]:
    """What seats know that have to choose a card after some of the tricks, one of a deal."""
    envs = SelfPlayVectorEnv(8 * POSITIONS, rules, seed=11)
    agent = HeuristicAgent(rules)
    obs, mask, _ = envs.reset()
    found: dict[int, NDArray[Any]] = {}
    for _ in range(60):
        for i in np.flatnonzero(mask.sum(axis=1) > 1):
            state = envs.states[i]
            if state["phase"] == PLAY and int(state["num_played"]) // 4 in tricks:
                found.setdefault(int(i), known_states(rules, obs[i : i + 1]))
        obs, mask, *_ = envs.step(agent.act_batch(obs, mask))
    return list(found.values())[:POSITIONS]


def search(rules: str, tricks: range, **options: Any) -> Callable[[], float]:
    """Iterations a second of our search."""
    agent = IsmctsAgent(rules, iterations=ITERATIONS, seed=1, **options)
    known = positions(rules, tricks)
    agent.evaluate(known[0], KEY)

    def run() -> float:
        start = perf_counter()
        for each in known:
            agent.evaluate(each, KEY)
        return ITERATIONS * len(known) / (perf_counter() - start)

    return run


def draw(rules: str) -> Callable[[], float]:
    """Worlds drawn a second, in the middle of the play."""
    known = positions(rules, range(1, 4))
    hands = np.zeros((WORLDS, 4), np.uint32)
    data = rule_data(resolve(rules))
    sample_worlds(data, known[0], KEY, 0, hands)

    def run() -> float:
        start = perf_counter()
        for each in known:
            sample_worlds(data, each, KEY, 0, hands)
        return WORLDS * len(known) / (perf_counter() - start)

    return run


def search_euchre() -> Callable[[], float]:
    """Iterations a second of OpenSpiel's search at the first card of euchre deals."""
    pyspiel: Any = import_module("pyspiel")
    rng = random.Random(1)
    game = pyspiel.load_game("euchre")
    states: list[Any] = []
    while len(states) < 5:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice([action for action, _ in state.chance_outcomes()]))
            elif len(state.legal_actions()) == _EUCHRE_HAND:  # any of its cards may be led
                states.append(state)
                break
            else:
                state.apply_action(rng.choice(state.legal_actions()))
    bot = pyspiel.ISMCTSBot(
        seed=1,
        evaluator=pyspiel.RandomRolloutEvaluator(1, 1),
        uct_c=2.0,
        max_simulations=ITERATIONS,
        final_policy_type=pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
    )

    def run() -> float:
        start = perf_counter()
        for state in states:
            bot.step(state)
        return ITERATIONS * len(states) / (perf_counter() - start)

    return run


def measurements() -> dict[str, Callable[[], float]]:
    """What is measured, by its name."""
    first = range(1)
    found = {
        "iterations/s, first trick": search("classic", first),
        "iterations/s, tricks 2 to 4": search("classic", range(1, 4)),
        "iterations/s, first trick, contree": search("contree", first),
        "iterations/s, first trick, multiple observers": search(
            "classic", first, observers="multiple"
        ),
        "iterations/s, first trick, heuristic rollouts": search(
            "classic", first, rollouts="heuristic"
        ),
        "worlds/s": draw("classic"),
        "worlds/s, annonces": draw("classic_annonces"),
    }
    if importlib.util.find_spec("pyspiel"):
        found["iterations/s, OpenSpiel, euchre"] = search_euchre()
    return found


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--output", type=Path, default=RESULT, help="result file")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds {arguments.rounds}: at least 1")

    runs = measurements()
    rounds = [{name: run() for name, run in runs.items()} for _ in range(arguments.rounds)]
    commit = subprocess.run(
        ("git", "describe", "--always", "--dirty", "--abbrev=40"),
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    packages = ["belote-env", "numba", "numpy"]
    if "iterations/s, OpenSpiel, euchre" in runs:
        packages.append("open-spiel")
    result = {
        "command": f"python -m experiments.benchmark_search --rounds {arguments.rounds}",
        "commit": commit.stdout.strip(),
        "iterations": ITERATIONS,
        "python": platform.python_version(),
        "platform": platform.platform(),
        **{package: version(package) for package in packages},
        "medians": {name: round(median(each[name] for each in rounds)) for name in runs},
        "rounds": [{name: round(value) for name, value in each.items()} for each in rounds],
    }
    print(json.dumps(result["medians"], indent=2))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
