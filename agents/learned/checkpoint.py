"""Checkpoints: a folder of weights, a description in JSON, and the state of the optimiser.

A checkpoint is written beside its place and moved there whole, so one that has its name is
complete, whenever the process was killed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Final

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from agents.learned.network import ActorCritic, NetworkConfig
from belote_env import observation
from belote_env.rules import RuleSet, resolve

FORMAT: Final = 1
"""Version of the layout of these files."""
_WEIGHTS: Final = "weights.safetensors"
_DESCRIPTION: Final = "checkpoint.json"
_OPTIMIZER: Final = "optimizer.pt"
_PARTIAL: Final = ".partial-"


class CheckpointError(ValueError):
    """A checkpoint that does not fit what it was loaded for."""


@dataclass
class Description:
    """What a checkpoint says of itself.

    Attributes:
        rules: id of the rule set.
        rules_hash: its hash.
        network: the network's configuration.
        update: updates done.
        decisions: decisions learned from.
        seconds: time trained.
        config: the whole configuration of the run.
        observation_version: version of the observation's schema.
        format: version of the layout of the files.
    """

    rules: str
    rules_hash: str
    network: NetworkConfig
    update: int
    decisions: int
    seconds: float
    config: dict[str, Any]
    observation_version: int = observation.VERSION
    format: int = FORMAT

    @property
    def rule_set(self) -> RuleSet:
        """The rules that ``rules`` names."""
        return resolve(self.rules)


def save(
    folder: Path,
    description: Description,
    network: ActorCritic,
    optimizer: torch.optim.Optimizer,
    keep: int,
) -> Path:
    """Write a checkpoint into a folder of checkpoints, and remove all but the last ``keep``."""
    path = folder / f"{description.update:08d}"
    partial = folder / f"{_PARTIAL}{path.name}"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    save_file(network.state_dict(), partial / _WEIGHTS)
    (partial / _DESCRIPTION).write_text(json.dumps(asdict(description), indent=2) + "\n")
    torch.save(optimizer.state_dict(), partial / _OPTIMIZER)
    partial.rename(path)
    for old in _complete(folder)[:-keep]:
        shutil.rmtree(old)
    return path


def latest(folder: Path) -> Path | None:
    """The last whole checkpoint of a folder, if any."""
    checkpoints = _complete(folder)
    return checkpoints[-1] if checkpoints else None


def _complete(folder: Path) -> list[Path]:
    return sorted(p for p in folder.glob("*") if p.is_dir() and not p.name.startswith(_PARTIAL))


def describe(path: Path, rules: RuleSet | None = None) -> Description:
    """Read what a checkpoint says of itself.

    Args:
        path: the checkpoint's folder.
        rules: the rules it is wanted for; None for its own.

    Raises:
        CheckpointError: if the checkpoint was made for other rules, another schema of the
            observation or another layout of files, or is none.
    """
    file = path / _DESCRIPTION
    if not file.is_file():
        raise CheckpointError(f"{path} is no checkpoint: it has no {_DESCRIPTION}")
    with _reading(path):
        fields = json.loads(file.read_text())
    if fields.get("format") != FORMAT:
        raise CheckpointError(f"{path} has format {fields.get('format')}; this code reads {FORMAT}")
    with _reading(path):
        fields["network"] = NetworkConfig(**fields["network"])
        description = Description(**fields)
    if description.observation_version != observation.VERSION:
        raise CheckpointError(
            f"{path} was trained on version {description.observation_version} of the observation;"
            f" this code has version {observation.VERSION}: train again, or use the code it is of"
        )
    wanted = rules or description.rule_set
    if description.rules_hash != wanted.hash:
        raise CheckpointError(
            f"{path} was trained for the rules {description.rules} (hash {description.rules_hash}),"
            f" not for {wanted.id} (hash {wanted.hash})"
        )
    return description


def load_network(path: Path, rules: RuleSet | None = None) -> tuple[ActorCritic, Description]:
    """The network of a checkpoint, on the CPU; see `describe` for what is refused."""
    description = describe(path, rules)
    network = ActorCritic(description.rule_set, description.network)
    with _reading(path):
        network.load_state_dict(load_file(path / _WEIGHTS))
    return network, description


def load_optimizer(path: Path, optimizer: torch.optim.Optimizer) -> None:
    """Restore the state of the optimiser of a checkpoint's network.

    Raises:
        CheckpointError: if it cannot be read.
    """
    with _reading(path):
        optimizer.load_state_dict(torch.load(path / _OPTIMIZER, weights_only=True))


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say of a file that cannot be read which checkpoint it belongs to, and what to do."""
    try:
        yield
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        RuntimeError,
        SafetensorError,
        UnpicklingError,
    ) as error:
        raise CheckpointError(
            f"{path} is damaged ({type(error).__name__}: {error}): remove that folder to go on from"
            " the checkpoint before it"
        ) from error
