"""Which worlds a seat cannot tell from the true one, by the slow reference.

Nothing here knows how worlds are counted or drawn: the calls, cards and words of the deal are
played again on `tests.reference`, from the pack that makes a world, and must be legal and come to
the same public facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import action_name
from belote_env.cards import SUITS, card_name
from belote_env.engine.state import SPEECH, cards_played
from tests.agents.worlds import Position, packs
from tests.differential import expected_state
from tests.reference import Deal

PUBLIC: Final = (
    *("dealer", "phase", "seat", "calls", "num_calls", "contract", "taker", "bid", "doubled"),
    *("place", "fallen", "points", "tricks", "belote_said", "rebelote_said", "annonces_said"),
    *("shown", "annonce_team", "annonce_points"),
)
"""Fields of a state that everybody sees."""


def possible(position: Position, worlds: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which of some worlds (n, 4) agree with all that the seat has seen, bool [n]."""
    state = position.state
    line = [action_name(int(call)) for call in state["calls"][: state["num_calls"]]]
    line += [card_name(card) for card in cards_played(state)]
    seen = {field: state[field].tolist() for field in PUBLIC}
    own = int(state["hands"][position.seat])
    found = np.zeros(len(worlds), np.bool_)
    for i, deck in enumerate(packs(position, worlds)):
        deal = _replay(position, [card_name(card) for card in deck.tolist()], line)
        if deal is not None:
            known = expected_state(deal)
            found[i] = known["hands"][position.seat] == own and all(
                known[field] == value for field, value in seen.items()
            )
    return found


def _replay(position: Position, deck: Sequence[str], line: Sequence[str]) -> Deal | None:
    """The deal from a pack after the calls and cards of a line; None if one is not legal."""
    state = position.state
    deal = Deal(position.rules.options, int(state["dealer"]), deck)
    for number, action in enumerate(line, 1):
        if action not in deal.legal():
            return None
        deal.act(action)
        while deal.phase == "speech":
            asked = deal._to_say
            to_answer = number == len(line) and state["phase"] == SPEECH
            if to_answer and len(asked) == int(state["speech"]).bit_count():
                break
            deal.act("declare" if _said(state, deal.seat, action, asked[0]) else "silent")
    return deal


def _said(state: Any, seat: int | None, card: str, thing: str) -> bool:
    """Whether a seat said in the true deal what it may say with a card."""
    if thing == "annonces":
        return bool(state["annonces_said"][seat])
    suit = SUITS.index(card[1])
    return bool(state[f"{thing}_said"][seat] >> suit & 1)
