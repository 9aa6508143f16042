"""Jobs on several processes: what one of them is told, and what its end means."""

from __future__ import annotations

import os
import signal

import pytest

from experiments.lib.pool import work
from experiments.lib.run import RunError


def _square(number: int) -> int:
    return number * number


def _send(number: int) -> int:
    os.kill(os.getpid(), number)
    return number


def _never() -> bool:
    return False


def test_every_job_is_done_and_comes_with_its_result() -> None:
    done = dict(work(iter(range(5)), _square, 2, _never))

    assert done == {number: number * number for number in range(5)}


def test_a_process_ends_its_job_whatever_it_is_asked() -> None:
    asked = [signal.SIGINT, signal.SIGTERM]

    assert sorted(result for _, result in work(iter(asked), _send, 2, _never)) == sorted(asked)


def test_a_killed_process_is_told_in_a_sentence() -> None:
    with pytest.raises(RunError, match=r"a process was killed, .* the same command goes on"):
        list(work(iter([signal.SIGKILL]), _send, 2, _never))
