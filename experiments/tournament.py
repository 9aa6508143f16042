"""Play agents against each other on the same deals, and say who is stronger and by how much.

    python -m experiments.tournament                                 heuristic against random
    python -m experiments.tournament '+players.net="network(run=runs/mine)"' plays=500
    python -m experiments.tournament run_dir=runs/mine               resume what runs/mine holds

Everybody plays everybody, or the pairings that are listed; every deal is played twice, the sides
swapped; intervals count deals.
The settings are in ``configs/tournament.yaml``, and what a tournament leaves in
`experiments.lib.tournament_report`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import cast

import hydra
import torch
from omegaconf import DictConfig

from agents.registry import make_player
from belote_env.game import Episode
from experiments.lib.command import check_syntax, run_command
from experiments.lib.config import TournamentConfig, register
from experiments.lib.duplicate import play_duplicate
from experiments.lib.par import ParJob, par_controls, solve_pars
from experiments.lib.process import Interruption, processors, set_threads
from experiments.lib.progress import ProgressDisplay
from experiments.lib.round_robin import Pairing, RoundRobin
from experiments.lib.run import RunError, provenance
from experiments.lib.seeds import stream_seed
from experiments.lib.standings import Standings
from experiments.lib.statistics import Controls
from experiments.lib.tournament_report import (
    TournamentDirectory,
    draw_cross_table,
    draw_ladder,
    write_report,
    write_result,
)

CONFIGS = Path(__file__).parents[1] / "configs"
register()


def play_tournament(config: TournamentConfig) -> bool:
    """Play, or go on playing, in the configuration's run directory, then report.

    Returns:
        False if it was interrupted: what was played is kept.

    Raises:
        RunError: if an agent cannot be made or does not play these rules, or the directory holds
            another run or a damaged one.
    """
    rules = config.rules.rule_set()
    workers = config.workers or processors()
    set_threads(1)
    try_out(config)

    run = TournamentDirectory(Path(config.run_dir))
    settings = asdict(config)
    del settings["run_dir"]
    origin = provenance(rules, config.seed, torch.device("cpu"))
    run.start(settings, origin | {"workers": workers, "openskill": version("openskill")})
    robin = RoundRobin(
        run.plays,
        config.specs(),
        config.meetings(),
        rules,
        cast(Episode, config.episode),
        config.block,
        config.seed,
        config.sequential.test(),
    )
    controls = None
    with ProgressDisplay() as display, Interruption() as interruption:
        display.line(
            f"{run.path}: {rules.id}, {len(robin.pairings)} pairings,"
            f" {sum(config.meetings().values())} {config.episode}s, {workers} processes,"
            f" {100 * robin.share_done:.0f} % played before"
        )

        def stopped() -> bool:
            return interruption.asked

        def entered(pairing: Pairing) -> None:
            display.show(robin.share_done, describe(pairing))

        robin.play(workers, stopped, entered)
        if config.control_pool is not None:

            def solved(share: float) -> None:
                display.show(share, "the deals' par")

            controls = solve_controls(config, run, robin, workers, stopped, solved)
    if robin.share_done < 1 or (controls is None and config.control_pool is not None):
        return False

    standings = Standings(robin.pairings, config.anchor, controls)
    draw_ladder(run, standings)
    draw_cross_table(run, standings)
    write_result(run, standings, config)
    print(write_report(run, standings, config))
    return True


def try_out(config: TournamentConfig) -> None:
    """Make every agent and let it play a deal, and solve one if many will be.

    This finds what does not fit the rules before anything is written, and compiles the kernels
    once, which several processes that started at the same time would do all at once.

    Raises:
        RunError: naming the player.
    """
    rules = config.rules.rule_set()
    for name, spec in config.specs().items():
        try:
            player = make_player(spec, rules, seed=0)
            play_duplicate(player, player, rules, 1, seed=0)
        except ValueError as error:
            raise RunError(f"player {name}, {spec}: {error}") from error
    if config.control_pool is not None:
        try:
            par_controls(rules, 1, seed=0)
        except ValueError as error:
            raise RunError(f"control_pool: {error}") from error


def solve_controls(
    config: TournamentConfig,
    run: TournamentDirectory,
    robin: RoundRobin,
    workers: int,
    stopped: Callable[[], bool],
    solved: Callable[[float], None],
) -> Controls | None:
    """The par of the deals that are played and of the pool; None if stopped."""
    rules = config.rules.rule_set()
    assert config.control_pool is not None
    played = [
        ParJob(run.pars / "played" / f"{block:05d}.npy", rules, deals, seed)
        for block, (deals, seed) in enumerate(robin.layout)
    ]
    pool = [
        ParJob(
            run.pars / "pool" / f"{block:05d}.npy",
            rules,
            min(config.block, config.control_pool - start),
            stream_seed("control_deals", config.seed, block),
        )
        for block, start in enumerate(range(0, config.control_pool, config.block))
    ]
    values = solve_pars([*played, *pool], workers, stopped, solved)
    if values is None:
        return None
    played_deals = sum(deals for deals, _ in robin.layout)
    return Controls(values[:played_deals], values[played_deals:])


def describe(pairing: Pairing) -> str:
    """Where a pairing stands, in a few words."""
    marks = pairing.match.results()["marks"]
    return f"{pairing.first} against {pairing.second}: {marks.text(sign=True)} marks a deal"


@hydra.main(version_base="1.3", config_path=str(CONFIGS), config_name="tournament")
def play_composed(composed: DictConfig) -> None:
    """Play what Hydra has put together."""
    run_command(composed, TournamentConfig, play_tournament)


def main() -> None:
    """Play as the command line says."""
    try:
        check_syntax([text for text in sys.argv[1:] if "=" in text and not text.startswith("-")])
    except ValueError as error:
        sys.exit(f"error: {error}")
    play_composed()


if __name__ == "__main__":
    main()
