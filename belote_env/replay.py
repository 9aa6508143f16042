"""Records of deals and matches as data: made from games, and played again with every check.

Their text is the business of `belote_env.record`, which offers all of this too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from numpy.typing import NDArray

from belote_env.actions import DECLARE, SILENT, IllegalActionError, action_name
from belote_env.cards import NUM_CARDS, card_name, card_names
from belote_env.checks import check_choice, check_list, check_pair, check_seat, check_whole, is_list
from belote_env.deck import places, turned_card
from belote_env.engine.episode import MATCH
from belote_env.engine.options import TURNED_PLACE
from belote_env.engine.state import AUCTION, PLAY, RESULTS, SPEECH, cards_played
from belote_env.game import Game, check_pack
from belote_env.rules import MAX_SCORE, RuleSet, resolve

_WORDS: Final = {AUCTION: "call", PLAY: "card", SPEECH: "word"}
_SAID: Final = ("belote_said", "rebelote_said", "annonces_said")


class RecordError(ValueError):
    """A record that cannot be read, or could not have been played; the message says where."""


@dataclass(frozen=True, kw_only=True)
class DealRecord:
    """A deal, or a position in one, as it was dealt and played.

    Attributes:
        rules: the rule set.
        dealer: a seat.
        deck: the 32 card ids in dealing order, as `belote_env.game.Game.start_from` takes them.
        calls: action ids of the auction.
        cards: card ids in the order played.
        speech: DECLARE or SILENT for each time a seat was asked (``announce: choice``).
        marks: the teams' marks of a deal that is over, else None.
        result: one of `RESULTS`, of a deal that is over, else None.

    Raises:
        RecordError: if the dealer is no seat, the pack does not hold each card once, an action is
            no id, or marks or result are none; whether the actions are legal and led there is for
            `replay` to say.
    """

    rules: RuleSet
    dealer: int
    deck: tuple[int, ...]
    calls: tuple[int, ...] = ()
    cards: tuple[int, ...] = ()
    speech: tuple[int, ...] = ()
    marks: tuple[int, int] | None = None
    result: str | None = None

    def __post_init__(self) -> None:
        check_rule_set(self.rules)
        try:
            check_seat("dealer", self.dealer, self.rules.num_seats)
            check_pack(self.deck)
            for name in ("calls", "cards", "speech"):
                for action in check_list(name, getattr(self, name), "action ids"):
                    check_whole("action", action, most=self.rules.num_actions - 1)
            if self.marks is not None:
                object.__setattr__(self, "marks", check_pair("marks", self.marks, MAX_SCORE))
            if self.result is not None:
                check_choice("result", self.result, RESULTS)
        except ValueError as error:
            raise RecordError(str(error)) from None

    @classmethod
    def from_game(cls, game: Game) -> DealRecord:
        """The deal of a game, as far as it has been played.

        In a match, call it before `Game.end_deal`, which moves the dealer on.  There a deal can
        have marks that come from deals before it, a carry above all, and these replay only as
        part of their `MatchRecord`.

        Raises:
            RecordError: if it is no `Game`, or the dealer and the pack do not lead to its hands.
        """
        if not isinstance(game, Game):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise RecordError(f"game={game!r}: use a Game")
        state = game.state[0]
        again = Game(game.rules, seed=0)
        try:
            deal = cls(
                rules=game.rules,
                dealer=int(state["dealer"]),
                deck=tuple(state["deck"].tolist()),
                calls=tuple(state["calls"][: state["num_calls"]].tolist()),
                cards=tuple(cards_played(state)),
                speech=_find_speech(game),
            )
            apply(deal, again)
        except (RecordError, IllegalActionError) as error:
            raise RecordError(f"game: its dealer and pack do not lead to it: {error}") from None
        held, dealt = (s["hands"] | s["fallen"] for s in (state, again.state[0]))
        if (held != dealt).any():
            seat = int((held != dealt).argmax())
            raise RecordError(
                f"game: seat {seat} got {' '.join(card_names(held[seat]))}, but"
                f" {' '.join(card_names(dealt[seat]))} by the dealer and the pack: make the record"
                " of a game as it was dealt, before end_deal()"
            )
        marks = _pair(state["marks"]) if game.over else None
        return replace(
            deal, marks=marks, result=RESULTS[int(state["result"])] if game.over else None
        )

    @property
    def hands(self) -> list[list[str]]:
        """The cards that each seat was dealt before the auction, in dealing order."""
        dealt = places(self.rules.family, self.dealer)
        return [[card_name(self.deck[place]) for place in hand] for hand in dealt]

    @property
    def turned(self) -> str | None:
        """The turned card; None in the auction family."""
        return turned_card(self.rules, self.deck)

    @property
    def stock(self) -> list[str]:
        """The cards that were left for after the auction, in dealing order."""
        place = TURNED_PLACE[self.rules.family]
        return [] if place is None else [card_name(card) for card in self.deck[place + 1 :]]

    def full_hands(self) -> list[list[str]] | None:
        """The cards of each seat as the play begins, in id order; None if it has not begun.

        Raises:
            RecordError: if the calls are not legal.
        """
        game = Game(self.rules, seed=0)
        apply(replace(self, cards=(), speech=(), marks=None, result=None), game)
        if game.state["phase"][0] != PLAY:
            return None
        return [card_names(hand) for hand in game.state["hands"][0, : self.rules.num_seats]]


@dataclass(frozen=True, kw_only=True)
class MatchRecord:
    """The deals of a match in order; the last may be a position.

    Attributes:
        rules: the rule set.
        deals: one deal or more, of these rules.
        scores: the teams' totals after the deals that are over, or None if not known.

    Raises:
        RecordError: if there is no deal, one has other rules, or the scores are none.
    """

    rules: RuleSet
    deals: tuple[DealRecord, ...]
    scores: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        check_rule_set(self.rules)
        _check_deals(self.deals)
        if not self.deals:
            raise RecordError("match: has no deals")
        for number, deal in enumerate(self.deals, start=1):
            if deal.rules != self.rules:
                raise RecordError(
                    f"deal {number}, rules: {deal.rules.id!r} differs from the match's"
                    f" {self.rules.id!r}"
                )
        try:
            if self.scores is not None:
                object.__setattr__(self, "scores", check_pair("scores", self.scores, MAX_SCORE))
        except ValueError as error:
            raise RecordError(str(error)) from None

    @classmethod
    def from_deals(cls, deals: Sequence[DealRecord]) -> MatchRecord:
        """A match from the records of its deals, each made before `Game.end_deal`.

        Raises:
            RecordError: if there are none, or they do not make a match.
        """
        _check_deals(deals)
        record = cls(rules=deals[0].rules if deals else resolve("classic"), deals=tuple(deals))
        game = Game(record.rules, "match", seed=0)
        apply(record, game)
        return replace(record, scores=_scores_after(game))


Record = DealRecord | MatchRecord


def _check_deals(deals: object) -> None:
    if not is_list(deals) or not all(isinstance(deal, DealRecord) for deal in deals):
        raise RecordError(f"deals={deals!r}: use a list of DealRecord")


def check_record(record: object) -> None:
    """Refuse what is no record.

    Raises:
        RecordError: naming it.
    """
    if not isinstance(record, Record):
        raise RecordError(f"record={record!r}: use a record, such as parse() makes of its text")


def check_rule_set(rules: object) -> None:
    """Refuse what is no rule set.

    Raises:
        RecordError: naming it.
    """
    if not isinstance(rules, RuleSet):
        raise RecordError(f"rules={rules!r}: use a RuleSet, such as rules.resolve() makes of an id")


class Step(NamedTuple):
    """One decision of a replay.

    Attributes:
        deal: index of the deal in its match, 0 for a deal alone.
        state: a copy of the state before the decision, as `Game.clone` makes it.
        action: the decision; None after the last of a deal, ``state`` being where that led.
    """

    deal: int
    state: NDArray[Any]
    action: int | None


def replay(record: Record) -> Iterator[Step]:
    """Play a record again, checking every decision, the marks, results and totals.

    Raises:
        RecordError: on what is no record, and on what could not have happened, when the replay gets
            there.
    """
    check_record(record)
    return _steps(record)


def _steps(record: Record) -> Iterator[Step]:
    game = Game(record.rules, "match" if isinstance(record, MatchRecord) else "deal", seed=0)
    for deal, action in _walk(record, game):
        yield Step(deal, game.clone(), action)


def apply(record: Record, game: Game) -> None:
    """Bring a game to where a record ends, as the start of a new episode.

    A deal that is over stays to be entered with `Game.end_deal`.

    Raises:
        RecordError: if the record could not have been played; the game is as before.
        ValueError: if the game has other rules, or is one deal and the record a match.
    """
    check_record(record)
    if game.rules != record.rules:
        raise ValueError(f"the record has rules {record.rules.id!r}, the game {game.rules.id!r}")
    if isinstance(record, MatchRecord) and game.episode != MATCH:
        raise ValueError("the record is a match: the game must have episode='match'")
    before = game.clone()
    try:
        for _ in _walk(record, game):
            pass
    except RecordError:
        game.restore(before)
        raise


def _walk(record: Record, game: Game) -> Iterator[tuple[int, int | None]]:
    """Play a record in a game, giving (deal, action) before each action and after each deal."""
    if isinstance(record, DealRecord):
        for action in _play_deal(record, game, new_match=True):
            yield 0, action
        return
    for index, deal in enumerate(record.deals):
        try:
            if index > 0:
                _enter_deal(game, deal)
            for action in _play_deal(deal, game, new_match=index == 0):
                yield index, action
        except RecordError as error:
            raise RecordError(f"deal {index + 1}, {error}") from None
    _check_equal("scores", record.scores, _scores_after(game))


def _enter_deal(game: Game, following: DealRecord) -> None:
    """Enter the deal just played in its match, another one being recorded after it."""
    if not game.over:
        raise RecordError("match: the deal before is not over")
    if game.end_deal():
        scores = "-".join(map(str, _pair(game.state["scores"][0])))
        raise RecordError(f"match: it was over before, at {scores}")
    _check_equal("dealer", following.dealer, int(game.state["dealer"][0]))


def _play_deal(record: DealRecord, game: Game, new_match: bool) -> Iterator[int | None]:
    """Play a deal in a game, giving each action before it is taken and None at the end."""
    game.start_from(record.deck, record.dealer, new_match=new_match)
    recorded = {AUCTION: record.calls, PLAY: record.cards, SPEECH: record.speech}
    taken = dict.fromkeys(recorded, 0)
    while not game.over:
        phase = int(game.state["phase"][0])
        if taken[phase] == len(recorded[phase]):
            break
        action = recorded[phase][taken[phase]]
        taken[phase] += 1
        if not game.legal_set() >> action & 1:
            raise RecordError(f"{_WORDS[phase]} {taken[phase]} {_illegal(game, action)}")
        yield action
        game.step(action)
    for phase, actions in recorded.items():
        if taken[phase] < len(actions):
            name = action_name(actions[taken[phase]])
            expected = "is over" if game.over else f"needs a {_WORDS[int(game.state['phase'][0])]}"
            raise RecordError(
                f"{_WORDS[phase]} {taken[phase] + 1} ({name}): here the deal {expected}"
            )
    state = game.state[0]
    _check_equal("marks", record.marks, _pair(state["marks"]) if game.over else None)
    _check_equal("result", record.result, RESULTS[int(state["result"])] if game.over else None)
    yield None


def _illegal(game: Game, action: int) -> str:
    legal = game.legal_actions()
    held = action >= NUM_CARDS or int(game.state["hands"][0, game.seat]) >> action & 1
    return (
        f"({action_name(action)}): seat {game.seat} {'may not' if held else 'does not hold it'},"
        f" legal are {', '.join(map(action_name, legal))}"
    )


def _check_equal(name: str, recorded: object, replayed: object) -> None:
    """Refuse something recorded that the replay contradicts; None says nothing."""
    if recorded is not None and recorded != replayed:
        found = "none yet" if replayed is None else replayed
        raise RecordError(f"{name}: {recorded} in the record, {found} on replay")


def _scores_after(game: Game) -> tuple[int, int]:
    """Totals of a match, its last deal entered if it is over; the game stays as it is."""
    before = game.clone()
    if game.over:
        game.end_deal()
    scores = _pair(game.state["scores"][0])
    game.restore(before)
    return scores


def _pair(numbers: Sequence[int] | NDArray[Any]) -> tuple[int, int]:
    return int(numbers[0]), int(numbers[1])


def _find_speech(game: Game) -> tuple[int, ...]:
    """What was answered so far in a deal: the state keeps what was declared, not what was asked.

    Plays the deal again, and at each question declares what the game has as declared.
    """
    if game.rules.announce != "choice":
        return ()
    final = game.state[0]
    again = Game(game.rules, seed=0)
    again.start_from(final["deck"].tolist(), int(final["dealer"]))
    for action in final["calls"][: final["num_calls"]].tolist():
        again.step(action)
    answers: list[int] = []
    for card in cards_played(final):
        again.step(card)
        asked_now = again.state["num_played"][0] == final["num_played"]
        while again.state["phase"][0] == SPEECH:
            if asked_now and again.state["speech"][0] == final["speech"]:
                break  # the question that the game waits on
            answers.append(_answer(again, final))
            again.step(answers[-1])
    return tuple(answers)


def _answer(game: Game, final: Any) -> int:
    """DECLARE if all that it would add to what the seat has said is part of the final state."""
    before, seat = game.clone(), game.seat
    game.step(DECLARE)
    said = all(not game.state[name][0, seat] & ~final[name][seat] for name in _SAID)
    game.restore(before)
    return DECLARE if said else SILENT
