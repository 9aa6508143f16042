from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.oracle import OracleAgent
from belote_env import Agent, Game, RandomAgent, rules
from belote_env.actions import PASS, TAKE
from belote_env.agent import act_batch
from belote_env.engine.batch import OBSERVE, OUTCOME_DTYPE
from belote_env.engine.episode import MATCH
from belote_env.engine.state import CAPOT_TAKER, CHUTE, MADE, UNFINISHED, VOID
from belote_env.rows import Rows
from experiments.lib.duplicate import DuplicateMatch, Effort, play_duplicate

CLASSIC = rules.preset("classic")
PRESETS = pytest.mark.parametrize("preset", rules.PRESETS)


class Passer(Agent):
    """Passes, and plays its first legal card."""

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        return PASS if mask[PASS] else int(mask.argmax())


class Taker(Agent):
    """Takes or bids as low as it may, and plays its last legal card."""

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        legal = mask.nonzero()[0]
        return int(legal[min(1, len(legal) - 1) if mask[PASS] else -1])


class Lowest(Agent):
    """Takes or bids with some hands, and plays its first legal card."""

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        if not mask[PASS]:
            return int(mask.argmax())
        calls = np.flatnonzero(mask[PASS + 1 :]) + PASS + 1
        hand = observation["observation"][:32]
        return int(calls[0]) if len(calls) and hand.nonzero()[0].sum() % 3 == 0 else PASS


def play(
    agent: Agent, opponent: Agent, preset: str = "classic", seed: int = 0, deals: int = 100
) -> DuplicateMatch:
    return play_duplicate(agent, opponent, rules.preset(preset), deals, seed)


@PRESETS
def test_equal_sides_are_worth_nothing_on_any_deal(preset: str) -> None:
    match = play(Taker(), Taker(), preset)
    np.testing.assert_array_equal(match.outcomes[0], match.outcomes[1])
    np.testing.assert_array_equal(match.margins, np.zeros(100))


@PRESETS
def test_swapping_the_sides_turns_the_margins_round(preset: str) -> None:
    there, back = play(Taker(), Passer(), preset), play(Passer(), Taker(), preset)
    np.testing.assert_array_equal(there.margins, -back.margins)
    assert np.abs(there.margins).max() > 0


@PRESETS
def test_sides_sit_where_they_should(preset: str) -> None:
    match = play(Taker(), Passer(), preset)
    assert (match.outcomes["taker"][0] % 2 == 0).all()
    assert (match.outcomes["taker"][1] % 2 == 1).all()
    results = match.results()
    assert results["take_rate"].value == 1
    assert results["opponent_take_rate"].value == 0
    assert np.isnan(results["opponent_made_rate"].value)
    void = play(Passer(), Passer(), preset).results()
    assert void["void_rate"].value == 1


def test_random_against_random_is_even() -> None:
    marks = play(RandomAgent(0), RandomAgent(1), deals=2000).results()["marks"]
    assert marks.low < 0 < marks.high
    assert marks.high - marks.low < 15


def test_match_does_not_depend_on_the_number_of_threads() -> None:
    one, two = (
        play_duplicate(RandomAgent(0), Taker(), CLASSIC, 50, 0, threads) for threads in (1, 2)
    )
    np.testing.assert_array_equal(one.outcomes, two.outcomes)


def test_margins_and_rates_of_known_outcomes() -> None:
    outcomes = np.zeros((2, 2, 1), OUTCOME_DTYPE)
    # Deal 0: made by the agent's side in both plays; deal 1: a chute of the other side, then void.
    outcomes[0, 0, 0] = (True, MADE, 1, 2, (100, 62))
    outcomes[1, 0, 0] = (True, CAPOT_TAKER, 1, 3, (20, 252))
    outcomes[0, 1, 0] = (True, CHUTE, 1, 1, (182, 0))
    outcomes[1, 1, 0] = (True, VOID, -1, -1, (0, 0))
    match = DuplicateMatch(outcomes, np.array([[1, 1], [-1, 0]], np.int8))
    np.testing.assert_array_equal(match.margins, [(38 + 232) / 2, 182 / 2])
    values = {name: estimate.value for name, estimate in match.results().items()}
    assert values == pytest.approx(
        {
            "marks": 113,
            "win_rate": 0.875,
            "void_rate": 0.25,
            "take_rate": 0.5,
            "made_rate": 1,
            "opponent_take_rate": 0.25,
            "opponent_made_rate": 0,
        }
    )


def by_hand(teams: tuple[Agent, Agent], preset: str, seed: int) -> tuple[list[list[int]], int]:
    """Marks of the deals of one match, and its winner, from the game itself."""
    game = Game(preset, "match", seed=seed)
    rows = Rows(game.rules, game.state, MATCH, 0, False)
    marks = []
    while True:
        rows.seat[:] = game.seat
        rows.run(OBSERVE, 1)
        game.step(int(act_batch(teams[game.seat % 2], rows.obs, rows.mask)[0]))
        if game.over:
            marks.append(game.state["marks"][0].tolist())
            if game.end_deal():
                return marks, int(game.state["winner"][0])
            game.begin_deal()


@pytest.mark.parametrize("preset", ["classic", "concours", "coinche", "two_player"])
def test_matches_are_played_to_their_end(preset: str) -> None:
    taker, lowest = Taker(), Lowest()
    match = play_duplicate(taker, lowest, rules.preset(preset), 5, seed=3, episode="match")
    for play, sides in enumerate(((taker, lowest), (lowest, taker))):
        marks, winner = by_hand(sides, preset, seed=3)
        deals = match.outcomes[play, 0]
        assert deals["marks"][: len(marks)].tolist() == marks
        assert (deals["result"][len(marks) :] == UNFINISHED).all()
        assert match.winners[play, 0] == (0 if winner < 0 else 1 - 2 * winner)
    deals = (match.outcomes["result"] != UNFINISHED).sum(axis=2)
    np.testing.assert_array_equal(match.deals, deals.mean(axis=0))
    results = match.results()
    assert results["marks"].value == pytest.approx(match.plays.sum() / deals.sum())
    assert results["take_rate"].value + results["opponent_take_rate"].value == pytest.approx(
        1 - results["void_rate"].value
    )


def test_a_match_is_the_same_in_parts_and_from_the_other_side() -> None:
    whole = play_duplicate(Taker(), Lowest(), CLASSIC, 4, 1, episode="match")
    parts = [
        DuplicateMatch(whole.outcomes[:, rows, :most], whole.winners[:, rows], efforts)
        for rows, most, efforts in (
            (slice(0, 3), None, (Effort(5, 1.0), Effort(6, 0.5))),
            (slice(3, 4), int(whole.deals[3:].max()) + 1, (Effort(1, 0.5), Effort(2, 0.25))),
        )
    ]
    joined = DuplicateMatch.joined(parts)
    assert joined.outcomes.shape == whole.outcomes.shape
    np.testing.assert_array_equal(joined.margins, whole.margins)
    np.testing.assert_array_equal(joined.wins, whole.wins)
    assert joined.efforts == (Effort(6, 1.5), Effort(8, 0.75))
    other = joined.swapped
    np.testing.assert_array_equal(other.margins, -whole.margins)
    np.testing.assert_array_equal(other.wins, 1 - whole.wins)
    assert other.efforts == joined.efforts[::-1]
    assert other.results()["take_rate"] == whole.results()["opponent_take_rate"]


def test_decisions_are_counted_and_clocked() -> None:
    match = play_duplicate(Passer(), Passer(), CLASSIC, 10, 0)
    assert [effort.decisions for effort in match.efforts] == [10 * 8, 10 * 8]
    assert all(effort.seconds > 0 for effort in match.efforts)


class Peeker(OracleAgent):
    """Takes if its partner holds the jack of the suit, and plays its first legal card."""

    def act_states(
        self,
        states: NDArray[Any],
        observations: NDArray[np.uint8],
        masks: NDArray[np.int8],
    ) -> NDArray[np.int64]:
        jacks = np.uint32(1) << (states["deck"][:, 20].astype(np.uint32) // 8 * 8 + 4)
        held = states["hands"][np.arange(len(states)), states["seat"] ^ 2]
        calls = masks[:, PASS] != 0
        takes = masks[:, TAKE : TAKE + 4]
        wanted = (held & jacks != 0) & takes.any(axis=1)
        return np.where(
            calls, np.where(wanted, TAKE + takes.argmax(axis=1), PASS), masks.argmax(axis=1)
        )


def test_oracles_are_shown_the_states() -> None:
    match = play_duplicate(Peeker(), Passer(), CLASSIC, 200, 0)
    results = match.results()
    assert 0 < results["take_rate"].value < 1
    assert results["opponent_take_rate"].value == 0
