"""The process: threads, device and interruption, each settled in one place."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Any, Self

import torch

from experiments.lib.run import RunError


def processors() -> int:
    """Number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def set_threads(threads: int | None) -> int:
    """Set the number of threads of PyTorch, here and nowhere else.

    Args:
        threads: how many; None for one a processor.

    Returns:
        The number, for the environments to use as well.
    """
    threads = threads or processors()
    torch.set_num_threads(threads)
    return threads


def pick_device(name: str) -> torch.device:
    """The device of a name; ``auto`` is CUDA if there is any, else the CPU.

    Raises:
        RunError: if CUDA is asked for and there is none.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda" and not torch.cuda.is_available():
        raise RunError("device='cuda', but PyTorch finds no CUDA device: use 'cpu' or 'auto'")
    return torch.device(name)


class Interruption:
    """Turns the first Ctrl-C or SIGTERM into a flag, so that work stops at a whole update.

    A second one interrupts at once.
    """

    def __init__(self) -> None:
        self.asked = False
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *error: object) -> None:
        self._restore()

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
