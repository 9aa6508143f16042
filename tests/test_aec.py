"""The PettingZoo environment: PettingZoo's own tests, and what they do not look at."""

# pyright: reportMissingTypeStubs=false

from __future__ import annotations

import copy
import pickle
import random
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete
from pettingzoo.test import api_test, render_test, seed_test

from belote_env import Game, IllegalActionError, SelfPlayVectorEnv, env, raw_env
from belote_env.actions import NUM_ACTIONS
from belote_env.aec import AGENTS, Snapshot
from belote_env.checks import ResetNeededError
from belote_env.engine.state import new_states
from belote_env.game import Episode
from belote_env.observation import num_actions, schema, views
from belote_env.record import DealRecord, MatchRecord, format
from belote_env.rules import PRESETS, resolve
from tests.observing import forms
from tests.playing import pick, play_on
from tests.property.strategies import PRESETS_AND_SPEECH

DICT_OBSERVATION_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or"
    " gymnasium.spaces.discrete",
}
"""What api_test says of every third-party environment whose observation holds an action mask."""

HANDS = [
    ["AS", "TS", "KS", "QS", "JS"],
    ["9S", "8S", "7S", "AH", "TH"],
    ["KH", "QH", "9H", "8H", "7H"],
    ["AD", "TD", "KD", "QD", "JD"],
]


def started(*args: Any, seed: int = 0, steps: int = 0, **kwargs: Any) -> raw_env:
    """An environment after some random steps."""
    table = raw_env(*args, **kwargs)
    table.reset(seed=seed)
    play_on(table, random.Random(seed), steps)
    return table


def books(table: Any) -> tuple[Any, ...]:
    """All that a refused action must leave as it is."""
    return (
        table.unwrapped.game.state.tobytes(),
        *map(dict, (table.rewards, table.terminations, table.truncations)),
        dict(table._cumulative_rewards),
        {agent: info["action_mask"].tobytes() for agent, info in table.infos.items()},
        list(table.agents),
        table.agent_selection,
    )


# PettingZoo's tests --------------------------------------------------------------------------


RULES_AND_FORMS = [(rules, form) for rules in PRESETS_AND_SPEECH for form in forms(rules)]


def assert_api_is_pettingzoos(table: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(table)

    assert {str(warning.message) for warning in caught} == DICT_OBSERVATION_WARNINGS


@pytest.mark.parametrize(("rules", "observation"), RULES_AND_FORMS)
def test_the_api_is_pettingzoos(rules: str, observation: str):
    assert_api_is_pettingzoos(env(rules, observation=observation))


@pytest.mark.parametrize("dealing", ["shuffle", "cut"])
@pytest.mark.parametrize("rules", PRESETS)
def test_the_api_of_a_match_is_pettingzoos(rules: str, dealing: str):
    assert_api_is_pettingzoos(env(resolve(rules).replace(dealing=dealing), episode="match"))


@pytest.mark.parametrize(("rules", "observation"), RULES_AND_FORMS)
def test_a_seed_decides_everything(rules: str, observation: str):
    seed_test(lambda: env(rules, observation=observation))


@pytest.mark.parametrize("rules", PRESETS_AND_SPEECH)
def test_every_mode_renders(rules: str):
    def make(render_mode: str | None = None) -> Any:
        return env(rules, render_mode=render_mode)

    render_test(make)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("step", [32]),
        ("last", []),
        ("observe", ["player_0"]),
        ("state", []),
        ("render", []),
        ("clone_state", []),
    ],
)
def test_nothing_comes_before_the_first_reset(call: str, arguments: list[Any]):
    with pytest.raises(RuntimeError, match=rf"^call reset\(\) before {call}\(\)$"):
        getattr(raw_env(), call)(*arguments)
    table: Any = env(render_mode="ansi")
    with pytest.raises(RuntimeError, match=rf"^call reset\(\) before {call}\(\)$"):
        getattr(table, call)(*arguments)
    table.reset(seed=0)
    getattr(table, call)(*arguments)


@pytest.mark.parametrize(
    "name",
    [
        "agents",
        "agent_selection",
        "infos",
        "num_agents",
        "rewards",
        "terminations",
        "truncations",
    ],
)
def test_there_are_no_books_before_the_first_reset(name: str):
    table: Any = env()
    assert not hasattr(table, name)
    with pytest.raises(AttributeError, match=rf"^call reset\(\) before {name}$"):
        getattr(table, name)
    table.reset(seed=0)
    getattr(table, name)
    with pytest.raises(AttributeError, match="no attribute 'agent'"):
        _ = table.agent


def test_nobody_takes_turns_before_the_first_reset():
    with pytest.raises(RuntimeError, match=r"^call reset\(\) before agent_iter\(\)$"):
        env().agent_iter()
    with pytest.raises(RuntimeError, match=r"^call reset\(\) before agent_iter\(\)$"):
        raw_env().agent_iter()


def test_a_copied_state_takes_the_place_of_a_reset():
    table: Any = env()
    table.set_state(started(seed=1, steps=9).clone_state())
    twin = started(seed=1, steps=9)

    assert play_on(table, random.Random(0)) == play_on(twin, random.Random(0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": None}, "rules=None: use a rule set or its id"),
        ({"observation": []}, r"observation=\[\]: use one of 'flat', 'universal', 'history'"),
        ({"observation": None}, "observation=None: use one of"),
        ({"episode": ["deal"]}, r"episode=\['deal'\]: use one of 'deal', 'match'"),
        ({"reward": 1}, "reward=1: use one of 'marks'"),
        ({"canonical_suits": "no"}, "canonical_suits='no': use True or False"),
        ({"canonical_suits": 2}, "canonical_suits=2: use True or False"),
        ({"render_mode": ["ansi"]}, r"render_mode=\['ansi'\]: use None or one of 'ansi', 'human'"),
    ],
)
def test_arguments_of_a_wrong_type_are_refused(arguments: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=f"^{message}"):
        env(**arguments)


@pytest.mark.parametrize("agent", ["x", "player_4", 0, None, []])
@pytest.mark.parametrize("space", ["action_space", "observation_space"])
def test_only_agents_of_the_table_have_spaces(space: str, agent: Any):
    with pytest.raises(ValueError, match=r"^agent=.*: use one of 'player_0', 'player_1', "):
        getattr(env(), space)(agent)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"options": "abc"}, "options='abc': use a dict of options by name"),
        ({"options": [1]}, r"options=\[1\]: use a dict"),
        ({"options": {1: 2, "x": 3}}, r"unknown options \['x', 1\]"),
        ({"options": {"hands": None, "dealer": 0}}, "hands=None: use a list of"),
        ({"options": {"hands": [None] * 4, "dealer": 0}}, "hand of seat 0=None: use a list of"),
        ({"options": {"hands": [[1] * 5] * 4, "dealer": 0}}, "hand of seat 0: 1 is no card"),
        ({"options": {"hands": HANDS, "dealer": True}}, "dealer=True: use a seat 0-3"),
        ({"options": {"record": 3}}, "record=3: use a record"),
        ({"seed": True}, "seed=True: use an integer of zero or more"),
        ({"seed": [1]}, r"seed=\[1\]: use an integer"),
        ({"seed": 1.0}, "seed=1.0: use an integer"),
    ],
)
def test_a_bad_reset_changes_nothing(given: dict[str, Any], message: str):
    table = started(seed=1, steps=9)
    before = books(table)
    with pytest.raises(ValueError, match=f"^{message}"):
        table.reset(**given)

    assert books(table) == before


@pytest.mark.parametrize("seed", [7, np.int64(7), np.uint8(7)])
def test_seeds_of_any_integer_type_are_taken(seed: Any):
    table = raw_env()
    table.reset(seed=seed)

    assert books(table) == books(started(seed=7))


# Spaces and names ----------------------------------------------------------------------------


def test_metadata_and_agents():
    table = started()

    assert table.metadata["name"] == str(table) == "belote_v0"
    assert table.metadata["is_parallelizable"] is False
    assert table.metadata["render_fps"] > 0
    assert table.possible_agents == table.agents == [f"player_{seat}" for seat in range(4)]
    assert started("two_player").possible_agents == ["player_0", "player_1"]


@pytest.mark.parametrize("canonical_suits", [False, True])
@pytest.mark.parametrize(("rules", "observation"), RULES_AND_FORMS)
def test_everything_lies_in_its_space(rules: str, observation: str, canonical_suits: bool):
    table = started(rules, observation=observation, canonical_suits=canonical_suits)
    assert table.action_space("player_0") == Discrete(num_actions(table.game.rules, observation))
    rng = random.Random(0)
    while not any(table.terminations.values()):
        for agent in table.possible_agents:
            assert table.observation_space(agent).contains(table.observe(agent))
        assert table.state_space.contains(table.state())
        table.step(pick(table.last()[4]["action_mask"], rng))
    for agent in table.possible_agents:
        assert table.observation_space(agent).contains(table.observe(agent))
    assert table.state_space.contains(table.state())


def test_what_was_handed_out_is_never_written_again():
    table: Any = started(seed=3)
    kept = [table.last() for _ in range(2)]
    before = [(o["observation"].tobytes(), i["action_mask"].tobytes()) for o, _, _, _, i in kept]
    masks = [o["action_mask"].tobytes() for o, *_ in kept]
    play_on(table, random.Random(0), 20)

    after = [(o["observation"].tobytes(), i["action_mask"].tobytes()) for o, _, _, _, i in kept]
    assert after == before
    assert [o["action_mask"].tobytes() for o, *_ in kept] == masks
    assert not np.shares_memory(kept[0][0]["observation"], kept[1][0]["observation"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "belot"}, "unknown rule set 'belot'"),
        ({"episode": "party"}, "episode='party'"),
        ({"reward": "points"}, "reward='points'"),
        ({"observation": "pixels"}, "observation='pixels': use one of 'flat', 'universal', 'his"),
        (
            {"rules": "two_player", "observation": "universal"},
            "observation='universal' is for four players, and rules 'two_player' have 2",
        ),
        ({"render_mode": "rgb"}, "render_mode='rgb'"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        raw_env(**arguments)


# Deals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize(("rules", "observation"), RULES_AND_FORMS)
def test_it_plays_as_environment_0_of_a_batch(rules: str, observation: str, episode: Episode):
    if episode == "match":
        rules += "+dealing=cut"
    settings: Any = {"canonical_suits": True, "observation": observation}
    table = raw_env(rules, episode, "tricks", **settings)
    batch = SelfPlayVectorEnv(2, rules, episode, "tricks", seed=5, **settings)
    rng = random.Random(0)
    obs, mask, seat = batch.reset()
    for number in range(3 if episode == "deal" else 1):
        table.reset(seed=5 if number == 0 else None)
        done = False
        while not done:
            seen, *_ = table.last()
            assert table.agent_selection == AGENTS[seat[0]]
            assert seen is not None
            assert np.array_equal(seen["observation"], obs[0])
            assert np.array_equal(seen["action_mask"], mask[0])
            assert np.array_equal(table.state(), batch.state()[0])
            actions = [pick(row, rng) for row in mask]
            obs, mask, seat, reward, dones = batch.step(actions)
            table.step(actions[0])
            assert list(table.rewards.values()) == reward[0].tolist()
            done = bool(dones[0])
            assert list(table.terminations.values()) == [done] * len(table.possible_agents)


def test_a_reset_without_a_seed_goes_on_with_the_stream_and_one_with_a_seed_starts_it():
    table = raw_env()

    def hands(seed: int | None) -> bytes:
        table.reset(seed=seed)
        return table.game.state["hands"].tobytes()

    first = [hands(7), hands(None), hands(None)]
    again = [hands(7), hands(None), hands(None)]
    assert again == first
    assert len({*first, hands(8)}) == 4


def test_without_any_seed_every_environment_is_dealt_something_else():
    tables = [raw_env(), raw_env()]
    for table in tables:
        table.reset()

    decks = [table.game.state["deck"].tobytes() for table in tables]
    assert decks[0] != decks[1]


def test_a_reset_with_a_seed_keeps_rules_and_options():
    table = raw_env("sans_tout_atout+announce=choice", "match", "tricks", canonical_suits=True)
    size = table.observation_space("player_0")
    for seed in (None, 1):
        table.reset(seed=seed)
        assert table.game.rules.id == "sans_tout_atout+announce=choice"
        assert table.observation_space("player_0") is size
        assert table.observation_space("player_0").contains(table.observe("player_0"))
        line = play_on(table, random.Random(0))
        assert len(line) > 100, "a match has more than one deal"


# Rewards and the end -------------------------------------------------------------------------


@pytest.mark.parametrize("reward", ["marks", "tricks", "win"])
@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("rules", PRESETS_AND_SPEECH)
def test_all_seats_take_the_margin_of_their_side(rules: str, episode: Episode, reward: str):
    for seed in range(3):
        table = raw_env(rules, episode, reward)
        table.reset(seed=seed)
        taken = dict.fromkeys(table.possible_agents, 0.0)
        for agent, _, _, gain, *_ in play_on(table, random.Random(seed)):
            taken[agent] += gain
        state = table.game.state[0]
        ours, theirs = state["marks" if episode == "deal" else "scores"].tolist()
        margin = (ours - theirs) / 162
        if reward == "win":
            winner = {-1: 0.0, 0: 1.0, 1: -1.0}[int(state["winner"])]
            margin = float(np.sign(margin)) if episode == "deal" else winner
        sides = {agent: margin if agent in ("player_0", "player_2") else -margin for agent in taken}
        assert taken == pytest.approx(sides, abs=1e-4)
        assert all(type(value) is float for value in taken.values())


@pytest.mark.parametrize("rules", ["classic", "contree", "two_player"])
def test_rewards_come_with_the_last_card_and_reach_those_who_played_before_it(rules: str):
    table = started(rules, seed=1)
    seats = len(table.possible_agents)
    rng = random.Random(1)
    while not any(table.terminations.values()):
        _, reward, termination, truncation, info = table.last()
        assert (reward, termination, truncation) == (0.0, False, False)
        assert set(table.rewards.values()) == {0.0}
        table.step(pick(info["action_mask"], rng))

    assert table.game.state["num_played"][0] == 32
    assert all(type(flag) is bool for flag in table.terminations.values())
    assert list(table.terminations.values()) == [True] * seats
    assert list(table.truncations.values()) == [False] * seats
    margin = float(np.diff(table.game.state["marks"][0])[0]) / 162
    drained: list[tuple[str, float]] = []
    for agent in table.agent_iter():
        observation, reward, termination, _, info = table.last()
        assert observation is not None
        assert termination
        assert not observation["action_mask"].any()
        assert not info["action_mask"].any()
        drained.append((agent, reward))
        table.step(None)
    assert [agent for agent, _ in drained] == list(AGENTS[:seats])
    assert [gain for _, gain in drained] == pytest.approx([-margin, margin] * (seats // 2))
    assert margin != 0
    assert table.agents == []


@pytest.mark.parametrize("rules", ["club_501", "contree", "two_player"])
def test_a_match_pays_at_the_end_of_each_deal(rules: str):
    table = started(rules, episode="match", seed=2)
    rng = random.Random(2)
    payments = 0
    while not any(table.terminations.values()):
        scores = table.game.state["scores"][0].astype(int)
        table.step(pick(table.last()[4]["action_mask"], rng))
        gained = table.game.state["scores"][0] - scores
        ours, theirs = ((gained[0] - gained[1]) / 162, (gained[1] - gained[0]) / 162)
        sides = [ours, theirs] * (len(table.possible_agents) // 2)
        assert list(table.rewards.values()) == pytest.approx(sides)
        payments += bool(gained.any())
    assert payments == table.game.state["deals_played"][0] > 2


def test_a_dead_agent_is_stepped_with_none_only():
    table = started(steps=3)
    rng = random.Random(0)
    while not any(table.terminations.values()):
        table.step(pick(table.last()[4]["action_mask"], rng))

    with pytest.raises(ValueError, match="only valid action is None"):
        table.step(0)


@pytest.mark.parametrize(("rules", "passes"), [("classic", 8), ("contree", 4), ("two_player", 4)])
def test_a_void_deal_ends_with_nothing(rules: str, passes: int):
    table = started(rules)
    seats = len(table.possible_agents)
    for _ in range(passes):
        assert list(table.terminations.values()) == [False] * seats
        table.step(32)

    assert list(table.terminations.values()) == [True] * seats
    assert [reward for _, _, _, reward, *_ in play_on(table, random.Random(0))] == [0.0] * seats


def test_ten_thousand_episodes():
    table = raw_env("classic_annonces")
    rng = random.Random(0)
    returns = np.zeros(2)
    for episode in range(10_000):
        table.reset(seed=0 if episode == 0 else None)
        while not table.terminations["player_0"]:
            table.step(pick(table.infos[table.agent_selection]["action_mask"], rng))
        returns += table.rewards["player_0"], table.rewards["player_1"]
        assert table.game.over

    assert returns[0] == -returns[1]
    assert table.game.state["deal"][0] == 10_000


# Starting from a given deal ------------------------------------------------------------------


def test_it_deals_given_hands():
    table = raw_env()
    table.reset(seed=1, options={"hands": HANDS, "dealer": 2, "turned": "JH"})

    record = DealRecord.from_game(table.game)
    assert (record.hands, record.dealer, record.turned) == (HANDS, 2, "JH")
    assert table.agent_selection == "player_3"
    play_on(table, random.Random(0))


def test_cards_left_open_are_drawn_from_the_stream():
    def decks(seed: int) -> list[bytes]:
        table = raw_env()
        drawn: list[bytes] = []
        for k in range(3):
            table.reset(seed if k == 0 else None, {"hands": HANDS, "dealer": 0})
            drawn.append(table.game.state["deck"].tobytes())
        return drawn

    assert decks(1) == decks(1)
    assert len({*decks(1), *decks(2)}) == 6


def test_a_given_deal_takes_the_place_of_the_streams_next():
    table, plain = raw_env(), raw_env()
    table.reset(seed=3, options={"hands": HANDS, "dealer": 0})
    table.reset()
    plain.reset(seed=3)
    plain.reset()

    assert table.game.state.tobytes() == plain.game.state.tobytes()


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("steps", [0, 3, 20, 33])
@pytest.mark.parametrize("rules", ["classic_annonces", "coinche", "two_player"])
def test_it_goes_on_from_a_recorded_position(rules: str, steps: int, as_text: bool):
    rules += "+announce=choice"
    played = started(rules, seed=6, steps=steps)
    record = DealRecord.from_game(played.game)
    table = raw_env(rules)
    table.reset(options={"record": format(record) if as_text else record})

    assert DealRecord.from_game(table.game) == record
    assert play_on(table, random.Random(1)) == play_on(played, random.Random(1))


def test_a_match_goes_on_from_its_record():
    game = Game("club_501", "match", seed=0)
    rng = random.Random(0)
    while not game.over:
        game.step(rng.choice(game.legal_actions()))
    record = MatchRecord.from_deals([DealRecord.from_game(game)])
    table = raw_env("club_501", episode="match")
    table.reset(seed=4, options={"record": record})
    game.end_deal()

    assert table.game.state["scores"].tolist() == game.state["scores"].tolist()
    assert table.game.state["dealer"] == game.state["dealer"]
    assert table.game.state["num_calls"] == 0
    assert len(play_on(table, rng)) > 40


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hand": HANDS}, r"unknown options \['hand'\]"),
        ({"hands": HANDS}, r"need \['dealer'\]"),
        ({"turned": "JH"}, r"need \['dealer', 'hands'\]"),
        ({"hands": HANDS, "dealer": 4}, "dealer=4: use a seat"),
        ({"hands": [HANDS[0]] * 4, "dealer": 0}, "AS was given before"),
        ({"record": "{}"}, "'rules' is missing"),
        ({"record": 7}, "record=7"),
        ({"record": "{}", "dealer": 1}, r"leave out \['dealer'\]"),
    ],
)
def test_a_bad_option_is_refused_and_nothing_changes(options: dict[str, Any], message: str):
    table = started(steps=7)
    before = books(table)
    with pytest.raises(ValueError, match=message):
        table.reset(seed=99, options=options)

    assert books(table) == before


def test_a_record_of_other_rules_or_of_a_finished_deal_is_refused():
    game = Game("classic", seed=0)
    rng = random.Random(0)
    table = started("club_501", steps=7)
    with pytest.raises(ValueError, match="record has rules 'classic', the game 'club_501'"):
        table.reset(options={"record": DealRecord.from_game(game)})
    while not game.over:
        game.step(rng.choice(game.legal_actions()))
    with pytest.raises(ValueError, match="played to its end"):
        started("classic").reset(options={"record": DealRecord.from_game(game)})


# Copies --------------------------------------------------------------------------------------


def via_snapshot(table: Any) -> Any:
    """The same position in another environment, which was in the middle of something else."""
    other = env(table.unwrapped.game.rules, reward="tricks", canonical_suits=True)
    other.reset(seed=1234)
    play_on(other, random.Random(3), 11)
    other.set_state(table.clone_state())
    return other


def via_pickle(table: Any) -> Any:
    return pickle.loads(pickle.dumps(table))


@pytest.mark.parametrize("copied", [via_snapshot, via_pickle, copy.deepcopy])
@pytest.mark.parametrize("steps", [0, 6, 30])
@pytest.mark.parametrize("rules", PRESETS_AND_SPEECH)
def test_a_copy_goes_on_as_the_original(copied: Callable[[Any], Any], rules: str, steps: int):
    table = env(rules, reward="tricks", canonical_suits=True)
    table.reset(seed=8)
    play_on(table, random.Random(8), steps)
    before = books(table)
    twin = copied(table)
    line = play_on(twin, random.Random(9))

    assert books(table) == before, "playing the copy leaves the original alone"
    assert play_on(table, random.Random(9)) == line
    twin.reset()
    table.reset()
    assert play_on(twin, random.Random(1)) == play_on(table, random.Random(1))


def test_a_copied_state_is_restored_while_the_dead_take_their_rewards():
    table = started(seed=1)
    while not any(table.terminations.values()):
        table.step(pick(table.last()[4]["action_mask"], random.Random(1)))
    table.step(None)
    snapshot = table.clone_state()
    line = play_on(table, random.Random(0))
    table.set_state(snapshot)

    assert [agent for agent, *_ in line] == list(AGENTS[1:])
    assert play_on(table, random.Random(0)) == line


def test_a_copied_state_can_be_restored_many_times():
    table = started(seed=1, steps=9)
    snapshot = table.clone_state()
    lines: list[Any] = []
    for _ in range(3):
        table.set_state(snapshot)
        lines.append(play_on(table, random.Random(5)))

    assert lines[0] == lines[1] == lines[2]


def snapshot(**changes: Any) -> Snapshot:
    """That of an environment in play, changed."""
    return replace(started(seed=2, steps=12).clone_state(), **changes)


def with_fields(**fields: Any) -> Snapshot:
    """That of the same environment with some fields of the game overwritten."""
    changed = snapshot()
    for name, value in fields.items():
        changed.game[name] = value
    return changed


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: None, "state=None: use what clone_state"),
        (lambda: 7, "state=7: use what clone_state"),
        (lambda: {}, "state={}: use what clone_state"),
        (lambda: Game().clone(), "state=array"),
        (lambda: snapshot(rules=None), "state: it has rules None, the env.* 'classic'"),
        (lambda: snapshot(rules=np.array([1, 2])), "state: it has rules array"),
        (lambda: snapshot(episode=np.array([1, 2])), "state: episode=array"),
        (lambda: snapshot(rules=resolve("contree")), "state: it has rules 'contree', the env"),
        (lambda: started("contree").clone_state(), "state: it has rules 'contree', the env"),
        (lambda: started(episode="match").clone_state(), "state: it has episode='match', the env"),
        (lambda: snapshot(game=None), "states must be an array"),
        (lambda: snapshot(game=new_states(1)), r"states\[0\]: deck=\[0, .* each of the 32 cards"),
        (lambda: with_fields(seat=77), r"states\[0\]: seat=77 cannot be under rules 'classic'"),
        (lambda: with_fields(phase=99), r"states\[0\]: phase=99 .* use 0-3"),
        (lambda: snapshot(rewards={"player_9": 0.0}), "state: rewards={'player_9': 0.0}: use"),
    ],
)
def test_what_is_no_copied_state_is_refused_and_nothing_changes(
    make: Callable[[], Any], message: str
):
    state = make()
    table = started(seed=1, steps=9)
    before = books(table)
    with pytest.raises(ValueError, match=rf"(?s)^{message}"):
        table.set_state(state)

    assert books(table) == before


@pytest.mark.parametrize("name", ["rewards", "cumulative_rewards"])
@pytest.mark.parametrize(
    "wrong",
    [
        None,
        3,
        [0.0] * 4,
        {},
        dict.fromkeys(AGENTS[2:], 0.0),
        *(dict.fromkeys(AGENTS, value) for value in ("x", None, np.nan, np.inf, True, 10**400)),
    ],
)
def test_rewards_that_are_no_numbers_of_all_agents_are_refused(name: str, wrong: Any):
    table = started(seed=1, steps=9)
    before = books(table)
    with pytest.raises(ValueError, match=rf"^state: {name}={re.escape(repr(wrong))}: use a "):
        table.set_state(snapshot(**{name: wrong}))

    assert books(table) == before


def test_agents_may_be_gone_only_once_the_episode_is_over():
    for gone in range(1, 5):
        rewards = dict.fromkeys(AGENTS[gone:], 0.0)
        with pytest.raises(ValueError, match=r"^state: rewards=.*: use a finite number for each"):
            started().set_state(snapshot(rewards=rewards, cumulative_rewards=rewards))


@pytest.mark.parametrize("settled", [False, True])
def test_a_state_between_two_deals_of_a_match_is_refused(settled: bool):
    game = Game("classic", "match", seed=1)
    while not game.over:
        game.step(game.legal_actions()[-1])
    if settled:
        assert not game.end_deal()
    nothing: dict[str, float] = dict.fromkeys(AGENTS, 0.0)
    state = Snapshot(game.rules, "match", game.clone(), nothing, nothing)
    table = started(seed=1, steps=9, episode="match")
    before = books(table)
    with pytest.raises(ValueError, match=r"^states\[0\]: phase=3, its deal is over and the next"):
        table.set_state(state)

    assert books(table) == before
    Game("classic", "match").restore(state.game)


def test_an_array_is_no_agent():
    wrong: Any = np.array(["player_0", "player_1"])
    with pytest.raises(ValueError, match=r"^agent=array.*: use one of 'player_0'"):
        started(seed=1).observe(wrong)


def test_once_no_agent_is_left_a_reset_is_asked_for():
    table = started(seed=1)
    play_on(table, random.Random(1))
    assert not table.agents
    twin = raw_env()
    twin.set_state(table.clone_state())
    for over in (table, twin):
        for call in (lambda over=over: over.step(None), over.last):
            with pytest.raises(ResetNeededError, match=r"^every agent has taken its last reward"):
                call()
    table.reset(seed=2)
    assert len(table.agents) == 4


# Illegal actions -----------------------------------------------------------------------------


@pytest.mark.parametrize("canonical_suits", [False, True])
@pytest.mark.parametrize(
    "action", [-1, 41, 108, NUM_ACTIONS, 2**40, -(2**70), 2**70, 1.0, "JH", None, True]
)
def test_what_is_no_action_is_refused_and_nothing_changes(action: Any, canonical_suits: bool):
    table = env(canonical_suits=canonical_suits)
    table.reset(seed=0)
    before = books(table)
    with pytest.raises(IllegalActionError, match=f"{table.agent_selection[-1]}.*action"):
        table.step(action)

    assert books(table) == before


def test_an_illegal_action_is_named_with_its_seat_and_the_legal_ones():
    table = raw_env(canonical_suits=True)
    table.reset(options={"hands": HANDS, "dealer": 3, "turned": "JH"})
    with pytest.raises(IllegalActionError) as refused:
        table.step(34)

    # Under canonical suits the turned suit comes first: 33 takes at hearts, 34 is another suit.
    assert "seat 0: illegal action 34 (H, in canonical suits)" in str(refused.value)
    assert "legal are 32 (pass), 33 (S)" in str(refused.value)


@pytest.mark.parametrize("action", [33, np.int8(33), np.int64(33), np.uint16(33), np.array(33)])
def test_actions_of_any_integer_type_are_taken(action: Any):
    table = raw_env(canonical_suits=True)
    table.reset(seed=0)
    table.step(action)

    assert table.game.state["taker"][0] >= 0


STATES = 10_000
"""How many states are tried."""


def test_every_illegal_action_is_refused_and_changes_nothing():
    rng = random.Random(0)
    states = 0
    for rules in PRESETS_AND_SPEECH:
        table = started(rules, seed=1)
        for _ in range(STATES // len(PRESETS_AND_SPEECH) + 1):
            if table.terminations["player_0"]:
                table.reset()
            mask = table.infos[table.agent_selection]["action_mask"]
            before = table.game.state.tobytes(), table.agent_selection, mask.tobytes()
            for action in (mask == 0).nonzero()[0].tolist():
                with pytest.raises(IllegalActionError):
                    table.step(action)
                assert table.game.state.tobytes() == before[0]
            mask = table.infos[table.agent_selection]["action_mask"]
            assert (table.game.state.tobytes(), table.agent_selection, mask.tobytes()) == before
            states += 1
            table.step(pick(mask, rng))
    assert states >= STATES


def test_every_illegal_action_of_a_batch_is_refused_and_changes_nothing():
    num_envs, states, wanted = 20, 0, STATES // 4  # the kernel is that of the test above
    rng = np.random.default_rng(0)
    for rules in PRESETS_AND_SPEECH:
        batch = SelfPlayVectorEnv(num_envs, rules, seed=2)
        _, mask, _ = batch.reset()
        for _ in range(wanted // (num_envs * len(PRESETS_AND_SPEECH)) + 1):
            legal = (mask * rng.random(mask.shape)).argmax(axis=1)
            before = batch.states.tobytes()
            for i, action in zip(*(mask == 0).nonzero(), strict=True):
                actions = legal.copy()
                actions[i] = action
                with pytest.raises(IllegalActionError):
                    batch.step(actions)
                assert batch.states.tobytes() == before
            states += num_envs
            _, mask, *_ = batch.step(legal)
    assert states >= wanted


@pytest.mark.parametrize("rules", ["club_501", "contree", "two_player"])
def test_who_dealt_is_still_seen_when_the_match_is_over(rules: str):
    table = raw_env(rules, "match")
    table.reset(seed=3)
    rng = random.Random(0)
    before = dealers_seen(table)
    while not table.terminations["player_0"]:
        before = dealers_seen(table)
        table.step(pick(table.infos[table.agent_selection]["action_mask"], rng))
    assert dealers_seen(table) == before


def dealers_seen(table: raw_env) -> list[int]:
    """The dealer as each seat sees it, and the calls of its own side."""
    slices = schema(table.game.rules)
    seen = [views(table.observe(a)["observation"], slices) for a in table.possible_agents]
    return [int(see["dealer"].argmax()) for see in seen] + [
        int(see["calls"][:, 7].sum()) for see in seen
    ]


@pytest.mark.parametrize("agent", ["player_2", "player_9", 0, None])
def test_only_agents_of_the_table_observe(agent: Any):
    table = raw_env("two_player")
    table.reset(seed=1)
    with pytest.raises(ValueError, match=r"use one of 'player_0', 'player_1'"):
        table.observe(agent)
