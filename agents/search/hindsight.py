"""Which worlds are likely in hindsight: those in which the opponents have played their best cards.

Where a card was not among the best with all hands seen, whoever played it could not know, or has
blundered.  That is rarer the better he plays, so a slip says how rare it is taken to be.  What
`agents.search.beliefs` asks, whether the heuristic player would have played the card, says less of
opponents who play better than that.  Partner's cards are left out: he knows no more than his hand.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy import int64

from agents.search.beliefs import past_line
from agents.search.double_dummy import FIRST_STEP, NEXT_STEP, narrow
from agents.search.pack import lay_pack
from agents.search.solver_search import play, search, set_up, take_back, value_range
from agents.search.solver_table import begin_epoch
from agents.search.solver_words import BUDGET, GOOD_CARD, row, workspace
from belote_env.actions import DECLARE, SILENT
from belote_env.cards import HAND_SIZE, NUM_CARDS, NUM_SEATS
from belote_env.engine.bits import popcount
from belote_env.engine.dealing import lay_out
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.rng import substream
from belote_env.engine.state import PLAY, SPEECH
from belote_env.engine.step import legal_actions, step, was_said

_FORCED: Final = -1


@part
def _enter_line(
    rules: Record, known: Record, s: Record, line: Any, length: int, first: int, work: Any, won: Any
) -> None:
    """Play a line in the deal laid out in ``s``, and its cards from a ply on in ``work`` too.

    ``won``, int64 [32], is to write from that ply on: the points of team 0 before each card, or
    _FORCED where there was no other.
    """
    for i in range(length):
        if s.phase == PLAY and s.num_played >= first:
            ply = int64(s.num_played)
            if ply == first:
                set_up(rules, s, work)
            won[ply] = s.points[0] if popcount(legal_actions(rules, s)[0]) > 1 else _FORCED
            play(work, ply, line[i])
        step(rules, s, line[i])
        while s.phase == SPEECH and i + 1 < length:
            step(rules, s, DECLARE if was_said(known, s) else SILENT)


@part
def _was_best(
    rules: Record,
    contract: int,
    work: Any,
    table: Any,
    ply: int,
    card: int,
    won: int,
    guess: int,
    stride: int,
) -> tuple[bool, Any]:
    """Whether a seat of team 1 had no better card, and what the deal is worth after the one played.

    Args:
        rules: record of `RULES_DTYPE`.
        contract: 0-5.
        work: the position.
        table: from `agents.search.solver_table.new_table`.
        ply: of the position.
        card: one of several legal cards; it counts as best if the budget is used up.
        won: points that team 0 has won.
        guess: a likely value.
        stride: how far off it may be, about.
    """
    work[row(ply) + GOOD_CARD] = -1
    lowest, highest = value_range(work, ply)
    bounds = (won + lowest, won + highest)
    only = int64(1) << card
    value, _ = narrow(rules, contract, work, table, ply, only, won, bounds, guess, stride)
    if work[BUDGET] < 0:
        return True, value
    # UNKNOWN is more than any value.
    return search(rules, contract, work, table, ply, ~only, value - won) >= value - won, value


@kernel
def judge_worlds(
    rules: Any,
    known: Any,
    worlds: Any,
    key: Any,
    most_cards: int,
    slip: float,
    budget: int,
    table: Any,
    chances: Any,
) -> None:
    """How likely opponents who play well have played their cards, in some worlds.

    The last card is judged first, as that is done soonest and is of use to those before it.

    Args:
        rules: rule data, shape (1,), of four players.
        known: what the seat knows, a state of the play, shape (1,).
        worlds: uint32 [n, 4].
        key: key of a stream (uint64), for what worlds leave open.
        most_cards: in the hand of whose cards are judged.
        slip: how likely a card is that was not among the best, for one that was.
        budget: how many cards the solver may play in a world; those not judged then count as best.
        table: from `agents.search.solver_table.new_table`.
        chances: to write, float64 [n], products over the cards.
    """
    r = rules[0]
    line = np.empty(len(known[0].calls) + NUM_CARDS, np.int64)
    length = past_line(known[0], line)
    first = int64(HAND_SIZE - most_cards) * NUM_SEATS
    states = known.copy()
    s = states[0]
    work = workspace()
    won = np.empty(NUM_CARDS, np.int64)
    for k in range(len(worlds)):
        states[0] = known[0]
        for seat in range(NUM_SEATS):
            s.hands[seat] = worlds[k, seat]
        lay_pack(r, s, substream(key, k))
        lay_out(r, s)
        begin_epoch(table)
        _enter_line(r, known[0], s, line, length, first, work, won)
        contract = int64(s.contract)
        chances[k] = 1.0
        work[BUDGET] = budget
        guess = int64(r.total[contract] >> 1)
        stride = int64(FIRST_STEP)
        ply = int64(s.num_played)
        i = length
        while ply > first and work[BUDGET] >= 0:
            ply -= 1
            i -= 1
            if take_back(work, ply) & 1 and won[ply] != _FORCED:
                best, guess = _was_best(
                    r, contract, work, table, ply, line[i], won[ply], guess, stride
                )
                stride = int64(NEXT_STEP)
                if not best:
                    chances[k] *= slip
