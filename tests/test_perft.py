"""The kernels count the same legal sequences as the reference did for the golden files."""

from __future__ import annotations

import json

import pytest

from tests.perft import DEALS, GOLDEN, Golden, count_by_kernels, follow, start


@pytest.mark.parametrize("name", DEALS)
def test_kernels_count_the_golden_sequences(name: str):
    deal: Golden = json.loads((GOLDEN / f"{name}.json").read_text())
    game = start(deal)

    assert count_by_kernels(game, len(deal["opening"])) == deal["opening"]
    follow(game, deal["line"])
    assert count_by_kernels(game, len(deal["ending"])) == deal["ending"]
