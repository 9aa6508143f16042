"""One agent begins a deal and another ends it."""

from __future__ import annotations

import random

import numpy as np
import pytest

from agents.registry import make_agent
from belote_env.engine.state import AUCTION
from tests.agents.worlds import decisions, random_line
from tests.observing import observe


@pytest.mark.parametrize("tricks", [0, 3, 8])
def test_the_ending_begins_with_so_many_cards_in_hand(tricks: int):
    staged = make_agent(f"staged(opening=heuristic, ending=random(seed=1), tricks={tricks})")
    opening = make_agent("heuristic")
    for position in decisions(random_line(random.Random(2), "classic")):
        state = position.state
        seen, mask = observe("classic", np.array([state]), position.seat)
        ending = make_agent("random(seed=1)")
        staged_again = make_agent(
            f"staged(opening=heuristic, ending=random(seed=1), tricks={tricks})"
        )
        cards = int(state["hands"][position.seat]).bit_count()
        ends = cards <= tricks and state["phase"] != AUCTION
        expected = (ending if ends else opening).act_batch(seen, mask)[0]

        assert staged_again.act_batch(seen, mask)[0] == expected
        one = {"observation": seen[0], "action_mask": mask[0]}
        assert mask[0, staged.act(one, mask[0], {})]


@pytest.mark.parametrize("tricks", [-1, 9])
def test_a_deal_has_eight_tricks(tricks: int):
    with pytest.raises(ValueError, match=f"tricks={tricks}: use a whole number 0-8"):
        make_agent(f"staged(opening=heuristic, ending=random, tricks={tricks})")


def test_no_half_may_see_hidden_cards():
    with pytest.raises(ValueError, match="sees hidden cards"):
        make_agent("staged(opening=heuristic, ending=oracle)")
