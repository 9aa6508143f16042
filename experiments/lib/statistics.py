"""Means and ratios with 95 % intervals, clustered by deal.

What happens in the plays of one deal is correlated, so the deal is the unit: a cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
