"""Pictures of a game for people."""

from __future__ import annotations

from typing import Final

from belote_env.checks import require
from belote_env.render.ansi import draw

__all__ = ["RENDER_MODES", "check_render_mode", "draw", "show"]

RENDER_MODES: Final = ("ansi", "human")


def check_render_mode(mode: str | None) -> None:
    """Refuse an unknown way to render.

    Raises:
        ValueError: if it is neither None nor one of `RENDER_MODES`.
    """
    known = mode is None or (isinstance(mode, str) and mode in RENDER_MODES)  # pyright: ignore[reportUnnecessaryIsInstance]
    require(known, "render_mode", mode, f"None or one of {', '.join(map(repr, RENDER_MODES))}")


def show(mode: str | None, text: str) -> str | None:
    """Give a picture out as a mode asks: returned under ``"ansi"``, printed under ``"human"``.

    Raises:
        ValueError: if there is no mode.
    """
    if mode is None:
        raise ValueError(f"nothing to render to: make the environment with one of {RENDER_MODES}")
    if mode == "ansi":
        return text
    print(text)
    return None
