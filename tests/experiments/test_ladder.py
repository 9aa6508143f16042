"""The ladder and the curves: what is kept, and that their tournaments are sound."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.registry import make_player
from agents.spec import as_spec
from belote_env import rules
from experiments import curves, ladder
from experiments.curves import Curve, point
from experiments.ladder import configure, names_in

SMALL = ["workers=1", "block=3"]


def call(module: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *arguments: str) -> None:
    where = ["--runs", str(tmp_path / "runs"), "--results", str(tmp_path / "results")]
    monkeypatch.setattr(sys, "argv", ["script", *arguments, *where])
    module.main()


@pytest.mark.parametrize("name", names_in("ladder"))
def test_the_tournaments_of_the_ladder_are_sound(name: str) -> None:
    config = configure([f"+ladder={name}", "run_dir=unused"])
    meetings = config.meetings()
    assert config.rules.preset == name or name not in rules.PRESETS
    assert meetings == {
        (first, second): plays
        for text, plays in config.pairings.items()
        for first, _, second in [text.partition(" against ")]
    }
    # A player without a pairing would be left out in silence.
    assert config.players.keys() - config.specs().keys() <= {"random", "heuristic"}


@pytest.mark.parametrize("name", ["classic", "oracle"])
def test_the_agents_of_the_ladder_can_be_made(name: str) -> None:
    for spec in configure([f"+ladder={name}", "run_dir=unused"]).specs().values():
        make_player(spec, rules.preset("classic"), seed=0)


@pytest.mark.parametrize("name", names_in("curve"))
def test_the_curves_are_sound(name: str) -> None:
    curve = Curve.read(name)
    config = curve.tournament(["run_dir=unused"])
    assert len(config.meetings()) == len(curve.lines) * len(curve.values)
    assert set(config.meetings().values()) == {curve.plays}
    for line, agent in curve.lines.items():
        for x in curve.values:
            assert config.specs()[point(line, x)] == as_spec(agent.replace("{x}", str(x)))


def test_a_ladder_keeps_its_result_and_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [
        "classic",
        *SMALL,
        "~pairings",
        "+pairings={mixed against random: 7}",
        "anchor=random",
    ]
    arguments += ["+players.mixed='mixed(bids=random, cards=random)'"]
    call(ladder, monkeypatch, tmp_path, *arguments)
    folder = tmp_path / "results" / "ladder"
    result = json.loads((folder / "classic.json").read_text())
    assert result["agents"] == {"random": "random", "mixed": result["agents"]["mixed"]}
    (pair,) = result["pairs"]
    assert (pair["first"], pair["second"], pair["marks"]["deals"]) == ("mixed", "random", 7)
    assert result["provenance"][0]["seed"] == 0
    page = (folder / "README.md").read_text()
    assert f"| mixed against random | 7 | {pair['marks']['value']:+.1f} (" in page
    assert (folder / "classic.png").read_bytes().startswith(b"\x89PNG")

    files = {f: f.stat().st_mtime_ns for f in (tmp_path / "runs").rglob("*.npz")}
    assert len(files) == 3
    call(ladder, monkeypatch, tmp_path, *arguments)
    assert {f: f.stat().st_mtime_ns for f in files} == files


def test_a_line_needs_a_place_for_the_value() -> None:
    with pytest.raises(ValueError, match=r"lines.one='random': use an agent with \{x\}"):
        Curve("worlds", [1], {"one": "random"}, "random", 2, logarithmic=False)


def test_names_that_no_file_has_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        call(ladder, monkeypatch, tmp_path, "stairs")
    assert "'stairs': use one of classic, contree" in capsys.readouterr().err


def test_bad_settings_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="error: block=0: use one or more"):
        call(curves, monkeypatch, tmp_path, "worlds", "block=0")


def test_settings_that_cannot_be_read_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for setting in ('+players={"a', "players.random=pimc(worlds=3)"):
        with pytest.raises(SystemExit, match=r"error: setting .* cannot be read .* needs quotes"):
            call(ladder, monkeypatch, tmp_path, "classic", setting)


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ("+players.worlds=random", "players"),
        ("+pairings={random against heuristic: 3}", "pairings"),
        ("anchor=random", "anchor"),
        ("+ladder=oracle", "players"),
    ],
)
def test_what_a_curve_makes_itself_cannot_be_set(
    setting: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=rf"error: {name}: leave it out, as a curve has its own"):
        call(curves, monkeypatch, tmp_path, "worlds", setting)
    assert not list(tmp_path.iterdir())


def test_a_curve_keeps_its_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curve = Curve(
        axis="iterations",
        values=[1, 10],
        lines={"searching": "mixed(bids=random, cards=ismcts(iterations={x}))"},
        opponent="random",
        plays=3,
        logarithmic=True,
    )
    monkeypatch.setattr(Curve, "read", lambda name: curve)
    call(curves, monkeypatch, tmp_path, "iterations", *SMALL)
    folder = tmp_path / "results" / "curve"
    result = json.loads((folder / "iterations.json").read_text())
    assert {pair["first"] for pair in result["pairs"]} == {"searching_1", "searching_10"}
    assert all(pair["marks"]["deals"] == 3 for pair in result["pairs"])
    page = (folder / "README.md").read_text()
    assert "3 deals a point against `random`." in page
    for x, pair in zip((1, 10), result["pairs"], strict=True):
        assert f"| {x} | {pair['marks']['value']:+.1f} (" in page
    assert (folder / "iterations.png").read_bytes().startswith(b"\x89PNG")
