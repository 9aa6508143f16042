"""The reference in the games of sections 8 and 9, against cases worked out by hand."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.reference import Deal, Match
from tests.reference_rules import (
    BIDS,
    CARDS,
    auction_over,
    deal_totals,
    legal_calls,
    legal_cards,
    score_auction_deal,
    score_deal,
)

TWO_PLAYERS: dict[str, Any] = {"family": "two_player", "litige": "chute", "target": 501}
CONTREE: dict[str, Any] = {
    "family": "auction",
    "undertrump": "may_discard",
    "chute_capot": "plain",
    "belote_on_chute": "lost",
    "target": 2000,
    "belote_only_finish": "free",
}
COINCHE: dict[str, Any] = CONTREE | {
    "chute_base": 160,
    "chute_capot": "capot",
    "surcoinche_multiplier": 4,
    "need_majority": True,
    "belote_on_chute": "kept",
    "annonces": True,
    "belote_only_finish": "blocked",
}
AUCTION_CHOICES: dict[str, list[Any]] = {
    "sa_ta": [False, True],
    "sa_ta_values": ["scaled", "raw"],
    "announce": ["auto", "choice"],
    "annonces": [False, True],
    "belote_on_chute": ["kept", "lost"],
    "need_majority": [False, True],
    "score_mode": ["made_plus_bid", "made", "bid_only"],
    "multiplier_on": ["bid", "all"],
    "doubled_loser": ["zero", "keeps"],
    "generale": [False, True],
}


def act(deal: Deal, texts: Sequence[str] | str) -> Deal:
    for text in texts.split() if isinstance(texts, str) else texts:
        deal.act(text)
    return deal


# Section 8

# Dealer 1, trump H: seat 0 gets spades and hearts, seat 1 diamonds and clubs, as long as seat 0
# takes the turned card and wins every trick.
TWO_HANDS = ["QH AS TS KS QS JS", "7D 8D 9D TD JD QD"]
TURNED, NEXT = "7H", "KD"
DRAWS = ["KH 8H 9H TH JH AH 9S 8S 7S", "AD 7C 8C 9C TC JC QC KC AC"]


def two_players(**options: Any) -> Deal:
    first, second = (hand.split() for hand in TWO_HANDS)
    talon = [card for pair in zip(*map(str.split, DRAWS), strict=True) for card in pair]
    deck = [*first[:3], *second[:3], *first[3:], *second[3:], TURNED, NEXT, *talon]
    return Deal(TWO_PLAYERS | options, 1, deck)


def test_two_players_are_dealt_six_cards_in_threes_and_a_card_is_turned():
    deal = two_players()
    assert deal.hands == [hand.split() for hand in TWO_HANDS]
    assert (deal.turned, deal.seat, deal.legal()) == (TURNED, 0, ["pass", "H"])
    assert len(deal.talon) == 19


@pytest.mark.parametrize(("passes", "call", "taker"), [(0, "H", 0), (1, "H", 1), (3, "C", 1)])
def test_the_taker_picks_up_the_turned_card_and_the_other_draws(passes: int, call: str, taker: int):
    deal = act(two_players(), ["pass"] * passes + [call])
    assert (deal.contract, deal.taker, deal.phase, deal.seat) == (call, taker, "play", 0)
    assert deal.hands[taker] == [*TWO_HANDS[taker].split(), TURNED]
    assert deal.hands[1 - taker] == [*TWO_HANDS[1 - taker].split(), NEXT]
    assert len(deal.talon) == 18


def test_four_passes_of_two_players_void_the_deal_and_pass_it_on():
    deal = act(two_players(), "pass pass")
    assert deal.legal() == ["pass", "S", "D", "C"]
    act(deal, "pass pass")
    assert (deal.phase, deal.result, deal.marks) == ("over", "void", (0, 0))
    match = Match(TWO_PLAYERS, first_dealer=1)
    match.add(deal)
    assert (match.dealer, match.deals_played, match.scores) == (0, 0, [0, 0])


def test_the_winner_of_a_trick_draws_first():
    deal = act(two_players(), "pass H JS 7H")
    assert (deal.tricks, deal.points, deal.seat) == ([0, 1], [0, 2], 1)
    assert (deal.hands[1][-1], deal.hands[0][-1]) == ("KH", "AD")


def test_nine_tricks_are_free_and_seven_oblige():
    rng = random.Random(1)
    deal = Deal(TWO_PLAYERS, 0, rng.sample(CARDS, 32))
    act(deal, ["pass", deal.legal()[1]])
    while deal.phase == "play":
        assert deal.seat is not None
        assert deal.contract is not None
        hand, played = deal.hands[deal.seat], len(deal.played)
        assert len(hand) == 7 - max(0, played - 18) // 2
        assert len(deal.talon) == max(0, 18 - played // 2 * 2)
        if played < 18:
            assert deal.legal() == hand
            assert deal.excluded == [set(), set()]
        else:
            assert deal.legal() == legal_cards({}, deal.contract, deal.trick, hand)
        act(deal, [rng.choice(deal.legal())])
    assert (sum(deal.tricks), sum(deal.points)) == (16, 162)


@pytest.mark.parametrize(
    ("trick", "hand", "legal"),
    [
        ("AS", "8H JD QC", "8H"),
        ("TH", "AH 7H KD", "AH"),
        ("AH", "TH 7H KD", "TH 7H"),
        ("AS", "KD QC", "KD QC"),
        ("AS", "7S 8H", "7S"),
    ],
)
def test_the_obligations_of_phase_2(trick: str, hand: str, legal: str):
    assert legal_cards(TWO_PLAYERS, "H", trick.split(), hand.split()) == legal.split()


def test_who_wins_every_trick_marks_162_and_a_belote_not_held_together():
    deal = act(two_players(), "H QH 7D")
    assert deal.hands[0][-1] == "KH"
    assert (deal.belote_said, deal.excluded) == ([], [set(), set()])
    act(deal, ["KH"])
    assert deal.belote_said == [(0, "H", "belote"), (0, "H", "rebelote")]
    assert deal.belote == [20, 0]
    while deal.phase == "play":
        act(deal, [deal.legal()[0]])
    assert (deal.tricks, deal.points, deal.result) == ([16, 0], [162, 0], "made")
    assert deal.marks == (182, 0)


def test_king_and_queen_played_by_two_players_are_no_belote():
    deal = act(two_players(), "pass H JS 7H KH QH")
    assert (deal.tricks, deal.belote_said, deal.belote) == ([0, 2], [], [0, 0])


@pytest.mark.parametrize(
    ("word", "said", "belote"), [("declare", ["belote", "rebelote"], 20), ("silent", [], 0)]
)
def test_two_players_are_asked_once_with_the_second_honour(word: str, said: list[str], belote: int):
    deal = act(two_players(announce="choice"), "H QH 7D KH")
    assert (deal.phase, deal.seat, deal.legal()) == ("speech", 0, ["declare", "silent"])
    act(deal, [word])
    assert (deal.phase, deal.seat) == ("play", 1)
    assert [spoken for _, _, spoken in deal.belote_said] == said
    assert deal.belote == [belote, 0]


@pytest.mark.parametrize(
    ("points", "belote", "options", "result", "marks"),
    [
        ((82, 80), (0, 0), {}, "made", (82, 80)),
        ((81, 81), (0, 0), {}, "chute", (0, 162)),
        ((75, 87), (20, 0), {}, "made", (95, 87)),
        ((71, 91), (20, 0), {}, "chute", (20, 162)),
        ((85, 77), (0, 20), {}, "chute", (0, 182)),
        ((71, 91), (20, 0), {"belote_on_chute": "lost"}, "chute", (0, 182)),
        ((81, 81), (0, 0), {"litige": "carry"}, "litige", (0, 81)),
    ],
)
def test_two_player_scores(
    points: tuple[int, int],
    belote: tuple[int, int],
    options: Mapping[str, object],
    result: str,
    marks: tuple[int, int],
):
    score = score_deal({**TWO_PLAYERS, **options}, "H", 0, points, None, belote, (0, 0), carry=0)
    assert (score["result"], score["marks"]) == (result, marks)


# Section 9

# Trump H, dealer 3; belote and four kings with seat 2. Played as below, seat 0 wins tricks 1-3 and
# 7, seat 1 tricks 4-6 and 8: 84 points against 78.
HANDS = [
    "AS AD AC 7S 7D 7C JH 7H",
    "8S 8D 8C TS TD TC 8H 9H",
    "KS KD KC 9S 9D 9C QH KH",
    "JS JD JC QS QD QC TH AH",
]
PLAY = (
    "AS 8S KS JS AD 8D KD JD AC 8C KC JC 7S TS 9S QS"
    " TD 9D QD 7D TC 9C QC 7C 8H QH TH JH 7H 9H KH AH"
)
SUIT_HANDS = [" ".join(CARDS[start : start + 8]) for start in (0, 8, 16, 24)]
SUIT_PLAY = [SUIT_HANDS[seat].split()[trick] for trick in range(8) for seat in range(4)]


def auction(hands: Sequence[str], calls: str, options: Mapping[str, object]) -> Deal:
    """A deal of seat 3 with these hands, after these calls, which are parted by commas."""
    held = [hand.split() for hand in hands]
    deck = [card for a, b in ((0, 3), (3, 5), (5, 8)) for hand in held for card in hand[a:b]]
    return act(Deal(options, 3, deck), calls.split(", "))


def bids(legal: Sequence[str]) -> list[str]:
    """The values that may be bid, from the lowest."""
    return list(dict.fromkeys(call.split()[0] for call in legal if " " in call))


def test_eight_cards_are_dealt_before_the_auction():
    deal = Deal(CONTREE, 0, CARDS)
    assert deal.hands[1] == [*CARDS[0:3], *CARDS[12:14], *CARDS[20:23]]
    assert deal.hands[0] == [*CARDS[9:12], *CARDS[18:20], *CARDS[29:32]]
    assert (deal.turned, deal.talon, deal.seat) == (None, [], 1)


@pytest.mark.parametrize(
    ("calls", "lowest", "others"),
    [
        ("", "80", ["pass"]),
        ("pass, pass, pass", "80", ["pass"]),
        ("80 H", "90", ["pass", "coinche"]),
        ("80 H, pass", "90", ["pass"]),
        ("80 H, pass, pass", "90", ["pass", "coinche"]),
        ("80 H, 110 C", "120", ["pass", "coinche"]),
        ("160 S", "capot", ["pass", "coinche"]),
        ("capot S", None, ["pass", "coinche"]),
        ("capot S, pass", None, ["pass"]),
        ("80 H, coinche", None, ["pass", "surcoinche"]),
        ("80 H, coinche, pass", None, ["pass"]),
        ("80 H, coinche, pass, pass", None, ["pass", "surcoinche"]),
    ],
)
def test_calls_of_the_auction(calls: str, lowest: str | None, others: list[str]):
    legal = legal_calls(CONTREE, None, calls.split(", ") if calls else [])
    assert bids(legal)[:1] == ([lowest] if lowest else [])
    assert [call for call in legal if " " not in call] == others


def test_each_value_may_be_bid_in_each_contract():
    first = legal_calls(CONTREE, None, [])
    assert first == ["pass", *(f"{bid} {suit}" for bid in BIDS[:-1] for suit in "SHDC")]
    everything = legal_calls(CONTREE | {"sa_ta": True, "generale": True}, None, [])
    assert len(everything) == 1 + 11 * 6
    assert {"80 SA", "160 TA", "capot H", "generale D"} <= set(everything)


def test_only_generale_is_above_capot():
    with_generale = CONTREE | {"generale": True}
    assert bids(legal_calls(with_generale, None, ["capot H"])) == ["generale"]
    assert bids(legal_calls(with_generale, None, ["generale H"])) == []


@pytest.mark.parametrize(
    ("calls", "over"),
    [
        ("pass, pass, pass", False),
        ("pass, pass, pass, pass", True),
        ("pass, pass, pass, 80 H", False),
        ("80 H, pass, pass", False),
        ("80 H, pass, pass, pass", True),
        ("80 H, pass, pass, coinche, pass, pass", False),
        ("80 H, coinche, pass, pass, pass", True),
        ("80 H, coinche, surcoinche", True),
        ("80 H, coinche, pass, pass, surcoinche", True),
        ("capot H", False),
        ("capot H, coinche, pass, pass", False),
    ],
)
def test_the_end_of_the_auction(calls: str, over: bool):
    assert auction_over(CONTREE, calls.split(", ")) == over


@pytest.mark.parametrize(
    ("calls", "taker", "bid", "contract", "doubled"),
    [
        ("pass, 80 S, pass, 90 H, pass, pass, pass", 3, "90", "H", None),
        ("80 S, coinche, pass, pass, pass", 0, "80", "S", "coinche"),
        ("capot D, pass, pass, coinche, pass, pass, surcoinche", 0, "capot", "D", "surcoinche"),
    ],
)
def test_the_last_bid_is_played(calls: str, taker: int, bid: str, contract: str, doubled: str):
    deal = auction(HANDS, calls, CONTREE)
    assert (deal.phase, deal.seat) == ("play", 0)
    assert (deal.taker, deal.bid, deal.contract, deal.doubled) == (taker, bid, contract, doubled)


def test_four_passes_void_the_deal_and_pass_it_on():
    deal = auction(HANDS, "pass, pass, pass, pass", CONTREE)
    assert (deal.phase, deal.result, deal.marks) == ("over", "void", (0, 0))
    match = Match(CONTREE, first_dealer=3)
    match.add(deal)
    assert (match.dealer, match.deals_played) == (0, 0)


@pytest.mark.parametrize(
    ("calls", "options", "result", "marks"),
    [
        ("100 H, pass, pass, pass", CONTREE, "made", (204, 78)),
        ("110 H, pass, pass, pass", CONTREE, "chute", (0, 292)),
        ("110 H, pass, pass, pass", COINCHE, "made", (314, 78)),
        ("80 H, coinche, pass, pass, pass", CONTREE, "made", (342, 0)),
        ("80 H, coinche, surcoinche", CONTREE, "made", (422, 0)),
        ("80 H, coinche, surcoinche", COINCHE, "made", (600, 0)),
        ("pass, 80 H, pass, pass, pass", CONTREE, "chute", (262, 0)),
        ("pass, 80 H, coinche, pass, pass, pass", COINCHE, "chute", (440, 0)),
    ],
)
def test_a_deal_bid_for_and_played(
    calls: str, options: Mapping[str, object], result: str, marks: tuple[int, int]
):
    deal = act(auction(HANDS, calls, options), PLAY)
    assert (deal.points, deal.belote) == ([84, 78], [20, 0])
    assert (deal.result, deal.marks, deal.next_carry) == (result, marks, 0)


@pytest.mark.parametrize(
    ("bid", "result", "marks"),
    [
        ("160 S", "capot_taker", (252 + 160 + 100 + 100 + 20, 0)),
        ("capot S", "capot_taker", (252 + 250 + 100 + 100 + 20, 0)),
        ("generale S", "capot_taker", (252 + 500 + 100 + 100 + 20, 0)),
    ],
)
def test_a_capot_with_annonces(bid: str, result: str, marks: tuple[int, int]):
    """Every seat holds a suit: seat 0 wins every trick, and trump breaks the tie of four cents."""
    calls = f"{bid}, pass, pass, pass"
    deal = act(auction(SUIT_HANDS, calls, COINCHE | {"generale": True}), SUIT_PLAY)
    assert (deal.tricks, deal.taker_tricks, deal.annonce_points) == ([8, 0], 8, [200, 0])
    assert (deal.result, deal.marks) == (result, marks)


def test_a_generale_is_won_by_the_bidder_alone():
    calls = "pass, pass, generale S, pass, pass, pass"
    deal = act(auction(SUIT_HANDS, calls, CONTREE | {"generale": True}), SUIT_PLAY)
    assert (deal.tricks, deal.taker_tricks, deal.result) == ([8, 0], 0, "chute")
    assert deal.marks == (0, 162 + 500 + 20)


def score(options: Mapping[str, object], bid: str, t: int, **given: Any) -> tuple[str, int, int]:
    """The result and the marks of takers and defence, the same whichever team took."""
    total = 252 if t in (0, 252) and given.get("capot", True) else 162
    outcomes: list[tuple[str, int, int]] = []
    for takers in (0, 1):

        def by_team(of_takers: int, of_defence: int, takers: int = takers) -> tuple[int, int]:
            return (of_takers, of_defence) if takers == 0 else (of_defence, of_takers)

        scored = score_auction_deal(
            options,
            given.get("contract", "H"),
            bid,
            given.get("doubled"),
            takers,
            by_team(t, total - t),
            None if total == 162 else takers if t else 1 - takers,
            given.get("alone", 0),
            by_team(*given.get("belote", (0, 0))),
            by_team(*given.get("annonces", (0, 0))),
        )
        assert scored["carry"] == 0
        marks = scored["marks"]
        outcomes.append((scored["result"], marks[takers], marks[1 - takers]))
    assert outcomes[0] == outcomes[1]
    return outcomes[0]


@pytest.mark.parametrize(
    ("options", "bid", "t", "given", "expected"),
    [
        # the test
        (CONTREE, "90", 89, {}, ("chute", 0, 252)),
        (CONTREE | {"rounding": "nearest10_5up"}, "90", 89, {}, ("chute", 0, 250)),
        (CONTREE, "80", 80, {}, ("made", 160, 82)),
        (COINCHE, "80", 80, {}, ("chute", 0, 240)),
        (COINCHE, "80", 81, {}, ("chute", 0, 240)),
        (CONTREE, "100", 76, {"belote": (20, 0)}, ("chute", 0, 282)),
        (CONTREE, "100", 88, {"belote": (20, 0)}, ("made", 208, 74)),
        (COINCHE, "100", 83, {"annonces": (20, 0)}, ("made", 203, 79)),
        (COINCHE, "90", 92, {"annonces": (0, 50)}, ("chute", 0, 300)),
        (CONTREE, "capot", 162, {"capot": False}, ("chute", 0, 412)),
        (CONTREE, "80", 162, {"capot": False}, ("made", 242, 0)),
        # a contract without coinche
        (CONTREE, "100", 104, {}, ("made", 204, 58)),
        (CONTREE | {"rounding": "nearest10_5up"}, "110", 117, {}, ("made", 230, 50)),
        (COINCHE, "130", 152, {"belote": (20, 0)}, ("made", 302, 10)),
        (CONTREE, "80", 110, {"belote": (0, 20)}, ("made", 190, 72)),
        (COINCHE, "80", 252, {"belote": (0, 20), "annonces": (0, 50)}, ("capot_taker", 332, 70)),
        (COINCHE | {"chute_base": 162}, "100", 82, {}, ("chute", 0, 262)),
        (COINCHE, "100", 82, {}, ("chute", 0, 260)),
        (CONTREE, "110", 80, {"belote": (20, 0)}, ("chute", 0, 292)),
        (CONTREE, "110", 80, {"belote": (0, 20)}, ("chute", 0, 292)),
        (COINCHE, "110", 80, {"belote": (20, 0)}, ("chute", 20, 270)),
        (COINCHE, "110", 60, {"annonces": (20, 0)}, ("chute", 0, 290)),
        (CONTREE, "80", 0, {}, ("chute", 0, 242)),
        (COINCHE, "80", 0, {}, ("chute", 0, 332)),
        # doubled
        (CONTREE, "80", 134, {"doubled": "coinche", "belote": (0, 20)}, ("made", 342, 0)),
        (COINCHE, "80", 134, {"doubled": "coinche", "belote": (0, 20)}, ("made", 320, 20)),
        (CONTREE, "80", 252, {"doubled": "coinche"}, ("capot_taker", 412, 0)),
        (COINCHE, "100", 70, {"doubled": "coinche"}, ("chute", 0, 360)),
        (CONTREE, "100", 70, {"doubled": "surcoinche"}, ("chute", 0, 462)),
        (COINCHE, "100", 70, {"doubled": "surcoinche"}, ("chute", 0, 560)),
        (COINCHE, "100", 110, {"doubled": "coinche", "annonces": (0, 50)}, ("made", 410, 0)),
        (
            CONTREE | {"doubled_loser": "keeps"},
            "80",
            134,
            {"doubled": "coinche", "belote": (0, 20)},
            ("made", 342, 28),
        ),
        (
            CONTREE | {"multiplier_on": "all"},
            "80",
            134,
            {"doubled": "coinche", "belote": (20, 0)},
            ("made", 504, 0),
        ),
        (
            COINCHE | {"multiplier_on": "all"},
            "100",
            70,
            {"doubled": "surcoinche", "belote": (20, 0), "annonces": (0, 50)},
            ("chute", 20, 1090),
        ),
        # capot and générale
        (CONTREE, "capot", 252, {}, ("capot_taker", 502, 0)),
        (CONTREE | {"capot_bid": 270}, "capot", 252, {}, ("capot_taker", 522, 0)),
        (CONTREE | {"capot_bid": 270}, "capot", 150, {}, ("chute", 0, 432)),
        (CONTREE | {"capot_bid": "flat_500"}, "capot", 252, {}, ("capot_taker", 500, 0)),
        (CONTREE | {"capot_bid": "flat_500"}, "capot", 152, {}, ("chute", 0, 500)),
        (CONTREE | {"capot_bid": "flat_500"}, "80", 252, {}, ("capot_taker", 332, 0)),
        (
            COINCHE | {"capot_bid": "flat_500"},
            "capot",
            252,
            {"doubled": "surcoinche", "belote": (0, 20)},
            ("capot_taker", 2000, 20),
        ),
        (
            COINCHE | {"capot_bid": "flat_500"},
            "capot",
            152,
            {"doubled": "coinche", "belote": (20, 0)},
            ("chute", 20, 1000),
        ),
        (CONTREE, "generale", 252, {"alone": 8}, ("capot_taker", 752, 0)),
        (CONTREE, "generale", 252, {"alone": 7}, ("chute", 0, 662)),
        # other ways to mark
        (CONTREE | {"score_mode": "made"}, "100", 104, {}, ("made", 104, 58)),
        (CONTREE | {"score_mode": "made"}, "110", 104, {}, ("chute", 0, 162)),
        (
            CONTREE | {"score_mode": "made", "multiplier_on": "all"},
            "100",
            104,
            {"doubled": "coinche"},
            ("made", 324, 0),
        ),
        (COINCHE | {"score_mode": "bid_only"}, "100", 104, {"belote": (0, 20)}, ("made", 100, 20)),
        (COINCHE | {"score_mode": "bid_only"}, "110", 104, {"belote": (0, 20)}, ("chute", 0, 130)),
        (
            COINCHE | {"score_mode": "bid_only"},
            "110",
            60,
            {"doubled": "coinche", "annonces": (20, 0)},
            ("chute", 0, 240),
        ),
        # sans atout as in the raw scale: the chute marks the same base, a capot its own
        (CONTREE | {"sa_ta_values": "raw"}, "80", 0, {"contract": "SA"}, ("chute", 0, 242)),
    ],
)
def test_auction_scores(
    options: Mapping[str, object],
    bid: str,
    t: int,
    given: dict[str, Any],
    expected: tuple[str, int, int],
):
    assert score(options, bid, t, **given) == expected


def test_a_rounded_score_ends_the_match():
    options = CONTREE | {"rounding": "nearest10_5up"}
    deal = auction(HANDS, "100 H, pass, pass, pass", options)
    match = Match(options, first_dealer=3)
    match.scores = [1810, 0]
    match.add(act(deal, PLAY))
    assert (deal.marks, match.scores) == ((200, 80), [2010, 80])
    assert (match.over, match.winner) == (True, 0)


def test_random_deals_of_both_families_keep_the_invariants():
    rng = random.Random(4)
    for number in range(300):
        if number % 3:
            options = CONTREE | {name: rng.choice(c) for name, c in AUCTION_CHOICES.items()}
        else:
            options = TWO_PLAYERS | {"announce": rng.choice(["auto", "choice"])}
        deck = rng.sample(CARDS, 32)
        deal = Deal(options, rng.randrange(2), deck)
        while deal.phase != "over":
            held = [card for hand in deal.hands for card in hand]
            gone = [card for _, card in deal.played]
            turned = [deal.turned] if deal.turned and deal.phase == "auction" else []
            assert sorted([*held, *gone, *deal.talon, *turned]) == sorted(deck)
            assert all(
                not out & set(hand) for out, hand in zip(deal.excluded, deal.hands, strict=True)
            )
            deal.act(rng.choice(deal.legal()))
        if deal.result == "void":
            assert deal.marks == (0, 0)
            continue
        assert deal.contract is not None
        capot = deal.capot_by is not None
        assert sum(deal.tricks) == 32 // deal.players
        assert sum(deal.points) == deal_totals(options, deal.contract)[capot]
        assert deal.taker_tricks <= deal.tricks[(deal.taker or 0) % 2]
        assert min(deal.marks) >= 0
