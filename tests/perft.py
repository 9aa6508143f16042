"""Perft: how many legal sequences of actions there are, by length, from some fixed deals.

    python -m tests.perft --write

counts them with the slow reference and writes ``golden/perft/``; the test counts them again with
the kernels.  The name is that of the test of chess move generators.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import SPLIT, parse_action
from belote_env.cards import iter_cards, parse_card
from belote_env.engine.step import legal_at, step_at
from belote_env.game import Game
from belote_env.rules import resolve
from tests.reference import CARDS, Deal

GOLDEN: Final = Path(__file__).parent / "golden" / "perft"

DEALS: Final = {
    "classic": ("classic", 17),
    "classic_annonces": ("classic_annonces", 13),
    "sans_tout_atout": ("sans_tout_atout", 18),
    "club_501": ("club_501", 12),
    "concours": ("concours", 13),
    "choice_of_words": ("classic_annonces+announce=choice", 14),
    "choice_at_tout_atout": ("sans_tout_atout+announce=choice+annonce_card_reuse=True", 14),
    "free_undertrump": ("classic+undertrump=may_discard+undertrump_partner=forbidden", 14),
    "soft_raise": ("sans_tout_atout+undertrump_partner=raise+raise_over_partner=soft", 14),
    "sans_atout_in_round_2": (
        "sans_tout_atout+sa_ta_rounds=second+round2_turned_suit=allowed",
        16,
    ),
    "speech_classic": ("classic+announce=choice", 18),
    "speech_club": ("club_501+announce=choice", 19),
    "speech_in_concours": ("concours+announce=choice", 15),
    "contree": ("contree", 17),
    "contree_ffb": ("contree_ffb", 18),
    "coinche": ("coinche", 17),
    "generale_at_tout_atout": ("contree+sa_ta=True+generale=True", 16),
    "speech_contree": ("contree+announce=choice", 19),
    "speech_in_ffb": ("contree_ffb+announce=choice", 19),
    "speech_after_bids": ("coinche+announce=choice", 17),
    "two_player": ("two_player", 21),
    "two_player_any_suit": ("two_player+round2_turned_suit=allowed", 22),
    "choice_in_phase_2": ("two_player+announce=choice", 22),
}
"""The rule set of each deal, and the cards played where its ending starts."""

_ENOUGH: Final = 20_000
"""The opening is counted to the first depth with more sequences than this."""


class Golden(TypedDict):
    """A deal and its counts: entry ``d`` of one is the number of sequences of ``d + 1`` actions."""

    rules: str
    dealer: int
    deck: list[str]
    opening: list[int]  # from the first call on
    line: list[str]  # actions that lead to a position in mid-play
    ending: list[int]  # from there to the end of the deal, where 0 sequences go on


# The reference -------------------------------------------------------------------------------


def _count_by_reference(deal: Deal, counts: list[int], depth: int = 0) -> None:
    """Add the sequences that start with the position at ``depth`` to the counts of each depth."""
    legal = deal.legal()
    counts[depth] += len(legal)
    if depth + 1 == len(counts):
        return
    for action in legal:
        after = copy.deepcopy(deal)
        after.act(action)
        _count_by_reference(after, counts, depth + 1)


def _count_opening(deal: Deal) -> list[int]:
    counts = [0]
    while counts[-1] <= _ENOUGH:
        counts = [0] * (len(counts) + 1)
        _count_by_reference(deal, counts)
    return counts


def _count_ending(deal: Deal) -> list[int]:
    counts = [0] * 64
    _count_by_reference(deal, counts)
    return counts[: counts.index(0) + 1]


def golden(name: str) -> Golden:
    """Draw the deal of a name and count it with the reference."""
    rules, cards = DEALS[name]
    rng = random.Random(name)
    rule_set = resolve(rules)
    deal = Deal(rule_set.options, rng.randrange(rule_set.num_seats), rng.sample(CARDS, 32))
    opening = _count_opening(deal)
    line: list[str] = []
    while len(deal.played) < cards or deal.phase == "speech":
        line.append(rng.choice(deal.legal()))
        deal.act(line[-1])
    return {
        "rules": rules,
        "dealer": deal.dealer,
        "deck": deal.deck,
        "opening": opening,
        "line": line,
        "ending": _count_ending(deal),
    }


# The kernels ---------------------------------------------------------------------------------


def count_by_kernels(game: Game, depth: int) -> list[int]:
    """Count the sequences of up to ``depth`` actions from where a game stands."""
    counts = [0] * depth
    states = np.repeat(game.state, depth)
    raw = states.view(np.dtype((np.void, states.itemsize)))  # copied as bytes, not by field
    _count_from(game.rule_data, states, raw, 0, counts)
    return counts


def _count_from(
    rules: NDArray[Any], states: NDArray[Any], raw: NDArray[Any], depth: int, counts: list[int]
) -> None:
    low, high = legal_at(rules, states, depth)
    legal = low | high << SPLIT
    counts[depth] += legal.bit_count()
    if depth + 1 == len(counts):
        return
    for action in iter_cards(legal):
        raw[depth + 1] = raw[depth]
        step_at(rules, states, depth + 1, action)
        _count_from(rules, states, raw, depth + 1, counts)


def start(deal: Golden) -> Game:
    """A game at the start of a golden deal."""
    game = Game(deal["rules"])
    game.start_from([parse_card(card) for card in deal["deck"]], deal["dealer"])
    return game


def follow(game: Game, line: Sequence[str]) -> None:
    """Apply a line of actions."""
    for action in line:
        game.step(parse_action(action))


def _text(deal: Golden) -> str:
    """JSON with a line for each field."""
    fields = (f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in deal.items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _write() -> None:
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name in DEALS:
        deal = golden(name)
        (GOLDEN / f"{name}.json").write_text(_text(deal))
        print(f"{name}: {deal['opening']}, {deal['ending']}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Count legal sequences with the slow reference.")
    parser.add_argument("--write", action="store_true", required=True, help="rewrite the files")
    parser.parse_args()
    _write()
