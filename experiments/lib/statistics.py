"""Means and ratios with 95 % intervals, clustered by deal, and a test that may stop early.

What happens in the plays of one deal is correlated, so the deal is the unit: a cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

NORMAL_95 = 1.959964
"""Standard errors on either side of the mean in a normal 95 % interval."""


@dataclass(frozen=True)
class Estimate:
    """A mean or ratio with its 95 % interval; NaN when there was nothing to count.

    Attributes:
        value: the estimate.
        low: lower end of the interval.
        high: upper end.
        deals: number of clusters.
    """

    value: float
    low: float
    high: float
    deals: int

    def text(self, digits: int = 1, scale: float = 1.0, sign: bool = False) -> str:
        """Such as ``"68.1 (66.4 to 69.8)"``, all multiplied by ``scale``."""
        form = f"{'+' if sign else ''}.{digits}f"
        value, low, high = (
            format(scale * number, form) for number in (self.value, self.low, self.high)
        )
        return f"{value} ({low} to {high})"


def ratio_by_deal(numerators: ArrayLike, denominators: ArrayLike) -> Estimate:
    """Sum of numerators over sum of denominators, one of each a deal [n].

    The interval is normal, with the linearised standard error of a ratio (Cochran 1977, section
    6.4), which for constant denominators is the plain one of a mean.
    """
    top: NDArray[Any] = np.asarray(numerators, float)
    bottom: NDArray[Any] = np.asarray(denominators, float)
    deals = len(top)
    total = bottom.sum()
    if deals < 2 or total == 0:
        return Estimate(top.sum() / total if total else np.nan, np.nan, np.nan, deals)
    value = top.sum() / total
    error = np.sqrt(deals * (top - value * bottom).var(ddof=1)) / total
    return Estimate(
        float(value), float(value - NORMAL_95 * error), float(value + NORMAL_95 * error), deals
    )


def mean_by_deal(values: ArrayLike) -> Estimate:
    """Mean of one value a deal [n]."""
    return ratio_by_deal(values, np.ones(len(np.asarray(values))))


@dataclass(frozen=True)
class Adjusted:
    """A mean made more precise by control variates.

    Attributes:
        estimate: the adjusted mean.
        gain: variance of the plain mean over that of the adjusted one.
    """

    estimate: Estimate
    gain: float


@dataclass(frozen=True)
class Controls:
    """Control variates: what is known of the deals, whoever plays them.

    Attributes:
        values: k numbers for each deal that is played [n, k].
        pool: the same for other deals [m, k]; their means are what is expected of any.
    """

    values: NDArray[np.float64]
    pool: NDArray[np.float64]

    def adjust(self, values: ArrayLike) -> Adjusted:
        """Mean of one value for each of the first n deals, less what their controls explain.

        The regression of the values on the controls, read at the means of the pool (double
        sampling, Cochran 1977, section 12.6).

        Raises:
            ValueError: if there are no more values than the regression has coefficients.
        """
        y: NDArray[Any] = np.asarray(values, float)
        x = np.column_stack([np.ones(len(y)), self.values[: len(y)] - self.pool.mean(axis=0)])
        free = len(y) - x.shape[1]
        if free < 1:
            raise ValueError(f"{len(y)} deals: use more than {x.shape[1]} with these controls")
        inverse = np.linalg.pinv(x.T @ x)
        coefficients = inverse @ x.T @ y
        residual = ((y - x @ coefficients) ** 2).sum() / free
        # The second term is the error of the pool's means.
        explained = (self.pool @ coefficients[1:]).var(ddof=1)
        variance = float(residual * inverse[0, 0] + explained / len(self.pool))
        value, half = float(coefficients[0]), NORMAL_95 * variance**0.5
        plain = float(y.var(ddof=1)) / len(y)
        return Adjusted(
            Estimate(value, value - half, value + half, len(y)),
            plain / variance if variance else float("nan"),
        )


Verdict = Literal["stronger", "not stronger"]


@dataclass(frozen=True)
class SequentialTest:
    """Tests whether a mean is high or low, on as few deals as that takes.

    Wald's sequential probability ratio test, with the sample variance in place of the unknown one;
    it ends when the likelihood ratio leaves ``(beta / (1 - alpha), (1 - beta) / alpha)``.

    Attributes:
        low: mean, in marks a deal, at which the answer should be "not stronger".
        high: mean at which it should be "stronger"; above ``low``.
        alpha: probability of "stronger" at ``low``.
        beta: probability of "not stronger" at ``high``.
    """

    low: float
    high: float
    alpha: float
    beta: float

    def log_ratio(self, values: ArrayLike) -> float:
        """Log of the likelihood ratio of one value a deal [n]; 0 if they are all the same."""
        marks: NDArray[Any] = np.asarray(values, float)
        variance = marks.var(ddof=1) if len(marks) > 1 else 0.0
        if not variance:
            return 0.0
        excess = marks.mean() - (self.low + self.high) / 2
        return float(len(marks) * (self.high - self.low) * excess / variance)

    def verdict(self, values: ArrayLike) -> Verdict | None:
        """The answer; None if more deals are needed."""
        ratio = self.log_ratio(values)
        if ratio >= log((1 - self.beta) / self.alpha):
            return "stronger"
        return "not stronger" if ratio <= log(self.beta / (1 - self.alpha)) else None
