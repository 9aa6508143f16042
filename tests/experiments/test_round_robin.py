"""Who plays whom, on which deals, and what a stop leaves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from experiments.lib.duplicate import Effort
from experiments.lib.round_robin import Pairing, RoundRobin
from experiments.lib.standings import Standings
from experiments.lib.statistics import SequentialTest
from tests.experiments.round_robins import CLASSIC, SPECS, assert_same, match_of, play, round_robin


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
