"""The action table: one numbering for every preset, to and from text.

====== ===========================================
0-31   play that card
32     pass
33-38  take at S, H, D, C, SA, TA
39     DECLARE (``announce: choice``, rules section 10)
40     SILENT
====== ===========================================
"""

from __future__ import annotations

from typing import Final

from belote_env.cards import CONTRACTS, NUM_CARDS, card_name, parse_card

PASS: Final = 32
TAKE: Final = 33
"""Take at contract ``c`` is the action ``TAKE + c``."""
DECLARE: Final = 39
SILENT: Final = 40
NUM_ACTIONS: Final = 41


class IllegalActionError(ValueError):
    """An action that is not legal where it was tried; nothing has changed."""


_NAMES: Final = (
    *(card_name(card) for card in range(NUM_CARDS)),
    "pass",
    *CONTRACTS,
    "declare",
    "silent",
)
_IDS: Final = {name: action for action, name in enumerate(_NAMES)}


def action_name(action: int) -> str:
    """Text of an action id: a card such as ``"JH"``, ``"pass"``, a contract, a word."""
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action} is outside 0-{NUM_ACTIONS - 1}")
    return _NAMES[action]


def parse_action(name: str) -> int:
    """Action id of a text.

    Raises:
        ValueError: if the text is neither a card nor a call nor a word.
    """
    if name in _IDS:
        return _IDS[name]
    if len(name) == 2:
        return parse_card(name)
    raise ValueError(f"{name!r} is no action: use a card or one of {', '.join(_NAMES[PASS:])}")
