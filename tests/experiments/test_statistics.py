from __future__ import annotations

import numpy as np
import pytest

from experiments.lib.statistics import (
    Controls,
    Estimate,
    SequentialTest,
    mean_by_deal,
    ratio_by_deal,
)


def test_mean_and_its_interval() -> None:
    estimate = mean_by_deal([1.0, 2.0, 3.0, 6.0])
    # Variance 14/3 of four deals: a standard error of sqrt(14/12).
    half = 1.959964 * np.sqrt(14 / 12)
    assert estimate.value == 3
    assert estimate.high - 3 == pytest.approx(half)
    assert 3 - estimate.low == pytest.approx(half)
    assert estimate.deals == 4


def test_interval_of_a_ratio_is_that_of_the_bootstrap_over_deals() -> None:
    rng = np.random.default_rng(0)
    luck = rng.random(2000)
    took = rng.binomial(2, luck)
    made = rng.binomial(took, luck)
    estimate = ratio_by_deal(made, took)
    draws = rng.integers(2000, size=(4000, 2000))
    ratios = made[draws].sum(axis=1) / took[draws].sum(axis=1)
    assert estimate.value == made.sum() / took.sum()
    low, high = np.quantile(ratios, [0.025, 0.975])
    assert estimate.low == pytest.approx(low, abs=0.002)
    assert estimate.high == pytest.approx(high, abs=0.002)


def test_intervals_cover_the_truth_19_times_in_20() -> None:
    rng = np.random.default_rng(1)
    estimates = [mean_by_deal(rng.normal(5, 100, 200)) for _ in range(2000)]
    covered = np.mean([e.low <= 5 <= e.high for e in estimates])
    assert covered == pytest.approx(0.95, abs=0.02)


def test_nothing_counted_is_nan() -> None:
    estimate = ratio_by_deal([0, 0, 0], [0, 0, 0])
    assert np.isnan([estimate.value, estimate.low, estimate.high]).all()


def test_text() -> None:
    estimate = Estimate(0.5, 0.25, 0.75, 10)
    assert estimate.text(scale=100) == "50.0 (25.0 to 75.0)"
    assert estimate.text(digits=2, sign=True) == "+0.50 (+0.25 to +0.75)"


def test_controls_take_out_what_they_explain() -> None:
    rng = np.random.default_rng(2)
    pool = rng.normal(size=(100_000, 2))
    played = rng.normal(size=(400, 2))
    luck = 30 * played[:, 0] - 40 * played[:, 1]
    values = 7 + luck + rng.normal(0, 10, 400)
    adjusted = Controls(played, pool).adjust(values)
    assert adjusted.estimate.low < 7 < adjusted.estimate.high
    assert adjusted.estimate.high - adjusted.estimate.low < 2.4
    assert adjusted.gain == pytest.approx((50**2 + 10**2) / 10**2, rel=0.2)
    assert adjusted.estimate.deals == 400


def test_useless_controls_gain_nothing_and_cost_little() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(5, 10, 500)
    adjusted = Controls(rng.normal(size=(900, 2)), rng.normal(size=(5000, 2))).adjust(values)
    assert adjusted.gain == pytest.approx(1, abs=0.02)
    assert adjusted.estimate.value == pytest.approx(values.mean(), abs=0.1)


def test_intervals_with_controls_cover_the_truth_also_with_a_small_pool() -> None:
    rng = np.random.default_rng(4)
    covered = []
    for _ in range(1000):
        played, pool = rng.normal(3, 2, size=(60, 1)), rng.normal(3, 2, size=(80, 1))
        values = 1 + 4 * (played[:, 0] - 3) + rng.normal(0, 3, 60)
        estimate = Controls(played, pool).adjust(values).estimate
        covered.append(estimate.low <= 1 <= estimate.high)
    assert np.mean(covered) == pytest.approx(0.945, abs=0.025)


def test_controls_need_more_deals_than_coefficients() -> None:
    with pytest.raises(ValueError, match="3 deals: use more than 3 with these controls"):
        Controls(np.zeros((3, 2)), np.zeros((9, 2))).adjust([1, 2, 3])


def run_to_verdict(test: SequentialTest, mean: float, rng: np.random.Generator) -> tuple[str, int]:
    values = rng.normal(mean, 40, 40_000)
    for deals in range(100, len(values) + 1, 100):
        verdict = test.verdict(values[:deals])
        if verdict is not None:
            return verdict, deals
    raise AssertionError("no verdict")


@pytest.mark.parametrize(
    ("mean", "verdict"), [(0, "not stronger"), (4, "stronger"), (-10, "not stronger")]
)
def test_sequential_test_errs_no_more_than_it_may(mean: float, verdict: str) -> None:
    test = SequentialTest(low=0, high=4, alpha=0.05, beta=0.05)
    rng = np.random.default_rng(5)
    runs = [run_to_verdict(test, mean, rng) for _ in range(400)]
    assert np.mean([said != verdict for said, _ in runs]) < 0.07
    # A test of these errors with a number of deals fixed beforehand needs 1082 of them.
    assert np.mean([deals for _, deals in runs]) < 800


def test_sequential_test_may_have_different_errors() -> None:
    values = np.tile([8.0, -6.0], 20)
    ratio = SequentialTest(-2, 2, 0.05, 0.05).log_ratio(values)
    assert ratio == pytest.approx(40 * 4 * 1 / values.var(ddof=1))
    low, high = np.exp(ratio) * 0.99, np.exp(ratio) * 1.01
    assert SequentialTest(-2, 2, 0.5 / low, 0.5).verdict(values) == "stronger"
    assert SequentialTest(-2, 2, 0.5 / high, 0.5).verdict(values) is None


def test_equal_players_give_no_verdict() -> None:
    test = SequentialTest(0, 4, 0.05, 0.05)
    assert test.log_ratio(np.zeros(500)) == 0
    assert test.verdict([3.0]) is None
