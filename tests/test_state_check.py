"""Which states `set_state` takes: all that play leads to, and none that could not have been."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from belote_env import Game, SelfPlayVectorEnv
from belote_env.actions import PASS, parse_action
from belote_env.cards import NUM_CARDS
from belote_env.engine.episode import EPISODES
from belote_env.engine.state import (
    AUCTION,
    CAPOT_TAKER,
    LITIGE,
    MADE,
    OVER,
    PLAY,
    RESULTS,
    SPEECH,
    STATE_DTYPE,
    VOID,
    new_states,
)
from belote_env.engine.state_check import check_states
from belote_env.rules import PRESETS, resolve
from tests.drawn_rules import draw_rules
from tests.property.strategies import PRESETS_AND_SPEECH

FREE = {"key", "deal", "deals_played", "scores", "carry", "marks", "belote_marks", "result"}
FREE |= {"tolerance_used", "blocked", "winner", "match_over", "calls", "deck"}
"""Fields with other values that the rest of a state does not contradict, or not always."""


def check(states: NDArray[Any], rules: str, episode: str = "deal") -> None:
    check_states(states, len(states), resolve(rules), EPISODES.index(episode))


def played(rules: str, wanted: int, seed: int = 0) -> NDArray[Any]:
    """The first state of random play in a phase, shape (1,)."""
    rng = random.Random(seed)
    game = Game(rules, seed=seed)
    while True:
        if game.state["phase"][0] == wanted:
            return game.clone()
        if game.over:
            game.start()
        game.step(rng.choice(game.legal_actions()))


def test_every_state_of_random_play_under_random_rules_is_taken():
    rng = random.Random(4)
    for number in range(60):
        rules = draw_rules(rng)
        episode: Any = EPISODES[number % 2]
        game = Game(rules, episode, seed=number)
        for _ in range(150):
            game.restore(game.clone())
            if not game.over:
                game.step(rng.choice(game.legal_actions()))
            elif game.end_deal():
                game.restore(game.clone())
                game.start()
            else:
                game.restore(game.clone())
                game.begin_deal()


@pytest.mark.parametrize("rules", PRESETS_AND_SPEECH)
def test_a_changed_field_is_refused(rules: str):
    rng = np.random.default_rng(1)
    env = SelfPlayVectorEnv(40, rules, seed=1)
    _, mask, _ = env.reset()
    seen: set[int] = set()
    words = {"belote_said", "rebelote_said", "annonces_said", "speech"}
    said = words if "choice" in rules else set[str]()
    for _ in range(60):
        env.step((mask * rng.random(mask.shape)).argmax(axis=1))
        seen |= set(env.states["phase"].tolist())
        for field in sorted(set(STATE_DTYPE.names or ()) - FREE - said):
            states = env.clone_state()
            bytes_of = states[field].view(np.uint8).reshape(40, -1)
            row, byte = rng.integers(40), rng.integers(bytes_of.shape[1])
            wrong = states[field].copy()
            wrong.view(np.uint8).reshape(40, -1)[row, byte] ^= 1 << rng.integers(8)
            states[field] = wrong
            with pytest.raises(ValueError, match=rf"^states\[{row}\]: \w+="):
                check(states, rules)
    assert {AUCTION, PLAY} <= seen
    assert (SPEECH in seen) == ("choice" in rules)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"seat": 77},
            r"seat=77 cannot be under rules 'classic': use \d, as the deal played again",
        ),
        ({"seat": -1}, "seat=-1"),
        ({"phase": 99}, "phase=99 .*: use 0-3"),
        ({"phase": OVER}, "phase=3"),
        ({"phase": OVER, "seat": -1, "result": VOID}, "phase=3"),
        ({"phase": SPEECH}, "phase=2|next_seat="),
        ({"dealer": 4}, "dealer=4"),
        ({"num_played": 200}, "place="),
        ({"num_calls": 99}, "num_calls=99"),
        ({"speech": 1}, "speech=1"),
        ({"hands": 0}, "hands="),
        ({"deck": 7}, "deck="),
        ({"bid": 3}, "bid=3"),
        ({"contract": 5}, "contract=5"),
        ({"annonces_said": 1}, "annonces_said="),
        ({"annonce_team": 1}, "annonce_team=1"),
        ({"annonce_points": 20}, "annonce_points="),
        ({"shown": 1}, "shown="),
        ({"result": 2}, "result=2"),
        ({"marks": 162}, "marks="),
        ({"belote_marks": 20}, "belote_marks="),
        ({"scores": (10, 0)}, "scores="),
        ({"deals_played": 1}, "deals_played=1"),
        ({"carry": 81}, "carry=81"),
        ({"blocked": 1}, "blocked="),
        ({"tolerance_used": 1}, "tolerance_used="),
        ({"match_over": 1}, "match_over=1"),
        ({"winner": 0}, "winner=0"),
    ],
)
def test_the_field_that_is_wrong_is_named(fields: dict[str, Any], message: str):
    states = np.repeat(played("classic", PLAY), 3)
    for name, value in fields.items():
        states[name][1] = value
    with pytest.raises(ValueError, match=rf"^states\[1\]: (?:{message})"):
        check(states, "classic")


def test_a_card_is_in_one_place():
    states = played("classic", PLAY)
    states["hands"][0, 1] ^= 1 << int(states["deck"][0, 0]) | 1 << int(states["deck"][0, 4])
    with pytest.raises(ValueError, match="hands="):
        check(states, "classic")


def test_a_card_that_the_seat_has_shown_not_to_hold_is_not_in_its_hand():
    states = played("classic", PLAY)
    states["excluded"][0, 2] = states["hands"][0, 2]
    with pytest.raises(ValueError, match="excluded="):
        check(states, "classic")


def test_states_that_were_never_dealt_are_refused():
    with pytest.raises(ValueError, match=r"^states\[0\]: deck="):
        check(new_states(2), "classic")


OTHER = [
    ("classic", "contree", PLAY),
    ("contree", "classic", PLAY),
    ("contree", "classic", AUCTION),
    ("classic", "contree", AUCTION),
    ("classic", "two_player", AUCTION),
    ("two_player", "classic", AUCTION),
    ("two_player", "classic", PLAY),
    ("classic+announce=choice", "classic", SPEECH),
]


@pytest.mark.parametrize(("theirs", "own", "phase"), OTHER)
def test_a_state_of_other_rules_is_refused(theirs: str, own: str, phase: int):
    with pytest.raises(ValueError, match=rf"^states\[0\]: .* cannot be under rules '{own}'"):
        check(played(theirs, phase), own)


@pytest.mark.parametrize(
    ("theirs", "own", "calls", "field"),
    [
        ("sans_tout_atout", "classic_annonces", ["SA", "pass", "pass", "pass"], "calls"),
        ("classic+round2_turned_suit=allowed", "classic", ["pass"] * 4 + ["H"], "calls"),
        ("contree+sa_ta=True", "contree", ["80 SA"], "calls"),
        ("contree+generale=True", "contree", ["generale H"], "calls"),
    ],
)
def test_a_call_that_the_rules_do_not_have_is_refused(
    theirs: str, own: str, calls: list[str], field: str
):
    game = Game(theirs)
    game.start_from(range(NUM_CARDS), dealer=0)
    if game.rules.family == "turn_up":
        deck = list(range(NUM_CARDS))
        deck[12], deck[20] = deck[20], deck[12]  # turns the jack of hearts
        game.start_from(deck, dealer=0)
    for call in calls:
        game.step(parse_action(call))
    with pytest.raises(ValueError, match=rf"^states\[0\]: {field}="):
        check(game.state, own)


def test_a_card_that_the_rules_forbid_is_refused():
    """Under `may_discard` somebody discards in place of a trump, which `must` forbids."""
    refused = 0
    for seed in range(40):
        rng = random.Random(seed)
        game = Game("classic+undertrump=may_discard", seed=seed)
        while not game.over:
            strict = Game("classic", seed=0)
            try:
                strict.restore(game.state)
            except ValueError:
                with pytest.raises(ValueError, match=r"^states\[0\]: (place|excluded)="):
                    strict.restore(game.state)
                refused += 1
                break
            game.step(rng.choice(game.legal_actions()))
    assert refused


@pytest.mark.parametrize("rules", [*PRESETS])
def test_a_match_is_refused_as_a_deal_alone(rules: str):
    game = Game(rules, "match", seed=2)
    rng = random.Random(2)
    while game.state["deals_played"][0] == 0:
        while not game.over:
            game.step(rng.choice(game.legal_actions()))
        game.end_deal()
    game.begin_deal()
    check(game.state, rules, "match")
    with pytest.raises(ValueError, match=r"^states\[0\]: (deals_played|scores|carry)="):
        check(game.state, rules)


def ended(rules: str, result: str, episode: Any = "match", settled: bool = False) -> NDArray[Any]:
    """A deal of random play that ended in a result, the first of its episode, shape (1,)."""
    rng = random.Random(1)
    game = Game(rules, episode, seed=1)
    while True:
        game.start()
        while not game.over:
            legal = game.legal_actions()
            passes = result == "void" and PASS in legal
            game.step(PASS if passes else rng.choice(legal))
        if RESULTS[int(game.state["result"][0])] == result:
            if settled:
                game.end_deal()
            check(game.state, rules, episode)
            return game.clone()


CUT_SHORT = "classic+target=1+belote_only_finish=blocked"
PARTY = "classic+target=None+deals_per_party=2"


@pytest.mark.parametrize(
    ("rules", "result", "settled", "fields"),
    [
        *(("classic", "made", settled, {"carry": 81}) for settled in (False, True)),
        ("classic", "made", False, {"marks": 2_000_000_000}),
        ("classic", "made", False, {"marks": (400, 0)}),
        ("classic", "made", False, {"marks": (-1, 163)}),
        ("classic", "made", False, {"belote_marks": 20}),
        ("classic", "made", False, {"belote_marks": 32000}),
        ("classic", "made", False, {"result": CAPOT_TAKER}),
        ("classic+litige=chute", "chute", False, {"result": LITIGE}),
        ("classic", "capot_taker", False, {"result": MADE}),
        ("contree", "chute", False, {"result": LITIGE}),
        ("classic", "void", False, {"marks": (10, 0)}),
        ("classic", "void", False, {"belote_marks": (20, 0)}),
        ("classic", "void", False, {"carry": 81}),
        ("classic", "litige", False, {"carry": 40_000}),
        ("classic+litige=replay", "litige", True, {"carry": 81}),
        ("classic", "made", False, {"tolerance_used": (1, 0)}),
        ("classic+announce=choice", "void", False, {"tolerance_used": (1, 0)}),
        ("classic+announce=choice", "made", False, {"tolerance_used": (2, 0)}),
        ("classic", "made", True, {"blocked": (1, 0)}),
        ("classic", "made", True, {"deals_played": 60_000}),
        ("classic", "made", True, {"scores": (2_000_000_000, 0)}),
        ("classic", "made", True, {"match_over": 1}),
        (CUT_SHORT, "made", True, {"match_over": 0, "winner": -1}),
        (CUT_SHORT, "made", True, {"winner": -1}),
        (CUT_SHORT, "made", True, {"carry": 81}),
        (CUT_SHORT, "made", True, {"scores": 0}),
        (PARTY, "made", True, {"match_over": 1}),
        (PARTY, "made", True, {"deals_played": 2}),
    ],
)
def test_a_count_that_no_deal_leads_to_is_refused(
    rules: str, result: str, settled: bool, fields: dict[str, Any]
):
    states = ended(rules, result, settled=settled)
    for name, value in fields.items():
        states[name] = value
    others = "deals_played|match_over|scores|winner|blocked|marks|result"
    with pytest.raises(ValueError, match=rf"^states\[0\]: ({next(iter(fields))}|{others})="):
        check(states, rules, "match")


@pytest.mark.parametrize(
    ("rules", "fields", "right"),
    [
        ("classic", {"carry": 81}, True),
        ("classic", {"carry": 30_001}, False),
        ("classic+litige=chute", {"carry": 81}, False),
        ("classic+litige=replay", {"carry": 81}, False),
        ("contree", {"carry": 81}, False),
        ("classic+announce=choice", {"tolerance_used": (1, 0)}, True),
        ("classic+announce=choice+belote_tolerance=none", {"tolerance_used": (1, 0)}, False),
        ("classic+announce=choice+belote_tolerance=always", {"tolerance_used": (1, 0)}, False),
        ("two_player+announce=choice", {"tolerance_used": (1, 0)}, False),
        ("classic", {"scores": (1000, 0), "blocked": (1, 0)}, True),
        ("classic", {"scores": (999, 0), "blocked": (1, 0)}, False),
        ("classic", {"scores": (1000, 0), "blocked": (0, 1)}, False),
        ("classic+belote_only_finish=free", {"scores": (1000, 0), "blocked": (1, 0)}, False),
        ("concours", {"scores": (1000, 0), "blocked": (1, 0)}, False),
        ("concours", {"scores": (1000, 0), "deals_played": 10}, False),
        ("classic", {"deals_played": 30_001}, False),
    ],
)
def test_what_earlier_deals_may_have_left(rules: str, fields: dict[str, Any], right: bool):
    states = Game(rules, "match", seed=1).state
    for name, value in ({"deals_played": 3} | fields).items():
        states[name] = value
    if right:
        check(states, rules, "match")
        states["deals_played"] = 0  # and none of it in the first deal
    with pytest.raises(ValueError, match=r"^states\[0\]: \w+=.* cannot be under rules"):
        check(states, rules, "match")


def test_the_winner_is_the_side_that_is_ahead():
    states = ended(CUT_SHORT, "made", settled=True)
    assert states["match_over"][0]
    states["winner"] ^= 1
    with pytest.raises(ValueError, match=r"^states\[0\]: winner=\d .*: use the team that has won"):
        check(states, CUT_SHORT, "match")


def test_totals_that_end_the_match_are_refused_in_an_open_one():
    states = Game("classic", "match", seed=1).state
    states["deals_played"] = 9
    states["scores"] = (999, 400)
    check(states, "classic", "match")
    states["scores"] = (1000, 400)
    with pytest.raises(ValueError, match=r"scores=\[1000, 400\] .*: use totals"):
        check(states, "classic", "match")
    states["scores"] = (1000, 1000)
    check(states, "classic", "match")


def test_hidden_cards_may_be_those_of_another_world():
    states = played("contree", PLAY)
    other = states.copy()
    other["hands"][0, [1, 3]] = states["hands"][0, [3, 1]]

    check(other, "contree")
