"""Train an agent by self-play and measure it against the random agent.

    python -m experiments.train                            about ten minutes on two cores
    python -m experiments.train train.minutes=30 seed=1    other settings: configs/train.yaml
    python -m experiments.train run_dir=runs/mine          resume what runs/mine holds

Everything goes into a run directory, see `experiments.lib.run`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import hydra
import torch
from numpy.typing import NDArray
from omegaconf import DictConfig

from agents.learned import checkpoint
from agents.learned.checkpoint import CheckpointError
from agents.learned.network import ActorCritic
from agents.learned.policy import LearnedAgent
from agents.learned.ppo import make_optimizer, update
from agents.learned.rollout import collect
from belote_env import RandomAgent, SelfPlayVectorEnv
from belote_env.engine.state import VOID
from experiments.lib.command import run_command
from experiments.lib.config import TrainingConfig, TrainRunConfig, register
from experiments.lib.duplicate import DuplicateMatch, made_contract, play_duplicate
from experiments.lib.process import Interruption, pick_device, set_threads
from experiments.lib.progress import ProgressDisplay
from experiments.lib.report import draw_learning_curve, write_report, write_result
from experiments.lib.run import RunDirectory, provenance
from experiments.lib.seeds import stream_rng, stream_seed
from experiments.lib.tracking import Tracker, read_metrics

CONFIGS = Path(__file__).parents[1] / "configs"
register()


@dataclass
class Position:
    """How far a training has come."""

    update: int = 0
    decisions: int = 0
    seconds: float = 0.0


def train(config: TrainRunConfig) -> bool:
    """Train, or go on training, in the configuration's run directory, then evaluate and report.

    Returns:
        False if the training was interrupted: its checkpoint is saved.
    """
    rules, learning = config.rules.rule_set(), config.train
    threads, device = set_threads(config.threads), pick_device(config.device)
    run = RunDirectory(Path(config.run_dir))
    settings = asdict(config)
    del settings["run_dir"]
    run.start(settings, provenance(rules, config.seed, device))

    position = Position()
    last = checkpoint.latest(run.checkpoints)
    if last is None:
        torch.manual_seed(int(stream_rng("weights", config.seed).integers(2**63)))
        network = ActorCritic(rules, learning.network).to(device)
        optimizer = make_optimizer(network, learning.ppo)
    else:
        network, description = checkpoint.load_network(last, rules)
        optimizer = make_optimizer(network.to(device), learning.ppo)
        checkpoint.load_optimizer(last, optimizer)
        position = Position(description.update, description.decisions, description.seconds)

    def save() -> None:
        description = checkpoint.Description(
            rules=rules.id,
            rules_hash=rules.hash,
            network=learning.network,
            **asdict(position),
            config=settings,
        )
        checkpoint.save(run.checkpoints, description, network, optimizer, config.checkpoints.keep)

    def match(purpose: str, deals: int) -> DuplicateMatch:
        return play_duplicate(
            LearnedAgent(network, rules, learning.network.canonical_suits),
            RandomAgent(stream_seed(f"{purpose}_opponent")),
            rules,
            deals,
            stream_seed(f"{purpose}_deals"),
            threads,
        )

    def selection_point() -> dict[str, float]:
        marks = match("selection", config.selection.deals).results()["marks"]
        return {
            "selection/marks": marks.value,
            "selection/marks_low": marks.low,
            "selection/marks_high": marks.high,
        }

    env = SelfPlayVectorEnv(
        learning.deals_per_update,
        rules,
        threads=threads,
        canonical_suits=learning.network.canonical_suits,
    )
    saved = position.update
    with (
        Tracker(run, position.update) as tracker,
        ProgressDisplay() as display,
        Interruption() as interruption,
    ):
        display.line(
            f"{run.path}: {rules.id}, {threads} threads, {device}, from update {position.update}"
        )
        if position.update == 0:
            tracker.log(0, {"decisions": 0, "minutes": 0.0, **selection_point()})
        clock = perf_counter()
        done = share_done(position, learning)
        while done < 1 and not interruption.asked:
            # Streams for each update, so that a resumed run draws what it would have drawn.
            deals_seed = stream_seed("training_deals", config.seed, position.update)
            explorer = RandomAgent(stream_seed("training_calls", config.seed, position.update))
            rng = stream_rng("training_choices", config.seed, position.update)
            generator = torch.Generator(device).manual_seed(int(rng.integers(2**63)))

            started = perf_counter()
            batch = collect(
                env, network, deals_seed, learning.exploring_starts, explorer, generator
            )
            collected = perf_counter()
            losses = update(network, optimizer, batch, learning.ppo, done, generator)
            updated = perf_counter()

            before = position.seconds
            position.update += 1
            position.decisions += len(batch.action)
            position.seconds += updated - clock
            clock = updated
            done = share_done(position, learning)

            took = updated - started
            values = {
                "decisions": position.decisions,
                "minutes": position.seconds / 60,
                **{f"losses/{name}": value for name, value in losses.items()},
                **self_play_rates(batch.outcomes[~batch.explored]),
                "time/decisions_per_second": len(batch.action) / took,
                "time/environment_share": batch.environment_seconds / took,
                "time/rollout_share": (collected - started) / took,
                "time/update_share": (updated - collected) / took,
            }
            if done >= 1 or due(before, position.seconds, config.selection.every_minutes):
                values |= selection_point()
                display.line(describe(values))
            tracker.log(position.update, values)
            display.show(done, describe(values))
            if due(before, position.seconds, config.checkpoints.every_minutes):
                save()
                saved = position.update
    env.close()
    if saved < position.update:
        save()
    if done < 1:
        return False

    results = match("evaluation", config.evaluation.deals).results()
    records = read_metrics(run)
    draw_learning_curve(run, records)
    write_result(run, records, results)
    print(write_report(run, records, results))
    return True


def share_done(position: Position, learning: TrainingConfig) -> float:
    """Share of the budget that is spent, in 0-1."""
    if learning.minutes is not None:
        spent = position.seconds / 60 / learning.minutes
    else:
        assert learning.decisions is not None  # the configuration has one budget
        spent = position.decisions / learning.decisions
    return min(spent, 1.0)


def due(before: float, after: float, every_minutes: float) -> bool:
    """Whether a multiple of so many minutes lies between two times in seconds."""
    period = 60 * every_minutes
    return period == 0 or after // period > before // period


def self_play_rates(outcomes: NDArray[Any]) -> dict[str, float]:
    """How often deals [N] of self-play are void, taken by a side (of two), and then made."""
    taken = (outcomes["result"] != VOID).sum()
    return {
        "deals/void_rate": 1 - taken / len(outcomes),
        "deals/take_rate": taken / len(outcomes) / 2,
        "deals/made_rate": made_contract(outcomes).sum() / taken if taken else float("nan"),
    }


def describe(values: Mapping[str, float]) -> str:
    """An update in a few words."""
    text = (
        f"{values['minutes']:.1f} min, {values['decisions'] / 1e6:.2f} M decisions,"
        f" {values['time/decisions_per_second'] / 1e3:.1f} k/s,"
        f" void {100 * values['deals/void_rate']:.0f} %,"
        f" made {100 * values['deals/made_rate']:.0f} %"
    )
    if "selection/marks" in values:
        text += f", {values['selection/marks']:+.1f} marks a deal against random"
    return text


@hydra.main(version_base="1.3", config_path=str(CONFIGS), config_name="train")
def main(composed: DictConfig) -> None:
    """Train as the command line says."""
    run_command(composed, TrainRunConfig, train, CheckpointError)


if __name__ == "__main__":
    main()
