"""Matches and concours from deal scores: against the reference, and rule by rule."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from belote_env.game import Game
from belote_env.referee import Concours, DealScore, Match, score_deal
from belote_env.rules import RuleSet, preset
from tests import reference
from tests.drawn_rules import draw_rules
from tests.test_referee import count_of, draw_count

CLASSIC = preset("classic")
CONCOURS = preset("concours")
COUNTED = DealScore("made", (91, 71), 0, (), (0, 0), None)


def count(rs: RuleSet, points: tuple[int, int], taker: int = 0, **given: Any) -> DealScore:
    return score_deal(rs, "H", taker, points, **given)


def draw_tricks(rng: random.Random, rs: RuleSet, capot_by: int | None) -> tuple[int, int]:
    if rs.family == "two_player":  # without capot, a side may have won none
        first = rng.choice([0, rng.randint(1, 15), 16])
        return first, 16 - first
    first = rng.randint(1, 7) if capot_by is None else 8 * (capot_by == 0)
    return first, 8 - first


def test_matches_agree_with_the_reference() -> None:
    rng = random.Random(1)
    seen: set[str] = set()
    for _ in range(800):
        rs, scores = draw_rules(rng), (0, 0)
        if rs.target is not None:
            target = rng.choice([20, 82, 150, 300, 500])
            rs = rs.replace(target=target)
            start = rng.choice([0, target - 10, target - 20])  # a belote often reaches the target
            scores = rng.choice([(start, 0), (0, start)])
        dealer = rng.randrange(rs.num_seats)
        match, expected = Match(rs, scores, dealer=dealer), reference.Match(rs.options, dealer)
        expected.scores = list(scores)
        while not expected.over:
            add_random_deal(rng, rs, match, expected)
            assert list(match.scores) == expected.scores
            assert (match.carry, match.dealer) == (expected.carry, expected.dealer)
            assert match.deals_played == expected.deals_played
            assert match.pending == sorted(expected.blocked)
            assert (match.over, match.winner) == (expected.over, expected.winner)
            seen |= {f"pending in {rs.family}"} if match.pending else set()
            seen |= {f"carry in {rs.family}"} if match.carry else set()
    families = ("turn_up", "auction", "two_player")
    assert seen == {
        *(f"pending in {family}" for family in families),
        *(f"carry in {family}" for family in families if family != "auction"),
    }


def add_random_deal(
    rng: random.Random, rs: RuleSet, match: Match, expected: reference.Match
) -> None:
    deal: Any = SimpleNamespace(phase="over", tolerance_used=(False, False))
    if rng.random() < 0.2:
        match.add_void()
        deal.result, deal.next_carry = "void", expected.carry
        expected.add(deal)
        return
    given = draw_count(rng, rs)
    given |= {"carry": expected.carry, "last_deal": expected.last_deal}
    score = score_deal(rs, **given)
    deal.result, deal.marks, deal.next_carry = score.result, score.marks, score.carry
    deal.belote, deal.taker = score.belote, given["taker_team"]
    deal.tricks = draw_tricks(rng, rs, given["capot_by"])
    may_leave_out = rs.family != "two_player" or 0 not in deal.tricks
    match.add(score, tricks=None if may_leave_out and rng.random() < 0.5 else deal.tricks)
    expected.add(deal)


def test_a_played_match_counts_the_same() -> None:
    """The deals of match episodes, put into `Match` as scores, end where the game ends."""
    played = [
        "club_501",
        "concours",
        "classic+void_dealer=same",
        "contree",
        "contree_ffb+target=3000",
        "coinche+target=1000",
        "two_player",
        "two_player+litige=carry+target=301",
    ]
    for seed, rules in enumerate(played):
        game = Game(rules, "match", seed=seed)
        match = Match(rules, dealer=int(game.state["dealer"][0]))
        rng = random.Random(seed)
        over = False
        while not over:
            while not game.over:
                legal = game.legal_actions()
                game.step(rng.choice([legal[0], *legal]))
            state = game.state[0]
            if state["taker"] < 0:
                match.add_void()
            else:
                count = count_of(game)
                score = score_deal(rules, **count, carry=match.carry, last_deal=match.last_deal)
                match.add(score, tricks=state["tricks"].tolist())
            over = game.end_deal()
            state = game.state[0]
            assert list(match.scores) == state["scores"].tolist()
            assert (match.carry, match.dealer) == (state["carry"], state["dealer"])
            assert match.over == over
            if not over:
                game.begin_deal()
        assert match.winner == (None if game.state["winner"] < 0 else game.state["winner"])


def test_a_new_match() -> None:
    match = Match("classic")
    assert (match.scores, match.deals_played, match.carry, match.dealer) == ((0, 0), 0, 0, 0)
    assert (match.over, match.winner, match.pending, match.last_deal) == (False, None, [], False)


@pytest.mark.parametrize(
    ("rules", "scores", "deals_played", "winner"),
    [
        ("club_501", (501, 480), 0, 0),
        ("club_501", (480, 600), 7, 1),
        ("club_501", (502, 600), 7, 1),
        ("concours", (812, 790), 10, 0),
        ("concours", (500, 500), 10, None),
        ("classic+target_rule=exceed", (1000, 1001), 0, 1),
        ("two_player", (480, 501), 3, 1),
    ],
)
def test_scores_that_end_a_match(
    rules: str, scores: tuple[int, int], deals_played: int, winner: int | None
) -> None:
    match = Match(rules, scores, deals_played, carry=81)
    assert match.over
    assert match.winner == winner
    assert (match.scores, match.deals_played) == (scores, deals_played)
    assert match.carry == 0, "an open carry is lost"
    with pytest.raises(ValueError, match=f"the match is over at {scores[0]}-{scores[1]}"):
        match.add(count(match.rules, (91, 71)))
    with pytest.raises(ValueError, match="the match is over"):
        match.add_void()


@pytest.mark.parametrize(
    ("rules", "scores", "deals_played"),
    [
        ("classic", (1010, 1010), 0),
        ("classic+target_rule=exceed", (1000, 1000), 12),
        ("concours", (2000, 300), 9),
    ],
)
def test_scores_that_do_not(rules: str, scores: tuple[int, int], deals_played: int) -> None:
    match = Match(rules, scores, deals_played, carry=81, dealer=3)
    assert not match.over
    assert match.winner is None
    assert (match.scores, match.deals_played) == (scores, deals_played)
    assert (match.carry, match.dealer) == (81, 3)


def test_a_match_of_contree() -> None:
    match = Match("contree", scores=(1770, 1600), dealer=3)
    match.add_void()
    assert (match.dealer, match.deals_played) == (0, 0)
    match.add(score_deal("contree", taker_team=1, points=(28, 134), bid=(80, "H"), doubled=2))
    assert (match.scores, match.winner) == ((1770, 1922), None)
    match.add(score_deal("contree", taker_team=0, points=(117, 45), bid=(120, "S")), tricks=(6, 2))
    assert (match.scores, match.over, match.winner) == ((1770, 2204), True, 1)
    both = Match("contree_ffb", scores=(1770, 1960))
    both.add(score_deal("contree_ffb", taker_team=0, points=(117, 45), bid=(110, "H")))
    assert (both.scores, both.over, both.winner) == ((2000, 2010), True, 1)
    longest = Match("contree+target=3000", scores=(2999, 0))
    assert not longest.over
    longest.add(score_deal(longest.rules, taker_team=0, points=(82, 80), bid=(80, "H")))
    assert longest.winner == 0


def test_a_match_of_two() -> None:
    two = preset("two_player")
    match = Match(two, scores=(485, 300), dealer=1)
    match.add(count(two, (60, 102), belote=(20, 0)), tricks=(7, 9))
    assert (match.scores, match.pending, match.dealer) == ((505, 462), [0], 0)
    match.add(count(two, (0, 162), taker=0), tricks=(0, 16))
    assert (match.scores, match.winner) == ((505, 624), 1)
    match = Match(two, scores=(485, 100))
    match.add(count(two, (60, 102), belote=(20, 0)))
    match.add(count(two, (0, 162), taker=1), tricks=(0, 16))
    assert (match.scores, match.pending, match.over) == ((505, 424), [0], False)
    match.add(count(two, (0, 162), taker=0), tricks=(1, 15))
    assert (match.scores, match.pending, match.winner) == ((505, 586), [], 1)
    match = Match(two, scores=(485, 100))
    match.add(count(two, (60, 102), belote=(20, 0)))
    match.add(count(two, (62, 100), taker=1))
    assert (match.scores, match.winner) == ((567, 362), 0), "without tricks, each has won one"


def test_carry_goes_to_the_next_winner() -> None:
    match = Match("classic")
    match.add(count(CLASSIC, (81, 81)))
    assert (match.scores, match.carry, match.dealer) == ((0, 81), 81, 1)
    match.add_void()
    assert (match.carry, match.dealer, match.deals_played) == (81, 2, 1)
    match.add(count(CLASSIC, (100, 62), taker=1, carry=81))
    assert (match.scores, match.carry) == ((243, 81), 0)


def test_a_replayed_deal_is_no_mene() -> None:
    rs = CLASSIC.replace(litige="replay")
    match = Match(rs, carry=81)
    match.add(count(rs, (81, 81), carry=81))
    assert (match.scores, match.deals_played, match.dealer, match.carry) == ((0, 0), 0, 0, 81)


def blocked_match(finish: str = "blocked", **changes: Any) -> Match:
    """985 before; then a chute with belote: 1005, by the belote alone."""
    rs = CLASSIC.replace(belote_only_finish=finish, **changes)
    match = Match(rs, scores=(985, 400))
    match.add(count(rs, (60, 102), belote=(20, 0)), tricks=(3, 5))
    return match


def test_belote_alone_does_not_finish() -> None:
    match = blocked_match()
    assert (match.scores, match.pending, match.over) == ((1005, 562), [0], False)
    match.add(count(CLASSIC, (0, 252), taker=1, capot_by=1), tricks=(0, 8))
    assert (match.scores, match.pending, match.over) == ((1005, 814), [0], False)
    match.add(count(CLASSIC, (60, 102), taker=1), tricks=(1, 7))
    assert (match.scores, match.pending, match.winner) == ((1065, 916), [], 0)


def test_the_other_side_may_pass_a_blocked_one() -> None:
    match = blocked_match()
    match.add(count(CLASSIC, (0, 252), taker=1, capot_by=1))
    match.add(count(CLASSIC, (0, 252), taker=1, capot_by=1))
    assert (match.scores, match.winner) == ((1005, 1066), 1)


def test_a_blocked_side_cannot_win_in_that_deal() -> None:
    match = Match("classic", scores=(985, 840))
    match.add(count(CLASSIC, (60, 102), belote=(20, 0)))
    assert (match.scores, match.winner) == ((1005, 1002), 1)


def test_belote_only_finish_by_option() -> None:
    assert blocked_match("blocked_capot").winner == 0
    assert blocked_match("free").winner == 0
    rs = CLASSIC.replace(belote_only_finish="blocked_capot")
    match = Match(rs, scores=(985, 400))
    match.add(count(rs, (0, 252), taker=1, capot_by=1, belote=(20, 0)))
    assert (match.over, match.pending) == (False, [0])


def test_the_last_mene_of_a_party() -> None:
    match = Match("concours", scores=(700, 650), deals_played=9)
    assert match.last_deal
    litige = count(CONCOURS, (81, 81), last_deal=True)
    match.add(litige)
    assert (match.scores, match.winner, match.carry) == ((781, 731), 0, 0)


def test_deals_that_do_not_fit() -> None:
    match = Match("concours", deals_played=9, carry=81)
    with pytest.raises(ValueError, match="counted with carry=0, but the match carries 81"):
        match.add(count(CONCOURS, (91, 71)))
    with pytest.raises(ValueError, match=r"mène 10: count it with last_deal=True"):
        match.add(count(CONCOURS, (81, 81), carry=81))
    for tricks, capot in [((4, 3), {}), ((8, 0), {}), ((5, 3), {"capot_by": 0})]:
        points = (252, 0) if capot else (91, 71)
        with pytest.raises(ValueError, match="do not fit 8 tricks"):
            match.add(count(CONCOURS, points, carry=81, **capot), tricks=tricks)
    with pytest.raises(ValueError, match=r"tricks\[0\]=9"):
        match.add(count(CONCOURS, (91, 71), carry=81), tricks=(9, -1))
    assert (match.scores, match.deals_played, match.carry) == ((0, 0), 9, 81), "nothing changed"
    match = Match("concours", scores=(29_900, 0))
    with pytest.raises(ValueError, match="162 marks more than 29900 would take team 0 past 30000"):
        match.add(count(CONCOURS, (162, 0)))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scores": (-1, 0)}, r"scores\[0\]=-1: use a whole number 0-30000"),
        ({"scores": (0, 1.5)}, r"scores\[1\]=1.5"),
        ({"scores": (0,)}, r"scores=\(0,\): give a number for team 0"),
        ({"deals_played": 11}, "deals_played=11: use a whole number 0-10"),
        ({"carry": -81}, "carry=-81"),
        ({"dealer": 4}, "dealer=4: use a seat 0-3"),
    ],
)
def test_refused_starts(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Match("concours", **given)


def test_refused_starts_by_family() -> None:
    with pytest.raises(ValueError, match="carry=81: rules 'contree' have no litige"):
        Match("contree", carry=81)
    with pytest.raises(ValueError, match="dealer=2: use a seat 0-1"):
        Match("two_player", dealer=2)


def party(first: int, second: int) -> Match:
    return Match("concours", scores=(first, second), deals_played=10)


def test_a_concours_ranks_by_parties_won_then_points() -> None:
    concours = Concours("concours", ["north", "south", "west", "east"])
    for _ in range(3):
        concours.add("north", "south", party(900, 700))
        concours.add("west", "east", party(800, 750))
    assert not concours.over
    concours.add("south", "north", party(1000, 600))
    concours.add("east", "west", party(810, 810))
    assert concours.over
    ranking = [(s.team, s.parties, s.wins, s.points) for s in concours.ranking]
    assert ranking == [
        ("north", 4, 3, 3300),
        ("west", 4, 3, 3210),
        ("south", 4, 1, 3100),
        ("east", 4, 0, 3060),
    ]
    with pytest.raises(ValueError, match="'north' has played all its 4 parties"):
        concours.add("north", "east", party(900, 700))


def test_refused_parties() -> None:
    concours = Concours("concours", ["north", "south"])
    with pytest.raises(ValueError, match="unknown team 'west'; the teams are north, south"):
        concours.add("north", "west", party(900, 700))
    with pytest.raises(ValueError, match="'north' cannot meet itself"):
        concours.add("north", "north", party(900, 700))
    with pytest.raises(ValueError, match="not over: 3 mènes are played"):
        concours.add("north", "south", Match("concours", deals_played=3))
    with pytest.raises(ValueError, match="rules 'club_501', not 'concours'"):
        concours.add("north", "south", Match("club_501", scores=(501, 0)))
    assert {standing.parties for standing in concours.ranking} == {0}
    with pytest.raises(ValueError, match="'classic' have no parties"):
        Concours("classic", ["north", "south"])
    for teams in (["north"], ["north", "north"], []):
        with pytest.raises(ValueError, match="two names or more, all different"):
            Concours("concours", teams)


def test_a_count_written_down_by_hand_is_entered_as_it_is() -> None:
    match = Match("classic", scores=(985, 400))
    match.add(DealScore("chute", (20, 162), 0, (), (20, 0), None))
    assert (match.scores, match.over, match.pending) == ((1005, 562), False, [0])
    match = Match("classic", scores=(985, 900))
    match.add(DealScore("made", (67, 115), 0, (), (0, 20), None), tricks=(3, 5))
    assert (match.scores, match.over, match.winner) == ((1052, 1015), True, 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"result": "won"}, "result='won'"),
        ({"marks": (-5, 2)}, "marks"),
        ({"marks": (1.7, 2)}, "marks"),
        ({"belote": (99999, 0)}, "belote"),
        ({"carry": -7}, "carry"),
        ({"capot_by": 5}, "capot_by"),
    ],
)
def test_a_count_that_cannot_be_is_refused(given: dict[str, Any], message: str) -> None:
    fields: dict[str, Any] = {"result": "made", "marks": (91, 71), "carry": 0, "lines": ()}
    score = DealScore(**{**fields, "belote": (0, 0), "capot_by": None, **given})
    match = Match("classic")
    with pytest.raises(ValueError, match=message):
        match.add(score)
    assert match.scores == (0, 0)


@pytest.mark.parametrize(
    ("rules", "given", "message"),
    [
        ("classic", {"result": "capot_taker", "marks": (252, 0)}, "capot_by=None: use the takers'"),
        (
            "classic",
            {"result": "capot_taker", "marks": (252, 0), "capot_by": 0, "taker_team": 1},
            "capot_by=0: use taker_team=1",
        ),
        ("classic", {"capot_by": 0}, "result='made': use that of a capot by team 0"),
        ("classic", {"result": "litige", "capot_by": 1}, "result='litige': use that of a capot"),
        ("coinche", {"capot_by": 0, "taker_team": 0}, "result='made': use that of a capot"),
        ("classic", {"marks": (0, 0)}, r"marks=\(0, 0\): use those of a deal that was played"),
        ("classic", {"belote": (10, 0)}, r"belote=\(10, 0\): use 20 points for each, 20 in all"),
        ("classic", {"belote": (20, 20)}, r"belote=\(20, 20\): use 20 points for each, 20 in all"),
        ("sans_tout_atout", {"belote": (60, 40)}, r"belote=\(60, 40\): use 20 .*, 80 in all"),
        ("classic", {"marks": (10, 152), "belote": (20, 0)}, "the part of marks="),
        ("classic", {"carry": 81}, "carry=81: use 0 after result='made'"),
        ("classic", {"result": np.array([1, 2])}, "result=array.*: use one of"),
        ("classic", {"rules_hash": np.array([1, 2])}, "rules_hash=array.*: use that of"),
        ("classic", {"carry_in": np.array([1, 2])}, "carry_in=array.*: use a whole"),
    ],
)
def test_a_count_that_contradicts_itself_is_refused(
    rules: str, given: dict[str, Any], message: str
) -> None:
    match = Match(rules)
    with pytest.raises(ValueError, match=message):
        match.add(replace(COUNTED, **given))
    assert (match.scores, match.deals_played) == ((0, 0), 0)


def test_a_bid_may_be_made_by_annonces_alone() -> None:
    score = score_deal(
        "coinche+need_majority=False", None, 0, (0, 252), 1, annonces=(200, 0), bid=(80, "H")
    )
    assert (score.result, score.capot_by) == ("made", 1)
    Match("coinche+need_majority=False").add(score)


def test_a_count_that_the_family_does_not_have_is_refused() -> None:
    def hand(**given: Any) -> DealScore:
        fields: dict[str, Any] = {"result": "made", "marks": (91, 71), "carry": 0, "lines": ()}
        return DealScore(**{**fields, "belote": (0, 0), "capot_by": None, **given})

    refused: list[tuple[str, DealScore, str]] = [
        ("contree", hand(result="litige"), "result='litige': use one of 'made', 'capot_taker', "),
        ("contree", hand(carry=81), "carry=81: rules 'contree' have no litige"),
        ("classic+litige=chute", hand(result="litige"), "result='litige'"),
        ("two_player", hand(result="capot_taker"), "result='capot_taker': use one of 'made', "),
        ("two_player", hand(capot_by=0), "capot_by=0: rules 'two_player' have no capot"),
        ("coinche", hand(result="chute", marks=(80, 80)), "do not tell which team is in chute"),
    ]
    for rules, score, message in refused:
        match = Match(rules)
        with pytest.raises(ValueError, match=message):
            match.add(score)
        assert match.scores == (0, 0)
    match = Match("two_player")
    for tricks in [(8, 0), (17, -1), (9, 9)]:
        with pytest.raises(ValueError, match="tricks"):
            match.add(hand(), tricks=tricks)
    assert match.scores == (0, 0)
    match.add(hand(), tricks=(16, 0))
    assert match.scores == (91, 71)


def test_a_count_by_other_rules_is_refused() -> None:
    score = score_deal("classic_annonces", "H", 0, (91, 71), annonces=(200, 0))
    with pytest.raises(ValueError, match="counted by other rules than those of the match"):
        Match("concours").add(score)


@pytest.mark.parametrize(
    ("score", "tricks", "message"),
    [
        (None, None, "score=None: use a DealScore"),
        ((1, 2), None, r"score=\(1, 2\): use a DealScore"),
        (COUNTED, 3, "tricks=3: give a number for team 0"),
        (COUNTED, (True, 7), r"tricks\[0\]=True: use a whole number 0-8"),
        (replace(COUNTED, taker_team="x"), None, "taker_team='x': use a whole number 0-1"),
        (replace(COUNTED, last_deal="no"), None, "last_deal='no': use True or False"),
    ],
)
def test_what_is_no_deal_is_refused(score: Any, tricks: Any, message: str) -> None:
    match = Match("classic")
    with pytest.raises(ValueError, match=f"^{message}"):
        match.add(score, tricks)
    assert match.scores == (0, 0)


@pytest.mark.parametrize(
    ("teams", "message"),
    [
        ("ab", "teams='ab': use a list of names"),
        (None, "teams=None: use a list of names"),
        (3, "teams=3: use a list of names"),
        ([1, 2], r"teams\[0\]=1: use a name"),
        (["a", None], r"teams\[1\]=None: use a name"),
    ],
)
def test_what_are_no_teams_is_refused(teams: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        Concours("concours", teams)


def test_what_is_no_party_is_refused() -> None:
    concours, party = Concours("concours", ["a", "b"]), Match("concours", deals_played=10)
    wrong: Any = None
    with pytest.raises(ValueError, match=r"^party=None: use a Match"):
        concours.add("a", "b", wrong)
    with pytest.raises(ValueError, match=r"^team=None: use a name"):
        concours.add("a", wrong, party)
    assert not any(standing.parties for standing in concours.ranking)


def test_numbers_of_any_integer_type_start_a_match() -> None:
    given: dict[str, Any] = {
        "scores": (np.int64(90), np.int32(80)),
        "deals_played": np.uint8(2),
        "dealer": np.int64(3),
    }
    match = Match("concours", **given)
    assert (match.scores, match.deals_played, match.dealer) == ((90, 80), 2, 3)
