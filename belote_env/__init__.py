"""Belote for reinforcement learning and search: rules, a numba engine and standard environments."""

from belote_env import observation, rules
from belote_env.actions import IllegalActionError
from belote_env.game import Game
from belote_env.random_play import Totals, rollout
from belote_env.rules import RuleSet
from belote_env.vector import SelfPlayVectorEnv

__all__ = [
    "Game",
    "IllegalActionError",
    "RuleSet",
    "SelfPlayVectorEnv",
    "Totals",
    "observation",
    "rollout",
    "rules",
]
