"""The table as text, seen from a seat: what the others hold stays face down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from belote_env.actions import BID_NAMES, action_name
from belote_env.cards import NUM_CARDS, SUITS, card_name, card_names, iter_cards
from belote_env.deck import turned_card
from belote_env.engine.options import TALON_CARDS
from belote_env.engine.state import (
    ANNONCE_KINDS,
    AUCTION,
    OVER,
    RESULTS,
    SAY_ANNONCES,
    SAY_BELOTE,
    SAY_REBELOTE,
    SPEECH,
    UNFINISHED,
    cards_played,
)
from belote_env.rules import RuleSet

_WIDTH: Final = 72
_COMPASS: Final = {
    "anticlockwise": ("South", "East", "North", "West"),
    "clockwise": ("South", "West", "North", "East"),
}
"""Names of seats 0-3 for each value of the option ``direction``."""
_FACING: Final = ("South", "North")
"""Names of the seats of two players."""
_CONTRACT_NAMES: Final = ("Spades", "Hearts", "Diamonds", "Clubs", "Sans atout", "Tout atout")
_DOUBLED: Final = ("", ", coinched", ", surcoinched")
_QUESTIONS: Final = {SAY_BELOTE: "belote", SAY_REBELOTE: "rebelote", SAY_ANNONCES: "annonces"}


def draw(rules: RuleSet, state: Any, seat: int | None = None, full: bool = False) -> str:
    """The table as text.

    Args:
        rules: the rule set.
        state: a record of `STATE_DTYPE`.
        seat: whose hand lies open; the seat to act for None.
        full: whether all hands do.
    """
    names = _FACING if rules.num_seats == 2 else _COMPASS[rules.direction]
    viewer = int(state["seat"]) if seat is None else seat
    plays = _plays(state)
    dealer = _dealer(state, plays, len(names))
    hands = {name: _hand(state, k, full or k == viewer) for k, name in enumerate(names)}
    to_act, act = _turn(state, None if full else viewer)
    labels = {
        name: _label(state, k, name, dealer, act if k == to_act else "")
        for k, name in enumerate(names)
    }
    on_table = plays[len(plays) - len(plays) % len(names) :]
    trick = dict.fromkeys(names, "--") | {names[k]: card_name(card) for k, card in on_table}
    lines = [
        rules.id,
        _headline(rules, state, names),
        "",
        labels["North"].center(_WIDTH),
        hands["North"].center(_WIDTH),
        trick["North"].center(_WIDTH),
        *(_sides(labels, hands, trick) if "West" in names else [""]),
        trick["South"].center(_WIDTH),
        labels["South"].center(_WIDTH),
        hands["South"].center(_WIDTH),
        "",
        *_calls(state, names, dealer),
        *_last_trick(plays, names),
        *_what_sides_have(state, names),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _plays(state: Any) -> list[tuple[int, int]]:
    """The seat and the card of each play of the deal, in order."""
    fallen = [int(cards) for cards in state["fallen"]]
    owner = {card: seat for seat, cards in enumerate(fallen) for card in iter_cards(cards)}
    return [(owner[card], card) for card in cards_played(state)]


def _dealer(state: Any, plays: list[tuple[int, int]], seats: int) -> int:
    """Who dealt; once a match has entered the deal, ``state["dealer"]`` is already the next."""
    return (plays[0][0] - 1) % seats if plays else int(state["dealer"])


def _sides(labels: dict[str, str], hands: dict[str, str], trick: dict[str, str]) -> list[str]:
    """The lines of West and East, with the cards that they have on the table."""
    cards = f"{trick['West']}    {trick['East']}"
    third = _WIDTH // 3
    return [
        left.ljust(third) + middle.center(third) + right.rjust(third)
        for left, middle, right in (
            (labels["West"], "", labels["East"]),
            (hands["West"], cards, hands["East"]),
        )
    ]


def _hand(state: Any, seat: int, is_open: bool) -> str:
    cards = int(state["hands"][seat])
    return " ".join(card_names(cards)) if is_open else " ".join("?" * cards.bit_count())


def _turn(state: Any, viewer: int | None) -> tuple[int, str]:
    """Who is to act and what to do; whether another seat is asked for a word, nobody can see."""
    seat = int(state["seat"])
    if state["phase"] != SPEECH:
        return seat, "to act"
    if viewer not in (None, seat):
        return int(state["next_seat"]), "to act"
    asked = next(word for bit, word in _QUESTIONS.items() if state["speech"] & bit)
    return seat, f"to say {asked} or not"


def _label(state: Any, seat: int, name: str, dealer: int, act: str) -> str:
    """A seat's name, its part in the deal and what it has said."""
    notes: list[str] = []
    if seat == dealer:
        notes.append("dealer")
    if seat == state["taker"]:
        notes.append("taker")
    if act:
        notes.append(act)
    said = int(state["annonces_said"][seat])
    for kind, annonce in enumerate(ANNONCE_KINDS):
        notes += [annonce] * (said >> 2 * kind & 3)
    for suit in range(4):
        for word in ("belote", "rebelote"):
            if state[f"{word}_said"][seat] >> suit & 1:
                notes.append(f"{word} {SUITS[suit]}")
    return f"{name} ({', '.join(notes)})" if notes else name


def _headline(rules: RuleSet, state: Any, names: Sequence[str]) -> str:
    """Where the deal stands, in a sentence."""
    contract = _contract(state, names)
    if state["result"] != UNFINISHED:
        return f"Deal over: {RESULTS[state['result']]}{contract and f', {contract}'}"
    turned = turned_card(rules, state["deck"])
    if state["phase"] == AUCTION and turned is None:
        return f"Auction: {contract or 'no bid yet'}"
    if state["phase"] == AUCTION:
        return (
            f"Auction, round {1 if state['num_calls'] < len(names) else 2}: {turned} is turned up"
        )
    was_turned = f", {turned} was turned up" if turned else ""
    return f"{contract}{was_turned}; {_progress(state, len(names))}"


def _progress(state: Any, seats: int) -> str:
    """The trick under way, and what two players have yet to draw."""
    played = int(state["num_played"])
    # The last card of a trick may still await a word (rules, section 10).
    trick = f"trick {min(played // seats + 1, NUM_CARDS // seats)}"
    talon = TALON_CARDS - played // 2 * 2 if seats == 2 else 0
    return f"{trick}, {talon} cards in the talon" if talon > 0 else trick


def _contract(state: Any, names: Sequence[str]) -> str:
    """Who takes at what, or bids how much; empty as long as nobody does."""
    if state["taker"] < 0:
        return ""
    bid = f"{BID_NAMES[state['bid'] - 1]} " if state["bid"] else ""
    by = f"{_CONTRACT_NAMES[state['contract']]} by {names[state['taker']]}"
    return f"{bid}{by}{_DOUBLED[state['doubled']]}"


def _calls(state: Any, names: Sequence[str], dealer: int) -> list[str]:
    """The calls, a line for each time round the table."""
    said = [
        f"{names[(dealer + 1 + turn) % len(names)]} {action_name(int(call))}"
        for turn, call in enumerate(state["calls"][: state["num_calls"]])
    ]
    rounds = [said[k : k + len(names)] for k in range(0, len(said), len(names))]
    return [
        ("Calls: " if k == 0 else "       ") + ", ".join(calls) for k, calls in enumerate(rounds)
    ]


def _last_trick(plays: list[tuple[int, int]], names: Sequence[str]) -> list[str]:
    """The trick just completed, before the next begins."""
    if not plays or len(plays) % len(names):
        return []
    cards = (f"{names[seat]} {card_name(card)}" for seat, card in plays[-len(names) :])
    return ["Last trick: " + ", ".join(cards)]


def _what_sides_have(state: Any, names: Sequence[str]) -> list[str]:
    """Tricks, points, annonces, marks and score, as far as there are any."""
    sides = names if len(names) == 2 else ("North-South", "East-West")

    def by_side(what: str, pair: Any) -> str:
        return f"{what}: {sides[0]} {pair[0]}, {sides[1]} {pair[1]}"

    lines: list[str] = []
    if state["num_played"]:
        lines.append(
            by_side("Tricks", state["tricks"]) + ";  " + by_side("points", state["points"])
        )
    if state["annonce_points"].any():
        lines.append(by_side("Annonces", state["annonce_points"]))
    if state["phase"] == OVER:
        lines.append(by_side("Marks", state["marks"]))
    if state["deals_played"] or state["carry"]:
        lines.append(by_side("Score", state["scores"]) + f";  carry {state['carry']}")
    return lines
