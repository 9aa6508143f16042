"""The solver's memory: bounds on the value of positions at the start of a trick.

Who holds a card is the same in all positions of a deal, so a position is 36 bits: the cards left,
the leader, and which sides may still make capot.  (The search gives some positions of equal value
one name.)  An entry is one word.  Its place and its tag together are the position, mixed by a
bijection, so entries are never taken for others.  An epoch, one for each deal solved, makes all
older entries void at no cost.

    epoch 21 bits | tag 19 | lower bound 9 | upper bound 9 | best card 5
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from belote_env.checks import check_array
from belote_env.engine.jit import part

_BITS: Final = 17
"""Logarithm of the number of entries: a megabyte, which processors keep near."""
_KEY_BITS: Final = 36
_TAG_BITS: Final = _KEY_BITS - _BITS
_KEYS: Final = (1 << _KEY_BITS) - 1
_TAGS: Final = (1 << _TAG_BITS) - 1
_MULTIPLIER: Final = 0x9E3779B97
_BOUND: Final = 0x1FF
OFFSET: Final = 100
"""Added to bounds, which may be negative: a capot by team 1 counts -90."""
NUM_VALUES: Final = _BOUND + 1
"""Bounds with `OFFSET` added are below this."""
LAST_EPOCH: Final = (1 << 21) - 1
EPOCH: Final = 1 << _BITS
"""Where a table keeps its epoch."""


def new_table() -> NDArray[np.int64]:
    """An empty table, for any number of calls of the solver, one at a time."""
    return np.zeros(EPOCH + 1, np.int64)


def check_table(table: Any) -> None:
    """Refuse what does not come from `new_table`.

    Raises:
        ValueError: on an array of another dtype or shape, or anything else.
    """
    legal = f"one from new_table(), int64 of shape ({EPOCH + 1},)"
    check_array("table", table, np.int64, (EPOCH + 1,), legal)
    if not table.flags.carray:
        raise ValueError("table: use one from new_table(), got one not contiguous or not writable")


@part
def begin_epoch(table: Any) -> None:
    """Forget all positions: those to come belong to another deal."""
    if table[EPOCH] == LAST_EPOCH:
        table[:] = 0
    table[EPOCH] += 1


@part
def mixed(cards: int, leader: int, capots: int) -> Any:
    """A position as a number of 36 bits, whose high bits are the place of its entry."""
    key = cards | leader << 32 | capots << 34
    return ((key ^ key >> 18) * _MULTIPLIER) & _KEYS


@part
def probe(table: Any, key: int, lower: int, upper: int) -> tuple[Any, Any, Any]:
    """Narrow the bounds of a position by its entry.

    Args:
        table: from `new_table`.
        key: from `mixed`.
        lower: a lower bound of the position's value.
        upper: an upper bound.

    Returns:
        ``(lower, upper, card that was best or -1)``.
    """
    word = table[key >> _TAG_BITS]
    if word >> 23 != (table[EPOCH] << _TAG_BITS | key & _TAGS):
        return lower, upper, int64(-1)
    low = (word >> 14 & _BOUND) - OFFSET
    high = (word >> 5 & _BOUND) - OFFSET
    return max(lower, low), min(upper, high), word & 31


@part
def store(table: Any, key: int, lower: int, upper: int, card: int) -> None:
    """Enter the bounds of a position and its best card."""
    table[key >> _TAG_BITS] = (
        (table[EPOCH] << _TAG_BITS | key & _TAGS) << 23
        | (lower + OFFSET) << 14
        | (upper + OFFSET) << 5
        | card
    )
