"""Starting a game from a given deal or position: the options of the environments' ``reset``."""

from __future__ import annotations

from typing import Any

import numpy as np

from belote_env.deck import complete_deck
from belote_env.game import Game
from belote_env.record import apply, parse


def start_from(game: Game, options: dict[str, Any]) -> None:
    """Start an episode from a given deal or position, in place of the stream's next deal.

    Args:
        game: the game; after an error it may be in any state.
        options: ``{"record": ...}``, a `belote_env.record.Record` or its text: the episode goes on
            from where it ends.  Or ``{"hands": ..., "dealer": ...}`` with or without ``"turned"``
            and ``"stock"``: these cards are dealt as by `belote_env.deck.complete_deck`, and those
            left open are drawn from the stream.

    Raises:
        ValueError: on unknown or missing options, or a deal that cannot be dealt or played.
    """
    unknown = options.keys() - {"record", "hands", "dealer", "turned", "stock"}
    if unknown:
        raise ValueError(
            f"unknown options {sorted(unknown, key=repr)}: give 'record', or 'hands' and 'dealer'"
            " with or without 'turned' and 'stock'"
        )
    if "record" not in options:
        _lay_out(game, options)
    elif len(options) > 1:
        raise ValueError(
            f"'record' holds the whole deal: leave out {sorted(options.keys() - {'record'})}"
        )
    else:
        _replay(game, options["record"])
    game.state["deal"] += 1


def _lay_out(game: Game, options: dict[str, Any]) -> None:
    missing = {"hands", "dealer"} - options.keys()
    if missing:
        raise ValueError(f"options {sorted(options)} need {sorted(missing)} too")
    stream = (int(game.state["key"][0]), int(game.state["deal"][0]))
    deck = complete_deck(game.rules, **options, rng=np.random.default_rng(stream))
    game.start_from(deck, options["dealer"])


def _replay(game: Game, record: Any) -> None:
    if isinstance(record, str):
        record = parse(record)
    apply(record, game)
    if game.over:
        if game.end_deal():
            raise ValueError("the record is played to its end: leave out cards to play from there")
        game.begin_deal()
