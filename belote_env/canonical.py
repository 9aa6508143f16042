"""Canonical suits for observations that come without them, so that a policy can play anywhere.

An environment with ``canonical_suits=True`` writes canonical observations itself.  Elsewhere:

    >>> order = suit_orders(obs, rules)  # [N], from plain observations [N, D]
    >>> canonical = np.take_along_axis(obs, observation_places(rules)[order], axis=1)
    >>> plain_action = ACTION_PLACES[order][np.arange(N), canonical_action]

The order of the suits is a function of the observation, so it can be found again from a plain one.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from belote_env import observation
from belote_env.actions import BID, COINCHE, NUM_ACTIONS, TAKE
from belote_env.cards import NUM_CARDS, NUM_CONTRACTS
from belote_env.rules import RuleSet

_ORDERS: Final = tuple(permutations(range(4)))
_BITS: Final = 1 << np.arange(8)
_MOST_TRICKS: Final = 16
_SUIT_SLICES: Final = ("void", "belote", "rebelote", "contract", "calls")
"""Slices whose last axis begins with the four suits; others with 32 in it hold cards."""


def suit_orders(obs: NDArray[np.uint8], rules: RuleSet) -> NDArray[np.int64]:
    """Which of the 24 orders of the suits each observation [N, D] has, as an index [N].

    Trump is first, before there is one the turned suit; the others follow by what the seat sees of
    them: own cards, the turned card, the cards played, annonces shown, the trick of the lowest card
    played, and the calls.
    """
    see = observation.views(obs, observation.schema(rules))

    def by_suit(cards: NDArray[Any]) -> NDArray[Any]:
        return cards.reshape(*cards.shape[:-1], 4, 8)

    nothing = np.zeros_like(see["hand"])
    turned = by_suit(see.get("turned", nothing)) @ _BITS > 0
    trick = by_suit(see["trick_number"]).astype(np.int64)
    lowest = np.take_along_axis(trick, (trick > 0).argmax(axis=-1)[..., None], axis=-1)[..., 0]
    shown = see.get("annonces_shown", np.zeros_like(see["played"])).reshape(-1, 2, 2, 32)
    parts = [
        (8, by_suit(see["hand"]) @ _BITS),
        (1, turned),
        *((8, by_suit(see["played"][:, seat]) @ _BITS) for seat in range(4)),
        *((8, by_suit(shown[:, half].max(axis=1)) @ _BITS) for half in range(2)),
        (4, np.where(lowest > 0, _MOST_TRICKS - lowest, 0)),
    ]
    key = np.zeros((len(obs), 4), np.int64)
    for bits, part in parts:
        key = key << bits | part
    calls = see["calls"][..., :4].astype(np.int64)
    called = np.where(calls > 0, 1 << np.maximum(calls - 1, 0), 0).sum(axis=1)
    contract, phase = see["contract"], see["phase"]
    no_trump_yet = (phase[:, :2].max(axis=1) == 1) | (contract.max(axis=1) == 0)
    first = np.where(no_trump_yet[:, None], turned, contract[:, :4] == 1)
    order = np.lexsort((-called, -key, ~first), axis=1)
    return _ORDER_INDEX[tuple(order.T)]


def _order_index() -> NDArray[np.int64]:
    table = np.zeros((4, 4, 4, 4), np.int64)
    for index, order in enumerate(_ORDERS):
        table[order] = index
    return table


_ORDER_INDEX: Final = _order_index()


@cache
def observation_places(rules: RuleSet) -> NDArray[np.int64]:
    """For each order, the place in a plain observation of each byte of a canonical one [24, D]."""
    slices = observation.schema(rules)
    places = np.tile(np.arange(observation.total_size(slices)), (len(_ORDERS), 1))
    for s in slices:
        if s.name in _SUIT_SLICES:
            width = 1
        elif s.shape[-1] == NUM_CARDS:
            width = NUM_CARDS // 4
        else:
            continue
        for row, order in zip(places, _ORDERS, strict=True):
            groups = row[s.offset : s.offset + s.size].reshape(-1, s.shape[-1])[:, : 4 * width]
            groups[:] = groups.reshape(-1, 4, width)[:, order].reshape(groups.shape)
    return places


def _action_places() -> NDArray[np.int64]:
    places = np.tile(np.arange(NUM_ACTIONS), (len(_ORDERS), 1))
    for row, order in zip(places, _ORDERS, strict=True):
        row[:NUM_CARDS] = np.arange(NUM_CARDS).reshape(4, -1)[list(order)].ravel()
        for first in (TAKE, *range(BID, COINCHE, NUM_CONTRACTS)):
            row[first : first + 4] = first + np.array(order)
    return places


ACTION_PLACES: Final = _action_places()
"""For each order, the plain action that each canonical action stands for, int64 [24, A]."""
