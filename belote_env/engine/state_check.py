"""Whether a state is one that a rule set can have: what `set_state` and `restore` ask of it.

The deal is played again, call by call and card by card, and has to come out the same.  Only who
holds which cards is taken as it is given: a search may put the cards that nobody has shown
elsewhere than the pack did, as long as every seat could play as it did.  Of the count and of the
match around the deal, which do not follow from it, what cannot be is looked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from belote_env.actions import NUM_ACTIONS, SPLIT
from belote_env.cards import NUM_CARDS, NUM_SEATS
from belote_env.engine.auction import call
from belote_env.engine.bits import popcount
from belote_env.engine.dealing import lay_out
from belote_env.engine.episode import MATCH
from belote_env.engine.jit import Record, kernel, part
from belote_env.engine.options import TURN_UP, TWO_PLAYER, rule_data
from belote_env.engine.play import play_card
from belote_env.engine.scoring import BELOTE
from belote_env.engine.state import (
    AUCTION,
    CALLS_ROOM,
    CAPOT_TAKER,
    CHUTE,
    LITIGE,
    MADE,
    OVER,
    PLAY,
    STATE_DTYPE,
    VOID,
    copy_states,
)
from belote_env.engine.step import legal_actions, speak, was_said
from belote_env.rules import MAX_ROUNDING, MAX_SCORE, RuleSet

_FOLLOWS: Final = (
    "contract",
    "taker",
    "bid",
    "doubled",
    "passes",
    "phase",
    "hands",
    "fallen",
    "excluded",
    "trick",
    "led",
    "best_card",
    "best_seat",
    "points",
    "tricks",
    "taker_tricks",
    "belote_said",
    "rebelote_said",
    "annonces_said",
    "annonce_team",
    "annonce_points",
    "shown",
    "speech",
    "next_seat",
    "seat",
)
"""Fields that follow from the cards held, the calls, and the order in which cards were played."""

# What stopped a replay.
_NOTHING: Final = 0
_HANDS: Final = 1
_CALL: Final = 2
_CARD: Final = 3

Fault: TypeAlias = tuple[str, Any, str]
"""A field, the states in which it is wrong, bool [N], and what it should be."""


@part
def _may(rules: Record, s: Record, action: int) -> Any:
    low, high = legal_actions(rules, s)
    return (low >> action if action < SPLIT else high >> (action - SPLIT)) & 1


@part
def _dealt_by(rules: Record, s: Record) -> Any:
    """The seat that dealt: once a deal is over, `dealer` may be the next one's."""
    for card in range(NUM_CARDS):
        for seat in range(NUM_SEATS):
            if s.place[card] == 1 and (s.fallen[seat] >> card) & 1:
                return (seat - 1) & rules.last_seat
    return int64(s.dealer)


@part
def _swap_cards(rules: Record, s: Record, again: Record) -> bool:
    """Give the seats the cards that they have in ``s``; False if these are not those dealt."""
    dealt = int64(0)
    given = int64(0)
    for seat in range(NUM_SEATS):
        cards = int64(s.hands[seat]) | int64(s.fallen[seat])
        if cards & given or popcount(cards) != popcount(int64(again.hands[seat])):
            return False
        given |= cards
        dealt |= int64(again.hands[seat])
        again.hands[seat] = cards
    turned = 1 << int64(s.deck[rules.turned])
    kept = rules.family != TURN_UP or again.phase != PLAY or again.hands[again.taker] & turned
    return given == dealt and kept != 0


@part
def _replay(rules: Record, s: Record, again: Record) -> tuple[int, int]:
    """Play the deal of ``s`` in ``again``, as far as it goes: what stopped it, and before which."""
    order = np.zeros(NUM_CARDS, np.int64)
    for card in range(NUM_CARDS):
        if s.place[card]:
            order[s.place[card] - 1] = card
    again.dealer = _dealt_by(rules, s)
    lay_out(rules, again)
    for i in range(s.num_calls):
        if again.phase != AUCTION or not _may(rules, again, int64(s.calls[i])):
            return _CALL, i
        call(rules, again, int64(s.calls[i]))
    may_swap = rules.family != TWO_PLAYER or again.phase == OVER
    if may_swap and not _swap_cards(rules, s, again):
        return _HANDS, 0
    for i in range(s.num_played):
        if again.phase != PLAY or not _may(rules, again, order[i]):
            return _CARD, i
        play_card(rules, again, order[i])
        asked = s.speech if i + 1 == s.num_played else 0
        while again.speech and again.speech != asked:
            speak(rules, again, was_said(s, again))
    if again.num_played == NUM_CARDS and again.speech == 0:
        again.phase = OVER
        again.seat = -1
    return _NOTHING, 0


@kernel
def replay_states(rules: Record, states: Any, again: Any, stopped: Any) -> None:
    """Play the deals of some states again, as far as they go.

    Args:
        rules: rule data, shape (1,).
        states: the states, shape (N,), of packs, dealers, calls and places that are in range.
        again: copies of them to play in, shape (N,).
        stopped: int64 [N, 2] to write: what stopped each, and before which call or card.
    """
    for k in range(len(states)):
        stopped[k, 0], stopped[k, 1] = _replay(rules[0], states[k], again[k])


def _range_faults(states: NDArray[Any], rules: RuleSet) -> Iterator[Fault]:
    """What a replay could not even read."""
    yield "phase", states["phase"] > OVER, "0-3"
    yield "dealer", states["dealer"] >= rules.num_seats, f"a seat 0-{rules.num_seats - 1}"
    no_pack = (np.sort(states["deck"]) != np.arange(NUM_CARDS)).any(axis=1)
    yield "deck", no_pack, "each of the 32 cards once"
    called = np.arange(CALLS_ROOM) < states["num_calls"][:, None]
    no_calls = np.where(called, states["calls"] >= NUM_ACTIONS, states["calls"] != 0)
    too_many = states["num_calls"] > CALLS_ROOM
    yield "num_calls", too_many, f"up to {CALLS_ROOM}"
    yield "calls", no_calls.any(axis=1), "the actions called, then zeros"
    first = NUM_CARDS - states["num_played"].astype(int)
    places = np.maximum(np.arange(1, NUM_CARDS + 1) - first[:, None], 0)
    unordered = (np.sort(states["place"]) != places).any(axis=1)
    yield "place", unordered, "1, 2, ... for the cards played, num_played in all, 0 for the others"


def _count_faults(
    states: NDArray[Any], rules: RuleSet, carried: NDArray[np.bool_]
) -> Iterator[Fault]:
    """What the count of a deal cannot be; ``carried``: whether a carry may have come into it."""
    data = rule_data(rules)[0]
    over = states["phase"] == OVER
    void = over & (states["num_played"] == 0)
    counted = over & ~void
    result = states["result"]
    least = np.where(void, VOID, over * MADE)
    most = np.where(void, VOID, over * (LITIGE if rules.has_litige else CHUTE))
    yield "result", (result < least) | (result > most), "0 before the end, then how it ended"
    taking = (states["taker"] & 1)[:, None].astype(int)
    capot = np.take_along_axis(states["tricks"], taking, axis=1)[:, 0] == data["capot_tricks"]
    no_capot = (result == MADE) | (result == LITIGE)
    yield (
        "result",
        no_capot & capot | (result == CAPOT_TAKER) & ~capot,
        "that of the tricks won: a capot of the takers is one",
    )
    said = np.unpackbits(states["belote_said"], axis=1).sum(axis=1, dtype=int)
    belotes = states["belote_marks"]
    wrong = (belotes < 0) | (belotes % BELOTE != 0) | ~counted[:, None]
    wrong = (wrong & (belotes != 0)).any(axis=1) | (belotes.sum(axis=1) > BELOTE * said)
    yield "belote_marks", wrong, f"0 before the end, then {BELOTE} for each belote that counts"
    tricks = np.maximum(data["capot_total"][states["contract"]], data["chute_base"])
    once = tricks + data["bid_value"][states["bid"]]
    more = states["annonce_points"].sum(axis=1) + BELOTE * said + MAX_ROUNDING + MAX_SCORE * carried
    most = counted * (once * data["multiplier"][states["doubled"]] + more)
    wrong = (states["marks"] < belotes) | (states["marks"] > most[:, None])
    yield "marks", wrong.any(axis=1), "0 before the end, then what the deal can be worth"


def _match_faults(states: NDArray[Any], rules: RuleSet, is_match: bool) -> Iterator[Fault]:
    """What the count of the deal and the match cannot be; a deal alone has no match around it."""
    over = states["phase"] == OVER
    ended = states["match_over"] != 0
    played = states["deals_played"].astype(int)
    limit = rules.deals_per_party
    most = 0 if not is_match else limit - 1 + ended if limit else MAX_SCORE
    yield "deals_played", played > most, "the deals of the match before this one"
    carried = (played > 0) & rules.carries
    yield from _count_faults(states, rules, carried)
    counted = over & (states["num_played"] > 0)
    carry = states["carry"]
    open_ = np.where(counted, rules.carries & (states["result"] == LITIGE), carried) & ~ended
    yield "carry", (carry < 0) | (carry > MAX_SCORE * open_), "what a litige has left"
    before = (played > 0) | (is_match and rules.litige == "replay")
    forgiven = states["tolerance_used"] > (_forgives_once(rules) & (counted | before))[:, None]
    yield "tolerance_used", forgiven.any(axis=1), "1 for a side that was forgiven, else 0"
    scores = states["scores"].astype(int)
    goal = np.inf if rules.target is None else rules.target + (rules.target_rule == "exceed")
    awaits = (scores >= goal) & (rules.belote_only_finish != "free")
    blocked = (states["blocked"] > awaits).any(axis=1)
    yield "blocked", blocked, "1 for a side that is at the target and awaits a trick, else 0"
    reached = (scores >= goal) & (states["blocked"] == 0)
    ahead = scores > scores[:, ::-1]
    wins = reached & (ahead | ~reached[:, ::-1])
    decided = wins.any(axis=1)
    if limit:
        decided = played == limit
        wins = ahead & decided[:, None]
    wrong = states["match_over"] > (over & decided)
    yield "match_over", wrong, "1 after the last deal, else 0"
    winner = np.where(ended & wins.any(axis=1), wins.argmax(axis=1), -1)
    yield "winner", states["winner"] != winner, "the team that has won, -1 for none"
    wrong = (scores < 0) | (scores > MAX_SCORE * (played > 0)[:, None])
    wrong = wrong.any(axis=1) | (decided & ~ended)
    yield "scores", wrong, "totals of the deals before, with which the match is open"


def _forgives_once(rules: RuleSet) -> bool:
    """Whether a side may be forgiven, for once, that it did not say "rebelote"."""
    asked = rules.announce == "choice" and rules.family != "two_player"
    return asked and rules.belote_tolerance == "once"


def check_states(states: NDArray[Any], num: int, rules: RuleSet, episode: int) -> None:
    """Refuse what is not an array of ``num`` states that the rules can have.

    Args:
        states: what should be the states, shape (num,) and dtype `STATE_DTYPE`.
        num: how many there should be.
        rules: the rule set.
        episode: code of the episode: the states of a deal alone have no match around them.

    Raises:
        ValueError: if it is no array, not C-contiguous or of another shape or dtype, or a state
            could not have come about; the message names the state, the field and what would be
            right.
    """
    wanted = f"states must be an array of shape ({num},) and dtype STATE_DTYPE, got"
    if not isinstance(states, np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"{wanted} {states!r}")
    if isinstance(states, np.ma.MaskedArray):
        raise ValueError(f"{wanted} a masked one: give its data")
    if states.dtype != STATE_DTYPE or states.shape != (num,):
        same = states.dtype == STATE_DTYPE
        kind = "" if same else f" of {'other fields' if states.dtype.names else states.dtype}"
        raise ValueError(f"{wanted} {states.shape}{kind}")
    if not states.flags.c_contiguous:
        raise ValueError("states must be C-contiguous: give states.copy()")
    for fault in _range_faults(states, rules):
        _refuse(states, rules, *fault)
    again = copy_states(states)
    stopped = np.zeros((num, 2), np.int64)
    replay_states(rule_data(rules), states, again, stopped)
    for fault in _replay_faults(states, again, stopped, rules):
        _refuse(states, rules, *fault)
    for fault in _match_faults(states, rules, episode == MATCH):
        _refuse(states, rules, *fault)


def check_in_progress(states: NDArray[Any]) -> None:
    """Refuse a state of a deal that is over, where whoever plays on deals the next one at once.

    Raises:
        ValueError: naming the state.
    """
    over = states["phase"] == OVER
    if over.any():
        raise ValueError(
            f"states[{int(over.argmax())}]: phase={OVER}, its deal is over and the next not dealt:"
            " use one in which a seat is to act"
        )


def _replay_faults(
    states: NDArray[Any], again: NDArray[Any], stopped: NDArray[np.int64], rules: RuleSet
) -> Iterator[Fault]:
    """Where a deal played again goes another way."""
    why, before = stopped.T
    hands = "each card dealt in one place, and hands of the right size"
    yield "hands", why == _HANDS, hands
    for field, stop in (("calls", _CALL), ("place", _CARD)):
        wrong = why == stop
        yield field, wrong, f"others: number {before[wrong.argmax()] + 1} is not allowed"
    moved = (states["dealer"] - again["dealer"]) % rules.num_seats
    yield "dealer", moved > (again["phase"] == OVER), "the seat that dealt or, after it, the next"
    for field in _FOLLOWS:
        wrong = (states[field] != again[field]).reshape(len(states), -1).any(axis=1)
        right = again[field][wrong.argmax()].tolist()
        yield field, wrong, f"{right!r}, as the deal played again"


def _refuse(
    states: NDArray[Any], rules: RuleSet, field: str, wrong: NDArray[np.bool_], right: str
) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"states[{row}]: {field}={states[field][row].tolist()!r} cannot be under rules"
            f" {rules.id!r}: use {right}"
        )
