from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import ConfigCompositionException

from agents.registry import MAKERS
from belote_env import RandomAgent
from experiments.lib.config import TournamentConfig, resolve_config
from experiments.lib.duplicate import DuplicateMatch
from experiments.lib.plays import read_match
from experiments.lib.round_robin import play_job
from experiments.lib.run import RunError
from experiments.lib.statistics import Controls
from experiments.lib.tournament_report import TournamentDirectory
from experiments.tournament import main, play_tournament
from tests.experiments.round_robins import CLASSIC, round_robin

ROOT = Path(__file__).parents[2]
SMALL = [
    "~players.heuristic",
    "+players.mixed='mixed(bids=random, cards=random)'",
    "anchor=random",
    "workers=1",
    "plays=30",
    "block=8",
]


def configure(*overrides: str) -> TournamentConfig:
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        composed = compose("tournament", list(overrides))
    return resolve_config(composed, list(overrides), TournamentConfig)


def test_a_tournament_of_listed_pairings(tmp_path: Path) -> None:
    run = TournamentDirectory(tmp_path / "run")
    overrides = [*SMALL, "+players.more='mixed(bids=random, cards=random)'"]
    overrides += ["+players.unused=heuristic", "control_pool=3"]
    overrides += ["+pairings={random against mixed: 6, mixed against more: null}", "plays=5"]
    assert play_tournament(configure(*overrides, f"run_dir={run.path}"))
    result = json.loads(run.result.read_text())
    pairs = {(p["first"], p["second"]): p["marks"]["deals"] for p in result["pairs"]}
    assert pairs == {("random", "mixed"): 6, ("mixed", "more"): 5}
    assert result["agents"].keys() == {"random", "mixed", "more"}
    by_name = {player["name"]: player for player in result["players"]}
    assert by_name["more"]["against_anchor"] is None
    report = run.report.read_text()
    assert "2 pairings, 5 to 6 duplicate deals a pairing" in report
    assert "| mixed against more | 5 |" in report


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TournamentDirectory:
    path = tmp_path_factory.mktemp("finished") / "run"
    assert play_tournament(configure(*SMALL, f"run_dir={path}"))
    return TournamentDirectory(path)


def test_a_tournament_leaves_everything(finished: TournamentDirectory) -> None:
    for picture in (finished.ladder, finished.cross_table):
        assert picture.read_bytes().startswith(b"\x89PNG")
    result = json.loads(finished.result.read_text())
    assert {player["name"] for player in result["players"]} == {"random", "mixed"}
    (pair,) = result["pairs"]
    assert pair["marks"]["deals"] == 30
    assert result["provenance"][0]["rules_hash"] == CLASSIC.hash
    report = finished.report.read_text()
    assert "`mixed(bids=random, cards=random)`" in report
    assert "marks a deal against random" in report
    assert "| random against mixed | 30 |" in report
    assert finished.ladder.name in report
    assert finished.cross_table.name in report
    blocks = [read_match(file) for file in sorted(finished.plays.rglob("*.npz"))]
    assert DuplicateMatch.joined(blocks).results()["marks"].value == pair["marks"]["value"]
    assert not list(finished.path.rglob(".partial-*"))


def test_a_finished_tournament_is_only_reported_again(finished: TournamentDirectory) -> None:
    report = finished.report.read_text()
    files = {file: file.stat().st_mtime_ns for file in finished.plays.rglob("*.npz")}
    assert play_tournament(configure(f"run_dir={finished.path}"))
    assert {file: file.stat().st_mtime_ns for file in finished.plays.rglob("*.npz")} == files
    assert finished.report.read_text() == report
    assert len(json.loads(finished.provenance.read_text())) == 2


def test_another_tournament_is_refused(finished: TournamentDirectory) -> None:
    with pytest.raises(RunError, match=r"plays is 30 there, 40 here"):
        play_tournament(configure(*SMALL, "plays=40", f"run_dir={finished.path}"))


def test_controls_and_a_sequential_test(tmp_path: Path) -> None:
    run = TournamentDirectory(tmp_path / "run")
    overrides = [
        "plays=8",
        "block=4",
        "control_pool=5",
        "sequential={enabled: true, low: -900, high: -890, alpha: 0.1, beta: 0.1}",
    ]
    assert play_tournament(configure(*SMALL, *overrides, f"run_dir={run.path}"))
    report = run.report.read_text()
    assert "with controls" in report
    assert "the first is" in report
    (pair,) = json.loads(run.result.read_text())["pairs"]
    assert pair["verdict"] == "stronger"
    played = np.concatenate([np.load(f) for f in sorted((run.pars / "played").iterdir())])
    pool = np.concatenate([np.load(f) for f in sorted((run.pars / "pool").iterdir())])
    assert (len(played), len(pool)) == (8, 5)
    blocks = [read_match(file) for file in sorted(run.plays.rglob("*.npz"))]
    adjusted = Controls(played, pool).adjust(DuplicateMatch.joined(blocks).margins)
    assert pair["adjusted"]["gain"] == adjusted.gain
    assert pair["adjusted"]["estimate"]["value"] == adjusted.estimate.value


def test_an_agent_of_ones_own_plays_in_every_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lowest_agents.py").write_text(
        "from belote_env import Agent\n\n\n"
        "class LowestCard(Agent):\n"
        "    def act(self, observation, mask, info):\n"
        "        return int(mask.argmax())\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    spec = "+players.lowest='lowest_agents:LowestCard'"
    results = []
    for workers in (1, 2):
        run = TournamentDirectory(tmp_path / f"{workers}")
        overrides = [*SMALL, spec, f"workers={workers}", "plays=4", "block=2"]
        assert play_tournament(configure(*overrides, f"run_dir={run.path}"))
        results.append(json.loads(run.result.read_text()))
    alone, together = results
    assert together["agents"]["lowest"] == "lowest_agents:LowestCard"
    assert together["pairs"] == alone["pairs"]


def test_interruption_keeps_what_was_played_and_says_how_to_resume(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    finished: TournamentDirectory,
) -> None:
    run = TournamentDirectory(tmp_path / "stopped")
    played: list[int] = []

    def interrupt(job: Any) -> DuplicateMatch:
        played.append(job.block)
        if job.block == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return play_job(job)

    monkeypatch.setattr("experiments.lib.round_robin.play_job", interrupt)
    monkeypatch.setattr(sys, "argv", ["tournament", *SMALL, f"run_dir={run.path}"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 130
    assert f"python -m experiments.tournament run_dir={run.path}" in capsys.readouterr().out
    assert played == [0, 1]
    assert not run.report.exists()

    monkeypatch.setattr(sys, "argv", ["tournament", f"run_dir={run.path}"])
    main()
    assert played == [0, 1, 2, 3]
    assert "| random against mixed | 30 |" in capsys.readouterr().out
    result, whole = (json.loads(r.result.read_text())["pairs"] for r in (run, finished))
    assert result == whole


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("anchor=best", "anchor='best': use one of random, mixed"),
        ("episode=trick", "episode='trick': use one of deal, match"),
        ("plays=1", "plays=1: use two or more"),
        ("block=0", "block=0: use one or more"),
        ("workers=0", "workers=0: use one or more, or null"),
        ("control_pool=1", "control_pool=1: use two or more"),
        ("+players.a='random(seed=1)'", r"players.a='random\(seed=1\)': use an agent without"),
        ("+players.a='mixed(bids=random(seed=1), cards=random)'", "use an agent without a seed"),
        ("+players.a='random('", "players.a: .* an option should stand where the end does"),
        ("players.random=null", "players.random: agent None: use a text, or a mapping"),
        ("+players.a='mixed(bids=no.yaml, cards=random)'", r"players.a: agent file no\.yaml"),
        ("sequential.high=inf", "sequential.high=inf: use a finite number"),
        ("sequential.low=-inf", "sequential.low=-inf: use a finite number"),
        ("sequential.low=3", r"high=3.0: use more marks a deal"),
        ("sequential.alpha=0.6", "sequential.alpha=0.6"),
        ("+pairings={random v mixed: 3}", "pairings='random v mixed': use two of the players, as"),
        ("+pairings={random against best: 3}", "pairings='random against best': use two of"),
        ("+pairings={random against random: 3}", "pairings='random against random': use two of"),
        ("+pairings={random against mixed: 1}", "pairings.random against mixed=1: use two or more"),
        (
            "+pairings={random against mixed: 3, mixed against random: 3}",
            "pairings='mixed against random': use every two players once",
        ),
    ],
)
def test_bad_settings_are_refused(override: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        configure(*SMALL, override, f"run_dir={tmp_path / 'run'}")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("players", "message"),
    [
        ({"a": "random"}, "players=.*: use two or more"),
        ({"a": "random", "b c": "random"}, "player='b c': use letters, digits"),
        ({"a": "random", "../b": "random"}, r"player='\.\./b'"),
        ({"a": "random", "b": {"worlds": 3}}, "a mapping with the key 'name'"),
    ],
)
def test_bad_players_are_refused(players: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(configure(*SMALL), players=players, anchor="a")


@pytest.mark.parametrize("override", ["player.a=random", "plays=many", "sequential.lo=0"])
def test_unknown_keys_and_wrong_types_are_refused(override: str) -> None:
    with pytest.raises(ConfigCompositionException):
        configure(override)


@pytest.mark.parametrize(
    ("spec", "preset", "message"),
    [
        ("minimax", "classic", "player a, minimax: agent='minimax': use one of random"),
        ("network(run=nowhere)", "classic", r"player a, network\(.*\): nowhere is no checkpoint"),
        ("mixed(bids=random(s=1), cards=random)", "classic", "player a, mixed.* no option 's'"),
        ("oracle(bids=random)", "two_player", "player a, oracle.*four seats"),
    ],
)
def test_what_cannot_play_is_refused_before_anything_is_written(
    spec: str, preset: str, message: str, tmp_path: Path
) -> None:
    overrides = [*SMALL, f"+players.a='{spec}'", f"rules={preset}", f"run_dir={tmp_path / 'run'}"]
    with pytest.raises(RunError, match=message):
        play_tournament(configure(*overrides))
    assert not (tmp_path / "run").exists()


def test_errors_on_the_command_line_are_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    where = f"run_dir={tmp_path / 'run'}"
    for override, message in (
        ("anchor=best", "anchor='best'"),
        ("+players.a=minimax", "player a"),
        (
            "+players.a=pimc(worlds=3)",
            "setting .*Unknown function 'pimc'.* an agent with options needs quotes",
        ),
        ('+players={"a', "setting .* an agent with options needs quotes inside those of the shell"),
    ):
        monkeypatch.setattr(sys, "argv", ["tournament", *SMALL, override, where])
        with pytest.raises(SystemExit, match=f"error: {message}"):
            main()


def test_an_agents_stream_does_not_follow_the_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    class Noting(RandomAgent):
        def __init__(self, seed: int) -> None:
            seeds.append(seed)
            super().__init__(seed)

    makers: dict[str, Callable[[], Any]] = {**MAKERS, "random": lambda: Noting}
    monkeypatch.setattr("agents.registry.MAKERS", makers)
    jobs = list(round_robin(Path("unused"))._jobs())[:2]
    for job in jobs:
        play_job(job)
    assert len(set(seeds)) == len(seeds) >= 4
    assert not set(seeds) & {job.deals_seed for job in jobs}
