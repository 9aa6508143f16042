"""Episodes: a deal or a match, one state moving from deal to deal (rules, section 12)."""

from __future__ import annotations

from typing import Any, Final

from belote_env.engine.dealing import clear_match, lay_out, start_match, start_next_deal
from belote_env.engine.jit import Record, kernel, merged
from belote_env.engine.scoring import settle

DEAL: Final = 0
MATCH: Final = 1
EPISODES: Final = ("deal", "match")


@merged
def end_deal(rules: Record, s: Record, episode: int) -> bool:
    """Enter a finished deal in its episode; True if the episode is over.

    A deal episode leaves nothing behind.  In a match the scores, the carry and the dealer move on
    and the next deal awaits `begin_deal`.
    """
    if episode == DEAL:
        return True
    settle(rules, s)
    return s.match_over != 0


@merged
def begin_deal(rules: Record, s: Record, episode_over: bool) -> None:
    """Deal the next deal of the stream: a new episode, or the match goes on."""
    if episode_over:
        start_match(rules, s)
    else:
        start_next_deal(rules, s)


@kernel
def start_match_at(rules: Record, states: Any, i: int) -> None:
    """`start_match` on state ``i`` of a batch (N,), ``rules`` of shape (1,)."""
    start_match(rules[0], states[i])


@kernel
def end_deal_at(rules: Record, states: Any, i: int, episode: int) -> bool:
    """`end_deal` on state ``i`` of a batch (N,), ``rules`` of shape (1,)."""
    return end_deal(rules[0], states[i], episode)


@kernel
def begin_deal_at(rules: Record, states: Any, i: int, episode_over: bool) -> None:
    """`begin_deal` on state ``i`` of a batch (N,), ``rules`` of shape (1,)."""
    begin_deal(rules[0], states[i], episode_over)


@kernel
def lay_out_at(rules: Record, states: Any, i: int, clear: bool) -> None:
    """Start a deal from the ``deck`` and ``dealer`` of state ``i``; ``clear`` opens a new match."""
    if clear:
        clear_match(states[i])
    lay_out(rules[0], states[i])
