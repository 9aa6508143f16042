"""The heuristic player's decisions, and whole deals by it, as kernels."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.heuristics.calls import choose_call
from agents.heuristics.play import choose_card
from agents.heuristics.weights import CALLS, PLAY, VERSIONS
from belote_env.actions import DECLARE
from belote_env.cards import NUM_CARDS, NUM_SEATS, SANS_ATOUT
from belote_env.engine import state
from belote_env.engine.dealing import start_match
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.options import AUCTION_FAMILY
from belote_env.engine.rng import draw, stream_key, substream
from belote_env.engine.rollout import pick
from belote_env.engine.step import legal_actions, step

RANDOM: Final = -1
"""Plays uniformly over the legal actions, in place of a version of the heuristic player."""
_LATEST: Final = len(VERSIONS) - 1
_RANDOM_STREAM: Final = np.uint64(0x72616E646F6D)
"""Sets the stream of random play apart from that of the deals."""


@part
def heuristic_action(rules: Record, s: Record) -> int:
    """What the heuristic player does in the place of the seat to act.

    Nothing that the seat does not know is looked at: of the hands only its own, of the pack only
    the turned card.  So it makes no difference whether it is given the whole deal or the seat's
    view of it (`seat_view`, `agents.search.knowledge`).

    Args:
        rules: record of `RULES_DTYPE`, of four players.
        s: record of `STATE_DTYPE`, of a deal that is not over.
    """
    return weighted_action(rules, s, PLAY, CALLS, _LATEST)


@part
def value_cards(rules: Record, s: Record, values: Any) -> int:
    """The card that the heuristic player plays, and what the legal ones are worth to it.

    Args:
        rules: record of `RULES_DTYPE`, of four players.
        s: record of `STATE_DTYPE`, of a deal in the play.
        values: float64 [32] to write, in card points: those of the legal cards if there are
            several.
    """
    return choose_card(rules, s, PLAY[_LATEST, _kind_of_play(s)], values)


@part
def _kind_of_play(s: Record) -> int:
    """Row of the weights of the play: for colours, SA, TA."""
    return 0 if s.contract < SANS_ATOUT else s.contract - SANS_ATOUT + 1


@part
def weighted_action(rules: Record, s: Record, play: Any, calls: Any, row: int) -> int:
    """`heuristic_action` by a row of given weights: ``play`` as `PLAY`, ``calls`` as `CALLS`.

    Records are taken from the tables only here: a row of a table is a view, whose references numba
    would count.
    """
    if s.phase == state.PLAY:
        return choose_card(rules, s, play[row, _kind_of_play(s)], None)
    if s.phase == state.AUCTION:
        return choose_call(rules, s, calls[row])
    return DECLARE


@kernel
def seat_views(rules: Record, states: Any, views: Any) -> None:
    """What the seats to act see of their deals, as states in which the rest is blank.

    Args:
        rules: rule data, shape (1,).
        states: deals in progress, shape (N,).
        views: states to write, shape (N,).
    """
    for i in range(len(states)):
        seat_view(rules[0], states[i], views, i)


@part
def seat_view(rules: Record, s: Record, views: Any, i: int) -> None:
    """Write what the seat to act sees of state ``s`` into ``views[i]``."""
    views[i] = s
    view = views[i]
    view.key = 0
    view.deal = 0
    for seat in range(NUM_SEATS):
        if seat != s.seat:
            view.hands[seat] = 0
    for place in range(NUM_CARDS):
        if rules.family == AUCTION_FAMILY or place != rules.turned:
            view.deck[place] = 0


@kernel
def choose_actions(rules: Record, states: Any, play: Any, calls: Any, row: int, out: Any) -> None:
    """What the heuristic player does in each state.

    Args:
        rules: rule data, shape (1,).
        states: deals in progress, as their seats to act know them, shape (N,).
        play: weights of the play, dtype `PLAY_DTYPE` [V, 3].
        calls: weights of the calls, dtype `CALL_DTYPE` [V].
        row: the row of both to play by.
        out: action ids, int64 [N].
    """
    for i in range(len(states)):
        out[i] = weighted_action(rules[0], states[i], play, calls, row)


@kernel
def play_deals_of(
    rules: Record, states: Any, seed: Any, first: int, sides: Any, play: Any, calls: Any, out: Any
) -> int:
    """Play whole deals from deal ``first`` of a seed on, one for each row of ``out``.

    Args:
        rules: rule data, shape (1,).
        states: scratch, one state, shape (1,).
        seed: key of the seed (uint64); deal k is the first deal of its environment k.
        first: the first deal.
        sides: who plays for each team, int64 [2]: a row of the weights, or RANDOM.
        play: weights of the play, dtype `PLAY_DTYPE` [V, 3].
        calls: weights of the calls, dtype `CALL_DTYPE` [V].
        out: dtype `OUTCOME_DTYPE` [N]: how the deals ended.

    Returns:
        The number of decisions.
    """
    r = rules[0]
    s = states[0]
    decisions = 0
    for i in range(len(out)):
        s.key = stream_key(seed, first + i)
        s.deal = 0
        start_match(r, s)
        stream = substream(seed ^ _RANDOM_STREAM, first + i)
        drawn = 0
        while s.phase != state.OVER:
            side = sides[s.seat & 1]
            if side == RANDOM:
                action = pick(legal_actions(r, s), draw(stream, drawn))
                drawn += 1
            else:
                action = weighted_action(r, s, play, calls, side)
            step(r, s, action)
            decisions += 1
        out[i].ended = True
        out[i].result = s.result
        out[i].contract = s.contract
        out[i].taker = s.taker
        for team in range(2):
            out[i].marks[team] = s.marks[team]
    return decisions
