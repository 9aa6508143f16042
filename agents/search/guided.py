"""Tree search guided by priors and leaf values from anywhere, such as a network.

    >>> agent = GuidedAgent(evaluate, "classic", iterations=800, seed=0)

The tree is that of `agents.search.ismcts`, but nothing is played out: what the evaluator says of a
decision met for the first time is backed up, and its probabilities tell which actions to try first.
Leaves are evaluated some at a time: while one waits, its path counts as lost for whoever chose it,
which sends the next another way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
from numpy import int64, uint64
from numpy.typing import NDArray

from agents.search.agent import SearchAgent
from agents.search.beliefs import Beliefs, Weights, Worlds, likely_world
from agents.search.determinize import WORLDS_DTYPE, count_worlds, draw_world
from agents.search.ismcts import (
    LONGEST,
    Observers,
    Search,
    check_exploration,
    check_observers,
    node_key,
    observe,
    only_action,
    sum_roots,
)
from agents.search.pack import enter_world
from agents.search.playouts import RANDOM
from agents.search.tree import (
    HIGHEST,
    LOWEST,
    Tree,
    add_edge,
    clear,
    most_promising_edge,
    new_tree,
    node_at,
    see_value,
)
from belote_env import RuleSet
from belote_env.actions import SPLIT
from belote_env.checks import check_whole
from belote_env.engine.bits import lowest_bit
from belote_env.engine.encoding import encode, write_mask
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.options import rule_data
from belote_env.engine.rng import draw, substream
from belote_env.engine.slots import plain_order
from belote_env.engine.state import OVER
from belote_env.engine.step import legal_actions, step
from belote_env.observation import schema, total_size

Evaluator: TypeAlias = Callable[
    [NDArray[np.uint8], NDArray[np.int8]],
    tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]],
]
"""From flat observations uint8 [M, D] and masks int8 [M, A] to the probabilities of the actions
[M, A], and the marks [M] that the deciding seat's side is expected to win by."""

_MOST_ACTIONS: Final = 64
"""Room for the edges of an iteration, hardly ever that many."""
_MOST_ITERATIONS: Final = 200_000
"""Their tree takes two gigabytes."""
_MOST_BATCH: Final = 65_536

LEAF_DTYPE: Final = np.dtype(
    [
        ("slot", np.int64),  # of the node, -1 where the deal is over or the tree full
        ("low", np.int64),  # legal actions in the world that led there
        ("high", np.int64),
        ("team", np.int64),  # to act
        ("value", np.float64),  # marks of team 0 less those of team 1, once known
        ("length", np.int64),
        ("edges", np.int32, LONGEST),  # the path
        ("lost", np.float64, LONGEST),  # what each edge of it was taken to lose meanwhile
    ],
    align=True,
)
"""A path from the root of a tree to a decision met for the first time, or to the end of a deal."""


@part
def _descend(rules: Record, s: Record, tree: Tree, search: Search, leaf: Record) -> None:
    """Follow the tree in a world to a leaf; edges on the way count as lost until it is known."""
    path = uint64(0)
    leaf.length = 0
    leaf.slot = -1
    leaf.value = 0.0
    while s.phase != OVER:
        low, high = legal_actions(rules, s)
        seat = int64(s.seat)
        action = only_action(low, high)
        if high or low & (low - 1):
            slot = node_at(tree, node_key(s, path, search.observers))
            if slot < 0:
                return
            node = tree.nodes[slot]
            if (low & ~node.tried_low) | (high & ~node.tried_high):
                leaf.slot = slot
                leaf.low = low
                leaf.high = high
                leaf.team = seat & 1
                return
            edge = most_promising_edge(tree, slot, low, high, seat & 1, search.exploration)
            record = tree.edges[edge]
            lost = tree.bounds[HIGHEST] if seat & 1 else tree.bounds[LOWEST]
            record.visits += 1
            record.total += lost
            leaf.edges[leaf.length] = edge
            leaf.lost[leaf.length] = lost
            leaf.length += 1
            action = int64(record.action)
        step(rules, s, action)
        path = observe(s, path, seat, action)
    leaf.value = float(s.marks[0] - s.marks[1])
    see_value(tree, leaf.value)


@kernel
def find_leaves(
    rules: Record,
    known: Any,
    key: Any,
    first: int,
    search: Search,
    worlds: Worlds,
    tree: Tree,
    leaves: Any,
    obs: Any,
    masks: Any,
) -> None:
    """Find leaves, one in a world each, and write what the seats that decide there see.

    Args:
        rules: rule data, shape (1,), of four players.
        known: what the seat knows, a state, shape (1,).
        key: key of the random stream (uint64).
        first: number of the first iteration; 0 clears the tree.
        search: how to search.
        worlds: as in `agents.search.ismcts.grow_tree`.
        tree: from `new_tree`.
        leaves: dtype `LEAF_DTYPE` [n] to write.
        obs: observations to write, as words, uint64 [n, D / 8]; where no node was met, zeros.
        masks: legal actions to write, int8 [n, A].
    """
    if first == 0:
        clear(tree)
        see_value(tree, 0.0)
    counted = np.empty(1, WORLDS_DTYPE)
    trial = known.copy()
    states = known.copy()
    hands = np.empty(4, np.uint32)
    count_worlds(rules[0], known[0], counted[0])
    for k in range(len(leaves)):
        stream = substream(key, first + k)
        if len(worlds.hands):
            hands[:] = worlds.hands[likely_world(worlds.cumulative, draw(stream, 0))]
        else:
            draw_world(rules[0], known[0], counted[0], stream, trial[0], hands)
        states[0] = known[0]
        s = states[0]
        enter_world(rules[0], s, hands, substream(stream, 1))
        _descend(rules[0], s, tree, search, leaves[k])
        obs[k] = 0
        masks[k] = 0
        if leaves[k].slot >= 0:
            encode(rules[0], s, int64(s.seat), plain_order(), False, False, obs[k])
            write_mask(leaves[k].low, leaves[k].high, masks[k])


@part
def _expand(tree: Tree, leaf: Record, priors: Any) -> None:
    """Give a leaf's node the edges that it lacks."""
    tree.nodes[leaf.slot].value = leaf.value
    low = leaf.low & ~tree.nodes[leaf.slot].tried_low
    high = leaf.high & ~tree.nodes[leaf.slot].tried_high
    while low | high:
        if low:
            action = lowest_bit(low)
            low &= low - 1
        else:
            action = SPLIT + lowest_bit(high)
            high &= high - 1
        edge = add_edge(tree, leaf.slot, action)
        if edge < 0:
            return
        tree.edges[edge].prior = priors[action]


@kernel
def enter_leaves(tree: Tree, leaves: Any, priors: Any, values: Any) -> None:
    """Expand leaves and back up what they are worth.

    Args:
        tree: the tree in which they were found.
        leaves: dtype `LEAF_DTYPE` [n].
        priors: probabilities of their actions, float64 [n, A].
        values: marks that the side to act is expected to win by, float64 [n].
    """
    for k in range(len(leaves)):
        leaf = leaves[k]
        if leaf.slot >= 0:
            leaf.value = -values[k] if leaf.team else values[k]
            _expand(tree, leaf, priors[k])
            see_value(tree, leaf.value)
        for i in range(leaf.length):
            tree.edges[leaf.edges[i]].total += leaf.value - leaf.lost[i]


class GuidedAgent(SearchAgent):
    """Searches with an evaluator in place of playing deals out.

    Args:
        evaluator: probabilities of actions and values of positions.
        rules: the rule set that it is to play, of four players.
        iterations: iterations of a decision, up to 200,000.
        batch: leaves that are evaluated together, up to 65,536.
        exploration: weight of the evaluator's probabilities, 0 to a million.
        observers: ``"single"``, ``"multiple"`` or ``"open"``, see `agents.search.ismcts`.
        weights: how likely worlds are taken to be (`agents.search.beliefs`).
        call_slip: if by the heuristic player, how likely another call is than the one it makes.
        trust: and how likely a side is to be heuristic players before it has played a card, 0 to 1.
        seed: seed of its random numbers; fresh entropy for None.

    Raises:
        ValueError: if an argument is out of its range.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        rules: str | RuleSet = "classic",
        iterations: int = 800,
        batch: int = 16,
        exploration: float = 0.5,
        observers: Observers = "single",
        weights: Weights = "uniform",
        call_slip: float = 0.1,
        trust: float = 0.5,
        seed: int | None = None,
    ) -> None:
        super().__init__(rules, seed)
        self._evaluator = evaluator
        self._data = rule_data(self.rules)
        self._beliefs = Beliefs(self._data, weights, call_slip, trust)
        self._iterations = check_whole("iterations", iterations, 1, _MOST_ITERATIONS)
        self._batch = check_whole("batch", batch, 1, _MOST_BATCH)
        self._search = Search(check_exploration(exploration), check_observers(observers), RANDOM, 0)
        # A leaf adds an edge for each of its actions.
        self._tree = new_tree(_MOST_ACTIONS * self._iterations)

    def decide(self, known: NDArray[Any], legal: NDArray[np.int64], key: np.uint64) -> int:
        """The action visited most often; of those, the one that was worth most."""
        visits, means = self.evaluate(known, key)
        return int(max(legal, key=lambda action: (visits[action], means[action])))

    def evaluate(
        self, known: NDArray[Any], key: np.uint64
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """How often each action was visited, int64 [A], and its mean value, float64 [A].

        Args:
            known: what the seat knows, a state, shape (1,) (`agents.search.knowledge`).
            key: key of the random stream of this decision.

        Raises:
            ValueError: if the evaluator returns arrays of other shapes than it should.
        """
        worlds = self._beliefs.pool(known, key)
        width = total_size(schema(self.rules))
        first = 0
        while first < self._iterations:
            num = min(self._batch if first else 1, self._iterations - first)
            leaves = np.zeros(num, LEAF_DTYPE)
            obs = np.empty((num, width), np.uint8)
            masks = np.empty((num, self.rules.num_actions), np.int8)
            words = obs.view(np.uint64)
            find_leaves(
                self._data,
                known,
                key,
                first,
                self._search,
                worlds,
                self._tree,
                leaves,
                words,
                masks,
            )
            enter_leaves(self._tree, leaves, *self._ask(obs, masks, leaves["slot"] >= 0))
            first += num
        return sum_roots(known, self._search, [self._tree], self.rules.num_actions)

    def _ask(
        self, obs: NDArray[np.uint8], masks: NDArray[np.int8], rows: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What the evaluator says of some rows; zeros for the others."""
        priors = np.zeros(masks.shape)
        values = np.zeros(len(masks))
        if rows.any():
            found, worth = map(np.asarray, self._evaluator(obs[rows], masks[rows]))
            num = int(rows.sum())
            if found.shape != (num, masks.shape[1]) or worth.shape != (num,):
                raise ValueError(
                    f"evaluator {self._evaluator!r}: use one that returns arrays of shapes"
                    f" {(num, masks.shape[1])} and {(num,)}, not {found.shape} and {worth.shape}"
                )
            priors[rows] = found
            values[rows] = worth
        return priors, values
