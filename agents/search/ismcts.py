"""Information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012).

    >>> agent = IsmctsAgent("classic", iterations=4_000, seed=0)

Each iteration draws a world from all that the seat cannot tell from the true one
(`agents.search.determinize`), follows the tree in it, tries one new action, and plays the deal to
its end or to where the solver takes over.  Actions that only some worlds allow are judged by how
often they were available.

With a single observer, nodes are what the searching seat can tell apart: all others decide as if
they saw its tree.  With multiple observers each seat has a tree of its own over what it sees, its
hand included, so nobody's decision depends on cards that it does not see; then, as most hands of
the others are met once, their plans are poor until few cards are left.  With open hands the
opponents see all cards when they decide, and the own side does not: the worst that can be met, of
which the tree learns most if its iterations share few worlds.

Opponents who are likely to be heuristic players (`agents.search.beliefs`) do as these would in as
many of the iterations, and choose from the tree in the others.

Cards that the searching seat itself gets after the auction tell nothing apart: the tree averages
over them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy import int64, uint64
from numpy.typing import NDArray

from agents.heuristics.player import heuristic_action
from agents.search.agent import (
    MOST_ITERATIONS,
    MOST_THREADS,
    MOST_WORLDS,
    SearchAgent,
    check_time,
)
from agents.search.beliefs import Beliefs, Weights, Worlds, chance, likely_world
from agents.search.determinize import WORLDS_DTYPE, count_worlds, draw_world
from agents.search.pack import enter_world
from agents.search.playouts import POLICIES, finish
from agents.search.solver_input import check_rules
from agents.search.solver_table import new_table
from agents.search.solver_words import workspace
from agents.search.tree import (
    Tree,
    add_edge,
    back_up,
    best_edge,
    clear,
    count_actions,
    new_tree,
    node_at,
)
from belote_env import RuleSet
from belote_env.actions import SILENT, SPLIT
from belote_env.cards import HAND_SIZE, NUM_CARDS, NUM_SEATS
from belote_env.checks import check_choice, check_number, check_whole
from belote_env.engine.bits import lowest_bit
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.options import rule_data
from belote_env.engine.rng import draw, mix, stream_key, substream
from belote_env.engine.rollout import pick
from belote_env.engine.state import OVER
from belote_env.engine.step import legal_actions, step

Observers = Literal["single", "multiple", "open"]
Rollouts = Literal["random", "heuristic"]

_SINGLE: Final = 0
_MULTIPLE: Final = 1
_OPEN: Final = 2
OBSERVERS: Final[dict[Observers, int]] = {
    "single": _SINGLE,
    "multiple": _MULTIPLE,
    "open": _OPEN,
}
"""What each seat is taken to know when it decides in the tree."""

LONGEST: Final = 128
"""More decisions than a deal has."""
_MOST_NODES: Final = 1 << 18
"""Room of a tree whose iterations are limited by time alone; then it grows no more."""
_CHUNK: Final = 128
"""Iterations between two looks at the clock."""
_MOST_EXPLORATION: Final = 1e6
"""Values of actions are in [0, 1], so this leaves them no say."""


class Search(NamedTuple):
    """How to search.

    Attributes:
        exploration: weight of what is not known yet.
        observers: a value of `OBSERVERS`.
        policy: how deals are played on (`agents.search.playouts`).
        endgame: cards in each hand from which on the solver says what a deal is worth; 0 for never.
    """

    exploration: float
    observers: int
    policy: int
    endgame: int


@part
def node_key(s: Record, path: Any, observers: int) -> Any:
    """What the observer of a tree knows at the decision of the seat to act.

    The pending speech is part of it, as nobody else can tell that a seat is asked.
    """
    asked = uint64(s.seat) | uint64(s.speech) << uint64(8)
    if observers == _MULTIPLE:
        asked |= uint64(s.hands[s.seat]) << uint64(16)
    if observers == _OPEN and s.seat & 1:
        for seat in range(NUM_SEATS):
            path = mix(path ^ uint64(s.hands[seat]))
    return mix(path + asked)


@part
def observe(s: Record, path: Any, seat: int, action: int) -> Any:
    """The path after an action: what everybody has seen and heard."""
    if action == SILENT:
        return path
    words = uint64(s.belote_said[seat]) | uint64(s.rebelote_said[seat]) << uint64(8)
    words |= uint64(s.annonces_said[seat]) << uint64(16)
    path = mix(path ^ (uint64(action + 1) | words << uint64(8)))
    if s.annonce_team >= 0:
        for each in range(4):
            path = mix(path ^ uint64(s.shown[each]))
    return path


@part
def only_action(low: int, high: int) -> Any:
    """The action of a set in two words that holds no other."""
    return lowest_bit(low) if low else SPLIT + lowest_bit(high)


@part
def _iterate(
    rules: Record,
    s: Record,
    tree: Tree,
    search: Search,
    trusting: bool,
    stream: Any,
    edges: Any,
    work: Any,
    table: Any,
) -> None:
    """Follow the tree in a world, try a new action, and enter what became of it.

    When ``trusting``, the opponents do what the heuristic player does.
    """
    path = uint64(0)
    length = 0
    drawn = 0
    while s.phase != OVER:
        low, high = legal_actions(rules, s)
        seat = int64(s.seat)
        action = only_action(low, high)
        grown = False
        if trusting and seat & 1:
            action = heuristic_action(rules, s)
        elif high or low & (low - 1):
            slot = node_at(tree, node_key(s, path, search.observers))
            if slot < 0:
                break
            node = tree.nodes[slot]
            new_low = low & ~node.tried_low
            new_high = high & ~node.tried_high
            grown = (new_low | new_high) != 0
            if grown:
                action = pick((new_low, new_high), draw(stream, drawn))
                edge = add_edge(tree, slot, action)
                if edge < 0:
                    break
            else:
                edge = best_edge(tree, slot, low, high, seat & 1, search.exploration)
                action = int64(tree.edges[edge].action)
            edges[length] = edge
            length += 1
            drawn += 1
        step(rules, s, action)
        if grown:
            break
        path = observe(s, path, seat, action)
    stop = NUM_CARDS - 4 * search.endgame
    finish(rules, s, search.policy, stop, substream(stream, drawn), work, table)
    back_up(tree, edges, length, float(s.marks[0] - s.marks[1]))


@kernel
def grow_tree(
    rules: Record,
    known: Any,
    key: Any,
    first: int,
    last: int,
    search: Search,
    worlds: Worlds,
    table: Any,
    tree: Tree,
) -> None:
    """Add iterations ``first`` to ``last`` - 1 to a tree; the first one clears it.

    Args:
        rules: rule data, shape (1,), of four players.
        known: what the seat knows, a state, shape (1,) (`agents.search.knowledge`).
        key: key of the random stream (uint64).
        first: number of the first iteration.
        last: the number after the last.
        search: how to search.
        worlds: those to draw from by weight; none to draw from all that there are, uniformly.
        table: of the solver, from `new_table`.
        tree: from `new_tree`.
    """
    if first == 0:
        clear(tree)
    counted = np.empty(1, WORLDS_DTYPE)
    trial = known.copy()
    states = known.copy()
    hands = np.empty(4, np.uint32)
    edges = np.empty(LONGEST, np.int64)
    work = workspace()
    if count_worlds(rules[0], known[0], counted[0]) == 0:
        return
    for k in range(first, last):
        stream = substream(key, k)
        trusting = False
        if len(worlds.hands):
            world = likely_world(worlds.cumulative, draw(stream, 0))
            hands[:] = worlds.hands[world]
            trusting = chance(draw(stream, 3)) < worlds.trust[world]
        elif not draw_world(rules[0], known[0], counted[0], stream, trial[0], hands):
            return
        states[0] = known[0]
        enter_world(rules[0], states[0], hands, substream(stream, 1))
        own_key = substream(stream, 2)
        _iterate(rules[0], states[0], tree, search, trusting, own_key, edges, work, table)


@kernel
def count_root(known: Any, search: Search, tree: Tree, visits: Any, totals: Any) -> None:
    """Add the visits and values of the actions at the root of a tree to those of others.

    Args:
        known: what the seat knows, a state, shape (1,).
        search: how the tree was grown.
        tree: the tree.
        visits: int64 [A].
        totals: float64 [A].
    """
    slot = node_at(tree, node_key(known[0], uint64(0), search.observers))
    if slot >= 0:
        count_actions(tree, slot, visits, totals)


def sum_roots(
    known: NDArray[Any], search: Search, trees: Sequence[Tree], num_actions: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Visits of the actions at the roots of some trees, int64 [A], and means, float64 [A].

    Args:
        known: what the seat knows, a state, shape (1,).
        search: how the trees were grown.
        trees: the trees.
        num_actions: A.

    Returns:
        The visits, and the mean values of the visited actions; -inf for the others.
    """
    visits = np.zeros(num_actions, np.int64)
    totals = np.zeros(num_actions)
    for tree in trees:
        count_root(known, search, tree, visits, totals)
    with np.errstate(invalid="ignore", divide="ignore"):
        return visits, np.where(visits > 0, totals / visits, -np.inf)


def check_exploration(exploration: Any) -> float:
    """A weight of what is not known yet: 0 or more, finite and so small that none is lost by it."""
    return check_number("exploration", exploration, most=_MOST_EXPLORATION)


def check_observers(observers: Any) -> int:
    """A value of `OBSERVERS`, by its name."""
    check_choice("observers", observers, tuple(OBSERVERS))
    return OBSERVERS[observers]


class IsmctsAgent(SearchAgent):
    """Searches at every decision, calls and words included.

    Args:
        rules: the rule set that it is to play, of four players.
        iterations: iterations of a decision, over all threads, up to `MOST_ITERATIONS`.
        time_ms: milliseconds of a decision, up to `MOST_MS`, in place of ``iterations``; no
            decision can then be repeated exactly.
        exploration: weight of what is not known yet, 0 to a million.
        observers: ``"single"``, ``"multiple"`` or ``"open"``.
        worlds: how many worlds the iterations draw from, up to `MOST_WORLDS`; None for as many as
            there are.
        rollouts: how cards are played on after a new action: ``"random"`` or ``"heuristic"``.
        endgame: from so many cards in each hand on the solver tells what a deal is worth, 0 to 8.
        weights: how likely worlds are taken to be (`agents.search.beliefs`).
        call_slip: if by the heuristic player, how likely another call is than the one it makes.
        trust: and how likely a side is to be heuristic players before it has played a card, 0 to 1.
            The more it looks so, the more iterations let the opponents do as these would.
        threads: trees that grow side by side and are added up at the end, up to `MOST_THREADS`.
            Decisions depend on their number, but not on how they are scheduled.
        seed: seed of its random numbers; fresh entropy for None.

    Raises:
        ValueError: if an argument is out of its range, or ``endgame`` asks for the solver under
            rules that it refuses.
    """

    def __init__(
        self,
        rules: str | RuleSet = "classic",
        iterations: int = 4_000,
        time_ms: float | None = None,
        exploration: float = 0.3,
        observers: Observers = "single",
        worlds: int | None = None,
        rollouts: Rollouts = "random",
        endgame: int = 0,
        weights: Weights = "uniform",
        call_slip: float = 0.1,
        trust: float = 0.5,
        threads: int = 1,
        seed: int | None = None,
    ) -> None:
        super().__init__(rules, seed)
        iterations = check_whole("iterations", iterations, 1, MOST_ITERATIONS)
        check_choice("rollouts", rollouts, tuple(POLICIES))
        endgame = check_whole("endgame", endgame, most=HAND_SIZE)
        threads = check_whole("threads", threads, 1, MOST_THREADS)
        if endgame:
            check_rules(self.rules)
        self._data = rule_data(self.rules)
        self._iterations = -(-iterations // threads)
        self._time_ms = check_time(time_ms)
        self._search = Search(
            check_exploration(exploration), check_observers(observers), POLICIES[rollouts], endgame
        )
        self._worlds = None if worlds is None else check_whole("worlds", worlds, 1, MOST_WORLDS)
        room = _MOST_NODES if time_ms is not None else self._iterations
        self._beliefs = Beliefs(self._data, weights, call_slip, trust)
        self._trees = [(new_tree(room), new_table()) for _ in range(threads)]

    def decide(self, known: NDArray[Any], legal: NDArray[np.int64], key: np.uint64) -> int:
        """The action visited most often; of those, the one that was worth most."""
        visits, means = self.evaluate(known, key)
        return int(max(legal, key=lambda action: (visits[action], means[action])))

    def evaluate(
        self, known: NDArray[Any], key: np.uint64
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """How often each action was visited, int64 [A], and its mean value, float64 [A].

        A value is the marks of the seat's side less the others'; -inf where nothing was tried.

        Args:
            known: what the seat knows, a state, shape (1,) (`agents.search.knowledge`).
            key: key of the random stream of this decision.
        """
        if self._worlds is None:
            worlds = self._beliefs.pool(known, key)
        else:
            worlds = self._beliefs.draw(known, key, self._worlds)
        if len(self._trees) == 1:
            self._grow(known, key, worlds, 0)
        else:
            with ThreadPoolExecutor(len(self._trees)) as pool:
                list(pool.map(partial(self._grow, known, key, worlds), range(len(self._trees))))
        trees = [tree for tree, _ in self._trees]
        return sum_roots(known, self._search, trees, self.rules.num_actions)

    def _grow(self, known: NDArray[Any], key: np.uint64, worlds: Worlds, thread: int) -> None:
        """Grow the tree of a thread."""
        tree, table = self._trees[thread]
        own_key = np.uint64(stream_key(key, thread))
        if self._time_ms is None:
            grow_tree(
                self._data, known, own_key, 0, self._iterations, self._search, worlds, table, tree
            )
            return
        done = 0
        end = time.perf_counter() + self._time_ms / 1_000
        while done == 0 or time.perf_counter() < end:
            last = done + _CHUNK
            grow_tree(self._data, known, own_key, done, last, self._search, worlds, table, tree)
            done = last
