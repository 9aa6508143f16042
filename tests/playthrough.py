"""Playthroughs: deals written out for people, with every decision and what was legal.

    python -m tests.playthrough --write

looks for seeds of random play that show what each scenario promises, and writes the texts to
``golden/playthroughs/``.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final

from belote_env.actions import BID, BID_NAMES, COINCHE, action_name, parse_action
from belote_env.cards import CONTRACTS, NUM_CARDS, RANKS, SUITS, card_name, card_names
from belote_env.deck import turned_card
from belote_env.engine.state import (
    ANNONCE_KINDS,
    AUCTION,
    RESULTS,
    SAY_BELOTE,
    SAY_REBELOTE,
    SPEECH,
    cards_played,
)
from belote_env.game import Game
from tests.scenarios import SCENARIOS, Scenario

GOLDEN: Final = Path(__file__).parent / "golden" / "playthroughs"


def playthrough(scenario: Scenario, seed: int) -> str:
    """The text of a game of random but legal actions."""
    game = Game(scenario.rules, scenario.episode, seed)
    rng = random.Random(seed)
    opening = " after given calls" if scenario.calls else ""
    head = f"Rules {game.rules.id}; a {scenario.episode} of seed {seed}, random play{opening}."
    lines = [scenario.title, head]
    for number in range(1, scenario.deals + 1):
        calls = scenario.calls[number - 1].split(", ") if number <= len(scenario.calls) else []
        lines += ["", *_deal(game, rng, number, calls)]
        over = game.end_deal()
        if scenario.episode == "match":
            lines += ["", _score(game, over)]
        if over or number == scenario.deals:
            break
        game.begin_deal()
    return "\n".join(lines) + "\n"


def _get(game: Game, name: str) -> Any:
    """A field of the state, an int or a list."""
    return game.state[name][0].tolist()


def _deal(game: Game, rng: random.Random, number: int, opening: Sequence[str]) -> Iterator[str]:
    turned = turned_card(game.rules, _get(game, "deck"))
    yield f"Deal {number}. Seat {_get(game, 'dealer')} deals, seat {game.seat} speaks first."
    if carry := _get(game, "carry"):
        yield f"The winner of this deal also marks the {carry} carried."
    yield ""
    yield from _diagram(game, f"turned  {turned}" if turned else "")
    yield ""
    by_bids = game.rules.family == "auction"
    names, width = (_bids, 12) if by_bids else (_names, 8)
    yield f"Auction   {'calls':<{width}}of"
    calls = iter(opening)
    while _get(game, "phase") == AUCTION:
        seat, legal = game.seat, game.legal_actions()
        call = next(calls, None)
        action = parse_action(call) if call else rng.choice(legal)
        game.step(action)
        yield f"  seat {seat}  {action_name(action):<{width}}{names(legal)}"
    yield ""
    if game.over:
        yield "Nobody takes: the deal is void."
        return
    if turned:
        yield from _diagram(game, f"seat {_get(game, 'taker')} takes {_contract(game)}")
    else:
        yield f"Seat {_get(game, 'taker')} plays {_contract(game)}."
    for trick in range(1, NUM_CARDS // game.rules.num_seats + 1):
        yield ""
        yield f"Trick {trick}   on the table   plays    of"
        yield from _trick(game, rng)
    yield ""
    yield from _result(game)


def _names(actions: list[int]) -> str:
    return " ".join(map(action_name, actions))


def _bids(legal: list[int]) -> str:
    """Legal calls where contracts are bid for."""
    bids = [action_name(action) for action in legal if BID <= action < COINCHE]
    others = [action_name(action) for action in legal if not BID <= action < COINCHE]
    if bids:
        others.append(f"{len(bids)} bids from {bids[0]} to {bids[-1]}")
    return ", ".join(others)


def _contract(game: Game) -> str:
    contract, bid = CONTRACTS[_get(game, "contract")], _get(game, "bid")
    doubled = ("", ", coinched", ", surcoinched")[_get(game, "doubled")]
    return f"{BID_NAMES[bid - 1]} {contract}{doubled}" if bid else contract


def _diagram(game: Game, centre: str) -> Iterator[str]:
    """The hands around the table, seat 0 at the bottom, the next one as play goes round."""
    width = 22
    hands = [_hand(seat, hand) for seat, hand in enumerate(_get(game, "hands"))]
    middle = ["", "", centre, "", ""]
    if game.rules.num_seats == 2:
        for line in (*hands[1], "", centre, "", *hands[0]):
            yield f"{'':{width}}{line}".rstrip()
        return
    right = 1 if game.rules.direction == "anticlockwise" else 3
    for line in hands[2]:
        yield " " * width + line
    for row in zip(hands[4 - right], middle, hands[right], strict=True):
        yield "".join(f"{cell:<{width}}" for cell in row).rstrip()
    for line in hands[0]:
        yield " " * width + line


def _hand(seat: int, hand: int) -> list[str]:
    """A hand, a line for each suit, high cards first."""
    lines = [f"seat {seat}"]
    for suit, name in enumerate(SUITS):
        ranks = [RANKS[rank] for rank in range(7, -1, -1) if hand >> 8 * suit + rank & 1]
        lines.append(" ".join([name, "", *ranks]).rstrip())
    return lines


def _trick(game: Game, rng: random.Random) -> Iterator[str]:
    """One trick: cards and words, and who takes what."""
    seats = game.rules.num_seats
    start, before = _get(game, "num_played"), _get(game, "points")
    held = _get(game, "hands")
    while not game.over and (_get(game, "num_played") < start + seats or _get(game, "speech")):
        seat, legal = game.seat, game.legal_actions()
        table, asked, said = _table(game, start), _asked(game), _said(game, seat)
        action = rng.choice(legal)
        game.step(action)
        words = list((_said(game, seat) - said).elements())
        remark = asked + (f"says {', '.join(words)}" if words else "")
        line = f"  seat {seat}  {table:<15}{action_name(action):<9}{_names(legal):<26}{remark}"
        yield line.rstrip()
        if start == 4 and _get(game, "num_played") == 5 and not asked:
            yield from _annonces(game)
    points = _get(game, "points")
    winner = _get(game, "best_seat")
    won = points[winner % 2] - before[winner % 2]
    yield f"  seat {winner} wins {won}: {points[0]} - {points[1]}{_draws(game, winner, held)}"


def _draws(game: Game, winner: int, held: list[int]) -> str:
    """What two players draw after a trick, its winner first; ``held`` is what they had before."""
    drawn = [hand & ~before for hand, before in zip(_get(game, "hands"), held, strict=True)]
    seats = [(winner + turn) % game.rules.num_seats for turn in range(game.rules.num_seats)]
    return "".join(
        f"; seat {seat} draws {' '.join(card_names(drawn[seat]))}" for seat in seats if drawn[seat]
    )


def _table(game: Game, start: int) -> str:
    """The cards of the trick so far, the one that holds it marked."""
    best = _get(game, "best_card")
    cards = cards_played(game.state[0])[start:]
    return " ".join(card_name(card) + "*" * (card == best) for card in cards)


def _asked(game: Game) -> str:
    """What the seat is asked to say, if it is."""
    if _get(game, "phase") != SPEECH:
        return ""
    pending = _get(game, "speech")
    if pending & SAY_BELOTE:
        return "belote?   "
    return "rebelote? " if pending & SAY_REBELOTE else "annonces? "


def _said(game: Game, seat: int) -> Counter[str]:
    """How often a seat has said each word in this deal."""
    said = {word: _get(game, f"{word}_said")[seat].bit_count() for word in ("belote", "rebelote")}
    kinds = _get(game, "annonces_said")[seat]
    return Counter(said | {kind: kinds >> 2 * k & 3 for k, kind in enumerate(ANNONCE_KINDS)})


def _annonces(game: Game) -> Iterator[str]:
    """How the annonces compare."""
    team = _get(game, "annonce_team")
    if team >= 0:
        points, shown = _get(game, "annonce_points")[team], _get(game, "shown")
        cards = ", ".join(
            f"seat {seat} shows {' '.join(card_names(shown[seat]))}"
            for seat in (team, team + 2)
            if shown[seat]
        )
        yield f"  annonces: team {team} scores {points}; {cards}"
    elif any(_get(game, "annonces_said")):
        yield "  annonces: equal, nobody scores"


def _result(game: Game) -> Iterator[str]:
    taker, result = _get(game, "taker"), RESULTS[_get(game, "result")]
    did = "played" if _get(game, "bid") else "took"
    yield f"Result: {result}; seat {taker} of team {taker % 2} {did} {_contract(game)}."
    yield "          tricks   points   annonces   marks"
    columns = ("tricks", "points", "annonce_points", "marks", "belote_marks")
    for team, terms in enumerate(zip(*(_get(game, column) for column in columns), strict=True)):
        tricks, points, annonces, marks, belote = terms
        note = f"   belote {belote} among them" if belote else ""
        yield f"  team {team}{tricks:8}{points:9}{annonces:11}{marks:8}{note}"
    if carry := _get(game, "carry"):
        yield f"Carry: {carry} for the winner of the next deal."


def _score(game: Game, over: bool) -> str:
    """The match after a deal."""
    score = "{} - {}".format(*_get(game, "scores"))
    if not over:
        return f"The match stands at {score}; seat {_get(game, 'dealer')} deals next."
    winner = _get(game, "winner")
    return f"The match is over at {score}: {'drawn' if winner < 0 else f'team {winner} wins'}."


def find(scenario: Scenario) -> str:
    """The playthrough of the first seed that shows what the scenario promises."""
    texts = (playthrough(scenario, seed) for seed in count())
    return next(text for text in texts if shows(text, scenario))


def shows(text: str, scenario: Scenario) -> bool:
    """Whether a text has all that its scenario wants."""
    return all(re.search(pattern, text) for pattern in scenario.wanted)


def _write() -> None:
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, scenario in SCENARIOS.items():
        (GOLDEN / f"{name}.txt").write_text(find(scenario), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write playthroughs of the scenarios.")
    parser.add_argument("--write", action="store_true", required=True, help="rewrite the files")
    parser.parse_args()
    _write()
