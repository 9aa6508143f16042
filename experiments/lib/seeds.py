"""Seeds: every use of randomness has a stream of its own, named here and nowhere else.

So deals for training, selection and evaluation are different by construction, and so is an agent's
randomness from the deals'.  A seed is a number of 32-bit digits: stream, run, index.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from belote_env.checks import require

STREAMS: Final = (
    "weights",
    "training_deals",
    "training_calls",
    "training_choices",
    "selection_deals",
    "selection_opponent",
    "evaluation_deals",
    "evaluation_opponent",
    "tournament_deals",
    "tournament_players",
    "control_deals",
)
LIMIT: Final = 2**32
"""Seeds of runs and indices are below this."""


def stream_seed(stream: str, run: int = 0, index: int = 0) -> int:
    """Seed of part ``index`` of a stream of a run: no two uses share one.

    Streams that do not depend on the run (the deals that all runs are compared on) leave it at 0.
    """
    require(0 <= run < LIMIT, "seed", run, f"an integer in 0-{LIMIT - 1}")
    require(0 <= index < LIMIT, "index", index, f"an integer in 0-{LIMIT - 1}")
    # Counted from 1, so that no seed below 2**64 chosen by hand is among them.
    return (STREAMS.index(stream) + 1) * LIMIT**2 + run * LIMIT + index


def stream_rng(stream: str, run: int = 0, index: int = 0) -> np.random.Generator:
    """Generator of part ``index`` of a stream of a run."""
    return np.random.default_rng(stream_seed(stream, run, index))
