from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from belote_env import observation, rules
from experiments.lib.process import pick_device, set_threads
from experiments.lib.run import RunDirectory, RunError, provenance, write_atomic
from experiments.lib.tournament_report import TournamentDirectory
from experiments.lib.tracking import Tracker, read_metrics

CONFIG: dict[str, Any] = {"seed": 1, "train": {"minutes": 9.0, "network": {"actor": [2, 3]}}}


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    file = tmp_path / "text"
    write_atomic(file, "one")
    write_atomic(file, "two")
    assert file.read_text() == "two"
    assert list(tmp_path.iterdir()) == [file]


def test_a_run_starts_resumes_and_remembers_every_start(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path / "new" / "run")
    assert run.stored_config() is None
    run.start(CONFIG, {"start": 1})
    run.start(CONFIG, {"start": 2})
    assert run.stored_config() == CONFIG
    assert json.loads(run.provenance.read_text()) == [{"start": 1}, {"start": 2}]


def test_a_run_with_other_settings_is_refused(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path)
    run.start(CONFIG, {})
    other = {"seed": 1, "train": {"minutes": 2.0, "network": {"actor": [2, 3]}}}
    with pytest.raises(RunError, match=r"\(train\.minutes is 9\.0 there, 2\.0 here\)"):
        run.start(other, {})
    assert json.loads(run.provenance.read_text()) == [{}]


def test_what_is_damaged_is_named(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path)
    for text in ("[1, 2]", "", "3", ": : ["):
        run.config.write_text(text)
        with pytest.raises(RunError, match=r"config\.yaml is damaged \(.+\): name another run_dir"):
            run.stored_config()
    run.config.unlink()
    for text in ("3", "{}", "[3]", "{"):
        run.provenance.write_text(text)
        with pytest.raises(RunError, match=r"provenance\.json is damaged \(.+\): remove it"):
            run.start(CONFIG, {})
        assert not run.config.exists()


def test_a_run_below_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("text")
    for path in (file, file / "run", file / "more" / "run"):
        with pytest.raises(RunError, match=r"file is a file: name a folder for the run"):
            RunDirectory(path).stored_config()


def test_what_was_done_under_settings_that_are_gone_is_refused(tmp_path: Path) -> None:
    for run in (RunDirectory(tmp_path / "run"), TournamentDirectory(tmp_path / "tournament")):
        run.start(CONFIG, {})
        for folder in run.kept:
            folder.mkdir()
        run.config.unlink()
        run.start(CONFIG, {})
        run.config.unlink()
        (run.kept[0] / "file").write_text("text")
        with pytest.raises(RunError, match=r"is of a run whose settings, config\.yaml, are gone"):
            run.start(CONFIG, {})
        assert not run.config.exists()


def test_provenance_says_what_made_the_result() -> None:
    classic = rules.preset("classic")
    origin = provenance(classic, 3, torch.device("cpu"))
    assert origin["rules_hash"] == classic.hash
    assert origin["observation_version"] == observation.VERSION
    assert origin["seed"] == 3
    assert origin["torch"] == torch.__version__
    assert json.loads(json.dumps(origin)) == origin


def test_metrics_after_the_checkpoint_are_dropped(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path)
    with Tracker(run, 0) as tracker:
        for update in range(1, 6):
            tracker.log(update, {"decisions": update * 10, "losses/entropy": 1.0})
    with run.metrics.open("a") as file:
        file.write('{"update": 6, "decis')  # what a killed process may leave
    assert [record["update"] for record in read_metrics(run)] == [1, 2, 3, 4, 5]
    with Tracker(run, 3) as tracker:
        tracker.log(4, {"decisions": 400, "deals/made_rate": float("nan")})
    records = read_metrics(run)
    assert [record["decisions"] for record in records] == [10, 20, 30, 400]
    assert records[-1]["deals/made_rate"] is None


def test_devices_and_threads() -> None:
    before = torch.get_num_threads()
    try:
        assert set_threads(1) == torch.get_num_threads() == 1
        assert set_threads(None) >= 1
    finally:
        torch.set_num_threads(before)
    assert pick_device("cpu").type == "cpu"
    assert pick_device("auto").type in ("cpu", "cuda")


def test_cuda_is_refused_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(RunError, match="PyTorch finds no CUDA device: use 'cpu' or 'auto'"):
        pick_device("cuda")
