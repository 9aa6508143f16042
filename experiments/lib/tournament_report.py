"""What a tournament leaves.

==================== ============================================================
config.yaml          the resolved configuration
provenance.json      commit, rules, versions and machine, one entry a start
plays/               how every deal ended, a file a block: `plays.read_match`
pars/                control variates of the deals, where these are used: `par_controls`
ladder.png           marks a deal against the anchor, the best first
cross_table.png      marks a deal of each against each
result.json          all estimates with their intervals, and where they come from
report.md            the same for people
==================== ============================================================
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from experiments.lib.config import TournamentConfig
from experiments.lib.ratings import ANCHOR
from experiments.lib.report import origin_rows, save_figure
from experiments.lib.run import RunDirectory, write_atomic
from experiments.lib.standings import PairResult, PlayerResult, Standings
from experiments.lib.statistics import Adjusted, Estimate


class TournamentDirectory(RunDirectory):
    """The files of one tournament."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.plays = path / "plays"
        self.pars = path / "pars"
        self.ladder = path / "ladder.png"
        self.cross_table = path / "cross_table.png"
        self.kept = (self.plays, self.pars)


def draw_ladder(run: TournamentDirectory, standings: Standings) -> None:
    """Draw marks a deal against the anchor of those who met it, with intervals and ratings."""
    players = [
        player
        for player in standings.players
        if player.against_anchor is not None or player.name == standings.anchor
    ]
    marks = [player.against_anchor or Estimate(0.0, 0.0, 0.0, 0) for player in players]
    figure = Figure(figsize=(8, 1.2 + 0.5 * len(players)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(players))
    means = np.array([estimate.value for estimate in marks])
    ends = np.array([[m.value - m.low, m.high - m.value] for m in marks]).T
    axes.errorbar(means, places, xerr=ends, fmt="o", capsize=4)
    for place, mean, player in zip(places, means, players, strict=True):
        text = f"{player.rating.mean:.1f}"
        axes.annotate(
            text, (mean, place), xytext=(0, 6), textcoords="offset points", ha="center", fontsize=8
        )
    axes.axvline(0, color="grey", linewidth=0.8)
    axes.set_yticks(places, [player.name for player in players])
    axes.set_ylim(len(players) - 0.5, -0.7)
    axes.set_xlabel(
        f"marks a deal against {standings.anchor} (95 % interval); the number is the rating"
    )
    axes.grid(axis="x", alpha=0.3)
    save_figure(figure, run.ladder)


def draw_cross_table(run: TournamentDirectory, standings: Standings) -> None:
    """Draw the marks a deal of the row's player against the column's as a heat map."""
    names = [player.name for player in standings.players]
    size = 2.0 + 1.1 * len(names)
    figure = Figure(figsize=(size, 0.8 * size), layout="constrained")
    axes = figure.subplots()
    means = np.full((len(names), len(names)), np.nan)
    for row, first in enumerate(names):
        for column, second in enumerate(names):
            marks = standings.marks(first, second)
            if marks is not None:
                means[row, column] = marks.value
                text = f"{marks.value:+.1f}\n±{(marks.high - marks.low) / 2:.1f}"
                axes.text(column, row, text, ha="center", va="center", fontsize=9)
    widest = float(np.nanmax(np.abs(means))) or 1.0
    image = axes.imshow(means, cmap="PuOr", vmin=-1.6 * widest, vmax=1.6 * widest)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set_title("marks a deal of row against column (95 % interval)", fontsize=10)
    figure.colorbar(image, ax=axes, shrink=0.8)
    save_figure(figure, run.cross_table)


def write_result(run: TournamentDirectory, standings: Standings, config: TournamentConfig) -> None:
    """Write all estimates, and where they come from."""
    result = {
        "anchor": standings.anchor,
        "agents": {name: str(spec) for name, spec in config.specs().items()},
        "players": [asdict(player) for player in standings.players],
        "pairs": [asdict(pair) for pair in standings.pairs],
        "provenance": json.loads(run.provenance.read_text()),
    }
    write_atomic(run.result, json.dumps(result, indent=2) + "\n")


def write_report(run: TournamentDirectory, standings: Standings, config: TournamentConfig) -> str:
    """Write the report of a finished tournament and return its text."""
    origin = json.loads(run.provenance.read_text())[-1]
    unit = "duplicate deals" if config.episode == "deal" else "duplicate matches"
    lines = [
        f"# Tournament {run.path.name}",
        "",
        f"{_programme(config)} {unit} a pairing: each is played twice with the same cards, the"
        " sides swapped. Intervals are 95 %, with these pairs of plays as the units. A rating is"
        f" openskill's (Bradley-Terry), moved so that {standings.anchor} has {ANCHOR:.0f}.",
        "",
        *_player_table(standings, config),
        "",
        f"![Ladder]({run.ladder.name})",
        "",
        "## Cross table",
        "Marks a deal of row against column.",
        "",
        *_cross_table(standings),
        "",
        f"![Cross table]({run.cross_table.name})",
        "",
        "## Pairings",
        "The deviation is that of a pair of plays; the gain is how many times as much variance the"
        " mean of two plays with different cards has.",
        "",
        *_pair_table(standings),
        "",
        *_sequential_note(config),
        "## Origin",
        "",
        "| | |",
        "|---|---|",
        *origin_rows(origin),
        f"| processes | {origin['workers']}, openskill {origin['openskill']} |",
        "",
        "The settings are in `config.yaml`, every start in `provenance.json`, every deal in"
        f" `{run.plays.name}/`.",
        "",
    ]
    text = "\n".join(lines)
    write_atomic(run.report, text)
    return text


def _player_table(standings: Standings, config: TournamentConfig) -> list[str]:
    specs, anchor = config.specs(), standings.anchor

    def row(player: PlayerResult) -> str:
        against = player.against_anchor
        cells = [
            player.name,
            f"`{specs[player.name]}`",
            f"{player.rating.mean:.1f} ± {player.rating.deviation:.1f}",
            "anchor" if player.name == anchor else _text(against),
            player.against_all.text(sign=True),
            player.win_rate.text(scale=100),
            f"{player.decisions_per_second:,.0f}",
            f"{player.seconds_per_deal:.2g}",
        ]
        return _row(cells)

    return [
        _row(
            [
                "player",
                "agent",
                "rating",
                f"marks a deal against {standings.anchor}",
                "against all",
                "plays won, %",
                "decisions/s",
                "s a deal",
            ]
        ),
        _row(["---"] * 8),
        *map(row, standings.players),
    ]


def _cross_table(standings: Standings) -> list[str]:
    names = [player.name for player in standings.players]
    rows = [
        [first, *(_text(standings.marks(first, second)) for second in names)] for first in names
    ]
    return [_row(["", *names]), _row(["---"] * (len(names) + 1)), *map(_row, rows)]


def _text(marks: Estimate | None) -> str:
    return "" if marks is None else marks.text(sign=True)


def _programme(config: TournamentConfig) -> str:
    """Who plays whom, and how often."""
    plays = config.meetings().values()
    who = "Everybody against everybody" if not config.pairings else f"{len(plays)} pairings"
    least, most = min(plays), max(plays)
    return f"{who}, {least:,}" if least == most else f"{who}, {least:,} to {most:,}"


def _pair_table(standings: Standings) -> list[str]:
    columns = ["pairing", "pairs", "marks a deal", "plays won, %", "deviation", "gain"]
    adjusted = any(pair.adjusted for pair in standings.pairs)
    tested = any(pair.verdict for pair in standings.pairs)
    columns += ["with controls", "their gain"] if adjusted else []
    columns += ["the first is"] if tested else []

    def row(pair: PairResult) -> str:
        cells = [
            f"{pair.first} against {pair.second}",
            f"{pair.marks.deals:,}",
            pair.marks.text(sign=True),
            pair.win_rate.text(scale=100),
            f"{pair.deviation:.1f}",
            f"{pair.pairing_gain:.1f}",
        ]
        cells += _adjusted(pair.adjusted) if adjusted else []
        cells += [pair.verdict or "open"] if tested else []
        return _row(cells)

    return [_row(columns), _row(["---"] * len(columns)), *map(row, standings.pairs)]


def _adjusted(adjusted: Adjusted | None) -> list[str]:
    if adjusted is None:
        return ["", ""]
    return [adjusted.estimate.text(sign=True), f"{adjusted.gain:.2f}"]


def _sequential_note(config: TournamentConfig) -> list[str]:
    test = config.sequential
    if not test.enabled:
        return []
    return [
        f"A pairing ended when it was settled whether its first player is stronger: a sequential"
        f" test of {test.high:+g} against {test.low:+g} marks a deal, with errors of"
        f" {test.alpha:g} and {test.beta:g}. Means and intervals of pairings that ended early lean"
        " away from what was undecided.",
        "",
    ]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
