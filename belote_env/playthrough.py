"""Records for people to read: every deal with its hands, calls, tricks, words and marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

from belote_env.actions import BID_NAMES, SILENT, action_name
from belote_env.cards import CONTRACTS, card_name, card_names
from belote_env.deck import turned_card
from belote_env.engine.dealing import DRAWN_FIRST
from belote_env.engine.state import ANNONCE_KINDS, OVER, PLAY, RESULTS, SPEECH, VOID
from belote_env.record import MatchRecord, Record, Step, replay
from belote_env.rules import RuleSet

_DOUBLED = ("", ", coinched", ", surcoinched")


def playthrough(record: Record) -> Iterator[str]:
    """The lines of a record's playthrough; of a position, up to the seat to act.

    Raises:
        RecordError: on what could not have happened, before the first line of its deal.
    """
    yield f"rules {record.rules.id} ({record.rules.hash})"
    for deal, steps in groupby(replay(record), key=lambda step: step.deal):
        title = f"deal {deal + 1}" if isinstance(record, MatchRecord) else "deal"
        yield from _deal_lines(record.rules, title, list(steps))


def _deal_lines(rules: RuleSet, title: str, steps: Sequence[Step]) -> Iterator[str]:
    start, final = steps[0].state[0], steps[-1].state[0]
    card = turned_card(rules, start["deck"])
    turned = f" turned {card}," if card else ""
    yield ""
    yield (
        f"{title}: dealer seat {start['dealer']},{turned}"
        f" scores {_dash(start['scores'])}, carry {start['carry']}"
    )
    yield from _hand_lines(rules, start)
    calls = [
        f"seat {(start['dealer'] + 1 + turn) % rules.num_seats} {action_name(int(call))}"
        for turn, call in enumerate(final["calls"][: final["num_calls"]])
    ]
    yield f"  calls: {', '.join(calls)}"
    in_play = [step.state[0] for step in steps if step.state["phase"][0] == PLAY]
    if in_play:
        yield f"  seat {final['taker']} {_contract(final)}"
        if card:  # else the whole pack was dealt before the auction
            yield from _hand_lines(rules, in_play[0])
        if rules.num_seats == 2:
            talon = map(card_name, start["deck"][DRAWN_FIRST:].tolist())
            yield f"  talon: {' '.join(talon)}"
        yield from _trick_lines(rules, steps)
    if final["phase"] == OVER and final["result"] != VOID:
        yield (
            f"  {RESULTS[final['result']]}: marks {_dash(final['marks'])} with belote"
            f" {_dash(final['belote_marks'])}, annonces {_dash(final['annonce_points'])};"
            f" carry {final['carry']}"
        )
    elif final["phase"] == OVER:
        yield "  void"
    else:
        yield f"  seat {final['seat']} to act"


def _contract(final: Any) -> str:
    contract = CONTRACTS[int(final["contract"])]
    if not final["bid"]:
        return f"takes at {contract}"
    return f"plays {BID_NAMES[final['bid'] - 1]} {contract}{_DOUBLED[final['doubled']]}"


def _hand_lines(rules: RuleSet, state: Any) -> Iterator[str]:
    for seat in range(rules.num_seats):
        yield f"  seat {seat}: {' '.join(card_names(state['hands'][seat]))}"


def _trick_lines(rules: RuleSet, steps: Sequence[Step]) -> Iterator[str]:
    """A line a trick: the cards with what was said, who wins it, and the trick points so far."""
    plays: list[str] = []
    for step, following in pairwise(steps):
        assert step.action is not None  # only the last step has none
        before, after = step.state[0], following.state[0]
        if before["phase"] == PLAY:
            plays.append(f"seat {before['seat']} {action_name(step.action)}")
        words = ["silent"] if step.action == SILENT else _words(before, after)
        if words:
            plays[-1] += f" ({', '.join(words)})"
        if len(plays) == rules.num_seats and after["phase"] != SPEECH:
            number = after["num_played"] // rules.num_seats
            points = _dash(after["points"])
            yield f"  trick {number}: {', '.join(plays)}; seat {after['best_seat']} wins, {points}"
            plays = []
    if plays:
        yield f"  on the table: {', '.join(plays)}"


def _words(before: Any, after: Any) -> list[str]:
    """What the seat that acted between two states said."""
    words = [word for word in ("belote", "rebelote") if _changed(before, after, f"{word}_said")]
    if _changed(before, after, "annonces_said"):
        said = int(after["annonces_said"][before["seat"]])
        for kind, name in enumerate(ANNONCE_KINDS):
            words += [name] * (said >> 2 * kind & 3)
    return words


def _changed(before: Any, after: Any, name: str) -> bool:
    return before[name][before["seat"]] != after[name][before["seat"]]


def _dash(pair: Any) -> str:
    return f"{pair[0]}-{pair[1]}"
