"""Run directories: what a run is, where it came from, and what it has written.

==================== ============================================================
config.yaml          the resolved configuration
provenance.json      commit, rules, versions and machine, one entry a start
metrics.jsonl        one line an update
tensorboard/         the same for TensorBoard
checkpoints/         the last few, see `agents.learned.checkpoint`
learning_curve.png   strength and auction over time
result.json          the result: estimates with their intervals, and where they come from
report.md            the result for people
==================== ============================================================
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import torch
from omegaconf import OmegaConf

from belote_env import RuleSet, observation

_PACKAGES: Final = ("numpy", "numba", "gymnasium", "pettingzoo", "torch", "hydra-core")


class RunError(ValueError):
    """A run that cannot be started as asked."""


def write_atomic(path: Path, text: str) -> None:
    """Write a file so that it is found either as it was or as it shall be."""
    partial = path.with_name(f".partial-{path.name}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


@contextmanager
def reading(path: Path, remedy: str) -> Iterator[None]:
    """Tell of whatever goes wrong while a file is read that the file is damaged.

    Raises:
        RunError: naming the file, and what to do.
    """
    try:
        yield
    except Exception as error:  # what a reader makes of damage may be of any type
        reason = " ".join(str(error).split()) or type(error).__name__
        raise RunError(f"{path} is damaged ({reason}): {remedy}") from error


class RunDirectory:
    """The files of one run.

    Attributes:
        kept: folders of what a run does not do again when it is resumed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.yaml"
        self.provenance = path / "provenance.json"
        self.metrics = path / "metrics.jsonl"
        self.tensorboard = path / "tensorboard"
        self.checkpoints = path / "checkpoints"
        self.curve = path / "learning_curve.png"
        self.report = path / "report.md"
        self.result = path / "result.json"
        self.kept: tuple[Path, ...] = (self.checkpoints,)

    def stored_config(self) -> dict[str, Any] | None:
        """The configuration of the run that is here; None if there is none yet.

        Raises:
            RunError: if the path is no folder nor in one, or the configuration cannot be read.
        """
        for place in (self.path, *self.path.parents):
            if place.exists() and not place.is_dir():
                raise RunError(f"{place} is a file: name a folder for the run")
        if not self.config.exists():
            return None
        with reading(self.config, "name another run_dir"):
            return _as_dict(OmegaConf.load(self.config))

    def start(self, config: dict[str, Any], provenance: dict[str, Any]) -> None:
        """Enter a start of the run: its first, or a resumption with the same configuration.

        The directory is made if need be.

        Raises:
            RunError: if the directory holds a run with another configuration, or of one that is
                not there any more.
        """
        stored = self.stored_config()
        starts = self._stored_starts()
        for folder in self.kept:
            if stored is None and folder.is_dir() and any(folder.iterdir()):
                raise RunError(
                    f"{folder} is of a run whose settings, {self.config.name}, are gone:"
                    " name another run_dir"
                )
        self.path.mkdir(parents=True, exist_ok=True)
        if stored is None:
            write_atomic(self.config, OmegaConf.to_yaml(config))
        elif stored != config:
            raise RunError(
                f"{self.path} holds a run with other settings ({_differences(stored, config)}):"
                " name another run_dir, or resume it with run_dir alone"
            )
        write_atomic(self.provenance, json.dumps([*starts, provenance], indent=2) + "\n")

    def _stored_starts(self) -> list[dict[str, Any]]:
        if not self.provenance.exists():
            return []
        with reading(self.provenance, "remove it"):
            starts = json.loads(self.provenance.read_text())
            if not isinstance(starts, list) or not all(isinstance(each, dict) for each in starts):
                raise ValueError("it is no list of starts")
            return starts


def _as_dict(config: Any) -> dict[str, Any]:
    container = OmegaConf.to_container(config)
    if not isinstance(container, dict) or not container:
        raise ValueError("it holds no settings")
    return {str(key): value for key, value in container.items()}


def _differences(stored: dict[str, Any], asked: dict[str, Any]) -> str:
    here, there = _flat(stored), _flat(asked)
    return ", ".join(
        f"{key} is {here.get(key)!r} there, {there.get(key)!r} here"
        for key in sorted(here.keys() | there.keys())
        if here.get(key) != there.get(key)
    )


def _flat(config: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def provenance(rules: RuleSet, seed: int, device: torch.device) -> dict[str, Any]:
    """Where a result comes from: code, rules, seed, versions and machine, as of now."""
    status = _git("status", "--porcelain")
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": [Path(sys.argv[0]).stem, *sys.argv[1:]],
        "commit": _git("rev-parse", "HEAD"),
        "dirty": None if status is None else status != "",
        "rules": rules.id,
        "rules_hash": rules.hash,
        "observation_version": observation.VERSION,
        "seed": seed,
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
        "platform": platform.platform(),
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
    }


def _git(*arguments: str) -> str | None:
    """Output of a git command on this checkout; None outside one."""
    try:
        done = subprocess.run(
            ("git", *arguments),
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _processor() -> str:
    """Name of the processor's model."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
