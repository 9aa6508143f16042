"""Types of the settings in ``configs/``; what each means stands there, beside its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hydra.core.config_store import ConfigStore

from agents.learned.network import NetworkConfig
from agents.learned.ppo import PPOConfig
from agents.validation import require
from belote_env import RuleSet, rules
from experiments.lib.seeds import LIMIT

DEVICES = ("auto", "cpu", "cuda")


@dataclass
class RulesConfig:
    """The rules, see ``configs/rules``."""

    preset: str
    options: dict[str, Any]

    def __post_init__(self) -> None:
        self.rule_set()

    def rule_set(self) -> RuleSet:
        """The rule set that is named."""
        return rules.preset(self.preset, **self.options)


@dataclass
class TrainingConfig:
    """The learning, see ``configs/train``."""

    minutes: float | None
    decisions: int | None
    deals_per_update: int
    exploring_starts: float
    network: NetworkConfig
    ppo: PPOConfig

    def __post_init__(self) -> None:
        budgets = (self.minutes, self.decisions)
        require(
            budgets.count(None) == 1, "minutes, decisions", budgets, "one of them, the other null"
        )
        for name in ("minutes", "decisions"):
            value = getattr(self, name)
            require(value is None or value > 0, name, value, "a positive number, or null")
        require(self.deals_per_update > 1, "deals_per_update", self.deals_per_update, "two or more")
        # With no deal left over nobody's calls would be learned from.
        require(
            0 <= self.exploring_starts < 1,
            "exploring_starts",
            self.exploring_starts,
            "a share from 0 to less than 1",
        )


@dataclass
class CheckpointConfig:
    """When to save; see ``configs/train.yaml``."""

    every_minutes: float
    keep: int

    def __post_init__(self) -> None:
        require(
            self.every_minutes >= 0, "checkpoints.every_minutes", self.every_minutes, "zero or more"
        )
        require(self.keep > 0, "checkpoints.keep", self.keep, "one or more")


@dataclass
class SelectionConfig:
    """The learning curve; see ``configs/train.yaml``."""

    every_minutes: float
    deals: int

    def __post_init__(self) -> None:
        require(
            self.every_minutes >= 0, "selection.every_minutes", self.every_minutes, "zero or more"
        )
        require(self.deals > 1, "selection.deals", self.deals, "two or more")


@dataclass
class EvaluationConfig:
    """The match at the end; see ``configs/train.yaml``."""

    deals: int

    def __post_init__(self) -> None:
        require(self.deals > 1, "evaluation.deals", self.deals, "two or more")


@dataclass
class TrainRunConfig:
    """All of ``configs/train.yaml``."""

    seed: int
    run_dir: str
    device: str
    threads: int | None
    rules: RulesConfig
    train: TrainingConfig
    checkpoints: CheckpointConfig
    selection: SelectionConfig
    evaluation: EvaluationConfig

    def __post_init__(self) -> None:
        require(self.run_dir.strip() != "", "run_dir", self.run_dir, "a folder, such as runs/mine")
        require(0 <= self.seed < LIMIT, "seed", self.seed, f"an integer in 0-{LIMIT - 1}")
        require(self.device in DEVICES, "device", self.device, f"one of {', '.join(DEVICES)}")
        require(
            self.threads is None or self.threads > 0,
            "threads",
            self.threads,
            "one or more, or null",
        )


def register() -> None:
    """Let Hydra check ``configs/train.yaml`` against these types."""
    ConfigStore.instance().store("train_schema", TrainRunConfig)
