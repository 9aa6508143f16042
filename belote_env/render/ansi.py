"""The table as text, seen from a seat: what the others hold stays face down."""

from __future__ import annotations

from typing import Any, Final

from belote_env.actions import action_name
from belote_env.cards import SUITS, card_name, card_names
from belote_env.engine.dealing import TURNED
from belote_env.engine.state import ANNONCE_KINDS, AUCTION, OVER, RESULTS, UNFINISHED
from belote_env.rules import RuleSet

_WIDTH: Final = 72
_COMPASS: Final = {
    "anticlockwise": ("South", "East", "North", "West"),
    "clockwise": ("South", "West", "North", "East"),
}
"""Names of seats 0-3 for each value of the option ``direction``."""
_CONTRACT_NAMES: Final = ("Spades", "Hearts", "Diamonds", "Clubs", "Sans atout", "Tout atout")


def draw(rules: RuleSet, state: Any, seat: int | None = None, full: bool = False) -> str:
    """The table as text.

    Args:
        rules: the rule set.
        state: a record of `STATE_DTYPE`.
        seat: whose hand lies open; the seat to act for None.
        full: whether all hands do.
    """
    names = _COMPASS[rules.direction]
    viewer = int(state["seat"]) if seat is None else seat
    hands = {name: _hand(state, k, full or k == viewer) for k, name in enumerate(names)}
    labels = {name: _label(state, k, name) for k, name in enumerate(names)}
    trick = dict.fromkeys(names, "--") | dict(_trick(state, names, int(state["num_played"]) & 3))
    lines = [
        rules.id,
        _headline(state, names),
        "",
        labels["North"].center(_WIDTH),
        hands["North"].center(_WIDTH),
        trick["North"].center(_WIDTH),
        _sides(labels["West"], "", labels["East"]),
        _sides(hands["West"], f"{trick['West']}    {trick['East']}", hands["East"]),
        trick["South"].center(_WIDTH),
        labels["South"].center(_WIDTH),
        hands["South"].center(_WIDTH),
        "",
        *_footer(state, names),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _sides(left: str, middle: str, right: str) -> str:
    third = _WIDTH // 3
    return left.ljust(third) + middle.center(third) + right.rjust(third)


def _hand(state: Any, seat: int, is_open: bool) -> str:
    cards = int(state["hands"][seat])
    return " ".join(card_names(cards)) if is_open else " ".join("?" * cards.bit_count())


def _label(state: Any, seat: int, name: str) -> str:
    """A seat's name, its part in the deal and what it has said."""
    notes: list[str] = []
    if seat == _dealer(state):
        notes.append("dealer")
    if seat == state["taker"]:
        notes.append("taker")
    if seat == state["seat"]:
        notes.append("to act")
    said = int(state["annonces_said"][seat])
    for kind, annonce in enumerate(ANNONCE_KINDS):
        notes += [annonce] * (said >> 2 * kind & 3)
    for suit in range(4):
        for word in ("belote", "rebelote"):
            if state[f"{word}_said"][seat] >> suit & 1:
                notes.append(f"{word} {SUITS[suit]}")
    return f"{name} ({', '.join(notes)})" if notes else name


def _dealer(state: Any) -> int:
    """Who dealt; once a match has entered the deal, ``state["dealer"]`` is already the next."""
    return (int(state["leaders"][0]) + 3) % 4 if state["num_played"] else int(state["dealer"])


def _trick(state: Any, names: tuple[str, ...], cards: int) -> list[tuple[str, str]]:
    """Who played the last ``cards`` cards, all of one trick."""
    first = int(state["num_played"]) - cards
    leader = int(state["leaders"][first // 4]) if cards else 0
    return [
        (names[(leader + k) % 4], card_name(int(state["played"][first + k]))) for k in range(cards)
    ]


def _headline(state: Any, names: tuple[str, ...]) -> str:
    """Where the deal stands, in a sentence."""
    turned = card_name(int(state["deck"][TURNED]))
    if state["result"] != UNFINISHED:
        by = _contract(state, names)
        return f"Deal over: {RESULTS[state['result']]}{by and f', {by}'}"
    if state["phase"] == AUCTION:
        return f"Auction, round {1 if state['num_calls'] < 4 else 2}: {turned} is turned up"
    return f"{_contract(state, names)}, {turned} was turned up; trick {_trick_number(state)}"


def _trick_number(state: Any) -> int:
    # The last card of a trick may still await a word (rules, section 10).
    return min(int(state["num_played"]) // 4 + 1, 8)


def _contract(state: Any, names: tuple[str, ...]) -> str:
    if state["taker"] < 0:
        return ""
    return f"{_CONTRACT_NAMES[state['contract']]} by {names[state['taker']]}"


def _footer(state: Any, names: tuple[str, ...]) -> list[str]:
    """The calls, the last trick, and what each side has."""
    lines: list[str] = []
    caller = _dealer(state) + 1
    calls = [int(call) for call in state["calls"][: state["num_calls"]]]
    if calls:
        said = [f"{names[(caller + i) % 4]} {action_name(c)}" for i, c in enumerate(calls)]
        lines.append("Calls: " + ", ".join(said))
    if state["num_played"] >= 4 and state["num_played"] % 4 == 0:
        lines.append("Last trick: " + ", ".join(f"{who} {c}" for who, c in _trick(state, names, 4)))
    if state["num_played"]:
        lines.append(
            _by_side("Tricks", state["tricks"]) + ";  " + _by_side("points", state["points"])
        )
    if state["annonce_points"].any():
        lines.append(_by_side("Annonces", state["annonce_points"]))
    if state["phase"] == OVER:
        lines.append(_by_side("Marks", state["marks"]))
    if state["deals_played"] or state["carry"]:
        lines.append(_by_side("Score", state["scores"]) + f";  carry {state['carry']}")
    return lines


def _by_side(what: str, pair: Any) -> str:
    return f"{what}: North-South {pair[0]}, East-West {pair[1]}"
