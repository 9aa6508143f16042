"""Types of the settings in ``configs/``; what each means stands there, beside its value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf

from agents.learned.network import NetworkConfig
from agents.learned.ppo import PPOConfig
from agents.spec import AgentSpec, as_spec
from belote_env import RuleSet, rules
from belote_env.checks import is_finite, require
from belote_env.engine.episode import EPISODES
from experiments.lib.run import RunDirectory
from experiments.lib.seeds import LIMIT
from experiments.lib.statistics import SequentialTest

DEVICES = ("auto", "cpu", "cuda")
AGAINST = " against "
"""Between the two players of a pairing."""
_NAME = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]*")
"""Names of players, which name folders too."""

Schema = TypeVar("Schema")


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
        _check_run(self.run_dir, self.seed)
        require(self.device in DEVICES, "device", self.device, f"one of {', '.join(DEVICES)}")
        require(
            self.threads is None or self.threads > 0,
            "threads",
            self.threads,
            "one or more, or null",
        )


@dataclass
class SequentialConfig:
    """When a pairing may end early; see ``configs/tournament.yaml``."""

    enabled: bool
    low: float
    high: float
    alpha: float
    beta: float

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = getattr(self, name)
            require(is_finite(value), f"sequential.{name}", value, "a finite number")
        require(
            self.low < self.high,
            "sequential.high",
            self.high,
            f"more marks a deal than low={self.low}",
        )
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            require(0 < value < 0.5, f"sequential.{name}", value, "a probability in (0, 0.5)")

    def test(self) -> SequentialTest | None:
        """The test; None without."""
        if not self.enabled:
            return None
        return SequentialTest(self.low, self.high, self.alpha, self.beta)


@dataclass
class TournamentConfig:
    """All of ``configs/tournament.yaml``."""

    seed: int
    run_dir: str
    workers: int | None
    rules: RulesConfig
    players: dict[str, Any]
    pairings: dict[str, Any]
    anchor: str
    episode: str
    plays: int
    block: int
    control_pool: int | None
    sequential: SequentialConfig

    def __post_init__(self) -> None:
        _check_run(self.run_dir, self.seed)
        require(
            self.workers is None or self.workers > 0,
            "workers",
            self.workers,
            "one or more, or null",
        )
        require(self.episode in EPISODES, "episode", self.episode, f"one of {', '.join(EPISODES)}")
        require(self.plays > 1, "plays", self.plays, "two or more")
        require(self.block > 0, "block", self.block, "one or more")
        require(
            self.control_pool is None or (self.control_pool > 1 and self.episode == "deal"),
            "control_pool",
            self.control_pool,
            "two or more with episode='deal', or null",
        )
        require(len(self.players) > 1, "players", self.players, "two or more")
        self._check_pairings()
        require(
            self.anchor in self.specs(), "anchor", self.anchor, f"one of {', '.join(self.specs())}"
        )
        for name, spec in self.specs().items():
            require(_NAME.fullmatch(name) is not None, "player", name, "letters, digits and .+_-")
            # A stream that is named would begin anew at every block.
            require(
                not spec.has_option("seed"), f"players.{name}", str(spec), "an agent without a seed"
            )

    def _check_pairings(self) -> None:
        met: set[frozenset[str]] = set()
        for text, plays in self.pairings.items():
            names = text.split(AGAINST)
            fits = len(names) == 2 and len({*names} & self.players.keys()) == 2
            require(fits, "pairings", text, f"two of the players, as in 'a{AGAINST}b'")
            require(frozenset(names) not in met, "pairings", text, "every two players once")
            met.add(frozenset(names))
            is_number = type(plays) is int and plays > 1
            require(plays is None or is_number, f"pairings.{text}", plays, "two or more, or null")

    def meetings(self) -> dict[tuple[str, str], int]:
        """Who plays whom, and how many deals or matches."""
        if not self.pairings:
            return dict.fromkeys(combinations(self.players, 2), self.plays)
        meetings: dict[tuple[str, str], int] = {}
        for text, plays in self.pairings.items():
            first, second = text.split(AGAINST)
            meetings[first, second] = self.plays if plays is None else plays
        return meetings

    def specs(self) -> dict[str, AgentSpec]:
        """What each player is that plays.

        Raises:
            ValueError: naming the player whose agent cannot be read.
        """
        playing = {name for names in self.meetings() for name in names}
        specs: dict[str, AgentSpec] = {}
        for name in filter(playing.__contains__, self.players):
            try:
                specs[name] = as_spec(self.players[name])
            except ValueError as error:
                raise ValueError(f"players.{name}: {error}") from error
        return specs


@dataclass
class TuningConfig:
    """All of ``configs/tune_heuristic.yaml``."""

    seed: int
    run_dir: str
    output: str
    minutes: dict[str, float]
    stages: list[int]
    ahead: list[float]
    guard: int
    deviations: float
    evaluation: EvaluationConfig

    def __post_init__(self) -> None:
        _check_run(self.run_dir, self.seed)
        for name, minutes in self.minutes.items():
            require(minutes >= 0, f"minutes.{name}", minutes, "zero or more")
        require(all(deals > 1 for deals in self.stages), "stages", self.stages, "two or more each")
        require(self.guard > 1, "guard", self.guard, "two or more")
        require(
            len(self.ahead) == len(self.stages) - 1,
            "ahead",
            self.ahead,
            f"one less than the {len(self.stages)} stages",
        )


def _check_run(run_dir: str, seed: int) -> None:
    require(run_dir.strip() != "", "run_dir", run_dir, "a folder, such as runs/mine")
    require(0 <= seed < LIMIT, "seed", seed, f"an integer in 0-{LIMIT - 1}")


def register() -> None:
    """Let Hydra check the files of ``configs/`` against these types."""
    store = ConfigStore.instance()
    store.store("train_schema", TrainRunConfig)
    store.store("tournament_schema", TournamentConfig)
    store.store("tune_heuristic_schema", TuningConfig)


def resolve_config(composed: DictConfig, overrides: list[str], schema: type[Schema]) -> Schema:
    """The checked configuration.

    If the command line names a run's directory and nothing else, it is that run's own.

    Args:
        composed: what Hydra has made of the files and the command line.
        overrides: the settings on the command line.
        schema: the type of the whole.

    Raises:
        ValueError: on a value that is out of its range.
    """
    stored = RunDirectory(Path(composed.run_dir)).stored_config()
    if stored is not None and all(override.startswith("run_dir=") for override in overrides):
        given = OmegaConf.merge(stored, {"run_dir": composed.run_dir})
    else:
        given = composed
    # Hydra lets +key=value add a key anywhere; the schema does not.
    plain = OmegaConf.create(OmegaConf.to_yaml(given, resolve=True))
    config = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(schema), plain))
    assert isinstance(config, schema)
    return config
