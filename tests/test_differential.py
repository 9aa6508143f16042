"""The kernels agree with the reference on every state, legal action and score."""

from __future__ import annotations

import pytest

from belote_env.rules import INTEGER_OPTIONS, OPTIONS, option_values
from tests import reference
from tests.differential import DEALS_PER_TABLE, Tally, option_label, play_table

DEALS = 20_000
SEED = 1


def play_tables(count: int) -> Tally:
    tally = Tally()
    for index in range(count):
        tally.add(play_table(SEED, index))
    return tally


def test_kernels_agree_with_the_reference():
    tally = play_tables(DEALS // DEALS_PER_TABLE)

    assert tally.counts["deals"] == DEALS
    assert tally.counts["matches"] > 0
    assert tally.counts["blocked"] > 0
    assert tally.options.keys() == {
        option_label(option, value)
        for option in OPTIONS
        for value in ((None, 1) if option in INTEGER_OPTIONS else option_values(option))
    }
    assert tally.results.keys() == {
        "void", "made", "capot_taker (capot)", "chute", "chute (capot)", "litige"
    }  # fmt: skip
    assert tally.cuts.keys() == set(range(3, 30))


@pytest.mark.parametrize(
    ("name", "wrong", "difference"),
    [
        ("legal_calls", lambda options, turned, calls: ["pass"], "legal"),
        ("TRUMP_VALUES", reference.TRUMP_VALUES | {"9": 15}, "points"),
        ("CARRES", reference.CARRES | {"Q": 90}, "annonce_points"),
    ],
)
def test_a_disagreement_is_reported_with_its_place(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: object, difference: str
):
    monkeypatch.setattr(reference, name, wrong)

    with pytest.raises(AssertionError, match=rf"{difference}: kernels .*, reference ") as error:
        play_tables(200)

    error.match(r"seed 1, table \d+, deal \d+, decision \d+")
