"""A deal or a match as one line of JSON: parse, format, replay.

A deal names its rules by id and hash, the dealer, the cards that each seat was dealt before the
auction, the turned card and the stock left after it, all in dealing order, and what was called,
played and, under ``announce: choice``, said.  A deal that is over ends with its marks and result;
one that is not is a position.

    {"rules": "classic", "hash": "...", "dealer": 0, "hands": ["AS 7S 8H JD QD", ...],
     "turned": "JH", "stock": "...", "calls": "pass H", "cards": "AS 7S ...",
     "marks": [96, 66], "result": "made"}

In the auction family the hands are the whole pack, and no card is turned:

    {"rules": "contree", "hash": "...", "dealer": 3, "hands": ["AS KS 8S 9H JD QD 7C TC", ...],
     "calls": "pass 80 H coinche pass pass pass", "cards": "..."}

A match holds its deals and the totals after those that are over:

    {"rules": "club_501", "hash": "...", "match": [{"dealer": 0, ...}, ...], "scores": [512, 380]}

`parse` reads the form of a record and `replay` plays it, so that together they refuse whatever
could not have happened.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from belote_env.actions import BID, BID_NAMES, DECLARE, PASS, SILENT, action_name
from belote_env.cards import NUM_CARDS
from belote_env.deck import complete_deck
from belote_env.engine.options import TURNED_PLACE
from belote_env.replay import (
    DealRecord,
    MatchRecord,
    Record,
    RecordError,
    Step,
    apply,
    check_record,
    replay,
)
from belote_env.rules import RuleSet, resolve

__all__ = [
    "DealRecord",
    "MatchRecord",
    "Record",
    "RecordError",
    "Step",
    "apply",
    "complete_deck",
    "format",
    "parse",
    "replay",
]

_DEAL_KEYS: Final = ("dealer", "hands")
_TURNED_KEYS: Final = ("turned", "stock")
_DEAL_OPTIONAL: Final = ("calls", "cards", "speech", "marks", "result")


def format(record: Record) -> str:
    """The record as one line of JSON.

    Raises:
        RecordError: if it is no record.
    """
    check_record(record)
    fields: dict[str, Any] = {"rules": record.rules.id, "hash": record.rules.hash}
    if isinstance(record, MatchRecord):
        fields["match"] = [_deal_fields(deal) for deal in record.deals]
        if record.scores is not None:
            fields["scores"] = record.scores
    else:
        fields |= _deal_fields(record)
    return json.dumps(fields)


def _deal_fields(record: DealRecord) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "dealer": int(record.dealer),
        "hands": [" ".join(hand) for hand in record.hands],
    }
    if record.turned is not None:
        fields |= {"turned": record.turned, "stock": " ".join(record.stock)}
    fields |= {
        "calls": " ".join(map(action_name, record.calls)),
        "cards": " ".join(map(action_name, record.cards)),
    }
    if record.rules.announce == "choice":
        fields["speech"] = " ".join(map(action_name, record.speech))
    if record.marks is not None:
        fields["marks"] = record.marks
    if record.result is not None:
        fields["result"] = record.result
    return fields


def parse(text: str) -> Record:
    """A record from its line of JSON; whether it could have been played is for `replay` to say.

    Raises:
        RecordError: if the text is no such line; the message says where.
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise RecordError(f"text={text!r}: use the line of JSON of a record")
    try:
        fields = json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise RecordError(f"column {error.pos + 1}: no JSON: {error.msg}") from None
    except RecordError:
        raise
    except ValueError:  # Python reads no number of thousands of digits
        raise RecordError("column 1: no record has a number so long") from None
    except RecursionError:
        raise RecordError("column 1: no record nests so deep") from None
    fields = _typed({"record": fields}, "record", dict)
    rules = _parse_rules(fields)
    body = {key: value for key, value in fields.items() if key not in ("rules", "hash")}
    if "match" not in body:
        return _parse_deal(rules, body)
    _check_keys(body, ("match",), ("scores",))
    deals: list[DealRecord] = []
    for number, deal in enumerate(_typed(body, "match", list), start=1):
        try:
            deals.append(_parse_deal(rules, _typed({"deal": deal}, "deal", dict)))
        except RecordError as error:
            raise RecordError(f"deal {number}, {error}") from None
    return MatchRecord(rules=rules, deals=tuple(deals), scores=_parse_pair(body, "scores"))


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice = next(key for key, _ in pairs if [k for k, _ in pairs].count(key) > 1)
        raise RecordError(f"keys: {twice!r} is given twice")
    return fields


def _check_keys(
    fields: Mapping[str, Any], required: Sequence[str], optional: Sequence[str]
) -> None:
    for key in required:
        if key not in fields:
            raise RecordError(f"keys: {key!r} is missing")
    for key in fields:
        if key not in required and key not in optional:
            known = ", ".join([*required, *optional])
            raise RecordError(f"keys: unknown {key!r}; the keys are {known}")


def _typed(fields: Mapping[str, Any], key: str, kind: type) -> Any:
    value = fields[key]
    if type(value) is not kind:
        names = {str: "a text", list: "a list", dict: "an object {...}"}
        raise RecordError(f"{key}: must be {names[kind]}, got {value!r}")
    return value


def _parse_rules(fields: Mapping[str, Any]) -> RuleSet:
    for key in ("rules", "hash"):
        if key not in fields:
            raise RecordError(f"keys: {key!r} is missing")
    name = _typed(fields, "rules", str)
    try:
        rules = resolve(name)
    except ValueError as error:
        raise RecordError(f"rules: {error}") from None
    if fields["hash"] != rules.hash:
        raise RecordError(
            f"hash: {fields['hash']!r} is not that of rules {rules.id!r}, which is {rules.hash!r}"
        )
    return rules


def _parse_deal(rules: RuleSet, fields: Mapping[str, Any]) -> DealRecord:
    turned_keys = () if TURNED_PLACE[rules.family] is None else _TURNED_KEYS
    _check_keys(fields, (*_DEAL_KEYS, *turned_keys), _DEAL_OPTIONAL)
    hands = [_split("hands", hand) for hand in _typed(fields, "hands", list)]
    turned = _typed(fields, "turned", str) if turned_keys else None
    stock = _split("stock", fields["stock"]) if turned_keys else None
    try:
        deck = complete_deck(rules, hands, fields["dealer"], turned, stock)
    except ValueError as error:
        raise RecordError(str(error)) from None
    calls = (*range(PASS, DECLARE), *range(BID, rules.num_actions))
    return DealRecord(
        rules=rules,
        dealer=fields["dealer"],
        deck=tuple(deck),
        calls=_parse_actions(fields, "calls", "call", calls),
        cards=_parse_actions(fields, "cards", "card", range(NUM_CARDS)),
        speech=_parse_actions(fields, "speech", "word", (DECLARE, SILENT)),
        marks=_parse_pair(fields, "marks"),
        result=_typed(fields, "result", str) if "result" in fields else None,
    )


def _split(key: str, text: Any) -> list[str]:
    return _typed({key: text}, key, str).split()


def _parse_actions(
    fields: Mapping[str, Any], key: str, word: str, actions: Iterable[int]
) -> tuple[int, ...]:
    ids = {action_name(action): action for action in actions}
    parsed: list[int] = []
    texts = iter(_split(key, fields.get(key, "")))
    # The name of a bid is two texts: its value and its contract.
    names = (f"{text} {next(texts, '')}".rstrip() if text in BID_NAMES else text for text in texts)
    for number, name in enumerate(names, start=1):
        if name not in ids:
            raise RecordError(f"{word} {number} ({name}): there is no such {word}")
        parsed.append(ids[name])
    return tuple(parsed)


def _parse_pair(fields: Mapping[str, Any], key: str) -> tuple[int, int] | None:
    if key not in fields:
        return None
    pair = _typed(fields, key, list)
    if len(pair) != 2 or any(type(number) is not int for number in pair):
        raise RecordError(f"{key}: must be a whole number for each team, got {pair}")
    return pair[0], pair[1]
