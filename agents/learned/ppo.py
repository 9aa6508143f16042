"""Proximal policy optimisation (Schulman et al. 2017) for seats that share one policy."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.learned.network import ActorCritic
from agents.learned.rollout import Batch
from belote_env.checks import check_number, check_whole, require


@dataclass
class PPOConfig:
    """Settings of an update; pairs of start and end are annealed linearly over the training.

    Attributes:
        epochs: passes over a batch.
        minibatch: decisions a gradient step, about: a batch is split evenly.
        learning_rate_start: Adam's step size at first.
        learning_rate_end: Adam's step size at last.
        entropy_start: weight of the entropy bonus at first.
        entropy_end: weight of the entropy bonus at last.
        clip: the ratio of new to old probability counts within 1 - clip to 1 + clip.
        value_weight: weight of the value loss.
        gamma: discount a decision.
        gae_lambda: bias (0) against variance (1) of the advantages.
        max_grad_norm: gradients are scaled down to this norm.
    """

    epochs: int
    minibatch: int
    learning_rate_start: float
    learning_rate_end: float
    entropy_start: float
    entropy_end: float
    clip: float
    value_weight: float
    gamma: float
    gae_lambda: float
    max_grad_norm: float

    def __post_init__(self) -> None:
        for name in ("epochs", "minibatch"):
            check_whole(name, getattr(self, name), least=1)
        for name in ("learning_rate_start", "learning_rate_end"):
            check_number(name, getattr(self, name), above=True)
        for name in ("entropy_start", "entropy_end", "value_weight"):
            check_number(name, getattr(self, name))
        for name in ("gamma", "gae_lambda"):
            check_number(name, getattr(self, name), most=1)
        for name in ("clip", "max_grad_norm"):  # infinity is no limit
            require(getattr(self, name) > 0, name, getattr(self, name), "a positive number")


def anneal(start: float, end: float, progress: float) -> float:
    """A value on the line from start to end, at a progress in 0-1."""
    return start + (end - start) * progress


def make_optimizer(network: ActorCritic, config: PPOConfig) -> torch.optim.Adam:
    """The optimiser of actor and critic."""
    return torch.optim.Adam(network.parameters(), lr=config.learning_rate_start, eps=1e-5)


def generalized_advantages(
    deal: NDArray[np.int64],
    seat: NDArray[np.int64],
    ends: NDArray[np.int64],
    reward: NDArray[np.float32],
    value: NDArray[np.float32],
    gamma: float,
    gae_lambda: float,
) -> NDArray[np.float32]:
    """Advantages (GAE, Schulman et al. 2016) of the rows of a `Batch`, float32 [M].

    Each seat is a trajectory of its own: the next state of a decision is the same seat's next
    decision in the deal, whatever others do in between, and its reward is all that reaches the seat
    until then.  So the marks reach all seats, whoever played the last card.

    Args:
        deal: the deal of each row, int64 [M].
        seat: the seat of each row, int64 [M].
        ends: rows up to and including each step, int64 [T].
        reward: reward of each seat at each step, float32 [T, N, seats].
        value: the critic's value of each row, float32 [M].
        gamma: discount a decision.
        gae_lambda: decay of the later errors in the sum.
    """
    advantage = np.empty_like(value)
    # By deal and seat: reward since, and value and advantage at, the seat's next decision.
    owed = np.zeros(reward.shape[1:], np.float32)
    next_value = np.zeros_like(owed)
    next_advantage = np.zeros_like(owed)
    for step in reversed(range(len(ends))):
        owed += reward[step]
        rows = slice(ends[step - 1] if step else 0, ends[step])
        at = deal[rows], seat[rows]
        error = owed[at] + gamma * next_value[at] - value[rows]
        advantage[rows] = error + gamma * gae_lambda * next_advantage[at]
        owed[at] = 0
        next_value[at] = value[rows]
        next_advantage[at] = advantage[rows]
    return advantage


def update(
    network: ActorCritic,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    config: PPOConfig,
    progress: float,
    generator: torch.Generator,
) -> dict[str, float]:
    """Learn from one batch.

    Args:
        network: what learns.
        optimizer: its optimiser.
        batch: decisions of the current policy.
        config: the settings.
        progress: share of the training that is done, in 0-1, for the annealed settings.
        generator: random stream of the minibatches, on the network's device.

    Returns:
        Losses and diagnostics, means over the minibatches.
    """
    learning_rate = anneal(config.learning_rate_start, config.learning_rate_end, progress)
    entropy_weight = anneal(config.entropy_start, config.entropy_end, progress)
    for group in optimizer.param_groups:
        group["lr"] = learning_rate

    def on_device(array: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(array).to(network.device)

    state, mask, action = on_device(batch.state), on_device(batch.mask), on_device(batch.action)
    old_log_prob = on_device(batch.log_prob)
    with torch.no_grad():
        old_value = torch.cat([network.value(part) for part in state.split(config.minibatch)])
    advantage = on_device(
        generalized_advantages(
            batch.deal,
            batch.seat,
            batch.ends,
            batch.reward,
            old_value.cpu().numpy(),
            config.gamma,
            config.gae_lambda,
        )
    )
    returns = advantage + old_value

    diagnostics: defaultdict[str, list[Tensor]] = defaultdict(list)
    minibatches = max(1, round(len(state) / config.minibatch))
    for _ in range(config.epochs):
        order = torch.randperm(len(state), generator=generator, device=network.device)
        for rows in order.tensor_split(minibatches):
            policy = network.policy(state[rows, : network.obs_size], mask[rows])
            log_ratio = policy.log_prob(action[rows]) - old_log_prob[rows]
            ratio = log_ratio.exp()
            adv = advantage[rows]
            adv = (adv - adv.mean()) / (adv.std(correction=0) + 1e-8)
            clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
            policy_loss = torch.max(-adv * ratio, -adv * clipped).mean()
            value_loss = 0.5 * (network.value(state[rows]) - returns[rows]).square().mean()
            entropy = policy.entropy().mean()
            loss = policy_loss - entropy_weight * entropy + config.value_weight * value_loss

            optimizer.zero_grad()
            loss.backward()
            grad_norm = nn.utils.clip_grad_norm_(network.parameters(), config.max_grad_norm)
            optimizer.step()

            with torch.no_grad():
                diagnostics["policy_loss"].append(policy_loss.detach())
                diagnostics["value_loss"].append(value_loss.detach())
                diagnostics["entropy"].append(entropy.detach())
                # The estimator k3 of "Approximating KL divergence" (Schulman 2020).
                diagnostics["approx_kl"].append((ratio - 1 - log_ratio).mean())
                outside = (ratio - 1).abs() > config.clip
                diagnostics["clip_fraction"].append(outside.float().mean())
                diagnostics["grad_norm"].append(grad_norm)

    unexplained = (returns - old_value).var(correction=0) / returns.var(correction=0)
    return {
        **{name: torch.stack(values).mean().item() for name, values in diagnostics.items()},
        "explained_variance": 1.0 - unexplained.item(),
        "learning_rate": learning_rate,
        "entropy_weight": entropy_weight,
    }
