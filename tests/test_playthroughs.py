"""The written playthroughs are still what the games do."""

from __future__ import annotations

import re

import pytest

from tests.playthrough import GOLDEN, SCENARIOS, playthrough, shows


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_playthrough_is_unchanged(name: str):
    scenario = SCENARIOS[name]
    text = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    seed = re.search(r"seed (\d+)", text)
    assert seed is not None

    assert playthrough(scenario, int(seed[1])) == text
    assert shows(text, scenario)
