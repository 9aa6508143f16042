"""A seat's observation says all that the seat knows, and nothing else."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from belote_env.actions import DECLARE, SILENT
from belote_env.cards import CONTRACTS, NUM_CARDS, SUITS, card_names
from belote_env.engine.state import OVER, SPEECH, STATE_DTYPE, new_states
from belote_env.game import Game
from belote_env.rules import RuleSet, resolve
from tests.observing import forms, observe, observe_all
from tests.property.strategies import (
    PRESETS_AND_SPEECH,
    Line,
    play_out,
    rule_sets,
    watched_lines,
    whole_deals,
)
from tests.reading import TURNED
from tests.reference_rules import find_annonces

RULES = (*PRESETS_AND_SPEECH, "coinche+sa_ta=True+generale=True+announce=choice")
WORDS = ("belote_said", "rebelote_said", "annonces_said", "shown")
"""What was said at the table, and the cards shown for it."""
CARDS_TO_REDEAL = range(2, 24, 4)
"""Numbers of cards played after which to deal again; towards the end few re-deals are left."""

Answers = dict[int, int]
"""Answers to what a seat was asked, DECLARE or SILENT, by the question (a bit of `speech`)."""


# Re-deals ------------------------------------------------------------------------------------


def question(game: Game) -> int:
    """The question that the seat to act is to answer, 0 for none."""
    pending = int(game.state["speech"][0])
    return pending & -pending


def words(game: Game) -> list[list[int]]:
    return [game.state[field][0].tolist() for field in WORDS]


def turns(line: Line) -> list[tuple[int, Answers, list[list[int]]]]:
    """Each call or card, the answers given with it, and the words said by then."""
    game = line.start()
    made: list[tuple[int, Answers, list[list[int]]]] = []
    for action in line.actions:
        if action in (DECLARE, SILENT):
            made[-1][1][question(game)] = action
        else:
            made.append((action, {}, []))
        game.step(action)
        made[-1][2][:] = words(game)
    return made


def replayed(line: Line, deck: tuple[int, ...]) -> Game | None:
    """The game with another pack after the same public events, or None if they cannot occur.

    What a seat is asked to say is no public event, only what it says; so it may be asked more or
    less than in the line, and then stays silent.
    """
    end = line.end()
    game = Line(line.rules, line.dealer, deck, ()).start()
    made = turns(line)
    for number, (action, answers, said) in enumerate(made, 1):
        if not game.legal_set() >> action & 1:
            return None
        game.step(action)
        while question(game):
            if number == len(made) and game.state["speech"] == end.state["speech"]:
                break
            game.step(answers.get(question(game), SILENT))
        if words(game) != said:
            return None
    return game


def redealt(rng: random.Random, line: Line, seat: int) -> tuple[int, ...]:
    """The pack with one to three swaps of cards that a seat cannot see.

    Those are the cards that others hold and those not dealt or drawn yet; with two players it is
    hidden, too, when the other drew what he holds.
    """
    state = line.end().state[0]
    seen = int(state["hands"][seat]) | int(np.bitwise_or.reduce(state["fallen"]))
    seen |= turned_card(line)
    unseen = [place for place in range(NUM_CARDS) if not seen >> line.deck[place] & 1]
    deck = list(line.deck)
    if len(unseen) >= 2:
        for _ in range(rng.randint(1, 3)):
            i, j = rng.sample(unseen, 2)
            deck[i], deck[j] = deck[j], deck[i]
    return tuple(deck)


def turned_card(line: Line) -> int:
    """The turned card, as a set."""
    family = line.rules.family
    return 1 << line.deck[TURNED[family]] if family in TURNED else 0


def redeals(rng: random.Random, line: Line, seat: int, tries: int) -> list[Game]:
    """Games with other packs that a seat cannot tell from the line."""
    packs = {redealt(rng, line, seat) for _ in range(tries)} - {line.deck}
    return [game for deck in packs if (game := replayed(line, deck))]


def speaking(rules: RuleSet) -> RuleSet:
    """The rules with as much to say as they allow."""
    return rules.replace(announce="choice", annonces=rules.num_seats == 4)


@given(
    watched_lines(st.one_of(rule_sets, rule_sets.map(speaking))), st.randoms(use_true_random=False)
)
def test_cards_that_a_seat_cannot_see_do_not_change_what_it_sees(
    watched: tuple[Line, int], rng: random.Random
):
    line, seat = watched
    others = redeals(rng, line, seat, tries=8)
    assume(others)

    states = np.concatenate([line.end().state, *(game.state for game in others)])
    # Where the seat before is asked to say something, it is not yet this seat's turn.
    to_act = states["seat"] == seat
    for form, canonical in itertools.product(forms(line.rules), (False, True)):
        obs, mask = observe(line.rules, states, seat, canonical, form)
        np.testing.assert_array_equal(obs, np.repeat(obs[:1], len(states), axis=0))
        own = mask[to_act]
        np.testing.assert_array_equal(own, np.repeat(own[:1], len(own), axis=0))
        assert not mask[~to_act].any()


@given(whole_deals(rule_sets.map(speaking)))
def test_what_another_seat_is_asked_to_say_is_hidden(line: Line):
    game, asked, answered = line.start(), new_states(0), new_states(0)
    for state in line.states():
        if state["phase"] != SPEECH:
            continue
        game.restore(np.array([state], STATE_DTYPE))
        while question(game):
            game.step(SILENT)
        if not game.over:
            asked = np.append(asked, state)
            answered = np.append(answered, game.state)
    assume(len(asked))

    num_seats = line.rules.num_seats
    for form, others in itertools.product(forms(line.rules), range(1, num_seats)):
        seats = (asked["seat"] + others) % num_seats
        before, _ = observe(line.rules, asked, seats, form=form)
        after, _ = observe(line.rules, answered, seats, form=form)
        np.testing.assert_array_equal(before, after)


def silent_line(rng: random.Random, rules: str) -> Line:
    """A deal up to its second trick or further in which nobody says anything."""
    line = random_line(rng, rules)
    game, actions = line.start(), list[int]()
    while not game.over and len(actions) < len(line.actions) and game.state["num_played"] < 12:
        legal = game.legal_actions()
        kept = line.actions[len(actions)]
        actions.append(SILENT if SILENT in legal else kept if kept in legal else rng.choice(legal))
        game.step(actions[-1])
    return Line(line.rules, line.dealer, line.deck, tuple(actions))


def sayable(line: Line, game: Game, seat: int) -> Any:
    """What the others could say: their annonces, and the suits of which they got both honours."""
    state = game.state[0]
    contract = CONTRACTS[state["contract"]]
    hands = (state["hands"] | state["fallen"])[: line.rules.num_seats].tolist()
    held = [set(card_names(hand)) for other, hand in enumerate(hands) if other != seat]
    annonces = [find_annonces(line.rules.options, contract, hand) for hand in held]
    trumps = [suit for suit in SUITS if contract in (suit, "TA")]
    honours = [[suit for suit in trumps if {"K" + suit, "Q" + suit} <= hand] for hand in held]
    return annonces if line.rules.annonces else [], honours


@pytest.mark.parametrize("preset", ["sans_tout_atout", "coinche", "two_player"])
def test_what_was_not_said_stays_hidden(preset: str):
    rules = f"{preset}+announce=choice"
    rng, different = random.Random(rules), 0
    for _ in range(60):
        line = silent_line(rng, rules)
        if line.end().state["contract"] < 0:
            continue
        for seat in range(line.rules.num_seats):
            others = redeals(rng, line, seat, tries=3)
            own = sayable(line, line.end(), seat)
            different += sum(sayable(line, game, seat) != own for game in others)
            states = np.concatenate([line.end().state, *(game.state for game in others)])
            for form in forms(rules):
                obs, _ = observe(rules, states, seat, form=form)
                np.testing.assert_array_equal(obs, np.repeat(obs[:1], len(states), axis=0))

    assert different >= 10


@pytest.mark.parametrize("rules", RULES)
def test_a_position_of_every_trick_and_seat_has_redeals(rules: str):
    rng = random.Random(rules)
    survivors = np.zeros((len(CARDS_TO_REDEAL), resolve(rules).num_seats), int)
    for _ in range(20):
        line = random_line(rng, rules)
        states = line.states()
        for i, played in enumerate(CARDS_TO_REDEAL):
            places = np.flatnonzero(states["num_played"] == played)
            if not len(places):
                continue
            start = line.until(places[0])
            for seat in range(line.rules.num_seats):
                survivors[i, seat] += len(redeals(rng, start, seat, tries=5))

    assert survivors.min() >= 10


# Histories -----------------------------------------------------------------------------------


def random_line(rng: random.Random, rules: str) -> Line:
    chosen, pack = resolve(rules), tuple(rng.sample(range(NUM_CARDS), 32))
    deal = Line(chosen, rng.randrange(chosen.num_seats), pack, ())
    return Line(deal.rules, deal.dealer, deal.deck, play_out(deal.start(), rng))


def history(line: Line, state: NDArray[Any], seat: int) -> tuple[Any, ...]:
    """All that a seat knows: its cards, what happened at the table, and what it is asked."""
    public = ("dealer", "calls", "num_calls", "place", "num_played", *WORDS)
    asked = int(state["speech"]) if state["seat"] == seat else 0
    return (
        int(state["hands"][seat]),
        turned_card(line),
        *(tuple(np.ravel(state[field]).tolist()) for field in public),
        asked,
        state["phase"] == OVER,
    )


def tree(rng: random.Random, line: Line, width: int) -> NDArray[Any]:
    """States reached from the start of a deal by any actions, at most ``width`` of each length."""
    game = line.start()
    levels = [game.state.copy()]
    while len(levels[-1]):
        reached: list[NDArray[Any]] = []
        for i in rng.sample(range(len(levels[-1])), min(width, len(levels[-1]))):
            game.restore(levels[-1][i : i + 1])
            for action in game.legal_actions():
                game.restore(levels[-1][i : i + 1])
                game.step(action)
                reached.append(game.clone())
        levels.append(np.concatenate(reached) if reached else new_states(0))
    return np.concatenate(levels)


@pytest.mark.parametrize("rules", RULES)
def test_different_histories_look_different_and_equal_ones_equal(rules: str):
    rng = random.Random(rules)
    line = random_line(rng, rules)
    swapped = Line(line.rules, line.dealer, redealt(rng, line.until(0), seat=0), ())
    states = np.concatenate([tree(rng, deal, width=20) for deal in (line, swapped)])

    histories = [
        [history(line, state, seat) for state in states] for seat in range(line.rules.num_seats)
    ]
    for form in forms(rules):
        obs, _ = observe_all(rules, states, form=form)
        for seat, known in enumerate(histories):
            vectors = [vector.tobytes() for vector in obs[:, seat]]
            distinct = len(set(zip(known, vectors, strict=True)))
            assert len(set(known)) == len(set(vectors)) == distinct
