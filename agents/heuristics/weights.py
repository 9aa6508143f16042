"""The numbers of the heuristic player, by version.

Those of the play are in card points, those of the calls on the scale of what they are compared
with.  They were found by play, those that matter in `classic` first: a random change was kept if it
won marks against the numbers before it (`experiments.tune_heuristic`).  What a hand is worth
against a contract (TO_OPPOSE) was set by hand.  Version 1 is frozen: other numbers are another
version.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

VERSIONS: Final = (1,)
"""Versions of the player, each a row of the weights."""
_PLACES: Final = 4
_RANKS: Final = 8
_JUDGEMENTS: Final = 4

PLAY_DTYPE: Final = np.dtype(
    [
        # How likely a hand that did not take, and one that did, is to hold a card among those of
        # equal chances.
        ("trumps", np.float64, 2),
        ("others", np.float64, 2),
        # The rest has a value for each place of the taker as seen from the seat: itself, the next
        # seat, partner, the last.
        ("rescue", np.float64, _PLACES),  # trust that partner takes a trick that is being lost
        # Leading: worth of
        ("lead_pot", np.float64, _PLACES),  # what the others put on the lead, in points
        ("lead_pot_ten", np.float64, _PLACES),  # the same of a suit whose ten is unseen
        ("lead_points", np.float64, _PLACES),  # a point kept in hand
        ("lead_length", np.float64, _PLACES),  # each other card of the suit
        ("lead_trump", np.float64, _PLACES),
        ("lead_trump_each", np.float64, _PLACES),  # each trump that an opponent may hold
        ("lead_top_trump", np.float64, _PLACES),
        ("lead_idle_trump", np.float64, _PLACES),  # no opponent can hold a trump
        ("lead_master", np.float64, _PLACES),
        ("lead_safe_master", np.float64, _PLACES),  # no opponent can hold a trump
        ("lead_late_trump", np.float64, _PLACES),  # for each trick played, like the next
        ("lead_late_master", np.float64, _PLACES),
        ("lead_singleton", np.float64, _PLACES),  # a ruff in prospect
        ("lead_from_ten", np.float64, _PLACES),  # a ten that is not master stays behind
        # Following: worth of
        ("to_come", np.float64, _PLACES),  # what each later seat adds, in points
        ("lead_next", np.float64, _PLACES),  # winning the trick, besides its points
        ("overtake", np.float64, _PLACES),  # leaving to partner a trick that he holds
        ("keep_points", np.float64, _PLACES),  # a point kept in hand
        ("keep_trump", np.float64, _PLACES),
        ("keep_trump_each", np.float64, _PLACES),  # each trump that an opponent may hold
        ("keep_top_trump", np.float64, _PLACES),
        ("keep_master", np.float64, _PLACES),
        ("keep_safe_master", np.float64, _PLACES),  # no opponent can hold a trump
        ("keep_late_trump", np.float64, _PLACES),  # for each trick played, like the next
        ("keep_late_master", np.float64, _PLACES),
        ("keep_second", np.float64, _PLACES),  # a guarded card that one unseen card beats
        ("keep_length", np.float64, _PLACES),  # each other card of the suit
        ("bare_ten", np.float64, _PLACES),  # not leaving a ten without a guard
        ("new_void", np.float64, _PLACES),  # playing the last card of a suit, with trumps in hand
    ]
)
"""Weights of the play (`agents.heuristics.play`)."""

CALL_DTYPE: Final = np.dtype(
    [
        # Worth of a hand (`agents.heuristics.hands`), a row for each thing it is judged for.
        ("base", np.float64, _JUDGEMENTS),
        ("trump", np.float64, (_JUDGEMENTS, _RANKS)),  # each trump by rank
        ("belote", np.float64, _JUDGEMENTS),
        ("ace", np.float64, _JUDGEMENTS),  # in a side suit, like the following
        ("ten_with_ace", np.float64, _JUDGEMENTS),
        ("ten_guarded", np.float64, _JUDGEMENTS),
        ("king_guarded", np.float64, _JUDGEMENTS),
        ("void", np.float64, _JUDGEMENTS),
        ("singleton", np.float64, _JUDGEMENTS),  # not an ace
        # At SA and TA, suit by suit: the first, second and third card in strength.
        ("even_base", np.float64, (_JUDGEMENTS, 2)),
        ("first", np.float64, (_JUDGEMENTS, 2)),
        ("second_with_first", np.float64, (_JUDGEMENTS, 2)),
        ("third_with_both", np.float64, (_JUDGEMENTS, 2)),
        ("second_guarded", np.float64, (_JUDGEMENTS, 2)),
        ("small_with_first", np.float64, (_JUDGEMENTS, 2)),  # each other card of its suit
        ("even_belote", np.float64, (_JUDGEMENTS, 2)),
        ("leads", np.float64, (_JUDGEMENTS, 2)),  # leading to trick 1
        # Calls (`agents.heuristics.calls`)
        ("annonces", np.float64),  # part of the points of own annonces that is counted on
        ("take", np.float64, (2, 4)),  # worth from which to take, by round and turn to speak
        ("take_even", np.float64, (2, 3)),  # the same at SA and TA: nobody, they, partner took
        ("bid_below", np.float64, 3),  # how far a bid stays below the points expected: the same
        ("capot", np.float64),  # points expected from which to bid it
        ("coinche", np.float64),  # points that the bid is expected to lack, to double it
        ("surcoinche", np.float64),  # points expected above the bid, to double again
    ]
)
"""Weights of the calls."""


def _table(dtype: np.dtype[Any], *rows: dict[str, Any]) -> NDArray[Any]:
    table = np.zeros(len(rows), dtype)
    for record, row in zip(table, rows, strict=True):
        for field, value in row.items():
            record[field] = value
    table.flags.writeable = False
    return table


_COLOUR = {
    "trumps": (1.18, 0.89),
    "others": (1.0, 0.99),
    "rescue": (0.25, 0.71, 0.52, 0.72),
    "lead_pot": (3.2, 1.71, 4.2, 3.0),
    "lead_pot_ten": (0.0, -1.04, -1.58, 0.0),
    "lead_points": (0.5, 0.1, 0.6, 0.28),
    "lead_length": (0.68, 0.0, 1.04, 0.17),
    "lead_trump": (-2.0, -6.0, 3.4, -6.7),
    "lead_trump_each": (0.38, -1.04, 3.5, -1.34),
    "lead_top_trump": (3.0, -1.0, 3.7, -1.5),
    "lead_idle_trump": (-25.0, -14.7, -18.0, -15.0),
    "lead_master": (1.5, 3.5, 2.4, 3.8),
    "lead_safe_master": (2.48, 3.9, 2.71, 3.9),
    "lead_late_trump": (0.0, 0.0, 0.0, -1.02),
    "lead_late_master": (0.0, 1.2, 2.58, 4.6),
    "lead_singleton": (-1.42, 5.2, 0.25, 4.5),
    "lead_from_ten": (2.39, -4.8, -3.4, -4.2),
    "to_come": (0.7, 5.3, 7.1, 6.2),
    "lead_next": (2.27, 2.0, 3.6, 1.85),
    "overtake": (6.8, 5.2, 1.5, 6.0),
    "keep_points": (0.97, 0.17, 0.54, 0.2),
    "keep_trump": (3.0, 13.6, 4.3, 12.0),
    "keep_trump_each": (0.33, -0.15, 0.0, 0.0),
    "keep_top_trump": (4.3, 5.0, 14.0, 14.6),
    "keep_master": (6.0, 6.0, 9.6, 3.6),
    "keep_safe_master": (6.0, 6.0, 7.3, 6.0),
    "keep_late_trump": (0.0, 4.4, 1.48, 2.34),
    "keep_late_master": (-0.36, 0.0, 0.0, -0.39),
    "keep_second": (1.72, 3.0, 3.0, 3.0),
    "keep_length": (0.11, 0.0, 0.0, -0.7),
    "bare_ten": (2.41, 2.29, 3.0, 3.0),
    "new_void": (4.6, 1.7, 5.9, 1.7),
}
_SANS_ATOUT = {
    "trumps": (1.0, 1.0),
    "others": (1.33, 1.0),
    "rescue": (0.7, 0.93, 0.7, 0.7),
    "lead_pot": (9.1, 12.09, 9.1, 9.1),
    "lead_pot_ten": (-3.12, -3.12, -3.12, -3.12),
    "lead_points": (1.47, 0.2, 0.2, 1.37),
    "lead_length": (1.15, 0.5, 0.5, 0.5),
    "lead_safe_master": (2.0, 2.0, 2.0, 2.0),
    "lead_late_master": (0.0, 4.28, 0.0, 0.0),
    "lead_from_ten": (-4.5, -4.5, -3.89, -4.5),
    "to_come": (2.0, 2.0, 2.0, 2.0),
    "lead_next": (2.0, 2.0, 2.0, 1.21),
    "overtake": (-0.54, 0.92, -0.51, -3.0),
    "keep_points": (0.88, 0.88, 0.88, 0.88),
    "keep_safe_master": (8.0, 8.0, 11.49, 8.0),
    "keep_late_master": (0.0, 0.0, 0.0, -0.64),
    "keep_second": (3.0, 3.0, 3.0, 3.0),
    "keep_length": (0.38, 0.38, 1.78, 0.38),
    "bare_ten": (2.82, 3.0, 3.0, 5.05),
}
_TOUT_ATOUT = {
    "trumps": (1.0, 1.0),
    "others": (1.51, 1.51),
    "rescue": (0.7, 0.26, 0.7, 0.7),
    "lead_pot": (7.0, 7.0, 7.0, 3.72),
    "lead_points": (0.2, 0.2, 0.2, 0.25),
    "lead_length": (0.5, 0.5, 0.5, 0.5),
    "lead_safe_master": (2.0, 2.0, 2.0, 2.0),
    "lead_from_ten": (-4.5, -4.5, -4.5, -4.5),
    "to_come": (2.0, 2.0, 2.0, 2.0),
    "lead_next": (2.0, 2.0, 2.0, 2.0),
    "overtake": (3.0, 3.0, 3.0, 3.0),
    "keep_points": (0.4, 0.4, 0.4, 0.4),
    "keep_safe_master": (14.67, 8.0, 8.0, 8.0),
    "keep_second": (3.0, 3.0, 3.0, 3.0),
    "bare_ten": (3.0, 3.0, 2.46, 3.0),
}
_CALLS = {
    "base": (0.0, 24.0, 20.0, -26.0),
    "trump": (
        (5.0, 7.4, 15.4, 10.5, 26.4, 5.7, 7.3, 11.0),
        (11.44, 9.35, 26.04, 15.55, 33.49, 13.46, 10.43, 14.85),
        (2.0, 2.0, 14.0, 8.0, 22.0, 3.0, 3.0, 8.0),
        (8.03, 6.37, 20.87, 12.28, 34.04, 12.41, 8.66, 14.61),
    ),
    "belote": (10.0, 16.17, 14.0, 14.98),
    "ace": (9.0, 8.53, 12.0, 8.23),
    "ten_with_ace": (6.0, 4.08, 6.0, 0.83),
    "ten_guarded": (3.0, 6.21, 2.0, 5.2),
    "king_guarded": (0.3, 2.79, 0.0, -3.49),
    "void": (0.4, 6.26, 2.0, 4.24),
    "singleton": (0.0, 0.59, 0.0, -2.2),
    "even_base": ((-0.44, 0.37), (20.0, 20.0), (20.0, 20.0), (-30.0, -30.0)),
    "first": ((14.0, 12.0), (22.0, 22.0), (22.0, 22.0), (22.0, 22.0)),
    "second_with_first": ((2.96, 9.4), (12.0, 12.0), (12.0, 12.0), (12.0, 12.0)),
    "third_with_both": ((4.4, 6.0), (6.0, 7.0), (6.0, 7.0), (6.0, 7.0)),
    "second_guarded": ((3.0, 4.0), (5.95, 5.0), (4.0, 5.0), (4.0, 11.69)),
    "small_with_first": ((2.0, 3.28), (-1.37, 1.0), (2.0, 1.0), (2.0, 1.0)),
    "even_belote": ((0.0, 14.22), (0.0, 16.0), (0.0, 16.0), (0.0, 23.92)),
    "leads": ((1.1, 5.0), (8.0, 8.0), (8.0, 8.0), (8.0, 8.0)),
    "annonces": 0.5,
    "take": ((41.6, 39.0, 41.5, 38.5), (44.7, 42.0, 41.1, 42.5)),
    "take_even": ((40.0, 30.45, 52.0), (53.21, 42.16, 62.65)),
    "bid_below": (-0.82, -5.93, 4.19),
    "capot": 312.97,
    "coinche": 97.01,
    "surcoinche": 11.75,
}

PLAY: Final = _table(PLAY_DTYPE, _COLOUR, _SANS_ATOUT, _TOUT_ATOUT).reshape(-1, 3)
"""Weights of the play by version, in a trump suit, at SA and at TA, dtype `PLAY_DTYPE` [1, 3]."""
CALLS: Final = _table(CALL_DTYPE, _CALLS)
"""Weights of the calls by version, dtype `CALL_DTYPE` [1]."""
