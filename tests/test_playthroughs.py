"""The written playthroughs are still what the games do."""

from __future__ import annotations

import re

import pytest

from belote_env.actions import parse_action
from belote_env.game import Game
from belote_env.playthrough import playthrough as lines_of
from belote_env.record import DealRecord
from tests.playthrough import GOLDEN, playthrough, shows
from tests.scenarios import SCENARIOS


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_playthrough_is_unchanged(name: str):
    scenario = SCENARIOS[name]
    text = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    seed = re.search(r"seed (\d+)", text)
    assert seed is not None

    assert playthrough(scenario, int(seed[1])) == text
    assert shows(text, scenario)


def read(rules: str, dealer: int, line: str) -> list[str]:
    """The lines of a record's playthrough, without that of the rules."""
    game = Game(rules, seed=0)
    game.start_from(range(32), dealer)
    for action in line.split(", "):
        game.step(parse_action(action))
    return list(lines_of(DealRecord.from_game(game)))[2:]


def test_a_record_with_bids_reads_its_contract():
    assert read("contree", 3, "80 S, 110 H, coinche, pass, pass, pass, 7S, TS, AS, 8H, KC") == [
        "deal: dealer seat 3, scores 0-0, carry 0",
        "  seat 0: 7S 8S 9S JH QH JD QD KD",
        "  seat 1: TS JS QS KH AH AD 7C 8C",
        "  seat 2: KS AS 7H 7D 8D 9C TC JC",
        "  seat 3: 8H 9H TH 9D TD QC KC AC",
        "  calls: seat 0 80 S, seat 1 110 H, seat 2 coinche, seat 3 pass, seat 0 pass, seat 1 pass",
        "  seat 1 plays 110 H, coinched",
        "  trick 1: seat 0 7S, seat 1 TS, seat 2 AS, seat 3 8H; seat 3 wins, 0-21",
        "  on the table: seat 3 KC",
        "  seat 0 to act",
    ]


def test_a_record_of_two_reads_its_talon():
    assert read("two_player", 1, "pass, H, 7S, TS, KH") == [
        "deal: dealer seat 1, turned JH, scores 0-0, carry 0",
        "  seat 0: 7S 8S 9S KS AS 7H",
        "  seat 1: TS JS QS 8H 9H TH",
        "  calls: seat 0 pass, seat 1 H",
        "  seat 1 takes at H",
        "  seat 0: 7S 8S 9S KS AS 7H QH",
        "  seat 1: TS JS QS 8H 9H TH JH",
        "  talon: KH AH 7D 8D 9D TD JD QD KD AD 7C 8C 9C TC JC QC KC AC",
        "  trick 1: seat 0 7S, seat 1 TS; seat 1 wins, 0-10",
        "  on the table: seat 1 KH",
        "  seat 0 to act",
    ]
