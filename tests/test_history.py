"""The tokens of ``observation="history"``, read back and held against the reference's events."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from belote_env import observation
from belote_env.actions import NUM_ACTIONS, action_name, parse_action
from belote_env.cards import SUITS, card_name
from belote_env.deck import complete_deck
from belote_env.rules import RuleSet, resolve
from tests.observing import observe_all, suits_in_slots
from tests.property.strategies import Line, whole_deals
from tests.reading import Reading, assert_decodes
from tests.reference import Deal
from tests.reference_rules import CARDS, KINDS

Event = tuple[str, int]
"""What happened, and the seat that did it."""

# As the documentation of the tokens has them, from token 1 on.
_TOKENS = [
    *map(action_name, range(NUM_ACTIONS)),
    *("belote", "rebelote", *KINDS),
    *(f"shown {card}" for card in CARDS),
    *(f"turned {card}" for card in CARDS),
    "deal",
]


def public_events(line: Line) -> list[list[Event]]:
    """What the table has seen before each action of a line and after the last."""
    deal = Deal(line.rules.options, line.dealer, [card_name(card) for card in line.deck])
    events: list[Event] = [(f"turned {deal.turned}" if deal.turned else "deal", line.dealer)]
    seen = [list(events)]
    for action in line.actions:
        seat, said, kinds = deal.seat, len(deal.belote_said), list(deal.annonces_said)
        assert seat is not None
        shown_before = bool(deal.played[4:])
        deal.act(action_name(action))
        if deal.played[4:] and not shown_before:
            events += _shown(deal)
        if action_name(action) not in ("declare", "silent"):
            events.append((action_name(action), seat))
        events += [(word, seat) for _, _, word in deal.belote_said[said:]]
        if deal.annonces_said[seat] != kinds[seat]:
            for kind in KINDS:
                events += [(kind, seat)] * deal.annonces_said[seat].get(kind, 0)
        seen.append(list(events))
    return seen


def _shown(deal: Deal) -> list[Event]:
    """The cards of annonces shown, in the order in which `decoded` has them."""
    shown = enumerate(deal.annonce_shown)
    return sorted((f"shown {card}", seat) for seat, cards in shown for card in cards)


def decoded(
    rules: RuleSet, tokens: NDArray[np.uint8], seat: int, order: Sequence[int]
) -> list[Event]:
    """The events that a seat is told, suits and seats by their own names."""
    num = int(np.count_nonzero(tokens[:, 0]))
    assert tokens[:num].all()
    assert not tokens[num:].any()
    events = [
        (_in_suits(_TOKENS[what - 1], order), (seat + who - 1) % rules.num_seats)
        for what, who in tokens[:num].tolist()
    ]
    shown = [i for i, (what, _) in enumerate(events) if what.startswith("shown")]
    if shown:
        start, stop = shown[0], shown[-1] + 1
        assert shown == list(range(start, stop))
        events[start:stop] = sorted(events[start:stop])
    return events


def _in_suits(name: str, order: Sequence[int]) -> str:
    """A name of what happened with the suit of each slot in place of the slot."""
    *words, last = name.split()
    if last in CARDS or last in SUITS:
        last = last[:-1] + SUITS[order[SUITS.index(last[-1])]]
    return " ".join([*words, last])


@pytest.mark.parametrize("canonical", [False, True])
@given(line=whole_deals(), rng=st.randoms(use_true_random=False))
def test_the_tokens_are_the_public_events_and_the_rest_is_as_elsewhere(
    line: Line, rng: random.Random, canonical: bool
):
    rules, slices = line.rules, observation.schema(line.rules, "history")
    events, states = public_events(line), line.states()

    obs, _ = observe_all(rules, states, canonical, "history")

    for i in rng.sample(range(len(states)), min(len(states), 8)):
        for seat in range(rules.num_seats):
            order = suits_in_slots(rules, states[i], seat, canonical)
            assert_decodes(obs[i, seat], slices, Reading(rules, states[i], seat, order))
            tokens = observation.views(obs[i, seat], slices)["events"]
            assert decoded(rules, tokens, seat, order) == events[i]


# The longest deals ---------------------------------------------------------------------------

# All hold two cinquantes, and seats 2 and 3 say belote and rebelote in two suits each at TA.
FOUR_HANDS = [
    ["7S", "8S", "9S", "TS", "7H", "8H", "9H", "TH"],
    ["7D", "8D", "9D", "TD", "7C", "8C", "9C", "TC"],
    ["JS", "QS", "KS", "AS", "JH", "QH", "KH", "AH"],
    ["JD", "QD", "KD", "AD", "JC", "QC", "KC", "AC"],
]
TWO_HANDS = [
    ["7S", "8S", "9S", "TS", "QS", "KS", "AS"],
    ["7D", "8D", "9D", "TD", "QD", "KD", "AD"],
]
BIDS = [*(f"{value} S" for value in range(80, 170, 10)), "capot S"]
PASSES = ["pass", "pass"]


def each_after_two_passes(calls: list[str]) -> list[str]:
    """Calls each of which is made when one more pass would end the auction."""
    return [call for last in calls for call in (*PASSES, last)]


BY_BIDS = ["pass", *each_after_two_passes([*BIDS, "coinche", "surcoinche"])]
BY_BIDS_AT_TA = ["pass", *each_after_two_passes([*BIDS, "generale TA", "coinche", "surcoinche"])]
BY_TAKES_AT_TA = [*["pass"] * 7, "S", *each_after_two_passes(["SA", "TA", "pass"])]
BY_TWO = ["pass", "pass", "pass", "S"]


@pytest.mark.parametrize(
    ("rules", "calls", "events", "room"),
    [
        ("two_player", BY_TWO, 1 + 4 + 32 + 2, 40),
        ("contree", BY_BIDS, 1 + 37 + 32 + 2, 72),
        # Eight words of belote, eight annonces said, and the sixteen cards of one side's.
        ("sans_tout_atout", BY_TAKES_AT_TA, 1 + 17 + 32 + 8 + 8 + 16, 88),
        ("coinche+sa_ta=True+generale=True", BY_BIDS_AT_TA, 1 + 40 + 32 + 8 + 8 + 16, 112),
    ],
)
@pytest.mark.parametrize("speech", ["auto", "choice"])
def test_the_longest_deals_fit(rules: str, calls: list[str], events: int, room: int, speech: str):
    chosen = resolve(rules).replace(announce=speech)
    if chosen.annonces:
        chosen = chosen.replace(annonce_tie="first")
    line = longest_deal(chosen, calls)
    (slices,) = (s for s in observation.schema(chosen, "history") if s.name == "events")

    obs, _ = observe_all(chosen, line.end().state, form="history")

    assert slices.shape == (room, 2)
    for seat in range(chosen.num_seats):
        tokens = observation.views(obs[0, seat], observation.schema(chosen, "history"))["events"]
        read = decoded(chosen, tokens, seat, range(4))
        assert read == public_events(line)[-1]
        assert len(read) == events


def longest_deal(rules: RuleSet, calls: list[str]) -> Line:
    """A deal with these calls in which all is said that can be."""
    dealer = rules.num_seats - 1
    hands = TWO_HANDS if rules.num_seats == 2 else FOUR_HANDS
    turned = None if rules.family == "auction" else "7D"
    deck = complete_deck(rules, hands, dealer, turned, rng=np.random.default_rng(0))
    line = Line(rules, dealer, tuple(deck), ())
    game, actions = line.start(), list(map(parse_action, calls))
    for action in actions:
        game.step(action)
    while not game.over:
        actions.append(game.legal_actions()[0])  # DECLARE comes before SILENT
        game.step(actions[-1])
    return Line(rules, dealer, tuple(deck), tuple(actions))
