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
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from belote_env.actions import action_name
from belote_env.cards import CONTRACTS, HAND_SIZE, RANKS, SUITS, card_name, card_names
from belote_env.engine.dealing import TURNED
from belote_env.engine.state import (
    ANNONCE_KINDS,
    AUCTION,
    RESULTS,
    SAY_BELOTE,
    SAY_REBELOTE,
    SPEECH,
)
from belote_env.game import Episode, Game

GOLDEN: Final = Path(__file__).parent / "golden" / "playthroughs"


class Scenario(NamedTuple):
    """What a playthrough shows.

    Attributes:
        title: its first line.
        rules: id of the rule set.
        wanted: patterns found in the text; a seed is looked for that has them all.
        episode: a match goes on for at most ``deals`` deals.
        deals: how many deals are written.
    """

    title: str
    rules: str
    wanted: tuple[str, ...]
    episode: Episode = "deal"
    deals: int = 1


SCENARIOS: Final = {
    "made": Scenario(
        "A contract is made, with a belote", "classic", ("Result: made", "says rebelote")
    ),
    "chute": Scenario(
        "A contract taken in round 2 fails, and the takers keep their belote",
        "classic",
        (r"Auction.*\n(.*pass.*\n){5}", "Result: chute", " 20   belote 20"),
    ),
    "void": Scenario("Nobody takes", "classic", ("Nobody takes: ",)),
    "litige": Scenario(
        "A litige, whose points go to the winner of the next deal",
        "classic",
        (r"(?s)Result: litige.*Carry: \d.*Result: made",),
        "match",
        deals=2,
    ),
    "capot": Scenario("The takers win all eight tricks", "classic", ("Result: capot_taker",)),
    "annonces": Scenario(
        "Annonces on both sides, a carré the best",
        "classic_annonces",
        ("seat [02].*says carre", "seat [13].*says (tierce|cinquante|cent)", "team 0 scores"),
    ),
    "overbids": Scenario(
        "Sans atout over a suit, tout atout over that, and several belotes",
        "sans_tout_atout",
        (r"  seat \d  [SHDC] (.*\n)+  seat \d  SA ", "takes TA", "belote [468]0"),
    ),
    "choice": Scenario(
        "The players choose what to say",
        "classic_annonces+announce=choice",
        (
            "declare +declare silent +belote[?]",
            "(declare|silent) +declare silent +rebelote[?]",
            "declare +declare silent +annonces[?]",
            "silent +declare silent +annonces[?]",
        ),
    ),
    "club_501": Scenario(
        "Club rules, played clockwise to the end of a short match",
        "club_501+target=151",
        ("The match is over",),
        "match",
        deals=2,
    ),
    "concours": Scenario(
        "A party of two mènes, and a belote lost with its contract",
        "concours+deals_per_party=2",
        (
            r"seat [02].*says rebelote\n(.*\n)+Result: chute; seat [02] .*(\n.*){3} 182 ",
            "The match is over",
        ),
        "match",
        deals=2,
    ),
}


def playthrough(scenario: Scenario, seed: int) -> str:
    """The text of a game of random but legal actions."""
    game = Game(scenario.rules, scenario.episode, seed)
    rng = random.Random(seed)
    head = f"Rules {game.rules.id}; a {scenario.episode} of seed {seed}, random play."
    lines = [scenario.title, head]
    for number in range(1, scenario.deals + 1):
        lines += ["", *_deal(game, rng, number)]
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


def _deal(game: Game, rng: random.Random, number: int) -> Iterator[str]:
    dealer, turned = _get(game, "dealer"), card_name(_get(game, "deck")[TURNED])
    yield f"Deal {number}. Seat {dealer} deals, seat {game.seat} speaks first."
    if carry := _get(game, "carry"):
        yield f"The winner of this deal also marks the {carry} carried."
    yield ""
    yield from _diagram(game, f"turned  {turned}")
    yield ""
    yield "Auction   calls   of"
    while _get(game, "phase") == AUCTION:
        seat, legal = game.seat, game.legal_actions()
        action = rng.choice(legal)
        game.step(action)
        yield f"  seat {seat}  {action_name(action):<8}{_names(legal)}"
    yield ""
    if game.over:
        yield "Nobody takes: the deal is void."
        return
    contract = CONTRACTS[_get(game, "contract")]
    yield from _diagram(game, f"seat {_get(game, 'taker')} takes {contract}")
    for trick in range(1, HAND_SIZE + 1):
        yield ""
        yield f"Trick {trick}   on the table   plays    of"
        yield from _trick(game, rng)
    yield ""
    yield from _result(game)


def _names(actions: list[int]) -> str:
    return " ".join(map(action_name, actions))


def _diagram(game: Game, centre: str) -> Iterator[str]:
    """The four hands around the table, seat 0 at the bottom, the next one as play goes round."""
    width = 22
    right = 1 if game.rules.direction == "anticlockwise" else 3
    hands = [_hand(seat, hand) for seat, hand in enumerate(_get(game, "hands"))]
    middle = ["", "", centre, "", ""]
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
    start, before = _get(game, "num_played"), _get(game, "points")
    while not game.over and (_get(game, "num_played") < start + 4 or _get(game, "speech")):
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
    yield f"  seat {winner} wins {won}: {points[0]} - {points[1]}"


def _table(game: Game, start: int) -> str:
    """The cards of the trick so far, the one that holds it marked."""
    best = _get(game, "best_card")
    cards = _get(game, "played")[start : _get(game, "num_played")]
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
    taker, contract = _get(game, "taker"), CONTRACTS[_get(game, "contract")]
    result = RESULTS[_get(game, "result")]
    yield f"Result: {result}; seat {taker} of team {taker % 2} took {contract}."
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
    parser = argparse.ArgumentParser(description="Write playthroughs of the ten scenarios.")
    parser.add_argument("--write", action="store_true", required=True, help="rewrite the files")
    parser.parse_args()
    _write()
