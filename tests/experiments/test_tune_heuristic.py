"""Tuning: what it may change, that it resumes, and that it says what was won."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hydra import compose, initialize_config_dir

from agents.heuristics.player import RANDOM
from experiments.lib.config import TuningConfig, resolve_config
from experiments.lib.run import RunDirectory
from experiments.tune_heuristic import (
    BEST,
    CHANGED,
    CONFIGS,
    GROUPS,
    START,
    Tables,
    Tuning,
    margins,
)
from experiments.tune_heuristic import main as tune_main

SMALL = ["stages=[10,30]", "guard=10", "ahead=[-1]", "deviations=0", "evaluation.deals=5"]


def configure(*overrides: str) -> TuningConfig:
    given = [*SMALL, *overrides]
    with initialize_config_dir(str(CONFIGS), version_base="1.3"):
        return resolve_config(compose("tune_heuristic", given), given, TuningConfig)


def shaken(group: str) -> Tables:
    """Tables in whose last row all numbers of a group are others."""
    tables = Tables()
    rng = np.random.default_rng(0)
    for knob in GROUPS[group].knobs:
        tables.fields(knob, CHANGED)[knob[2] or (0,)] += rng.uniform(5, 20)
    return tables


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_matters_under_its_rules_and_never_under_those_of_classic(group: str):
    tables = shaken(group)
    for rules in (*GROUPS[group].rules, "classic", "classic_annonces", "concours"):
        changes = np.any(margins(tables, rules, (CHANGED, BEST), 300, seed=1, first=0))
        assert changes == (rules in GROUPS[group].rules), rules


def test_every_number_of_a_group_may_change_and_no_other():
    for group in GROUPS.values():
        tables = Tables()
        may_change = set(group.knobs)
        names = {field for field, _, _ in may_change}
        changed: set[str] = set()
        for seed in range(300):
            told = tables.change(group, np.random.default_rng(seed))
            changed |= {text.partition("[")[0] for text in told}
            for table in (tables.play, tables.calls):
                for field in table.dtype.names or ():
                    for place in np.argwhere(table[field][CHANGED] != table[field][BEST]):
                        kind = int(place[0]) if table is tables.play else -1
                        rest = tuple(map(int, place[1:] if kind >= 0 else place))
                        assert (field, kind, rest) in may_change
        assert changed == names


def test_a_side_that_plays_itself_wins_nothing():
    tables = Tables()
    assert not margins(tables, "contree", (START, BEST), 50, seed=0, first=0).any()
    ahead = margins(tables, "classic", (BEST, RANDOM), 300, seed=0, first=0)
    behind = margins(tables, "classic", (RANDOM, BEST), 300, seed=0, first=0)
    np.testing.assert_array_equal(ahead, -behind)
    assert ahead.mean() > 40


def tune(path: Path, tests: int) -> Tuning:
    """Go on with a tuning until so many changes were tried."""
    path.mkdir(exist_ok=True)
    tuning = Tuning(configure(f"run_dir={path}"), RunDirectory(path))
    assert not tuning.tune(lambda: tuning.tests >= tests, lambda share, note: None)
    return tuning


def test_a_tuning_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path):
    at_once = tune(tmp_path / "at_once", 80)
    tune(tmp_path / "in_parts", 33)
    in_parts = tune(tmp_path / "in_parts", 80)

    assert at_once.kept == in_parts.kept > 0
    assert in_parts.tables.texts(BEST) == at_once.tables.texts(BEST)
    assert in_parts.tables.texts(START) == Tables().texts(START) != at_once.tables.texts(BEST)
    lines = (tmp_path / "in_parts" / "metrics.jsonl").read_text().splitlines()
    assert len(lines) == in_parts.kept


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["tune_heuristic", *SMALL, *arguments])
    tune_main()


def test_a_run_ends_with_what_was_won(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    minutes = [f"minutes.{group}=0.002" for group in GROUPS]
    output = tmp_path / "kept" / "heuristic.json"
    call(monkeypatch, *minutes, f"run_dir={tmp_path / 'run'}", f"output={output}")

    result: dict[str, Any] = json.loads(output.read_text())
    assert result == json.loads((tmp_path / "run" / "result.json").read_text())
    assert result["tests"] > 0
    assert result["provenance"][0]["seed"] == result["settings"]["seed"] == 0
    assert {match["marks"]["deals"] for match in result["matches"]} == {5}
    against_random = {m["rules"] for m in result["matches"] if m["against"] == "random"}
    assert {"classic", "sans_tout_atout", "contree", "coinche"} <= against_random
    assert "classic against random: +" in capsys.readouterr().out
    tables = Tables()
    tables.read(CHANGED, result["weights"])
    assert tables.texts(CHANGED) == result["weights"]

    output.unlink()
    monkeypatch.setattr(sys, "argv", ["tune_heuristic", f"run_dir={tmp_path / 'run'}"])
    tune_main()
    again = json.loads(output.read_text())
    assert len(again.pop("provenance")) == 2
    assert again == {key: value for key, value in result.items() if key != "provenance"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("~minutes.bids", "minutes=.*: use those of bids, play_sa"),
        ("minutes.bids=-1", "minutes.bids=-1.0: use zero or more"),
        ("ahead=[]", r"ahead=\[\]: use one less than the 2 stages"),
        ("stages=[1,30]", r"stages=\[1, 30\]: use two or more each"),
        ("guard=1", "guard=1: use two or more"),
        ("evaluation.deals=1", "evaluation.deals=1: use two or more"),
    ],
)
def test_what_makes_no_sense_is_refused(
    wrong: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(SystemExit, match=f"error: {message}"):
        call(monkeypatch, wrong, f"run_dir={tmp_path / 'run'}")
    assert not (tmp_path / "run").exists()
