"""The heuristic agent: honest, legal everywhere, sensible, and far above random play."""

from __future__ import annotations

import hashlib
import json
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.heuristic import HeuristicAgent, play_deals
from agents.heuristics import player, unseen
from agents.heuristics.weights import CALLS, PLAY
from belote_env import SelfPlayVectorEnv
from belote_env.actions import action_name, parse_action
from belote_env.cards import CONTRACTS, NUM_CARDS, bitboard, parse_card
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data
from belote_env.engine.state import PLAY as PLAYING
from belote_env.engine.state import STATE_DTYPE
from belote_env.engine.step import step_at
from belote_env.game import Game
from belote_env.rules import PRESETS, preset
from experiments.lib.kept import RESULTS
from experiments.lib.statistics import mean_by_deal
from tests.observing import observe

FOUR_PLAYERS = tuple(name for name in PRESETS if preset(name).num_seats == 4)
RULES = (
    *FOUR_PLAYERS,
    "coinche+sa_ta=True+generale=True+announce=choice",
    "sans_tout_atout+announce=choice+sa_ta_values=raw+undertrump_partner=forbidden",
    "contree+sa_ta=True+capot_bid=flat_500+score_mode=bid_only",
)
RANDOM_DEALS = 20_000

_lacks = from_python(unseen.lacks)
_heuristic_action = from_python(player.heuristic_action)


def decisions(rules: str, deals: int = 40, seed: int = 0) -> NDArray[Any]:
    """States before each decision of deals that the agent plays."""
    game = Game(rules, seed=seed)
    states: list[NDArray[Any]] = []
    for _ in range(deals):
        while not game.over:
            states.append(game.clone())
            game.step(action_of(rules, game.state))
        game.start()
    return np.concatenate(states)


def actions_of(rules: str, states: NDArray[Any]) -> NDArray[np.int64]:
    out = np.empty(len(states), np.int64)
    player.choose_actions(rule_data(preset_of(rules)), states, PLAY, CALLS, 0, out)
    return out


def action_of(rules: str, state: NDArray[Any]) -> int:
    return int(actions_of(rules, state)[0])


def preset_of(rules: str) -> Any:
    return Game(rules).rules


# What it knows --------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_what_is_hidden_from_the_seat_changes_nothing(rules: str):
    states = decisions(rules)
    rng = np.random.default_rng(0)
    other = states.copy()
    seats = np.arange(4) != states["seat"][:, None]
    other["hands"][seats] = rng.integers(0, 2**32, seats.sum())
    turned = int(rule_data(preset_of(rules))["turned"][0])
    hidden = [place for place in range(NUM_CARDS) if place != turned or turned == 0]
    other["deck"][:, hidden] = rng.integers(0, NUM_CARDS, (len(states), len(hidden)))
    other["key"] = rng.integers(0, 2**63, len(states))
    other["deal"] = rng.integers(0, 2**31, len(states))
    assert (other["hands"] != states["hands"]).any()

    np.testing.assert_array_equal(actions_of(rules, other), actions_of(rules, states))
    assert views(rules, other).tobytes() == views(rules, states).tobytes()


@pytest.mark.parametrize("rules", RULES)
def test_a_view_holds_the_own_hand_and_all_that_is_public(rules: str):
    states = decisions(rules, deals=10)
    seen = views(rules, states)
    rows = np.arange(len(states))

    own = states["hands"][rows, states["seat"]]
    np.testing.assert_array_equal(seen["hands"].sum(axis=1), own)
    np.testing.assert_array_equal(seen["hands"][rows, states["seat"]], own)
    turned = int(rule_data(preset_of(rules))["turned"][0])
    if turned:
        np.testing.assert_array_equal(seen["deck"][:, turned], states["deck"][:, turned])
    for field in set(STATE_DTYPE.names or ()) - {"key", "deal", "deck", "hands"}:
        np.testing.assert_array_equal(seen[field], states[field], field)
    np.testing.assert_array_equal(actions_of(rules, seen), actions_of(rules, states))


def views(rules: str, states: NDArray[Any]) -> NDArray[Any]:
    seen = np.zeros_like(states)
    player.seat_views(rule_data(preset_of(rules)), states, seen)
    return seen


@pytest.mark.parametrize("rules", RULES)
def test_the_agent_plays_from_its_observation_as_the_kernel_does_from_the_deal(rules: str):
    states = decisions(rules)
    obs, mask = observe(rules, states, states["seat"])
    agent = HeuristicAgent(rules)

    actions = agent.act_batch(obs, mask)

    np.testing.assert_array_equal(actions, actions_of(rules, states))
    assert mask[np.arange(len(states)), actions].all()
    assert agent.act({"observation": obs[7], "action_mask": mask[7]}, mask[7], {}) == actions[7]
    assert _heuristic_action(rule_data(agent.rules)[0], states[7]) == actions[7]


@pytest.mark.parametrize("rules", RULES)
def test_whole_deals_are_those_of_the_environment(rules: str):
    env = SelfPlayVectorEnv(50, rules, seed=3)
    agent = HeuristicAgent(rules)
    obs, mask, _ = env.reset()
    outcomes, playing = env.outcome.copy(), np.ones(50, bool)
    while playing.any():
        actions = mask.argmax(axis=1)
        actions[playing] = agent.act_batch(obs[playing], mask[playing])
        obs, mask, _, _, done = env.step(actions)
        outcomes[playing & done] = env.outcome[playing & done]
        playing &= ~done

    np.testing.assert_array_equal(play_deals(rules, deals=50, seed=3), outcomes)
    np.testing.assert_array_equal(play_deals(rules, deals=20, seed=3, first=30), outcomes[30:])


def test_the_numbers_of_version_1_never_change():
    numbers = {
        field: table[field][0].tolist()
        for table in (PLAY, CALLS)
        for field in sorted(table.dtype.names or ())
        if table[field][0].any()  # a field of a later version is zero
    }
    digest = hashlib.sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()
    assert digest == "f33b38d74cf1fc30881abe4936a1dbd322560768f4d8b8f5049944724ec196b6"


def test_the_numbers_of_version_1_are_those_that_were_tuned():
    result = json.loads((RESULTS / "heuristic.json").read_text())
    for name, table in (("play", PLAY), ("calls", CALLS)):
        for field, values in result["weights"][name].items():
            np.testing.assert_array_equal(
                table[field][0], np.reshape(values, table[field][0].shape)
            )


# What it counts on ----------------------------------------------------------------------------


def test_the_chance_of_a_hand_without_some_cards_is_hypergeometric():
    free = bitboard(range(12))
    holder = (0, 0, free, 4, 12, 1.0, 1.0)

    for asked in range(1, 6):
        expected = comb(12 - asked, 4) / comb(12, 4)
        assert _lacks(holder, bitboard(range(asked)), False) == pytest.approx(expected)


def test_a_card_that_fewer_seats_can_hold_is_likelier_in_each():
    three = _lacks((0, 0, 0b1111, 2, 4, 1.0, 1.0), 0b1, False)
    two = _lacks((0, 0b0001, 0b1110, 2, 4, 1.0, 1.0), 0b1, False)
    alone = _lacks((0b0001, 0, 0b1110, 1, 3, 1.0, 1.0), 0b1, False)

    assert 1 > three > two > alone == 0


def test_a_taker_is_likelier_to_hold_trumps():
    holder = (0, 0, 0xFF, 3, 8, 2.0, 1.0)

    assert _lacks(holder, 0b1, True) < _lacks(holder, 0b1, False)


# What it is worth -----------------------------------------------------------------------------


def test_it_beats_random_play_by_sixty_five_marks_a_deal_on_classic():
    assert lead_over_random("classic").low >= 65


@pytest.mark.parametrize("rules", FOUR_PLAYERS)
def test_it_beats_random_play_under_all_rules(rules: str):
    assert lead_over_random(rules).low > 50


def lead_over_random(rules: str) -> Any:
    ours, theirs = "heuristic-v1", "random"
    first = play_deals(rules, RANDOM_DEALS, 1, (ours, theirs))["marks"].astype(int)
    second = play_deals(rules, RANDOM_DEALS, 1, (theirs, ours))["marks"].astype(int)
    margins = (first[:, 0] - first[:, 1] + second[:, 1] - second[:, 0]) / 2
    return mean_by_deal(margins)


# What it does ---------------------------------------------------------------------------------


def call_with(rules: str, hand: str, turned: str | None = None, calls: str = "") -> str:
    """What the seat to act calls with a hand, after some calls."""
    game = Game(rules, seed=0)
    if turned is not None:
        game.state["deck"][0, 20] = parse_card(turned)
    for call in filter(None, calls.split(", ")):
        game.step(parse_action(call))
    game.state["hands"][0, game.seat] = cards(hand)
    return action_name(action_of(rules, game.state))


def cards(names: str) -> int:
    return bitboard(map(parse_card, names.split()))


def play_with(
    hand: str, played: str = "", contract: str = "S", taker: int = 0, leader: int = 0
) -> str:
    """The card that seat 0 plays from a hand, after some cards of which ``leader`` played first."""
    game = Game("classic", seed=0)
    state = game.state
    state["deck"][0, 20] = parse_card("7C")
    state["phase"], state["contract"], state["taker"] = PLAYING, CONTRACTS.index(contract), taker
    state["seat"] = leader
    state["hands"] = 0
    for name in played.split():
        step_at(game.rule_data, state, 0, parse_card(name))
    assert state["seat"][0] == 0
    state["hands"][0, 0] = cards(hand)
    return action_name(action_of("classic", state))


@pytest.mark.parametrize(
    ("hand", "turned", "call"),
    [
        ("JS 9S 8S AH TH", "AS", "S"),
        ("7D 8D QH KH 9C", "AS", "pass"),
        ("7S 8S AH TH KH", "9D", "pass"),
        ("AS JH 9H AH TH", "7D", "pass"),  # hearts are for round 2
    ],
)
def test_it_takes_on_strong_trumps_alone(hand: str, turned: str, call: str):
    assert call_with("classic", hand, turned) == call


def test_it_takes_its_best_suit_in_round_2():
    passed = ", ".join(["pass"] * 4)

    assert call_with("classic", "JH 9H AH 8H AS", "7D", passed) == "H"
    assert call_with("classic", "7H 8H QS KC 9C", "7D", passed) == "pass"


def test_it_overbids_at_sans_and_tout_atout():
    assert call_with("sans_tout_atout", "AS TS AH TH AD", "AC") == "SA"
    assert call_with("sans_tout_atout", "JS 9S JH 9H JD", "JC") == "TA"
    assert call_with("sans_tout_atout", "JS 9S JH 9H JD", "JC", "C") == "TA"
    assert call_with("sans_tout_atout", "7S 8S 7H 8H QD", "9C", "C") == "pass"


def test_it_bids_what_it_expects_and_supports_its_partner():
    strong, weak, support = "JS 9S AS KS QS AH AD 7C", "7S 8S 9H QH 8D KD 7C 9C", "JH 9H AS AD"
    value, suit = call_with("contree", strong).split()

    assert (suit, int(value) >= 120) == ("S", True)
    assert call_with("contree", weak) == "pass"
    assert call_with("contree", f"{support} 7S 8D 7C 8C", calls="90 H, pass").endswith(" H")
    assert call_with("contree", weak, calls="90 H, pass") == "pass"


def test_it_bids_capot_with_eight_sure_tricks():
    sure = "JS 9S AS TS KS QS AH AD"

    assert call_with("contree", sure) == "capot S"
    assert call_with("contree+generale=True", sure) == "generale S"


def test_it_doubles_a_bid_that_it_can_defeat():
    assert call_with("contree", "JH 9H AH 8H AS TS AD AC", calls="160 H") == "coinche"
    assert call_with("contree", "7S 8S 9S QD 8D KD 7C 9C", calls="90 H") == "pass"


@pytest.mark.parametrize(
    ("played", "hand", "card"),
    [
        ("7D AD 8D", "TD QD 9C 7H", "TD"),  # points to partner, who holds the trick
        ("7D AD JS", "TD QD 9C 7H", "QD"),  # few to an opponent who ruffed
        ("KD 7D 8D", "AD QD 9C 7H", "AD"),  # takes a king
        ("7D AD TD", "JS 9S 8H 7H", "7H"),  # leaves partner his trick, with a card worth nothing
    ],
)
def test_it_plays_last_to_a_trick_as_one_should(played: str, hand: str, card: str):
    assert play_with(hand, played, leader=1, taker=1) == card


def test_a_taker_draws_trumps_from_the_top():
    assert play_with("JS 9S AS 8S AH 7D 8D 9D") == "JS"


def test_it_counts_the_cards_that_have_fallen():
    fallen = "AH 7H 8H 9H TH QH KH AC"

    assert play_with("JH 7D 8D TD 9C 8C", fallen, contract="S", taker=1) == "JH"


# Errors ---------------------------------------------------------------------------------------


def test_two_players_and_unknown_names_are_refused():
    with pytest.raises(ValueError, match="rules='two_player': use rules of four players"):
        HeuristicAgent("two_player")
    with pytest.raises(ValueError, match="version=9: use one of 1"):
        HeuristicAgent("classic", version=9)
    with pytest.raises(ValueError, match="sides='oracle': use one of 'random', 'heuristic-v1'"):
        play_deals("classic", deals=1, seed=0, sides=("random", "oracle"))
    with pytest.raises(ValueError, match="deals=0: use a whole number 1-"):
        play_deals("classic", deals=0, seed=0)
    with pytest.raises(ValueError, match="first=-1: use a whole number 0-"):
        play_deals("classic", deals=1, seed=0, first=-1)
    obs, mask = observe("contree", Game("contree", seed=0).state, 0)
    with pytest.raises(ValueError, match="as rules 'classic' give"):
        HeuristicAgent("classic").act_batch(obs, mask)
