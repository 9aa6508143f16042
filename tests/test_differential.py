"""The kernels agree with the reference on every state, legal action and score."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from belote_env import referee
from belote_env.cards import CONTRACTS, SUITS
from belote_env.rules import INTEGER_OPTIONS, OPTIONS, RuleSet, option_values
from tests import reference, reference_rules
from tests.differential import DEALS_PER_TABLE, Tally, option_label, play_table
from tests.drawn_rules import draw_rules
from tests.reference_rules import BIDS, deal_totals, score_auction_deal, score_deal

DEALS = 20_000
SEED = 1
DOUBLED = {"plain": 1, "coinche": 2, "surcoinche": 4}


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
    assert tally.results.keys() >= {
        "void", "made", "capot_taker (capot)", "chute", "chute (capot)", "litige"
    }  # fmt: skip
    bids = [key.split() for key in tally.bids]
    assert {(bid, doubled) for bid, doubled, _ in bids} == set(product(BIDS, DOUBLED))
    assert {(bid, result) for bid, _, result in bids} == set(product(BIDS, ("made", "chute")))
    # From a surcoinche at once to auctions that go through every value and back to who passed.
    assert tally.calls.keys() >= set(range(3, 21))
    assert tally.cuts.keys() == set(range(3, 30))


@pytest.mark.parametrize(
    ("module", "name", "wrong", "difference"),
    [
        (reference, "legal_calls", lambda options, turned, calls: ["pass"], "legal"),
        (reference_rules, "TRUMP_VALUES", reference_rules.TRUMP_VALUES | {"9": 15}, "points"),
        (reference_rules, "CARRES", reference_rules.CARRES | {"Q": 90}, "annonce_points"),
        (reference_rules, "BIDS", BIDS[1:], "legal"),
        (reference, "PACKETS", reference.PACKETS | {"two_player": (2, 4)}, "hands"),
    ],
)
def test_a_disagreement_is_reported_with_its_place(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, wrong: object, difference: str
):
    monkeypatch.setattr(module, name, wrong)

    with pytest.raises(AssertionError, match=rf"{difference}: kernels .*, reference ") as error:
        play_tables(200)

    error.match(r"seed 1, table \d+, deal \d+, decision \d+")


def draw_count(rng: random.Random, rules: RuleSet) -> dict[str, Any]:
    """What may be counted at the end of a deal, likely or not: the arguments of both sides."""
    contract = rng.choice(CONTRACTS if rules.sa_ta else SUITS)
    plain, capot = deal_totals(rules.options, contract)
    capot_by = rng.choice((None, None, 0, 1)) if rules.family != "two_player" else None
    if capot_by is None:
        first = rng.choice((rng.randint(0, plain), rng.randint(plain // 2 - 2, plain // 2 + 2)))
        points = (first, plain - first)
    else:
        points = (0, capot) if capot_by else (capot, 0)
    belotes = rng.randint(0, {"SA": 0, "TA": 4}.get(contract, 1))
    belote = rng.randint(0, belotes)
    annonces = rng.choice((0, 20, 50, 100, 200, 400)) if rules.annonces else 0
    return {
        "contract": contract,
        "taker_team": rng.randrange(2),
        "points": points,
        "capot_by": capot_by,
        "belote": (20 * belote, 20 * (belotes - belote)),
        "annonces": rng.choice(((annonces, 0), (0, annonces))),
    }


def test_scores_of_any_count():
    """Far more than random deals come to: annonces above a capot, ties, every bid and doubling."""
    rng = random.Random(SEED)
    for rules in [draw_rules(rng) for _ in range(300)]:
        for _ in range(20):
            score_both_ways(rng, rules)


def score_both_ways(rng: random.Random, rules: RuleSet) -> None:
    count = draw_count(rng, rules)
    if rules.family == "auction":
        bid = rng.choice(BIDS if rules.generale else BIDS[:-1])
        doubled = rng.choice(list(DOUBLED))
        alone = count["capot_by"] == count["taker_team"] and rng.random() < 0.5
        expected = score_auction_deal(
            rules.options,
            bid=bid,
            doubled=None if doubled == "plain" else doubled,
            taker_tricks=8 if alone else 4,
            **count,
        )
        value = int(bid) if bid.isdecimal() else bid
        words = {"bid": (value, count.pop("contract")), "doubled": DOUBLED[doubled]}
        count |= words | {"alone": alone}
    else:
        count["carry"] = rng.choice((0, rng.randint(1, 300)))
        count["last_deal"] = rules.target is None and rng.random() < 0.5
        expected = score_deal(rules.options, **count)
    score = referee.score_deal(rules, **count)
    actual = {"result": score.result, "marks": score.marks, "carry": score.carry}
    assert actual == expected, (rules.id, count)
