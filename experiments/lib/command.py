"""What the command of an experiment does: check its settings, run, and say how it ended."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from experiments.lib.config import resolve_config
from experiments.lib.run import RunError


class _HasRun(Protocol):
    run_dir: str


_Config = TypeVar("_Config", bound=_HasRun)


def check_syntax(overrides: Sequence[str]) -> None:
    """Refuse settings of a tournament's command line that Hydra cannot read.

    Raises:
        ValueError: quoting the setting, and saying how agents are quoted, which Hydra cannot.
    """
    parser = OverridesParser.create()
    for override in overrides:
        try:
            parser.parse_override(override)
        except HydraException as error:
            reason = " ".join(str(error).split())
            raise ValueError(
                f"setting {override} cannot be read ({reason}): an agent with options needs quotes"
                " inside those of the shell, as in '+players.mine=\"pimc(worlds=32)\"'"
            ) from error


def run_command(
    composed: DictConfig,
    kind: type[_Config],
    run: Callable[[_Config], bool],
    *refusals: type[Exception],
) -> None:
    """Run an experiment as the command line says, from a function under `hydra.main`.

    Args:
        composed: what Hydra has put together; its file is called as the experiment is.
        kind: type of the configuration.
        run: the experiment; False if it was interrupted.
        refusals: what it raises, besides `RunError`, if it cannot be run as asked.

    Raises:
        SystemExit: with a line of text if it cannot be run as asked; with 130 if interrupted.
    """
    job: Any = HydraConfig.get()
    try:
        config = resolve_config(composed, list(job.overrides.task), kind)
    except (ValueError, OmegaConfBaseException) as error:
        sys.exit(f"error: {error}")
    try:
        finished = run(config)
    except (RunError, *refusals) as error:
        sys.exit(f"error: {error}")
    if not finished:
        command = f"python -m experiments.{job.job.config_name}"
        print(f"Stopped. To resume: {command} run_dir={config.run_dir}")
        sys.exit(130)
