"""Metrics of a run: a JSON line an update, and the same for TensorBoard."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Self

from torch.utils.tensorboard import SummaryWriter

from experiments.lib.run import RunDirectory, write_atomic


def read_metrics(run: RunDirectory) -> list[dict[str, Any]]:
    """The records of a run, oldest first; NaN is None.

    A line that a killed process left unfinished ends the list.
    """
    records: list[dict[str, Any]] = []
    if run.metrics.exists():
        for line in run.metrics.read_text().splitlines():
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError:
                break
    return records


class Tracker:
    """Writes the metrics of a run, from an update on.

    Args:
        run: where to.
        update: the update that training goes on from; what was written after it is dropped, as it
            will be done again.
    """

    def __init__(self, run: RunDirectory, update: int) -> None:
        kept = [record for record in read_metrics(run) if record["update"] <= update]
        write_atomic(run.metrics, "".join(json.dumps(record) + "\n" for record in kept))
        self._file = run.metrics.open("a", encoding="utf-8")
        self._writer = SummaryWriter(str(run.tensorboard), purge_step=update + 1)

    def log(self, update: int, values: Mapping[str, float]) -> None:
        """Write the values of an update."""
        finite = {key: value if math.isfinite(value) else None for key, value in values.items()}
        self._file.write(json.dumps({"update": update, **finite}) + "\n")
        self._file.flush()
        for key, value in finite.items():
            if value is not None:
                self._writer.add_scalar(key, value, update)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        self._writer.close()
