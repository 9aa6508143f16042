# pyright: reportMissingImports=false
"""Deals that this engine and belote-cli play in step, compared at every card."""

from __future__ import annotations

import random
from dataclasses import replace

from belote.game import Phase, legal_cards, play_card

from agents.peers.belote_cli import CARDS, RULES, playing
from belote_env.actions import PASS, TAKE
from belote_env.cards import CONTRACTS, NUM_CARDS, NUM_SEATS, iter_cards
from belote_env.engine.state import AUCTION
from belote_env.game import Game


def play_deal(seed: int, contract: int, index: int) -> None:
    """Play random legal cards of a random deal, 32 positions of a contract 0-5.

    Raises:
        AssertionError: if the seat to play, its legal cards, or trick points differ, with the
            place and both values.
    """
    rng = random.Random(f"{seed} {index} {contract}")
    game = Game(RULES, seed=0)
    _take(game, contract, rng)
    state = game.state[0]
    theirs = replace(
        playing(contract, int(state["taker"]), int(state["dealer"])),
        hands=tuple(tuple(CARDS[card] for card in iter_cards(int(h))) for h in state["hands"]),
    )
    for number in range(NUM_CARDS):
        ours = {
            "seat": game.seat,
            "legal cards": game.legal_actions(),
            "trick points": tuple(state["points"].tolist()),
        }
        shown = {
            "seat": theirs.turn.value,
            "legal cards": sorted(map(CARDS.index, legal_cards(theirs, theirs.turn))),
            "trick points": theirs.current_round_points,
        }
        place = f"seed {seed}, deal {index} at {CONTRACTS[contract]}, card {number}"
        assert ours == shown, f"{place}: {ours}, belote-cli {shown}"
        card = rng.choice(game.legal_actions())
        game.step(card)
        theirs = play_card(theirs, CARDS[card])
    assert game.over
    assert theirs.phase == Phase.SCORING


def _take(game: Game, contract: int, rng: random.Random) -> None:
    """Deal until a random seat may take at the contract in a random round, and let it take."""
    while TAKE + contract not in game.legal_actions():
        game.start_from(rng.sample(range(NUM_CARDS), NUM_CARDS), rng.randrange(NUM_SEATS))
        for _ in range(rng.randrange(2 * NUM_SEATS)):
            game.step(PASS)
    game.step(TAKE + contract)
    while game.state["phase"][0] == AUCTION:
        game.step(PASS)
