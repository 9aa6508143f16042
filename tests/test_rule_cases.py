"""Rule cases from the sources: what each text says must come out, through the referee."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from belote_env import referee
from belote_env.actions import parse_action
from belote_env.cards import CONTRACTS, NUM_CARDS, TA_POINTS, card_names, parse_card
from belote_env.engine.options import TURNED_PLACE, card_points, trick_point_total
from belote_env.engine.state import PLAY, VOID
from belote_env.game import Game
from belote_env.rules import PRESETS, RuleSet, option_values, preset

RULES = Path(__file__).with_name("cases") / "rules.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in RULES.read_text().splitlines()]

Fields = dict[str, Any]


def check_legal(rs: RuleSet, given: Fields, expect: Fields) -> Fields:
    legal = referee.legal_cards(
        rs, given["contract"], given["trick"], given["hand"], talon=given.get("talon")
    )
    return {"legal": sorted(legal, key=expect["legal"].index)}


def check_trick(rs: RuleSet, given: Fields, expect: Fields) -> Fields:
    contract, trick = given["contract"], given["trick"]
    return {
        "winner_index": referee.trick_winner(rs, contract, trick),
        "points": referee.trick_points(rs, contract, trick, last=given["last_trick"]),
    }


SCALES = {
    "SA A=19": ("SA", "scaled"),
    "TA 13/9/6/5/3/2": ("TA", "scaled"),
    "TA unscaled": ("TA", "raw"),
    "TA 14/9/6/5/3/1": ("TA", "pagat"),
}


def check_values(rs: RuleSet, given: Fields, expect: Fields) -> Fields:
    if given["scale"] not in SCALES:
        return check_refused_scale(given["scale"])
    contract, values = SCALES[given["scale"]]
    rs = rs.replace(sa_ta_values=values)
    return {
        "cards_total": card_points(rs)[CONTRACTS.index(contract)].sum(),
        "total_with_der": trick_point_total(rs, contract),
    }


def check_refused_scale(scale: str) -> Fields:
    """A published scale that does not sum to 162: no value of the option offers it."""
    points = dict(zip("J9ATKQ", map(int, scale.removeprefix("TA ").split("/")), strict=True))
    assert set(TA_POINTS) == set(option_values("sa_ta_values"))
    assert points not in TA_POINTS.values()
    return {
        "cards_total": 4 * sum(points.values()),
        "total_with_der": 4 * sum(points.values()) + 10,
    }


def check_deal_score(rs: RuleSet, given: Fields, expect: Fields) -> Fields:
    scores: list[Fields] = []
    for takers in range(2):
        score = referee.score_deal(
            rs,
            contract=given["contract"],
            taker_team=takers,
            points=by_team(takers, given["taker_trick_points"], given["defence_trick_points"]),
            capot_by=winner(takers, given["capot_by"]),
            belote=by_team(takers, given["belote"]["taker"], given["belote"]["defence"]),
            annonces=by_team(takers, given["annonces"]["taker"], given["annonces"]["defence"]),
            carry=given["carry_in"],
        )
        scores.append(
            {
                "result": score.result,
                "taker": score.marks[takers],
                "defence": score.marks[1 - takers],
                "carry": score.carry,
            }
        )
    assert scores[0] == scores[1]
    return scores[0]


def by_team(takers: int, taking: int, defending: int) -> tuple[int, int]:
    return (taking, defending) if takers == 0 else (defending, taking)


def winner(takers: int, capot_by: str | None) -> int | None:
    return {None: None, "taker": takers, "defence": 1 - takers}[capot_by]


def check_contract_score(rs: RuleSet, given: Fields, expect: Fields) -> Fields:
    if "split" in given:
        return check_rounding(rs, *given["split"])
    in_capot = trick_point_total(rs, "H", capot=True)
    annonces = given.get("annonces", {})
    scores: list[Fields] = []
    for takers in range(2):
        score = referee.score_deal(
            rs,
            taker_team=takers,
            points=by_team(takers, given.get("taker", in_capot), given.get("defence", 0)),
            capot_by=winner(takers, given.get("capot_by")),
            belote=by_team(takers, 20 * (given.get("belote") == "taker"), 0),
            annonces=by_team(takers, annonces.get("taker", 0), annonces.get("defence", 0)),
            bid=(given["bid"], "H"),
            doubled=given.get("coinche", 1),
        )
        match = referee.Match(rs, scores=by_team(takers, given.get("before", 0), 0))
        match.add(score)
        scores.append(
            {
                "result": score.result,
                "taker_marks": score.marks[takers],
                "defence_marks": score.marks[1 - takers],
                "after": match.scores[takers],
                "game_over": match.over,
            }
        )
    assert scores[0] == scores[1]
    return scores[0]


def check_rounding(rs: RuleSet, low: int, high: int) -> Fields:
    """Sums of the rounded marks of a deal in which each side marks its tricks alone."""
    sums: Fields = {}
    for name in ("5up", "6up"):
        rounded = rs.replace(score_mode="made", rounding=f"nearest10_{name}")
        score = referee.score_deal(rounded, taker_team=1, points=(low, high), bid=(80, "H"))
        sums[f"sum_{name}"] = sum(score.marks)
    return sums


def check_two_player(rs: RuleSet, given: Fields, expect: Fields) -> Fields:
    if "calls" in given:
        return {**check_void(rs, given["calls"]), "deal": "redeal"}
    if "stage" in given:
        return {"after_take": check_after_take, "count": check_tricks}[given["stage"]](rs)
    belote = given.get("belote", (0, 0))
    score = referee.score_deal(rs, "H", given["taker"], given["points"], belote=belote)
    return {
        "scores": list(score.marks),
        "result": {"made": "made", "chute": "dedans"}[score.result],
    }


def check_after_take(rs: RuleSet) -> Fields:
    takes: list[Fields] = []
    for taker in range(2):
        game = Game(rs, seed=1)
        game.start_from(pack(rs, "JH"), dealer=0)
        while game.seat != taker:
            game.step(parse_action("pass"))
        game.step(parse_action("H"))
        hands = [card_names(hand) for hand in game.state["hands"][0, :2]]
        assert "JH" in hands[taker]
        takes.append({"hands": [len(hand) for hand in hands], "talon": cards_in_talon(game)})
    assert takes[0] == takes[1]
    return takes[0]


def check_tricks(rs: RuleSet) -> Fields:
    """Tricks begun while there is a talon and after, in a deal played to its end."""
    game = Game(rs, seed=1)
    with_talon: list[bool] = []
    while not game.over:
        if game.state["phase"][0] == PLAY and game.state["num_played"][0] % 2 == 0:
            with_talon.append(cards_in_talon(game) > 0)
        game.step(game.legal_actions()[-1])
    assert with_talon == sorted(with_talon, reverse=True)
    return {
        "phase1_tricks": with_talon.count(True),
        "phase2_tricks": with_talon.count(False),
        "total_tricks": int(game.state["tricks"][0].sum()),
    }


def cards_in_talon(game: Game) -> int:
    """Cards that are neither held nor played."""
    held = sum(int(hand).bit_count() for hand in game.state["hands"][0])
    return NUM_CARDS - held - int(game.state["num_played"][0])


def check_belote(rs: RuleSet, given: Fields, expect: Fields) -> Fields:
    points = referee.belote_points(
        rs,
        contract=given.get("contract") or given["trump"],
        said=given["said"],
        order=given["order"],
        same_hand=given["same_hand"],
        tolerance_used=given.get("tolerance_used", False),
    )
    return {"belote_points": points}


def check_annonce_detect(rs: RuleSet, given: Fields, expect: Fields) -> Fields:
    found = referee.find_annonces(rs, given["contract"], given["hand"])
    return {"annonces": [["carre" if a.kind == "carre" else "seq", a.top, a.points] for a in found]}


def check_annonce_resolve(rs: RuleSet, given: Fields, expect: Fields) -> Fields:
    by_seat = [given["team0"], given["team1"], [], []]
    winner, points = referee.resolve_annonces(rs, given["contract"], by_seat)
    return {"winner": winner, "points": list(points)}


def check_bidding(rs: RuleSet, given: Fields, expect: Fields) -> Fields:
    if "taker_seat" in given:
        return check_take(rs, given)
    calls = given.get("calls", ["pass"] * 4 * (given.get("round", 1) - 1))
    calls = [call.removeprefix("take ") for call in calls]
    if "deal" in expect:
        return check_void(rs, calls)
    turned = None if rs.family == "auction" else given.get("turned", "JH")
    legal = referee.legal_calls(rs, dealer=0, turned=turned, calls=calls)
    game = Game(rs, seed=1)
    game.start_from(pack(rs, "JH"), dealer=0)
    for call in calls:
        game.step(parse_action(call))
    bids = list(dict.fromkeys(call.split()[0] for call in legal if " " in call))
    return {
        "actions": ["pass", *(f"take {call}" for call in legal[1:])],
        "next_actions": legal,
        "next_bids": bids,
        "next_min_bid": int(bids[0]) if bids and bids[0].isdecimal() else None,
        "coinche_allowed": "coinche" in legal,
        "auction": "over" if not legal else "open",
        "contract": CONTRACTS[int(game.state["contract"][0])],
    }


def check_take(rs: RuleSet, given: Fields) -> Fields:
    """The hands before and after a take in the first round."""
    game = Game(rs, seed=1)
    game.start_from(pack(rs, given["turned"]), dealer=0)
    before = [set(card_names(hand)) for hand in game.state["hands"][0]]
    while game.seat != given["taker_seat"]:
        game.step(parse_action("pass"))
    assert given["round"] == 1
    game.step(parse_action(given["turned"][1]))
    after = [set(card_names(hand)) for hand in game.state["hands"][0]]
    extra = [late - early for early, late in zip(before, after, strict=True)]
    taker = extra.pop(given["taker_seat"])
    assert given["turned"] in taker
    (others,) = {len(cards) for cards in extra}
    (size,) = {len(hand) for hand in after}
    return {
        "taker_extra": f"turned card + {len(taker) - 1}",
        "others_extra": others,
        "hand_size": size,
    }


def check_void(rs: RuleSet, calls: list[str]) -> Fields:
    """The deal after one that nobody took, in a played match and in one of deal scores."""
    game = Game(rs, "match", seed=1)
    game.start_from(pack(rs, "JH"), dealer=1)
    for call in calls:
        game.step(parse_action(call))
    assert game.over
    assert game.state["result"][0] == VOID
    assert not game.end_deal()
    match = referee.Match(rs, dealer=1)
    match.add_void()
    assert match.dealer == game.state["dealer"][0]
    assert match.deals_played == game.state["deals_played"][0] == 0
    assert list(match.scores) == game.state["scores"][0].tolist()
    return {
        "deal": "void",
        "next_dealer": {1: "same dealer", 2 % rs.num_seats: "next seat in play direction"}[
            match.dealer
        ],
        "scores": list(match.scores),
    }


def check_game_end(rs: RuleSet, given: Fields, expect: Fields) -> Fields:
    if "target" in given:
        rs = rs.replace(target=given["target"])
    if "format" in given:
        assert given["format"] == f"{rs.deals_per_party} menes"
        assert rs.target is None
    scores = tuple(given.get("before") or given.get("scores", (0, 0)))
    match = referee.Match(rs, scores=scores, deals_played=given.get("menes_played", 0))
    if "deal" in given:
        match.add(score_of(rs, given["deal"]), tricks=(5, 3))
    if "last_deal" in given:
        assert given["last_deal"] == "void"
        match.add_void()
    return {
        "over": match.over,
        "winner": match.winner,
        "scores": list(match.scores),
        "pending": match.pending,
        "menes_played": match.deals_played,
    }


def score_of(rs: RuleSet, deal: Fields) -> referee.DealScore:
    """The count of a deal of which a case gives the marks."""
    belote = deal["team0_belote"]
    made = deal["team0_status"] == "made"
    points = (deal["team0"] - belote, deal["team1"]) if made else (60, 102)
    score = referee.score_deal(rs, "H", 0, points, belote=(belote, 0))
    assert (score.result, score.marks) == (deal["team0_status"], (deal["team0"], deal["team1"]))
    return score


def pack(rs: RuleSet, turned: str) -> list[int]:
    """A pack in which a card is turned up, where the rules turn one."""
    deck = [card for card in range(NUM_CARDS) if card != parse_card(turned)]
    deck.insert(TURNED_PLACE[rs.family] or 0, parse_card(turned))
    return deck


CHECKS: dict[str, Callable[[RuleSet, Fields, Fields], Fields]] = {
    "legal": check_legal,
    "trick": check_trick,
    "values": check_values,
    "deal_score": check_deal_score,
    "contract_score": check_contract_score,
    "two_player": check_two_player,
    "belote": check_belote,
    "annonce_detect": check_annonce_detect,
    "annonce_resolve": check_annonce_resolve,
    "bidding": check_bidding,
    "game_end": check_game_end,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: Fields) -> None:
    given, expect = case["given"], case["expect"]
    rs = preset(case["preset"], **case["options"])
    actual = CHECKS[given["kind"]](rs, given, expect)
    assert {key: actual[key] for key in expect} == expect, case["why"]


def test_every_case_is_handled_once() -> None:
    assert len(CASES) == 124
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert {case["given"]["kind"] for case in CASES} == set(CHECKS)
    assert {case["preset"] for case in CASES} == set(PRESETS) - {"club_501", "contree_ffb"}
    assert all(case["expect"] for case in CASES)
