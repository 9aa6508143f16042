"""What agents have in common that search at every decision.

Everything random in a decision follows from the agent's seed and what the seat has observed.  So a
decision is the same in any batch, process and order of games, and whatever the hidden cards are.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.search.knowledge import known_states
from belote_env import Agent, RuleSet
from belote_env.checks import check_array, check_number, require
from belote_env.engine.jit import kernel
from belote_env.engine.rng import mix, seed_key
from belote_env.rules import resolve

MOST_WORLDS: Final = 1_000_000
"""Most worlds of a decision: their states take 256 megabytes, and what they are worth 512."""
MOST_ITERATIONS: Final = 10_000_000
"""Most iterations of a decision: the trees take two gigabytes."""
MOST_MS: Final = 86_400_000
"""Most milliseconds of a decision, a day."""
MOST_THREADS: Final = 256
"""Most threads of an agent, each with a table or tree of its own."""


def check_time(time_ms: Any) -> float | None:
    """Milliseconds of a decision, more than none; None where something else limits it."""
    if time_ms is None:
        return None
    return check_number("time_ms", time_ms, above=True, most=MOST_MS)


@kernel
def _fold(seed: Any, seen: Any) -> Any:
    """A key made of a seed's and of all bytes of an observation, uint8 [D]."""
    key = seed
    for i in range(len(seen)):
        key = mix(key ^ seen[i] + np.uint64(i))
    return key


class SearchAgent(Agent):
    """Chooses one decision at a time, from what the seat knows and a key for its random numbers.

    Args:
        rules: the rule set that it is to play, of four players.
        seed: seed of its random numbers; fresh entropy for None.

    Raises:
        ValueError: if the rules are for two players, or the seed is none.
    """

    def __init__(self, rules: str | RuleSet = "classic", seed: int | None = None) -> None:
        self.rules = resolve(rules)
        require(self.rules.num_seats == 4, "rules", self.rules.id, "rules of four players")
        self._seed = seed_key(seed)

    @abstractmethod
    def decide(self, known: NDArray[Any], legal: NDArray[np.int64], key: np.uint64) -> int:
        """A legal action.

        Args:
            known: what the seat knows, a state, shape (1,) (`agents.search.knowledge`).
            legal: ids of its legal actions, at least two, ascending.
            key: key of the random stream of this decision.
        """

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """A legal action."""
        return int(self.act_batch(observation["observation"][None], mask[None])[0])

    def act_batch(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """A legal action for each row, one after the other.

        Raises:
            ValueError: if the observations are not those of the rules it plays, or the masks are
                not as many or allow nothing in a row.
        """
        known = known_states(self.rules, observations)
        shape = len(observations), self.rules.num_actions
        check_array("masks", masks, np.int8, shape, f"int8 of shape {shape}")
        legal = masks.any(axis=1)
        if not legal.all():
            raise ValueError(f"masks[{int(legal.argmin())}]: no action is legal, give one at least")
        actions = masks.argmax(axis=1)
        for i in np.flatnonzero(masks.sum(axis=1) > 1):
            key = _fold(self._seed, observations[i])
            actions[i] = self.decide(known[i : i + 1], np.flatnonzero(masks[i]), np.uint64(key))
        return actions
