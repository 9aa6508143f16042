from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.learned import checkpoint
from agents.learned.checkpoint import CheckpointError, Description
from agents.learned.network import ActorCritic, NetworkConfig
from agents.learned.ppo import PPOConfig, make_optimizer
from belote_env import RuleSet, observation, rules


@pytest.fixture
def optimizer(network: ActorCritic, ppo_config: PPOConfig) -> torch.optim.Adam:
    """An optimiser that has made a step."""
    optimizer = make_optimizer(network, ppo_config)
    size = observation.total_size(observation.state_schema("classic"))
    network.value(torch.ones((4, size), dtype=torch.uint8)).sum().backward()
    optimizer.step()
    return optimizer


def save(
    folder: Path,
    network: ActorCritic,
    optimizer: torch.optim.Optimizer,
    config: NetworkConfig,
    update: int = 7,
    keep: int = 2,
) -> Path:
    classic = rules.preset("classic")
    description = Description(
        rules=classic.id,
        rules_hash=classic.hash,
        network=config,
        update=update,
        decisions=1000,
        seconds=2.5,
        config={"seed": 0},
    )
    return checkpoint.save(folder, description, network, optimizer, keep)


@pytest.fixture
def saved(
    tmp_path: Path,
    network: ActorCritic,
    optimizer: torch.optim.Adam,
    network_config: NetworkConfig,
) -> Path:
    return save(tmp_path, network, optimizer, network_config)


def test_what_is_saved_is_what_is_loaded(
    saved: Path, network: ActorCritic, optimizer: torch.optim.Adam, ppo_config: PPOConfig
) -> None:
    loaded, description = checkpoint.load_network(saved)
    assert (description.update, description.decisions, description.seconds) == (7, 1000, 2.5)
    for name, weights in network.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], weights)
    restored = make_optimizer(loaded, ppo_config)
    checkpoint.load_optimizer(saved, restored)
    for old, new in zip(
        optimizer.state_dict()["state"].values(),
        restored.state_dict()["state"].values(),
        strict=True,
    ):
        assert torch.equal(old["exp_avg_sq"], new["exp_avg_sq"])
        assert old["step"] == new["step"]


def test_other_rules_are_refused(saved: Path) -> None:
    other = rules.preset("classic", undertrump="may_discard")
    with pytest.raises(CheckpointError, match=r"classic \(hash .*not for classic\+undertrump=may"):
        checkpoint.load_network(saved, other)


def test_another_observation_is_refused(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = observation.VERSION
    monkeypatch.setattr(observation, "VERSION", trained + 1)
    message = (
        f"trained on version {trained} of the observation; this code has version {trained + 1}"
    )
    with pytest.raises(CheckpointError, match=message):
        checkpoint.load_network(saved)


def test_another_format_is_refused(saved: Path) -> None:
    file = saved / "checkpoint.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"format": 99}))
    with pytest.raises(CheckpointError, match="has format 99; this code reads 1"):
        checkpoint.load_network(saved)


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"is no checkpoint: it has no checkpoint\.json"):
        checkpoint.load_network(tmp_path)


def test_the_last_few_are_kept_and_unfinished_ones_ignored(
    tmp_path: Path,
    network: ActorCritic,
    optimizer: torch.optim.Adam,
    network_config: NetworkConfig,
) -> None:
    assert checkpoint.latest(tmp_path) is None
    unfinished = tmp_path / ".partial-00000099"
    unfinished.mkdir()
    for update in (8, 9, 10):
        save(tmp_path, network, optimizer, network_config, update)
    assert checkpoint.latest(tmp_path) == tmp_path / "00000010"
    assert {path.name for path in tmp_path.iterdir() if path != unfinished} == {
        "00000009",
        "00000010",
    }
    save(tmp_path, network, optimizer, network_config, 99)
    assert not unfinished.exists()


def test_optimizer_state_is_loaded_as_data_alone(saved: Path, ppo_config: PPOConfig) -> None:
    network, _ = checkpoint.load_network(saved)
    torch.save({"state": np.array([print], object)}, saved / "optimizer.pt")
    with pytest.raises(Exception, match="Weights only load failed"):
        checkpoint.load_optimizer(saved, make_optimizer(network, ppo_config))


def test_description_names_a_rule_set(saved: Path, classic: RuleSet) -> None:
    assert checkpoint.describe(saved, classic).rule_set == classic


@pytest.mark.parametrize("damage", ["truncated", "missing"])
@pytest.mark.parametrize("file", ["weights.safetensors", "checkpoint.json", "optimizer.pt"])
def test_a_damaged_checkpoint_is_refused_by_name(
    file: str,
    damage: str,
    tmp_path: Path,
    network: ActorCritic,
    optimizer: torch.optim.Adam,
    network_config: NetworkConfig,
) -> None:
    path = save(tmp_path, network, optimizer, network_config)
    if damage == "missing":
        (path / file).unlink()
    else:
        (path / file).write_bytes((path / file).read_bytes()[:40])

    def load() -> None:
        checkpoint.load_network(path)
        checkpoint.load_optimizer(path, optimizer)

    with pytest.raises(CheckpointError, match=f"{path.name} is (damaged|no checkpoint)"):
        load()
