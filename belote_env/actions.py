"""The action table: one numbering for every preset, to and from text.

======= ==================================================================
0-31    play that card
32      pass
33-38   take at S, H, D, C, SA, TA
39      DECLARE (``announce: choice``, rules section 10)
40      SILENT
41-106  bid 80, 90 ... 160, capot, générale (rules, section 9): six a value
107     coinche
108     surcoinche
======= ==================================================================

Rule sets with bids use the whole table, the others its first 41 ids.
"""

from __future__ import annotations

from typing import Final

from belote_env.cards import CONTRACTS, NUM_CARDS, card_name, parse_card
from belote_env.checks import is_whole

PASS: Final = 32
TAKE: Final = 33
"""Take at contract ``c`` is the action ``TAKE + c``."""
DECLARE: Final = 39
SILENT: Final = 40
BID: Final = 41
"""The bid of value ``v`` (an index of `BID_NAMES`) at contract ``c`` is ``BID + 6 * v + c``."""
COINCHE: Final = 107
SURCOINCHE: Final = 108
NUM_ACTIONS: Final = 109
NUM_TAKE_ACTIONS: Final = 41
"""Actions of a game without bids."""

BID_NAMES: Final = (*map(str, range(80, 161, 10)), "capot", "generale")
NUM_BIDS: Final = len(BID_NAMES)
BID_CAPOT: Final = BID_NAMES.index("capot")
BID_GENERALE: Final = BID_NAMES.index("generale")

SPLIT: Final = 59
"""A set of actions takes two words: ids below this one, and the others from it on."""


class IllegalActionError(ValueError):
    """An action that is not legal where it was tried; nothing has changed."""


_NAMES: Final = (
    *(card_name(card) for card in range(NUM_CARDS)),
    "pass",
    *CONTRACTS,
    "declare",
    "silent",
    *(f"{value} {contract}" for value in BID_NAMES for contract in CONTRACTS),
    "coinche",
    "surcoinche",
)
_IDS: Final = {name: action for action, name in enumerate(_NAMES)}


def action_name(action: int) -> str:
    """Text of an action id: a card such as ``"JH"``, a call such as ``"110 H"``, a word."""
    if not is_whole(action) or not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action!r} is outside 0-{NUM_ACTIONS - 1}")
    return _NAMES[action]


def parse_action(name: str) -> int:
    """Action id of a text.

    Raises:
        ValueError: if the text is neither a card nor a call nor a word.
    """
    is_text = isinstance(name, str)  # pyright: ignore[reportUnnecessaryIsInstance]
    if is_text and name in _IDS:
        return _IDS[name]
    if is_text and len(name) == 2:
        return parse_card(name)
    raise ValueError(f"{name!r} is no action: use a card or one of {', '.join(_NAMES[PASS:])}")
