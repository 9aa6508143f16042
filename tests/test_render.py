"""Pictures of the table."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from belote_env import Game, env, raw_env
from belote_env.actions import DECLARE, SILENT, TAKE, parse_action
from belote_env.cards import NUM_CARDS, bitboard, card_name, card_names, parse_card
from belote_env.deck import turned_card
from belote_env.engine.options import TURNED_PLACE
from belote_env.engine.state import PLAY, SPEECH, cards_played, copy_states
from belote_env.render import RENDER_MODES, draw
from belote_env.rules import PRESETS, RuleSet, resolve
from tests.playing import play_on

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


BIDS = """\
contree
110 Hearts by North, coinched; trick 1

                             North (taker)
                            ? ? ? ? ? ? ? ?
                                   --
West (dealer)                                              East (to act)
? ? ? ? ? ? ? ?                 --    --         TS JS QS KH AH AD 7C 8C
                                   JH
                                 South
                             ? ? ? ? ? ? ?

Calls: South pass, East 80 S, North 110 H, West coinche
       South pass, East pass, North pass
Tricks: North-South 0, East-West 0;  points: North-South 0, East-West 0
"""

TWO = """\
two_player
Hearts by South, JH was turned up; trick 2, 16 cards in the talon

                         North (dealer, to act)
                          JS QS 8H 9H TH QH KH
                                   --

                                   --
                             South (taker)
                             ? ? ? ? ? ? ?

Calls: South H
Last trick: South 7S, North TS
Tricks: South 0, North 1;  points: South 0, North 10
"""

RULES = [name + speech for name in PRESETS for speech in ("", "+announce=choice")]


def cards_in(text: str) -> set[str]:
    """The cards that a picture names."""
    return set(re.findall(r"\b[789TJQKA][SHDC]\b", text))


def played(rules: str, dealer: int, line: str) -> Game:
    """A game with the pack in id order, after some actions."""
    game = Game(rules, seed=0)
    game.start_from(range(NUM_CARDS), dealer)
    for action in line.split(", "):
        game.step(parse_action(action))
    return game


def known_cards(state: Any) -> list[list[str]]:
    """What each seat holds or has played."""
    return [card_names(state["hands"][seat] | state["fallen"][seat]) for seat in range(4)]


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


@pytest.mark.parametrize(
    ("rules", "dealer", "line", "picture"),
    [
        ("contree", 3, "pass, 80 S, 110 H, coinche, pass, pass, pass, JH", BIDS),
        ("two_player", 1, "H, 7S, TS", TWO),
    ],
)
def test_a_table_of_each_family(rules: str, dealer: int, line: str, picture: str):
    game = played(rules, dealer, line)
    assert draw(game.rules, game.state[0]) == picture.removesuffix("\n")


@pytest.mark.parametrize(
    ("rules", "line", "headline"),
    [
        ("contree", "pass", "Auction: no bid yet"),
        ("contree", "80 D, coinche", "Auction: 80 Diamonds by South, coinched"),
        ("contree", "capot S, coinche, surcoinche", "capot Spades by South, surcoinched; trick 1"),
        ("contree", "pass, pass, pass, pass", "Deal over: void"),
        ("coinche+sa_ta=True", "90 TA", "Auction: 90 Tout atout by South"),
        ("two_player", "pass", "Auction, round 1: JH is turned up"),
        ("two_player", "pass, pass", "Auction, round 2: JH is turned up"),
        ("classic", "pass, pass", "Auction, round 1: JD is turned up"),
    ],
)
def test_a_headline(rules: str, line: str, headline: str):
    """The pack is in id order, and South speaks first."""
    game = played(rules, resolve(rules).num_seats - 1, line)
    assert draw(game.rules, game.state[0]).splitlines()[1] == headline


def test_the_talon_shrinks_to_nothing():
    game = played("two_player", 1, "H")
    rng = random.Random(0)
    left = [18]
    while not game.over:
        found = re.search(r"(\d+) cards in the talon", draw(game.rules, game.state[0]))
        size = int(found[1]) if found else 0
        assert size == 32 - sum(len(cards) for cards in known_cards(game.state[0]))
        left += [size] if size != left[-1] else []
        game.step(rng.choice(game.legal_actions()))
    assert left == [*range(18, -1, -2)]


def test_the_seats_stand_in_the_sense_of_play():
    anticlockwise, clockwise = (
        draw(game.rules, game.state[0])
        for game in (taken_game("classic"), taken_game("classic+direction=clockwise"))
    )

    assert re.search(r"^West +East \(taker, to act\)$", anticlockwise, re.MULTILINE)
    assert re.search(r"^West \(taker, to act\) +East$", clockwise, re.MULTILINE)
    assert "Hearts by East" in anticlockwise
    assert "Hearts by West" in clockwise


@pytest.mark.parametrize("rules", RULES)
def test_only_the_open_hand_is_shown(rules: str):
    rng = random.Random(0)
    game = Game(rules, seed=1)
    while not game.over:
        state = game.state[0]
        public = {card_name(card) for card in cards_played(state)}
        public |= {turned_card(game.rules, state["deck"])} - {None}
        for seat in range(game.rules.num_seats):
            hand = set(card_names(state["hands"][seat]))
            assert hand <= cards_in(draw(game.rules, state, seat)) <= hand | public
        acting = set(card_names(state["hands"][game.seat]))
        assert acting <= cards_in(draw(game.rules, state)) <= acting | public
        assert cards_in(draw(game.rules, state, full=True)) >= {
            name for hand in state["hands"] for name in card_names(hand)
        }
        game.step(rng.choice(game.legal_actions()))


def without_secrets(rules: RuleSet, state: Any, viewer: int, rng: random.Random) -> Any:
    """A state with other cards wherever the viewer sees none, and no question put to others."""
    hidden = copy_states(state.reshape(1))[0]
    for seat in range(rules.num_seats):
        if seat != viewer:
            cards = rng.sample(range(NUM_CARDS), int(state["hands"][seat]).bit_count())
            hidden["hands"][seat] = bitboard(cards)
    hidden["deck"] = rng.sample(range(NUM_CARDS), NUM_CARDS)
    place = TURNED_PLACE[rules.family]
    if place is not None:
        hidden["deck"][place] = state["deck"][place]
    if state["phase"] == SPEECH and state["seat"] != viewer:
        hidden["phase"], hidden["speech"], hidden["seat"] = PLAY, 0, state["next_seat"]
    return hidden


@pytest.mark.parametrize("rules", RULES)
def test_no_secret_changes_the_picture(rules: str):
    rng = random.Random(1)
    game = Game(rules, seed=2)
    while not game.over:
        for viewer in range(game.rules.num_seats):
            state = game.state[0]
            hidden = without_secrets(game.rules, state, viewer, rng)
            assert draw(game.rules, hidden, viewer) == draw(game.rules, state, viewer)
        game.step(rng.choice(game.legal_actions()))


def test_who_is_asked_for_a_word_sees_the_question():
    game = played("two_player+announce=choice", 1, "pass, H, AS, TS, QH, 8H, KH")
    assert game.legal_actions() == [DECLARE, SILENT]
    asked, other = draw(game.rules, game.state[0]), draw(game.rules, game.state[0], seat=1)
    assert "South (to say belote or not)" in asked
    assert "North (dealer, taker)" in asked
    assert re.search(r"^ +South$", other, re.MULTILINE)
    assert "North (dealer, taker, to act)" in other


@pytest.mark.parametrize("rules", RULES)
def test_pictures_fit_a_terminal(rules: str):
    rng = random.Random(0)
    game = Game(rules, seed=2)
    while True:
        lines = draw(game.rules, game.state[0], full=True).splitlines()
        assert lines[0] == game.rules.id
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
