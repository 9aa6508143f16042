"""Agents with known choices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from belote_env import Agent


class Watcher(Agent):
    """Plays a function of what it sees, and keeps what it saw."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """The legal action that the bytes of the observation add up to."""
        vector = observation["observation"]
        self.seen.append(vector.tobytes() + mask.tobytes())
        legal = mask.nonzero()[0]
        return int(legal[int(vector.sum(dtype=np.int64)) % len(legal)])


class Lowest(Agent):
    """Plays the first legal action."""

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """The first legal action."""
        return int(mask.argmax())


class Cheat(Agent):
    """Plays the first action that is not legal."""

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """An illegal action."""
        return int(mask.argmin())
