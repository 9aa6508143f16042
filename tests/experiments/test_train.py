from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.errors import ConfigCompositionException
from omegaconf import OmegaConf
from safetensors.torch import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.learned import checkpoint
from agents.learned.checkpoint import CheckpointError
from agents.learned.policy import LearnedAgent
from belote_env import rules
from experiments.lib.config import TrainRunConfig, resolve_config
from experiments.lib.run import RunDirectory, RunError
from experiments.lib.tracking import read_metrics
from experiments.train import due, main, train

ROOT = Path(__file__).parents[2]
SMALL = [
    "train=smoke",
    "device=cpu",
    "threads=1",
    "selection.deals=8",
    "selection.every_minutes=1000",
    "evaluation.deals=20",
]


def configure(*overrides: str) -> TrainRunConfig:
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        return resolve_config(compose("train", list(overrides)), list(overrides), TrainRunConfig)


def start(*overrides: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "experiments.train", *overrides],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for_update(process: subprocess.Popen[str], run: RunDirectory, update: int) -> None:
    while process.poll() is None:
        last = checkpoint.latest(run.checkpoints)
        if last is not None and int(last.name) >= update:
            return
        time.sleep(0.005)
    raise AssertionError(f"the training ended before update {update}: {process.communicate()[0]}")


def lasting(record: dict[str, Any]) -> dict[str, Any]:
    """A record without the clock's figures."""
    return {
        key: value
        for key, value in record.items()
        if key != "minutes" and not key.startswith("time/")
    }


def entropies(run: RunDirectory) -> list[Any]:
    """What TensorBoard shows of the entropy."""
    events = EventAccumulator(str(run.tensorboard))
    events.Reload()
    return events.Scalars("losses/entropy")


def assert_same_results(run: RunDirectory, other: RunDirectory) -> None:
    records, others = read_metrics(run), read_metrics(other)
    assert [record["update"] for record in records] == list(range(len(records)))
    assert [lasting(record) for record in records] == [lasting(record) for record in others]
    last, other_last = checkpoint.latest(run.checkpoints), checkpoint.latest(other.checkpoints)
    assert last is not None
    assert other_last is not None
    weights = load_file(last / "weights.safetensors")
    other_weights = load_file(other_last / "weights.safetensors")
    assert all(torch.equal(weights[name], other_weights[name]) for name in weights)
    result, other_result = (
        [line for line in r.report.read_text().splitlines() if "random agent" in line]
        for r in (run, other)
    )
    assert result == other_result


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    """A run that nothing interrupted."""
    path = tmp_path_factory.mktemp("finished") / "run"
    assert train(configure(*SMALL, "train.decisions=12000", f"run_dir={path}"))
    return RunDirectory(path)


def test_run_directory_holds_everything(finished: RunDirectory) -> None:
    config = finished.stored_config()
    assert config is not None
    assert config["train"]["decisions"] == 12000
    assert "run_dir" not in config
    assert finished.curve.read_bytes().startswith(b"\x89PNG")
    report = finished.report.read_text()
    assert "marks a deal against the random agent" in report
    assert "20 duplicate deals" in report
    assert len(json.loads(finished.provenance.read_text())) == 1
    assert not list(finished.path.rglob(".partial-*"))


@pytest.mark.parametrize("preset", ["coinche", "two_player"])
def test_other_families_are_trained_and_measured(preset: str, tmp_path: Path) -> None:
    run = RunDirectory(tmp_path / "run")
    assert train(configure(*SMALL, f"rules={preset}", f"run_dir={run.path}"))
    assert "20 duplicate deals" in run.report.read_text()
    records = read_metrics(run)
    assert records[-1]["decisions"] >= 1500
    assert 0 < records[-1]["losses/entropy"] < 4
    assert LearnedAgent.load(run.path).rules == rules.preset(preset)
    with pytest.raises(CheckpointError, match=f"trained for the rules {preset} .*not for classic"):
        LearnedAgent.load(run.path, "classic")


def test_metrics_go_to_json_lines_and_tensorboard(finished: RunDirectory) -> None:
    records = read_metrics(finished)
    assert records[0]["decisions"] == 0
    assert records[-1]["decisions"] >= 12000 > records[-2]["decisions"]
    for name in (
        "losses/approx_kl",
        "losses/clip_fraction",
        "losses/explained_variance",
        "losses/entropy",
        "deals/void_rate",
        "deals/take_rate",
        "deals/made_rate",
        "time/decisions_per_second",
        "time/update_share",
    ):
        assert name in records[-1]
    assert records[-1]["losses/learning_rate"] == pytest.approx(0.0002, rel=0.2)
    wanted = [record["losses/entropy"] for record in records[1:]]
    assert [event.value for event in entropies(finished)] == pytest.approx(wanted, rel=1e-5)


def test_the_agent_of_a_run_can_be_loaded(finished: RunDirectory) -> None:
    assert LearnedAgent.load(finished.path).rules == rules.preset("classic")


def test_a_killed_run_goes_on_as_if_nothing_had_happened(
    finished: RunDirectory, tmp_path: Path
) -> None:
    run = RunDirectory(tmp_path / "killed")
    where = f"run_dir={run.path}"
    process = start(*SMALL, "train.decisions=12000", "checkpoints.every_minutes=0.0005", where)
    wait_for_update(process, run, 4)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not run.report.exists()

    resumed = start(where)
    output, _ = resumed.communicate()
    assert resumed.returncode == 0, output
    assert "from update 0" not in output
    assert "\x1b" not in output
    assert_same_results(run, finished)
    updates = len(read_metrics(run)) - 1
    assert [event.step for event in entropies(run)] == list(range(1, updates + 1))
    assert len(json.loads(run.provenance.read_text())) == 2


def test_interruption_saves_and_says_how_to_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunDirectory(tmp_path / "stopped")

    def interrupt() -> None:
        while len(read_metrics(run)) < 3:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    command = ["train", *SMALL, "train.decisions=1000000", f"run_dir={run.path}"]
    monkeypatch.setattr(sys, "argv", command)
    handler = signal.getsignal(signal.SIGINT)
    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 130
    assert f"python -m experiments.train run_dir={run.path}" in capsys.readouterr().out
    assert signal.getsignal(signal.SIGINT) is handler
    last = checkpoint.latest(run.checkpoints)
    assert last is not None
    assert int(last.name) == read_metrics(run)[-1]["update"]


def test_a_finished_run_is_only_evaluated_again(finished: RunDirectory) -> None:
    report, metrics = finished.report.read_text(), finished.metrics.read_text()
    assert train(configure(f"run_dir={finished.path}"))
    assert finished.metrics.read_text() == metrics
    assert finished.report.read_text() == report


def test_a_directory_with_another_run_is_refused(finished: RunDirectory) -> None:
    config = configure(*SMALL, "train.decisions=12000", "seed=5", f"run_dir={finished.path}")
    with pytest.raises(RunError, match=r"seed is 0 there, 5 here"):
        train(config)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("train.minutes=3", "minutes, decisions=.*one of them, the other null"),
        ("train.ppo.clip=0", "clip=0.0: use a positive number"),
        ("rules.preset=bridge", "unknown rule set 'bridge'; the presets are classic"),
        ("+rules.options.undertrump=never", "undertrump='never': use one of 'must'"),
        ("device=tpu", "device='tpu': use one of auto, cpu, cuda"),
        ("seed=-1", "seed=-1: use an integer in 0-"),
        ("train.exploring_starts=1.0", "exploring_starts=1.0: use a share from 0 to less than 1"),
    ],
)
def test_bad_values_are_refused(override: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        configure(*SMALL, f"run_dir={tmp_path / 'run'}", override)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("override", ["train.ppo.klip=0.1", "rule=concours", "train.minutes=soon"])
def test_unknown_keys_and_wrong_types_are_refused(override: str) -> None:
    with pytest.raises(ConfigCompositionException, match=r"Could not override|Error merging"):
        configure(override)


def test_errors_on_the_command_line_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["train", "train.ppo.clip=-1", f"run_dir={tmp_path / 'r'}"])
    with pytest.raises(SystemExit, match=r"error: clip=-1\.0: use a positive number"):
        main()


@pytest.mark.parametrize("override", ["+foo=1", "+train.foo=1", "+train.ppo.clp=3"])
def test_a_key_that_is_added_is_as_unknown(
    override: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run_dir = tmp_path / "run"
    monkeypatch.setattr(sys, "argv", ["train", *SMALL, override, f"run_dir={run_dir}"])
    with pytest.raises(SystemExit, match=r"error: Key '(foo|clp)' not in"):
        main()
    assert not run_dir.exists()


@pytest.mark.parametrize("run_dir", ["", "README.md"])
def test_what_is_no_folder_is_refused(run_dir: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["train", *SMALL, f"run_dir={run_dir}"])
    with pytest.raises(SystemExit, match=r"error: (run_dir=|README\.md is a file)"):
        main()


def test_every_key_of_the_settings_has_a_comment() -> None:
    for file in sorted((ROOT / "configs").rglob("*.yaml")):
        lines = file.read_text().splitlines()
        previous = ""
        for line in lines:
            key, colon, value = line.partition(":")
            is_leaf = colon and value.strip() and not key.strip().startswith(("#", "-"))
            if is_leaf and not previous.startswith("#"):
                raise AssertionError(f"{file.name}: no comment above {line!r}")
            previous = line.strip() if not is_leaf else previous
        assert OmegaConf.load(file)


@pytest.mark.parametrize("preset", list(rules.PRESETS))
def test_every_preset_has_a_file(preset: str) -> None:
    assert configure(f"rules={preset}").rules.rule_set() == rules.preset(preset)


def test_rule_options_can_be_set() -> None:
    config = configure("rules=concours", "+rules.options.undertrump=may_discard")
    assert config.rules.rule_set() == rules.preset("concours", undertrump="may_discard")


def test_due_when_a_multiple_of_the_period_is_passed() -> None:
    assert due(59.0, 60.5, every_minutes=1)
    assert not due(60.5, 119.0, every_minutes=1)
    assert due(0.0, 0.0, every_minutes=0)
