"""The Gymnasium vector environment: the single environment N times, in every autoreset mode."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from belote_env import BeloteEnv, BeloteVectorEnv, IllegalActionError
from belote_env.game import Episode
from belote_env.observation import schema, views
from belote_env.single import worst_return
from tests.agents_for_tests import Cheat, Lowest, Watcher
from tests.playing import pick_each

MODES = [mode.value for mode in AutoresetMode]


def assert_same(ours: Any, theirs: Any) -> None:
    """Compare what two environments return, types and dtypes included."""
    assert type(ours) is type(theirs)
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys()
        for key in ours:
            assert_same(ours[key], theirs[key])
    elif isinstance(ours, tuple) or (isinstance(ours, np.ndarray) and ours.dtype == object):
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    elif isinstance(ours, np.ndarray):
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)
    else:
        assert ours == theirs


def actions_for(
    mask: Any, rng: np.random.Generator, number: int, on_illegal: str
) -> np.ndarray[Any, Any]:
    """Random legal actions, and now and then any actions where they may be forfeited."""
    if on_illegal == "forfeit" and number % 9 == 8:
        return rng.integers(mask.shape[1], size=len(mask))
    return pick_each(mask, rng)


# The same as single environments -------------------------------------------------------------


@pytest.mark.parametrize("on_illegal", ["raise", "forfeit"])
@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("rules", "observation"),
    [
        ("sans_tout_atout", "flat"),
        ("club_501", "universal"),
        ("coinche+announce=choice", "history"),
        ("contree+target=500+dealing=cut", "flat"),
        ("two_player", "flat"),
    ],
)
def test_it_is_n_single_environments(
    rules: str, observation: str, mode: str, episode: Episode, on_illegal: Any
):
    two = rules == "two_player"

    def arguments() -> dict[str, Any]:
        # Agents whose choices follow from what they see, and differ.
        return {
            "rules": rules,
            "episode": episode,
            "reward": "tricks",
            "observation": observation,
            "seat": 1 if two else 2,
            "partner": None if two else Lowest(),
            "opponents": Watcher(),
            "on_illegal": on_illegal,
            "canonical_suits": True,
        }

    ours = BeloteVectorEnv(5, autoreset_mode=mode, **arguments())
    theirs = SyncVectorEnv([lambda: BeloteEnv(**arguments())] * 5, autoreset_mode=mode)
    rng = np.random.default_rng(0)
    returned: Any = ours.reset(seed=7)
    assert_same(returned, theirs.reset(seed=7))
    mask, over, ends = returned[1]["action_mask"], np.zeros(5, np.bool_), 0
    for number in range(250):
        if mode == "Disabled" and over.any():
            options = {"reset_mask": over}
            observations, infos = ours.reset(options=dict(options))
            expected, _ = theirs.reset(options=dict(options))
            assert_same(observations, expected)
            mask = infos["action_mask"]
        actions = actions_for(mask, rng, number, on_illegal)
        returned = ours.step(actions)
        assert_same(returned, theirs.step(actions))
        mask, over = returned[4]["action_mask"], returned[2]
        ends += over.sum()
    assert ends > 5


@pytest.mark.parametrize("seat", [1, "random"])
@pytest.mark.parametrize("rules", ["classic", "contree", "two_player"])
def test_one_environment_is_the_single_one_with_the_random_agent_too(rules: str, seat: Any):
    ours, theirs = BeloteVectorEnv(1, rules, seat=seat), BeloteEnv(rules, seat=seat)
    rng = np.random.default_rng(0)
    observations, infos = ours.reset(seed=3)
    observation, info = theirs.reset(seed=3)
    for _ in range(100):
        assert np.array_equal(observations[0], observation)
        assert np.array_equal(infos["action_mask"][0], info["action_mask"])
        actions = pick_each(infos["action_mask"], rng)
        observations, rewards, ended, _, infos = ours.step(actions)
        observation, reward, over, _, info = theirs.step(int(actions[0]))
        assert (rewards[0], ended[0]) == (reward, over)
        if over:
            observations, _, _, _, infos = ours.step(actions)
            observation, info = theirs.reset()


def test_a_seed_decides_everything_and_none_goes_on():
    def line(games: BeloteVectorEnv, seed: int | None) -> list[bytes]:
        rng = np.random.default_rng(0)
        observations, infos = games.reset(seed=seed)
        seen = [observations.tobytes()]
        for _ in range(30):
            observations, *_, infos = games.step(pick_each(infos["action_mask"], rng))
            seen.append(observations.tobytes())
        return seen

    games = BeloteVectorEnv(4, seat="random")
    first, second = line(games, 1), line(games, None)
    assert second != first
    assert (line(games, 1), line(games, None)) == (first, second)
    assert line(BeloteVectorEnv(4, seat="random"), 1) == first
    assert line(games, 2) != first
    assert line(BeloteVectorEnv(4), None) != line(BeloteVectorEnv(4), None)


def via_pickle(games: BeloteVectorEnv) -> BeloteVectorEnv:
    return pickle.loads(pickle.dumps(games))


@pytest.mark.parametrize("copied", [via_pickle, copy.deepcopy])
def test_a_copy_goes_on_as_the_original(copied: Callable[[BeloteVectorEnv], BeloteVectorEnv]):
    games = BeloteVectorEnv(4, episode="match", seat="random", reward="tricks")
    _, infos = games.reset(seed=0)
    *_, infos = games.step(infos["action_mask"].argmax(axis=1))
    twins = copied(games)
    rng = np.random.default_rng(0)
    for _ in range(60):
        actions = pick_each(infos["action_mask"], rng)
        returned = games.step(actions)
        assert_same(twins.step(actions), returned)
        infos = returned[4]


# Autoreset -----------------------------------------------------------------------------------


def play_to_an_end(games: BeloteVectorEnv, seed: int = 0) -> tuple[Any, ...]:
    """Step until some episodes, not all, end."""
    rng = np.random.default_rng(seed)
    _, infos = games.reset(seed=seed)
    while True:
        returned = games.step(pick_each(infos["action_mask"], rng))
        infos = returned[4]
        if returned[2].any():
            assert not returned[2].all()
            return returned


def phases(observations: Any) -> list[str]:
    """Where each observed deal stands."""
    names = ("round 1", "round 2", "play", "belote", "rebelote", "annonces", "over")
    parts = views(observations, schema("classic"))
    return [names[column] for column in parts["phase"].argmax(axis=1)]


def test_next_step_shows_the_end_and_then_ignores_an_action():
    games = BeloteVectorEnv(6)
    observations, rewards, ended, truncated, infos = play_to_an_end(games)

    assert games.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert {*np.array(phases(observations))[ended]} == {"over"}
    assert rewards[ended].all()
    assert not truncated.any()
    assert not infos["action_mask"][ended].any()
    actions = pick_each(infos["action_mask"], np.random.default_rng(1))
    actions[ended] = -5
    observations, rewards, over, _, infos = games.step(actions)
    assert {*np.array(phases(observations))[ended]} <= {"round 1", "play"}
    assert not rewards[ended].any()
    assert not over[ended].any()
    assert infos["action_mask"][ended].any(axis=1).all()
    assert not views(observations, schema("classic"))["played"][ended][:, 0].any()


def test_same_step_shows_the_end_in_final_obs_and_begins_anew():
    games = BeloteVectorEnv(6, autoreset_mode=AutoresetMode.SAME_STEP)
    observations, rewards, ended, truncated, infos = play_to_an_end(games)

    assert games.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert rewards[ended].all()
    assert not truncated.any()
    final = infos["final_obs"]
    assert [row is not None for row in final] == ended.tolist()
    assert {*phases(np.stack(final[ended]))} == {"over"}
    assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == ended.tolist()
    assert not infos["final_info"]["action_mask"].any()
    assert {*np.array(phases(observations))[ended]} <= {"round 1", "play"}
    assert infos["action_mask"].any(axis=1).all()
    kept = [None if row is None else row.copy() for row in final]
    games.step(pick_each(infos["action_mask"], np.random.default_rng(1)))
    assert all(np.array_equal(a, b) for a, b in zip(final, kept, strict=True) if b is not None)


def test_disabled_waits_for_a_reset_with_a_mask():
    games = BeloteVectorEnv(6, autoreset_mode="Disabled")
    observations, _, ended, _, infos = play_to_an_end(games)

    assert games.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    assert {*np.array(phases(observations))[ended]} == {"over"}
    waiting = ended.nonzero()[0].tolist()
    with pytest.raises(ResetNeeded, match=str(waiting).replace("[", r"\[")):
        games.step(pick_each(infos["action_mask"], np.random.default_rng(1)))
    after, infos = games.reset(options={"reset_mask": ended})
    assert np.array_equal(after[~ended], observations[~ended])
    assert {*np.array(phases(after))[ended]} <= {"round 1", "play"}
    assert infos["action_mask"].any(axis=1).all()
    games.step(pick_each(infos["action_mask"], np.random.default_rng(1)))


@pytest.mark.parametrize("seed", [None, 11])
def test_a_reset_with_a_mask_deals_to_the_chosen_alone(seed: int | None):
    games = BeloteVectorEnv(4, partner=Watcher(), opponents=Watcher())
    whole = BeloteVectorEnv(4, partner=Watcher(), opponents=Watcher())
    before, _ = games.reset(seed=1)
    whole.reset(seed=1)
    chosen = np.array([True, False, False, True])
    after, _ = games.reset(seed=seed, options={"reset_mask": chosen})
    expected, _ = whole.reset(seed=seed)

    assert np.array_equal(after[~chosen], before[~chosen])
    assert np.array_equal(after[chosen], expected[chosen])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mask": np.ones(3, np.bool_)}, r"unknown options \['mask'\]"),
        ({"reset_mask": np.ones(4, np.bool_)}, "3 booleans"),
        ({"reset_mask": np.ones(3, np.int8)}, "3 booleans"),
        ({"reset_mask": np.zeros(3, np.bool_)}, "one of them True"),
    ],
)
def test_a_bad_option_is_refused_and_nothing_changes(options: dict[str, Any], message: str):
    games = BeloteVectorEnv(3)
    games.reset(seed=0)
    before = games.states.tobytes()
    with pytest.raises(ValueError, match=message):
        games.reset(seed=1, options=options)

    assert games.states.tobytes() == before


@pytest.mark.parametrize("mode", MODES)
def test_episode_statistics_are_recorded(mode: str):
    games: Any = RecordEpisodeStatistics(BeloteVectorEnv(4, reward="tricks", autoreset_mode=mode))
    rng = np.random.default_rng(0)
    _, infos = games.reset(seed=0)
    returns, lengths, episodes = np.zeros(4), np.zeros(4, int), 0
    over = np.zeros(4, np.bool_)
    for _ in range(120):
        if mode == "Disabled" and over.any():
            _, infos = games.reset(options={"reset_mask": over})
        played = ~over if mode == "NextStep" else np.ones(4, np.bool_)
        _, rewards, over, _, infos = games.step(pick_each(infos["action_mask"], rng))
        returns += rewards
        lengths += played
        if over.any():
            assert infos["_episode"].tolist() == over.tolist()
            assert infos["episode"]["r"][over] == pytest.approx(returns[over])
            assert infos["episode"]["l"][over].tolist() == lengths[over].tolist()
            episodes += over.sum()
            returns[over], lengths[over] = 0, 0
    assert games.episode_count == episodes > 20


@pytest.mark.parametrize(
    ("rules", "seats_drawn"), [("classic", {0, 1, 2, 3}), ("two_player", {0, 1})]
)
def test_a_random_seat_is_drawn_for_each_episode(rules: str, seats_drawn: set[int]):
    games = BeloteVectorEnv(8, rules, seat="random", autoreset_mode="SameStep")
    rng = np.random.default_rng(0)
    _, infos = games.reset(seed=0)
    seats = [games.seats.copy()]
    for _ in range(120):
        _, _, over, _, infos = games.step(pick_each(infos["action_mask"], rng))
        assert np.array_equal(games.states["seat"], games.seats)
        assert np.array_equal(games.seats[~over], seats[-1][~over])
        seats.append(games.seats.copy())
    assert all(len({*column}) > 1 for column in np.array(seats).T.tolist())
    assert {*np.array(seats).flat} == seats_drawn


# Actions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("canonical_suits", [False, True])
def test_an_illegal_action_is_named_and_nothing_changes(canonical_suits: bool):
    games = BeloteVectorEnv(3, seat=2, canonical_suits=canonical_suits)
    _, infos = games.reset(seed=0)
    before = games.states.tobytes()
    legal = infos["action_mask"].argmax(axis=1)
    for i in range(3):
        for action in [*(infos["action_mask"][i] == 0).nonzero()[0], -1, 41, 109]:
            actions = legal.copy()
            actions[i] = action
            with pytest.raises(IllegalActionError, match=f"environment {i}: seat 2: illegal"):
                games.step(actions)
            assert games.states.tobytes() == before
    games.step(legal)


def test_a_forfeit_ends_the_episode_at_the_worst_return():
    games = BeloteVectorEnv(4, reward="tricks", on_illegal="forfeit")
    rng = np.random.default_rng(0)
    _, infos = games.reset(seed=0)
    returns = np.zeros(4)
    for _ in range(6):
        _, rewards, over, _, infos = games.step(pick_each(infos["action_mask"], rng))
        returns += rewards
        assert not over.any()
    assert returns.any()
    actions = pick_each(infos["action_mask"], rng)
    actions[1], actions[3] = infos["action_mask"][1].argmin(), -7
    observations, rewards, over, _, infos = games.step(actions)

    assert over.tolist() == [False, True, False, True]
    worst = worst_return(games.rules, "deal", "tricks")
    assert (returns + rewards)[over] == pytest.approx([worst, worst])
    assert infos["action_mask"].any(axis=1).tolist() == (~over).tolist()
    assert games.observation_space.contains(observations)
    _, rewards, over, _, infos = games.step(pick_each(infos["action_mask"], rng))
    assert infos["action_mask"][[1, 3]].any(axis=1).all()
    assert not over[[1, 3]].any()
    assert not rewards[[1, 3]].any()


@pytest.mark.parametrize(
    "actions",
    [
        [32, 32],
        [[32, 32, 32]],
        [32.0] * 3,
        [True] * 3,
        ["pass"] * 3,
        32,
        [[1], [2, 3], []],
        np.ma.array([32, 32, 32], mask=[False, True, False]),
    ],
)
def test_actions_of_a_wrong_shape_or_type_are_refused(actions: Any):
    games = BeloteVectorEnv(3)
    games.reset(seed=0)
    with pytest.raises(ValueError, match="actions must be 3 integers"):
        games.step(actions)


def test_a_ragged_reset_mask_is_refused():
    with pytest.raises(ValueError, match=r"^reset_mask must be 2 booleans"):
        BeloteVectorEnv(2).reset(options={"reset_mask": [[True], [True, False]]})


def test_a_step_before_the_first_reset_is_refused():
    with pytest.raises(ResetNeeded, match=r"^call reset\(\) before step\(\)$"):
        BeloteVectorEnv(2).step([32, 32])


@pytest.mark.parametrize(
    ("rules", "name", "seats"),
    [
        ("classic", "partner", "2"),
        ("contree", "opponents", "[13]"),
        ("two_player", "opponents", "1"),
    ],
)
def test_an_agent_that_cheats_is_named(rules: str, name: str, seats: str):
    agents: Any = {name: Cheat()}
    games = BeloteVectorEnv(4, rules, **agents)
    named = rf"^environment \d: {name}=<.*Cheat.*>: seat {seats}: illegal action .*; legal are \d+"
    with pytest.raises(IllegalActionError, match=named):
        games.reset(seed=0)
    with pytest.raises(ResetNeeded, match=r"\[0, 1, 2, 3\]"):
        games.step([32, 32, 32, 32])


@pytest.mark.parametrize("returned", [np.zeros(2), np.zeros((4, 1), int), None, [[1], [1, 2]]])
def test_an_agent_that_answers_with_something_else_is_named(returned: Any):
    class Odd(Lowest):
        def act_batch(self, observations: Any, masks: Any) -> Any:
            return returned

    games = BeloteVectorEnv(4, opponents=Odd())
    with pytest.raises(ValueError, match=r"Odd object.*act_batch must return \d integers, got "):
        games.reset(seed=0)


# The rest ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"seat": 4}, "seat=4"),
        ({"rules": "two_player", "seat": 3}, "seat=3: use 0, 1 or 'random'"),
        ({"rules": "two_player", "partner": Lowest()}, "^partner=.*have none, leave it at None"),
        ({"rules": "two_player", "observation": "universal"}, "observation='universal' is for fo"),
        ({"on_illegal": "ignore"}, "on_illegal='ignore'"),
        ({"observation": "pixels"}, "observation='pixels'"),
        ({"render_mode": "rgb"}, "render_mode='rgb'"),
        (
            {"autoreset_mode": "Later"},
            "autoreset_mode='Later': use one of 'NextStep', 'S",
        ),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        BeloteVectorEnv(**arguments)


def test_every_table_is_drawn(capsys: pytest.CaptureFixture[str]):
    games = BeloteVectorEnv(3, render_mode="ansi")
    games.reset(seed=0)
    single = BeloteEnv(render_mode="ansi")
    pictures = games.render()

    assert pictures is not None
    assert len({*pictures}) == 3
    single.reset(seed=0)
    printing = BeloteVectorEnv(2, render_mode="human")
    printing.reset(seed=0)
    assert printing.render() == (None, None)
    assert capsys.readouterr().out.count("classic\n") == 2


@pytest.mark.parametrize("number", [None, "4", 2.5, True])
def test_what_is_no_number_is_refused(number: Any):
    with pytest.raises(ValueError, match=r"^num_envs=.*: use a whole number of at least 1"):
        BeloteVectorEnv(number)


@pytest.mark.parametrize("seat", [1.0, True, None, [0]])
def test_what_is_no_seat_is_refused(seat: Any):
    with pytest.raises(ValueError, match=r"^seat=.*: use 0, 1, 2, 3 or 'random'"):
        BeloteVectorEnv(2, seat=seat)


def test_seeds_of_any_integer_type_are_taken():
    seed: Any = np.int64(5)
    first, _ = BeloteVectorEnv(3).reset(seed=seed)
    second, _ = BeloteVectorEnv(3).reset(seed=5)

    assert np.array_equal(first, second)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seed": True}, "seed=True: use an integer of zero or more"),
        ({"options": "abc"}, "options='abc': use a dict"),
        ({"options": [1]}, r"options=\[1\]: use a dict"),
        ({"options": {1: 2, "x": 3}}, r"unknown options \['x', 1\]: use 'reset_mask'"),
    ],
)
def test_a_bad_reset_is_refused_and_nothing_changes(given: dict[str, Any], message: str):
    games = BeloteVectorEnv(3)
    _, infos = games.reset(seed=0)
    before = games.states.tobytes()
    with pytest.raises(ValueError, match=f"^{message}"):
        games.reset(**given)

    assert games.states.tobytes() == before
    games.step(pick_each(infos["action_mask"], np.random.default_rng(0)))


def test_no_table_is_drawn_before_the_first_reset():
    with pytest.raises(ResetNeeded, match=r"^call reset\(\) before render\(\)$"):
        BeloteVectorEnv(2, render_mode="ansi").render()


@pytest.mark.parametrize("answer", [None, "x", 1.5, True, [1, 2], 2**70])
@pytest.mark.parametrize(("name", "seats"), [("partner", "2"), ("opponents", "[13]")])
def test_an_agent_that_acts_with_something_else_is_named(name: str, seats: str, answer: Any):
    class Odd(Lowest):
        def act(self, observation: Any, mask: Any, info: Any) -> Any:
            return answer

    others: Any = {"partner": Lowest(), "opponents": Lowest(), name: Odd()}
    games = BeloteVectorEnv(4, **others)
    fault = "no integer|outside 0-108"
    named = rf"^environment \d: {name}=<.*Odd object.*>: seat {seats}: action .* is ({fault})$"
    with pytest.raises(IllegalActionError, match=named):
        play_to_an_end(games)
    with pytest.raises(ResetNeeded, match=r"\[0, 1, 2, 3\]"):
        games.step([32] * 4)


def test_a_large_action_is_named_as_it_was_given():
    games = BeloteVectorEnv(2)
    games.reset(seed=0)
    with pytest.raises(IllegalActionError, match=rf"illegal action {2**63 + 5} \(outside"):
        games.step(np.array([2**63 + 5] * 2, np.uint64))
