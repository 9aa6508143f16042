"""The rules in text, for people and tools: legal cards and calls, tricks, annonces, deal scores.

    >>> legal_cards("classic", contract="H", trick=["AS", "JH"], hand=["7H", "9H", "AD"])
    ['7H', '9H']

Cards are texts such as ``"JH"``, contracts ``"S" "H" "D" "C" "SA" "TA"``, calls ``"pass"``, a
contract that is taken, or in the auction family ``"110 H"``, ``"coinche"`` and the like; pairs are
by team, and ``rs`` is a rule set or its id.  Every answer comes from the kernels of
`belote_env.engine`; what cannot be asked raises ValueError.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import NUM_ACTIONS, PASS, action_name, parse_action
from belote_env.cards import (
    HAND_SIZE,
    NUM_CARDS,
    NUM_SEATS,
    RANKS,
    bitboard,
    card_name,
    card_names,
    iter_cards,
    parse_card,
)
from belote_env.checks import check_choice, check_flag, check_list, check_seat, check_whole
from belote_env.deal_score import (
    DealScore,
    check_annonces_played,
    parse_contract_of,
    score_deal,
)
from belote_env.engine import annonces as annonce_kernels
from belote_env.engine import scoring
from belote_env.engine.jit import from_python
from belote_env.engine.options import TALON_CARDS, TURNED_PLACE, rule_data
from belote_env.engine.state import ANNONCE_KINDS, CARRE, PLAY, new_states
from belote_env.engine.step import legal_at, step_at
from belote_env.game import Game
from belote_env.match import Concours, Match
from belote_env.rules import RuleSet, resolve

__all__ = [
    "Annonce",
    "Concours",
    "DealScore",
    "Match",
    "belote_points",
    "find_annonces",
    "legal_calls",
    "legal_cards",
    "resolve_annonces",
    "score_deal",
    "trick_points",
    "trick_winner",
]

_find_annonces = from_python(annonce_kernels.find_annonces)
_winning_team = from_python(annonce_kernels.winning_team)
_annonce_strength = from_python(annonce_kernels.annonce_strength)
_belote_counts = from_python(scoring.belote_counts)

_MIDDLE: Final = 20
"""Cards played before a trick at which nothing happens but the trick itself: it is past the first
two tricks with their annonces, past the talon of two players, and not the last."""


def legal_cards(
    rs: str | RuleSet,
    contract: str,
    trick: Sequence[str],
    hand: Sequence[str],
    talon: int | None = None,
) -> list[str]:
    """Cards of a hand that may be played to a trick, in the order of card ids.

    Args:
        rs: a rule set or its id.
        contract: what is played.
        trick: the cards on the table in the order played, none to three; of two players, none or
            one.
        hand: one to eight cards; of two players, one to seven.
        talon: cards left in the talon as the trick began; needed with two players, and with them
            alone: there is no obligation until it is empty (rules, section 8).
    """
    rules = resolve(rs)
    trick, hand = _card_list("trick", trick), _card_list("hand", hand)
    if len(trick) >= rules.num_seats:
        raise ValueError(f"the trick {' '.join(trick)} is complete: nobody may play to it")
    cards = _parse_cards([*trick, *hand])[len(trick) :]
    most = HAND_SIZE if rules.num_seats == NUM_SEATS else HAND_SIZE - 1
    if not 1 <= len(cards) <= most:
        raise ValueError(f"a hand has 1 to {most} cards, got {len(cards)}")
    left = _check_talon(rules, talon)
    table = _lay_trick(rules, contract, trick, TALON_CARDS - left if left else _MIDDLE)
    table["hands"][0, len(trick)] = bitboard(cards)
    return card_names(legal_at(rule_data(rules), table, 0)[0])


def _check_talon(rules: RuleSet, talon: int | None) -> int:
    """Cards left in the talon, 0 where there is none."""
    if rules.family != "two_player":
        if talon is not None:
            raise ValueError(f"talon={talon!r}: rules {rules.id!r} have no talon; leave it out")
        return 0
    if talon is None or check_whole("talon", talon, most=TALON_CARDS) % 2:
        raise ValueError(
            f"talon={talon!r}: give the cards left in it, 0, 2, 4 ... {TALON_CARDS}, as each trick"
            " takes two"
        )
    return talon


def trick_winner(rs: str | RuleSet, contract: str, trick: Sequence[str]) -> int:
    """Index in a trick of four cards, of two players two, of the one that wins it."""
    return int(_complete_trick(resolve(rs), contract, trick)["best_seat"][0])


def trick_points(rs: str | RuleSet, contract: str, trick: Sequence[str], last: bool = False) -> int:
    """Points of a whole trick, with der if it is ``last`` in a deal without capot."""
    return int(_complete_trick(resolve(rs), contract, trick, last)["points"].sum())


def _complete_trick(
    rules: RuleSet, contract: str, trick: Sequence[str], last: bool = False
) -> NDArray[Any]:
    trick, last = _card_list("trick", trick), check_flag("last", last)
    if len(trick) != rules.num_seats:
        raise ValueError(f"a trick has {rules.num_seats} cards, got {len(trick)}")
    return _lay_trick(rules, contract, trick, NUM_CARDS - rules.num_seats if last else _MIDDLE)


def _lay_trick(
    rules: RuleSet, contract: str, trick: Sequence[str], num_played: int
) -> NDArray[Any]:
    """A state in which the cards of a trick have been played after so many, the first by seat 0."""
    table = new_states(1)
    table["contract"] = parse_contract_of(rules, contract)
    table["phase"] = PLAY
    table["num_played"] = num_played
    for seat, card in enumerate(_parse_cards(trick)):
        table["hands"][0, seat] = bitboard([card])
        step_at(rule_data(rules), table, 0, card)
    return table


def legal_calls(
    rs: str | RuleSet, dealer: int, turned: str | None = None, calls: Sequence[str] = ()
) -> list[str]:
    """Calls of the next seat to speak, in the order of action ids; none once the auction is over.

    Args:
        rs: a rule set or its id.
        dealer: seat 0-3; of two players 0 or 1.
        turned: the turned card; left out in the auction family, which turns none.
        calls: what has been called, from the seat next to the dealer on.
    """
    game = Game(rs, seed=0)
    game.start_from(_pack(game.rules, turned), dealer)
    for number, text in enumerate(check_list("calls", calls, "calls in words"), start=1):
        legal = _legal_calls(game)
        if not isinstance(text, str) or text not in legal:  # pyright: ignore[reportUnnecessaryIsInstance]
            wanted = f"seat {game.seat} may call {', '.join(legal)}"
            raise ValueError(
                f"call {number} ({text!r}): {wanted if legal else 'the auction is over before it'}"
            )
        game.step(parse_action(text))
    return _legal_calls(game)


def _pack(rules: RuleSet, turned: str | None) -> list[int]:
    """A pack in which a card is turned up, the others in the order of their ids."""
    place = TURNED_PLACE[rules.family]
    if place is None:
        if turned is not None:
            raise ValueError(f"turned={turned!r}: rules {rules.id!r} turn no card; leave it out")
        return list(range(NUM_CARDS))
    if turned is None:
        raise ValueError(f"turned=None: rules {rules.id!r} turn a card; name it, such as 'JH'")
    card = parse_card(turned)
    deck = [other for other in range(NUM_CARDS) if other != card]
    deck.insert(place, card)
    return deck


def _legal_calls(game: Game) -> list[str]:
    legal = game.legal_set()
    return [action_name(action) for action in range(PASS, NUM_ACTIONS) if legal >> action & 1]


@dataclass(frozen=True)
class Annonce:
    """An annonce; its text is such as ``"tierce KD"``, ``"carre J"`` or ``"cent AS"``.

    Attributes:
        kind: ``"tierce"``, ``"cinquante"``, ``"cent"`` or ``"carre"``.
        top: the highest card of a sequence, the rank of a carré.
        points: what it is worth.
    """

    kind: str
    top: str
    points: int

    def __str__(self) -> str:
        return f"{self.kind} {self.top}"


def find_annonces(rs: str | RuleSet, contract: str, hand: Sequence[str]) -> list[Annonce]:
    """Annonces of a hand of eight cards: carrés, then sequences by suit and height."""
    rules = resolve(rs)
    check_annonces_played(rules)
    cards = _parse_cards(_card_list("hand", hand))
    if len(cards) != HAND_SIZE:
        raise ValueError(f"annonces are those of {HAND_SIZE} cards, got {len(cards)}")
    return _annonces_in(rules, parse_contract_of(rules, contract), bitboard(cards))


def resolve_annonces(
    rs: str | RuleSet, contract: str, by_seat: Sequence[Sequence[str]], first: int = 0
) -> tuple[int | None, tuple[int, int]]:
    """Which team scores its annonces, and the points of both.

    Args:
        rs: a rule set or its id.
        contract: what is played.
        by_seat: texts of the annonces of each seat 0-3.
        first: the seat that spoke first, the one next to the dealer.

    Returns:
        ``(team, (points of team 0, of team 1))``; the team is None when nobody scores.

    Raises:
        ValueError: on what is no annonce or said twice, on annonces of a seat that no hand has
            together, and on sequences of two seats that share a card.
    """
    rules = resolve(rs)
    check_annonces_played(rules)
    trump = parse_contract_of(rules, contract)
    first = check_seat("first", first, NUM_SEATS)
    if len(check_list("by_seat", by_seat, "the annonces of each seat")) != NUM_SEATS:
        raise ValueError(f"by_seat gives the annonces of 4 seats, got {len(by_seat)} lists")
    known = _all_annonces(rules, trump)
    said: set[str] = set()
    strengths = np.zeros(NUM_SEATS, np.int64)
    points = [0, 0]
    held_by: dict[int, tuple[int, str]] = {}
    for seat, texts in enumerate(by_seat):
        held = 0
        for text in check_list(f"by_seat[{seat}]", texts, "annonces"):
            if not isinstance(text, str) or text not in known:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise ValueError(_unknown_annonce(seat, text, known))
            if text in said:
                raise ValueError(f"seat {seat}: annonce {text!r} is said twice")
            said.add(text)
            annonce = known[text]
            _take_cards(seat, annonce, held_by)
            held |= _cards_of(annonce)
            strengths[seat] = max(strengths[seat], _strength(trump, annonce))
            points[seat % 2] += annonce.points
        _check_hand(rules, trump, seat, texts, held)
    winner = int(_winning_team(rule_data(rules)[0], strengths, first))
    if winner < 0:
        return None, (0, 0)
    return winner, (points[0], 0) if winner == 0 else (0, points[1])


def _annonces_in(rules: RuleSet, contract: int, cards: int) -> list[Annonce]:
    """Annonces in a set of cards."""
    found = np.zeros((annonce_kernels.MAX_ANNONCES, 4), np.int64)
    count = _find_annonces(rule_data(rules)[0], contract, cards, found)
    annonces: list[Annonce] = []
    for kind, top, points, _ in found[:count].tolist():
        name = RANKS[top] if kind == CARRE else card_name(top)
        annonces.append(Annonce(ANNONCE_KINDS[kind], name, points))
    return annonces


@cache
def _all_annonces(rules: RuleSet, contract: int) -> dict[str, Annonce]:
    """Every annonce by its text: those of all runs of cards and of all fours of a kind."""
    sets = [bitboard(range(rank, NUM_CARDS, len(RANKS))) for rank in range(len(RANKS))]
    for lowest in range(NUM_CARDS):
        suit_end = (lowest | 7) + 1
        sets += [bitboard(range(lowest, end)) for end in range(lowest + 1, suit_end + 1)]
    annonces = [annonce for cards in sets for annonce in _annonces_in(rules, contract, cards)]
    return {str(annonce): annonce for annonce in annonces}


def _take_cards(seat: int, annonce: Annonce, held_by: dict[int, tuple[int, str]]) -> None:
    """Enter the cards of a sequence; refuse one that is in another seat's.

    A carré is not asked for its cards: the rules compare one with a sequence through it.
    """
    if annonce.kind == ANNONCE_KINDS[CARRE]:
        return
    for card in iter_cards(_cards_of(annonce)):
        holder, text = held_by.setdefault(card, (seat, str(annonce)))
        if holder != seat:
            raise ValueError(
                f"seat {seat}: {str(annonce)!r} needs {card_name(card)}, which seat {holder} has in"
                f" {text!r}: no card is in two hands"
            )


def _cards_of(annonce: Annonce) -> int:
    """The cards that an annonce needs, as a bitboard; a cent may have more."""
    if annonce.kind == ANNONCE_KINDS[CARRE]:
        return bitboard(range(RANKS.index(annonce.top), NUM_CARDS, len(RANKS)))
    top = parse_card(annonce.top)
    length = ANNONCE_KINDS.index(annonce.kind) + 3
    return bitboard(range(top + 1 - length, top + 1))


def _check_hand(rules: RuleSet, trump: int, seat: int, texts: Sequence[str], cards: int) -> None:
    """Refuse annonces of a seat unless the cards that they need, a hand at most, are just them."""
    if not cards:
        return
    size = cards.bit_count()
    if size > HAND_SIZE:
        raise ValueError(f"seat {seat}: {[*texts]} need {size} cards, of a hand of {HAND_SIZE}")
    found = {str(annonce) for annonce in _annonces_in(rules, trump, cards)}
    if found != {*texts}:
        raise ValueError(
            f"seat {seat}: no hand has {[*texts]} together: their cards are {sorted(found)}"
        )


def _unknown_annonce(seat: int, text: object, known: Iterable[str]) -> str:
    kind = str(text).partition(" ")[0]
    tops = [name.partition(" ")[2] for name in known if name.partition(" ")[0] == kind]
    hint = (
        f"a {kind} is one of {', '.join(tops)}"
        if tops
        else f"say {', '.join(ANNONCE_KINDS)} and its top, such as 'tierce KD' or 'carre J'"
    )
    return f"seat {seat}: {text!r} is no annonce: {hint}"


def _strength(contract: int, annonce: Annonce) -> int:
    kind = ANNONCE_KINDS.index(annonce.kind)
    top = RANKS.index(annonce.top) if kind == CARRE else parse_card(annonce.top)
    return int(_annonce_strength(contract, kind, top, annonce.points))


def belote_points(
    rs: str | RuleSet,
    contract: str,
    said: Sequence[str | None],
    order: str,
    same_hand: bool = True,
    tolerance_used: bool = False,
) -> int:
    """Points of the king and queen of trump as they were announced.

    Args:
        rs: a rule set or its id.
        contract: what is played; at TA the belote is that of one suit.
        said: ``"belote"`` or None with the first of the two cards, ``"rebelote"`` or None with the
            second.  Two players say both words with the second card, or none.
        order: ``"KQ"`` if the king was played first, ``"QK"`` if the queen was.
        same_hand: whether one hand held both; of two players, whether one has played both, held
            together or not (rules, section 8).
        tolerance_used: whether the side was forgiven a missing "rebelote" before in the match; two
            players are forgiven none.
    """
    same_hand = check_flag("same_hand", same_hand)
    tolerance_used = check_flag("tolerance_used", tolerance_used)
    rules = resolve(rs)
    trump = parse_contract_of(rules, contract)
    words = [*check_list("said", said, "two words, or None for what was not said")]
    known = all(word is None or isinstance(word, str) for word in words) and len(words) == 2
    if not known or words[0] not in ("belote", None) or words[1] not in ("rebelote", None):
        raise ValueError(
            f"said={said!r}: use ['belote', 'rebelote'], with None for what was not said"
        )
    check_choice("order", order, ("KQ", "QK"))
    if rules.family == "two_player":
        if (said[0] is None) != (said[1] is None):
            raise ValueError(f"said={said!r}: two players say both words at once, or none")
        if tolerance_used:
            raise ValueError("tolerance_used=True: two players are forgiven nothing; leave it out")
    scores, _ = _belote_counts(
        rule_data(rules)[0],
        trump,
        same_hand and said[0] is not None,
        said[1] is not None,
        order == "KQ",
        tolerance_used,
    )
    return scoring.BELOTE if scores else 0


def _card_list(name: str, cards: Any) -> list[str]:
    """A list of texts, each a card."""
    names = [*check_list(name, cards, "cards such as 'JH'")]
    for card in names:
        parse_card(card)
    return names


def _parse_cards(names: Sequence[str]) -> list[int]:
    cards = [parse_card(name) for name in names]
    for place, card in enumerate(cards):
        if card in cards[:place]:
            raise ValueError(f"card {card_name(card)} comes twice in {' '.join(names)}")
    return cards
