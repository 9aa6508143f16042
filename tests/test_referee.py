"""The referee against the reference, on random questions, and what it refuses."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from belote_env import referee
from belote_env.actions import BID_NAMES
from belote_env.cards import CONTRACTS
from belote_env.engine.options import trick_point_total
from belote_env.engine.state import AUCTION
from belote_env.game import Game
from belote_env.rules import RuleSet, preset
from tests import reference_rules as reference
from tests.drawn_rules import draw_rules

ANNONCES = preset("classic_annonces")
SA_TA = preset("sans_tout_atout")
ARRAYS: list[Any] = [np.array(["H", "S"])]
GENERALE = preset("contree", generale=True)


def draw_contract(rng: random.Random, rs: RuleSet) -> str:
    return rng.choice(CONTRACTS if rs.sa_ta else CONTRACTS[:4])


def draw_count(rng: random.Random, rs: RuleSet) -> dict[str, Any]:
    """What a deal could be counted from; near ties and bids just made are frequent."""
    contract = draw_contract(rng, rs)
    takers = rng.randrange(2)
    capot_by = rng.choice([0, 1]) if rng.random() < 0.2 and rs.family != "two_player" else None
    belote = [0, 0]
    for _ in range({"SA": 0, "TA": 4}.get(contract, 1)):
        belote[rng.randrange(2)] += rng.choice([0, 20])
    annonces = [0, 0]
    if rs.annonces:
        annonces[rng.randrange(2)] = rng.choice([0, 20, 50, 100, 150, 200, 270])
    count: dict[str, Any] = {"contract": contract, "taker_team": takers, "capot_by": capot_by}
    if rs.family == "auction":
        count |= draw_auction(rng, rs, contract, capot_by == takers)
    else:
        count["carry"] = rng.choice([0, 0, 81, 162])
    total = trick_point_total(rs, contract, capot=capot_by is not None)
    own = belote[takers] + annonces[takers]
    tie = (total + belote[1 - takers] + annonces[1 - takers] - own) // 2
    edges = [tie, tie - 1, tie + 1, total // 2, 82]
    if "bid" in count and isinstance(count["bid"][0], int):
        edges += [count["bid"][0] - own - short for short in (0, 0, 1)]
    taken = rng.choice([rng.randint(0, total), *edges])
    if capot_by is not None:
        taken = total if capot_by == takers else 0
    taken = min(max(taken, 0), total)
    return {
        **count,
        "points": (taken, total - taken) if takers == 0 else (total - taken, taken),
        "belote": tuple(belote),
        "annonces": tuple(annonces),
        "last_deal": rs.deals_per_party is not None and rng.random() < 0.5,
    }


def draw_auction(
    rng: random.Random, rs: RuleSet, contract: str, capot_by_takers: bool
) -> dict[str, Any]:
    """What was bid, so that a capot is often one that was bid."""
    levels = [*range(80, 161, 10), "capot", *(["generale"] if rs.generale else [])]
    level = rng.choice(levels[9:] if rng.random() < (0.6 if capot_by_takers else 0.1) else levels)
    return {
        "contract": rng.choice([contract, None]),
        "bid": (level, contract),
        "doubled": rng.choice([1, 1, 2, 4]),
        "alone": rng.random() < 0.5 if capot_by_takers else rng.choice([None, False]),
    }


def reference_score(rs: RuleSet, count: dict[str, Any]) -> reference.Score:
    if rs.family != "auction":
        return reference.score_deal(rs.options, **count)
    bid, contract = count["bid"]
    given = {name: count[name] for name in ("taker_team", "points", "capot_by", "belote")}
    return reference.score_auction_deal(
        rs.options,
        contract,
        str(bid),
        {1: None, 2: "coinche", 4: "surcoinche"}[count["doubled"]],
        taker_tricks=8 if count["alone"] else 4,
        annonces=count["annonces"],
        **given,
    )


def test_score_deal_agrees_with_the_reference() -> None:
    rng = random.Random(1)
    results: set[tuple[str, str]] = set()
    for _ in range(1000):
        rs = draw_rules(rng)
        for _ in range(5):
            count = draw_count(rng, rs)
            score = referee.score_deal(rs, **count)
            expected = reference_score(rs, count)
            assert (score.result, score.marks, score.carry) == (
                expected["result"],
                expected["marks"],
                expected["carry"],
            ), (rs.id, count)
            results.add((rs.family, score.result))
    played = {"made", "capot_taker", "chute", "litige"}
    assert results == {
        *(("turn_up", result) for result in played),
        *(("auction", result) for result in played - {"litige"}),
        *(("two_player", result) for result in played - {"capot_taker"}),
    }


TERMS = "tricks|capot|base|belote|annonces|bid|carry"


def test_every_line_of_a_count_adds_up_to_the_marks() -> None:
    rng = random.Random(2)
    for _ in range(500):
        rs = draw_rules(rng)
        count = draw_count(rng, rs)
        score = referee.score_deal(rs, **count)
        marks = dict(
            line.removeprefix("team ").split(" ", 1) for line in score.lines if " marks " in line
        )
        assert sorted(marks) == ["0", "1"]
        for team in range(2):
            side = "takers" if team == count["taker_team"] else "defence"
            words = marks[str(team)].removeprefix(f"({side}) marks ")
            sums, _, rounded = words.partition(", rounded to ")
            terms, _, total = sums.partition(" = ")
            parts = {name: int(n) for n, name in re.findall(rf"(\d+) ({TERMS})", terms)}
            for product, factor, value in re.findall(r"(\d+) \w+ \((\d+) x (\d+)\)", terms):
                assert int(product) == int(factor) * int(value)
            assert sum(parts.values()) == int(total or sum(parts.values()))
            assert int(rounded or sum(parts.values())) == score.marks[team], score.lines
            assert parts.get("belote", 0) == score.belote[team]
        assert score.lines[0].endswith(f": {score.result}")


def test_lines_say_what_decided_and_what_moved() -> None:
    assert referee.score_deal("classic", "H", 0, (75, 87), belote=(20, 0)).lines == (
        "takers have 75 tricks + 20 belote = 95, against 87 tricks: made",
        "team 0 (takers) marks 75 tricks + 20 belote = 95",
        "team 1 (defence) marks 87 tricks",
    )
    lost = ANNONCES.replace(belote_on_chute="lost", rounding="nearest10_5up")
    score = referee.score_deal(lost, "H", 1, (102, 60), belote=(0, 20), annonces=(0, 20), carry=81)
    assert score.lines == (
        "takers have 60 tricks + 20 belote + 20 annonces = 100, against 102 tricks: chute",
        "20 belote of the takers go to the defence",
        "20 annonces of the takers go to the defence",
        "team 1 (takers) marks 0",
        "team 0 (defence) marks 162 tricks + 20 belote + 20 annonces + 81 carry = 283,"
        " rounded to 280",
        "carry: 81 before this deal, 0 after it",
    )
    score = referee.score_deal(ANNONCES, "S", 0, (252, 0), 0, belote=(0, 20), annonces=(0, 50))
    assert score.lines == (
        "takers win every trick: capot_taker",
        "50 annonces of the defence go to the takers",
        "team 0 (takers) marks 252 tricks + 50 annonces = 302",
        "team 1 (defence) marks 20 belote",
    )
    assert referee.score_deal("classic", "S", 0, (0, 252), 1).lines[0] == (
        "takers win no trick: chute"
    )
    tricks = preset("classic", contract_test="82_in_tricks")
    assert referee.score_deal(tricks, "S", 0, (81, 81)).lines == (
        "takers have 81 in tricks, with 82 needed: litige",
        "team 0 (takers) marks 0",
        "team 1 (defence) marks 81 tricks",
        "carry: 0 before this deal, 81 after it",
    )
    again = preset("classic", litige="replay")
    assert "nothing is marked: the same dealer deals again" in (
        referee.score_deal(again, "S", 0, (81, 81)).lines
    )


def test_lines_of_bids() -> None:
    score = referee.score_deal(
        "contree", taker_team=1, points=(28, 134), belote=(20, 0), bid=(80, "H"), doubled=2
    )
    assert score.lines == (
        "takers have 134 tricks, with 80 needed: made",
        "coinched: times 2 on the bid",
        "20 belote of the defence go to the takers",
        "team 1 (takers) marks 162 base + 20 belote + 160 bid (2 x 80) = 342",
        "team 0 (defence) marks 0",
    )
    everything = preset(
        "coinche", multiplier_on="all", belote_on_chute="lost", rounding="nearest10_6up"
    )
    score = referee.score_deal(
        everything, "H", 0, (75, 87), None, (20, 0), (0, 50), bid=(90, "H"), doubled=4
    )
    assert score.lines == (
        "takers have 75 tricks + 20 belote = 95, with 90 and more than 87 tricks + 50 annonces ="
        " 137 needed: chute",
        "surcoinched: times 4 on the bid and the base",
        "20 belote of the takers go to the defence",
        "team 0 (takers) marks 0",
        "team 1 (defence) marks 640 base (4 x 160) + 20 belote + 50 annonces + 360 bid (4 x 90)"
        " = 1070",
    )
    assert referee.score_deal("contree", "S", 0, (100, 62), bid=(90, "S")).lines == (
        "takers have 100 tricks, with 90 needed: made",
        "team 0 (takers) marks 100 tricks + 90 bid = 190",
        "team 1 (defence) marks 62 tricks",
    )
    for alone, start in [(True, "all by the bidder"), (False, "not all by the bidder")]:
        score = referee.score_deal(
            GENERALE, "S", 0, (252, 0), 0, bid=("generale", "S"), alone=alone
        )
        assert score.lines[0] == (
            f"takers have 252 tricks, {start}, with generale needed: {score.result}"
        )
    chute = referee.score_deal("coinche", "S", 0, (0, 252), 1, bid=("capot", "S"), doubled=2)
    assert chute.lines[0] == "takers have 0, with capot and more than 252 tricks needed: chute"
    assert chute.lines[-1] == "team 1 (defence) marks 252 capot + 500 bid (2 x 250) = 752"


def bid_marks(
    rules: str, bid: str, doubled: int, takers: int, defence: int, **given: Any
) -> tuple[str, tuple[int, int]]:
    """Result and marks of a deal in which team 0 bid; 252 or 0 trick points are a capot."""
    value, contract = bid.split()
    capot_by = {252: 0, 0: 1}.get(takers)
    score = referee.score_deal(
        rules,
        taker_team=0,
        points=(takers, defence),
        capot_by=capot_by,
        bid=(int(value) if value.isdecimal() else value, contract),
        doubled=doubled,
        **given,
    )
    return score.result, score.marks


WORKED = [
    # The counts that colver agrees with (rules, section 9).
    ("contree", "80 H", 2, 134, 28, {"belote": (0, 20)}, "made", (162 + 160 + 20, 0)),
    ("contree", "110 H", 1, 80, 82, {"belote": (20, 0)}, "chute", (0, 162 + 110 + 20)),
    ("contree", "110 H", 1, 80, 82, {"belote": (0, 20)}, "chute", (0, 162 + 110 + 20)),
    ("contree", "80 H", 1, 0, 252, {}, "chute", (0, 162 + 80)),
    ("contree", "80 H", 2, 252, 0, {}, "capot_taker", (252 + 160, 0)),
    # Each mode, made, doubled and in chute.
    ("contree", "80 H", 1, 134, 28, {}, "made", (134 + 80, 28)),
    ("contree+score_mode=made", "80 H", 1, 134, 28, {}, "made", (134, 28)),
    ("contree+score_mode=made", "80 H", 2, 134, 28, {}, "made", (162, 0)),
    ("contree+score_mode=made", "80 H", 4, 70, 92, {}, "chute", (0, 162)),
    ("contree+score_mode=bid_only", "80 H", 1, 134, 28, {}, "made", (80, 0)),
    ("contree+score_mode=bid_only", "80 H", 2, 134, 28, {}, "made", (160, 0)),
    ("contree+score_mode=bid_only", "80 H", 1, 70, 92, {}, "chute", (0, 80)),
    ("contree+score_mode=bid_only", "80 H", 1, 134, 28, {"belote": (0, 20)}, "made", (80, 20)),
    # Multipliers, and what they multiply.
    ("contree", "80 H", 4, 134, 28, {}, "made", (162 + 3 * 80, 0)),
    ("contree_ffb", "80 H", 4, 134, 28, {}, "made", (160 + 4 * 80, 0)),
    ("contree+multiplier_on=all", "80 H", 2, 134, 28, {}, "made", (2 * (162 + 80), 0)),
    ("contree+multiplier_on=all", "90 H", 4, 70, 92, {}, "chute", (0, 3 * (162 + 90))),
    ("contree+doubled_loser=keeps", "80 H", 2, 134, 28, {}, "made", (162 + 160, 28)),
    # A capot by the defence, by `chute_capot`; rounding comes last.
    ("coinche", "80 H", 1, 0, 252, {}, "chute", (0, 252 + 80)),
    ("contree_ffb", "80 H", 1, 0, 252, {}, "chute", (0, 330)),
    ("contree_ffb", "110 H", 1, 117, 45, {}, "made", (230, 50)),
    ("contree_ffb+rounding=nearest10_6up", "110 H", 1, 117, 45, {}, "made", (230, 40)),
    # Bids of capot and générale.
    ("contree", "capot H", 1, 252, 0, {}, "capot_taker", (252 + 250, 0)),
    ("contree", "capot H", 1, 150, 12, {}, "chute", (0, 162 + 250)),
    ("contree+capot_bid=270", "capot H", 1, 252, 0, {}, "capot_taker", (252 + 270, 0)),
    ("contree+capot_bid=flat_500", "capot H", 1, 252, 0, {}, "capot_taker", (500, 0)),
    ("contree+capot_bid=flat_500", "capot H", 2, 252, 0, {}, "capot_taker", (1000, 0)),
    ("contree_ffb+capot_bid=flat_500", "capot H", 4, 252, 0, {}, "capot_taker", (2000, 0)),
    ("contree_ffb+capot_bid=flat_500", "capot H", 2, 0, 252, {}, "chute", (0, 1000)),
    (
        "coinche+capot_bid=flat_500+multiplier_on=all",
        "capot H",
        2,
        150,
        12,
        {"belote": (20, 0)},
        "chute",
        (20, 1000),
    ),
    ("contree+capot_bid=flat_500", "160 H", 1, 252, 0, {}, "capot_taker", (252 + 160, 0)),
    ("contree+generale=True", "generale H", 1, 252, 0, {"alone": True}, "capot_taker", (752, 0)),
    ("contree+generale=True", "generale H", 1, 252, 0, {"alone": False}, "chute", (0, 662)),
    ("contree+generale=True", "generale H", 2, 150, 12, {}, "chute", (0, 162 + 1000)),
    # The test: belote and annonces count, and with `need_majority` a tie is a chute.
    ("contree", "90 H", 1, 89, 73, {}, "chute", (0, 162 + 90)),
    ("contree", "90 H", 1, 70, 92, {"belote": (20, 0)}, "made", (70 + 20 + 90, 92)),
    ("contree", "80 H", 1, 80, 82, {}, "made", (160, 82)),
    ("coinche", "80 H", 1, 80, 82, {}, "chute", (0, 160 + 80)),
    ("coinche", "80 H", 1, 81, 81, {}, "chute", (0, 160 + 80)),
    ("coinche", "100 H", 1, 83, 79, {"annonces": (20, 0)}, "made", (83 + 20 + 100, 79)),
    ("coinche", "100 H", 1, 80, 82, {"annonces": (0, 50)}, "chute", (0, 160 + 100 + 50)),
    ("coinche", "100 H", 1, 110, 52, {"annonces": (0, 50)}, "made", (210, 102)),
    ("coinche", "130 H", 1, 110, 52, {"annonces": (20, 0)}, "made", (260, 52)),
    ("coinche", "140 H", 1, 110, 52, {"annonces": (20, 0)}, "chute", (0, 160 + 140 + 20)),
    ("coinche", "100 H", 2, 110, 52, {"annonces": (0, 50)}, "made", (160 + 200 + 50, 0)),
    # Belote kept and lost.
    ("coinche", "110 H", 1, 80, 82, {"belote": (20, 0)}, "chute", (20, 160 + 110)),
    ("coinche", "80 H", 2, 134, 28, {"belote": (0, 20)}, "made", (160 + 160, 20)),
    ("contree", "80 H", 1, 134, 28, {"belote": (0, 20)}, "made", (134 + 80, 28 + 20)),
    ("contree+sa_ta=True", "160 TA", 1, 80, 82, {"belote": (60, 20)}, "chute", (0, 402)),
    # Totals of `sa_ta_values`: raw, a capot at SA is 220.
    ("contree+sa_ta=True+sa_ta_values=raw", "80 SA", 1, 100, 30, {}, "made", (180, 30)),
]


@pytest.mark.parametrize(
    ("rules", "bid", "doubled", "takers", "defence", "given", "result", "marks"), WORKED
)
def test_bids_worked_by_hand(
    rules: str,
    bid: str,
    doubled: int,
    takers: int,
    defence: int,
    given: dict[str, Any],
    result: str,
    marks: tuple[int, int],
) -> None:
    assert bid_marks(rules, bid, doubled, takers, defence, **given) == (result, marks)


@pytest.mark.parametrize(
    ("rules", "points", "belote", "result", "marks", "carry"),
    [
        ("two_player", (82, 80), (0, 0), "made", (82, 80), 0),
        ("two_player", (75, 87), (20, 0), "made", (95, 87), 0),
        ("two_player", (81, 81), (0, 0), "chute", (0, 162), 0),
        ("two_player", (60, 102), (20, 0), "chute", (20, 162), 0),
        ("two_player+belote_on_chute=lost", (60, 102), (20, 0), "chute", (0, 182), 0),
        ("two_player", (162, 0), (0, 20), "made", (162, 20), 0),
        ("two_player", (0, 162), (0, 0), "chute", (0, 162), 0),
        ("two_player+litige=carry", (81, 81), (0, 0), "litige", (0, 81), 81),
    ],
)
def test_two_players_worked_by_hand(
    rules: str,
    points: tuple[int, int],
    belote: tuple[int, int],
    result: str,
    marks: tuple[int, int],
    carry: int,
) -> None:
    score = referee.score_deal(rules, "H", 0, points, belote=belote)
    assert (score.result, score.marks, score.carry) == (result, marks, carry)


def test_legal_cards_and_tricks_agree_with_the_reference() -> None:
    rng = random.Random(3)
    rs = draw_rules(rng)
    for number in range(1000):
        rs = draw_rules(rng) if number % 5 == 0 else rs
        contract = draw_contract(rng, rs)
        cards = rng.sample(reference.CARDS, rng.randint(1, 11))
        played = rng.randint(0, min(rs.num_seats - 1, len(cards) - 1))
        trick, hand = cards[:played], cards[played:][: 8 if rs.num_seats == 4 else 7]
        talon = rng.choice([0, 0, 2, 18]) if rs.family == "two_player" else None
        expected = hand if talon else reference.legal_cards(rs.options, contract, trick, hand)
        assert referee.legal_cards(rs, contract, trick, hand, talon) == sorted(
            expected, key=reference.CARDS.index
        ), (rs.id, contract, trick, hand, talon)
        trick, last = rng.sample(reference.CARDS, rs.num_seats), rng.random() < 0.5
        points = sum(reference.card_points(rs.options, contract, card) for card in trick)
        assert referee.trick_winner(rs, contract, trick) == reference.trick_winner(contract, trick)
        assert referee.trick_points(rs, contract, trick, last) == points + 10 * last


def test_no_card_is_owed_while_there_is_a_talon() -> None:
    hand = ["AH", "7H", "KD"]
    for talon in range(2, 19, 2):
        legal = referee.legal_cards("two_player", "H", ["TH"], hand, talon=talon)
        assert sorted(legal) == sorted(hand)
    assert referee.legal_cards("two_player", "H", ["TH"], hand, talon=0) == ["AH"]
    assert referee.legal_cards("two_player", "H", ["AS"], ["7H", "KD"], talon=0) == ["7H"]


def draw_call(rng: random.Random, legal: list[str]) -> str:
    """A call: often a pass or a low bid, so that auctions grow long, and a coinche if there is."""
    doubling = legal[-1:] if legal[-1].endswith("coinche") else []
    return rng.choice(["pass", "pass", *legal[:6], rng.choice(legal), *doubling])


def test_legal_calls_agree_with_the_reference() -> None:
    rng = random.Random(4)
    seen: set[str] = set()
    for _ in range(300):
        rs = draw_rules(rng)
        turned = None if rs.family == "auction" else rng.choice(reference.CARDS)
        dealer = rng.randrange(rs.num_seats)
        calls: list[str] = []
        while not calls or not reference.auction_over(rs.options, calls):
            expected = reference.legal_calls(rs.options, turned, calls)
            assert referee.legal_calls(rs, dealer, turned, calls) == expected
            calls.append(draw_call(rng, expected))
        assert referee.legal_calls(rs, dealer, turned, calls) == []
        seen |= {rs.family, *calls}
        seen |= {f"overbid in {rs.family}"} if len(set(calls)) > 2 else set()
    assert seen >= {"turn_up", "auction", "two_player", "coinche", "surcoinche", "160 S", "capot H"}
    assert seen >= {"overbid in turn_up", "overbid in auction"}


def test_legal_calls_of_an_auction() -> None:
    suits = "SHDC"
    bids = [f"{value} {suit}" for value in [*range(80, 161, 10), "capot"] for suit in suits]
    assert referee.legal_calls("contree", dealer=0) == ["pass", *bids]
    legal = referee.legal_calls("contree", dealer=3, calls=["pass", "150 H"])
    assert legal == ["pass", *bids[32:], "coinche"]
    assert referee.legal_calls("contree", 0, calls=["80 H", "coinche"]) == ["pass", "surcoinche"]
    assert referee.legal_calls("contree", 0, calls=["80 H", "coinche", "pass"]) == ["pass"]
    assert referee.legal_calls("contree", 0, calls=["80 H", "coinche", "surcoinche"]) == []
    assert referee.legal_calls("contree", 0, calls=["capot S"]) == ["pass", "coinche"]
    generale = [f"generale {suit}" for suit in suits]
    assert referee.legal_calls(GENERALE, 0, calls=["capot S"]) == ["pass", *generale, "coinche"]
    assert referee.legal_calls("contree", 0, calls=["pass"] * 4) == []


def test_two_players_speak_in_turn() -> None:
    assert referee.legal_calls("two_player", 0, "JH") == ["pass", "H"]
    assert referee.legal_calls("two_player", 1, "JH", ["pass"]) == ["pass", "H"]
    assert referee.legal_calls("two_player", 0, "JH", ["pass"] * 2) == ["pass", "S", "D", "C"]
    assert referee.legal_calls("two_player", 0, "JH", ["pass", "pass", "pass", "S"]) == []
    assert referee.legal_calls("two_player", 0, "JH", ["pass"] * 4) == []


def test_annonces_agree_with_the_reference() -> None:
    rng = random.Random(5)
    winners: set[int | None] = set()
    for _ in range(300):
        rs = draw_rules(rng)
        if rs.family == "two_player":
            continue
        rs = rs if rs.annonces else rs.replace(annonces=True)
        contract = draw_contract(rng, rs)
        suits = rng.sample("SHDC", 4)
        deck = [rank + suit for suit in suits for rank in reference.RANKS]
        for _ in range(rng.choice([4, 8, 16])):  # few swaps leave many annonces
            a, b = rng.randrange(32), rng.randrange(32)
            deck[a], deck[b] = deck[b], deck[a]
        hands = [deck[8 * seat : 8 * seat + 8] for seat in range(4)]
        expected = [reference.find_annonces(rs.options, contract, hand) for hand in hands]
        found = [referee.find_annonces(rs, contract, hand) for hand in hands]
        for ours, theirs in zip(found, expected, strict=True):
            assert {(a.kind, a.top, a.points) for a in ours} == {a[:3] for a in theirs}
        first = rng.randrange(4)
        texts = [[str(annonce) for annonce in annonces] for annonces in found]
        resolved = referee.resolve_annonces(rs, contract, texts, first=first)
        assert resolved == reference.resolve_annonces(rs.options, contract, expected, first)
        winners.add(resolved[0])
    assert winners == {None, 0, 1}


def test_annonces_of_the_issue() -> None:
    by_seat = [["tierce KD"], ["carre J"], [], ["cent AS"]]
    assert referee.resolve_annonces(ANNONCES, "H", by_seat) == (1, (0, 300))
    assert referee.resolve_annonces(ANNONCES, "H", [[], [], [], []]) == (None, (0, 0))
    tie = [["tierce KD"], ["tierce KS"], [], []]
    first = ANNONCES.replace(annonce_tie="first")
    assert referee.resolve_annonces(first, "H", tie, first=0) == (0, (20, 0))
    assert referee.resolve_annonces(first, "H", tie, first=1) == (1, (0, 20))
    hand = ["JS", "JH", "JD", "JC", "7S", "8S", "9S", "AC"]
    texts = [str(annonce) for annonce in referee.find_annonces(ANNONCES, "H", hand)]
    assert texts == ["carre J", "tierce 9S"]


@pytest.mark.parametrize("tolerance", ["once", "none", "always"])
@pytest.mark.parametrize("used", [False, True])
def test_belote_tolerance(tolerance: str, used: bool) -> None:
    rs = preset("classic", belote_tolerance=tolerance)
    forgiven = tolerance == "always" or (tolerance == "once" and not used)
    assert referee.belote_points(rs, "H", ["belote", None], "KQ", tolerance_used=used) == (
        20 if forgiven else 0
    )
    assert referee.belote_points(rs, "H", ["belote", "rebelote"], "QK", tolerance_used=used) == 20
    assert referee.belote_points(rs, "H", [None, None], "QK", tolerance_used=used) == 0


def test_belote_of_two_players() -> None:
    both = ["belote", "rebelote"]
    assert referee.belote_points("two_player", "H", both, "QK") == 20
    assert referee.belote_points("two_player", "H", [None, None], "QK") == 0
    assert referee.belote_points("two_player", "H", both, "KQ", same_hand=False) == 0


@pytest.mark.parametrize(
    "rules",
    [
        "sans_tout_atout",
        "contree+generale=True",
        "contree_ffb+annonces=True",
        "coinche+sa_ta=True+sa_ta_values=raw",
        "two_player",
    ],
)
def test_the_count_of_a_played_game(rules: str) -> None:
    """The state of a finished game, put to the referee, gives its own marks again."""
    counted = 0
    for seed in range(40):
        game = Game(rules, seed=seed)
        rng = random.Random(seed)
        while not game.over:
            legal = game.legal_actions()
            low = legal[:4] if game.state["phase"][0] == AUCTION else legal[-3:]
            game.step(rng.choice([*low, legal[-1]]))
        if game.state["taker"][0] < 0:
            continue
        score = referee.score_deal(game.rules, **count_of(game))
        assert list(score.marks) == game.state["marks"][0].tolist()
        assert list(score.belote) == game.state["belote_marks"][0].tolist()
        counted += 1
    assert counted > 20


def count_of(game: Game) -> dict[str, Any]:
    """What `score_deal` asks of a finished game under ``announce: auto``."""
    state = game.state[0]
    tricks = state["tricks"].tolist()
    count: dict[str, Any] = {
        "contract": CONTRACTS[state["contract"]],
        "taker_team": state["taker"] % 2,
        "points": state["points"],
        "capot_by": tricks.index(8) if 8 in tricks and game.rules.num_seats == 4 else None,
        "belote": _belote_of(game),
        "annonces": state["annonce_points"],
    }
    if game.rules.family == "auction":
        count["bid"] = (BID_NAMES[state["bid"] - 1], count["contract"])
        count["doubled"] = (1, 2, 4)[state["doubled"]]
        count["alone"] = bool(state["taker_tricks"] == 8)
    return count


def _belote_of(game: Game) -> tuple[int, int]:
    """Belotes said by team; under `auto` each that was begun is also completed."""
    said = [int(seat).bit_count() for seat in game.state["rebelote_said"][0]]
    return 20 * (said[0] + said[2]), 20 * (said[1] + said[3])


HAND = ["7S", "8S", "9H", "TD", "JC", "QC", "KC", "AC"]

REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: referee.legal_cards("classic", "H", [], []), "1 to 8 cards, got 0"),
    (lambda: referee.legal_cards("classic", "H", [], [*HAND, "AS"]), "1 to 8 cards, got 9"),
    (lambda: referee.legal_cards("classic", "H", [], ["1S"]), "'1S' is no card"),
    (lambda: referee.legal_cards("classic", "H", [], ["AS", "AS"]), "AS comes twice"),
    (lambda: referee.legal_cards("classic", "H", ["AS"], ["AS"]), "AS comes twice"),
    (lambda: referee.legal_cards("classic", "H", HAND[:4], ["AS"]), "7S 8S 9H TD is complete"),
    (lambda: referee.legal_cards("classic", "X", [], ["AS"]), "'X' is no contract"),
    (lambda: referee.legal_cards("classic", "SA", [], ["AS"]), "'SA' needs sa_ta=True"),
    (lambda: referee.legal_cards("clasic", "H", [], ["AS"]), "unknown rule set 'clasic'"),
    (lambda: referee.trick_winner("classic", "H", HAND[:3]), "has 4 cards, got 3"),
    (lambda: referee.trick_winner("classic", "H", HAND[:5]), "has 4 cards, got 5"),
    (lambda: referee.trick_points("classic", "H", [*HAND[:3], "7S"]), "7S comes twice"),
    (lambda: referee.find_annonces(ANNONCES, "H", HAND[:7]), "8 cards, got 7"),
    (lambda: referee.find_annonces("classic", "H", HAND), "'classic' have no annonces"),
    (lambda: referee.resolve_annonces(ANNONCES, "H", [[], []]), "4 seats, got 2"),
    (lambda: referee.resolve_annonces(ANNONCES, "H", [[], [], [], []], 4), "first=4"),
    (lambda: resolve("carre 7"), "seat 1: 'carre 7' is no annonce: a carre is one of 9, T, J"),
    (lambda: resolve("tierce 8S"), "'tierce 8S' is no annonce: a tierce is one of 9S, TS"),
    (lambda: resolve("cent TS"), "'cent TS' is no annonce: a cent is one of JS, QS"),
    (lambda: resolve("quinte AS"), "say tierce, cinquante, cent, carre"),
    (lambda: resolve("tierce KD", "tierce KD"), "'tierce KD' is said twice"),
    (lambda: resolve("tierce KD", "tierce QD"), "together: their cards are ['cinquante KD']"),
    (lambda: resolve("tierce 9D", "tierce QD"), "together: their cards are ['cent QD']"),
    (lambda: resolve("cent QD", "tierce AD"), "together: their cards are ['cent AD']"),
    (lambda: resolve("carre Q", "tierce KD"), "together: their cards are ['carre Q']"),
    (lambda: resolve("cent QD", "carre A"), "need 9 cards, of a hand of 8"),
    (lambda: referee.belote_points("classic", "H", ["belote"], "KQ"), "said=['belote']"),
    (lambda: referee.belote_points("classic", "H", ["rebelote", None], "KQ"), "said=['rebelote'"),
    (lambda: referee.belote_points("classic", "H", [None, None], "KK"), "order='KK'"),
    (lambda: referee.legal_calls("classic", 4, "JH", []), "dealer=4"),
    (lambda: referee.legal_calls("classic", 0, "XH", []), "'XH' is no card"),
    (lambda: calls("pass", "S"), "call 2 ('S'): seat 2 may call pass, H"),
    (lambda: calls("take H"), "call 1 ('take H'): seat 1 may call pass, H"),
    (lambda: calls("7S"), "call 1 ('7S'): seat 1 may call pass, H"),
    (lambda: calls("H", "pass"), "call 2 ('pass'): the auction is over"),
    (lambda: calls(*["pass"] * 9), "call 9 ('pass'): the auction is over"),
    (lambda: calls(*ARRAYS), "call 1 (array"),
    (lambda: referee.belote_points("classic", "H", [*ARRAYS, None], "KQ"), "said=[array"),
    (lambda: score(taker_team=2), "taker_team=2: use a whole number 0-1"),
    (lambda: score(taker_team=True), "taker_team=True"),
    *(
        (lambda wrong=wrong: score(doubled=wrong), f"doubled={wrong!r}: use 1 (not doubled)")
        for wrong in (True, 1.0, np.array([1, 2]))
    ),
    (lambda: score(contract=np.array(["H", "S"])), "is no contract: use one of"),
    (lambda: bid_score(contract=np.array(["H", "S"])), "is no contract: use one of"),
    (lambda: bid_score(bid=(80, np.array(["H", "S"]))), "is no contract: use one of"),
    (
        lambda: referee.score_deal(ANNONCES, "H", 0, (91, 71), annonces=(560, 0)),
        "annonces[0]=560: use a whole number 0-550",
    ),
    (lambda: score(points=(91, 70)), "sum to 162 at H, got 161"),
    (lambda: score(points=(252, 0)), "got 252; in a capot name the team in capot_by"),
    (lambda: score(points=(-1, 163)), "points[0]=-1"),
    (lambda: score(points=(91.0, 71)), "points[0]=91.0"),
    (lambda: score(points=(91, 71, 0)), "points=(91, 71, 0): give a number for team 0"),
    (lambda: score(points=(162, 0), capot_by=0), "that team has 252 at H and the other 0"),
    (lambda: score(points=(252, 0), capot_by=1), "capot by team 1 that team has 252"),
    (lambda: score(points=(252, 0), capot_by=2), "capot_by=2"),
    (lambda: score(belote=(20, 20)), "belote=(20, 20): a belote is 20 points, and a deal at H"),
    (lambda: score(belote=(10, 0)), "belote=(10, 0)"),
    (lambda: score(belote=(-20, 0)), "belote[0]=-20"),
    (lambda: referee.score_deal(SA_TA, "SA", 0, (91, 71), belote=(20, 0)), "SA has at most 0"),
    (lambda: referee.score_deal(SA_TA, "TA", 0, (91, 71), belote=(80, 20)), "TA has at most 4"),
    (lambda: score(annonces=(20, 0)), "'classic' have no annonces"),
    (lambda: referee.score_deal(ANNONCES, "H", 0, (91, 71), annonces=(20, 50)), "(20, 50): one"),
    (lambda: referee.score_deal(ANNONCES, "H", 0, (91, 71), annonces=(25, 0)), "multiple of 10"),
    (lambda: score(carry=-1), "carry=-1: use a whole number"),
    (lambda: score(last_deal=True), "last_deal=True: rules 'classic'"),
    (lambda: score(contract=None), "contract=None: say what was played"),
    (lambda: score(taker_team=None), "taker_team=None: use a whole number 0-1"),
    (lambda: score(points=None), "points=None: give a number for team 0"),
    (lambda: score(bid=(80, "H")), "bid=(80, 'H'): rules 'classic' have no bids; leave it out"),
    (lambda: score(doubled=2), "doubled=2: rules 'classic' have no bids"),
    (lambda: score(alone=False), "alone=False: rules 'classic' have no bids"),
    (lambda: bid_score(bid=None), "bid=None: give the value and the contract"),
    (lambda: bid_score(bid="80 H"), "bid='80 H': give the value and the contract"),
    (lambda: bid_score(bid=(80, "H", 2)), "such as (110, 'H')"),
    (lambda: bid_score(bid=(85, "H")), "bid=(85, 'H'): rules 'contree+generale=True' have bids of"),
    (lambda: bid_score(bid=(80.0, "H")), "160, capot, generale, not 80.0"),
    (lambda: bid_score("contree", bid=("generale", "H")), "160, capot, not 'generale'"),
    (lambda: bid_score(bid=(80, "X")), "'X' is no contract"),
    (lambda: bid_score(bid=(80, "SA")), "'SA' needs sa_ta=True"),
    (lambda: bid_score(contract="S"), "contract='S' is not that of bid=(80, 'H')"),
    (lambda: bid_score(doubled=3), "doubled=3: use 1 (not doubled), 2 (coinche) or 4"),
    (lambda: bid_score(doubled=True), "doubled=True"),
    (lambda: bid_score(doubled=2.0), "doubled=2.0"),
    (lambda: bid_score(carry=81), "carry=81: rules 'contree+generale=True' have no litige"),
    (lambda: bid_score(alone=True), "alone=True: the bidder's team has won every trick then"),
    (lambda: bid_score(alone=2), "alone=2: use True, False or None"),
    (lambda: bid_score(**CAPOT, bid=("generale", "H")), "alone=None: in a générale say whether"),
    (lambda: bid_score(annonces=(20, 0)), "have no annonces: set annonces=True"),
    (lambda: of_two(capot_by=0), "capot_by=0: rules 'two_player' have no capot"),
    (lambda: of_two(points=(252, 0)), "points[0]=252: use a whole number 0-162"),
    (lambda: of_two(bid=(80, "H")), "bid=(80, 'H'): rules 'two_player' have no bids"),
    (lambda: of_two(annonces=(20, 0)), "rules 'two_player' have no annonces"),
    (lambda: referee.legal_calls("contree", 0, "JH"), "turned='JH': rules 'contree' turn no card"),
    (lambda: referee.legal_calls("classic", 0), "turned=None: rules 'classic' turn a card"),
    (lambda: referee.legal_calls("two_player", 2, "JH"), "dealer=2: use a seat 0-1"),
    (lambda: bids("surcoinche"), "call 1 ('surcoinche'): seat 1 may call pass, 80 S"),
    (lambda: bids("coinche"), "call 1 ('coinche'): seat 1 may call pass, 80 S"),
    (lambda: bids("80 H", "80 S"), "call 2 ('80 S'): seat 2 may call pass, 90 S"),
    (lambda: bids("80 H", "pass", "coinche"), "call 3 ('coinche'): seat 3 may call pass, 90 S"),
    (lambda: bids("80 H", "coinche", "90 H"), "call 3 ('90 H'): seat 3 may call pass, surcoinche"),
    (lambda: bids("80 H", "coinche", "surcoinche", "pass"), "the auction is over before it"),
    (lambda: bids("generale S"), "call 1 ('generale S'): seat 1 may call pass"),
    (lambda: bids("80 SA"), "call 1 ('80 SA'): seat 1 may call pass"),
    (lambda: bids("80"), "call 1 ('80'): seat 1 may call pass"),
    (lambda: to_two(["AS"]), "talon=None: give the cards left in it, 0, 2, 4 ... 18"),
    (lambda: to_two(["AS"], 3), "talon=3: give the cards left in it"),
    (lambda: to_two(["AS"], 20), "talon=20: use a whole number 0-18"),
    (lambda: to_two(["AS", "KS"], 0), "the trick AS KS is complete"),
    (lambda: to_two([], 0, HAND), "a hand has 1 to 7 cards, got 8"),
    (lambda: referee.legal_cards("classic", "H", [], HAND, 0), "talon=0: rules 'classic' have no"),
    (lambda: referee.trick_winner("two_player", "H", HAND[:4]), "a trick has 2 cards, got 4"),
    (lambda: referee.trick_points("two_player", "H", ["AS"]), "a trick has 2 cards, got 1"),
    (lambda: referee.find_annonces("two_player", "H", HAND), "'two_player' have no annonces"),
    (lambda: belote_of_two([None, "rebelote"]), "two players say both words at once, or none"),
    (lambda: belote_of_two(["belote", None]), "two players say both words at once, or none"),
    (lambda: belote_of_two([None, None], tolerance_used=True), "are forgiven nothing"),
    (lambda: referee.legal_cards("classic", "H", wrong(None), ["7H"]), "trick=None: use a list"),
    (lambda: referee.legal_cards("classic", "H", wrong("7S"), ["7H"]), "trick='7S': use a list"),
    (
        lambda: referee.legal_cards("classic", "H", [], wrong(None)),
        "hand=None: use a list of cards",
    ),
    (lambda: referee.legal_cards("classic", "H", [], wrong([1])), "1 is no card: write a rank"),
    (lambda: referee.legal_cards("classic", wrong(None), [], HAND), "None is no contract: use one"),
    (lambda: referee.trick_winner("classic", "H", wrong(None)), "trick=None: use a list of cards"),
    (lambda: referee.trick_points("classic", "H", wrong([1] * 4)), "1 is no card"),
    (lambda: referee.trick_points("classic", "H", HAND[:4], wrong("no")), "last='no': use True or"),
    (lambda: referee.find_annonces(ANNONCES, "H", wrong(None)), "hand=None: use a list of cards"),
    (lambda: referee.resolve_annonces(ANNONCES, "H", wrong(None)), "by_seat=None: use a list of"),
    (
        lambda: referee.resolve_annonces(ANNONCES, "H", wrong([[], [], None, []])),
        "by_seat[2]=None: use a list of annonces",
    ),
    (lambda: resolve(wrong(7)), "seat 1: 7 is no annonce: say tierce"),
    (
        lambda: referee.resolve_annonces(ANNONCES, "H", [["tierce KD"], ["cinquante AD"], [], []]),
        "seat 1: 'cinquante AD' needs JD, which seat 0 has in 'tierce KD': no card is in two hands",
    ),
    (
        lambda: referee.resolve_annonces(ANNONCES, "H", [[], [], [], []], wrong(True)),
        "first=True: use a seat 0-3",
    ),
    (lambda: referee.belote_points("classic", "H", wrong(None), "KQ"), "said=None: use a list"),
    (lambda: belote(order=wrong(["KQ"])), "order=['KQ']: use one of 'KQ', 'QK'"),
    (lambda: belote(same_hand=wrong(None)), "same_hand=None: use True or False"),
    (lambda: belote(tolerance_used=wrong("no")), "tolerance_used='no': use True or False"),
    (lambda: referee.legal_calls("classic", wrong(1.0), "JH"), "dealer=1.0: use a seat 0-3"),
    (lambda: referee.legal_calls("classic", wrong(True), "JH"), "dealer=True: use a seat 0-3"),
    (lambda: referee.legal_calls("classic", 0, wrong(3)), "3 is no card"),
    (lambda: referee.legal_calls("classic", 0, "JH", wrong(None)), "calls=None: use a list of"),
    (lambda: calls(wrong(None)), "call 1 (None): seat 1 may call"),
    (lambda: score(points=81), "points=81: give a number for team 0"),
    (lambda: score(belote=20), "belote=20: give a number for team 0"),
    (lambda: score(annonces="ab"), "annonces='ab': give a number for team 0"),
    (lambda: score(last_deal="no"), "last_deal='no': use True or False"),
    (lambda: score(contract=[]), "[] is no contract"),
    (lambda: bid_score(bid=80), "bid=80: give the value and the contract"),
    (lambda: bid_score(alone="yes"), "alone='yes': use True, False or None"),
]


def wrong(value: object) -> Any:
    """A value of a type that the types forbid."""
    return value


def belote(**given: Any) -> object:
    return referee.belote_points("classic", "H", ["belote", "rebelote"], **{"order": "KQ", **given})


CAPOT: dict[str, Any] = {"points": (252, 0), "capot_by": 0}


def bids(*texts: str) -> object:
    return referee.legal_calls("contree", 0, calls=texts)


def to_two(trick: list[str], talon: int | None = None, hand: Sequence[str] = ("7H",)) -> object:
    return referee.legal_cards("two_player", "H", trick, hand, talon)


def belote_of_two(said: list[str | None], **given: Any) -> object:
    return referee.belote_points("two_player", "H", said, "KQ", **given)


def resolve(*texts: str) -> object:
    return referee.resolve_annonces(ANNONCES, "H", [[], texts, [], []])


def test_annonces_of_one_hand_may_lie_side_by_side():
    """A ten that serves in a carré ends the run below it; runs with a gap are two."""
    by_seat = [["carre T", "tierce 9S"], ["tierce QH"], ["tierce KC", "tierce 9C"], []]

    assert referee.resolve_annonces(ANNONCES, "H", by_seat) == (0, (160, 0))
    reused = ANNONCES.replace(annonce_card_reuse=True)
    shared = [["carre Q", "tierce KS"], [], [], []]
    assert referee.resolve_annonces(reused, "H", shared) == (0, (120, 0))
    with pytest.raises(ValueError, match="together: their cards are"):
        referee.resolve_annonces(ANNONCES, "H", shared)


def calls(*texts: str) -> object:
    return referee.legal_calls("classic", 0, "JH", texts)


def score(**changes: Any) -> object:
    count: dict[str, Any] = {"contract": "H", "taker_team": 0, "points": (91, 71), **changes}
    return referee.score_deal("classic", **count)


def bid_score(rules: str | RuleSet = GENERALE, **changes: Any) -> object:
    count: dict[str, Any] = {"taker_team": 0, "points": (91, 71), "bid": (80, "H"), **changes}
    return referee.score_deal(rules, **count)


def of_two(**changes: Any) -> object:
    count: dict[str, Any] = {"contract": "H", "taker_team": 0, "points": (91, 71), **changes}
    return referee.score_deal("two_player", **count)


@pytest.mark.parametrize(("ask", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_refused(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        ask()


def test_numpy_numbers_are_numbers() -> None:
    points = np.array([91, 71], np.int16)
    counted = referee.score_deal("classic", "H", 0, (points[0], points[1]), carry=int(points[1]))
    assert counted.marks == (162, 71)
    assert all(type(number) is int for number in (*counted.marks, counted.carry))
