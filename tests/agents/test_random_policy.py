from __future__ import annotations

import numpy as np

from agents.random_policy import RandomPolicy

NOTHING = np.zeros((30_000, 0), np.uint8)
MASK = np.tile(np.array([0, 1, 0, 1, 1], np.int8), (30_000, 1))


def test_uniform_over_the_legal_actions() -> None:
    counts = np.bincount(RandomPolicy(0).act(NOTHING, MASK), minlength=5)
    assert counts[[0, 2]].tolist() == [0, 0]
    # Five standard deviations of a count.
    assert np.abs(counts[[1, 3, 4]] - 10_000).max() < 5 * np.sqrt(30_000 * 2 / 9)


def test_stream_is_its_own() -> None:
    first, again, other = (RandomPolicy(seed).act(NOTHING, MASK) for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).any()
