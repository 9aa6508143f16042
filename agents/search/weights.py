"""Weights of worlds: how likely a policy makes what the others did, if the cards lie so.

    >>> weights = world_weights("classic", known, worlds, policy, key, temper=0.5)
    >>> mean = weights @ values

The weight of a world is the product of the policy's probabilities of the calls and cards observed
from the other seats, each seeing its cards in that world.  What the seat itself did was as likely
in every world.  Words, which follow from the cards or are kept back, carry no weight.

In the turn-up game a call depends on the cards held then, and a world tells those held now: the
ones that came late are drawn anew for each world.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from agents.search.beliefs import past_line
from agents.search.pack import lay_pack
from belote_env.actions import DECLARE, SILENT
from belote_env.cards import NUM_CARDS, NUM_SEATS
from belote_env.checks import check_number, require
from belote_env.engine.dealing import lay_out
from belote_env.engine.encoding import encode, write_mask
from belote_env.engine.jit import Record, kernel
from belote_env.engine.options import rule_data
from belote_env.engine.rng import substream
from belote_env.engine.slots import plain_order
from belote_env.engine.state import SPEECH
from belote_env.engine.step import legal_actions, step, was_said
from belote_env.observation import schema, total_size
from belote_env.rules import RuleSet, resolve

Policy: TypeAlias = Callable[[NDArray[np.uint8], NDArray[np.int8]], NDArray[np.floating[Any]]]
"""Probabilities of the actions [M, A] from flat observations uint8 [M, D] and masks int8 [M, A]."""


@kernel
def past_decisions(
    rules: Record,
    known: Any,
    worlds: Any,
    key: Any,
    obs: Any,
    mask: Any,
    actions: Any,
    world_of: Any,
) -> int:
    """Play what was observed again in each world and write the decisions of the others.

    Calls and cards to which there was no alternative are left out.

    Args:
        rules: rule data, shape (1,), of four players.
        known: what the seat knows, a state, shape (1,).
        worlds: uint32 [n, 4], from `agents.search.determinize`.
        key: key of a stream (uint64), for what worlds leave open.
        obs: what the deciding seat saw, to write, as words, uint64 [M, D / 8]; M is at most n times
            the number of calls and cards.
        mask: its legal actions, to write, int8 [M, A].
        actions: what it did, to write, int64 [M].
        world_of: the number of the world, to write, int64 [M].

    Returns:
        The number of decisions written.
    """
    r = rules[0]
    seen = known[0]
    line = np.empty(len(seen.calls) + NUM_CARDS, np.int64)
    length = past_line(seen, line)
    states = known.copy()
    rows = 0
    for k in range(len(worlds)):
        states[0] = known[0]
        s = states[0]
        for seat in range(NUM_SEATS):
            s.hands[seat] = worlds[k, seat]
        lay_pack(r, s, substream(key, k))
        lay_out(r, s)
        for i in range(length):
            action = line[i]
            low, high = legal_actions(r, s)
            if s.seat != 0 and (high or low & (low - 1)):
                encode(r, s, int64(s.seat), plain_order(), False, False, obs[rows])
                write_mask(low, high, mask[rows])
                actions[rows] = action
                world_of[rows] = k
                rows += 1
            step(r, s, action)
            while s.phase == SPEECH and i + 1 < length:
                step(r, s, DECLARE if was_said(seen, s) else SILENT)
    return rows


def world_weights(
    rules: str | RuleSet,
    known: NDArray[Any],
    worlds: NDArray[np.uint32],
    policy: Policy,
    key: np.uint64,
    temper: float = 1.0,
) -> NDArray[np.float64]:
    """Weights of worlds by a policy, float64 [n], of sum 1.

    Args:
        rules: the rule set played, or its id.
        known: what the seat knows, a state, shape (1,).
        worlds: uint32 [n, 4], drawn uniformly (`agents.search.determinize.sample_worlds`).
        policy: how the others are taken to call and play.
        key: key of a stream, for what worlds leave open.
        temper: power that the product is raised to: 1 trusts the policy, less and less as it falls.

    Raises:
        ValueError: if there is no world, ``temper`` is not positive, the policy does not return a
            probability for each action, or under it none of the worlds is possible.
    """
    require(len(worlds) > 0, "worlds", worlds, "at least one world")
    temper = check_number("temper", temper, above=True)
    rules = resolve(rules)
    num = len(worlds) * int(known["num_calls"][0] + known["num_played"][0])
    obs = np.empty((num, total_size(schema(rules))), np.uint8)
    mask = np.empty((num, rules.num_actions), np.int8)
    actions = np.empty(num, np.int64)
    world_of = np.empty(num, np.int64)
    rows = past_decisions(
        rule_data(rules), known, worlds, key, obs.view(np.uint64), mask, actions, world_of
    )
    probabilities = np.asarray(policy(obs[:rows], mask[:rows]))
    shape = (rows, rules.num_actions)
    require(
        probabilities.shape == shape,
        "policy",
        policy,
        f"one that returns an array of shape {shape}, this one's is {probabilities.shape}",
    )
    chosen = probabilities[np.arange(rows), actions[:rows]]
    with np.errstate(divide="ignore"):
        each = np.log(chosen, dtype=np.float64)
    logs = np.bincount(world_of[:rows], each, len(worlds))
    best = logs.max()
    require(bool(best > -inf), "policy", policy, "one that gives what was done a chance")
    weights = np.exp(temper * (logs - best))
    return weights / weights.sum()
