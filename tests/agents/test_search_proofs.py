"""The proofs of the search on few positions, and that each of them finds what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from belote_env import RandomAgent
from experiments import search_proofs
from experiments.search_proofs import PARTS, Job, do, kolmogorov_smirnov, prove, summary
from tests.agents import proofs, solving
from tests.agents.proofs import chi_square

SLOW = ("pimc(worlds=8, weights", "ismcts(", "montecarlo(", "mixed(")
"""How the agents' names begin that take seconds to compile."""
CHECKS = [
    (part, name)
    for part in ("solver", "sampler", "agents")
    for name in PARTS[part]
    if not name.startswith(SLOW)
]


@pytest.mark.parametrize(("part", "name"), CHECKS)
def test_nothing_differs(part: str, name: str):
    found = do(Job(part, name, seed=1, first=0, last=3))

    figures = summary(found)
    assert next(iter(figures.values())) >= 3
    assert figures["rules"]


def test_a_part_is_summed_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(PARTS, "few", {"endings": (proofs.check_ending, 50)})

    result = prove("few", share=0.5, seed=2, processes=1)

    assert result["endings"]["endings"] == 25
    assert result["endings"]["of 5 cards"] == 1
    assert result["seed"] == 2


def test_a_position_is_checked_the_same_whatever_comes_before():
    name = "frequencies in small positions"
    both = do(Job("sampler", name, seed=3, first=3, last=5))

    assert both == [do(Job("sampler", name, 3, first, first + 1))[0] for first in (3, 4)]


def test_a_wrong_value_of_the_solver_is_found(monkeypatch: pytest.MonkeyPatch):
    right = solving.solve_cards

    def wrong(*args: Any, **options: Any) -> Any:
        solution = right(*args, **options)
        for bounds in (solution.lower, solution.upper):
            bounds[bounds != solving.NOT_LEGAL] += 2
        return solution

    monkeypatch.setattr(solving, "solve_cards", wrong)
    for name in PARTS["solver"]:
        with pytest.raises(AssertionError, match=rf"solver: {name}: seed 1, position 2: "):
            do(Job("solver", name, seed=1, first=2, last=3))


def sampling(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Let the worlds drawn be changed."""
    right = proofs.sample_worlds

    def wrong(rules: Any, known: Any, key: Any, first: int, out: NDArray[np.uint32]) -> int:
        written = right(rules, known, key, first, out)
        change(out)
        return written

    monkeypatch.setattr(proofs, "sample_worlds", wrong)


def test_a_world_that_cannot_be_is_found(monkeypatch: pytest.MonkeyPatch):
    def exchange_hands(worlds: NDArray[np.uint32]) -> None:
        worlds[0, [1, 2]] = worlds[0, [2, 1]]

    sampling(monkeypatch, exchange_hands)
    for name in ("frequencies in small positions", "every world"):
        with pytest.raises(AssertionError, match=f"sampler: {name}"):
            do(Job("sampler", name, seed=1, first=0, last=20))


def test_worlds_of_which_some_come_more_often_are_found(monkeypatch: pytest.MonkeyPatch):
    def repeat(worlds: NDArray[np.uint32]) -> None:
        half = len(worlds) // 8
        worlds[half : 2 * half] = worlds[:1]

    sampling(monkeypatch, repeat)
    for name in ("frequencies in small positions", "frequencies in auctions"):
        with pytest.raises(AssertionError, match="a chi-square test fails"):
            summary(do(Job("sampler", name, seed=1, first=0, last=6)))


def test_an_agent_whose_choice_is_not_its_own_is_found(monkeypatch: pytest.MonkeyPatch):
    one_for_all = RandomAgent(seed=1)
    monkeypatch.setattr(proofs, "make_agent", lambda *_: one_for_all)

    with pytest.raises(AssertionError, match="agents: heuristic: seed 1"):
        do(Job("agents", "heuristic", seed=1, first=0, last=20))


def test_p_values():
    assert chi_square(np.array([10.0, 20, 30]), np.full(3, 20.0)) == pytest.approx(np.exp(-5))
    assert chi_square(np.full(4, 20.0), np.full(4, 20.0)) == 1
    assert kolmogorov_smirnov((np.arange(100) + 0.5) / 100) == (pytest.approx(0.005), 1)
    distance, p_value = kolmogorov_smirnov(np.linspace(0, 0.8, 100))
    assert distance == pytest.approx(0.2)
    assert 1e-5 < p_value < 1e-3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "'nothing' is no part: use solver, peer, sampler, agents"),
        (["--share", "2"], "--share 2.0: over 0 and up to 1"),
        (["--processes", "0"], "--processes 0: at least 1"),
    ],
)
def test_bad_arguments_are_refused(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr("sys.argv", ["search_proofs", *arguments])
    with pytest.raises(SystemExit):
        search_proofs.main()
    assert message in capsys.readouterr().err
