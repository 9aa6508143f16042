"""Which worlds are likely in hindsight: those in which the opponents have played their best cards.

Where a card was not among the best with all hands seen, whoever played it could not know, or has
blundered.  That is rarer the better he plays, so a slip says how rare it is taken to be.  What
`agents.search.beliefs` asks, whether the heuristic player would have played the card, says less of
opponents who play better than that.  Partner's cards are left out: he knows no more than his hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64

from agents.search.beliefs import past_line
from agents.search.double_dummy import UNLIMITED, narrow
from agents.search.pack import lay_pack
from agents.search.solver_search import play, search, set_up, value_range
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


@part
def _value(
    rules: Record, s: Record, work: Any, table: Any, card: int, guess: int
) -> tuple[Any, bool]:
    """What the deal is worth to team 0 after a card, and whether the seat had no better one.

    Args:
        rules: record of `RULES_DTYPE`.
        s: the position.
        work: the same position.
        table: from `agents.search.solver_table.new_table`.
        card: one of several legal cards.
        guess: a likely value.
    """
    contract = int64(s.contract)
    root = int64(s.num_played)
    won = int64(s.points[0])
    lowest, highest = value_range(work, root)
    bounds = (won + lowest, won + highest)
    work[row(root) + GOOD_CARD] = -1
    only = int64(1) << card
    value, _ = narrow(rules, contract, work, table, root, only, won, bounds, guess, int64(2))
    goal = value if s.seat & 1 else value + 1
    reached = search(rules, contract, work, table, root, ~only, goal - won) >= goal - won
    return value, reached == (s.seat & 1 == 1)


@kernel
def judge_worlds(
    rules: Any,
    known: Any,
    worlds: Any,
    key: Any,
    most_cards: int,
    slip: float,
    table: Any,
    chances: Any,
) -> None:
    """How likely opponents who play well have played their cards, in some worlds.

    Args:
        rules: rule data, shape (1,), of four players.
        known: what the seat knows, a state of the play, shape (1,).
        worlds: uint32 [n, 4].
        key: key of a stream (uint64), for what worlds leave open.
        most_cards: in the hand of whose cards are judged.
        slip: how likely a card is that was not among the best, for one that was.
        table: from `agents.search.solver_table.new_table`.
        chances: to write, float64 [n], products over the cards.
    """
    r = rules[0]
    line = np.empty(len(known[0].calls) + NUM_CARDS, np.int64)
    length = past_line(known[0], line)
    first = (HAND_SIZE - most_cards) * NUM_SEATS
    states = known.copy()
    s = states[0]
    work = workspace()
    guess = int64(0)
    for k in range(len(worlds)):
        states[0] = known[0]
        for seat in range(NUM_SEATS):
            s.hands[seat] = worlds[k, seat]
        lay_pack(r, s, substream(key, k))
        lay_out(r, s)
        chances[k] = 1.0
        for i in range(length):
            action = line[i]
            if s.phase == PLAY and s.num_played >= first:
                if s.num_played == first:
                    begin_epoch(table)
                    set_up(r, s, work)
                    work[BUDGET] = UNLIMITED
                if s.seat & 1 and popcount(legal_actions(r, s)[0]) > 1:
                    guess, best = _value(r, s, work, table, action, guess)
                    if not best:
                        chances[k] *= slip
                play(work, int64(s.num_played), action)
            step(r, s, action)
            while s.phase == SPEECH and i + 1 < length:
                step(r, s, DECLARE if was_said(known[0], s) else SILENT)
