from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import ConfigCompositionException
from numpy.typing import NDArray

from agents.registry import MAKERS
from agents.spec import as_spec
from belote_env import RandomAgent, rules
from belote_env.engine.batch import OUTCOME_DTYPE
from belote_env.engine.state import MADE
from belote_env.game import Episode
from experiments.lib.config import TournamentConfig, resolve_config
from experiments.lib.duplicate import DuplicateMatch, Effort
from experiments.lib.par import ParJob, par_controls, solve_pars
from experiments.lib.plays import read_match, write_match
from experiments.lib.ratings import rate
from experiments.lib.round_robin import Pairing, RoundRobin, play_job
from experiments.lib.run import RunError
from experiments.lib.standings import Standings
from experiments.lib.statistics import Controls, SequentialTest
from experiments.lib.tournament_report import TournamentDirectory
from experiments.tournament import main, play_tournament

ROOT = Path(__file__).parents[2]
CLASSIC = rules.preset("classic")
SPECS = {
    "random": as_spec("random"),
    "mixed": as_spec("mixed(bids=random, cards=random)"),
    "other": as_spec("mixed(bids=random, cards=mixed(bids=random, cards=random))"),
}
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


def round_robin(folder: Path, plays: int = 20, **options: Any) -> RoundRobin:
    meetings = dict.fromkeys(combinations(SPECS, 2), plays)
    return RoundRobin(folder, SPECS, meetings, CLASSIC, "deal", block=6, seed=1, **options)


def play(robin: RoundRobin, workers: int = 1, blocks: int | None = None) -> list[str]:
    """Play, for some blocks or to the end; the pairings in the order of their blocks."""
    entered: list[str] = []

    def note(pairing: Pairing) -> None:
        entered.append(f"{pairing.first} {pairing.second}")

    robin.play(workers, lambda: blocks is not None and len(entered) >= blocks, note)
    return entered


def assert_same(robin: RoundRobin, other: RoundRobin) -> None:
    for pairing, same in zip(robin.pairings, other.pairings, strict=True):
        assert (pairing.first, pairing.second) == (same.first, same.second)
        np.testing.assert_array_equal(pairing.match.outcomes, same.match.outcomes)
        np.testing.assert_array_equal(pairing.match.winners, same.match.winners)


def match_of(margins: NDArray[np.float64], efforts: tuple[Effort, Effort]) -> DuplicateMatch:
    """Made contracts of which the player gets so much more than the opponent in each play."""
    outcomes = np.zeros((*margins.shape, 1), OUTCOME_DTYPE)
    outcomes["result"] = MADE
    by_team = margins * [[1], [-1]]
    outcomes["marks"][..., 0, 0] = np.maximum(by_team, 0)
    outcomes["marks"][..., 0, 1] = np.maximum(-by_team, 0)
    return DuplicateMatch(outcomes, np.sign(by_team).astype(np.int8), efforts)


def pairing_of(first: str, second: str, mean: float, deals: int = 200) -> Pairing:
    rng = np.random.default_rng([ord(first[0]), ord(second[0])])
    luck = rng.normal(0, 60, deals).round()
    margins = np.stack([luck, -luck]) + rng.normal(mean, 40, (2, deals)).round()
    return Pairing(
        first, second, blocks={0: match_of(margins, (Effort(100, 0.5), Effort(90, 0.1)))}
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RoundRobin:
    robin = round_robin(tmp_path_factory.mktemp("whole"))
    play(robin)
    return robin


def test_everybody_plays_everybody_block_by_block(tmp_path: Path) -> None:
    robin = round_robin(tmp_path)
    pairs = ["random mixed", "random other", "mixed other"]
    assert play(robin) == pairs * 4
    assert [deals for deals, _ in robin.layout] == [6, 6, 6, 2]
    assert all(pairing.match.outcomes.shape == (2, 20, 1) for pairing in robin.pairings)
    assert len({seed for _, seed in robin.layout}) == 4
    assert robin.share_done == 1


def test_all_pairings_have_the_same_deals_and_streams_of_their_own(tmp_path: Path) -> None:
    jobs = list(round_robin(tmp_path)._jobs())
    for block in range(4):
        assert len({job.deals_seed for job in jobs if job.block == block}) == 1
    seeds = [seed for job in jobs for seed in job.player_seeds]
    assert len(set(seeds)) == len(seeds) == 2 * len(jobs)


def test_several_processes_play_the_same(tmp_path: Path, whole: RoundRobin) -> None:
    robin = round_robin(tmp_path)
    assert len(play(robin, workers=2)) == 12
    assert_same(robin, whole)


def test_a_stopped_round_robin_goes_on_where_it_was(tmp_path: Path, whole: RoundRobin) -> None:
    stopped = round_robin(tmp_path)
    assert len(play(stopped, blocks=5)) == 5
    assert stopped.share_done == pytest.approx(5 / 12)
    resumed = round_robin(tmp_path)
    assert resumed.share_done == pytest.approx(5 / 12)
    assert len(play(resumed)) == 7
    assert_same(resumed, whole)
    assert play(round_robin(tmp_path)) == []
    assert not list(tmp_path.rglob(".partial-*"))


def test_a_file_keeps_everything(tmp_path: Path) -> None:
    match = match_of(np.array([[10.0, -3], [4, 0]]), (Effort(5, 0.25), Effort(6, 1.5)))
    write_match(tmp_path / "a" / "b.npz", match)
    read = read_match(tmp_path / "a" / "b.npz")
    np.testing.assert_array_equal(read.outcomes, match.outcomes)
    np.testing.assert_array_equal(read.winners, match.winners)
    assert read.efforts == match.efforts


def flipped(data: bytes) -> bytes:
    """A byte of the compressed outcomes changed."""
    return data[:120] + bytes([data[120] ^ 255]) + data[121:]


def as_npy(data: bytes) -> bytes:
    """Another kind of file under that name."""
    file = BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:100], flipped, as_npy])
def test_a_damaged_file_is_named(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    play(round_robin(tmp_path), blocks=1)
    (file,) = tmp_path.rglob("*.npz")
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(RunError, match=r"00000\.npz is damaged \(.+\): remove it"):
        round_robin(tmp_path)


def fewer(stored: dict[str, NDArray[Any]]) -> None:
    for name in ("outcomes", "winners"):
        stored[name] = stored[name][:, :-1]


def more(stored: dict[str, NDArray[Any]]) -> None:
    for name in ("outcomes", "winners"):
        stored[name] = np.concatenate([stored[name]] * 2, axis=1)


def short_winners(stored: dict[str, NDArray[Any]]) -> None:
    stored["winners"] = stored["winners"][:, :-1]


def plain_outcomes(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"] = np.zeros((2, 6, 1))


def wide_winners(stored: dict[str, NDArray[Any]]) -> None:
    stored["winners"] = stored["winners"].astype(int)


def two_deals(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"] = np.concatenate([stored["outcomes"]] * 2, axis=2)


def unfinished(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"]["result"][1, 2] = 0


def unknown_result(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"]["result"][1, 2] = 6


def too_many_marks(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"]["marks"][0, 0, 0, 0] = 600


def negative_marks(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"]["marks"][0, 0, 0, 0] = -1


def other_winners(stored: dict[str, NDArray[Any]]) -> None:
    stored["winners"] = 1 - np.abs(stored["winners"])


def more_decisions(stored: dict[str, NDArray[Any]]) -> None:
    stored["decisions"] = np.array([1, 2, 3])


def no_seconds(stored: dict[str, NDArray[Any]]) -> None:
    stored["seconds"][0] = np.nan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (fewer, "not two plays of 6 deals"),
        (more, "not two plays of 6 deals"),
        (short_winners, "not two plays of 6 deals"),
        (plain_outcomes, "its outcomes are of type float64"),
        (wide_winners, "its winners are of type int64"),
        (two_deals, "it has 2 deals of each deal"),
        (unfinished, "a deal that was not finished"),
        (unknown_result, "a result above 5"),
        (too_many_marks, "marks that no deal under classic has"),
        (negative_marks, "marks that no deal under classic has"),
        (other_winners, "winners other than the marks say"),
        (more_decisions, "argument"),
        (no_seconds, "it has an Effort"),
    ],
)
def test_a_block_that_was_not_played_so_is_refused(
    change: Callable[[dict[str, NDArray[Any]]], None], message: str, tmp_path: Path
) -> None:
    play(round_robin(tmp_path), blocks=1)
    (file,) = tmp_path.rglob("*.npz")
    stored = dict(np.load(file))
    change(stored)
    np.savez_compressed(file, **stored)
    with pytest.raises(RunError, match=rf"00000\.npz is damaged \(.*{message}.*\): remove it"):
        round_robin(tmp_path)


@pytest.mark.parametrize("preset", ["coinche+announce=choice", "sans_tout_atout", "two_player"])
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_what_was_played_is_taken(preset: str, episode: Episode, tmp_path: Path) -> None:
    specs = {name: as_spec("random") for name in ("a", "b")}
    rounds = [
        play(RoundRobin(tmp_path, specs, {("a", "b"): 40}, rules.resolve(preset), episode, 20, 1))
        for _ in range(2)
    ]
    assert rounds == [["a b"] * 2, []]


@pytest.mark.parametrize(
    "controls", [np.zeros((2, 2)), np.zeros((3, 2), int), np.full((3, 2), np.nan)]
)
def test_controls_that_are_of_other_deals_are_refused(
    controls: NDArray[Any], tmp_path: Path
) -> None:
    job = ParJob(tmp_path / "0.npy", CLASSIC, 3, seed=1)
    np.save(job.path, controls)
    with pytest.raises(RunError, match=r"0\.npy is damaged \(it has .*\): remove it"):
        solve_pars([job], 1, lambda: False, lambda share: None)
    job.path.write_bytes(b"")
    with pytest.raises(RunError, match=r"0\.npy is damaged \(.+\): remove it"):
        solve_pars([job], 1, lambda: False, lambda share: None)


def test_pairings_that_are_listed_have_lengths_of_their_own(tmp_path: Path) -> None:
    meetings = {("other", "random"): 14, ("mixed", "random"): 4}
    robin = RoundRobin(tmp_path, SPECS, meetings, CLASSIC, "deal", block=6, seed=1)
    assert play(robin) == ["other random", "mixed random", "other random", "other random"]
    assert [deals for deals, _ in robin.layout] == [6, 6, 2]
    assert [len(pairing.match.margins) for pairing in robin.pairings] == [14, 4]
    assert robin.share_done == 1
    standings = Standings(robin.pairings, "random")
    assert standings.marks("other", "mixed") is None
    assert {player.name for player in standings.players} == {"random", "mixed", "other"}


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


def test_matches_can_be_played_too(tmp_path: Path) -> None:
    meetings = {("random", "mixed"): 3}
    robin = RoundRobin(tmp_path, SPECS, meetings, CLASSIC, "match", block=2, seed=1)
    play(robin)
    match = robin.pairings[0].match
    assert match.winners.shape == (2, 3)
    assert (match.winners != 0).all()
    assert match.deals.min() > 4


def test_a_verdict_ends_a_pairing_and_later_blocks_do_not_count() -> None:
    blocks = {
        number: match_of(np.full((2, 10), 50.0 + number), (Effort(), Effort()))
        for number in range(5)
    }
    rng = np.random.default_rng(0)
    for block in blocks.values():
        block.outcomes["marks"] += rng.integers(0, 9, block.outcomes["marks"].shape)
    test = SequentialTest(0, 20, 0.05, 0.05)
    in_order = Pairing("a", "b")
    for number in range(5):
        in_order.blocks[number] = blocks[number]
        in_order.examine(test)
    assert in_order.verdict == "stronger"
    assert in_order.settled_after == 1
    assert len(in_order.match.margins) == 10

    gap = Pairing("a", "b", blocks={number: blocks[number] for number in (1, 2)})
    gap.examine(test)
    assert gap.verdict is None
    gap.blocks[0] = blocks[0]
    gap.examine(test)
    np.testing.assert_array_equal(gap.match.outcomes, in_order.match.outcomes)


def test_a_settled_pairing_is_not_played_on(tmp_path: Path) -> None:
    test = SequentialTest(-400, -380, 0.05, 0.05)
    robin = round_robin(tmp_path, plays=60, test=test)
    played = play(robin)
    assert all(pairing.verdict == "stronger" for pairing in robin.pairings)
    assert len(played) < 30
    assert robin.share_done == 1
    again = round_robin(tmp_path, plays=60, test=test)
    assert play(again) == []
    assert_same(again, robin)


def test_ratings_put_the_anchor_in_its_place_and_the_stronger_above() -> None:
    rng = np.random.default_rng(1)
    strengths = {"weak": 0.0, "middle": 1.0, "strong": 2.0}
    games = [
        (first, second, strengths[first] - strengths[second] + rng.normal(0, 2))
        for first, second in (("weak", "middle"), ("middle", "strong"), ("strong", "weak"))
        for _ in range(500)
    ]
    ratings = rate(list(strengths), "middle", games)
    assert ratings["middle"].mean == 25
    assert ratings["strong"].mean > 26
    assert ratings["weak"].mean < 24
    assert ratings["strong"].mean - 25 == pytest.approx(25 - ratings["weak"].mean, rel=0.4)
    by_strong = rate(list(strengths), "strong", games)
    shift = 25 - ratings["strong"].mean
    for name, rating in ratings.items():
        assert by_strong[name].mean == pytest.approx(rating.mean + shift)


def test_draws_keep_ratings_together() -> None:
    ratings = rate(["a", "b"], "a", [("a", "b", 0.0)] * 50)
    assert ratings["a"].mean == ratings["b"].mean == 25


def test_standings_of_known_strengths() -> None:
    pairings = [
        pairing_of("anchor", "best", -30),
        pairing_of("anchor", "zero", 0),
        pairing_of("best", "zero", 30),
    ]
    standings = Standings(pairings, "anchor")
    assert standings.players[0].name == "best"
    by_name = {player.name: player for player in standings.players}
    assert by_name["anchor"].against_anchor is None
    against = by_name["best"].against_anchor
    assert against is not None
    assert against.low < 30 < against.high
    assert against == standings.marks("best", "anchor")
    there = standings.marks("anchor", "best")
    assert there is not None
    assert (there.value, there.low, there.high) == (-against.value, -against.high, -against.low)
    for player in standings.players:
        met = [standings.marks(player.name, other) for other in by_name]
        field = [marks.value for marks in met if marks is not None]
        assert len(field) == 2
        assert player.against_all.value == pytest.approx(np.mean(field))
    # The first two pairings as first, with 100 decisions in half a second each.
    assert by_name["anchor"].decisions_per_second == pytest.approx(200)
    assert by_name["zero"].decisions_per_second == pytest.approx(900)
    assert by_name["anchor"].seconds_per_deal == pytest.approx(1 / 800)

    pair = standings.pairs[0]
    margins = pairings[0].match.margins
    assert pair.deviation == pytest.approx(margins.std(ddof=1))
    # Luck of variance 60² on top of 40² in each play, and gone from the mean of a pair.
    assert pair.pairing_gain == pytest.approx((60**2 + 40**2) / 40**2, rel=0.25)
    assert pair.adjusted is None


def test_standings_with_pairings_of_different_lengths_and_controls() -> None:
    pairings = [pairing_of("a", "b", 5, 100), pairing_of("a", "c", 5, 40), pairing_of("b", "c", 0)]
    rng = np.random.default_rng(0)
    controls = Controls(rng.normal(size=(200, 2)), rng.normal(size=(500, 2)))
    standings = Standings(pairings, "a", controls)
    by_name = {player.name: player for player in standings.players}
    weighted = (
        100 * pairings[0].match.margins.mean() + 40 * pairings[1].match.margins.mean()
    ) / 140
    assert by_name["a"].against_all.value == pytest.approx(weighted)
    assert by_name["a"].against_all.deals == 100
    for pair, pairing in zip(standings.pairs, pairings, strict=True):
        assert pair.adjusted == controls.adjust(pairing.match.margins)


@pytest.mark.parametrize("preset", ["classic", "sans_tout_atout", "contree"])
def test_par_is_the_same_for_both_sides_and_of_the_deal_alone(preset: str) -> None:
    controls = par_controls(rules.preset(preset), 3, seed=2)
    assert controls.shape == (3, 2)
    np.testing.assert_array_equal(controls[:2], par_controls(rules.preset(preset), 2, seed=2))
    assert (controls[:, 1] >= 0).all()
    # Each side at its best contract together get no less than at one and the same.
    if preset == "contree":
        assert (controls[:, 0] >= 0).all()


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
