"""The counter-based generator: known values, disjoint streams, fair numbers and packs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from belote_env import SelfPlayVectorEnv
from belote_env.cards import NUM_CARDS
from belote_env.engine import rng
from belote_env.engine.jit import from_python
from belote_env.engine.rng import seed_key, stream_key, stream_keys

below = from_python(rng.below)
below_low = from_python(rng.below_low)
draw = from_python(rng.draw)
mix = from_python(rng.mix)
substream = from_python(rng.substream)

DEVIATIONS = 4
"""Standard deviations that a sum may be off; the seeds are fixed, so it either is or is not."""


def word(value: int) -> np.uint64:
    return np.uint64(value)


# Values --------------------------------------------------------------------------------------


def test_a_stream_is_that_of_splitmix64():
    # The first words of the published generator from the states 0 and 1234567.
    assert [int(draw(word(0), i)) for i in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]
    assert [int(draw(word(1234567), i)) for i in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_values_never_change():
    assert int(mix(word(0))) == 0
    assert int(mix(word(1))) == 0x5692161D100B05E5
    assert int(substream(word(1), 2)) == 0x90F39818BEBFA10D
    assert int(seed_key(0)) == 0xDB2CD7E7B0F478BE
    assert int(seed_key(2**70)) == 0x450FC0D02693F9DE
    assert [int(key) for key in stream_keys(seed_key(1), 2)] == [
        0x870C81AE96D14DF1,
        0x2F6B3829E5DA6451,
    ]


def test_the_key_of_an_environment_does_not_depend_on_the_number_of_them():
    keys = stream_keys(seed_key(5), 10)

    assert [int(stream_key(seed_key(5), i)) for i in range(10)] == keys.tolist()


def test_no_seed_gives_fresh_keys():
    assert seed_key(None) != seed_key(None)


def test_streams_are_disjoint():
    keys = [stream_keys(seed_key(seed), 20) for seed in range(5)]
    deals = [substream(key, deal) for key in np.concatenate(keys) for deal in range(10)]
    words = [int(draw(word(deal), i)) for deal in deals for i in range(18)]

    assert len(set(words)) == len(words) == 5 * 20 * 10 * 18


# Numbers below a bound -----------------------------------------------------------------------


@pytest.mark.parametrize("bound", range(1, NUM_CARDS + 1))
def test_numbers_below_a_bound_are_fair(bound: int):
    # Of the 2**32 halves of a word, those from start[n] on give n: nearly equally many each.
    starts = [-(-n * 2**32 // bound) for n in range(bound + 1)]
    assert np.ptp(np.diff(starts)) <= 1
    for number in range(bound):
        for half in (starts[number], starts[number + 1] - 1):
            other = 2**32 - 1 - half
            assert below(word(half << 32 | other), bound) == number
            assert below_low(word(other << 32 | half), bound) == number


# Packs ---------------------------------------------------------------------------------------


DEALT = {"classic": [5, 5, 5, 5, 12], "contree": [8, 8, 8, 8], "two_player": [6, 6, 20]}
"""Cards of each seat and of the stock when the auction begins."""


@pytest.fixture(scope="module", params=DEALT)
def rules(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def later_deals(rules: str) -> np.ndarray:
    """States at the start of deals 2 and 3 of many matches."""
    env = SelfPlayVectorEnv(2048, rules, "match", seed=0)
    rng = np.random.default_rng(0)
    mask = env.reset()[1]
    states = [env.states[:0].copy()]
    while env.states["deal"].min() < 4:
        before = env.states["deal"].copy()
        mask = env.step((mask * rng.random(mask.shape)).argmax(axis=1))[1]
        started = (env.states["deal"] != before) & (env.states["deal"] <= 4) & (before >= 2)
        states.append(env.states[started])
    return np.concatenate(states)


def assert_uniform(counts: np.ndarray, expected: np.ndarray) -> None:
    """A chi-square test of counts of cards (rows) by place, each card once in each deal."""
    free = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    statistic = ((counts - expected) ** 2 / expected).sum() * (1 - 1 / NUM_CARDS)
    assert abs(statistic - free) < DEVIATIONS * np.sqrt(2 * free)


def test_every_card_comes_to_every_place_of_the_pack(later_deals: np.ndarray):
    counts = np.zeros((NUM_CARDS, NUM_CARDS))
    np.add.at(counts, (later_deals["deck"], np.arange(NUM_CARDS)), 1)

    assert len(later_deals) == 2 * 2048
    assert_uniform(counts, np.full_like(counts, len(later_deals) / NUM_CARDS))


def test_every_card_comes_to_every_seat_and_the_stock(rules: str, later_deals: np.ndarray):
    held = later_deals["hands"][:, None, :] >> np.arange(NUM_CARDS)[:, None] & 1  # [N, 32, 4]
    counts = held.sum(axis=0)
    counts = np.column_stack([counts, len(later_deals) - counts.sum(axis=1)])
    dealt_to = counts.any(axis=0)  # nothing goes to a seat or a stock that there is not

    sizes = np.array(DEALT[rules])
    expected = len(later_deals) * np.tile(sizes / NUM_CARDS, (NUM_CARDS, 1))
    assert_uniform(counts[:, dealt_to], expected)


@pytest.mark.parametrize(("preset", "seats"), [("classic", 4), ("contree", 4), ("two_player", 2)])
def test_the_first_dealer_is_drawn_uniformly(preset: str, seats: int):
    env = SelfPlayVectorEnv(4096, preset, seed=0)
    env.reset()
    counts = np.bincount(env.states["dealer"])
    expected, free = 4096 / seats, seats - 1

    assert len(counts) == seats
    assert ((counts - expected) ** 2 / expected).sum() < free + DEVIATIONS * np.sqrt(2 * free)


def test_neighbouring_cards_are_not_kept_together(later_deals: np.ndarray):
    # A weak shuffle keeps a card next to its successor; a uniform one in 31 of 992 pairs.
    deck = later_deals["deck"].astype(int)
    together = (np.diff(deck, axis=1) == 1).sum()
    expected = len(deck) * 31 * 31 / 992

    assert abs(together - expected) < DEVIATIONS * np.sqrt(expected)


@pytest.mark.parametrize("seed", [-1, "x", 1.5, True, [1], np.bool_(1)])
def test_a_bad_seed_is_named(seed: Any):
    with pytest.raises(
        ValueError, match=rf"seed={re.escape(repr(seed))}: use an integer of zero or more, or None"
    ):
        seed_key(seed)


def test_seeds_of_any_integer_type_are_the_same():
    seeds: list[Any] = [7, np.int64(7), np.uint8(7)]
    assert len({int(seed_key(seed)) for seed in seeds}) == 1
