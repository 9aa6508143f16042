"""Agents that follow a deal event by event."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents import registry
from agents.following import FollowingAgent, public_events
from agents.registry import make_player
from belote_env import Agent, BeloteEnv, BeloteVectorEnv, RuleSet, SelfPlayVectorEnv
from belote_env.agent import PublicEvent
from belote_env.observation import schema, views
from belote_env.rules import resolve
from experiments.lib.duplicate import play_duplicate


class Listener(Agent):
    """Plays a function of the events that it was told of, and keeps them."""

    def __init__(self) -> None:
        self.told: list[list[PublicEvent]] = []

    def start_deal(self, rules: RuleSet) -> None:
        self.rules = rules
        self.events: list[PublicEvent] = []

    def observe(self, event: PublicEvent) -> None:
        self.events.append(event)

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        self.told.append(self.events)
        legal = mask.nonzero()[0]
        return int(legal[sum(what for what, _ in self.events) % len(legal)])


@pytest.mark.parametrize("rules", ["classic", "classic_annonces", "contree", "coinche"])
def test_the_events_are_those_of_the_history(rules: str) -> None:
    flat = SelfPlayVectorEnv(20, rules, seed=4)
    told = SelfPlayVectorEnv(20, rules, seed=4, observation="history")
    obs, mask, _ = flat.reset()
    history, *_ = told.reset()
    slices = schema(rules, "history")
    rng = np.random.default_rng(0)
    longest = 0
    for _ in range(50):
        for row, events in zip(history, public_events(rules, obs), strict=True):
            expected = [
                PublicEvent(what, who - 1)
                for what, who in views(row, slices)["events"].tolist()
                if what
            ]
            assert events == expected
            longest = max(longest, len(events))
        actions = (mask * rng.random(mask.shape)).argmax(axis=1)
        obs, mask, *_ = flat.step(actions)
        history, *_ = told.step(actions)
    assert longest > 30


def test_an_agent_is_told_the_deal_so_far_before_it_acts() -> None:
    listener = Listener()
    env = SelfPlayVectorEnv(3, "classic", seed=1)
    obs, mask, _ = env.reset()
    agent = FollowingAgent(listener, "classic")
    for _ in range(12):
        expected = public_events("classic", obs)
        actions = agent.act_batch(obs, mask)
        assert listener.told[-3:] == expected
        assert mask[np.arange(3), actions].all()
        obs, mask, *_ = env.step(actions)
    assert listener.rules == resolve("classic")


def test_the_registry_makes_it_play_in_matches_and_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MAKERS", {**registry.MAKERS, "listener": lambda: Listener})
    rules = resolve("classic")
    player = make_player("listener", rules, seed=0)
    assert isinstance(player, FollowingAgent)
    random = make_player("random", rules, seed=0)
    match = play_duplicate(player, random, rules, 3, seed=1)
    again = play_duplicate(make_player("listener", rules), random, rules, 3, seed=1)
    assert match.efforts[0].decisions > 30
    assert match.plays.shape == again.plays.shape == (2, 3)
    mixed = make_player("mixed(bids=heuristic, cards=listener)", rules, seed=0)
    assert play_duplicate(mixed, random, rules, 3, seed=1).plays.shape == (2, 3)


@pytest.mark.parametrize("environment", [BeloteEnv, BeloteVectorEnv])
def test_environments_take_it_wrapped_alone(environment: Any) -> None:
    with pytest.raises(ValueError, match=r"partner=.* has start_deal or observe"):
        environment(rules="classic", partner=Listener())
    listener = Listener()
    env = environment(rules="classic", partner=FollowingAgent(listener, "classic"))
    _, info = env.reset(seed=1)
    env.step(info["action_mask"].argmax(axis=-1))
    assert listener.told
