"""Counter-based randomness: word ``i`` of a stream is a pure function of (key, i).

So deal ``k`` of environment ``e`` is the same whatever the batch size, the thread count or the
actions before it.  The mixing function is SplitMix64's finaliser (Steele, Lea and Flood 2014).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64, uint64

from belote_env.checks import check_seed
from belote_env.engine.jit import kernel, part

_GOLDEN = uint64(0x9E3779B97F4A7C15)
_MIX1 = uint64(0xBF58476D1CE4E5B9)
_MIX2 = uint64(0x94D049BB133111EB)
_S27 = uint64(27)
_S30 = uint64(30)
_S31 = uint64(31)
_S32 = uint64(32)
_LOW32 = uint64(0xFFFFFFFF)
_ONE = uint64(1)


@part
def mix(word: Any) -> Any:
    """A bijection of 64-bit words with good avalanche."""
    word = (word ^ (word >> _S30)) * _MIX1
    word = (word ^ (word >> _S27)) * _MIX2
    return word ^ (word >> _S31)


@part
def draw(key: Any, counter: int) -> Any:
    """Word ``counter`` (int) of the stream ``key`` (uint64), as uint64."""
    return mix(key + (uint64(counter) + _ONE) * _GOLDEN)


@part
def substream(key: Any, counter: int) -> Any:
    """Key of the independent stream ``counter`` under ``key``."""
    return mix(draw(key, counter) ^ _GOLDEN)


@part
def below(word: Any, bound: int) -> Any:
    """An int in [0, bound) from the high half of a word; its bias is under bound / 2**32."""
    return int64(((word >> _S32) * uint64(bound)) >> _S32)


@part
def below_low(word: Any, bound: int) -> Any:
    """An int in [0, bound) from the low half of a word."""
    return int64(((word & _LOW32) * uint64(bound)) >> _S32)


@kernel
def stream_key(seed: Any, environment: int) -> Any:
    """Key of the deals of one environment under a seed's key (uint64)."""
    return substream(seed, environment)


@kernel
def stream_keys(seed: Any, num: int) -> Any:
    """Keys of the deals of environments 0 to ``num`` - 1, uint64 [num]."""
    keys = np.empty(num, np.uint64)
    for i in range(num):
        keys[i] = stream_key(seed, i)
    return keys


def seed_key(seed: int | None) -> np.uint64:
    """Key of the stream of a user's seed; fresh entropy for None.

    Raises:
        ValueError: if the seed is negative or no integer.
    """
    return np.random.SeedSequence(check_seed(seed)).generate_state(1, np.uint64)[0]
