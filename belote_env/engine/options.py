"""Rule options as data for kernels: one record a rule set.

Each field holds the index of the option's value in `belote_env.rules.option_values`; the constants
below name the values that kernels ask for.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from belote_env.cards import (
    CAPOT_DER,
    CONTRACTS,
    DER,
    NUM_CARDS,
    NUM_CONTRACTS,
    PLAIN_POINTS,
    RANKS,
    SA_POINTS,
    SANS_ATOUT,
    TA_POINTS,
    TOUT_ATOUT,
    TRUMP_POINTS,
)
from belote_env.rules import RuleSet, option_values

_ENUMERATED: Final = (
    "round2_turned_suit",
    "void_dealer",
    "dealing",
    "sa_ta",
    "sa_ta_rounds",
    "undertrump",
    "undertrump_partner",
    "raise_over_partner",
    "announce",
    "belote_tolerance",
    "belote_king_first",
    "belote_on_chute",
    "annonces",
    "annonce_tie",
    "annonce_card_reuse",
    "contract_test",
    "chute_capot",
    "litige",
    "litige_belote",
    "litige_chain",
    "litige_last_deal",
    "rounding",
    "target_rule",
    "belote_only_finish",
)

RULES_DTYPE: Final = np.dtype(
    [
        *((option, np.int64) for option in _ENUMERATED),
        ("target", np.int64),  # marks that end a match; 0 in a concours
        ("deals_per_party", np.int64),  # mènes of a party; 0 in a match to a target
        ("card_points", np.int64, (NUM_CONTRACTS, NUM_CARDS)),
        ("total", np.int64, NUM_CONTRACTS),  # W: trick points of a deal with der
        ("capot_total", np.int64, NUM_CONTRACTS),  # C: the same in a capot
    ]
)


def _code(option: str, value: object) -> int:
    return option_values(option).index(value)


ROUND2_ALLOWED: Final = _code("round2_turned_suit", "allowed")
VOID_SAME_DEALER: Final = _code("void_dealer", "same")
DEAL_BY_CUT: Final = _code("dealing", "cut")
SA_TA_SECOND: Final = _code("sa_ta_rounds", "second")
UNDERTRUMP_MUST: Final = _code("undertrump", "must")
PARTNER_RAISE: Final = _code("undertrump_partner", "raise")
PARTNER_FORBIDDEN: Final = _code("undertrump_partner", "forbidden")
RAISE_SOFT: Final = _code("raise_over_partner", "soft")
ANNOUNCE_CHOICE: Final = _code("announce", "choice")
TOLERANCE_ONCE: Final = _code("belote_tolerance", "once")
TOLERANCE_ALWAYS: Final = _code("belote_tolerance", "always")
BELOTE_LOST: Final = _code("belote_on_chute", "lost")
TIE_FIRST: Final = _code("annonce_tie", "first")
TEST_82_IN_TRICKS: Final = _code("contract_test", "82_in_tricks")
CHUTE_CAPOT_PLAIN: Final = _code("chute_capot", "plain")
LITIGE_CHUTE: Final = _code("litige", "chute")
LITIGE_REPLAY: Final = _code("litige", "replay")
LITIGE_BELOTE_KEPT: Final = _code("litige_belote", "kept")
CHAIN_REPLACE: Final = _code("litige_chain", "replace")
LAST_CARRY_LOST: Final = _code("litige_last_deal", "carry_lost")
ROUND_5_UP: Final = _code("rounding", "nearest10_5up")
ROUND_6_UP: Final = _code("rounding", "nearest10_6up")
EXCEED: Final = _code("target_rule", "exceed")
FINISH_BLOCKED_CAPOT: Final = _code("belote_only_finish", "blocked_capot")
FINISH_FREE: Final = _code("belote_only_finish", "free")


def card_points(rules: RuleSet) -> NDArray[np.int64]:
    """Points of each card under each contract, shape (6, 32) (rules, section 1)."""
    table = np.zeros((NUM_CONTRACTS, NUM_CARDS), np.int64)
    for contract in range(NUM_CONTRACTS):
        for card in range(NUM_CARDS):
            if contract == SANS_ATOUT:
                values = SA_POINTS[rules.sa_ta_values]
            elif contract == TOUT_ATOUT:
                values = TA_POINTS[rules.sa_ta_values]
            else:
                values = TRUMP_POINTS if card // 8 == contract else PLAIN_POINTS
            table[contract, card] = values.get(RANKS[card % 8], 0)
    return table


@cache
def rule_data(rules: RuleSet) -> NDArray[Any]:
    """The record of a rule set, shape (1,), dtype `RULES_DTYPE`, read-only."""
    data = np.zeros(1, RULES_DTYPE)
    for option in _ENUMERATED:
        data[option] = _code(option, getattr(rules, option))
    data["target"] = rules.target or 0
    data["deals_per_party"] = rules.deals_per_party or 0
    points = card_points(rules)
    data["card_points"] = points
    data["total"] = points.sum(axis=1) + DER
    data["capot_total"] = points.sum(axis=1) + CAPOT_DER
    data.flags.writeable = False
    return data


def trick_point_total(rules: RuleSet, contract: str, capot: bool = False) -> int:
    """Trick points of a whole deal with der: W, or C in a capot (rules, section 1)."""
    field = "capot_total" if capot else "total"
    return int(rule_data(rules)[field][0, CONTRACTS.index(contract)])
