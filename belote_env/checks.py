"""Refusing bad arguments: every check raises ValueError with the name, the value and what is right.

    >>> check_whole("threads", 0, least=1)
    ValueError: threads=0: use a whole number of at least 1

Numbers may be of any integral type, NumPy's among them, and come back as ints; True and False are
flags and no numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Final, TypeGuard, cast

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

MAX_THREADS: Final = 1024
"""Most threads that are started; more are no error, as results do not depend on their number."""


class ResetNeededError(ResetNeeded, RuntimeError, AttributeError):
    """An environment was used before its first `reset`, or after an episode's end."""


def check_started(started: bool, what: str) -> None:
    """Refuse what comes before the first `reset`.

    Raises:
        ResetNeededError: naming it, such as ``"step()"``.
    """
    if not started:
        raise ResetNeededError(f"call reset() before {what}")


def require(valid: bool, name: str, value: object, legal: str) -> None:
    """Refuse a value unless it is valid, saying what would be."""
    if not valid:
        raise ValueError(f"{name}={value!r}: use {legal}")


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number of any type."""
    return isinstance(value, Integral) and not is_flag(value)


def is_finite(value: Any) -> bool:
    """Whether a value is a number of any type that a float holds, neither infinite nor nan."""
    if is_flag(value) or isinstance(value, np.ndarray):
        return False
    try:
        return math.isfinite(value)
    except (TypeError, OverflowError):
        return False


def is_flag(value: object) -> bool:
    """Whether a value is True or False."""
    return isinstance(value, bool | np.bool_)


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a list, tuple or array; a text is none."""
    many = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    return many or (isinstance(value, np.ndarray) and value.ndim == 1)


def check_whole(name: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """A whole number of ``least`` to ``most``, as an int."""
    legal = f"of at least {least}" if most is None else f"{least}-{most}"
    fits = is_whole(value) and least <= value and (most is None or value <= most)
    require(fits, name, value, f"a whole number {legal}")
    return int(value)


def check_number(
    name: str, value: Any, least: float = 0.0, most: float | None = None, *, above: bool = False
) -> float:
    """A finite number of ``least`` to ``most``, or only above ``least``, as a float."""
    legal = f"{'above' if above else 'of at least'} {least:g}"
    legal += "" if most is None else f" and at most {most:,.15g}"
    fits = is_finite(value) and least <= value and (most is None or value <= most)
    require(fits and not (above and value == least), name, value, f"a number {legal}")
    return float(value)


def check_array(
    name: str, array: Any, dtype: Any, shape: tuple[int | None, ...], legal: str
) -> None:
    """Refuse what is not an array of a dtype and shape; None stands for any length."""
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name}={array!r}: use {legal}")
    found = cast("NDArray[Any]", array)
    fits = found.ndim == len(shape) and all(
        asked in (None, has) for has, asked in zip(found.shape, shape, strict=True)
    )
    if not fits or found.dtype != dtype:
        kind = "" if found.dtype == dtype else f"{found.dtype} of "
        kind = "other fields of " if kind and found.dtype.names else kind
        raise ValueError(f"{name}: use {legal}, got {kind}shape {found.shape}")


def check_threads(threads: Any, work: int) -> int:
    """A number of threads, at most one for each piece of work and `MAX_THREADS`."""
    return min(check_whole("threads", threads, least=1), work, MAX_THREADS)


def check_pair(name: str, pair: Any, most: int) -> tuple[int, int]:
    """A whole number of 0 to ``most`` for each team, as ints."""
    if not is_list(pair) or len(pair) != 2:
        raise ValueError(f"{name}={pair!r}: give a number for team 0 and one for team 1")
    return check_whole(f"{name}[0]", pair[0], 0, most), check_whole(f"{name}[1]", pair[1], 0, most)


def check_seat(name: str, seat: Any, num_seats: int) -> int:
    """A seat of so many, as an int."""
    require(is_whole(seat) and 0 <= seat < num_seats, name, seat, f"a seat 0-{num_seats - 1}")
    return int(seat)


def check_seed(seed: Any) -> int | None:
    """A seed, as an int; None asks for fresh entropy."""
    if seed is None:
        return None
    require(is_whole(seed) and seed >= 0, "seed", seed, "an integer of zero or more, or None")
    return int(seed)


def check_flag(name: str, value: Any) -> bool:
    """True or False."""
    require(is_flag(value), name, value, "True or False")
    return bool(value)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of some texts."""
    known = isinstance(value, str) and value in choices
    require(known, name, value, f"one of {', '.join(map(repr, choices))}")
    return value


def check_text(name: str, value: Any, what: str) -> str:
    """A text."""
    require(isinstance(value, str), name, value, what)
    return value


def check_list(name: str, value: Any, of: str) -> Sequence[Any]:
    """A list, tuple or array of ``of``; a text is none."""
    require(is_list(value), name, value, f"a list of {of}")
    return value


def check_dict(name: str, value: Any, of: str) -> dict[str, Any]:
    """A dict, whose keys and values ``of`` tells."""
    require(isinstance(value, dict), name, value, f"a dict of {of}")
    return value
