"""The action table, to and from text."""

from __future__ import annotations

import pytest

from belote_env.actions import (
    DECLARE,
    NUM_ACTIONS,
    PASS,
    SILENT,
    TAKE,
    IllegalActionError,
    action_name,
    parse_action,
)
from tests.reference import CARDS


def test_the_table_is_the_documented_one():
    names = [action_name(action) for action in range(NUM_ACTIONS)]

    calls = ["pass", "S", "H", "D", "C", "SA", "TA"]
    assert names == [*CARDS, *calls, "declare", "silent"]
    assert (PASS, TAKE, DECLARE, SILENT, NUM_ACTIONS) == (32, 33, 39, 40, 41)


def test_texts_and_ids_are_one_to_one():
    assert [parse_action(action_name(a)) for a in range(NUM_ACTIONS)] == list(range(NUM_ACTIONS))


@pytest.mark.parametrize("action", [-1, 41, 1000])
def test_an_id_outside_the_table_is_refused(action: int):
    with pytest.raises(ValueError, match=f"action {action} is outside 0-40"):
        action_name(action)


def test_a_wrong_text_is_refused_with_the_right_ones():
    with pytest.raises(ValueError, match=r"'double' is no action: use a card or one of pass, S, "):
        parse_action("double")
    with pytest.raises(ValueError, match="'7X' is no card"):
        parse_action("7X")


def test_an_illegal_action_is_a_value_error():
    assert issubclass(IllegalActionError, ValueError)
