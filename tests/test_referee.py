"""The referee against the reference, on random questions, and what it refuses."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from belote_env import referee
from belote_env.cards import CONTRACTS
from belote_env.engine.options import trick_point_total
from belote_env.game import Game
from belote_env.rules import RuleSet, preset
from tests import reference
from tests.drawn_rules import draw_rules

ANNONCES = preset("classic_annonces")
SA_TA = preset("sans_tout_atout")


def draw_contract(rng: random.Random, rs: RuleSet) -> str:
    return rng.choice(CONTRACTS if rs.sa_ta else CONTRACTS[:4])


def draw_count(rng: random.Random, rs: RuleSet) -> dict[str, Any]:
    """What a deal could be counted from; near ties are frequent."""
    contract = draw_contract(rng, rs)
    taker_team = rng.randrange(2)
    capot_by = rng.choice([0, 1]) if rng.random() < 0.2 else None
    belote = [0, 0]
    for _ in range({"SA": 0, "TA": 4}.get(contract, 1)):
        belote[rng.randrange(2)] += rng.choice([0, 20])
    annonces = [0, 0]
    if rs.annonces:
        annonces[rng.randrange(2)] = rng.choice([0, 20, 50, 100, 150, 200, 270])
    total = trick_point_total(rs, contract, capot=capot_by is not None)
    tie = (total + belote[1] + annonces[1] - belote[0] - annonces[0]) // 2
    first = rng.choice([rng.randint(0, total), tie, tie - 1, tie + 1, total // 2, 82])
    if capot_by is not None:
        first = total if capot_by == 0 else 0
    first = min(max(first, 0), total)
    return {
        "contract": contract,
        "taker_team": taker_team,
        "points": (first, total - first),
        "capot_by": capot_by,
        "belote": tuple(belote),
        "annonces": tuple(annonces),
        "carry": rng.choice([0, 0, 81, 162]),
        "last_deal": rs.deals_per_party is not None and rng.random() < 0.5,
    }


def test_score_deal_agrees_with_the_reference() -> None:
    rng = random.Random(1)
    results: set[str] = set()
    for _ in range(600):
        rs = draw_rules(rng)
        for _ in range(5):
            count = draw_count(rng, rs)
            score = referee.score_deal(rs, **count)
            expected = reference.score_deal(rs.options, **count)
            assert (score.result, score.marks, score.carry) == (
                expected["result"],
                expected["marks"],
                expected["carry"],
            ), (rs.id, count)
            results.add(score.result)
    assert results == {"made", "capot_taker", "chute", "litige"}


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
            parts = {
                name: int(n)
                for n, name in re.findall(r"(\d+) (tricks|belote|annonces|carry)", terms)
            }
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


def test_legal_cards_and_tricks_agree_with_the_reference() -> None:
    rng = random.Random(3)
    rs = draw_rules(rng)
    for number in range(1000):
        rs = draw_rules(rng) if number % 5 == 0 else rs
        contract = draw_contract(rng, rs)
        cards = rng.sample(reference.CARDS, rng.randint(1, 11))
        played = rng.randint(0, min(3, len(cards) - 1))
        trick, hand = cards[:played], cards[played:][:8]
        expected = reference.legal_cards(rs.options, contract, trick, hand)
        assert referee.legal_cards(rs, contract, trick, hand) == sorted(
            expected, key=reference.CARDS.index
        ), (rs.id, contract, trick, hand)
        trick, last = rng.sample(reference.CARDS, 4), rng.random() < 0.5
        points = sum(reference.card_points(rs.options, contract, card) for card in trick)
        assert referee.trick_winner(rs, contract, trick) == reference.trick_winner(contract, trick)
        assert referee.trick_points(rs, contract, trick, last) == points + 10 * last


def test_legal_calls_agree_with_the_reference() -> None:
    rng = random.Random(4)
    overbid = 0
    for _ in range(200):
        rs = draw_rules(rng)
        turned, dealer = rng.choice(reference.CARDS), rng.randrange(4)
        calls: list[str] = []
        while not reference.auction_over(rs.options, calls):
            expected = reference.legal_calls(rs.options, turned, calls)
            assert referee.legal_calls(rs, dealer, turned, calls) == expected
            calls.append(rng.choice(["pass", "pass", *expected]))
        assert referee.legal_calls(rs, dealer, turned, calls) == []
        overbid += len(set(calls)) > 2
    assert overbid


def test_annonces_agree_with_the_reference() -> None:
    rng = random.Random(5)
    winners: set[int | None] = set()
    for _ in range(300):
        rs = draw_rules(rng)
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


def test_the_count_of_a_played_game() -> None:
    """The state of a finished game, put to the referee, gives its own marks again."""
    for seed in range(40):
        game = Game(SA_TA, seed=seed)
        rng = random.Random(seed)
        while not game.over:
            game.step(rng.choice(game.legal_actions()[-3:]))
        state = game.state[0]
        tricks = state["tricks"].tolist()
        score = referee.score_deal(
            SA_TA,
            contract=CONTRACTS[state["contract"]],
            taker_team=state["taker"] % 2,
            points=state["points"],
            capot_by=tricks.index(8) if 8 in tricks else None,
            belote=_belote_of(game),
            annonces=state["annonce_points"],
        )
        assert list(score.marks) == state["marks"].tolist()
        assert list(score.belote) == state["belote_marks"].tolist()


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
    (lambda: score(taker_team=2), "taker_team=2: use a whole number 0-1"),
    (lambda: score(taker_team=True), "taker_team=True"),
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
]


def resolve(*texts: str) -> object:
    return referee.resolve_annonces(ANNONCES, "H", [[], texts, [], []])


def calls(*texts: str) -> object:
    return referee.legal_calls("classic", 0, "JH", texts)


def score(**changes: Any) -> object:
    count: dict[str, Any] = {"taker_team": 0, "points": (91, 71), **changes}
    return referee.score_deal("classic", "H", **count)


@pytest.mark.parametrize(("ask", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_refused(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        ask()


def test_numpy_numbers_are_numbers() -> None:
    points = np.array([91, 71], np.int16)
    counted = referee.score_deal("classic", "H", 0, (points[0], points[1]), carry=int(points[1]))
    assert counted.marks == (162, 71)
    assert all(type(number) is int for number in (*counted.marks, counted.carry))
