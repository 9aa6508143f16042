"""A categorical distribution over the legal actions alone."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

ILLEGAL: Final = -1e9
"""Logit of an illegal action: finite, so that no gradient or entropy becomes NaN."""


class MaskedCategorical:
    """Distributions over the legal actions of a batch.

    Args:
        logits: float [N, A].
        mask: bool [N, A], at least one True a row.
    """

    def __init__(self, logits: Tensor, mask: Tensor) -> None:
        self.mask = mask
        self.log_probs = logits.masked_fill(~mask, ILLEGAL).log_softmax(dim=-1)

    def log_prob(self, actions: Tensor) -> Tensor:
        """Log-probability [N] of the actions [N]."""
        return self.log_probs.gather(-1, actions.unsqueeze(-1)).squeeze(-1)

    def entropy(self) -> Tensor:
        """Entropy [N] in nats, over the legal actions only."""
        terms = self.log_probs.exp() * self.log_probs
        return -terms.masked_fill(~self.mask, 0.0).sum(dim=-1)

    def sample(self, generator: torch.Generator) -> Tensor:
        """One drawn action [N] a row."""
        return torch.multinomial(self.log_probs.exp(), 1, generator=generator).squeeze(-1)

    def mode(self) -> Tensor:
        """The likeliest action [N] of each row."""
        return self.log_probs.argmax(dim=-1)
