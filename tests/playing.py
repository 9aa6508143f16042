"""Ways to play the environments at random."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray


def pick(mask: NDArray[np.int8], rng: random.Random) -> int:
    """A random legal action."""
    return rng.choice(mask.nonzero()[0].tolist())


def pick_each(mask: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action of each row."""
    return (mask * rng.random(mask.shape)).argmax(axis=1)


def play_on(env: Any, rng: random.Random, steps: int = 2**31) -> list[tuple[Any, ...]]:
    """Step an AEC environment to its end or for some steps; what was seen and done on the way."""
    line: list[tuple[Any, ...]] = []
    for agent in env.agent_iter(steps):
        observation, reward, termination, truncation, info = env.last()
        action = None if termination or truncation else pick(info["action_mask"], rng)
        seen = tuple(observation[key].tobytes() for key in ("observation", "action_mask"))
        line.append((agent, *seen, reward, termination, truncation, action))
        env.step(action)
    return line
