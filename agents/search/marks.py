"""From trick points to marks: what a deal is worth that the solver has played out."""

from __future__ import annotations

from numpy import int64

from agents.search.double_dummy import points_of
from belote_env.cards import HAND_SIZE
from belote_env.engine.jit import Record, part
from belote_env.engine.rollout import say_everything
from belote_env.engine.scoring import count_deal
from belote_env.engine.state import OVER


@part
def end_with(rules: Record, s: Record, margin: int) -> None:
    """End a deal with a margin of trick points, all being said that may be, and count it.

    Args:
        rules: record of `RULES_DTYPE` that the solver takes (`double_dummy.check_rules`).
        s: record of `STATE_DTYPE` in the play, with the cards of all seats; no générale, which is
            won by tricks of one seat.  The marks, with belote, annonces and carry, enter it.
        margin: of team 0, as the solver counts it.
    """
    contract = int64(s.contract)
    s.points[0], s.points[1] = points_of(rules, contract, margin)
    capot = abs(margin) == rules.capot_total[contract]
    s.tricks[0] = HAND_SIZE * (margin > 0) if capot else 1
    s.tricks[1] = HAND_SIZE - s.tricks[0]
    say_everything(rules, s)
    count_deal(rules, s, s.deals_played + 1 == rules.deals_per_party)
    s.phase = OVER
    s.seat = -1
