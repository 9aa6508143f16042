from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from belote_env import SelfPlayVectorEnv
from experiments.lib.seeds import LIMIT, STREAMS, stream_rng, stream_seed


def test_no_two_uses_share_a_seed() -> None:
    edges = (0, 1, LIMIT - 1)
    seeds = {stream_seed(*use) for use in product(STREAMS, edges, edges)}
    assert len(seeds) == len(STREAMS) * 9
    assert min(seeds) >= 2**64


def test_streams_deal_different_cards() -> None:
    packs: set[bytes] = set()
    for stream in ("training_deals", "selection_deals", "evaluation_deals"):
        env = SelfPlayVectorEnv(500, seed=stream_seed(stream))
        env.reset()
        packs |= {deck.tobytes() for deck in env.states["deck"]}
    assert len(packs) == 1500


def test_generators_are_reproducible() -> None:
    first, again = (stream_rng("weights", 3, 4).random(5) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert (first != stream_rng("weights", 4, 3).random(5)).all()


def test_seeds_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="seed=-1: use an integer in 0-4294967295"):
        stream_seed("weights", -1)
    with pytest.raises(ValueError, match="index=4294967296"):
        stream_seed("weights", 0, LIMIT)
