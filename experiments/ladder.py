"""Play the tournaments that say how strong the agents are, and keep their results with the code.

    python -m experiments.ladder                        every tournament of configs/ladder
    python -m experiments.ladder classic                one of them
    python -m experiments.ladder classic workers=1 --runs /tmp/runs --results /tmp/results

Each is a tournament (`experiments.tournament`) in a run directory of its own, so one that was
stopped goes on where it was.  Its result is kept as ``NAME.json`` and ``NAME.png``, and
``README.md`` beside them has the tables of all.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from hydra import compose, initialize_config_dir
from hydra.errors import ConfigCompositionException
from omegaconf.errors import OmegaConfBaseException

from experiments.lib.command import check_syntax
from experiments.lib.config import TournamentConfig, resolve_config
from experiments.lib.kept import (
    RESULTS,
    Result,
    keep_result,
    marks_of,
    origin_line,
    read_results,
    table,
)
from experiments.lib.run import RunError, write_atomic
from experiments.lib.tournament_report import TournamentDirectory
from experiments.tournament import CONFIGS, play_tournament

GROUP: Final = "ladder"
PAIR_COLUMNS: Final = (
    "pairing",
    "deals",
    "marks a deal",
    "deviation",
    "s a deal of each",
    "gain by par",
)


def configure(overrides: Sequence[str]) -> TournamentConfig:
    """The checked configuration of a tournament with some settings.

    Raises:
        ValueError: on a setting that cannot be read or is out of its range.
    """
    check_syntax(overrides)
    with initialize_config_dir(str(CONFIGS), version_base="1.3"):
        composed = compose("tournament", list(overrides))
    return resolve_config(composed, list(overrides), TournamentConfig)


def names_in(group: str) -> list[str]:
    """Names of the files of a folder of ``configs/``."""
    return sorted(file.stem for file in (CONFIGS / group).glob("*.yaml"))


def play_ladder(name: str, overrides: Sequence[str], runs: Path, results: Path) -> bool:
    """Play a tournament to its end and keep its result; False if it was interrupted.

    Raises:
        RunError: as `experiments.tournament.play_tournament`.
        ValueError: on a setting that is out of its range.
    """
    run = TournamentDirectory(runs / GROUP / name)
    config = configure([f"+{GROUP}={name}", *overrides, f"run_dir={run.path}"])
    if not play_tournament(config):
        return False
    folder = results / GROUP
    keep_result(run, folder, name, {})
    shutil.copyfile(run.ladder, folder / f"{name}.png")
    write_atomic(folder / "README.md", ladder_page(read_results(folder)))
    return True


def ladder_page(results: Mapping[str, Result]) -> str:
    """Tables of all tournaments that are kept."""
    lines = [
        "# Ladder",
        "",
        "Written by `python -m experiments.ladder`. Marks a deal of the first of each pairing, with"
        " 95 % intervals over duplicate deals: each is played twice with the same cards, the sides"
        " swapped. Seconds are an agent's own for a deal, in which it plays one side. The gain is"
        " how many times as many deals the par of the deals saves, as a control variate.",
        "",
    ]
    for name, result in results.items():
        seconds = {player["name"]: player["seconds_per_deal"] for player in result["players"]}
        pairs = [
            [
                f"{pair['first']} against {pair['second']}",
                f"{pair['marks']['deals']:,}",
                marks_of(pair).text(sign=True),
                f"{pair['deviation']:.1f}",
                f"{seconds[pair['first']]:.2g}, {seconds[pair['second']]:.2g}",
                f"{adjusted['gain']:.2f}" if (adjusted := pair["adjusted"]) else "",
            ]
            for pair in result["pairs"]
        ]
        agents = [[player, f"`{spec}`"] for player, spec in result["agents"].items()]
        lines += [
            f"## {name}",
            "",
            *table(PAIR_COLUMNS, pairs),
            "",
            *table(["player", "agent"], agents),
            "",
            f"![Ladder]({name}.png)",
            "",
            origin_line(result),
            "",
        ]
    return "\n".join(lines)


def parse(description: str | None, group: str) -> tuple[list[str], list[str], Path, Path]:
    """Names, settings, and where runs and results go, from the command line."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument(
        "what",
        nargs="*",
        help=f"files of configs/{group}, all by default, and settings of the tournament: key=value",
    )
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="for run directories")
    parser.add_argument("--results", type=Path, default=RESULTS, help="for what is kept")
    args = parser.parse_args()
    overrides = [text for text in args.what if "=" in text or text.startswith("~")]
    names = [text for text in args.what if text not in overrides] or names_in(group)
    for name in names:
        if name not in names_in(group):
            parser.error(f"{name!r}: use one of {', '.join(names_in(group))}")
    return names, overrides, args.runs, args.results


def play_all(description: str | None, group: str, play: Callable[..., bool]) -> None:
    """Play what the command line names.

    Args:
        description: of the command.
        group: folder of ``configs/``.
        play: takes a name, settings, and where runs and results go; False if it was interrupted.
    """
    names, overrides, runs, results = parse(description, group)
    try:
        finished = all(play(name, overrides, runs, results) for name in names)
    except (RunError, ValueError, ConfigCompositionException, OmegaConfBaseException) as error:
        sys.exit(f"error: {error}")
    if not finished:
        print("Stopped. The same command resumes.")
        sys.exit(130)


def main() -> None:
    """Play what the command line names."""
    play_all(__doc__, GROUP, play_ladder)


if __name__ == "__main__":
    main()
