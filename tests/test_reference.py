"""The reference against deals, scores and matches worked out by hand from the rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.reference import Deal, Match, cut_deck
from tests.reference_rules import (
    CARDS,
    Annonce,
    card_points,
    deal_totals,
    find_annonces,
    legal_calls,
    legal_cards,
    resolve_annonces,
    score_deal,
    trick_winner,
)

CHOICES: dict[str, list[Any]] = {
    "round2_turned_suit": ["forbidden", "allowed"],
    "sa_ta": [False, True],
    "sa_ta_rounds": ["both", "second"],
    "sa_ta_values": ["scaled", "raw", "pagat"],
    "undertrump": ["must", "may_discard"],
    "undertrump_partner": ["free", "raise", "forbidden"],
    "raise_over_partner": ["strict", "soft"],
    "announce": ["auto", "choice"],
    "belote_tolerance": ["once", "none", "always"],
    "belote_king_first": [False, True],
    "belote_on_chute": ["kept", "lost"],
    "annonces": [False, True],
    "annonce_tie": ["cancel", "first"],
    "annonce_card_reuse": [False, True],
    "contract_test": ["majority", "82_in_tricks"],
    "chute_capot": ["capot", "plain"],
    "litige": ["carry", "chute", "replay"],
    "litige_belote": ["carried", "kept"],
    "litige_chain": ["accumulate", "replace"],
    "rounding": ["none", "nearest10_5up", "nearest10_6up"],
    "void_dealer": ["next", "same"],
    "target_rule": ["reach", "exceed"],
    "belote_only_finish": ["blocked", "blocked_capot", "free"],
    "litige_last_deal": ["mark", "carry_lost"],
}

# Trump H, dealer 3. Two low-high cards of each plain suit a seat; belote with seat 2.
BELOTE_HANDS = [
    "AS AD AC 7S 7D 7C JH 7H",
    "8S 8D 8C TS TD TC 8H 9H",
    "KS KD KC 9S 9D 9C QH KH",
    "JS JD JC QS QD QC TH AH",
]
# Seat 0 wins tricks 1-3 (17 each) and 7 (33), seat 1 tricks 4-6 (13 each) and 8 (29 + 10): 84-78.
BELOTE_TRICKS = [
    "AS 8S KS JS",
    "AD 8D KD JD",
    "AC 8C KC JC",
    "7S TS 9S QS",
    "TD 9D QD 7D",
    "TC 9C QC 7C",
    "8H QH TH JH",
    "7H 9H KH AH",
]
BELOTE_PLAY = [card for trick in BELOTE_TRICKS for card in trick.split()]
KING_FIRST_PLAY = [*BELOTE_PLAY[:25], "KH", "AH", "JH", "7H", "9H", "QH", "TH"]
# The same with KH and AH exchanged: no belote. Trick 7 is 27, trick 8 is 35 + 10: 78-84.
SPLIT_HANDS = [
    BELOTE_HANDS[0],
    BELOTE_HANDS[1],
    BELOTE_HANDS[2].replace("KH", "AH"),
    BELOTE_HANDS[3].replace("AH", "KH"),
]
SPLIT_PLAY = [*BELOTE_PLAY[:25], "QH", "KH", "JH", "7H", "9H", "AH", "TH"]
SUIT_HANDS = [" ".join(CARDS[start : start + 8]) for start in (0, 8, 16, 24)]


def stacked(
    hands: Sequence[str],
    taker: int,
    turned: str,
    options: Mapping[str, object] | None = None,
    dealer: int = 3,
    call: str | None = None,
    **deal_arguments: Any,
) -> Deal:
    """A deal of these hands in which `taker` took in round 1, ready for the first card."""
    order = [(dealer + 1 + turn) % 4 for turn in range(4)]
    rest = [[card for card in hand.split() if card != turned] for hand in hands]
    deck = [card for seat in order for card in rest[seat][:3]]
    deck += [card for seat in order for card in rest[seat][3:5]]
    deck += [turned, *(card for seat in order for card in rest[seat][5:])]
    deal = Deal(options or {}, dealer, deck, **deal_arguments)
    while deal.seat != taker:
        deal.act("pass")
    deal.act(call or turned[1])
    while deal.phase == "auction":
        deal.act("pass")
    return deal


def annonce(text: str, contract: str) -> Annonce:
    points = {"tierce": 20, "cinquante": 50, "cent": 100, "carre 9": 150, "carre J": 200}
    if contract == "SA":
        points |= {"carre T": 150, "carre J": 100}
    kind, top = text.split()
    return Annonce(kind, top, points.get(text, points.get(kind, 100)), frozenset())


def play(deal: Deal, cards: Sequence[str], say: Callable[[Deal], str] | None = None) -> Deal:
    for card in cards:
        deal.act(card)
        while deal.phase == "speech":
            deal.act(say(deal) if say else "declare")
    return deal


def finished(marks: tuple[int, int], result: str, **attributes: object) -> Deal:
    """A finished deal as a match sees it; by default team 0 took and each side won a trick.

    In a chute the takers mark their belote alone, in a capot the defence does.
    """
    deal = Deal({}, 0, CARDS)
    deal.phase, deal.result, deal.marks, deal.taker, deal.tricks = "over", result, marks, 0, [4, 4]
    deal.belote = [marks[0], 0] if result == "chute" else [0, marks[1]]
    for name, value in attributes.items():
        assert hasattr(deal, name)
        setattr(deal, name, value)
    return deal


def match_at(scores: list[int], **options: object) -> Match:
    match = Match(options, first_dealer=0)
    match.scores = scores
    return match


# Section 1


@pytest.mark.parametrize(
    ("values", "contract", "totals"),
    [
        ("scaled", "H", (162, 252)),
        ("scaled", "SA", (162, 252)),
        ("scaled", "TA", (162, 252)),
        ("raw", "SA", (130, 220)),
        ("raw", "TA", (258, 348)),
        ("pagat", "SA", (162, 252)),
        ("pagat", "TA", (162, 252)),
    ],
)
def test_totals(values: str, contract: str, totals: tuple[int, int]):
    assert deal_totals({"sa_ta_values": values}, contract) == totals


@pytest.mark.parametrize(
    ("contract", "trick", "winner", "points"),
    [
        ("H", "7S AS TS KS", 1, 25),
        ("H", "AS 7H TS KS", 1, 25),
        ("H", "AS 8H QH 7S", 2, 14),
        ("H", "TH 9H AH KH", 1, 39),
        ("SA", "7S AH 8S 9S", 3, 19),
        ("TA", "AS 9S JS TS", 2, 33),
        ("TA", "7S JH 8S JD", 2, 26),
    ],
)
def test_trick(contract: str, trick: str, winner: int, points: int):
    cards = trick.split()
    assert trick_winner(contract, cards) == winner
    assert sum(card_points({}, contract, card) for card in cards) == points


# Section 2


def test_dealing_and_taking_in_round_2():
    deal = Deal({}, 1, CARDS)  # seat 2 is dealt 7S 8S 9S, then JH QH; the turned card is JD
    assert deal.turned == CARDS[20] == "JD"
    assert deal.hands[2] == ["7S", "8S", "9S", "JH", "QH"]
    assert deal.legal() == ["pass", "D"]
    for _ in range(5):
        deal.act("pass")
    assert deal.seat == 3
    assert deal.legal() == ["pass", "S", "H", "C"]
    deal.act("C")
    assert (deal.contract, deal.taker, deal.phase, deal.seat) == ("C", 3, "play", 2)
    assert deal.hands[2][5:] == ["QD", "KD", "AD"]
    assert deal.hands[3][5:] == ["7C", "8C", "JD"]
    assert deal.hands[0][5:] == ["9C", "TC", "JC"]
    assert deal.hands[1][5:] == ["QC", "KC", "AC"]


def test_eight_passes_void_the_deal_and_keep_the_carry():
    deal = Deal({}, 0, CARDS, carry=81)
    for _ in range(8):
        deal.act("pass")
    assert (deal.phase, deal.seat, deal.result) == ("over", None, "void")
    assert (deal.marks, deal.next_carry) == ((0, 0), 81)
    assert deal.legal() == []
    with pytest.raises(ValueError, match="illegal"):
        deal.act("pass")


@pytest.mark.parametrize(
    ("rounds", "calls", "expected"),
    [
        ("both", [], ["pass", "H", "SA", "TA"]),
        ("second", [], ["pass", "H"]),
        ("both", ["H"], ["pass", "SA", "TA"]),
        ("both", ["pass", "SA", "pass", "pass"], ["pass", "TA"]),
        ("both", ["TA", "pass"], ["pass"]),
        ("second", ["pass"] * 4, ["pass", "S", "D", "C", "SA", "TA"]),
        ("second", ["pass"] * 4 + ["D"], ["pass", "SA", "TA"]),
    ],
)
def test_sa_ta_calls(rounds: str, calls: list[str], expected: list[str]):
    assert legal_calls({"sa_ta": True, "sa_ta_rounds": rounds}, "JH", calls) == expected


def test_who_passed_may_overbid_and_the_final_taker_gets_the_turned_card():
    deal = Deal({"sa_ta": True}, 3, CARDS)
    for call in ["pass", "D", "pass", "pass", "SA", "TA", "pass", "pass"]:
        deal.act(call)
        assert (deal.phase, deal.contract, deal.taker) == ("auction", None, None)
    deal.act("pass")
    assert (deal.phase, deal.contract, deal.taker, deal.seat) == ("play", "TA", 1, 0)
    assert deal.hands[1][-1] == deal.turned


def test_a_round_1_take_ends_the_auction_when_sa_ta_waits_for_round_2():
    deal = Deal({"sa_ta": True, "sa_ta_rounds": "second"}, 3, CARDS)
    deal.act("D")
    assert (deal.phase, deal.contract, deal.taker) == ("play", "D", 0)


# Section 3


@pytest.mark.parametrize(
    ("options", "contract", "trick", "hand", "legal"),
    [
        ({}, "H", "AS JH", "7H 9H AD KC", "7H 9H"),
        ({"undertrump": "may_discard"}, "H", "AS JH", "7H 9H AD KC", "7H 9H AD KC"),
        ({}, "H", "AS 8H 7S", "7H JH KD", "7H JH KD"),
        ({"undertrump_partner": "raise"}, "H", "AS 8H 7S", "7H JH KD", "JH KD"),
        ({"undertrump_partner": "forbidden"}, "H", "AS 8H 7S", "7H JH KD", "JH KD"),
        ({"undertrump_partner": "raise"}, "H", "AS 9H 7S", "7H 8H KD", "7H 8H KD"),
        ({"undertrump_partner": "forbidden"}, "H", "AS 9H 7S", "7H 8H KD", "KD"),
        ({"undertrump_partner": "forbidden"}, "H", "AS 9H 7S", "7H 8H", "7H 8H"),
        ({"undertrump_partner": "forbidden"}, "H", "AS 7D", "7H JH KD", "7H JH KD"),
        ({}, "H", "9H 7H", "8H AH JH KD", "JH"),
        ({"raise_over_partner": "soft"}, "H", "9H 7H", "8H AH JH KD", "8H AH JH"),
        ({"raise_over_partner": "soft"}, "H", "7H 9H", "8H AH JH KD", "JH"),
        ({}, "H", "7S 8H KS", "9S AH KD", "9S"),
        ({}, "TA", "AS", "9S TS KS", "9S"),
        ({}, "TA", "9S 7S", "8S JS KH", "JS"),
        ({"raise_over_partner": "soft"}, "TA", "9S 7S", "8S JS KH", "8S JS"),
        ({}, "TA", "7S", "JH 8D", "JH 8D"),
        ({}, "SA", "TS", "AS 7S AH", "AS 7S"),
        ({}, "SA", "TS", "7H AH", "7H AH"),
    ],
)
def test_legal_cards(options: dict[str, object], contract: str, trick: str, hand: str, legal: str):
    assert legal_cards(options, contract, trick.split(), hand.split()) == legal.split()


def test_a_hand_answers_as_its_pairs_do():
    """A card is legal when it is beside each other card alone: so exclusions miss nothing."""
    rng = random.Random(3)
    for _ in range(1000):
        options = {name: rng.choice(values) for name, values in CHOICES.items()}
        contract = rng.choice(["S", "H", "SA", "TA"])
        cards = rng.sample(CARDS, 3 + rng.randint(1, 8))
        trick, hand = cards[: rng.randint(0, 3)], cards[3:]
        by_pairs = [
            card
            for card in hand
            if all(card in legal_cards(options, contract, trick, {card, y}) for y in hand)
        ]
        assert legal_cards(options, contract, trick, hand) == by_pairs


def test_excluded_cards_follow_from_what_was_played():
    hands = [
        SUIT_HANDS[0],
        "8H 7D 8D 9D TD JD QD KD",
        "7H AD 7C 8C 9C TC JC QC",
        "9H TH JH QH KH AH KC AC",
    ]
    deal = play(stacked(hands, 3, "9H"), ["AS", "8H", "7H", "9H"])
    spades = {card for card in CARDS if card[1] == "S"}
    assert deal.excluded[0] == set()
    assert deal.excluded[1] == spades
    assert deal.excluded[2] == spades | {"9H", "TH", "JH", "QH", "KH", "AH"}
    assert deal.excluded[3] == spades


# Sections 4 and 10


def test_a_deal_worked_by_hand():
    deal = play(stacked(BELOTE_HANDS, 0, "JH"), BELOTE_PLAY)
    assert (deal.points, deal.tricks, deal.belote) == ([84, 78], [4, 4], [20, 0])
    assert deal.belote_said == [(2, "H", "belote"), (2, "H", "rebelote")]
    assert (deal.result, deal.marks, deal.next_carry) == ("made", (104, 78), 0)
    assert (deal.phase, deal.seat, deal.hands) == ("over", None, [[], [], [], []])


def test_the_defence_belote_brings_the_taker_down():
    deal = play(stacked(BELOTE_HANDS, 1, "9H"), BELOTE_PLAY)
    assert (deal.result, deal.marks) == ("chute", (182, 0))


def test_king_and_queen_in_two_hands_are_no_belote():
    deal = stacked(SPLIT_HANDS, 3, "KH")
    play(deal, SPLIT_PLAY[:26])
    assert deal.played[-1] == (2, "QH")
    assert "KH" in deal.excluded[2]
    play(deal, SPLIT_PLAY[26:])
    assert "QH" not in deal.excluded[3]  # seat 3's silent king shows nothing: the queen is gone
    assert (deal.belote, deal.belote_said) == ([0, 0], [])
    assert (deal.result, deal.marks) == ("made", (78, 84))


def test_silence_proves_nothing_where_speech_is_chosen():
    deal = play(stacked(SPLIT_HANDS, 3, "KH", {"announce": "choice"}), SPLIT_PLAY[:26])
    assert "KH" not in deal.excluded[2]


@pytest.mark.parametrize(
    ("tolerance", "used", "belote", "used_after"),
    [
        ("once", False, 20, True),
        ("once", True, 0, True),
        ("none", False, 0, False),
        ("always", False, 20, False),
    ],
)
def test_a_missing_rebelote(tolerance: str, used: bool, belote: int, used_after: bool):
    options = {"announce": "choice", "belote_tolerance": tolerance}
    deal = stacked(BELOTE_HANDS, 0, "JH", options, tolerance_used=(used, False))
    play(deal, BELOTE_PLAY, lambda deal: "silent" if deal.belote_said else "declare")
    assert deal.belote_said == [(2, "H", "belote")]
    assert deal.belote == [belote, 0]
    assert deal.tolerance_used == (used_after, False)


def test_a_missing_belote_leaves_nothing_to_say_at_the_second_card():
    deal = stacked(BELOTE_HANDS, 0, "JH", {"announce": "choice", "belote_tolerance": "always"})
    play(deal, BELOTE_PLAY[:25])
    deal.act("QH")
    assert (deal.phase, deal.seat, deal.legal()) == ("speech", 2, ["declare", "silent"])
    deal.act("silent")
    for card in BELOTE_PLAY[26:]:
        assert deal.phase == "play"
        deal.act(card)
    assert (deal.belote, deal.marks) == ([0, 0], (84, 78))


@pytest.mark.parametrize(("cards", "belote"), [(BELOTE_PLAY, 0), (KING_FIRST_PLAY, 20)])
def test_king_first(cards: list[str], belote: int):
    deal = play(stacked(BELOTE_HANDS, 0, "JH", {"belote_king_first": True}), cards)
    assert [word for _, _, word in deal.belote_said] == ["belote", "rebelote"]
    assert deal.belote == [belote, 0]


def test_four_belotes_at_tout_atout_and_none_at_sans_atout():
    cards = [SUIT_HANDS[seat].split()[trick] for trick in range(8) for seat in range(4)]
    tout = play(stacked(SUIT_HANDS, 0, "JS", {"sa_ta": True}, call="TA"), cards)
    assert (tout.belote, tout.points, tout.marks) == ([40, 40], [252, 0], (292, 40))
    sans = play(stacked(SUIT_HANDS, 0, "JS", {"sa_ta": True}, call="SA"), cards)
    assert (sans.belote, sans.belote_said, sans.marks) == ([0, 0], [], (252, 0))


# Section 5


@pytest.mark.parametrize(
    ("options", "contract", "hand", "expected"),
    [
        ({}, "H", "AS TS KS 7H 8D 9C QD 7C", []),
        ({}, "H", "JS JH JD JC TS QS 7H 8D", ["carre J 200"]),
        (
            {"annonce_card_reuse": True},
            "H",
            "JS JH JD JC TS QS 7H 8D",
            ["carre J 200", "tierce QS 20"],
        ),
        ({}, "H", "8S 8H 8D 8C 7S 9S 7H AD", ["tierce 9S 20"]),
        ({}, "H", "7S 8S 9S JS QS KS 7H AD", ["tierce 9S 20", "tierce KS 20"]),
        ({}, "H", "9D TD JD QD KD AD 7S 8S", ["cent AD 100"]),
        ({}, "H", "7C 8C 9C TC JC QC KC AC", ["cent AC 100"]),
        ({}, "H", "TS TH TD TC AS AH AD AC", ["carre A 100", "carre T 100"]),
        ({}, "SA", "TS TH TD TC AS AH AD AC", ["carre A 200", "carre T 150"]),
        ({}, "SA", "JS JH JD JC 7S 8S 7H 8H", ["carre J 100"]),
        ({}, "TA", "9S 9H 9D 9C 7S 8S 7H 8H", ["carre 9 150"]),
    ],
)
def test_find_annonces(options: dict[str, object], contract: str, hand: str, expected: list[str]):
    annonces = find_annonces(options, contract, hand.split())
    assert [f"{a.kind} {a.top} {a.points}" for a in annonces] == expected


@pytest.mark.parametrize(
    ("tie", "contract", "by_seat", "expected"),
    [
        ("cancel", "H", ["tierce KS", "tierce 9C", "cent 9S", ""], (0, (120, 0))),
        ("cancel", "H", ["carre Q", "cent AS", "", ""], (0, (100, 0))),
        ("cancel", "H", ["carre K", "carre A", "", "tierce 9S"], (1, (0, 120))),
        ("cancel", "H", ["carre 9", "carre J", "", ""], (1, (0, 200))),
        ("cancel", "SA", ["carre J", "carre T", "", ""], (1, (0, 150))),
        ("cancel", "H", ["tierce KH", "tierce KD", "", ""], (0, (20, 0))),
        ("cancel", "TA", ["tierce KH", "tierce KD", "", ""], (None, (0, 0))),
        ("cancel", "H", ["tierce AS", "tierce KH", "", ""], (0, (20, 0))),
        ("cancel", "H", ["cinquante TS", "tierce AD", "", "tierce 9C"], (0, (50, 0))),
        ("cancel", "C", ["tierce KS", "tierce KD", "cinquante JH", ""], (0, (70, 0))),
        ("cancel", "C", ["tierce KS", "tierce KD", "", ""], (None, (0, 0))),
        ("first", "C", ["tierce KS", "tierce KD", "", ""], (1, (0, 20))),
        ("first", "C", ["tierce KS", "", "tierce KH", "tierce KD"], (0, (40, 0))),
        ("cancel", "H", ["", "", "", ""], (None, (0, 0))),
    ],
)
def test_resolve_annonces(tie: str, contract: str, by_seat: list[str], expected: object):
    """Seat 1 speaks first."""
    annonces = [[annonce(text, contract)] if text else [] for text in by_seat]
    assert resolve_annonces({"annonce_tie": tie}, contract, annonces, first_seat=1) == expected


def test_annonces_are_said_at_trick_1_and_shown_at_trick_2():
    deal = stacked(SUIT_HANDS, 0, "JS", {"annonces": True})
    play(deal, ["7S", "7H"])
    assert deal.annonces_said == [{"cent": 1}, {"cent": 1}, {}, {}]
    play(deal, ["7D", "7C"])
    assert (deal.annonce_team, deal.annonce_points) == (None, [0, 0])
    assert deal.annonce_shown == [set()] * 4
    play(deal, ["8S"])
    assert (deal.annonce_team, deal.annonce_points) == (0, [200, 0])  # trump breaks the tie
    assert deal.annonce_shown == [
        set(SUIT_HANDS[0].split()),
        set(),
        set(SUIT_HANDS[2].split()),
        set(),
    ]


def test_annonces_kept_silent_score_nothing():
    options = {"annonces": True, "announce": "choice"}
    deal = stacked(SUIT_HANDS, 0, "JS", options)
    play(deal, ["7S", "7H", "7D", "7C"], lambda deal: "declare" if deal.seat == 1 else "silent")
    assert deal.annonces_said == [{}, {"cent": 1}, {}, {}]
    play(deal, ["8S"])
    assert (deal.annonce_team, deal.annonce_points) == (1, [0, 100])


def test_belote_is_decided_before_annonces_and_the_comparison_before_both():
    deal = stacked(SUIT_HANDS, 0, "JS", {"annonces": True, "announce": "choice"})
    deal.act("KS")
    deal.act("declare")
    assert (deal.belote_said, deal.annonces_said[0]) == ([(0, "S", "belote")], {})
    assert (deal.phase, deal.seat) == ("speech", 0)
    deal.act("declare")
    assert (deal.annonces_said[0], deal.phase, deal.seat) == ({"cent": 1}, "play", 1)
    play(deal, ["7H", "7D", "7C"])
    assert deal.seat == 0
    deal.act("QS")
    assert (deal.phase, deal.annonce_points, deal.belote) == ("speech", [200, 0], [0, 0])
    deal.act("declare")
    assert deal.belote == [20, 0]


def test_the_fourth_seat_speaks_before_the_winner_leads():
    deal = stacked(SUIT_HANDS, 0, "JS", {"annonces": True, "announce": "choice"})
    play(deal, ["7S", "7H", "7D"])
    deal.act("7C")
    assert (deal.phase, deal.seat, deal.tricks) == ("speech", 3, [1, 0])
    deal.act("silent")
    assert (deal.phase, deal.seat) == ("play", 0)


# Section 6


@pytest.mark.parametrize(
    ("points", "belote", "annonces", "options", "expected"),
    [
        ((75, 87), (20, 0), (0, 0), {}, ("made", (95, 87), 0)),
        ((85, 77), (0, 20), (0, 0), {}, ("chute", (0, 182), 0)),
        ((60, 102), (20, 0), (0, 0), {}, ("chute", (20, 162), 0)),
        ((60, 102), (20, 0), (0, 0), {"belote_on_chute": "lost"}, ("chute", (0, 182), 0)),
        ((252, 0), (0, 20), (0, 50), {}, ("capot_taker", (302, 20), 0)),
        ((0, 252), (20, 0), (100, 0), {}, ("chute", (20, 352), 0)),
        ((0, 252), (20, 0), (100, 0), {"chute_capot": "plain"}, ("chute", (20, 262), 0)),
        ((71, 91), (20, 0), (0, 0), {}, ("litige", (0, 91), 91)),
        ((71, 91), (20, 0), (0, 0), {"litige_belote": "kept"}, ("litige", (20, 91), 71)),
        ((71, 91), (20, 0), (0, 0), {"litige": "chute"}, ("chute", (20, 162), 0)),
        ((71, 91), (20, 0), (0, 0), {"litige": "replay"}, ("litige", (0, 0), 0)),
        ((90, 72), (0, 0), (0, 50), {}, ("chute", (0, 212), 0)),
        ((75, 87), (20, 0), (0, 0), {"contract_test": "82_in_tricks"}, ("chute", (20, 162), 0)),
        ((82, 80), (0, 20), (0, 0), {"contract_test": "82_in_tricks"}, ("made", (82, 100), 0)),
        ((81, 81), (20, 0), (0, 0), {"contract_test": "82_in_tricks"}, ("litige", (0, 81), 101)),
        ((85, 77), (0, 0), (0, 0), {"rounding": "nearest10_5up"}, ("made", (90, 80), 0)),
        ((85, 77), (0, 0), (0, 0), {"rounding": "nearest10_6up"}, ("made", (80, 80), 0)),
    ],
)
def test_score(
    points: tuple[int, int],
    belote: tuple[int, int],
    annonces: tuple[int, int],
    options: dict[str, object],
    expected: tuple[str, tuple[int, int], int],
):
    capot_by = points.index(252) if 252 in points else None
    score = score_deal(options, "H", 0, points, capot_by, belote, annonces, carry=0)
    assert (score["result"], score["marks"], score["carry"]) == expected
    mirror = score_deal(
        options,
        "H",
        1,
        (points[1], points[0]),
        None if capot_by is None else 1 - capot_by,
        (belote[1], belote[0]),
        (annonces[1], annonces[0]),
        carry=0,
    )
    assert mirror["marks"] == expected[1][::-1]


@pytest.mark.parametrize(
    ("points", "options", "last_deal", "expected"),
    [
        ((100, 62), {}, False, ("made", (181, 62), 0)),
        ((62, 100), {}, False, ("chute", (0, 243), 0)),
        ((252, 0), {}, False, ("capot_taker", (333, 0), 0)),
        ((0, 252), {}, False, ("chute", (0, 333), 0)),
        ((81, 81), {}, False, ("litige", (0, 81), 162)),
        ((81, 81), {"litige_chain": "replace"}, False, ("litige", (0, 81), 81)),
        ((81, 81), {"litige": "replay"}, False, ("litige", (0, 0), 81)),
        ((81, 81), {"target": None}, False, ("litige", (0, 81), 162)),
        ((81, 81), {"target": None}, True, ("litige", (81, 81), 0)),
        (
            (81, 81),
            {"target": None, "litige_last_deal": "carry_lost"},
            True,
            ("litige", (0, 81), 0),
        ),
        ((100, 62), {"rounding": "nearest10_5up"}, False, ("made", (180, 60), 0)),
    ],
)
def test_score_with_a_carry_of_81(
    points: tuple[int, int],
    options: dict[str, object],
    last_deal: bool,
    expected: tuple[str, tuple[int, int], int],
):
    capot_by = points.index(252) if 252 in points else None
    score = score_deal(options, "H", 0, points, capot_by, (0, 0), (0, 0), 81, last_deal)
    assert (score["result"], score["marks"], score["carry"]) == expected


# Section 7


@pytest.mark.parametrize(
    ("before", "deal", "options", "winner", "blocked"),
    [
        ([985, 400], finished((115, 67), "made"), {}, 0, set()),
        ([400, 400], finished((101, 80), "made"), {"target": 501}, 0, set()),
        ([400, 400], finished((101, 80), "made"), {"target": None, "deals_per_party": 1}, 0, set()),
        ([985, 400], finished((15, 147), "made"), {}, 0, set()),
        ([985, 400], finished((15, 147), "made"), {"target_rule": "exceed"}, None, set()),
        ([900, 900], finished((110, 110), "made"), {}, None, set()),
        ([900, 950], finished((110, 70), "made"), {}, 1, set()),
        ([985, 400], finished((20, 162), "chute"), {}, None, {0}),
        ([985, 400], finished((20, 162), "chute"), {"belote_only_finish": "free"}, 0, set()),
        (
            [985, 400],
            finished((20, 162), "chute"),
            {"belote_only_finish": "blocked_capot"},
            0,
            set(),
        ),
        (
            [985, 400],
            finished((20, 252), "chute", tricks=[0, 8]),
            {"belote_only_finish": "blocked_capot"},
            None,
            {0},
        ),
        ([400, 985], finished((252, 20), "capot_taker", tricks=[8, 0]), {}, None, {1}),
        ([979, 400], finished((20, 162), "chute"), {}, None, set()),
        ([985, 900], finished((20, 162), "chute"), {}, 1, {0}),
        ([999, 838], finished((80, 162), "chute"), {}, 1, {0}),
        ([985, 400], finished((62, 100), "litige"), {}, 0, set()),
    ],
)
def test_end_of_a_match(
    before: list[int],
    deal: Deal,
    options: dict[str, object],
    winner: int | None,
    blocked: set[int],
):
    match = match_at(before, **options)
    match.add(deal)
    assert match.winner == winner
    assert match.over == (winner is not None)
    assert match.blocked == blocked


def test_a_blocked_side_wins_with_its_next_trick():
    match = match_at([985, 400])
    match.add(finished((20, 162), "chute"))
    match.add(finished((0, 252), "chute", tricks=[0, 8]))
    assert (match.over, match.blocked, match.scores) == (False, {0}, [1005, 814])
    match.add(finished((0, 162), "chute", tricks=[1, 7]))
    assert (match.over, match.winner, match.scores) == (True, 0, [1005, 976])


def test_once_unblocked_the_totals_decide():
    match = match_at([985, 700])
    match.add(finished((20, 162), "chute"))
    match.add(finished((0, 162), "chute", tricks=[1, 7]))
    assert (match.winner, match.scores) == (1, [1005, 1024])


def test_a_side_still_blocked_loses_whatever_the_totals():
    match = match_at([990, 600], target=1000)
    match.add(finished((80, 162), "chute"))
    assert match.scores == [1070, 762]
    match.add(finished((0, 252), "chute", tricks=[0, 8]))
    assert (match.winner, match.scores) == (1, [1070, 1014])


def test_dealers_carry_and_void_deals():
    match = match_at([0, 0])
    match.add(finished((0, 81), "litige", next_carry=81))
    assert (match.dealer, match.carry, match.deals_played) == (1, 81, 1)
    match.add(finished((0, 0), "void", taker=None, next_carry=81))
    assert (match.dealer, match.carry, match.deals_played) == (2, 81, 1)
    same = match_at([0, 0], void_dealer="same", litige="replay")
    same.add(finished((0, 0), "void", taker=None))
    same.add(finished((0, 0), "litige"))
    assert (same.dealer, same.deals_played, same.scores) == (0, 0, [0, 0])


def test_a_party_is_ten_menes_and_may_be_drawn():
    party: dict[str, object] = {"target": None, "deals_per_party": 10}
    match = Match(party, first_dealer=0)
    for _ in range(9):
        match.add(finished((81, 81), "made"))
    match.add(finished((0, 0), "void", taker=None))
    assert (match.over, match.deals_played, match.last_deal) == (False, 9, True)
    match.add(finished((81, 81), "made", next_carry=81))
    assert (match.over, match.winner, match.carry) == (True, None, 0)
    with pytest.raises(ValueError, match="match is over"):
        match.add(finished((81, 81), "made"))


def test_the_cut():
    void = finished((0, 0), "void")
    assert cut_deck(void, 3) == CARDS[3:] + CARDS[:3]
    deal = play(stacked(BELOTE_HANDS, 0, "JH"), BELOTE_PLAY)
    assert cut_deck(deal, 29) == BELOTE_PLAY[29:] + BELOTE_PLAY[:29]
    with pytest.raises(ValueError, match="at least 3 cards"):
        cut_deck(deal, 30)


# Whole deals


def test_random_deals_keep_the_invariants():
    rng = random.Random(2)
    for _ in range(300):
        options = {name: rng.choice(values) for name, values in CHOICES.items()}
        deal = Deal(options, rng.randrange(4), rng.sample(CARDS, 32), rng.choice([0, 81]))
        while deal.phase != "over":
            assert deal.seat is not None
            held = [card for hand in deal.hands for card in hand]
            gone = [card for _, card in deal.played]
            assert len(held) + len(gone) == (20 if deal.phase == "auction" else 32)
            assert len(set(held) | set(gone)) == len(held) + len(gone)
            assert all(
                not out & set(hand) for out, hand in zip(deal.excluded, deal.hands, strict=True)
            )
            deal.act(rng.choice(deal.legal()))
        if deal.result == "void":
            assert (deal.marks, deal.next_carry) == ((0, 0), deal.carry)
            continue
        assert deal.contract is not None
        assert sum(deal.tricks) == 8
        assert sum(deal.points) == deal_totals(options, deal.contract)[8 in deal.tricks]
        assert (deal.result == "capot_taker") == (deal.tricks[(deal.taker or 0) % 2] == 8)
        assert min(deal.annonce_points) == 0


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="unknown options"):
        Deal({"undertrumps": "must"}, 0, CARDS)
    with pytest.raises(ValueError, match="32 cards"):
        Deal({}, 0, [*CARDS[1:], "8S"])
    with pytest.raises(ValueError, match="deals_per_party"):
        Match({"target": None}, 0)
    with pytest.raises(ValueError, match="phase 'auction'"):
        Match({}, 0).add(Deal({}, 0, CARDS))
