"""Worlds: all of them, none but them, and each as likely as the others."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.search.determinize import list_worlds, num_worlds, sample_worlds
from agents.search.knowledge import known_states
from belote_env.engine.options import rule_data
from belote_env.engine.state import AUCTION, OVER, PLAY
from belote_env.rules import resolve
from tests.agents.worlds import (
    FOUR_PLAYERS as FOUR_PLAYERS,
)
from tests.agents.worlds import (
    RULES,
    Position,
    consistent,
    deal_every_way,
    decisions,
    kinds,
    random_line,
    small_positions,
)
from tests.observing import observe
from tests.property.test_information import redeals

KEY: Final = np.uint64(2024)
POSITIONS: Final = 1_000
"""Positions, of all rules together, in which every one of 100 worlds is checked."""


def sample(position: Position, num: int, first: int = 0) -> NDArray[np.uint32]:
    worlds = np.zeros((num, 4), np.uint32)
    written = sample_worlds(rule_data(position.rules), position.known, KEY, first, worlds)
    assert written == num
    return worlds


def listed(position: Position, room: int) -> NDArray[np.uint32]:
    worlds = np.zeros((room, 4), np.uint32)
    return worlds[: list_worlds(rule_data(position.rules), position.known, worlds)]


def rows(worlds: NDArray[np.uint32]) -> list[tuple[int, ...]]:
    return [tuple(world) for world in worlds.tolist()]


# Small positions, with every world -----------------------------------------------------------


@pytest.fixture(scope="module")
def small() -> list[tuple[Position, NDArray[np.uint32], NDArray[np.bool_]]]:
    """Small positions, every way to deal their unseen cards, and which of these are consistent."""
    found: list[tuple[Position, NDArray[np.uint32], NDArray[np.bool_]]] = []
    for position in small_positions(seed=1, num=220):
        ways = deal_every_way(position)
        found.append((position, ways, consistent(position, ways)))
    return found


def test_small_positions_have_every_kind_of_constraint(small: Any):
    counts = Counter(kind for position, _, _ in small for kind in kinds(position))

    wanted = ("void", "ceiling", "belote said", "belote withheld", "turned card")
    assert min(counts[kind] for kind in wanted) >= 3, counts
    assert min(counts[kind] for kind in ("annonce shown", "annonce said", "annonces")) >= 3, counts
    assert sum(0 < possible.sum() < len(ways) for _, ways, possible in small) >= 100


def test_the_worlds_are_the_deals_that_the_seat_cannot_tell_from_the_true_one(small: Any):
    for position, ways, possible in small:
        worlds = rows(listed(position, len(ways) + 1))

        assert len(set(worlds)) == len(worlds)
        assert set(worlds) == set(rows(ways[possible]))
        assert tuple(position.world.tolist()) in worlds
        if not position.rules.annonces:
            assert num_worlds(rule_data(position.rules), position.known) == len(worlds)


def deviation(counts: NDArray[np.int64]) -> float:
    """Chi-square of counts against a uniform distribution, as a standard normal variable.

    By the approximation of Wilson and Hilferty, The distribution of chi-square (1931).
    """
    expected, freedom = counts.mean(), len(counts) - 1
    chi_square = ((counts - expected) ** 2 / expected).sum()
    spread = 2 / (9 * freedom)
    return float(((chi_square / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5)


def counted(worlds: NDArray[np.uint32], drawn: NDArray[np.uint32]) -> NDArray[np.int64]:
    """How often each of some worlds was drawn; nothing else was."""
    number = {world: i for i, world in enumerate(rows(worlds))}
    return np.bincount([number[world] for world in rows(drawn)], minlength=len(worlds))


def test_worlds_are_drawn_uniformly(small: Any):
    several = [(position, ways[possible]) for position, ways, possible in small]
    several = [(position, worlds) for position, worlds in several if len(worlds) > 1][:200]
    assert len(several) == 200

    deviations = [
        deviation(counted(worlds, sample(position, 20 * len(worlds))))
        for position, worlds in several
    ]

    assert max(map(abs, deviations)) < 4.5
    assert abs(np.mean(deviations)) < 4 / 200**0.5
    assert 0.8 < np.std(deviations) < 1.2


def deal_card_by_card(
    rng: random.Random, position: Position, worlds: list[tuple[int, ...]]
) -> tuple[int, ...]:
    """A world drawn by giving each card to any seat that may hold it and has room."""
    sizes = [hand.bit_count() for hand in worlds[0]]
    while True:
        hands = [worlds[0][0], *(hand & position.turned for hand in worlds[0][1:])]
        for card in position.hidden:
            free = [
                k
                for k in range(1, 4)
                if hands[k].bit_count() < sizes[k] and any(w[k] >> card & 1 for w in worlds)
            ]
            if free:
                hands[rng.choice(free)] |= 1 << card
        if tuple(hands) in worlds:
            return tuple(hands)


def test_another_way_to_draw_worlds_is_told_from_a_uniform_one(small: Any):
    rng, deviations = random.Random(2), list[float]()
    for position, ways, possible in small:
        worlds = rows(ways[possible])
        if 1 < len(worlds) < 40:
            drawn = [deal_card_by_card(rng, position, worlds) for _ in range(20 * len(worlds))]
            counts = counted(ways[possible], np.array(drawn, np.uint32))
            deviations.append(deviation(counts))

    assert max(deviations) > 10
    assert np.mean(deviations) > 1


# The auction ---------------------------------------------------------------------------------


def auction(rules: str, seed: int) -> Position:
    rng = random.Random(seed)
    calls = [p for p in decisions(random_line(rng, rules)) if p.state["phase"] == AUCTION]
    return rng.choice(calls)


@pytest.mark.parametrize(("rules", "size"), [("classic", 5), ("contree", 8)])
def test_during_the_auction_cards_are_as_likely_in_each_hand_as_in_the_pack(rules: str, size: int):
    position = auction(rules, seed=4)
    worlds = sample(position, 100_000)
    flags = worlds[:, 1:, None] >> np.array(position.hidden, np.uint32) & 1  # [n, seat, card]
    unseen = len(position.hidden)

    assert (flags.sum(axis=2) == size).all()
    assert (flags.sum(axis=1) <= 1).all()
    assert (worlds[:, 0] == position.world[0]).all()
    share = size / unseen
    spread = (share * (1 - share) / len(worlds)) ** 0.5
    assert np.abs(flags.mean(axis=0) - share).max() < 4.5 * spread
    pairs = np.einsum("nic,njd->icjd", flags, flags, dtype=np.int64) / len(worlds)
    for i in range(3):
        for j in range(3):
            together = share * (size - (i == j)) / (unseen - 1)
            spread = (together * (1 - together) / len(worlds)) ** 0.5
            off = pairs[i, :, j] - together
            np.fill_diagonal(off, 0)
            assert np.abs(off).max() < 5 * spread


def test_the_worlds_of_the_auction_are_the_ways_to_deal_three_hands_and_the_stock():
    def count(rules: str) -> int:
        position = auction(rules, seed=1)
        return num_worlds(rule_data(position.rules), position.known)

    assert count("classic") == 7_726_160 * 756_756  # 26! / (11! 15!), then 15! / 5!^3
    assert count("contree") == 9_465_511_770  # 24! / 8!^3


# Every world ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_the_seat_would_have_seen_the_same_in_every_world_drawn(rules: str):
    rng, positions = random.Random(rules), list[Position]()
    while len(positions) < POSITIONS // len(RULES) + 1:
        positions += decisions(random_line(rng, rules))

    for position in positions:
        assert consistent(position, sample(position, 100)).all(), position.state


@pytest.mark.parametrize("rules", RULES)
def test_worlds_do_not_depend_on_where_the_hidden_cards_are(rules: str):
    rng, compared = random.Random(rules), 0
    for _ in range(6):
        line = random_line(rng, rules)
        for decision in range(0, len(line.actions), 3):
            start = line.until(decision)
            state = start.end().state
            if state["phase"][0] == OVER:
                continue
            seat = int(state["seat"][0])
            others = redeals(rng, start, seat, tries=4)
            worlds = sample(Position(start.rules, state[0], seat), 16)
            for game in others:
                again = sample(Position(start.rules, game.state[0], seat), 16)
                assert again.tobytes() == worlds.tobytes()
            compared += len(others)

    assert compared >= 10


def test_a_world_depends_on_its_key_and_number_alone():
    rng = random.Random(5)
    for rules in ("classic", "coinche"):
        for position in rng.choices(decisions(random_line(rng, rules)), k=8):
            worlds = sample(position, 50)
            assert (sample(position, 20, first=30) == worlds[30:]).all()
            assert (sample(position, 1, first=7) == worlds[7]).all()
            if num_worlds(rule_data(position.rules), position.known) > 1000:
                assert len(set(rows(worlds))) > 10
                other = np.zeros_like(worlds)
                sample_worlds(rule_data(position.rules), position.known, KEY + 1, 0, other)
                assert (other != worlds).any()


# No world ------------------------------------------------------------------------------------


def test_where_nothing_is_hidden_the_one_world_is_the_true_one():
    position = decisions(random_line(random.Random(3), "contree"))[-1]

    assert listed(position, 10).tolist() == [position.world.tolist()]
    assert rows(sample(position, 3)) == 3 * rows(position.world[None])


@pytest.mark.parametrize(("rules", "over"), [("classic", True), ("two_player", False)])
def test_there_is_no_world_after_the_end_nor_with_two_players(rules: str, over: bool):
    line = random_line(random.Random(6), rules)
    state = line.end().state if over else line.start().state
    known = known_states(rules, observe(rules, state, 0)[0])
    worlds = np.zeros((5, 4), np.uint32)

    assert num_worlds(rule_data(resolve(rules)), known) == 0
    assert sample_worlds(rule_data(resolve(rules)), known, KEY, 0, worlds) == 0
    assert list_worlds(rule_data(resolve(rules)), known, worlds) == 0


def test_there_is_no_world_where_the_proofs_contradict_each_other():
    position = next(
        p for p in decisions(random_line(random.Random(7), "classic")) if p.state["phase"] == PLAY
    )
    card = position.hidden[0]
    known = position.known
    known["excluded"][:, 1:] |= np.uint32(1 << card)

    assert num_worlds(rule_data(position.rules), known) == 0
    assert sample_worlds(rule_data(position.rules), known, KEY, 0, np.zeros((1, 4), np.uint32)) == 0
