# pyright: reportMissingImports=false
"""belote-cli: its legal cards against ours, and its player as an agent."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any, get_args

import pytest
from belote.ai import AIPlayer
from belote.ai import Difficulty as PlayerDifficulty
from belote.game import (
    BossModifiers,
    GameState,
    Phase,
    Seat,
    bidding_turn,
    partner,
    place_bid,
    play_card,
)

from agents.peers.belote_cli import CARDS, RULES, BeloteCliAgent, Difficulty, bid_value, playing
from belote_env import RuleSet, raw_env, rules
from belote_env.actions import DECLARE, PASS, SILENT, TAKE
from belote_env.cards import (
    CONTRACTS,
    NUM_CARDS,
    NUM_CONTRACTS,
    NUM_SEATS,
    SUITS,
    card_name,
    iter_cards,
)
from tests.peers.against_belote_cli import play_deal
from tests.peers.episodes import play

DEALS = 30
"""Deals, of 32 positions each, at each contract."""


def play_deals(contract: int) -> None:
    for index in range(DEALS):
        play_deal(1, contract, index)


def hands_of(env: Any) -> tuple[tuple[Any, ...], ...]:
    """All hands as belote-cli has them."""
    hands = env.game.state["hands"][0].tolist()
    return tuple(tuple(CARDS[card] for card in iter_cards(hand)) for hand in hands)


def at_the_auction(env: Any, flags: BossModifiers) -> GameState:
    """belote-cli's game of the deal of an environment."""
    state = env.game.state[0]
    deck = [CARDS[card] for card in state["deck"]]
    return GameState(
        hands=hands_of(env),
        dealer=Seat(int(state["dealer"])),
        phase=Phase.BIDDING,
        up_card=deck[20],
        remaining_cards=tuple(deck[21:]),
        boss_modifiers=flags,
    )


def at_the_play(env: Any, flags: BossModifiers) -> GameState:
    """belote-cli's game of the deal of an environment, once the auction is over."""
    state = env.game.state[0]
    contract, taker, dealer = (int(state[name]) for name in ("contract", "taker", "dealer"))
    return replace(playing(contract, taker, dealer), hands=hands_of(env), boss_modifiers=flags)


def test_cards_have_the_same_ids():
    ours = [card_name(card).replace("T", "10") for card in range(NUM_CARDS)]

    assert [repr(card) for card in CARDS] == [
        name[:-1] + "♠♥♦♣"[SUITS.index(name[-1])] for name in ours
    ]


@pytest.mark.parametrize("contract", range(NUM_CONTRACTS), ids=CONTRACTS)
def test_legal_cards_are_equal_at_every_card(contract: int):
    play_deals(contract)


def test_a_disagreement_is_reported_with_its_place(monkeypatch: pytest.MonkeyPatch):
    other = RULES.replace(undertrump="may_discard")
    monkeypatch.setattr("tests.peers.against_belote_cli.RULES", other)

    with pytest.raises(AssertionError, match=r"seed 1, deal \d+ at H, card \d+: .*belote-cli"):
        play_deals(1)


@pytest.mark.parametrize("announce", ["auto", "choice"])
@pytest.mark.parametrize("difficulty", get_args(Difficulty))
def test_agents_play_whole_deals(difficulty: Difficulty, announce: str):
    rules = RULES.replace(announce=announce)
    env = raw_env(rules)
    agents = [BeloteCliAgent(difficulty, rules, seed=seat) for seat in range(NUM_SEATS)]
    contracts: set[int] = set()
    chosen: Counter[int] = Counter()
    for seed in range(40):
        env.reset(seed=seed)
        chosen.update(play(env, agents))
        contracts.add(int(env.game.state["contract"][0]))

    assert contracts >= {0, 1, 2, 3}
    assert not chosen[SILENT]
    assert bool(chosen[DECLARE]) == (announce == "choice")


def test_the_agent_plays_as_the_player_does_in_belote_cli():
    flags = BossModifiers(hide_partner_hand=True)
    compared: Counter[str] = Counter()
    for seed in range(30):
        env = raw_env(RULES)
        env.reset(seed=seed)
        agents = [BeloteCliAgent("hard", seed=seat) for seat in range(NUM_SEATS)]
        players = [
            AIPlayer(seat, PlayerDifficulty.HARD, random.Random(seat.value)) for seat in Seat
        ]
        theirs = at_the_auction(env, flags)
        for action in play(env, agents):
            if theirs.phase == Phase.BIDDING:
                bid = players[bidding_turn(theirs).value].decide_bid(theirs)
                assert action == (PASS if bid is None else TAKE + bids().index(bid))
                theirs = place_bid(theirs, bid)
                compared["calls"] += 1
            elif action < NUM_CARDS:
                if not (theirs.current_trick or theirs.completed_tricks):
                    theirs = at_the_play(env, flags)
                player = players[theirs.turn.value]
                player.update_memory(theirs)
                assert player.decide_card(theirs) == CARDS[action]
                theirs = play_card(theirs, CARDS[action])
                compared["cards"] += 1
    assert compared["calls"] > 60
    assert compared["cards"] > 500


def bids() -> list[Any]:
    return [bid_value(contract) for contract in range(NUM_CONTRACTS)]


def test_the_player_copies_its_partner_s_hand_unless_a_flag_hides_it():
    env = raw_env(RULES)
    env.reset(seed=3)
    while env.game.state["contract"][0] < 0:
        env.step(int(env.game.legal_actions()[-1]))
    while env.game.legal_actions()[0] >= NUM_CARDS:
        env.step(PASS)
    for hidden in (False, True):
        player = AIPlayer(Seat.SOUTH, PlayerDifficulty.HARD)
        theirs = at_the_play(env, BossModifiers(hide_partner_hand=hidden))
        player.update_memory(theirs)
        hand = set() if hidden else set(theirs.hand_of(partner(Seat.SOUTH)))
        assert player.memory.partner_hand == hand


def test_the_agent_s_player_is_shown_no_hand_but_its_own(monkeypatch: pytest.MonkeyPatch):
    shown: list[GameState] = []

    class Watched(AIPlayer):
        def decide_bid(self, state: GameState) -> Any:
            shown.append(state)
            return super().decide_bid(state)

        def decide_card(self, state: GameState) -> Any:
            shown.append(state)
            assert not self.memory.partner_hand
            return super().decide_card(state)

    monkeypatch.setattr("agents.peers.belote_cli.AIPlayer", Watched)
    env = raw_env(RULES)
    for seed in range(5):
        env.reset(seed=seed)
        for _ in play(env, [BeloteCliAgent(seed=seat) for seat in range(NUM_SEATS)]):
            own = env.game.seat
            state = shown[-1] if shown else None
            if state is not None and state.phase == Phase.PLAYING:
                assert set(state.hands[0]) == set(hands_of(env)[own])
    assert {state.phase for state in shown} == {Phase.BIDDING, Phase.PLAYING}
    assert all(state.hands[1:] == ((), (), ()) for state in shown)
    assert all(state.boss_modifiers.hide_partner_hand for state in shown)


@pytest.mark.parametrize(
    ("difficulty", "rule_set", "message"),
    [
        ("brutal", RULES, "difficulty='brutal': use one of 'easy', 'medium', 'hard'"),
        ("hard", rules.preset("classic"), "sa_ta=False: use True, as belote-cli plays"),
        ("hard", RULES.replace(undertrump_partner="raise"), "undertrump_partner='raise': use 'fr"),
        ("hard", RULES.replace(undertrump="may_discard"), "undertrump='may_discard': use 'must'"),
        ("hard", RULES.replace(raise_over_partner="soft"), "raise_over_partner='soft': use 'str"),
    ],
)
def test_settings_that_it_cannot_play_are_refused(difficulty: Any, rule_set: RuleSet, message: str):
    with pytest.raises(ValueError, match=message):
        BeloteCliAgent(difficulty, rule_set)
