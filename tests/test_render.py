"""Pictures of the table."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from belote_env import Game, env, raw_env
from belote_env.actions import TAKE
from belote_env.cards import NUM_CARDS, card_name, card_names, parse_card
from belote_env.render import RENDER_MODES, draw
from tests.playing import play_on
from tests.property.strategies import PRESETS_AND_SPEECH

PICTURE = """\
classic_annonces
Hearts by East, TH was turned up; trick 1

                        North (tierce, belote H)
                             ? ? ? ? ? ? ?
                                   QH
West (to act)                                   East (taker, tierce, cinquante)
TS JS QS 7D 8D 9C TC JC         --    JH                   ? ? ? ? ? ? ?
                                   --
                             South (dealer)
                            ? ? ? ? ? ? ? ?

Calls: East H
Tricks: North-South 0, East-West 0;  points: North-South 0, East-West 0
"""


def cards_in(text: str) -> set[str]:
    """The cards that a picture names."""
    return set(re.findall(r"\b[789TJQKA][SHDC]\b", text))


def taken_game(rules: str = "classic") -> Game:
    """A game in which seat 1, next to the dealer, has just taken at hearts."""
    game = Game(rules, seed=0)
    deck = [parse_card(name) for name in ("JH", "9H", "AH")]
    deck += [card for card in range(NUM_CARDS) if card not in deck]
    deck[20], deck[deck.index(parse_card("TH"))] = parse_card("TH"), deck[20]
    game.start_from(deck, dealer=0)
    game.step(TAKE + 1)
    return game


def test_a_table_in_full():
    game = taken_game("classic_annonces")
    for name in ("JH", "QH"):
        game.step(parse_card(name))

    assert draw(game.rules, game.state[0]) == PICTURE.removesuffix("\n")


def test_the_seats_stand_in_the_sense_of_play():
    anticlockwise, clockwise = (
        draw(game.rules, game.state[0])
        for game in (taken_game("classic"), taken_game("classic+direction=clockwise"))
    )

    assert re.search(r"^West +East \(taker, to act\)$", anticlockwise, re.MULTILINE)
    assert re.search(r"^West \(taker, to act\) +East$", clockwise, re.MULTILINE)
    assert "Hearts by East" in anticlockwise
    assert "Hearts by West" in clockwise


@pytest.mark.parametrize("rules", PRESETS_AND_SPEECH)
def test_only_the_open_hand_is_shown(rules: str):
    rng = random.Random(0)
    game = Game(rules, seed=1)
    while not game.over:
        state = game.state[0]
        public = {card_name(int(card)) for card in state["played"][: state["num_played"]]}
        public.add(card_name(int(state["deck"][20])))
        for seat in range(4):
            hand = set(card_names(state["hands"][seat]))
            assert hand <= cards_in(draw(game.rules, state, seat)) <= hand | public
        acting = set(card_names(state["hands"][game.seat]))
        assert acting <= cards_in(draw(game.rules, state)) <= acting | public
        assert cards_in(draw(game.rules, state, full=True)) >= {
            name for hand in state["hands"] for name in card_names(hand)
        }
        game.step(rng.choice(game.legal_actions()))


@pytest.mark.parametrize("rules", PRESETS_AND_SPEECH)
def test_pictures_fit_a_terminal(rules: str):
    rng = random.Random(0)
    game = Game(rules, seed=2)
    while True:
        lines = draw(game.rules, game.state[0], full=True).splitlines()
        assert lines[0] == rules
        assert max(map(len, lines)) <= 120
        if game.over:
            break
        game.step(rng.choice(game.legal_actions()))


def test_a_finished_deal_shows_its_marks():
    game = Game("classic", "match", seed=3)
    rng = random.Random(3)
    while not game.over:
        game.step(rng.choice(game.legal_actions()))
    before = draw(game.rules, game.state[0])
    game.end_deal()
    after = draw(game.rules, game.state[0])

    ours, theirs = game.state["marks"][0]
    assert before.splitlines()[1].startswith("Deal over: ")
    assert before.splitlines()[-1] == f"Marks: North-South {ours}, East-West {theirs}"
    # Entering the deal moves the dealer on; the picture is still of the deal played.
    assert after.splitlines()[:-1] == before.splitlines()
    assert after.splitlines()[-1] == f"Score: North-South {ours}, East-West {theirs};  carry 0"


def test_the_environment_returns_or_prints_the_table(capsys: pytest.CaptureFixture[str]):
    text = env(render_mode="ansi")
    text.reset(seed=0)
    picture = text.render()
    assert isinstance(picture, str)
    assert capsys.readouterr().out == ""

    printed = env(render_mode="human")
    printed.reset(seed=0)
    assert capsys.readouterr().out == picture + "\n"
    assert printed.render() is None
    assert capsys.readouterr().out == picture + "\n"
    play_on(printed, random.Random(0), 3)
    assert capsys.readouterr().out.count("classic\n") == 3


def test_without_a_mode_there_is_nothing_to_render():
    table: Any = raw_env()
    table.reset(seed=0)
    with pytest.raises(ValueError, match="nothing to render to"):
        table.render()
    assert table.metadata["render_modes"] == list(RENDER_MODES)
