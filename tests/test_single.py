"""The Gymnasium environment for one learner."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from belote_env import BeloteEnv, Game, IllegalActionError, RandomAgent
from belote_env.actions import BID_NAMES, PASS, parse_action
from belote_env.aec import AGENTS
from belote_env.cards import CONTRACTS, SANS_ATOUT, TOUT_ATOUT, card_name, card_names
from belote_env.engine import scoring
from belote_env.engine.jit import from_python
from belote_env.engine.options import rule_data
from belote_env.engine.scoring import CAPOT_BY_DEFENCE, CAPOT_BY_TAKERS, NO_CAPOT
from belote_env.game import Episode
from belote_env.record import DealRecord
from belote_env.rules import PRESETS, RuleSet, resolve
from belote_env.single import worst_return
from tests.agents_for_tests import Cheat, Lowest, Watcher
from tests.playing import pick
from tests.property.strategies import PRESETS_AND_SPEECH

round_marks = from_python(scoring.round_marks)
score_deal = from_python(scoring.score_deal)


REWARDS = ("marks", "tricks", "win")


def play_episode(
    game: BeloteEnv, rng: random.Random, seed: int | None = None
) -> list[tuple[Any, ...]]:
    """Play an episode at random; each step's observation, mask, action and reward."""
    observation, info = game.reset(seed=seed)
    line: list[tuple[Any, ...]] = []
    terminated = False
    while not terminated:
        action = pick(info["action_mask"], rng)
        seen = observation.tobytes(), info["action_mask"].tobytes()
        observation, reward, terminated, truncated, info = game.step(action)
        assert not truncated
        line.append((*seen, action, reward))
    assert not info["action_mask"].any()
    return line


def margin(game: BeloteEnv, episode: Episode, reward: str) -> float:
    """What an episode that is over should have returned to the learner's side."""
    state = game.table.game.state[0]
    marks = state["marks" if episode == "deal" else "scores"].tolist()
    own = (marks[game.seat % 2] - marks[1 - game.seat % 2]) / 162
    return own if reward != "win" else float(np.sign(own))


# Gymnasium's test ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"seat": 1},
        {"seat": "random", "canonical_suits": True},
        {"episode": "match"},
        {"observation": "history"},
    ],
)
@pytest.mark.parametrize("rules", PRESETS_AND_SPEECH)
def test_gymnasiums_check_is_clean_under_forfeit(
    rules: str, options: dict[str, Any], capsys: pytest.CaptureFixture[str]
):
    check(rules=rules, **options)


@pytest.mark.parametrize("rules", [rules for rules in PRESETS if rules != "two_player"])
def test_gymnasiums_check_is_clean_in_the_universal_form(
    rules: str, capsys: pytest.CaptureFixture[str]
):
    check(rules=rules, seat=3, observation="universal")


def check(**arguments: Any) -> None:
    made = gymnasium.make("Belote-v0", on_illegal="forfeit", **arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made.unwrapped)


# Episodes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize(
    ("rules", "seat"),
    [
        *(("classic_annonces", seat) for seat in range(4)),
        ("contree", 0),
        ("coinche+announce=choice", 3),
        ("two_player", 0),
        ("two_player", 1),
    ],
)
def test_the_return_is_the_margin_of_the_learners_side(
    rules: str, seat: Any, episode: Episode, reward: str
):
    game = BeloteEnv(rules, episode, reward, seat=seat)
    rng = random.Random(0)
    returns: list[float] = []
    for seed in range(12):
        line = play_episode(game, rng, seed)
        assert all(type(gain) is float for *_, gain in line)
        returns.append(sum(gain for *_, gain in line))
        assert returns[-1] == pytest.approx(margin(game, episode, reward), abs=1e-4)
    assert min(returns) < 0 < max(returns), "episodes were lost and won"


def test_the_learner_sees_what_its_seat_sees_and_plays_when_it_is_its_turn():
    game = BeloteEnv("sans_tout_atout", seat=1, partner=Watcher(), opponents=Watcher())
    observation, info = game.reset(seed=2)
    rng = random.Random(0)
    for _ in range(200):
        seen = game.table.observe("player_1")
        assert np.array_equal(observation, seen["observation"])
        assert np.array_equal(info["action_mask"], seen["action_mask"])
        assert np.array_equal(game.action_masks(), info["action_mask"] == 1)
        assert game.action_masks().dtype == np.bool_
        assert game.table.agent_selection == "player_1"
        observation, _, terminated, _, info = game.step(pick(info["action_mask"], rng))
        if terminated:
            assert not game.action_masks().any()
            observation, info = game.reset()


@pytest.mark.parametrize(
    ("rules", "seat"),
    [
        *((rules, seat) for rules in ("classic", "contree") for seat in range(4)),
        *(("two_player", seat) for seat in range(2)),
    ],
)
def test_partner_and_opponents_play_their_own_seats(rules: str, seat: Any):
    partner, opponents = Watcher(), Watcher()
    given: Any = {"opponents": opponents}
    if rules != "two_player":
        given["partner"] = partner
    game = BeloteEnv(rules, seat=seat, reward="tricks", **given)
    rng = random.Random(1)
    for seed in range(3):
        line = play_episode(game, rng, seed)
        expected: dict[bool, list[bytes]] = {True: [], False: []}
        # The same deal at a table where all is seen.
        table: Any = game.table
        table.reset(seed=seed)
        learners = [action for _, _, action, _ in line]
        watcher = Watcher()
        while not table.terminations[AGENTS[0]]:
            agent = table.agent_selection
            seen, _, _, _, info = table.last()
            if agent == AGENTS[seat]:
                table.step(learners.pop(0))
                continue
            whole = seen["observation"].tobytes() + info["action_mask"].tobytes()
            expected[AGENTS.index(agent) == (seat + 2) % 4].append(whole)
            table.step(watcher.act(seen, info["action_mask"], info))
        assert partner.seen == expected[True]
        assert opponents.seen == expected[False] != []
        assert learners == []
        partner.seen.clear()
        opponents.seen.clear()


@pytest.mark.parametrize("seat", [0, "random"])
def test_a_seed_decides_deals_seats_and_the_random_agent(seat: Any):
    def line(game: BeloteEnv, seed: int) -> list[Any]:
        rng = random.Random(0)
        return [play_episode(game, rng, seed if k == 0 else None) for k in range(3)]

    game = BeloteEnv(seat=seat)
    first = line(game, 5)
    assert line(game, 5) == first
    assert line(BeloteEnv(seat=seat), 5) == first
    assert line(game, 6) != first


def test_without_a_seed_the_random_agent_differs():
    def calls() -> list[bytes]:
        game = BeloteEnv(seat=3)
        seen: list[bytes] = []
        for _ in range(20):
            game.reset(options={"hands": HANDS, "dealer": 3, "turned": "JH", "stock": STOCK})
            seen.append(game.table.game.state["calls"].tobytes())
        return seen

    assert calls() != calls()


def test_an_agent_keeps_its_own_stream():
    game = BeloteEnv(opponents=RandomAgent(0), partner=RandomAgent(1))
    first = play_episode(game, random.Random(0), seed=5)

    assert play_episode(game, random.Random(0), seed=5) != first
    again = BeloteEnv(opponents=RandomAgent(0), partner=RandomAgent(1))
    assert play_episode(again, random.Random(0), seed=5) == first


def test_a_random_seat_is_drawn_at_each_reset():
    game = BeloteEnv(seat="random")
    seats: list[int] = []
    for k in range(40):
        game.reset(seed=0 if k == 0 else None)
        seats.append(game.seat)
        assert game.table.agent_selection == AGENTS[game.seat]

    assert {*seats} == {0, 1, 2, 3}
    assert all(type(seat) is int for seat in seats)


def via_pickle(game: BeloteEnv) -> BeloteEnv:
    return pickle.loads(pickle.dumps(game))


@pytest.mark.parametrize("copied", [via_pickle, copy.deepcopy])
def test_a_copy_goes_on_as_the_original(copied: Callable[[BeloteEnv], BeloteEnv]):
    game = BeloteEnv("classic_annonces", reward="tricks", seat="random")
    _, info = game.reset(seed=4)
    *_, info = game.step(pick(info["action_mask"], random.Random(0)))
    twin = copied(game)
    assert rest_of(twin, info) == rest_of(game, info)
    assert play_episode(twin, random.Random(1)) == play_episode(game, random.Random(1))


def rest_of(game: BeloteEnv, info: dict[str, Any]) -> list[Any]:
    """What is seen and gained from a position on, at random play."""
    rng = random.Random(2)
    line: list[Any] = []
    terminated = False
    while not terminated:
        observation, reward, terminated, _, info = game.step(pick(info["action_mask"], rng))
        line.append((observation.tobytes(), reward))
    return line


# Given deals ---------------------------------------------------------------------------------

HANDS = [
    ["AS", "TS", "KS", "QS", "JS"],
    ["9S", "8S", "7S", "AH", "TH"],
    ["KH", "QH", "9H", "8H", "7H"],
    ["AD", "TD", "KD", "QD", "JD"],
]
STOCK = ["9D", "8D", "7D", "AC", "TC", "KC", "QC", "JC", "9C", "8C", "7C"]


def test_it_starts_from_given_hands():
    game = BeloteEnv(seat=2)
    game.reset(seed=0, options={"hands": HANDS, "dealer": 1, "turned": "JH", "stock": STOCK})

    record = DealRecord.from_game(game.table.game)
    assert (record.hands, record.stock, record.dealer) == (HANDS, STOCK, 1)
    assert record.calls == ()


def test_a_position_with_nothing_left_for_the_learner_is_refused():
    played = Game(seed=3)
    rng = random.Random(3)
    while played.state["num_played"][0] < 31:
        played.step(rng.choice(played.legal_actions()))
    record = DealRecord.from_game(played)
    last: Any = played.seat
    learner = BeloteEnv(seat=last)
    learner.reset(options={"record": record})
    assert learner.action_masks().sum() == 1
    others: Any = {0, 1, 2, 3} - {last}
    for seat in others:
        game = BeloteEnv(seat=seat)
        with pytest.raises(ValueError, match=f"seat {seat} has nothing to decide"):
            game.reset(options={"record": record})
        with pytest.raises(ResetNeeded):
            game.step(0)


def test_refused_options_leave_the_random_stream_alone():
    game, twin = BeloteEnv(), BeloteEnv()
    for table in (game, twin):
        table.reset(seed=3)
    with pytest.raises(ValueError, match="unknown options"):
        game.reset(seed=4, options={"hand": HANDS})

    assert game.np_random.integers(2**63) == twin.np_random.integers(2**63)


# Illegal actions -----------------------------------------------------------------------------


def test_an_illegal_action_is_refused_and_nothing_changes():
    game = BeloteEnv(seat=2)
    _, info = game.reset(seed=0)
    before = game.table.game.state.tobytes()
    for action in [*(info["action_mask"] == 0).nonzero()[0], -1, 41, 108, 109, 0.5]:
        with pytest.raises(IllegalActionError):
            game.step(action)
        assert game.table.game.state.tobytes() == before
    game.step(pick(info["action_mask"], random.Random(0)))


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_a_forfeit_ends_the_episode_at_the_worst_return(episode: Episode, reward: str):
    game = BeloteEnv("sans_tout_atout", episode, reward, on_illegal="forfeit")
    rng = random.Random(0)
    for seed in range(8):
        _, info = game.reset(seed=seed)
        gained, terminated = 0.0, False
        for _ in range(seed):
            _, reward_, terminated, _, info = game.step(pick(info["action_mask"], rng))
            gained += reward_
        assert not terminated
        before = game.table.game.state.tobytes()
        observation, reward_, terminated, truncated, info = game.step(
            int(info["action_mask"].argmin())
        )
        assert gained + reward_ == pytest.approx(
            worst_return(game.table.game.rules, episode, reward)
        )
        assert (terminated, truncated) == (True, False)
        assert not info["action_mask"].any()
        assert game.observation_space.contains(observation)
        assert game.table.game.state.tobytes() == before
        with pytest.raises(ResetNeeded, match="call reset"):
            game.step(32)


@pytest.mark.parametrize(
    ("rules", "name", "seats"),
    [
        ("classic", "partner", "2"),
        ("contree", "opponents", "[13]"),
        ("two_player", "opponents", "1"),
    ],
)
@pytest.mark.parametrize("on_illegal", ["raise", "forfeit"])
def test_an_agent_that_cheats_is_named(rules: str, name: str, seats: str, on_illegal: Any):
    agents: Any = {name: Cheat()}
    game = BeloteEnv(rules, seat=0, on_illegal=on_illegal, **agents)
    named = rf"^{name}=<.*Cheat object at .*>: seat {seats}: illegal action \d+ \(.*; legal are \d+"
    with pytest.raises(IllegalActionError, match=named):
        play_episode(game, random.Random(0), seed=0)
    with pytest.raises(ResetNeeded):
        game.step(32)


def test_an_agent_that_fails_in_the_middle_ends_the_episode():
    class Calls(Lowest):
        def act(self, observation: Any, mask: Any, info: Any) -> int:
            return super().act(observation, mask, info) if mask[PASS] else -1

    game = BeloteEnv(seat=1, opponents=Calls(), partner=Lowest())
    game.reset(options={"hands": HANDS, "dealer": 0, "turned": "JH", "stock": STOCK})
    game.step(parse_action("H"))
    with pytest.raises(IllegalActionError, match=r"^opponents=<.*Calls.*>: seat 2: .* -1"):
        game.step(game.action_masks().argmax())
    with pytest.raises(ResetNeeded):
        game.step(game.action_masks().argmax())


def worst_margin(rules: RuleSet) -> int:
    """The largest margin of any deal that could be counted: one side has all there is."""
    data = rule_data(rules)[0]
    bids = range(1, len(BID_NAMES) + rules.generale) if rules.family == "auction" else (0,)
    capots = (CAPOT_BY_TAKERS, CAPOT_BY_DEFENCE) if rules.num_seats == 4 else ()
    worst = 0
    for contract, capot, winner, bid, doubled in product(
        range(len(CONTRACTS) if rules.sa_ta else SANS_ATOUT),
        (NO_CAPOT, *capots),
        (0, 1),
        bids,
        range(3 if rules.family == "auction" else 1),
    ):
        if capot and capot != (CAPOT_BY_TAKERS, CAPOT_BY_DEFENCE)[winner]:
            continue
        total = int(data["capot_total" if capot else "total"][contract])
        belote = 80 if contract == TOUT_ATOUT else 0 if contract == SANS_ATOUT else 20
        annonces = 550 if rules.annonces else 0  # J, 9 and two more carrés
        everything, nothing = (total, belote, annonces), (0, 0, 0)
        sides = (nothing, everything) if winner else (everything, nothing)
        alone = capot == CAPOT_BY_TAKERS
        _, takers, defence, _ = score_deal(
            data, contract, *sides, capot, 0, False, bid, doubled, alone
        )
        marks = [round_marks(data, sum(terms)) for terms in (takers, defence)]
        worst = max(worst, abs(marks[0] - marks[1]))
    return worst


EXTREMES = [
    *PRESETS,
    "sans_tout_atout+sa_ta_values=raw",
    "sans_tout_atout+sa_ta_values=pagat",
    "contree+capot_bid=270",
    "contree+multiplier_on=all",
    "contree_ffb+generale=True+multiplier_on=all",
    "coinche+generale=True+doubled_loser=keeps",
    "coinche+sa_ta=True+sa_ta_values=raw+generale=True",
]


@pytest.mark.parametrize("rounding", ["none", "nearest10_5up", "nearest10_6up"])
@pytest.mark.parametrize("rules", EXTREMES)
def test_a_forfeit_is_as_bad_as_the_worst_deal(rules: str, rounding: str):
    rule_set = resolve(rules).replace(rounding=rounding)
    worst = worst_margin(rule_set)
    assert worst_return(rule_set) <= -worst / 162 <= worst_return(rule_set) + 10 / 162
    if rounding == "none":
        assert worst_return(rule_set) == -worst / 162


@pytest.mark.parametrize("score", ["score_mode=made", "score_mode=bid_only", "capot_bid=flat_500"])
@pytest.mark.parametrize("rules", ["contree", "contree_ffb+multiplier_on=all", "coinche"])
def test_no_deal_is_worse_than_a_forfeit(rules: str, score: str):
    rule_set = resolve(f"{rules}+{score}")
    assert worst_return(rule_set) <= -worst_margin(rule_set) / 162


@pytest.mark.parametrize("rules", PRESETS_AND_SPEECH)
def test_no_match_is_worse_than_a_forfeit(rules: str):
    rng = random.Random(0)
    bound = worst_return(resolve(rules), "match")
    for seed in range(8):
        game = Game(rules, "match", seed)
        while True:
            while not game.over:
                game.step(rng.choice(game.legal_actions()))
            if game.end_deal():
                break
            game.begin_deal()
        ours, theirs = game.state["scores"][0].astype(int)
        assert bound < -abs(ours - theirs) / 162
    assert worst_return(resolve(rules), "match", "win") == -1


# The rest ------------------------------------------------------------------------------------


def test_the_table_is_drawn_as_the_learner_sees_it(capsys: pytest.CaptureFixture[str]):
    game = BeloteEnv(seat=1, render_mode="ansi")
    game.reset(seed=0)
    picture = game.render()
    state = game.table.game.state[0]
    own, *others = (card_names(state["hands"][seat]) for seat in (1, 0, 2, 3))
    turned = card_name(int(state["deck"][20]))

    assert picture is not None
    assert all(card in picture for card in own)
    assert not any(card in picture for hand in others for card in hand if card != turned)
    printing = BeloteEnv(seat=1, render_mode="human")
    _, info = printing.reset(seed=0)
    assert capsys.readouterr().out == picture + "\n"
    printing.step(pick(info["action_mask"], random.Random(0)))
    assert capsys.readouterr().out.startswith("classic\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seat": 4}, "seat=4"),
        ({"seat": "south"}, "seat='south'"),
        ({"rules": "two_player", "seat": 2}, "seat=2: use 0, 1 or 'random'"),
        (
            {"rules": "two_player", "partner": RandomAgent()},
            "^partner=.*rules 'two_player' have none, leave it at None",
        ),
        ({"rules": "two_player", "observation": "universal"}, "observation='universal' is for fo"),
        ({"on_illegal": "ignore"}, "on_illegal='ignore'"),
        ({"observation": "pixels"}, "observation='pixels'"),
        ({"render_mode": "rgb"}, "render_mode='rgb'"),
        ({"rules": "belot"}, "unknown rule set 'belot'"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        BeloteEnv(**arguments)


def test_a_step_before_the_first_reset_is_refused():
    with pytest.raises(ResetNeeded):
        BeloteEnv().step(32)


@pytest.mark.parametrize("seat", [1.0, True, None, [0], np.array([0, 1])])
def test_what_is_no_seat_is_refused(seat: Any):
    with pytest.raises(ValueError, match=r"^seat=.*: use 0, 1, 2, 3 or 'random'"):
        BeloteEnv(seat=seat)


def test_seats_and_seeds_of_any_integer_type_are_taken():
    seat: Any = np.int64(2)
    seed: Any = np.int64(5)
    game = BeloteEnv(seat=seat)
    observation, _ = game.reset(seed=seed)
    expected, _ = BeloteEnv(seat=2).reset(seed=5)

    assert game.seat == 2
    assert np.array_equal(observation, expected)


@pytest.mark.parametrize("make", [BeloteEnv, partial(gymnasium.make, "Belote-v0")])
@pytest.mark.parametrize(("call", "arguments"), [("step", [32]), ("render", [])])
def test_nothing_comes_before_the_first_reset(make: Any, call: str, arguments: list[Any]):
    game = make(render_mode="ansi")
    for kind in (ResetNeeded, RuntimeError):
        with pytest.raises(kind, match=rf"^call reset\(\) before {call}\(\)$"):
            getattr(game, call)(*arguments)
    game.reset(seed=0)
    assert game.render().startswith("classic")


def test_there_is_no_mask_before_the_first_reset():
    with pytest.raises(ResetNeeded, match=r"^call reset\(\) before action_masks\(\)$"):
        BeloteEnv().action_masks()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seed": True}, "seed=True: use an integer of zero or more"),
        ({"seed": [1]}, r"seed=\[1\]: use an integer"),
        ({"options": "abc"}, "options='abc': use a dict"),
        ({"options": {"hands": None, "dealer": 0}}, "hands=None: use a list of"),
    ],
)
def test_a_bad_reset_is_refused(given: dict[str, Any], message: str):
    game = BeloteEnv()
    _, info = game.reset(seed=0)
    before = game.table.game.state.tobytes()
    with pytest.raises(ValueError, match=f"^{message}"):
        game.reset(**given)

    assert game.table.game.state.tobytes() == before
    game.step(pick(info["action_mask"], random.Random(0)))


@pytest.mark.parametrize("answer", [None, "x", 1.5, True, [1, 2], 2**70])
def test_an_agent_that_answers_with_something_else_is_named(answer: Any):
    class Odd(Lowest):
        def act(self, observation: Any, mask: Any, info: Any) -> Any:
            return answer

    with pytest.raises(IllegalActionError, match=r"^opponents=<.*Odd object.*>: .* action "):
        play_episode(BeloteEnv(opponents=Odd()), random.Random(0), seed=0)
