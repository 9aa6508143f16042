"""The batched self-play environment: episodes, buffers, checked actions, threads."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from belote_env import Game, IllegalActionError, SelfPlayVectorEnv, observation
from belote_env.actions import NUM_ACTIONS, PASS
from belote_env.engine.state import AUCTION, RESULTS, STATE_DTYPE, cards_played, new_states
from belote_env.vector import Stepped
from tests.observing import forms, observe
from tests.property.strategies import PRESETS_AND_SPEECH, raw


def chosen(mask: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action of each row."""
    return (mask * rng.random(mask.shape)).argmax(axis=1)


def started(*args: Any, steps: int = 0, **kwargs: Any) -> tuple[SelfPlayVectorEnv, Stepped]:
    """An environment after some random steps, and what it last returned."""
    env = SelfPlayVectorEnv(*args, seed=0, **kwargs)
    rng = np.random.default_rng(0)
    obs, mask, seat = env.reset()
    reward = np.zeros((env.num_envs, env.rules.num_seats), np.float32)
    stepped = obs, mask, seat, reward, np.zeros(env.num_envs, bool)
    for _ in range(steps):
        stepped = env.step(chosen(stepped[1], rng))
    return env, stepped


def contents(env: SelfPlayVectorEnv, stepped: Stepped) -> list[bytes]:
    """All that a refused action must leave as it is."""
    return [raw(array) for array in (env.states, env.outcome, *stepped)]


def buffers(env: SelfPlayVectorEnv) -> Stepped:
    """Arrays to write into, filled with what no step writes."""
    n = env.num_envs
    return (
        np.full((n, env.observation_size), 77, np.uint8),
        np.full((n, env.num_actions), 77, np.int8),
        np.full(n, 77, np.int8),
        np.full((n, env.rules.num_seats), 77, np.float32),
        np.ones(n, np.bool_),
    )


# Episodes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("canonical_suits", [False, True])
@pytest.mark.parametrize(
    ("rules", "form"), [(rules, form) for rules in PRESETS_AND_SPEECH for form in forms(rules)]
)
def test_shapes_and_contents(rules: str, form: str, canonical_suits: bool):
    env, (obs, mask, seat, reward, done) = started(
        6, rules, steps=20, canonical_suits=canonical_suits, observation=form
    )
    seats = 2 if rules.startswith("two_player") else 4

    assert (obs.shape, obs.dtype) == ((6, env.observation_size), np.uint8)
    assert (mask.shape, mask.dtype) == ((6, env.num_actions), np.int8)
    assert (seat.shape, seat.dtype) == ((6,), np.int8)
    assert (reward.shape, reward.dtype) == ((6, seats), np.float32)
    assert (done.shape, done.dtype) == ((6,), np.bool_)
    assert env.observation_size == observation.total_size(observation.schema(rules, form))
    assert env.num_actions == observation.num_actions(env.rules, form)
    assert env.state().shape == (6, env.state_size)
    expected = observe(rules, env.states, env.states["seat"], canonical_suits, form)
    np.testing.assert_array_equal(obs, expected[0])
    np.testing.assert_array_equal(mask, expected[1])
    np.testing.assert_array_equal(seat, env.states["seat"])


@pytest.mark.parametrize("rules", ["classic", "contree", "two_player"])
def test_a_finished_deal_is_followed_by_the_next(rules: str):
    env, (_, mask, *_) = started(32, rules)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(100):
        before = env.states["deal"].copy()
        obs, mask, seat, reward, done = env.step(chosen(mask, rng))
        views = observation.views(obs, observation.schema(env.rules))
        new = env.states[done]

        np.testing.assert_array_equal(env.states["deal"], before + done)
        np.testing.assert_array_equal(env.outcome["ended"], done)
        assert np.all(new["num_calls"] + new["num_played"] + new["phase"] == AUCTION)
        np.testing.assert_array_equal(seat[done], (new["dealer"] + 1) % env.rules.num_seats)
        assert np.all(views["phase"][done, 0] == 1)
        assert not views["played"][done].any()
        assert not reward[~done].any()
        ended += done.sum()
    assert ended > 32


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize(
    "rules",
    [
        "concours+deals_per_party=3",
        "concours+dealing=cut+deals_per_party=3",
        "contree+target=500",
        "coinche+dealing=cut+target=500",
        "two_player+target=301",
        "two_player+dealing=cut+target=301",
    ],
)
def test_the_batch_plays_the_games_of_the_rules(rules: str, episode: Any):
    game = Game(rules, episode, seed=0)
    env, (_, mask, *_) = started(1, game.rules, episode)
    rng = np.random.default_rng(0)
    parties = 0
    for _ in range(400):
        action = chosen(mask, rng)
        _, mask, seat, reward, done = env.step(action)
        game.step(int(action[0]))
        deal_over, episode_over = game.over, False
        finished = game.state[0].copy()
        if deal_over:
            episode_over = game.end_deal()
        if episode_over:
            game.start()
        elif deal_over:
            game.begin_deal()

        assert raw(game.state) == raw(env.states)
        assert seat[0] == game.seat
        assert (env.outcome["ended"][0], done[0]) == (deal_over, episode_over)
        if deal_over:
            for field in ("result", "contract", "taker", "marks"):
                np.testing.assert_array_equal(env.outcome[field][0], finished[field], field)
            margin = np.float32((int(finished["marks"][0]) - int(finished["marks"][1])) / 162)
            assert reward.tolist() == [[margin, -margin] * (game.rules.num_seats // 2)]
        parties += episode_over
    assert parties >= 2


def test_a_cut_pack_keeps_what_a_shuffle_would_part():
    def neighbours(dealing: str) -> int:
        """Pairs of cards that fell one after the other and lie so in the next pack."""
        env, (_, mask, *_) = started(64, f"contree+dealing={dealing}", "match")
        rng = np.random.default_rng(1)
        kept = 0
        for _ in range(100):
            before = env.states.copy()
            mask = env.step(chosen(mask, rng))[1]
            played = before["num_played"] == 31
            for was, now in zip(before[played], env.states[played], strict=True):
                trick, deck = cards_played(was)[:4], now["deck"].tolist()
                places = [deck.index(card) for card in trick]
                kept += sum((b - a) % 32 == 1 for a, b in pairwise(places))
        return kept

    assert neighbours("cut") > 10 * neighbours("shuffle") > 0


def test_all_results_of_a_deal_are_reported():
    env, (_, mask, *_) = started(512)
    rng = np.random.default_rng(1)
    seen = np.zeros(len(RESULTS), int)
    for step in range(200):
        actions = chosen(mask, rng)
        if step < 8:  # some deals are void
            actions[:32] = PASS
        mask = env.step(actions)[1]
        seen += np.bincount(env.outcome["result"][env.outcome["ended"]], minlength=len(RESULTS))

    assert RESULTS[0] == "unfinished"
    assert seen[0] == 0
    assert seen[1:].min() > 0


def test_a_reset_clears_the_last_outcome():
    env, _ = started(8, steps=60)
    assert env.outcome["contract"].any()

    env.reset()

    assert raw(env.outcome) == bytes(env.outcome.nbytes)


# Buffers -------------------------------------------------------------------------------------


def test_arrays_of_the_caller_are_written_from_then_on():
    ours, (_, mask, *_) = started(4)
    theirs, _ = started(4)
    out = buffers(theirs)
    rng = np.random.default_rng(3)

    for step in range(3):
        actions = chosen(mask, rng)
        expected = ours.step(actions)
        mask = expected[1]
        got = theirs.step(actions, out) if step == 0 else theirs.step(actions)
        assert all(array is buffer for array, buffer in zip(got, out, strict=True))
        for array, other in zip(got, expected, strict=True):
            np.testing.assert_array_equal(array, other)


@pytest.mark.parametrize("name", ["obs", "mask", "seat", "reward", "done"])
@pytest.mark.parametrize("fault", ["shape", "dtype", "stride", "frozen"])
def test_a_wrong_buffer_is_refused_and_nothing_changes(name: str, fault: str):
    env, stepped = started(4, steps=5)
    before = contents(env, stepped)
    out = list(buffers(env))
    which = ("obs", "mask", "seat", "reward", "done").index(name)
    array = out[which]
    out[which] = {
        "shape": array[1:].copy(),
        "dtype": array.astype(np.float64),
        "stride": np.repeat(array, 2, axis=0)[::2],
        "frozen": array.copy(),
    }[fault]
    out[which].flags.writeable = fault != "frozen"

    with pytest.raises(ValueError, match=f"^{name} must be a writable C-contiguous array of sha"):
        env.step(stepped[1].argmax(axis=1), tuple(out))  # pyright: ignore[reportArgumentType]

    assert contents(env, stepped) == before
    after = env.step(stepped[1].argmax(axis=1))
    assert all(array is same for array, same in zip(after, stepped, strict=True))
    np.testing.assert_array_equal(after[0], observe("classic", env.states, after[2])[0])


def test_the_full_vector_is_written_into_an_array_of_the_caller():
    env, _ = started(4, steps=5)
    out = np.zeros((4, env.state_size), np.uint8)

    assert env.state(out) is out
    np.testing.assert_array_equal(out, env.state())
    with pytest.raises(ValueError, match="out must be a writable C-contiguous array of shape"):
        env.state(out[:2])


# Actions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("canonical_suits", [False, True])
@pytest.mark.parametrize("wrong", [-1, NUM_ACTIONS, 10**12, None])
def test_an_illegal_action_names_its_place_and_changes_nothing(
    threads: int, canonical_suits: bool, wrong: int | None
):
    env, stepped = started(9, steps=17, threads=threads, canonical_suits=canonical_suits)
    _, mask, seat, *_ = stepped
    actions = mask.argmax(axis=1)
    for row in (4, 8):
        actions[row] = mask[row].argmin() if wrong is None else wrong
    before = contents(env, stepped)

    with pytest.raises(IllegalActionError, match=rf"^environment 4: seat {seat[4]}: illegal ac"):
        env.step(actions)

    assert contents(env, stepped) == before
    env.step(mask.argmax(axis=1))


def test_an_illegal_action_is_reported_with_the_legal_ones():
    env, (_, mask, *_) = started(2)
    actions = mask.argmax(axis=1)
    actions[1] = 0

    with pytest.raises(IllegalActionError) as error:
        env.step(actions)

    seat, suit = env.states["seat"][1], "SHDC"[env.states["deck"][1, 20] // 8]
    take = 33 + "SHDC".index(suit)
    assert str(error.value) == (
        f"environment 1: seat {seat}: illegal action 0 (7S); legal are 32 (pass), {take} ({suit})"
    )


@pytest.mark.parametrize(
    "actions",
    [
        32,
        [32],
        [32] * 4,
        [[32] * 3],
        [32.0] * 3,
        [True] * 3,
        ["pass"] * 3,
        np.zeros((3, 1), int),
        [[1], [2, 3], []],
        np.ma.array([32, 32, 32], mask=[False, True, False]),
        np.array(32),
        None,
    ],
)
def test_actions_of_a_wrong_shape_or_type_are_refused(actions: Any):
    env, stepped = started(3)
    before = contents(env, stepped)

    with pytest.raises(ValueError, match="actions must be 3 integers, got "):
        env.step(actions)

    assert contents(env, stepped) == before


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_actions_of_any_integer_type_are_taken(dtype: Any):
    env, _ = started(3)

    env.step(np.full(3, PASS, dtype))
    env.step([PASS, PASS, PASS])

    assert env.states["num_calls"].tolist() == [2, 2, 2]


def test_a_step_before_the_first_reset_is_refused():
    env = SelfPlayVectorEnv(2, seed=0)
    with pytest.raises(RuntimeError, match=r"call reset\(\) before step\(\)"):
        env.step([PASS, PASS])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"num_envs": 2, "threads": 0}, "threads=0"),
        ({"num_envs": 2, "rules": "tarot"}, "unknown rule set 'tarot'"),
        ({"num_envs": 2, "episode": "party"}, "episode='party': use one of 'deal', 'match'"),
        ({"num_envs": 2, "reward": "score"}, "reward='score': use one of 'marks', 'tricks', 'wi"),
        ({"num_envs": 2, "observation": "pixels"}, "observation='pixels': use one of 'flat', '"),
        (
            {"num_envs": 2, "rules": "two_player", "observation": "universal"},
            "observation='universal' is for four players",
        ),
        ({"num_envs": 2, "seed": -1}, "seed=-1: use an integer of zero or more"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        SelfPlayVectorEnv(**arguments)


# Copies and threads --------------------------------------------------------------------------


def test_copied_games_go_on_as_they_did():
    env, (_, mask, *_) = started(8, steps=33, episode="match")
    states, mask = env.clone_state(), mask.copy()

    def go_on(mask: NDArray[np.int8]) -> list[bytes]:
        rng = np.random.default_rng(1)
        seen: list[bytes] = []
        for _ in range(60):
            stepped = env.step(chosen(mask, rng))
            mask = stepped[1]
            seen += map(raw, (env.states, *stepped))
        return seen

    first = go_on(mask)
    other_mask = env.set_state(states)[1]
    np.testing.assert_array_equal(other_mask, mask)
    assert go_on(other_mask) == first


def via_pickle(env: SelfPlayVectorEnv) -> SelfPlayVectorEnv:
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("copied", [via_pickle, copy.deepcopy])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("rules", ["sans_tout_atout", "contree", "two_player"])
def test_a_copy_goes_on_as_the_original(
    rules: str, threads: int, copied: Callable[[SelfPlayVectorEnv], SelfPlayVectorEnv]
):
    env, stepped = started(7, rules, "match", "tricks", steps=25, threads=threads)
    twin = copied(env)
    before, mask = contents(env, stepped), stepped[1].copy()
    rng = np.random.default_rng(2)
    theirs: list[bytes] = []
    actions: list[NDArray[np.int64]] = []
    for _ in range(60):
        actions.append(chosen(mask, rng))
        got = twin.step(actions[-1])
        mask = got[1]
        theirs += contents(twin, got)

    assert contents(env, stepped) == before, "playing the copy leaves the original alone"
    assert [part for a in actions for part in contents(env, env.step(a))] == theirs
    env.close()
    twin.close()


def test_copied_games_are_observed_as_they_were():
    env, (obs, mask, seat, *_) = started(8, steps=33)
    other = SelfPlayVectorEnv(8, seed=1)

    for mine, theirs in zip((obs, mask, seat), other.set_state(env.clone_state()), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(env.state(), other.state())
    other.step(mask.argmax(axis=1))
    assert raw(env.states) != raw(other.states)


@pytest.mark.parametrize(
    "states",
    [
        new_states(2),
        np.zeros(3),
        np.zeros((3, 1), STATE_DTYPE),
        None,
        7,
        [0, 0, 0],
        "states",
        np.ma.array(new_states(3)),
        np.zeros(3, [("seat", np.int8), ("phase", np.int8)]),
    ],
)
def test_what_is_no_copy_of_the_games_is_refused(states: NDArray[Any]):
    env, stepped = started(3)
    before = contents(env, stepped)

    with pytest.raises(
        ValueError, match=r"^states must .* shape \(3,\) and dtype STATE_DTYPE, got .{1,40}$"
    ):
        env.set_state(states)

    assert contents(env, stepped) == before


def test_arrays_to_write_that_share_memory_are_refused():
    env, stepped = started(3)
    before = contents(env, stepped)
    obs, mask, seat, reward, done = (array.copy() for array in stepped)
    actions = mask.argmax(axis=1)
    memory = np.zeros(4, np.int8)
    shared: Any = (obs, mask, memory[:3], reward, memory[1:].view(np.bool_))
    with pytest.raises(ValueError, match=r"^seat and done share memory: give arrays of their own$"):
        env.step(actions, shared)
    masked: Any = (np.ma.array(obs), mask, seat, reward, done)
    with pytest.raises(ValueError, match=r"^obs must be .*, got a masked one: give its data$"):
        env.step(actions, masked)

    assert contents(env, stepped) == before


def test_more_threads_than_games_are_no_more_of_them():
    env = SelfPlayVectorEnv(2, seed=0, threads=10**12)
    assert len(env._shares) == 2
    env.close()


@pytest.mark.parametrize("threads", [2, 4, 9])
@pytest.mark.parametrize("rules", ["classic_annonces", "coinche", "two_player"])
def test_threads_change_nothing(rules: str, threads: int):
    one, alone = started(7, rules, "match", "tricks", steps=120)
    many, shared = started(7, rules, "match", "tricks", steps=120, threads=threads)

    assert contents(one, alone) == contents(many, shared)
    np.testing.assert_array_equal(one.state(), many.state())
    many.close()


def test_nothing_is_known_before_the_first_reset():
    with pytest.raises(RuntimeError, match="call reset\\(\\) before state"):
        SelfPlayVectorEnv(2).state()


def test_there_is_nothing_to_copy_before_the_first_reset():
    with pytest.raises(RuntimeError, match=r"call reset\(\) before clone_state\(\)"):
        SelfPlayVectorEnv(2, seed=1).clone_state()


@pytest.mark.parametrize("number", [None, "4", 2.5, True, -1])
def test_what_is_no_number_is_refused(number: Any):
    with pytest.raises(ValueError, match=r"^num_envs=.*: use a whole number of at least 1"):
        SelfPlayVectorEnv(number)
    with pytest.raises(ValueError, match=r"^threads=.*: use a whole number of at least 1"):
        SelfPlayVectorEnv(2, threads=number)


@pytest.mark.parametrize("value", ["no", 2, None])
def test_what_is_no_flag_is_refused(value: Any):
    with pytest.raises(ValueError, match=r"^canonical_suits=.*: use True or False"):
        SelfPlayVectorEnv(2, canonical_suits=value)


@pytest.mark.parametrize("seed", [True, [1], 1.5, "x"])
def test_a_bad_seed_is_refused_and_nothing_changes(seed: Any):
    env, stepped = started(3, steps=4)
    before = contents(env, stepped)
    with pytest.raises(ValueError, match=r"^seed=.*: use an integer of zero or more, or None"):
        env.reset(seed)

    assert contents(env, stepped) == before


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (3, "out=3: use a list of arrays"),
        ((1, 2), r"out: give five arrays \(obs, mask, seat, reward, done\), got 2"),
        ((1, 2, 3, 4, 5), r"obs must be a writable .* got 1$"),
    ],
)
def test_what_cannot_be_written_into_is_refused(out: Any, message: str):
    env, stepped = started(3, steps=4)
    before = contents(env, stepped)
    with pytest.raises(ValueError, match=f"^{message}"):
        env.step(stepped[1].argmax(axis=1), out=out)
    with pytest.raises(ValueError, match=r"^out must be a writable .* got 3$"):
        env.state(out=wrong(3))

    assert contents(env, stepped) == before


def wrong(value: object) -> Any:
    """A value of a type that the types forbid."""
    return value


@pytest.mark.parametrize("number", [2**63 + 5, 2**64 - 1])
def test_a_large_action_is_named_as_it_was_given(number: int):
    env, _ = started(2)
    with pytest.raises(IllegalActionError, match=rf"illegal action {number} \(outside 0-40\)"):
        env.step(np.array([number, number], np.uint64))


@pytest.mark.parametrize("threads", [1, 2])
def test_nothing_comes_after_close(threads: int):
    env, (_, mask, *_) = started(3, threads=threads)
    states = env.clone_state()
    env.close()
    env.close()
    uses: list[Callable[[], Any]] = [
        lambda: env.step(mask.argmax(axis=1)),
        env.reset,
        env.state,
        env.clone_state,
        lambda: env.set_state(states),
    ]
    for use in uses:
        with pytest.raises(RuntimeError, match=r"^the environment is closed: make another$"):
            use()


@pytest.mark.parametrize(
    ("theirs", "episode", "own"),
    [
        ("contree", "deal", "classic"),
        ("classic", "deal", "contree"),
        ("two_player", "deal", "classic"),
        ("classic", "deal", "two_player"),
        ("classic", "match", "classic"),
    ],
)
def test_copies_of_other_games_are_refused(theirs: str, episode: Any, own: str):
    other, _ = started(8, theirs, episode, steps=100)
    env, stepped = started(8, own, steps=5)
    before = contents(env, stepped)
    with pytest.raises(ValueError, match=rf"^states\[\d\]: \w+=.* cannot be under rules '{own}'"):
        env.set_state(other.clone_state())

    assert contents(env, stepped) == before


@pytest.mark.parametrize(("field", "value"), [("seat", 77), ("phase", 99), ("hands", 0)])
def test_an_impossible_game_is_refused_and_named(field: str, value: int):
    env, stepped = started(3, steps=5)
    before = contents(env, stepped)
    states = env.clone_state()
    states[field][2] = value
    with pytest.raises(ValueError, match=rf"^states\[2\]: {field}="):
        env.set_state(states)

    assert contents(env, stepped) == before


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("settled", [False, True])
def test_a_deal_that_is_over_is_refused_as_a_batch_deals_on(episode: Any, settled: bool):
    game = Game("classic", episode, seed=1)
    while not game.over:
        game.step(game.legal_actions()[-1])
    if settled:
        game.end_deal()
    env, stepped = started(3, "classic", episode, steps=5)
    before = contents(env, stepped)
    states = env.clone_state()
    states[1] = game.state[0]
    with pytest.raises(ValueError, match=r"^states\[1\]: phase=3, its deal is over and the next"):
        env.set_state(states)

    assert contents(env, stepped) == before


def test_every_second_game_of_an_array_is_to_be_copied_first():
    env, _ = started(3, steps=5)
    states = np.repeat(env.clone_state(), 2)[::2]
    with pytest.raises(ValueError, match=r"^states must be C-contiguous: give states.copy\(\)"):
        env.set_state(states)
    env.set_state(states.copy())
