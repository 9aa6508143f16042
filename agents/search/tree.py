"""The tree of an information-set search, in flat arrays.

A node is an information set: a decision as the observer of the tree can tell it from others.  It is
found by a key made of what was observed on the way to it, so a tree needs no links from edge to
node.  Its edges are the actions tried there; an action that is legal in one world may not be in
another, so each edge counts in how many of its node's worlds it was available.

Values are marks of team 0 less those of team 1.  What an edge is worth is scaled to [0, 1] by the
least and the most marks that the tree has seen.
"""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from belote_env.actions import SPLIT
from belote_env.engine.jit import part

NODE_DTYPE: Final = np.dtype(
    [
        ("tried_low", np.int64),  # actions that have an edge, a set in two words
        ("tried_high", np.int64),
        ("value", np.float64),  # what it was taken to be worth when its edges were added
        ("first", np.int32),  # its latest edge, -1 for none
    ],
    align=True,
)
EDGE_DTYPE: Final = np.dtype(
    [
        ("total", np.float64),  # sum of the values of its visits
        ("visits", np.int32),
        ("available", np.int32),  # visits of its node in worlds in which it was legal
        ("next", np.int32),  # another edge of its node, -1 after the last
        ("prior", np.float32),
        ("action", np.int32),
    ],
    align=True,
)

# Columns of `size`, and of `bounds`.
NODES: Final = 0
EDGES: Final = 1
LOWEST: Final = 0
HIGHEST: Final = 1

FREE: Final = np.uint64(0)
"""In `keys`, of a slot without a node."""


class Tree(NamedTuple):
    """The arrays of a tree.

    Attributes:
        keys: of the nodes, in the slots of a hash table, uint64 [2 * most].
        nodes: in the same slots, dtype `NODE_DTYPE`.
        edges: dtype `EDGE_DTYPE` [most].
        size: how many nodes and edges there are, int64 [2].
        bounds: least and most marks seen, float64 [2].
    """

    keys: NDArray[np.uint64]
    nodes: Any
    edges: Any
    size: NDArray[np.int64]
    bounds: NDArray[np.float64]


def new_tree(most: int) -> Tree:
    """An empty tree with room for ``most`` nodes and edges, rounded up to a power of two."""
    most = 1 << max(most - 1, 1).bit_length()
    return Tree(
        np.zeros(2 * most, np.uint64),
        np.zeros(2 * most, NODE_DTYPE),
        np.zeros(most, EDGE_DTYPE),
        np.zeros(2, np.int64),
        np.array([inf, -inf]),
    )


@part
def clear(tree: Tree) -> None:
    """Remove all nodes."""
    tree.keys[:] = FREE
    tree.size[:] = 0
    tree.bounds[LOWEST] = inf
    tree.bounds[HIGHEST] = -inf


@part
def node_at(tree: Tree, key: Any) -> Any:
    """The slot of the node of a key, a new one if there is none; -1 if the tree is full."""
    last = len(tree.keys) - 1
    key |= np.uint64(1)  # no key is FREE
    slot = int64(key >> np.uint64(1)) & last
    while tree.keys[slot] != FREE:
        if tree.keys[slot] == key:
            return slot
        slot = (slot + 1) & last
    if tree.size[NODES] == len(tree.edges):
        return -1
    tree.size[NODES] += 1
    tree.keys[slot] = key
    node = tree.nodes[slot]
    node.tried_low = 0
    node.tried_high = 0
    node.value = 0.0
    node.first = -1
    return slot


@part
def add_edge(tree: Tree, slot: int, action: int) -> Any:
    """A new edge of a node; -1 if the tree is full."""
    edge = tree.size[EDGES]
    if edge == len(tree.edges):
        return int64(-1)
    tree.size[EDGES] += 1
    node = tree.nodes[slot]
    record = tree.edges[edge]
    record.total = 0.0
    record.visits = 0
    record.available = 0
    record.prior = 1.0
    record.action = action
    record.next = node.first
    node.first = edge
    if action < SPLIT:
        node.tried_low |= int64(1) << action
    else:
        node.tried_high |= int64(1) << (action - SPLIT)
    return edge


@part
def _has(low: int, high: int, action: int) -> Any:
    return (low >> action) & 1 if action < SPLIT else (high >> (action - SPLIT)) & 1


@part
def best_edge(tree: Tree, slot: int, low: int, high: int, team: int, exploration: float) -> Any:
    """The edge to follow of a node whose legal actions all have one.

    That is the highest upper confidence bound, in which an edge's availability stands for the
    visits of its node (Cowling, Powley and Whitehouse 2012).

    Args:
        tree: the tree.
        slot: of the node.
        low: legal actions in this world, a set in two words.
        high: its second word.
        team: the team to act.
        exploration: weight of what is not known yet.
    """
    lowest = tree.bounds[LOWEST]
    scale = 1.0 / max(tree.bounds[HIGHEST] - lowest, 1.0)
    best = int64(-1)
    best_worth = -inf
    edge = int64(tree.nodes[slot].first)
    while edge >= 0:
        record = tree.edges[edge]
        if _has(low, high, record.action):
            record.available += 1
            each = 1.0 / record.visits
            value = (record.total * each - lowest) * scale
            if team:
                value = 1.0 - value
            worth = value + exploration * sqrt(log(record.available) * each)
            if worth > best_worth:
                best_worth = worth
                best = edge
        edge = int64(record.next)
    return best


@part
def most_promising_edge(
    tree: Tree, slot: int, low: int, high: int, team: int, exploration: float
) -> Any:
    """`best_edge` by priors: edges not visited yet are worth what their node is.

    The bound is that of AlphaZero (Silver et al. 2017), with availability in place of visits.
    """
    lowest = tree.bounds[LOWEST]
    scale = 1.0 / max(tree.bounds[HIGHEST] - lowest, 1.0)
    best = int64(-1)
    best_worth = -inf
    edge = int64(tree.nodes[slot].first)
    while edge >= 0:
        record = tree.edges[edge]
        if _has(low, high, record.action):
            record.available += 1
            mean = tree.nodes[slot].value
            if record.visits:
                mean = record.total / record.visits
            value = (mean - lowest) * scale
            if team:
                value = 1.0 - value
            novelty = sqrt(record.available) / (1 + record.visits)
            worth = value + exploration * record.prior * novelty
            if worth > best_worth:
                best_worth = worth
                best = edge
        edge = int64(record.next)
    return best


@part
def see_value(tree: Tree, value: float) -> None:
    """Widen the bounds of the tree to a value."""
    tree.bounds[LOWEST] = min(tree.bounds[LOWEST], value)
    tree.bounds[HIGHEST] = max(tree.bounds[HIGHEST], value)


@part
def back_up(tree: Tree, path: Any, length: int, value: float) -> None:
    """Enter the value of an iteration in the edges that it followed."""
    see_value(tree, value)
    for i in range(length):
        record = tree.edges[path[i]]
        record.visits += 1
        record.total += value


@part
def count_actions(tree: Tree, slot: int, visits: Any, totals: Any) -> None:
    """Add the visits and values of a node's edges to those of their actions.

    Args:
        tree: the tree.
        slot: of the node.
        visits: int64 [A].
        totals: float64 [A].
    """
    edge = int64(tree.nodes[slot].first)
    while edge >= 0:
        record = tree.edges[edge]
        visits[record.action] += record.visits
        totals[record.action] += record.total
        edge = int64(record.next)
