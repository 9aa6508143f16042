"""Checks of the solver, the sampler and the agents that search, one position each.

Position number k of a check is drawn from (seed, k), so that any of them can be repeated and they
can be spread over processes.  What differs raises AssertionError.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import product
from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from agents.registry import make_agent
from agents.search.determinize import list_worlds, sample_worlds
from agents.spec import Spec
from belote_env.agent import act_batch
from belote_env.cards import CONTRACTS, HAND_SIZE, NUM_CONTRACTS, NUM_SEATS
from belote_env.engine.options import rule_data
from belote_env.engine.state import AUCTION
from belote_env.rules import RuleSet, resolve
from tests.agents import solving
from tests.agents.reference_worlds import possible
from tests.agents.worlds import (
    RULES,
    Position,
    consistent,
    deal_every_way,
    decisions,
    kinds,
    random_line,
    small_position,
)
from tests.observing import observe
from tests.property.test_information import redeals

AGENT_RULES: Final = ("classic", "sans_tout_atout", "concours", "contree", "coinche+sa_ta=True")
"""Rules under which agents are checked."""
DRAWS: Final = 40
"""Worlds drawn in a chi-square test for each that is possible."""
PLACED: Final = 4
"""Hidden cards whose places are counted together in the auction: 4^4 cells."""


class Found(NamedTuple):
    """What a check of one position has found.

    Attributes:
        rules: the rule set played.
        counts: what was compared and met.
        p_value: of a chi-square test, if it made one.
    """

    rules: RuleSet
    counts: Counter[str]
    p_value: float | None = None


Check = Callable[[int, int], Found]
"""Checks position number k of a seed; raises AssertionError where something differs."""


# Solver --------------------------------------------------------------------------------------


def check_ending(seed: int, number: int) -> Found:
    """An ending of 1 to 5 cards, every card by plain minimax, under drawn options."""
    rng = _stream("ending", seed, number)
    contract, size = number % NUM_CONTRACTS, 1 + number // NUM_CONTRACTS % 5
    rules = solving.draw_solvable_rules(rng, contract)
    position = solving.ending(rules, contract, size, rng)
    capot = solving.check_against_minimax(rules, position)
    counts = Counter({"endings": 1, f"of {size} cards": 1, f"at {CONTRACTS[contract]}": 1})
    counts["where a capot is possible"] += capot
    return Found(rules, counts)


def check_deal(seed: int, number: int) -> Found:
    """A full deal: its children, exchanged suits, a turned table, and best play to the end."""
    rng = _stream("deal", seed, number)
    contract = number % NUM_CONTRACTS
    rules = solving.draw_solvable_rules(rng, contract)
    position = solving.deal(rng, contract)
    solving.check_against_children(rules, position)
    solving.check_exchanged_suits(rules, position, rng)
    solving.check_turned_table(rules, position, 1 + number % 3)
    capot = solving.check_best_play(rules, position)
    counts = Counter({"deals": 1, "cards": HAND_SIZE, f"at {CONTRACTS[contract]}": 1})
    counts["that end in a capot"] += capot
    return Found(rules, counts)


# Sampler -------------------------------------------------------------------------------------


def check_frequencies(seed: int, number: int) -> Found:
    """Worlds of a small position: each possible one is drawn, none else, all as often."""
    rng = _stream("frequencies", seed, number)
    while True:
        position = small_position(rng, RULES[number % len(RULES)])
        ways = deal_every_way(position)
        allowed = possible(position, ways)
        if allowed.sum() > 1:
            break
    assert (consistent(position, ways) == allowed).all(), position
    worlds = _rows(ways[allowed])
    room = np.zeros((len(ways) + 1, NUM_SEATS), np.uint32)
    num = list_worlds(rule_data(position.rules), position.known, room)
    assert sorted(_rows(room[:num])) == sorted(worlds), position
    drawn = Counter(_rows(_sample(position, rng.getrandbits(64), DRAWS * len(worlds))))
    assert drawn.keys() <= set(worlds), position
    counts = np.array([drawn[world] for world in worlds], np.float64)
    found = Counter({"positions": 1, "ways to deal": len(ways), "possible worlds": len(worlds)})
    found.update({"worlds drawn": int(counts.sum())})
    found.update(f"with {kind}" for kind in kinds(position))
    return Found(
        position.rules, found, chi_square(counts, np.full(len(worlds), counts.sum() / len(worlds)))
    )


def check_auction_frequencies(seed: int, number: int) -> Found:
    """Worlds during an auction: where four hidden cards lie, as often as by dealing."""
    rng = _stream("auction", seed, number)
    rules = RULES[number % len(RULES)]
    position = rng.choice(
        [p for p in decisions(random_line(rng, rules)) if p.state["phase"] == AUCTION]
    )
    hidden = position.hidden
    size = int(position.state["hands"][position.seat]).bit_count()
    cards = np.array(rng.sample(hidden, PLACED), np.uint32)
    worlds = _sample(position, rng.getrandbits(64), 50_000)
    flags = worlds[:, 1:, None] >> cards & 1  # [n, seat, card]
    place = (flags * np.array([1, 2, 3], np.uint32)[:, None]).sum(axis=1)
    cell = place @ (NUM_SEATS ** np.arange(PLACED))
    counts = np.bincount(cell.astype(np.int64), minlength=NUM_SEATS**PLACED)
    rooms = [len(hidden) - 3 * size, size, size, size]  # 0 is the stock
    ways = np.array([_ways(rooms, where[::-1]) for where in product(range(4), repeat=PLACED)])
    assert not counts[ways == 0].any(), position
    expected = ways[ways > 0] / ways.sum() * len(worlds)
    found = Counter(
        {"positions": 1, "worlds drawn": len(worlds), "with a stock": int(rooms[0] > 0)}
    )
    return Found(position.rules, found, chi_square(counts[ways > 0].astype(np.float64), expected))


def _ways(rooms: list[int], where: Iterable[int]) -> int:
    """Ways to lay cards into given hands one after the other, by the room left in each."""
    left, ways = list(rooms), 1
    for hand in where:
        ways *= left[hand]
        left[hand] -= 1
    return ways


def check_worlds(worlds: int, seed: int, number: int) -> Found:
    """Worlds of four decisions of a deal: each agrees with the public history.

    And they are the same where the hidden cards lie elsewhere.
    """
    rng = _stream("worlds", seed, number)
    line = random_line(rng, RULES[number % len(RULES)])
    found = Counter[str]()
    for decision in rng.sample(range(len(line.actions)), 4):
        start = line.until(decision)
        true = start.end().state[0]
        position = Position(line.rules, true, int(true["seat"]))
        key = rng.getrandbits(64)
        drawn = _sample(position, key, worlds)
        assert consistent(position, drawn).all(), position
        found.update({"positions": 1, "worlds": worlds})
        found.update(f"with {kind}" for kind in kinds(position))
        for game in redeals(rng, start, position.seat, tries=3):
            again = _sample(replace(position, state=game.state[0]), key, worlds)
            assert again.tobytes() == drawn.tobytes(), position
            found["re-deals with the same worlds"] += 1
    return Found(line.rules, found)


def chi_square(counts: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """P-value of Pearson's test: counts at least as far from what is expected come by chance."""
    statistic = float(((counts - expected) ** 2 / expected).sum())
    half = torch.tensor([(len(counts) - 1) / 2, statistic / 2], dtype=torch.float64)
    return float(torch.special.gammaincc(half[0], half[1]))


# Agents --------------------------------------------------------------------------------------


def check_agent(spec: Spec, seed: int, number: int) -> Found:
    """A decision of an agent, and the same where the hidden cards and the deal's seed differ."""
    rng = _stream("agent", seed, number)
    rules = resolve(AGENT_RULES[number % len(AGENT_RULES)])
    while True:
        line = random_line(rng, rules)
        start = line.until(rng.randrange(len(line.actions)))
        true = start.end().state
        others = redeals(rng, start, int(true["seat"][0]), tries=6)
        if others and len(start.end().legal_actions()) > 1:
            break
    own_seed = rng.getrandbits(32)
    actions: set[int] = set()
    states = np.concatenate([true, *(game.state for game in others[:2])])
    states["key"] = [rng.getrandbits(64) for _ in states]
    seen, masks = observe(rules, states, states["seat"])
    assert (seen == seen[0]).all(), (line, "the observations differ")
    assert (masks == masks[0]).all(), (line, "the legal actions differ")
    for observation, mask in zip(seen, masks, strict=True):
        agent = make_agent(spec, rules, own_seed)
        actions.add(int(act_batch(agent, observation[None], mask[None])[0]))
    assert len(actions) == 1, (spec, line, actions)
    phase = "calls" if true["phase"][0] == AUCTION else "cards"
    return Found(rules, Counter({"positions": 1, "re-deals": len(states) - 1, phase: 1}))


# Positions -----------------------------------------------------------------------------------


def _stream(check: str, seed: int, number: int) -> random.Random:
    return random.Random(f"{check} {seed} {number}")


def _rows(worlds: NDArray[np.uint32]) -> list[tuple[int, ...]]:
    return [tuple(world) for world in worlds.tolist()]


def _sample(position: Position, key: int, num: int) -> NDArray[np.uint32]:
    """Worlds drawn by the sampler, uint32 [num, 4]."""
    worlds = np.zeros((num, NUM_SEATS), np.uint32)
    data, known = rule_data(position.rules), position.known
    assert sample_worlds(data, known, np.uint64(key), 0, worlds) == num, position
    return worlds
