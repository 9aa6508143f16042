from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from agents.learned import checkpoint
from agents.learned.checkpoint import CheckpointError, Description
from agents.learned.network import ActorCritic, NetworkConfig
from agents.learned.policy import LearnedAgent
from agents.learned.ppo import PPOConfig, make_optimizer
from belote_env import RuleSet, SelfPlayVectorEnv, rules


def opinionated(network: ActorCritic) -> ActorCritic:
    """The network with a policy far from uniform."""
    with torch.no_grad():
        for parameter in network.actor.parameters():
            parameter.mul_(10)
    return network


def test_plays_plain_observations_as_the_network_plays_canonical_ones(
    family_network: ActorCritic, family: RuleSet
) -> None:
    network = opinionated(family_network)
    agent = LearnedAgent(network, family, canonical_suits=True)
    plain = SelfPlayVectorEnv(50, family, seed=1)
    canonical = SelfPlayVectorEnv(50, family, seed=1, canonical_suits=True)
    obs, mask, _ = plain.reset()
    seen, legal, _ = canonical.reset()
    for _ in range(60):
        with torch.no_grad():
            distribution = network.policy(torch.tensor(seen), torch.tensor(legal).bool())
        obs, mask, *_ = plain.step(agent.act_batch(obs, mask))
        seen, legal, *_ = canonical.step(distribution.mode().numpy())
        for field in ("hands", "calls", "place", "scores"):
            np.testing.assert_array_equal(plain.states[field], canonical.states[field])
    assert (plain.states["deal"] > 1).all(), "every deal was played to its end"


def test_without_canonical_suits_the_network_sees_the_observation(classic: RuleSet) -> None:
    torch.manual_seed(0)
    config = NetworkConfig(actor=[16], critic=[16], canonical_suits=False)
    network = opinionated(ActorCritic(classic, config))
    obs, mask, _ = SelfPlayVectorEnv(50, classic, seed=1).reset()
    with torch.no_grad():
        wanted = network.policy(torch.tensor(obs), torch.tensor(mask).bool()).mode().numpy()
    actions = LearnedAgent(network, classic, canonical_suits=False).act_batch(obs, mask)
    np.testing.assert_array_equal(actions, wanted)


def test_one_seat_plays_as_the_batch(network: ActorCritic, classic: RuleSet) -> None:
    agent = LearnedAgent(opinionated(network), classic, canonical_suits=True)
    obs, mask, _ = SelfPlayVectorEnv(20, classic, seed=2).reset()
    obs.flags.writeable = False
    together = agent.act_batch(obs, mask).tolist()
    assert [
        agent.act({"observation": o, "action_mask": m}, m, {})
        for o, m in zip(obs, mask, strict=True)
    ] == together


def test_drawn_actions_are_legal_varied_and_reproducible(
    network: ActorCritic, classic: RuleSet
) -> None:
    obs, mask, _ = SelfPlayVectorEnv(200, classic, seed=3).reset()

    def draw(seed: int) -> list[int]:
        agent = LearnedAgent(network, classic, canonical_suits=True, greedy=False, seed=seed)
        return agent.act_batch(obs, mask).tolist()

    actions = draw(0)
    assert mask[np.arange(200), actions].all()
    assert len(set(actions)) > 1
    assert actions == draw(0)
    assert actions != draw(1)


def test_loads_from_a_run_directory(
    tmp_path: Path,
    network: ActorCritic,
    network_config: NetworkConfig,
    classic: RuleSet,
    ppo_config: PPOConfig,
) -> None:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    with pytest.raises(CheckpointError, match="holds no whole checkpoint yet"):
        LearnedAgent.load(tmp_path)
    description = Description(
        rules=classic.id,
        rules_hash=classic.hash,
        network=network_config,
        update=1,
        decisions=1,
        seconds=1.0,
        config={},
    )
    opinionated(network)
    path = checkpoint.save(folder, description, network, make_optimizer(network, ppo_config), 1)
    obs, mask, _ = SelfPlayVectorEnv(50, classic, seed=4).reset()
    wanted = LearnedAgent(network, classic, canonical_suits=True).act_batch(obs, mask)
    for source in (tmp_path, path):
        np.testing.assert_array_equal(
            LearnedAgent.load(source, classic).act_batch(obs, mask), wanted
        )
    with pytest.raises(CheckpointError, match="not for concours"):
        LearnedAgent.load(tmp_path, rules.preset("concours"))


def test_observations_of_other_rules_are_refused(network: ActorCritic, classic: RuleSet) -> None:
    agent = LearnedAgent(network, classic, canonical_suits=True)
    obs, mask, _ = SelfPlayVectorEnv(2, "sans_tout_atout", seed=0).reset()

    with pytest.raises(ValueError, match=r"trained for classic, whose observations have \d+ bytes"):
        agent.act_batch(obs, mask)
