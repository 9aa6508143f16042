"""Play one kind of agent at several sizes against the same opponent, and draw what it gains.

    python -m experiments.curves                        every curve of configs/curve
    python -m experiments.curves worlds                 one of them
    python -m experiments.curves worlds plays=20 --runs /tmp/runs --results /tmp/results

Each is a tournament (`experiments.tournament`) of one pairing a point, all on the same deals, in a
run directory of its own, so one that was stopped goes on where it was.  Its result is kept as
``NAME.json`` and ``NAME.png``, and ``README.md`` beside them has the tables of all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from matplotlib.figure import Figure
from omegaconf import OmegaConf

from belote_env.checks import require
from experiments.ladder import configure, play_all
from experiments.lib.config import AGAINST, TournamentConfig
from experiments.lib.kept import (
    Result,
    keep_result,
    marks_of,
    origin_line,
    read_results,
    table,
)
from experiments.lib.report import save_figure
from experiments.lib.run import write_atomic
from experiments.lib.tournament_report import TournamentDirectory
from experiments.tournament import CONFIGS, play_tournament

GROUP: Final = "curve"
OPPONENT: Final = "opponent"


@dataclass
class Curve:
    """A file of ``configs/curve``.

    Attributes:
        axis: what the points differ in, in words.
        values: its values.
        lines: by name, the agent of each line, with ``{x}`` for the value.
        opponent: the agent that all play against.
        plays: deals a point.
        logarithmic: whether equal ratios of values lie equally far apart.
    """

    axis: str
    values: list[int]
    lines: dict[str, str]
    opponent: str
    plays: int
    logarithmic: bool

    def __post_init__(self) -> None:
        require(len(self.values) > 0, "values", self.values, "one or more")
        for name, agent in self.lines.items():
            require("{x}" in agent, f"lines.{name}", agent, "an agent with {x} for the value")

    @classmethod
    def read(cls, name: str) -> Curve:
        """The curve of a file."""
        stored = OmegaConf.load(CONFIGS / GROUP / f"{name}.yaml")
        curve = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(cls), stored))
        assert isinstance(curve, cls)
        return curve

    def tournament(self, overrides: Sequence[str]) -> TournamentConfig:
        """The tournament that plays it.

        Raises:
            ValueError: on a setting that is out of its range, or that the curve itself makes.
        """
        players = {OPPONENT: self.opponent}
        for line, agent in self.lines.items():
            players |= {point(line, x): agent.replace("{x}", str(x)) for x in self.values}
        pairings = {f"{name}{AGAINST}{OPPONENT}": None for name in players if name != OPPONENT}
        config, untouched = configure([f"plays={self.plays}", *overrides]), configure([])
        own: dict[str, Any] = {"players": players, "pairings": pairings, "anchor": OPPONENT}
        for name in own:
            if getattr(config, name) != getattr(untouched, name):
                raise ValueError(f"{name}: leave it out, as a curve has its own (configs/{GROUP})")
        return replace(config, **own)


def point(line: str, x: int) -> str:
    """Name of the player of a point."""
    return f"{line}_{x}"


def play_curve(name: str, overrides: Sequence[str], runs: Path, results: Path) -> bool:
    """Play a curve to its end and keep its result; False if it was interrupted.

    Raises:
        RunError: as `experiments.tournament.play_tournament`.
        ValueError: on a setting that is out of its range.
    """
    curve = Curve.read(name)
    run = TournamentDirectory(runs / GROUP / name)
    if not play_tournament(curve.tournament([*overrides, f"run_dir={run.path}"])):
        return False
    folder = results / GROUP
    keep_result(run, folder, name, {"curve": asdict(curve)})
    kept = read_results(folder)
    draw_curve(kept[name], folder / f"{name}.png")
    write_atomic(folder / "README.md", curves_page(kept))
    return True


def draw_curve(result: Result, path: Path) -> None:
    """Draw marks a deal against the value, a line each with its 95 % intervals."""
    curve = Curve(**result["curve"])
    pairs = {pair["first"]: marks_of(pair) for pair in result["pairs"]}
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for line in curve.lines:
        points = [pairs[point(line, x)] for x in curve.values]
        axes.errorbar(
            curve.values,
            [marks.value for marks in points],
            yerr=[
                [marks.value - marks.low for marks in points],
                [marks.high - marks.value for marks in points],
            ],
            marker="o",
            capsize=3,
            label=line,
        )
    if curve.logarithmic:
        axes.set_xscale("log")
    axes.set_xticks(curve.values, [f"{x:,}" for x in curve.values])
    axes.minorticks_off()
    axes.set_xlabel(curve.axis)
    axes.set_ylabel("marks a deal (95 % interval)")
    axes.grid(alpha=0.3)
    axes.legend()
    save_figure(figure, path)


def curves_page(results: Mapping[str, Result]) -> str:
    """Tables of all curves that are kept."""
    lines = [
        "# Curves",
        "",
        "Written by `python -m experiments.curves`. Marks a deal against one opponent, with 95 %"
        " intervals over duplicate deals, the same for every point; in brackets the agent's own"
        " seconds for a deal, in which it plays one side.",
        "",
    ]
    for name, result in results.items():
        curve = Curve(**result["curve"])
        pairs = {pair["first"]: marks_of(pair) for pair in result["pairs"]}
        seconds = {player["name"]: player["seconds_per_deal"] for player in result["players"]}

        def cell(player: str, pairs: Any = pairs, seconds: Any = seconds) -> str:
            return f"{pairs[player].text(sign=True)} [{seconds[player]:.2g}]"

        rows = [[f"{x:,}", *(cell(point(line, x)) for line in curve.lines)] for x in curve.values]
        agents = [[line, f"`{agent}`"] for line, agent in curve.lines.items()]
        lines += [
            f"## {name}",
            "",
            f"{result['pairs'][0]['marks']['deals']:,} deals a point against `{curve.opponent}`.",
            "",
            *table([curve.axis, *curve.lines], rows),
            "",
            *table(["line", "agent"], agents),
            "",
            f"![Marks a deal against {curve.axis}]({name}.png)",
            "",
            origin_line(result),
            "",
        ]
    return "\n".join(lines)


def main() -> None:
    """Play what the command line names."""
    play_all(__doc__, GROUP, play_curve)


if __name__ == "__main__":
    main()
