"""Ratings, standings and pars."""

from __future__ import annotations

import numpy as np
import pytest

from belote_env import rules
from experiments.lib.par import par_controls
from experiments.lib.ratings import rate
from experiments.lib.standings import Standings
from experiments.lib.statistics import Controls
from tests.experiments.round_robins import pairing_of


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
