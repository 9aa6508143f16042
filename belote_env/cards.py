"""Cards, contracts, orders and values: names, ids and tables, no logic.

A card is an id, ``8 * suit + rank``, with suits S H D C and ranks 7 8 9 T J Q K A (0 to 7 each).
A set of cards is a bitboard: bit ``card`` of an unsigned 32-bit integer.  A contract is 0-3 for a
trump suit, 4 for sans atout and 5 for tout atout.  Tables indexed by contract have six rows.

Tables that kernels read are int64, so that numba never mixes signed and unsigned integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from belote_env.checks import check_whole

SUITS: Final = "SHDC"
RANKS: Final = "789TJQKA"
CONTRACTS: Final = ("S", "H", "D", "C", "SA", "TA")

NUM_CARDS: Final = 32
NUM_SEATS: Final = 4
NUM_CONTRACTS: Final = 6
HAND_SIZE: Final = 8
SANS_ATOUT: Final = 4
TOUT_ATOUT: Final = 5
FULL_DECK: Final = 0xFFFFFFFF

NINE: Final = RANKS.index("9")
TEN: Final = RANKS.index("T")
JACK: Final = RANKS.index("J")
QUEEN: Final = RANKS.index("Q")
KING: Final = RANKS.index("K")
ACE: Final = RANKS.index("A")

PLAIN_ORDER: Final = "789JQKTA"
"""Ranks from low to high in a plain suit, and in every suit at sans atout (rules, section 1)."""
TRUMP_ORDER: Final = "78QKTA9J"
"""Ranks from low to high in the trump suit, and in every suit at tout atout."""

PLAIN_POINTS: Final = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
TRUMP_POINTS: Final = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3}

SA_POINTS: Final = {
    "scaled": {"A": 19, "T": 10, "K": 4, "Q": 3, "J": 2},
    "raw": PLAIN_POINTS,
    "pagat": {"A": 19, "T": 10, "K": 4, "Q": 3, "J": 2},
}
"""Card points at sans atout for each value of the option ``sa_ta_values``."""
TA_POINTS: Final = {
    "scaled": {"J": 13, "9": 9, "A": 6, "T": 5, "K": 3, "Q": 2},
    "raw": TRUMP_POINTS,
    "pagat": {"J": 14, "9": 9, "A": 6, "T": 5, "K": 3, "Q": 1},
}
"""Card points at tout atout for each value of the option ``sa_ta_values``."""

DER: Final = 10
"""Points of the last trick (dix de der)."""
CAPOT_DER: Final = 100
"""Points of the last trick when one side has won all eight."""

SUIT_CARDS: Final[NDArray[np.int64]] = np.array([0xFF << (8 * s) for s in range(4)], np.int64)
"""Bitboard of each suit, shape (4,)."""

TRUMP_CARDS: Final[NDArray[np.int64]] = np.array([*SUIT_CARDS, 0, FULL_DECK], np.int64)
"""Cards in trump order under each contract: a suit, none at SA, all at TA.  Shape (6,)."""

RUFF_CARDS: Final[NDArray[np.int64]] = np.array([*SUIT_CARDS, 0, 0], np.int64)
"""Cards that win over another suit under each contract: no card does at SA and TA.  Shape (6,)."""


def _beats() -> NDArray[np.int64]:
    table = np.zeros((NUM_CONTRACTS, NUM_CARDS), np.int64)
    for contract in range(NUM_CONTRACTS):
        for card in range(NUM_CARDS):
            trump = bool(TRUMP_CARDS[contract] >> card & 1)
            order = TRUMP_ORDER if trump else PLAIN_ORDER
            above = order[order.index(RANKS[card % 8]) + 1 :]
            beaten_by = sum(1 << (card - card % 8 + RANKS.index(rank)) for rank in above)
            table[contract, card] = beaten_by | (0 if trump else int(RUFF_CARDS[contract]))
    return table


BEATS: Final = _beats()
"""``BEATS[contract, card]``: the cards that take a trick which ``card`` holds.  Shape (6, 32)."""


def card_name(card: int) -> str:
    """Name of a card id, rank then suit: ``card_name(12)`` is ``"JH"``.

    Raises:
        ValueError: if it is no id.
    """
    card = check_whole("card", card, most=NUM_CARDS - 1)
    return RANKS[card % 8] + SUITS[card // 8]


def parse_card(name: str) -> int:
    """Card id of a name such as ``"JH"``.

    Raises:
        ValueError: if the name is no rank of 789TJQKA followed by a suit of SHDC.
    """
    is_text = isinstance(name, str)  # pyright: ignore[reportUnnecessaryIsInstance]
    if not is_text or len(name) != 2 or name[0] not in RANKS or name[1] not in SUITS:
        raise ValueError(
            f"{name!r} is no card: write a rank of {RANKS} and a suit of {SUITS}, such as 'JH'"
        )
    return 8 * SUITS.index(name[1]) + RANKS.index(name[0])


def parse_contract(name: str) -> int:
    """Contract id (0-5) of ``"S"``, ``"H"``, ``"D"``, ``"C"``, ``"SA"`` or ``"TA"``."""
    is_text = isinstance(name, str)  # pyright: ignore[reportUnnecessaryIsInstance]
    if not is_text or name not in CONTRACTS:
        raise ValueError(f"{name!r} is no contract: use one of {', '.join(CONTRACTS)}")
    return CONTRACTS.index(name)


def bitboard(cards: Iterable[int]) -> int:
    """Bitboard of some card ids.

    Raises:
        ValueError: if one is no id.
    """
    board = 0
    for card in cards:
        board |= 1 << check_whole("card", card, most=NUM_CARDS - 1)
    return board


def iter_cards(board: int) -> Iterator[int]:
    """Card ids of a bitboard, lowest first."""
    while board:
        yield (board & -board).bit_length() - 1
        board &= board - 1


def card_names(board: int) -> list[str]:
    """Names of the cards of a bitboard, in id order."""
    return [card_name(card) for card in iter_cards(int(board))]
