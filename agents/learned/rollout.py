"""Self-play: a fresh deal in every environment, all seats by one policy, played to the end.

No deal is cut, so nothing is bootstrapped at the edge of a batch, and short deals (void ones) are
no more likely to be in it than long ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.learned.network import ActorCritic
from belote_env import Agent, SelfPlayVectorEnv
from belote_env.actions import PASS


@dataclass
class Batch:
    """The decisions of N deals that are learned from: M rows in T steps, in the order of play.

    Forced decisions (one legal action) and random calls are no rows: to the decisions around them
    they are part of the environment.

    Attributes:
        state: full-information vectors, uint8 [M, S]; each begins with the observation.
        mask: legal actions, bool [M, A].
        action: actions taken, int64 [M].
        log_prob: their log-probabilities when taken, float32 [M].
        deal: the deal of each row, int64 [M].
        seat: the seat that decided, int64 [M].
        ends: rows up to and including each step, int64 [T]; a deal has one row a step at most.
        reward: reward of each seat at each step, float32 [T, N, seats].
        outcomes: how each deal ended, `SelfPlayVectorEnv.outcome` records [N].
        explored: deals with a random auction, bool [N].
        environment_seconds: time spent in the environment.
    """

    state: NDArray[np.uint8]
    mask: NDArray[np.bool_]
    action: NDArray[np.int64]
    log_prob: NDArray[np.float32]
    deal: NDArray[np.int64]
    seat: NDArray[np.int64]
    ends: NDArray[np.int64]
    reward: NDArray[np.float32]
    outcomes: NDArray[Any]
    explored: NDArray[np.bool_]
    environment_seconds: float


@torch.no_grad()
def collect(
    env: SelfPlayVectorEnv,
    network: ActorCritic,
    deals_seed: int,
    exploring_starts: float,
    explorer: Agent,
    generator: torch.Generator,
) -> Batch:
    """Play one deal in each environment.

    Args:
        env: the environments, with ``episode="deal"``.
        network: the policy of all seats; its actions are sampled.
        deals_seed: seed of the deals.
        exploring_starts: share of the deals whose calls the explorer makes.  While the cards are
            still played at random, taking loses and the policy would learn to pass every hand;
            these deals keep showing it what taken deals are like.
        explorer: the random agent.
        generator: random stream of the policy's actions, on the network's device.
    """
    explored = np.arange(env.num_envs) < int(exploring_starts * env.num_envs)
    playing = np.ones(env.num_envs, bool)
    rows: list[tuple[NDArray[Any], ...]] = []
    rewards: list[NDArray[np.float32]] = []
    started = perf_counter()
    obs, mask, seat = env.reset(seed=deals_seed)
    outcomes = env.outcome.copy()
    environment_seconds = perf_counter() - started

    while playing.any():
        # The first legal action: the only one of a forced decision.  An environment whose deal is
        # over plays on in the same way, unrecorded, until all are.
        actions = mask.argmax(axis=1)
        choosing = playing & (mask.sum(axis=1) > 1)
        exploring = choosing & explored & (mask[:, PASS] == 1)
        actions[exploring] = explorer.act_batch(obs[exploring], mask[exploring])

        chosen = np.flatnonzero(choosing & ~exploring)
        started = perf_counter()
        state = env.state()[chosen]
        environment_seconds += perf_counter() - started
        legal = mask[chosen].astype(bool)
        policy = network.policy(
            torch.from_numpy(state[:, : network.obs_size]).to(network.device),
            torch.from_numpy(legal).to(network.device),
        )
        drawn = policy.sample(generator)
        log_prob = policy.log_prob(drawn).cpu().numpy()
        actions[chosen] = drawn.cpu().numpy()
        rows.append((state, legal, actions[chosen], log_prob, chosen, seat[chosen].astype(int)))

        started = perf_counter()
        obs, mask, seat, reward, done = env.step(actions)
        environment_seconds += perf_counter() - started
        rewards.append(np.where(playing[:, None], reward, np.float32(0)))
        ended = playing & done
        outcomes[ended] = env.outcome[ended]
        playing &= ~done

    return Batch(
        *(np.concatenate(column) for column in zip(*rows, strict=True)),
        ends=np.cumsum([len(chosen) for *_, chosen, _ in rows]),
        reward=np.stack(rewards),
        outcomes=outcomes,
        explored=explored,
        environment_seconds=environment_seconds,
    )
