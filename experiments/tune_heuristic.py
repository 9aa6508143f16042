"""Tune the numbers of the heuristic player by play, and say what that has won.

    python -m experiments.tune_heuristic                        six minutes on one core
    python -m experiments.tune_heuristic run_dir=runs/mine      resume what runs/mine holds

Hill climbing from the numbers of `agents.heuristics.weights`: a random change of some of them is
kept if it wins duplicate deals against the numbers before it, without losing against the numbers at
the start or the random player.  No deal is played twice.  What `classic` rests on is left alone.
The settings are in ``configs/tune_heuristic.yaml``.  The run directory has the numbers so far in
``weights.json``, what was kept in ``metrics.jsonl`` and, at the end, ``result.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from time import process_time
from typing import Any, Final, NamedTuple

import hydra
import numpy as np
import torch
from numpy.typing import NDArray
from omegaconf import DictConfig

from agents.heuristics.hands import TO_BID, TO_SUPPORT, TO_TAKE
from agents.heuristics.player import RANDOM, play_deals_of
from agents.heuristics.weights import CALLS, PLAY
from belote_env.checks import require
from belote_env.engine.batch import OUTCOME_DTYPE
from belote_env.engine.options import rule_data
from belote_env.engine.rng import seed_key
from belote_env.engine.state import new_states
from belote_env.rules import resolve
from experiments.lib.command import run_command
from experiments.lib.config import TuningConfig, register
from experiments.lib.process import Interruption, set_threads
from experiments.lib.progress import ProgressDisplay
from experiments.lib.run import RunDirectory, provenance, write_atomic
from experiments.lib.seeds import stream_rng, stream_seed
from experiments.lib.statistics import Estimate, mean_by_deal

CONFIGS: Final = Path(__file__).parents[1] / "configs"
register()

# Rows of the tables of weights.
START: Final = 0
BEST: Final = 1
CHANGED: Final = 2

Knob = tuple[str, int, tuple[int, ...]]
"""A number: its field, kind of contract (or -1 in the calls), and place in the field."""

_LIKELIHOODS: Final = ("trumps", "others", "rescue")
"""Fields that are factors; the others are in points."""
_TRUMPS_ALONE: Final = ("trump", "singleton", "idle", "lead_master", "keep_master", "new_void")
"""Parts of the names of fields that matter in a trump suit alone."""
_SUITS: Final = (
    *("base", "trump", "belote", "ace", "ten_with_ace"),
    *("ten_guarded", "king_guarded", "void", "singleton"),
)
_EVEN: Final = (
    *("even_base", "first", "second_with_first", "third_with_both"),
    *("second_guarded", "small_with_first", "even_belote", "leads"),
)
_BIDDING: Final = (TO_BID, TO_SUPPORT)
"""Judgements that are tuned.  TO_OPPOSE is not: hands that call for doubling hardly ever meet a bid
by this player, and would be given any worth."""


class Group(NamedTuple):
    """Numbers that are changed together, and the rules under which a change is tried."""

    knobs: list[Knob]
    rules: tuple[str, ...]


def _play(kind: int) -> Iterator[Knob]:
    for field in PLAY.dtype.names or ():
        if not any(part in field for part in _TRUMPS_ALONE):
            for place in np.ndindex(PLAY[field].shape[2:]):
                yield field, kind, place


def _calls(fields: tuple[str, ...], rows: tuple[int, ...] | None = None) -> Iterator[Knob]:
    for field in fields:
        for place in np.ndindex(CALLS[field].shape[1:]):
            if rows is None or place[0] in rows:
                yield field, -1, place


GROUPS: Final = {
    "bids": Group(
        [
            *_calls(_SUITS, _BIDDING),
            *_calls(("bid_below", "capot", "coinche", "surcoinche")),
        ],
        ("contree", "contree_ffb", "coinche"),
    ),
    "play_sa": Group([*_play(1)], ("sans_tout_atout", "contree+sa_ta=True")),
    "play_ta": Group([*_play(2)], ("sans_tout_atout", "contree+sa_ta=True")),
    "takes": Group([*_calls(_EVEN, (TO_TAKE,)), *_calls(("take_even",))], ("sans_tout_atout",)),
    "bids_even": Group([*_calls(_EVEN, _BIDDING)], ("contree+sa_ta=True", "coinche+sa_ta=True")),
}
"""What is tuned, in this order."""
MATCHES: Final = {
    "sans_tout_atout": (START, RANDOM),
    "contree": (START, RANDOM),
    "contree_ffb": (START, RANDOM),
    "coinche": (START, RANDOM),
    "contree+sa_ta=True": (START, RANDOM),
    "classic": (RANDOM,),
}
"""Whom the tuned numbers play in the end, by rules."""


class Tables:
    """The weights at the start, the best so far and the changed ones: rows of both tables."""

    def __init__(self) -> None:
        self.play = np.repeat(PLAY[-1:], 3, axis=0)
        self.calls = np.repeat(CALLS[-1:], 3)

    def fields(self, knob: Knob, row: int) -> NDArray[np.float64]:
        """The field of a knob, to read and to write, at least of one dimension."""
        field, kind, _ = knob
        record = self.calls[row : row + 1] if kind < 0 else self.play[row, kind : kind + 1]
        return record[field][0] if record[field].ndim > 1 else record[field]

    def copy(self, source: int, target: int) -> None:
        """Write one row over another."""
        self.play[target] = self.play[source]
        self.calls[target] = self.calls[source]

    def change(self, group: Group, rng: np.random.Generator) -> list[str]:
        """Change some numbers of the best row at random; which."""
        self.copy(BEST, CHANGED)
        named = []
        for k in rng.integers(len(group.knobs), size=rng.geometric(0.5)):
            knob = group.knobs[k]
            field, kind, place = knob
            values = self.fields(knob, CHANGED)
            where = place or (0,)
            unit = 0.1 if field in _LIKELIHOODS else 2.0
            step = rng.normal() * (unit + 0.2 * abs(values[where]))
            if rng.random() < 0.25:  # the places of the taker, or the ranks, alike
                where = (*where[:-1], slice(None)) if kind >= 0 or field == "trump" else where
            values[where] = np.round(values[where] + step, 2)
            if field in _LIKELIHOODS:
                values[where] = np.maximum(values[where], 0.0)
            named.append(f"{field}{list(place)}")
        return named

    def texts(self, row: int) -> dict[str, Any]:
        """A row as JSON."""
        return {"play": _as_json(self.play[row]), "calls": _as_json(self.calls[row : row + 1])}

    def read(self, row: int, texts: dict[str, Any]) -> None:
        """Fill a row from JSON."""
        for field, values in texts["play"].items():
            self.play[field][row] = values
        for field, values in texts["calls"].items():
            self.calls[field][row] = values[0]


def _as_json(records: NDArray[Any]) -> dict[str, Any]:
    return {field: records[field].tolist() for field in records.dtype.names or ()}


def margins(
    tables: Tables, rules: str, sides: tuple[int, int], deals: int, seed: int, first: int
) -> NDArray[np.float64]:
    """Marks a deal of the first of two rows above the second's, on duplicate deals [deals].

    Args:
        tables: the weights.
        rules: id of a rule set of four players.
        sides: rows of the tables, or RANDOM.
        deals: number of deals, each played twice with the sides swapped.
        seed: seed of the deals.
        first: the first deal of that seed.
    """
    data, scratch, total = rule_data(resolve(rules)), new_states(1), np.zeros(deals)
    for sign, seated in ((1, sides), (-1, sides[::-1])):
        out = np.zeros(deals, OUTCOME_DTYPE)
        rows = np.array(seated)
        play_deals_of(data, scratch, seed_key(seed), first, rows, tables.play, tables.calls, out)
        total += sign * (out["marks"][:, 0].astype(float) - out["marks"][:, 1])
    return total / 2


def deviations(values: NDArray[np.float64]) -> float:
    """Mean in standard errors; 0 if all are the same."""
    error = values.std(ddof=1) / len(values) ** 0.5
    return float(values.mean() / error) if error else 0.0


class Tuning:
    """A tuning that stands in a run directory."""

    def __init__(self, config: TuningConfig, run: RunDirectory) -> None:
        self._config = config
        self._file = run.path / "weights.json"
        self._log = run.metrics
        self.tables = Tables()
        self.seconds = dict.fromkeys(GROUPS, 0.0)
        self.tests = 0
        self.kept = 0
        self._deal = 0
        self._seed = stream_seed("tuning_deals", config.seed)
        if self._file.exists():
            stored = json.loads(self._file.read_text())
            self.seconds |= stored["seconds"]
            self.tests, self.kept, self._deal = stored["tests"], stored["kept"], stored["deal"]
            self.tables.read(START, stored["start"])
            self.tables.read(BEST, stored["weights"])

    def save(self) -> None:
        """Write where it stands."""
        stored = {
            "tests": self.tests,
            "kept": self.kept,
            "deal": self._deal,
            "seconds": self.seconds,
            "start": self.tables.texts(START),
            "weights": self.tables.texts(BEST),
        }
        write_atomic(self._file, json.dumps(stored) + "\n")

    def tune(self, stopped: Callable[[], bool], show: Callable[[float, str], None]) -> bool:
        """Try changes until the time of all groups is up; False if stopped before."""
        minutes = self._config.minutes
        for name, group in GROUPS.items():
            while self.seconds[name] < 60 * minutes[name]:
                if stopped():
                    self.save()
                    return False
                began = process_time()
                rng = stream_rng("tuning_changes", self._config.seed, self.tests)
                changed = self.tables.change(group, rng)
                won = self._wins(group)
                self.tests += 1
                self.seconds[name] += process_time() - began
                if won is not None:
                    self.tables.copy(CHANGED, BEST)
                    self.kept += 1
                    self.save()
                    self._enter(name, changed, won)
                share = sum(self.seconds.values()) / (60 * sum(minutes.values()))
                show(min(share, 1.0), f"{name}: {self.kept} of {self.tests} changes kept")
        self.save()
        return True

    def _enter(self, name: str, changed: list[str], won: NDArray[np.float64]) -> None:
        gain = mean_by_deal(won)
        line = {"test": self.tests, "group": name, "changed": changed, "marks": asdict(gain)}
        with self._log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")

    def _play(self, group: Group, sides: tuple[int, int], deals: int, first: int) -> NDArray[Any]:
        """Margins under the rules of a group, the deals shared out among them."""
        share = -(-deals // len(group.rules))
        return np.concatenate(
            [margins(self.tables, rules, sides, share, self._seed, first) for rules in group.rules]
        )

    def _wins(self, group: Group) -> NDArray[np.float64] | None:
        """Margins of the changed weights over the best so far if they are to be kept."""
        config = self._config
        won = np.zeros(0)
        for deals, ahead in zip(config.stages, (*config.ahead, config.deviations), strict=True):
            won = self._play(group, (CHANGED, BEST), deals, self._deal)
            self._deal += deals
            if deviations(won) <= ahead:
                return None
        for other in (START, RANDOM):
            now, before = (
                self._play(group, (row, other), config.guard, self._deal) for row in (CHANGED, BEST)
            )
            self._deal += config.guard
            if deviations(now - before) < -config.deviations:
                return None
        return won

    def evaluate(self) -> list[dict[str, Any]]:
        """The matches of the tuned weights, on deals of their own."""
        seed = stream_seed("tuning_evaluation", self._config.seed)
        deals = self._config.evaluation.deals
        return [
            {
                "rules": rules,
                "rules_hash": resolve(rules).hash,
                "against": "random" if other == RANDOM else "the start",
                "marks": asdict(
                    mean_by_deal(margins(self.tables, rules, (BEST, other), deals, seed, 0))
                ),
            }
            for rules, others in MATCHES.items()
            for other in others
        ]


def tune_heuristic(config: TuningConfig) -> bool:
    """Tune, or go on tuning, in the configuration's run directory, then evaluate.

    Returns:
        False if it was interrupted: the numbers so far are saved.

    Raises:
        RunError: if the directory holds another run or a damaged one.
    """
    names = ", ".join(GROUPS)
    require(config.minutes.keys() == GROUPS.keys(), "minutes", config.minutes, f"those of {names}")
    set_threads(1)
    run = RunDirectory(Path(config.run_dir))
    settings = asdict(config)
    del settings["run_dir"]
    origin = provenance(resolve("classic"), config.seed, torch.device("cpu"))
    run.start(settings, {key: origin[key] for key in origin if not key.startswith("rules")})
    tuning = Tuning(config, run)
    with ProgressDisplay() as display, Interruption() as interruption:
        if not tuning.tune(lambda: interruption.asked, display.show):
            return False
    matches = tuning.evaluate()
    result = {
        "provenance": json.loads(run.provenance.read_text()),
        "settings": settings,
        "tests": tuning.tests,
        "kept": tuning.kept,
        "seconds": tuning.seconds,
        "matches": matches,
        "start": tuning.tables.texts(START),
        "weights": tuning.tables.texts(BEST),
    }
    for file in (run.result, Path(config.output)):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, json.dumps(result, indent=2) + "\n")
    for match in matches:
        marks = Estimate(**match["marks"]).text(sign=True)
        print(f"{match['rules']} against {match['against']}: {marks} marks a deal")
    return True


@hydra.main(version_base="1.3", config_path=str(CONFIGS), config_name="tune_heuristic")
def main(composed: DictConfig) -> None:
    """Tune as the command line says."""
    run_command(composed, TuningConfig, tune_heuristic, ValueError)


if __name__ == "__main__":
    main()
