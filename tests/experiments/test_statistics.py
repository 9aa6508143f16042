from __future__ import annotations

import numpy as np
import pytest

from experiments.lib.statistics import Estimate, mean_by_deal, ratio_by_deal


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
