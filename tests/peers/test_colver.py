# pyright: reportMissingImports=false
"""colver: contrée on its engine and on ours in step, and its players as agents."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, get_args

import colver
import numpy as np
import pytest

from agents.peers.colver import (
    CALLS,
    RULES,
    Bid,
    ColverAgent,
    ColverDeal,
    Play,
    deal_unseen,
    to_colver,
)
from agents.peers.seen import SeenDeal, seen_deal
from agents.registry import make_player
from belote_env import raw_env
from belote_env.actions import DECLARE, PASS, SILENT, action_name
from belote_env.cards import NUM_CARDS, NUM_SEATS, SUITS, iter_cards
from experiments.lib.duplicate import play_duplicate
from tests.peers.against_colver import DIFFERENCES, Disagreement, Tally, play_deal
from tests.peers.episodes import play
from tests.playing import pick

DEALS = 400


def play_deals() -> Tally:
    tally = Tally()
    for index in range(DEALS):
        tally.add(play_deal(1, index))
    return tally


def test_actions_have_the_same_names():
    symbols = {"Pass": "pass", "Coinche": "coinche", "Surcoinche": "surcoinche", "T": "10"}
    for action in range(NUM_CARDS):
        rank, suit = action_name(action)
        name = f"{symbols.get(rank, rank)}{'♠♥♦♣'[SUITS.index(suit)]}"
        assert colver.Env.card_name(to_colver(action)) == name
    for action in CALLS:
        name = colver.Env.action_name(to_colver(action), 0)
        value, suit = name[:-1], name[-1]
        ours = f"{value.lower()} {SUITS['♠♥♦♣'.index(suit)]}" if suit in "♠♥♦♣" else name.lower()
        assert action_name(action) == ours
    assert sorted(map(to_colver, CALLS)) == list(range(43))


def test_the_engines_agree_at_every_decision():
    tally = play_deals()

    assert tally.counts["deals"] == DEALS
    assert tally.counts["belotes"] > 0
    values = (*range(80, 161, 10), "capot")
    assert {name.partition(",")[0] for name in tally.contracts} == {str(value) for value in values}
    assert {name.partition(", ")[2] for name in tally.contracts} == {"", "coinche", "surcoinche"}
    assert tally.results.keys() >= {"void", "made", "chute", "chute (capot)"}
    assert tally.differences.keys() == DIFFERENCES.keys()
    assert tally.differences["surcoinche as first call"] == DEALS


@pytest.mark.parametrize(
    ("option", "value", "difference"),
    [
        ("undertrump", "must", "legal actions"),
        ("chute_base", 160, "marks"),
        ("surcoinche_multiplier", 4, "marks"),
        ("belote_on_chute", "kept", "marks"),
        ("generale", True, "legal actions"),
    ],
)
def test_a_difference_is_reported_with_its_place(
    monkeypatch: pytest.MonkeyPatch, option: str, value: Any, difference: str
):
    other = RULES.replace(**{option: value})
    monkeypatch.setattr("tests.peers.against_colver.RULES", other)

    with pytest.raises(Disagreement, match=rf"seed 1, deal \d+, after .*: {difference}: .*colver"):
        play_deals()


def positions(rules: Any = RULES, deals: int = 20) -> Iterator[tuple[Any, SeenDeal]]:
    """An environment at every decision of random deals, and what the seat to act has seen."""
    env = raw_env(rules)
    rng = random.Random(1)
    for seed in range(deals):
        env.reset(seed=seed)
        while not env.game.over:
            observation = env.observe(env.agent_selection)
            yield env, seen_deal(env.game.rules, observation["observation"])
            mask = observation["action_mask"]
            # Bids climb fast, so that most calls are passes.
            env.step(PASS if mask[PASS] and rng.random() < 0.7 else pick(mask, rng))


def test_what_a_seat_has_seen_is_read_back_from_its_observation():
    decisions = 0
    for env, seen in positions():
        state, own = env.game.state[0], env.game.seat
        calls = state["calls"][: state["num_calls"]].tolist()
        order = np.argsort(state["place"], kind="stable")[NUM_CARDS - state["num_played"] :]
        fallen = [iter_cards(cards) for cards in state["fallen"].tolist()]
        players = {card: seat for seat, cards in enumerate(fallen) for card in cards}
        assert seen.hand == tuple(iter_cards(int(state["hands"][own])))
        assert (seen.dealer + own) % NUM_SEATS == state["dealer"]
        assert list(seen.calls) == calls
        assert seen.contract == state["contract"]
        assert seen.plays == tuple(((players[c] - own) % NUM_SEATS, c) for c in order.tolist())
        decisions += 1
    assert decisions > 500


def test_unseen_cards_are_dealt_as_they_may_lie():
    rng = np.random.default_rng(0)
    moved = 0
    for env, seen in positions():
        own = env.game.seat
        hands = deal_unseen(seen, rng)
        assert sorted(card for hand in hands for card in hand) == list(range(NUM_CARDS))
        assert all(len(hand) == 8 for hand in hands)
        assert sorted(hands[0]) == sorted(seen.dealt)
        for seat in range(NUM_SEATS):
            assert set(seen.played_by(seat)) <= set(hands[seat])
            assert not set(hands[seat]) & seen.excluded[seat]
        deal = ColverDeal(hands, seen.dealer)
        for action in (*seen.calls, *(card for _, card in seen.plays)):
            assert action in deal.legal_actions()
            deal.step(action)
        assert deal.seat == 0
        assert deal.legal_actions() == env.game.legal_actions()
        real = env.game.state["hands"][0, (own + 1) % NUM_SEATS]
        moved += set(hands[1]) - set(seen.played_by(1)) != set(iter_cards(int(real)))
    assert moved > 100


@pytest.mark.parametrize("bid", get_args(Bid))
def test_the_agent_plays_as_the_player_does_in_colver(bid: Bid):
    spec = f'[bid]\nstrategy = "{bid}"\n[play]\nmethod = "rule"\n'
    env = raw_env(RULES)
    agents = [ColverAgent(bid, "rule", seed=seat) for seat in range(NUM_SEATS)]
    played = 0
    for seed in range(20):
        env.reset(seed=seed)
        state = env.game.state[0]
        theirs = ColverDeal([iter_cards(int(hand)) for hand in state["hands"]], state["dealer"])
        players = [colver.Agent(spec, seat) for seat in range(NUM_SEATS)]
        for player in players:
            player.init_deal(theirs.env)
        for action in play(env, agents):
            assert action == theirs.from_colver(players[theirs.seat].action(theirs.env))
            for player in players:
                player.observe(theirs.env, to_colver(action))
            theirs.step(action)
            played += action < NUM_CARDS
    assert played > 300


@pytest.mark.parametrize("announce", ["auto", "choice"])
@pytest.mark.parametrize("play_by", get_args(Play))
def test_agents_play_matches(play_by: Play, announce: str):
    rules = RULES.replace(announce=announce, target=300)
    env = raw_env(rules, episode="match")
    agents = [
        ColverAgent(play=play_by, time_ms=1, rules=rules, seed=seat) for seat in range(NUM_SEATS)
    ]
    env.reset(seed=1)
    chosen = list(play(env, agents))

    assert env.game.state["match_over"][0]
    assert SILENT not in chosen
    assert (DECLARE in chosen) == (announce == "choice")


@pytest.mark.parametrize(
    "spec",
    ["mixed(bids=random, cards=colver(play=rule))", "mixed(bids=colver(bid=smart), cards=random)"],
)
def test_half_of_it_follows_what_another_does(spec: str):
    player, other = make_player(spec, RULES, seed=1), make_player("random", RULES, seed=2)
    match = play_duplicate(player, other, RULES, 10, seed=3)

    assert match.deals.tolist() == [1] * 10
    # Random calls take nearly every deal, random cards lose to nearly any others.
    assert match.results()["marks"].value > 0


def test_play_by_worlds_repeats():
    env = raw_env(RULES)

    def choices(seed: int) -> list[int]:
        env.reset(seed=1)
        return list(play(env, [ColverAgent(worlds=2, seed=seed + seat) for seat in range(4)]))

    assert choices(1) == choices(1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bid": "nn"}, "bid='nn': use one of 'heuristic', 'improved', "),
        ({"play": "oracle"}, "play='oracle': use one of 'heuristic', 'rule', "),
        ({"time_ms": 0}, "time_ms=0: use a whole number 1-"),
        ({"worlds": 0}, "worlds=0: use a whole number 1-"),
        ({"play": "rule", "worlds": 3}, "worlds=3: use None, or play='isdd'"),
        ({"rules": RULES.replace(generale=True)}, "generale=True: use False, as colver plays"),
    ],
)
def test_settings_that_it_does_not_know_are_refused(settings: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        ColverAgent(**settings)


def test_observations_of_other_rules_are_refused():
    env = raw_env("classic")
    env.reset(seed=1)
    observation = env.observe("player_0")

    with pytest.raises(ValueError, match="observation: rules 'contree' give one of shape"):
        ColverAgent().act(observation, observation["action_mask"], {})
