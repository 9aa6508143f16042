from __future__ import annotations

import math

import pytest
import torch

from agents.learned.distributions import MaskedCategorical

LOGITS = torch.tensor([[2.0, 0.5, 9.0, -1.0], [0.0, 0.0, 50.0, 0.0], [3.0, 1.0, 1.0, 1.0]])
MASK = torch.tensor(
    [[True, True, False, False], [True, True, False, True], [False, False, True, False]]
)


def test_probabilities_are_a_softmax_over_the_legal_actions() -> None:
    probabilities = MaskedCategorical(LOGITS, MASK).log_probs.exp()
    odds = math.exp(1.5)
    expected = [
        [odds / (1 + odds), 1 / (1 + odds), 0, 0],
        [1 / 3, 1 / 3, 0, 1 / 3],
        [0, 0, 1, 0],
    ]
    torch.testing.assert_close(probabilities, torch.tensor(expected))


def test_entropy_is_over_the_legal_actions() -> None:
    p = 1 / (1 + math.exp(1.5))
    two = -p * math.log(p) - (1 - p) * math.log(1 - p)
    entropy = MaskedCategorical(LOGITS, MASK).entropy()
    torch.testing.assert_close(entropy, torch.tensor([two, math.log(3), 0.0]))


def test_log_prob_of_given_actions() -> None:
    log_prob = MaskedCategorical(LOGITS, MASK).log_prob(torch.tensor([1, 3, 2]))
    expected = [-math.log(1 + math.exp(1.5)), -math.log(3), 0.0]
    torch.testing.assert_close(log_prob, torch.tensor(expected))


def test_gradients_are_finite_and_none_reaches_illegal_logits() -> None:
    logits = LOGITS.clone().requires_grad_()
    distribution = MaskedCategorical(logits, MASK)
    loss = distribution.entropy().sum() + distribution.log_prob(torch.tensor([1, 3, 2])).sum()
    loss.backward()
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad[~MASK] == 0).all()
    assert logits.grad[0, 0] != 0


def test_mode_is_the_likeliest_legal_action() -> None:
    assert MaskedCategorical(LOGITS, MASK).mode().tolist()[::2] == [0, 2]


def test_samples_follow_the_probabilities() -> None:
    generator = torch.Generator().manual_seed(0)
    many = MaskedCategorical(LOGITS[:1].expand(20_000, -1), MASK[:1].expand(20_000, -1))
    counts = torch.bincount(many.sample(generator), minlength=4)
    assert counts[2:].tolist() == [0, 0]
    assert counts[1] / 20_000 == pytest.approx(1 / (1 + math.exp(1.5)), abs=0.01)
