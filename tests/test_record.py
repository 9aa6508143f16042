"""Records: text both ways, replay, positions, packs from hands, and what is refused."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from belote_env import record
from belote_env.actions import DECLARE, PASS, SILENT, TAKE, action_name, parse_action
from belote_env.cards import NUM_CARDS, card_name, card_names, parse_card
from belote_env.engine.state import AUCTION, OVER, RESULTS
from belote_env.game import Game
from belote_env.record import DealRecord, MatchRecord, RecordError
from belote_env.rules import RuleSet, preset, resolve
from tests.drawn_rules import draw_rules

CHOICE = preset("sans_tout_atout", announce="choice")
GOLDEN = Path(__file__).parent / "golden" / "records.jsonl"


def play_deal(game: Game, rng: random.Random, decisions: int | None = None) -> list[int]:
    """Play a deal at random to its end, or so many decisions of it; takes are frequent."""
    taken: list[int] = []
    while not game.over and len(taken) != decisions:
        legal = game.legal_actions()
        taken.append(rng.choice([*legal, legal[-1]]))
        game.step(taken[-1])
    return taken


def play_match(rules: RuleSet, seed: int) -> tuple[list[DealRecord], Game]:
    """The records of a random match, and its game after the last deal has been entered."""
    game = Game(rules, "match", seed=seed)
    rng = random.Random(seed)
    deals: list[DealRecord] = []
    while True:
        play_deal(game, rng)
        deals.append(DealRecord.from_game(game))
        if game.end_deal():
            return deals, game
        game.begin_deal()


def fields_of(state: np.ndarray) -> dict[str, Any]:
    """A state but for the random stream that it was or was not dealt from."""
    names = state.dtype.names or ()
    return {name: state[name].tolist() for name in names if name not in ("key", "deal")}


@cache
def made_deal() -> DealRecord:
    """A deal that was taken, played and made."""
    for seed in count():
        game = Game("classic", seed=seed)
        play_deal(game, random.Random(seed))
        if RESULTS[game.state["result"][0]] == "made":
            return DealRecord.from_game(game)
    raise AssertionError


@cache
def short_match() -> MatchRecord:
    deals, _ = play_match(preset("club_501"), seed=4)
    assert len(deals) > 2
    return MatchRecord.from_deals(deals)


def test_deals_of_any_rules_go_to_text_and_back() -> None:
    rng = random.Random(1)
    for seed in range(150):
        game = Game(draw_rules(rng), seed=seed)
        decisions = rng.choice([None, rng.randint(0, 60)])
        taken = play_deal(game, rng, decisions)
        deal = DealRecord.from_game(game)
        text = record.format(deal)
        assert "\n" not in text
        assert record.parse(text) == deal
        assert record.format(record.parse(text)) == text
        assert (deal.marks is not None) == game.over
        steps = list(record.replay(deal))
        assert [step.action for step in steps] == [*taken, None]
        assert fields_of(steps[-1].state) == fields_of(game.state)


@pytest.mark.parametrize("text", GOLDEN.read_text().splitlines())
def test_records_written_once_stay_valid(text: str) -> None:
    """Records of all families, deals, positions and a match, as they were written long ago."""
    kept = record.parse(text)
    assert record.format(kept) == text
    steps = list(record.replay(kept))
    assert steps[-1].action is None


def test_a_replay_gives_every_state_in_copies() -> None:
    game = Game(CHOICE, seed=3)
    rng = random.Random(3)
    states: list[dict[str, Any]] = []
    taken: list[int] = []
    while not game.over:
        states.append(fields_of(game.state))
        taken += play_deal(game, rng, decisions=1)
    steps = list(record.replay(DealRecord.from_game(game)))
    assert [fields_of(step.state) for step in steps[:-1]] == states
    assert steps[-1].state["phase"][0] == OVER
    steps[0].state["hands"] = 0
    assert steps[1].state["hands"].all(), "states are copies"


@pytest.mark.parametrize("rules", [CHOICE, "coinche+announce=choice", "two_player+announce=choice"])
def test_speech_is_recorded_as_it_was_decided(rules: str | RuleSet) -> None:
    rng = random.Random(5)
    seen: set[int] = set()
    pending = 0
    for seed in range(60):
        game = Game(rules, seed=seed)
        said: list[int] = []
        while not game.over:
            (action,) = play_deal(game, rng, decisions=1)
            said += [action] if action in (DECLARE, SILENT) else []
            pending += bool(game.state["speech"][0])
            assert DealRecord.from_game(game).speech == tuple(said)
        seen |= set(said)
    assert seen == {DECLARE, SILENT}
    assert pending


@pytest.mark.parametrize(
    "rules",
    [
        "classic+dealing=cut+target=300",
        "classic+litige=replay+void_dealer=same+target=400",
        "sans_tout_atout+announce=choice+target=500",
        "concours",
        "contree_ffb+target=500",
        "coinche+announce=choice+dealing=cut+target=800",
        "two_player+dealing=cut",
        "two_player+litige=carry+announce=choice",
    ],
)
def test_matches_go_to_text_and_back(rules: str) -> None:
    for seed in range(3):
        deals, game = play_match(resolve(rules), seed)
        match = MatchRecord.from_deals(deals)
        assert match.scores == tuple(game.state["scores"][0].tolist())
        text = record.format(match)
        assert record.parse(text) == match
        assert record.format(record.parse(text)) == text
        steps = list(record.replay(match))
        assert [step.deal for step in steps if step.action is None] == list(range(len(deals)))
        last = Game(rules, "match", seed=0)
        record.apply(match, last)
        assert last.over
        assert last.end_deal()
        assert fields_of(last.state) == fields_of(game.state)


def test_a_game_of_other_hands_than_those_of_its_pack_has_no_record() -> None:
    game = Game("contree", seed=1)
    game.step(game.legal_actions()[-3])
    while game.state["phase"][0] == AUCTION:
        game.step(PASS)
    assert DealRecord.from_game(game)
    game.state["hands"][0, [0, 1]] = game.state["hands"][0, [1, 0]]
    with pytest.raises(RecordError, match=r"^game: seat 0 got .*, but .* by the dealer and"):
        DealRecord.from_game(game)


@pytest.mark.parametrize("wrong", [(1,), (-1, 3), "12", np.array([1, 2, 3]), (1.0, 2), 30_001])
def test_marks_and_scores_are_a_pair_of_whole_numbers(wrong: Any) -> None:
    with pytest.raises(RecordError, match=r"^marks"):
        replace(made_deal(), marks=wrong)
    with pytest.raises(RecordError, match=r"^scores"):
        replace(short_match(), scores=wrong)
    with pytest.raises(RecordError, match=r"^result="):
        replace(made_deal(), result=wrong)


def test_marks_of_any_integer_type_are_written() -> None:
    deal = made_deal()
    marks: Any = np.array(deal.marks)
    assert replace(deal, marks=marks) == deal
    assert record.format(replace(deal, marks=marks)) == record.format(deal)


@pytest.mark.parametrize("rules", ["classic", "classic+announce=choice"])
def test_a_deal_that_was_entered_has_no_record(rules: str) -> None:
    game = Game(rules, "match", seed=1)
    play_deal(game, random.Random(1))
    game.end_deal()
    with pytest.raises(RecordError, match=r"^game: seat 0 got .* before end_deal\(\)"):
        DealRecord.from_game(game)


def test_a_position_in_a_match() -> None:
    match = short_match()
    first = replace(match.deals[1], marks=None, result=None, cards=match.deals[1].cards[:9])
    position = MatchRecord.from_deals([match.deals[0], first])
    assert record.parse(record.format(position)) == position
    game = Game("club_501", "match", seed=0)
    record.apply(position, game)
    assert game.state["num_played"][0] == 9
    assert tuple(game.state["scores"][0]) == position.scores == match.deals[0].marks
    play_deal(game, random.Random(1))
    assert not game.end_deal()


def test_applying_a_deal_starts_an_episode() -> None:
    deal = made_deal()
    game = Game("classic", "match", seed=1)
    game.state["scores"] = 500
    record.apply(replace(deal, cards=deal.cards[:5], marks=None, result=None), game)
    assert game.state["num_played"][0] == 5
    assert game.state["scores"].tolist() == [[0, 0]]


def test_applying_leaves_the_game_on_refusal() -> None:
    deal, match = made_deal(), short_match()
    game = Game("classic", seed=1)
    before = fields_of(game.state)
    with pytest.raises(RecordError, match="marks"):
        record.apply(replace(deal, marks=(1, 2)), game)
    with pytest.raises(ValueError, match="record has rules 'club_501', the game 'classic'"):
        record.apply(match, game)
    assert fields_of(game.state) == before
    with pytest.raises(ValueError, match="must have episode='match'"):
        record.apply(match, Game("club_501", seed=1))


def test_the_text_of_a_deal() -> None:
    deal = made_deal()
    fields = json.loads(record.format(deal))
    assert list(fields) == [
        *("rules", "hash", "dealer", "hands", "turned", "stock", "calls", "cards"),
        *("marks", "result"),
    ]
    assert fields["rules"] == "classic"
    assert fields["hash"] == preset("classic").hash
    first = (deal.dealer + 1) % 4
    pack = [card_name(card) for card in deal.deck]
    assert fields["hands"][first] == " ".join(pack[0:3] + pack[12:14])
    assert fields["hands"][deal.dealer] == " ".join(pack[9:12] + pack[18:20])
    assert fields["turned"] == pack[20] == deal.turned
    assert fields["stock"] == " ".join(pack[21:]) == " ".join(deal.stock)
    assert fields["cards"].split() == [card_name(card) for card in deal.cards]
    choice = replace(deal, rules=CHOICE, calls=(), cards=(), marks=None, result=None)
    assert json.loads(record.format(choice))["speech"] == ""


def test_the_text_of_a_deal_with_bids() -> None:
    """The whole pack is in the hands, in packets of three, two and three; no card is turned."""
    game = Game("contree", seed=0)
    game.start_from(range(NUM_CARDS), dealer=3)
    calls = "80 H coinche pass pass surcoinche"
    for call in ("80 H", "coinche", "pass", "pass", "surcoinche"):
        game.step(parse_action(call))
    deal = DealRecord.from_game(game)
    fields = json.loads(record.format(deal))
    assert list(fields) == ["rules", "hash", "dealer", "hands", "calls", "cards"]
    assert fields["calls"] == calls
    assert fields["hands"][0] == "7S 8S 9S JH QH JD QD KD"
    assert (deal.turned, deal.stock) == (None, [])
    assert deal.full_hands() == [card_names(hand) for hand in game.state["hands"][0]]
    spaced = json.dumps(fields | {"calls": " 80   H coinche  pass pass surcoinche"})
    assert record.parse(spaced) == deal


def test_the_text_of_a_deal_of_two() -> None:
    """Three and three each; the card after is turned, the opponent's and the talon follow it."""
    game = Game("two_player", seed=0)
    game.start_from(range(NUM_CARDS), dealer=0)
    deal = DealRecord.from_game(game)
    fields = json.loads(record.format(deal))
    pack = [card_name(card) for card in range(NUM_CARDS)]
    dealt = [pack[3:6] + pack[9:12], pack[0:3] + pack[6:9]]
    assert fields["hands"] == [" ".join(hand) for hand in dealt]
    assert fields["turned"] == pack[12]
    assert fields["stock"] == " ".join(pack[13:])
    assert deal.full_hands() is None
    game.step(PASS)
    game.step(TAKE + 1)
    taken = DealRecord.from_game(game).full_hands()
    assert taken == [[*dealt[0], pack[12]], [*dealt[1], pack[13]]]


def test_a_position_by_hand_needs_no_calls() -> None:
    fields = json.loads(record.format(made_deal()))
    for key in ("calls", "cards", "marks", "result"):
        del fields[key]
    deal = record.parse(json.dumps(fields))
    assert isinstance(deal, DealRecord)
    assert (deal.calls, deal.cards, deal.speech) == ((), (), ())
    assert [step.action for step in record.replay(deal)] == [None]
    assert deal.full_hands() is None


def test_full_hands_are_those_of_the_play() -> None:
    deal = made_deal()
    hands = deal.full_hands()
    assert hands is not None
    played = [[] for _ in range(4)]
    for step in record.replay(deal):
        if step.action is not None and step.action < NUM_CARDS:
            played[step.state["seat"][0]].append(step.action)
    assert hands == [[card_name(card) for card in sorted(hand)] for hand in played]
    assert all(set(first) <= set(full) for first, full in zip(deal.hands, hands, strict=True))


def changed(**changes: Any) -> str:
    fields = json.loads(record.format(made_deal())) | changes
    return json.dumps({key: value for key, value in fields.items() if value is not None})


def hands_with(seat: int, hand: str) -> list[str]:
    hands = json.loads(record.format(made_deal()))["hands"]
    return [hand if place == seat else other for place, other in enumerate(hands)]


def test_truncated_text_is_refused() -> None:
    text = record.format(made_deal())
    for end in range(len(text)):
        with pytest.raises(RecordError, match=r"^column \d+: no JSON"):
            record.parse(text[:end])


STOCK = " ".join(made_deal().stock)
FIVE = "AS KS QS JS TS"


def started(rules: str, **changes: Any) -> str:
    """The text of a deal of seed 0 before its first call, with some fields changed or left out."""
    fields = json.loads(record.format(DealRecord.from_game(Game(rules, seed=0)))) | changes
    return json.dumps({key: value for key, value in fields.items() if value is not None})


with_bids = partial(started, "contree")
of_two = partial(started, "two_player")

UNREADABLE: list[tuple[str, str]] = [
    ("[]", "record: must be an object {...}, got []"),
    ("7", "record: must be an object {...}, got 7"),
    ("[" * 100_000, "column 1: no record nests so deep"),
    ('{"dealer": ' + "1" * 5000 + "}", "column 1: no record has a number so long"),
    ("{}", "keys: 'rules' is missing"),
    ('{"rules": 1, "hash": 1}', "rules: must be a text, got 1"),
    ('{"rules": "classic", "rules": "classic"}', "keys: 'rules' is given twice"),
    (changed(rules="clasic"), "rules: unknown rule set 'clasic'"),
    (changed(rules="classic+target=0"), "rules: target=0"),
    (changed(rules="concours"), "hash: '44136fa355b3678a' is not that of rules 'concours'"),
    (changed(hash=None), "keys: 'hash' is missing"),
    (changed(score=[1, 2]), "keys: unknown 'score'; the keys are dealer, hands, turned, stock"),
    (changed(dealer=None), "keys: 'dealer' is missing"),
    (changed(dealer="1"), "dealer='1': use a seat 0-3"),
    (changed(dealer=True), "dealer=True: use a seat 0-3"),
    (changed(dealer=4), "dealer=4: use a seat 0-3"),
    (changed(hands="AS"), "hands: must be a list, got 'AS'"),
    (changed(hands=["AS", 1, "", ""]), "hands: must be a text, got 1"),
    (changed(hands=["", "", ""]), "hands: give those of 4 seats, got 3"),
    (changed(hands=hands_with(2, "AS KS")), "hand of seat 2: give 5 cards, got 2"),
    (changed(hands=hands_with(0, "AS KS")), "hand of seat 0: give 5 or 8 cards, got 2"),
    (with_bids(turned="AS"), "keys: unknown 'turned'; the keys are dealer, hands, calls, cards"),
    (with_bids(hands=[FIVE] * 4), "hand of seat 0: give 8 cards, got 5"),
    (with_bids(calls="pass 80 coinche"), "call 2 (80 coinche): there is no such call"),
    (with_bids(calls="80 H 90"), "call 2 (90): there is no such call"),
    (with_bids(calls="170 H"), "call 1 (170): there is no such call"),
    (with_bids(calls="declare"), "call 1 (declare): there is no such call"),
    (with_bids(cards="80 H"), "card 1 (80 H): there is no such card"),
    (with_bids(speech="coinche"), "word 1 (coinche): there is no such word"),
    (changed(calls="80 H"), "call 1 (80 H): there is no such call"),
    (of_two(dealer=2), "dealer=2: use a seat 0-1"),
    (of_two(hands=[FIVE] * 4), "hands: give those of 2 seats, got 4"),
    (of_two(hands=[FIVE] * 2), "hand of seat 0: give 6 or 7 cards, got 5"),
    (of_two(stock="AS"), "stock: give 19 cards, got 1"),
    (of_two(stock=None), "keys: 'stock' is missing"),
    (changed(hands=hands_with(2, "AX KS QS JS TS")), "hand of seat 2: 'AX' is no card"),
    (changed(turned=made_deal().stock[0]), "stock: "),
    (changed(turned=made_deal().hands[1][2]), "was given before, in the hand of seat 1"),
    (changed(stock=STOCK[3:]), "stock: give 11 cards, got 10"),
    (changed(stock=STOCK[:-3]), "stock: give 11 cards, got 10"),
    (changed(stock=STOCK[:-2] + STOCK[:2]), f"stock: {STOCK[:2]} was given before, in the stock"),
    (changed(calls="pass take"), "call 2 (take): there is no such call"),
    (changed(calls="pass 7S"), "call 2 (7S): there is no such call"),
    (changed(cards="7S 7S1"), "card 2 (7S1): there is no such card"),
    (changed(cards="7S pass"), "card 2 (pass): there is no such card"),
    (changed(speech="declare yes"), "word 2 (yes): there is no such word"),
    (changed(cards=["7S"]), "cards: must be a text, got ['7S']"),
    (changed(marks=[1]), "marks: must be a whole number for each team, got [1]"),
    (changed(marks=[1, 2.5]), "marks: must be a whole number for each team, got [1, 2.5]"),
    (changed(marks={}), "marks: must be a list, got {}"),
    (changed(result=1), "result: must be a text, got 1"),
]


@pytest.mark.parametrize(("text", "message"), UNREADABLE, ids=[m for _, m in UNREADABLE])
def test_unreadable(text: str, message: str) -> None:
    with pytest.raises(RecordError) as refused:
        record.parse(text)
    assert message in str(refused.value)


def test_an_illegal_card_is_named_with_its_place() -> None:
    """In trick 2 and later, put a card of the hand that the rules forbid: a renounce."""
    deal = made_deal()
    for step in record.replay(deal):
        if step.action is None or step.action >= NUM_CARDS:
            continue
        number = int(step.state["num_played"][0])
        seat = int(step.state["seat"][0])
        game = Game("classic")
        game.restore(step.state)
        illegal = int(step.state["hands"][0, seat]) & ~game.legal_set()
        for card in [parse_card(name) for name in card_names(illegal)][:1]:
            cards = (*deal.cards[:number], card, *deal.cards[number + 1 :])
            legal = ", ".join(map(action_name, game.legal_actions()))
            refused = (
                f"card {number + 1} ({card_name(card)}): seat {seat} may not, legal are {legal}"
            )
            with pytest.raises(RecordError, match=re.escape(refused)):
                list(record.replay(replace(deal, cards=cards)))
            return
    pytest.fail("the deal has no place for a renounce")


def test_what_could_not_have_been_played() -> None:
    deal = made_deal()
    first = card_name(deal.cards[0])
    seat = (deal.dealer + 1) % 4
    open_deal = replace(deal, marks=None, result=None)
    take = action_name(deal.calls[-1])
    assert take != "pass"
    assert deal.marks is not None
    for bad, message in [
        (replace(deal, marks=(162, 1)), f"marks: (162, 1) in the record, {deal.marks} on replay"),
        (replace(deal, result="chute"), "result: chute in the record, made on replay"),
        (replace(deal, cards=deal.cards[:-1]), f"marks: {deal.marks} in the record, none yet on"),
        (
            replace(open_deal, calls=deal.calls[:-1]),
            f"card 1 ({first}): here the deal needs a call",
        ),
        (replace(open_deal, calls=(*deal.calls, 32)), f"call {len(deal.calls) + 1} (pass): here"),
        (replace(deal, calls=(37,)), f"call 1 (SA): seat {seat} may not, legal are pass, "),
        (replace(deal, cards=(*deal.cards, 0)), "card 33 (7S): here the deal is over"),
        (replace(deal, speech=(DECLARE,)), "word 1 (declare): here the deal is over"),
        (replace(deal, cards=(deal.cards[1],)), f"seat {seat} does not hold it, legal are "),
        (replace(deal, dealer=seat), f"marks: {deal.marks} in the record, {deal.marks[::-1]} on"),
    ]:
        with pytest.raises(RecordError, match=re.escape(message)):
            list(record.replay(bad))


def test_calls_that_could_not_have_been_bid() -> None:
    game = Game("contree", seed=1)
    game.start_from(range(NUM_CARDS), dealer=0)
    for calls, message in [
        ("80 H 80 S", "call 2 (80 S): seat 2 may not, legal are pass, 90 S, 90 H, 90 D, 90 C, 100"),
        ("surcoinche", "call 1 (surcoinche): seat 1 may not, legal are pass, 80 S, 80 H"),
        ("80 H pass coinche", "call 3 (coinche): seat 3 may not"),
        ("generale S", "call 1 (generale S): seat 1 may not"),
        ("H", "call 1 (H): seat 1 may not"),
        ("pass pass pass pass pass", "call 5 (pass): here the deal is over"),
        ("80 H coinche surcoinche pass", "call 4 (pass): here the deal needs a card"),
    ]:
        names = json.loads(record.format(DealRecord.from_game(game))) | {"calls": calls}
        with pytest.raises(RecordError, match=re.escape(message)):
            list(record.replay(record.parse(json.dumps(names))))


def test_a_word_that_is_missing() -> None:
    rng = random.Random(2)
    for seed in range(100):
        game = Game(CHOICE, seed=seed)
        play_deal(game, rng)
        deal = DealRecord.from_game(game)
        if deal.speech:
            with pytest.raises(RecordError, match=r"^card \d+ \(..\): here the deal needs a word"):
                list(record.replay(replace(deal, speech=(), marks=None, result=None)))
            return
    pytest.fail("no deal had anything to say")


def test_refused_matches() -> None:
    match = short_match()
    first, second, *rest = match.deals
    other = replace(
        first, dealer=(first.dealer + 2) % 4, cards=(), calls=(), marks=None, result=None
    )
    cut_short = replace(second, cards=second.cards[:-1], marks=None, result=None)
    for deals, message in [
        ([first, replace(second, marks=(0, 1)), *rest], "deal 2, marks: (0, 1) in the record"),
        ([first, other], "deal 2, dealer: "),
        ([first, cut_short, *rest], "deal 3, match: the deal before is not over"),
        ([*match.deals, other], f"deal {len(match.deals) + 1}, match: it was over before, at"),
        ([first, replace(second, rules=preset("classic"))], "deal 2, rules: 'classic' differs"),
        ([], "match: has no deals"),
    ]:
        with pytest.raises(RecordError, match=re.escape(message)):
            MatchRecord.from_deals(deals)
    assert match.scores is not None
    wrong = (match.scores[0] + 1, match.scores[1])
    with pytest.raises(RecordError, match=re.escape(f"scores: {wrong} in the record")):
        list(record.replay(replace(match, scores=wrong)))


def test_unreadable_matches() -> None:
    fields = json.loads(record.format(short_match()))
    deal = fields["match"][1]

    def with_second(deal: object) -> dict[str, Any]:
        return {**fields, "match": [fields["match"][0], deal]}

    for bad, message in [
        ({**fields, "match": {}}, "match: must be a list, got {}"),
        ({**fields, "match": []}, "match: has no deals"),
        ({**fields, "dealer": 0}, "keys: unknown 'dealer'; the keys are match, scores"),
        ({**fields, "scores": [1]}, "scores: must be a whole number for each team, got [1]"),
        (with_second(None), "deal 2, deal: must be an object {...}, got None"),
        (with_second({**deal, "rules": "classic"}), "deal 2, keys: unknown 'rules'"),
        (with_second({**deal, "cards": "XX"}), "deal 2, card 1 (XX): there is no such card"),
    ]:
        with pytest.raises(RecordError, match=re.escape(message)):
            record.parse(json.dumps(bad))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dealer": 4}, "dealer=4: use a seat 0-3"),
        ({"deck": (0,) * 32}, "the pack must hold each of the 32 cards once"),
        ({"calls": (41,)}, "action=41: use a whole number 0-40"),
        ({"cards": (-1,)}, "action=-1: use a whole number 0-40"),
        ({"rules": preset("contree"), "calls": (109,)}, "action=109: use a whole number 0-108"),
        ({"rules": preset("two_player"), "dealer": 2}, "dealer=2: use a seat 0-1"),
    ],
)
def test_refused_data(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        replace(made_deal(), **changes)


@pytest.mark.parametrize("wrong", [None, 3, [1], {}])
def test_what_is_no_record_is_refused(wrong: Any) -> None:
    with pytest.raises(RecordError, match=r"^text=.*: use the line of JSON"):
        record.parse(wrong)
    for use in (record.format, record.replay, lambda what: record.apply(what, Game())):
        with pytest.raises(RecordError, match=r"^record=.*: use a record"):
            use(wrong)
    with pytest.raises(RecordError, match=r"^game=.*: use a Game"):
        DealRecord.from_game(wrong)
    with pytest.raises(RecordError, match=r"^deals=.*: use a list of DealRecord"):
        MatchRecord.from_deals([wrong])
    with pytest.raises(RecordError, match=r"^rules=.*: use a RuleSet"):
        MatchRecord(rules=wrong, deals=())


def test_a_text_is_not_replayed_unread() -> None:
    text: Any = record.format(made_deal())
    with pytest.raises(RecordError, match=r"^record='.*: use a record, such as parse"):
        record.replay(text)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dealer": True}, "dealer=True: use a seat 0-3"),
        ({"dealer": 1.0}, "dealer=1.0: use a seat 0-3"),
        ({"deck": None}, "deck=None: use a list of 32 card ids"),
        ({"deck": (0.0, *range(1, 32))}, "the pack must hold each of the 32 cards once"),
        ({"calls": None}, "calls=None: use a list of action ids"),
        ({"cards": (1.0,)}, "action=1.0: use a whole number 0-40"),
        ({"cards": (True,)}, "action=True: use a whole number 0-40"),
        ({"rules": "classic"}, "rules='classic': use a RuleSet"),
    ],
)
def test_data_of_a_wrong_type_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=f"^{message}"):
        replace(made_deal(), **changes)


def test_a_dealer_of_any_integer_type_is_written() -> None:
    deal = made_deal()
    assert record.format(replace(deal, dealer=np.int64(deal.dealer))) == record.format(deal)
