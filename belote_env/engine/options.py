"""Rule options as data for kernels: one record a rule set.

Each field holds the index of the option's value in `belote_env.rules.option_values`; the constants
below name the values that kernels ask for.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import NUM_BIDS
from belote_env.cards import (
    CAPOT_DER,
    CONTRACTS,
    DER,
    HAND_SIZE,
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
    "family",
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
    "need_majority",
    "score_mode",
    "multiplier_on",
    "doubled_loser",
    "generale",
    "chute_capot",
    "litige",
    "litige_belote",
    "litige_chain",
    "litige_last_deal",
    "rounding",
    "target_rule",
    "belote_only_finish",
)

_VALUES: Final = ("sa_ta_values", "chute_base", "surcoinche_multiplier", "capot_bid")
OPTION_FLAGS: Final = tuple(
    (option, value) for option in (*_ENUMERATED, *_VALUES) for value in option_values(option)
)
"""The options of a rule set as flags of an observation: option and value that each stands for."""
NUM_OPTION_BYTES: Final = -(-(len(OPTION_FLAGS) + 1) // 8) * 8
"""Those flags and, last, the mènes of a party, in whole words."""

RULES_DTYPE: Final = np.dtype(
    [
        *((option, np.int64) for option in _ENUMERATED),
        ("last_seat", np.int64),  # number of seats less one, a mask
        ("trick_shift", np.int64),  # logarithm of the number of seats: cards to tricks
        ("call_slots", np.int64),  # most calls of a deal
        ("history_words", np.int64),  # words of the longest sequence of events
        ("option_flags", np.int64, NUM_OPTION_BYTES // 8),  # every option, eight flags a word
        ("dealt_first", np.int64),  # cards dealt before the auction
        ("turned", np.int64),  # place of the turned card in the pack; 0 without one
        ("free_cards", np.int64),  # cards played without obligation while there is a talon
        ("capot_tricks", np.int64),  # tricks of a capot; out of reach where there is none
        ("chute_base", np.int64),
        ("multiplier", np.int64, 3),  # of a bid that was not doubled, doubled once, twice
        ("flat_capot", np.int64),  # marks of a bid of capot in place of all others, or 0
        ("bid_value", np.int64, NUM_BIDS + 1),  # by the `bid` of a state
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
TURN_UP: Final = _code("family", "turn_up")
AUCTION_FAMILY: Final = _code("family", "auction")
TWO_PLAYER: Final = _code("family", "two_player")
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
SCORE_MADE: Final = _code("score_mode", "made")
SCORE_BID_ONLY: Final = _code("score_mode", "bid_only")
MULTIPLY_ALL: Final = _code("multiplier_on", "all")
LOSER_KEEPS: Final = _code("doubled_loser", "keeps")
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

TURNED_PLACE: Final = {"turn_up": 20, "auction": None, "two_player": 12}
"""Place of the turned card in the pack, by family."""
TALON_CARDS: Final = 18
"""Cards of the talon when two players begin to play (rules, section 8)."""
_EVENTS_PER_WORD: Final = 4
_MOST_SAID: Final = 12
"""Most annonces said in a deal, three a hand."""
_NO_CAPOT: Final = NUM_CARDS
_FLAT_CAPOT: Final = 500
_GENERALE: Final = 500


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


def call_slots(rules: RuleSet) -> int:
    """Most calls of a deal.

    In the auction family three passes, bids of each value with two passes after all but the last,
    and after that pass, pass, coinche, pass, pass, surcoinche.  In the turn-up game two rounds, the
    last call of which two overbids (SA, TA) may follow, with the passes after each.
    """
    if rules.family == "auction":
        return 37 + 3 * rules.generale
    return 17 if rules.sa_ta else 2 * rules.num_seats


def history_events(rules: RuleSet) -> int:
    """Length of the sequence of public events: the most of a deal, rounded up to whole words."""
    words = 8 if rules.sa_ta else 2  # belote and rebelote in each trump suit
    if rules.annonces:
        words += _MOST_SAID + NUM_CARDS // 2  # what is said, and the cards that one side shows
    events = 1 + call_slots(rules) + NUM_CARDS + words
    return -(-events // _EVENTS_PER_WORD) * _EVENTS_PER_WORD


def option_flags(rules: RuleSet) -> NDArray[np.uint8]:
    """`OPTION_FLAGS` of a rule set and the mènes of a party, uint8 [NUM_OPTION_BYTES]."""
    flags = np.zeros(NUM_OPTION_BYTES, np.uint8)
    flags[: len(OPTION_FLAGS)] = [getattr(rules, option) == value for option, value in OPTION_FLAGS]
    flags[-1] = rules.deals_per_party or 0
    return flags


def bid_values(rules: RuleSet) -> tuple[int, ...]:
    """Worth of each `bid` of a state: 0 for none, 80 to 160, capot, générale."""
    capot = _FLAT_CAPOT if rules.capot_bid == "flat_500" else rules.capot_bid
    return (0, *range(80, 161, 10), capot, _GENERALE)


@cache
def rule_data(rules: RuleSet) -> NDArray[Any]:
    """The record of a rule set, shape (1,), dtype `RULES_DTYPE`, read-only."""
    two_player = rules.family == "two_player"
    data = np.zeros(1, RULES_DTYPE)
    for option in _ENUMERATED:
        data[option] = _code(option, getattr(rules, option))
    data["last_seat"] = rules.num_seats - 1
    data["trick_shift"] = 1 if two_player else 2
    data["call_slots"] = call_slots(rules)
    data["history_words"] = history_events(rules) // _EVENTS_PER_WORD
    data["option_flags"] = option_flags(rules).view(np.int64)
    data["dealt_first"] = TURNED_PLACE[rules.family] or NUM_CARDS
    data["turned"] = TURNED_PLACE[rules.family] or 0
    data["free_cards"] = TALON_CARDS if two_player else 0
    data["capot_tricks"] = _NO_CAPOT if two_player else HAND_SIZE
    data["chute_base"] = rules.chute_base
    data["multiplier"] = 1, rules.coinche_multiplier, rules.surcoinche_multiplier
    flat = rules.capot_bid == "flat_500"
    data["flat_capot"] = _FLAT_CAPOT if flat else 0
    data["bid_value"] = bid_values(rules)
    data["target"] = rules.target or 0
    data["deals_per_party"] = rules.deals_per_party or 0
    points = card_points(rules)
    data["card_points"] = points
    data["total"] = points.sum(axis=1) + DER
    data["capot_total"] = points.sum(axis=1) + (DER if two_player else CAPOT_DER)
    data.flags.writeable = False
    return data


def trick_point_total(rules: RuleSet, contract: str, capot: bool = False) -> int:
    """Trick points of a whole deal with der: W, or C in a capot (rules, section 1)."""
    field = "capot_total" if capot else "total"
    return int(rule_data(rules)[field][0, CONTRACTS.index(contract)])
