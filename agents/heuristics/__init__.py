"""The heuristic player: what it knows of unseen cards, its bids, its cards, and its weights."""

from __future__ import annotations

from pathlib import Path

from belote_env.engine.jit import keep_fresh, kernel


@kernel
def _probe() -> None:
    """Never called: it knows the folder that numba has chosen for the kernels beside it."""


_AGENTS = Path(__file__).parents[1]
keep_fresh(_probe, _AGENTS / "heuristics", _AGENTS / "search")
