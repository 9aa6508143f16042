"""The random agent for batches: uniform over the legal actions, with a stream of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def uniform_actions(mask: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """One uniformly drawn legal action a row of ``mask`` [N, A], as ids [N]."""
    return np.where(mask, rng.random(mask.shape, np.float32), -1.0).argmax(axis=1)


class RandomPolicy:
    """Plays uniformly over the legal actions.

    Args:
        seed: seed of the agent's own random stream.
    """

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, obs: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """Actions [N] for a batch of masks [N, A]."""
        return uniform_actions(mask, self._rng)
