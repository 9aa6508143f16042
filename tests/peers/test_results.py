"""What the page on public engines tells is what the long comparison has found."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pytest

from agents.peers import belote_cli, colver

ROOT: Final = Path(__file__).parents[2]


@pytest.fixture
def result() -> dict[str, Any]:
    return json.loads((ROOT / "experiments" / "results" / "peers.json").read_text())


@pytest.fixture
def page() -> str:
    return (ROOT / "docs" / "peers.md").read_text()


def test_the_comparison_is_long_enough_and_of_these_rules(result: dict[str, Any]):
    assert result["colver"]["deals"] >= 20_000
    assert all(positions >= 20_000 for positions in result["belote_cli"]["positions"].values())
    assert result["belote_cli"]["positions"].keys() == {"colour", "SA", "TA"}
    assert result["colver"]["rules_hash"] == colver.RULES.hash
    assert result["belote_cli"]["rules_hash"] == belote_cli.RULES.hash


def test_the_page_has_its_figures(result: dict[str, Any], page: str):
    for name, difference in result["colver"]["differences"].items():
        assert f"| {name} | {difference['times']:,} |" in page
    for name in ("deals", "calls", "cards"):
        assert f"{result['colver'][name]:,} {name}" in page
    for package in ("colver", "belote-cli"):
        assert f"| `{package}` | {result['versions'][package]} |" in page
        assert result["versions"][package] == version(package)
    assert f"| `open-spiel` | {version('open-spiel')} |" in page
    assert f"`{belote_cli.RULES.id}`" in page
