"""Belote for reinforcement learning and search: rules, a numba engine and standard environments.

Importing it registers ``"Belote-v0"`` with Gymnasium and ``"belote/belote-v0"`` with PettingZoo.
"""

# PettingZoo ships no type stubs and no py.typed marker.
# pyright: reportMissingTypeStubs=false

import gymnasium
import pettingzoo

from belote_env import observation, rules
from belote_env.actions import IllegalActionError
from belote_env.aec import env, raw_env
from belote_env.agent import Agent, RandomAgent
from belote_env.game import Game
from belote_env.random_play import Totals, rollout
from belote_env.rules import RuleSet
from belote_env.single import BeloteEnv
from belote_env.single_vector import BeloteVectorEnv
from belote_env.vector import SelfPlayVectorEnv

__all__ = [
    "Agent",
    "BeloteEnv",
    "BeloteVectorEnv",
    "Game",
    "IllegalActionError",
    "RandomAgent",
    "RuleSet",
    "SelfPlayVectorEnv",
    "Totals",
    "env",
    "observation",
    "raw_env",
    "rollout",
    "rules",
]

if "Belote-v0" not in gymnasium.registry:
    gymnasium.register(  # pyright: ignore[reportUnknownMemberType] - its kwargs are a bare dict
        "Belote-v0",
        entry_point="belote_env.single:BeloteEnv",
        vector_entry_point="belote_env.single_vector:BeloteVectorEnv",
        order_enforce=False,  # they say themselves when a reset is needed
    )
if "belote/belote-v0" not in pettingzoo.aec_registry:
    pettingzoo.register("aec", "belote/belote-v0", "belote_env.aec:env")
