"""The learning curve as a picture and the result as a page of Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from experiments.lib.run import RunDirectory, write_atomic
from experiments.lib.statistics import Estimate

Records = Sequence[Mapping[str, Any]]


def draw_learning_curve(run: RunDirectory, records: Records) -> None:
    """Draw strength against the random agent, and the auction and its success in self-play."""
    figure = Figure(figsize=(8, 6), layout="constrained")
    strength, auction = figure.subplots(2, 1, sharex=True)

    points = [record for record in records if "selection/marks" in record]
    millions = [record["decisions"] / 1e6 for record in points]
    strength.plot(millions, [record["selection/marks"] for record in points], marker=".")
    strength.fill_between(
        millions,
        [record["selection/marks_low"] for record in points],
        [record["selection/marks_high"] for record in points],
        alpha=0.25,
    )
    strength.set_ylabel("marks a deal against random\n(95 % interval)")

    updates = [record for record in records if "deals/void_rate" in record]
    millions = [record["decisions"] / 1e6 for record in updates]
    for name, label in (
        ("void_rate", "void"),
        ("take_rate", "taken by a side"),
        ("made_rate", "contracts made"),
    ):
        shares = [_or_nan(record[f"deals/{name}"]) for record in updates]
        auction.plot(millions, shares, label=label)
    auction.set_ylim(0, 1)
    auction.set_ylabel("share in self-play")
    auction.set_xlabel("million decisions")
    auction.legend()
    for axes in (strength, auction):
        axes.grid(alpha=0.3)

    save_figure(figure, run.curve)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a picture so that the file is found either as it was or as it shall be."""
    partial = path.with_name(f".partial-{path.name}")
    figure.savefig(partial, format="png", dpi=120)
    partial.replace(path)


def write_result(run: RunDirectory, records: Records, results: Mapping[str, Estimate]) -> None:
    """Write the result of a finished run with what it took and where it comes from."""
    last = records[-1]
    result = {
        "results": {name: asdict(estimate) for name, estimate in results.items()},
        "training": {name: last[name] for name in ("decisions", "update", "minutes")},
        "provenance": json.loads(run.provenance.read_text()),
    }
    write_atomic(run.result, json.dumps(result, indent=2) + "\n")


def origin_rows(origin: Mapping[str, Any]) -> list[str]:
    """Rows of a table on where a result comes from, an entry of a run's provenance."""
    code = "unknown" if origin["commit"] is None else origin["commit"]
    return [
        f"| rules | {origin['rules']} (hash {origin['rules_hash']}) |",
        f"| observation | version {origin['observation_version']} |",
        f"| seed | {origin['seed']} |",
        f"| code | {code}{', with uncommitted changes' if origin['dirty'] else ''} |",
        f"| machine | {origin['processor']}, {origin['cpus']} processors, {origin['threads']}"
        f" threads, {origin['device']} |",
        f"| versions | Python {origin['python']}, PyTorch {origin['torch']}, NumPy"
        f" {origin['numpy']}, numba {origin['numba']} |",
    ]


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def write_report(run: RunDirectory, records: Records, results: Mapping[str, Estimate]) -> str:
    """Write the report of a finished run and return its text."""
    marks = results["marks"]
    last = records[-1]
    origin = json.loads(run.provenance.read_text())[-1]
    rows = [
        ("void deals", "void_rate"),
        ("deals the agent took", "take_rate"),
        ("of these made", "made_rate"),
        ("deals the random agent took", "opponent_take_rate"),
        ("of these made", "opponent_made_rate"),
    ]
    lines = [
        f"# Training run {run.path.name}",
        "",
        f"**{marks.text(sign=True)} marks a deal against the random agent**: mean and 95 % interval"
        f" over {marks.deals:,} duplicate deals, each played twice with the sides swapped.",
        "",
        "| in this match | % (95 % interval) |",
        "|---|---|",
        *(f"| {label} | {results[name].text(scale=100)} |" for label, name in rows),
        "",
        f"![Learning curve]({run.curve.name})",
        "",
        "## Training",
        "",
        "| | |",
        "|---|---|",
        f"| decisions | {last['decisions']:,} in {last['update']:,} updates |",
        f"| time | {last['minutes']:.1f} minutes, {last['decisions'] / (60 * last['minutes']):,.0f}"
        f" decisions/s |",
        f"| last deals of self-play | {_percent(last, 'void_rate')} void,"
        f" {_percent(last, 'take_rate')} taken by a side, {_percent(last, 'made_rate')} made |",
        *origin_rows(origin),
        "",
        "The settings are in `config.yaml`, every start in `provenance.json`. To play it:",
        "",
        "```python",
        "from agents.learned.policy import LearnedAgent",
        "",
        f'agent = LearnedAgent.load("{run.path.as_posix()}")',
        "```",
        "",
    ]
    text = "\n".join(lines)
    write_atomic(run.report, text)
    return text


def _percent(record: Mapping[str, Any], name: str) -> str:
    value = record[f"deals/{name}"]
    return "none" if value is None else f"{100 * value:.1f} %"
