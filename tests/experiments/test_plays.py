"""Files of plays: what was played is kept, and what was not is refused."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.spec import as_spec
from belote_env import rules
from belote_env.game import Episode
from experiments.lib.duplicate import Effort
from experiments.lib.par import ParJob, solve_pars
from experiments.lib.plays import read_match, write_match
from experiments.lib.round_robin import RoundRobin
from experiments.lib.run import RunError
from tests.experiments.round_robins import CLASSIC, match_of, play, round_robin


def test_a_file_keeps_everything(tmp_path: Path) -> None:
    match = match_of(np.array([[10.0, -3], [4, 0]]), (Effort(5, 0.25), Effort(6, 1.5)))
    write_match(tmp_path / "a" / "b.npz", match)
    read = read_match(tmp_path / "a" / "b.npz")
    np.testing.assert_array_equal(read.outcomes, match.outcomes)
    np.testing.assert_array_equal(read.winners, match.winners)
    assert read.efforts == match.efforts


def flipped(data: bytes) -> bytes:
    """A byte of the compressed outcomes changed."""
    return data[:120] + bytes([data[120] ^ 255]) + data[121:]


def as_npy(data: bytes) -> bytes:
    """Another kind of file under that name."""
    file = BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:100], flipped, as_npy])
def test_a_damaged_file_is_named(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    play(round_robin(tmp_path), blocks=1)
    (file,) = tmp_path.rglob("*.npz")
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(RunError, match=r"00000\.npz is damaged \(.+\): remove it"):
        round_robin(tmp_path)


def fewer(stored: dict[str, NDArray[Any]]) -> None:
    for name in ("outcomes", "winners"):
        stored[name] = stored[name][:, :-1]


def more(stored: dict[str, NDArray[Any]]) -> None:
    for name in ("outcomes", "winners"):
        stored[name] = np.concatenate([stored[name]] * 2, axis=1)


def short_winners(stored: dict[str, NDArray[Any]]) -> None:
    stored["winners"] = stored["winners"][:, :-1]


def plain_outcomes(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"] = np.zeros((2, 6, 1))


def wide_winners(stored: dict[str, NDArray[Any]]) -> None:
    stored["winners"] = stored["winners"].astype(int)


def two_deals(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"] = np.concatenate([stored["outcomes"]] * 2, axis=2)


def unfinished(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"]["result"][1, 2] = 0


def unknown_result(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"]["result"][1, 2] = 6


def too_many_marks(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"]["marks"][0, 0, 0, 0] = 600


def negative_marks(stored: dict[str, NDArray[Any]]) -> None:
    stored["outcomes"]["marks"][0, 0, 0, 0] = -1


def other_winners(stored: dict[str, NDArray[Any]]) -> None:
    stored["winners"] = 1 - np.abs(stored["winners"])


def more_decisions(stored: dict[str, NDArray[Any]]) -> None:
    stored["decisions"] = np.array([1, 2, 3])


def no_seconds(stored: dict[str, NDArray[Any]]) -> None:
    stored["seconds"][0] = np.nan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (fewer, "not two plays of 6 deals"),
        (more, "not two plays of 6 deals"),
        (short_winners, "not two plays of 6 deals"),
        (plain_outcomes, "its outcomes are of type float64"),
        (wide_winners, "its winners are of type int64"),
        (two_deals, "it has 2 deals of each deal"),
        (unfinished, "a deal that was not finished"),
        (unknown_result, "a result above 5"),
        (too_many_marks, "marks that no deal under classic has"),
        (negative_marks, "marks that no deal under classic has"),
        (other_winners, "winners other than the marks say"),
        (more_decisions, "argument"),
        (no_seconds, "it has an Effort"),
    ],
)
def test_a_block_that_was_not_played_so_is_refused(
    change: Callable[[dict[str, NDArray[Any]]], None], message: str, tmp_path: Path
) -> None:
    play(round_robin(tmp_path), blocks=1)
    (file,) = tmp_path.rglob("*.npz")
    stored = dict(np.load(file))
    change(stored)
    np.savez_compressed(file, **stored)
    with pytest.raises(RunError, match=rf"00000\.npz is damaged \(.*{message}.*\): remove it"):
        round_robin(tmp_path)


@pytest.mark.parametrize("preset", ["coinche+announce=choice", "sans_tout_atout", "two_player"])
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_what_was_played_is_taken(preset: str, episode: Episode, tmp_path: Path) -> None:
    specs = {name: as_spec("random") for name in ("a", "b")}
    rounds = [
        play(RoundRobin(tmp_path, specs, {("a", "b"): 40}, rules.resolve(preset), episode, 20, 1))
        for _ in range(2)
    ]
    assert rounds == [["a b"] * 2, []]


@pytest.mark.parametrize(
    "controls", [np.zeros((2, 2)), np.zeros((3, 2), int), np.full((3, 2), np.nan)]
)
def test_controls_that_are_of_other_deals_are_refused(
    controls: NDArray[Any], tmp_path: Path
) -> None:
    job = ParJob(tmp_path / "0.npy", CLASSIC, 3, seed=1)
    np.save(job.path, controls)
    with pytest.raises(RunError, match=r"0\.npy is damaged \(it has .*\): remove it"):
        solve_pars([job], 1, lambda: False, lambda share: None)
    job.path.write_bytes(b"")
    with pytest.raises(RunError, match=r"0\.npy is damaged \(.+\): remove it"):
        solve_pars([job], 1, lambda: False, lambda share: None)
