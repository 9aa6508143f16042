"""Progress on a terminal as a bar, elsewhere as lines."""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


class ProgressDisplay:
    """A bar of the share done with a note beside it; without a terminal the lines alone."""

    def __init__(self) -> None:
        self.console = Console(highlight=False, soft_wrap=True)
        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("{task.description}"),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=1.0)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def show(self, done: float, note: str) -> None:
        """Set the share done, in 0-1, and the note beside the bar."""
        self._bar.update(self._task, completed=done, description=note)

    def line(self, text: str) -> None:
        """Print a line that stays."""
        self.console.print(text, markup=False)
