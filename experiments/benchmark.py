"""Measure the environment's speed, side by side with a yardstick in the same run.

>>> python -m experiments.benchmark core              # some minutes; writes the committed result
>>> python -m experiments.benchmark presets           # every preset beside `classic`
>>> python -m experiments.benchmark core --rounds 3 --output /tmp/quick.json

Machines differ and swing, so every figure is a median over rounds in which all measurements take
turns, and is given also as a ratio to a small fixed kernel timed in the same round and, where the
Rust engine colver is installed, to its random rollouts.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numba
import numpy as np
import torch
from numpy.typing import NDArray

import belote_env
from belote_env import SelfPlayVectorEnv, rollout
from belote_env.rules import PRESETS
from experiments.lib.run import provenance, write_atomic

RESULTS = Path(__file__).parent / "results"
RULES = "classic"
BATCHES = (1, 64, 1024, 8192)
PRESET_BATCH = 1024
ALL_RULES = (*PRESETS, *(f"{name}+announce=choice" for name in PRESETS))
STEPS_A_ROUND = 500_000
START_UP = """
from time import perf_counter
start = perf_counter()
import numpy as np
from belote_env import SelfPlayVectorEnv
env = SelfPlayVectorEnv(1, "classic", seed=0)
_, mask, _ = env.reset()
env.step(mask.argmax(axis=1))
print(perf_counter() - start)
"""


@dataclass
class Measurement:
    """Something to time: ``run`` does ``count`` units of work and says how long they took."""

    name: str
    unit: str
    count: int
    run: Callable[[], float]
    rates: list[float] = field(default_factory=list[float])

    def take(self) -> None:
        """One round."""
        self.rates.append(self.count / self.run())


@numba.njit
def yardstick(steps: int) -> int:
    """A fixed little kernel: a linear congruential walk over a table, with a branch."""
    table = np.arange(256)
    state = 1
    total = 0
    for _ in range(steps):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        entry = table[(state >> 8) & 255]
        total += entry if state & 64 else entry ^ state
    return total


@numba.njit
def pick_actions(mask: NDArray[np.int8], state: int, actions: NDArray[np.int64]) -> int:
    """A uniformly random legal action for each row of a mask."""
    for i in range(mask.shape[0]):
        legal = 0
        for action in range(mask.shape[1]):
            legal += mask[i, action]
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        left = (state >> 8) % legal
        for action in range(mask.shape[1]):
            if mask[i, action]:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1
    return state


def timed(work: Callable[[], Any]) -> Callable[[], float]:
    """Seconds that a piece of work takes."""

    def run() -> float:
        start = perf_counter()
        work()
        return perf_counter() - start

    return run


def batched_steps(
    num_envs: int, calls: int, rules: str = RULES, observation: str = "flat"
) -> Callable[[], float]:
    """Seconds spent in ``calls`` steps of a batch, random actions being picked off the clock."""
    env = SelfPlayVectorEnv(num_envs, rules, seed=0, observation=observation)
    actions = np.zeros(num_envs, np.int64)

    def run() -> float:
        _, mask, _ = env.reset()
        state, seconds = 1, 0.0
        for _ in range(calls):
            state = pick_actions(mask, state, actions)
            start = perf_counter()
            env.step(actions)
            seconds += perf_counter() - start
        return seconds

    return run


def aec_steps(env: Any, steps: int) -> Callable[[], float]:
    """Seconds of ``steps`` times ``last``, a random choice from the mask in Python and ``step``."""
    rng = np.random.default_rng(0)

    def run() -> float:
        env.reset(seed=0)
        done = 0
        start = perf_counter()
        while done < steps:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(rng.random() * len(legal))])
            done += 1
        return perf_counter() - start

    return run


def measure_yardstick() -> Measurement:
    """The yardstick."""
    steps = 2_000_000
    return Measurement("yardstick", "steps/s", steps, timed(lambda: yardstick(steps)))


def core_measurements() -> list[Measurement]:
    """Everything that takes turns; the yardstick is the first."""
    deals = 500_000
    found = [
        measure_yardstick(),
        Measurement(
            "random deals, 1 thread", "deals/s", deals, timed(lambda: rollout(RULES, deals, seed=0))
        ),
        Measurement(
            "random deals, 2 threads",
            "deals/s",
            2 * deals,
            timed(lambda: rollout(RULES, 2 * deals, seed=0, threads=2)),
        ),
    ]
    for num_envs in BATCHES:
        calls = min(20_000, STEPS_A_ROUND // num_envs)
        run = batched_steps(num_envs, calls)
        found.append(Measurement(f"batched steps, N={num_envs}", "steps/s", calls * num_envs, run))
    for name, env in (("raw AEC", belote_env.raw_env()), ("wrapped AEC", belote_env.env())):
        found.append(Measurement(f"{name} steps", "steps/s", 3_000, aec_steps(env, 3_000)))
    if importlib.util.find_spec("colver"):
        import colver  # type: ignore[import-not-found]

        peer = colver.Env()
        peer.reset()
        found.append(
            Measurement(
                "colver rollouts", "deals/s", deals // 5, timed(lambda: peer.rollout(deals // 5))
            )
        )
    return found


def preset_measurements() -> list[Measurement]:
    """Random deals and batched steps of every preset, with `announce` both ways, and two forms."""
    found = [measure_yardstick()]
    deals, calls = 100_000, 200
    for rules in ALL_RULES:
        play = timed(functools.partial(rollout, rules, deals, seed=0))
        found.append(Measurement(f"random deals, {rules}", "deals/s", deals, play))
    steps = calls * PRESET_BATCH
    for rules in ALL_RULES:
        run = batched_steps(PRESET_BATCH, calls, rules)
        found.append(Measurement(f"batched steps, {rules}", "steps/s", steps, run))
    for form in ("universal", "history"):
        for rules in ("classic", "contree"):
            run = batched_steps(PRESET_BATCH, calls, rules, form)
            found.append(Measurement(f"batched steps, {rules}, {form}", "steps/s", steps, run))
    return found


def start_up_seconds(cache: Path | None) -> float:
    """Seconds from the first import to the first step in a new process."""
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    command = [sys.executable, "-c", START_UP]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def measure_start_up(rounds: int) -> dict[str, float]:
    """Medians of a start on a warm cache and on an empty one."""
    start_up_seconds(None)
    warm = [start_up_seconds(None) for _ in range(rounds)]
    cold: list[float] = []
    for _ in range(max(1, rounds // 3)):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(start_up_seconds(Path(folder)))
    return {
        "import to first step, warm": statistics.median(warm),
        "import to first step, cold compile": statistics.median(cold),
    }


REFERENCES = (
    "yardstick",
    "colver rollouts",
    "random deals, 1 thread",
    "random deals, classic",
    "batched steps, classic",
)


def summary(taken: list[Measurement]) -> dict[str, dict[str, Any]]:
    """Medians of each measurement and of its ratios to the references of the same round."""
    by_name = {m.name: m for m in taken}
    references = [name for name in REFERENCES if name in by_name]
    rows: dict[str, dict[str, Any]] = {}
    for m in taken:
        rows[m.name] = {"median": statistics.median(m.rates), "unit": m.unit}
        for name in references:
            ratios = [a / b for a, b in zip(m.rates, by_name[name].rates, strict=True)]
            rows[m.name][f"to {name}"] = statistics.median(ratios)
    return rows


def table(rows: dict[str, dict[str, Any]], start_up: dict[str, float]) -> str:
    """The figures for people."""
    used = [name for name in REFERENCES if any(f"to {name}" in row for row in rows.values())]
    lines = [f"{'':48} {'median':>14}  ratio to {'; '.join(used)}"]
    for name, row in rows.items():
        shown = "".join(f"{row[f'to {r}']:9.4f}" for r in used)
        lines.append(f"{name:48} {row['median']:>14,.0f}  {row['unit']:8}{shown}")
    lines += [f"{name:48} {seconds:>14.2f}  s" for name, seconds in start_up.items()]
    return "\n".join(lines)


def measure(what: str, rounds: int, output: Path) -> None:
    """Measure the environment and write the result."""
    taken = core_measurements() if what == "core" else preset_measurements()
    for m in taken:
        m.run()  # compiles
    for _ in range(rounds):
        for m in taken:
            m.take()
    rows, start_up = summary(taken), measure_start_up(rounds) if what == "core" else {}
    print(table(rows, start_up))
    result = {
        "command": f"python -m experiments.benchmark {what}",
        "rounds": rounds,
        "provenance": provenance(belote_env.rules.resolve(RULES), 0, torch.device("cpu")),
        "rates": rows,
        "seconds": start_up,
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(output, json.dumps(result, indent=2) + "\n")
    print(f"written to {output}")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "what", choices=["core", "presets"], help="the environment, or every preset of it"
    )
    parser.add_argument("--rounds", type=int, default=15, help="rounds of all measurements")
    parser.add_argument("--output", type=Path, help="result file, in place of the committed one")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds {arguments.rounds}: at least 1")
    output = arguments.output or RESULTS / f"benchmark_{arguments.what}.json"
    measure(arguments.what, arguments.rounds, output)


if __name__ == "__main__":
    main()
