"""How a deal may go on from anywhere: what an iteration of tree search ends with."""

from __future__ import annotations

from typing import Any, Final

from agents.heuristics.player import heuristic_action
from agents.search.double_dummy import UNLIMITED, bound_state
from agents.search.marks import end_with
from belote_env.actions import BID_GENERALE, DECLARE
from belote_env.cards import NUM_CARDS
from belote_env.engine.jit import Record, part
from belote_env.engine.options import ANNOUNCE_CHOICE
from belote_env.engine.rng import draw, substream
from belote_env.engine.rollout import pick, play_tricks
from belote_env.engine.state import AUCTION, OVER, PLAY, SPEECH
from belote_env.engine.step import legal_actions, step

RANDOM: Final = 0
HEURISTIC: Final = 1
POLICIES: Final = {"random": RANDOM, "heuristic": HEURISTIC}
"""How cards are played on: uniformly over the legal ones, or by the heuristic player."""


@part
def _can_hurry(rules: Record, s: Record) -> Any:
    """Whether `play_tricks` may play what is left."""
    return s.phase == PLAY and s.num_played & 3 == 0 and rules.announce != ANNOUNCE_CHOICE


@part
def play_on(rules: Record, s: Record, policy: int, stop: int, stream: Any) -> None:
    """Play a deal on until a number of cards has fallen or it is over.

    Calls are the heuristic player's in any case, since deals at random contracts tell little; and
    all is said that may be.

    Args:
        rules: record of `RULES_DTYPE`, of four players.
        s: record of `STATE_DTYPE`, with the cards of all seats.
        policy: RANDOM or HEURISTIC.
        stop: stop once so many cards have fallen; 32 to play to the end.
        stream: key of the stream to draw from (uint64).
    """
    drawn = 0
    while s.phase != OVER:
        if s.phase == PLAY and s.num_played >= stop:
            return
        if policy == RANDOM and stop == NUM_CARDS and _can_hurry(rules, s):
            last_deal = s.deals_played + 1 == rules.deals_per_party
            play_tricks(rules, s, stream, drawn, last_deal)
            return
        if s.phase == SPEECH:
            action = DECLARE
        elif policy == RANDOM and s.phase != AUCTION:
            action = pick(legal_actions(rules, s), draw(stream, drawn))
            drawn += 1
        else:
            action = heuristic_action(rules, s)
        step(rules, s, action)


@part
def finish(
    rules: Record, s: Record, policy: int, stop: int, stream: Any, work: Any, table: Any
) -> None:
    """Play a deal on until a number of cards has fallen; what it is then worth the solver says.

    A deal bid générale is played to its end: it is won by tricks of one seat, of which the solver
    knows nothing.

    Args:
        rules: record of `RULES_DTYPE`, of four players.
        s: record of `STATE_DTYPE`, with the cards of all seats; it is over afterwards.
        policy: as in `play_on`, like the next two.
        stop: 32 to play to the end.
        stream: key of the stream to draw from (uint64).
        work: of the solver, from `workspace`.
        table: of the solver, from `new_table`.
    """
    play_on(rules, s, policy, stop, stream)
    if s.phase == OVER:
        return
    if s.bid == BID_GENERALE + 1:
        play_on(rules, s, policy, NUM_CARDS, substream(stream, 0))
        return
    margin, _ = bound_state(rules, s, work, table, UNLIMITED)
    end_with(rules, s, margin)
