"""Compiling every kernel into the cache, so that no later process waits for it."""

from __future__ import annotations

from time import perf_counter

from belote_env.cards import NUM_CARDS
from belote_env.game import Game
from belote_env.random_play import rollout
from belote_env.referee import belote_points, find_annonces, resolve_annonces, score_deal
from belote_env.vector import SelfPlayVectorEnv


def warm_up() -> float:
    """Use everything that calls a kernel once; the seconds it took.

    numba compiles, on the first call with some types of arguments, what is not yet in the cache.
    """
    start = perf_counter()
    _use_games()
    _use_batches()
    _use_referee()
    return perf_counter() - start


def _use_games() -> None:
    game = Game("classic", "match", seed=0)
    game.start_from(range(NUM_CARDS), dealer=0)
    while not game.over:
        game.step(game.legal_actions()[-1])
    game.end_deal()
    game.begin_deal()


def _use_batches() -> None:
    env = SelfPlayVectorEnv(1, seed=0)
    _, mask, _ = env.reset()
    env.step(mask.argmax(axis=1))
    env.state()
    env.set_state(env.clone_state())
    env.close()
    rollout("classic", deals=1, seed=0)


def _use_referee() -> None:
    hand = ["AS", "KS", "QS", "AH", "KH", "QH", "AD", "KD"]
    find_annonces("classic_annonces", contract="H", hand=hand)
    resolve_annonces("classic_annonces", contract="H", by_seat=[["tierce AS"], [], [], []])
    belote_points("classic", contract="H", said=["belote", "rebelote"], order="KQ")
    score_deal("classic", contract="H", taker_team=0, points=(91, 71))
