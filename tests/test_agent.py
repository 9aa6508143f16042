"""The protocol of agents and the random agent."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from belote_env import Agent, BeloteEnv, BeloteVectorEnv, RandomAgent, SelfPlayVectorEnv
from belote_env.actions import NUM_ACTIONS
from belote_env.agent import AnswerError, act_batch
from tests.agents_for_tests import Watcher

FAMILIES = ("classic", "contree", "two_player")


def some_games(
    num_envs: int = 64, rules: str = "classic"
) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Observations and masks of games at their start and in the middle."""
    env = SelfPlayVectorEnv(num_envs, rules, seed=0)
    obs, mask, _ = env.reset()
    seen = [(obs.copy(), mask.copy())]
    for _ in range(15):
        obs, mask, *_ = env.step(mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1))
        seen.append((obs.copy(), mask.copy()))
    return np.concatenate([obs for obs, _ in seen]), np.concatenate([mask for _, mask in seen])


@pytest.mark.parametrize("answer", [2**63, -(2**70), np.uint64(2**64 - 1), 10**5000], ids=range(4))
def test_an_answer_too_large_for_any_action_is_named(answer: Any):
    class Large(Agent):
        def act(self, observation: Any, mask: Any, info: Any) -> Any:
            return answer

    shown = int(answer) if int(answer) < 10**40 else "of 16610 bits"
    with pytest.raises(AnswerError, match=rf"^row 0: action {shown} is outside 0-108$"):
        Large().act_batch(np.zeros((1, 8), np.uint8), np.ones((1, 41), np.int8))


def test_an_agent_needs_to_say_how_it_acts():
    class Idle(Agent):
        pass

    with pytest.raises(TypeError, match=r"abstract method '?act"):
        Idle()  # pyright: ignore[reportAbstractUsage]


@pytest.mark.parametrize("rules", FAMILIES)
def test_a_batch_is_acted_on_row_by_row_unless_an_agent_is_faster(rules: str):
    obs, mask = some_games(rules=rules)
    agent, batched = Watcher(), Watcher()
    actions = [
        agent.act({"observation": o, "action_mask": m}, m, {"action_mask": m})
        for o, m in zip(obs, mask, strict=True)
    ]
    chosen = batched.act_batch(obs, mask)

    assert chosen.tolist() == actions
    assert chosen.dtype == np.int64
    assert batched.seen == agent.seen


@pytest.mark.parametrize("rules", FAMILIES)
def test_the_random_agent_draws_the_same_alone_and_in_a_batch(rules: str):
    obs, mask = some_games(rules=rules)
    alone, batched = RandomAgent(3), RandomAgent(3)
    info: dict[str, Any] = {}
    actions = [
        alone.act({"observation": o, "action_mask": m}, m, info)
        for o, m in zip(obs, mask, strict=True)
    ]
    chosen = batched.act_batch(obs, mask)

    assert chosen.tolist() == actions
    assert mask[np.arange(len(mask)), chosen].all()
    assert RandomAgent(4).act_batch(obs, mask).tolist() != actions
    assert (
        RandomAgent().act_batch(obs, mask).tolist() != RandomAgent().act_batch(obs, mask).tolist()
    )


@pytest.mark.parametrize(
    "legal", [[0], [108], [32, 33], [0, 7, 8, 31, 39], list(range(32, NUM_ACTIONS))]
)
def test_the_random_agent_plays_every_legal_action_equally_often(legal: list[int]):
    mask = np.zeros((20_000, NUM_ACTIONS), np.int8)
    mask[:, legal] = 1
    counts = np.bincount(
        RandomAgent(0).act_batch(np.zeros((20_000, 1), np.uint8), mask), minlength=NUM_ACTIONS
    )

    assert counts.nonzero()[0].tolist() == legal
    expected = 20_000 / len(legal)
    # Chi-square, within five of its standard deviations of its mean.
    statistic, free = ((counts[legal] - expected) ** 2 / expected).sum(), len(legal) - 1
    assert statistic <= free + 5 * np.sqrt(2 * free)


def test_an_agent_that_only_acts_plays_in_batches_too():
    class Lowest:
        def act(self, observation: Any, mask: NDArray[np.int8], info: Any) -> int:
            return int(mask.argmax())

    obs, mask = some_games(4)
    np.testing.assert_array_equal(act_batch(Lowest(), obs, mask), mask.argmax(axis=1))  # pyright: ignore[reportArgumentType]
    env = BeloteVectorEnv(2, "classic", partner=Lowest())  # pyright: ignore[reportArgumentType]
    _, info = env.reset(seed=0)
    env.step(info["action_mask"].argmax(axis=1))


@pytest.mark.parametrize("environment", [BeloteEnv, partial(BeloteVectorEnv, 2)])
def test_what_cannot_act_is_refused(environment: Any):
    with pytest.raises(ValueError, match="partner='random': use an object with act"):
        environment("classic", partner="random")


@pytest.mark.parametrize("name", ["partner", "opponents"])
@pytest.mark.parametrize("environment", [BeloteEnv, partial(BeloteVectorEnv, 2)])
def test_a_class_is_no_agent(environment: Any, name: str):
    with pytest.raises(ValueError, match=rf"^{name}=<class .* is a class: use .* RandomAgent\(\)$"):
        environment("classic", **{name: RandomAgent})


def test_what_acts_with_no_integer_is_named_with_its_row():
    class Late(Agent):
        def act(self, observation: Any, mask: NDArray[np.int8], info: Any) -> Any:
            self.asked = getattr(self, "asked", -1) + 1
            return "pass" if self.asked == 2 else int(mask.argmax())

    obs, mask = some_games(4)
    with pytest.raises(AnswerError, match=r"^row 2: action 'pass' is no integer$") as raised:
        act_batch(Late(), obs, mask)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.row, again.answer) == (2, "pass")


@pytest.mark.parametrize("seed", [True, [1], 1.5, -1])
def test_the_random_agent_refuses_a_bad_seed(seed: Any):
    with pytest.raises(ValueError, match=r"^seed=.*: use an integer of zero or more, or None"):
        RandomAgent(seed)
