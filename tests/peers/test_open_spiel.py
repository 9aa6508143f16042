# pyright: reportMissingImports=false
"""OpenSpiel has no belote; its euchre and its search serve a later benchmark, so they must run."""

from __future__ import annotations

import random

import pyspiel


def test_the_search_plays_euchre_and_beats_random_play():
    rng = random.Random(1)
    game = pyspiel.load_game("euchre")
    total = 0.0
    deals = 40
    for deal in range(deals):
        bot = pyspiel.ISMCTSBot(
            seed=deal,
            evaluator=pyspiel.RandomRolloutEvaluator(1, deal),
            uct_c=2.0,
            max_simulations=100,
        )
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                action = rng.choices(outcomes, weights)[0]
            elif state.current_player() % 2 == 0:
                action = bot.step(state)
            else:
                action = rng.choice(state.legal_actions())
            assert state.is_chance_node() or action in state.legal_actions()
            state.apply_action(action)
        returns = state.returns()
        assert returns[0] == returns[2] == -returns[1] == -returns[3]
        total += returns[0]
    assert total / deals > 0.3
