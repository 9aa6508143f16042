"""Results kept with the code: of each tournament one JSON file, and a page on all of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from experiments.lib.run import write_atomic
from experiments.lib.statistics import Estimate
from experiments.lib.tournament_report import TournamentDirectory

RESULTS: Final = Path(__file__).parents[1] / "results"
Result = Mapping[str, Any]
"""What `tournament_report.write_result` has written."""


def keep_result(run: TournamentDirectory, folder: Path, name: str, more: Result) -> None:
    """Copy the result of a finished tournament, with what else is to be known of it."""
    folder.mkdir(parents=True, exist_ok=True)
    result = {**more, **json.loads(run.result.read_text())}
    write_atomic(folder / f"{name}.json", json.dumps(result, indent=2) + "\n")


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """The results that are kept in a folder, by name."""
    return {file.stem: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}


def marks_of(pair: Result) -> Estimate:
    """Marks a deal of a pairing's first player."""
    return Estimate(**pair["marks"])


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table."""
    return [f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *rows)]


def origin_line(result: Result) -> str:
    """Where a result comes from, in one line; every start of it is in the file."""
    origin = result["provenance"][-1]
    changed = " with changes" if origin["dirty"] else ""
    return (
        f"Rules `{origin['rules']}` (hash {origin['rules_hash']}), seed {origin['seed']}, commit"
        f" {str(origin['commit'])[:12]}{changed}, {origin['processor']},"
        f" {origin['workers']} processes of one thread."
    )
