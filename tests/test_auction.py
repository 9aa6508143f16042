"""The auction by enumeration: every sequence of four calls against a table built from the rules.

Whether a call is legal does not depend on the contracts bid, so the table is over shapes: the calls
of an auction without them, as in ``("pass", "80", "coinche")``.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import pytest

from belote_env import referee
from belote_env.actions import IllegalActionError, action_name, parse_action
from belote_env.cards import CONTRACTS
from belote_env.engine.state import AUCTION, CALLS_ROOM
from belote_env.game import Game

Shape = tuple[str, ...]

VALUES = ["80", "90", "100", "110", "120", "130", "140", "150", "160", "capot", "generale"]
WORDS = ["pass", *VALUES, "coinche", "surcoinche"]
RULES = {
    "contree": (VALUES[:-1], CONTRACTS[:4]),
    "contree+sa_ta=True": (VALUES[:-1], CONTRACTS),
    "contree+generale=True": (VALUES, CONTRACTS[:4]),
    "coinche+sa_ta=True+generale=True": (VALUES, CONTRACTS),
}
"""Rule sets with the values and the contracts that may be bid under them."""


def keeps_the_rules(shape: Shape) -> bool:
    """Whether an auction went by the rules (section 9), from conditions on the whole of it."""
    values = [VALUES.index(call) for call in shape if call in VALUES]
    turns = [turn for turn, call in enumerate(shape) if call != "pass"]
    kinds = "".join("b" if shape[turn] in VALUES else shape[turn][0] for turn in turns)
    passes = [after - before - 1 for before, after in pairwise([-1, *turns, len(shape)])]
    *between, at_the_end = passes
    return (
        # Only a higher value overcalls.
        all(lower < higher for lower, higher in pairwise(values))
        # A bid may be doubled, the double redoubled, and nothing else follows these.
        and re.fullmatch("(b+(c(s)?)?)?", kinds) is not None
        # Each of the two answers the other side: an odd number of turns later.
        and all(shape[b] in VALUES or (b - a) % 2 == 1 for a, b in pairwise(turns))
        # Nobody speaks after the end: four passes, three after a bid or coinche, a surcoinche.
        and (not turns or between[0] <= 3)
        and all(count <= 2 for count in between[1:])
        and at_the_end <= (0 if kinds.endswith("s") else 3 if turns else 4)
    )


@cache
def legal_after(shape: Shape) -> frozenset[str]:
    """The words that may follow a shape; none once the auction is over."""
    return frozenset(word for word in WORDS if keeps_the_rules((*shape, word)))


def shapes(length: int, values: list[str]) -> Iterator[Shape]:
    """All auctions of that many calls, over or not."""
    if length == 0:
        yield ()
        return
    for shape in shapes(length - 1, values):
        for word in sorted(legal_after(shape)):
            if word in values or word not in VALUES:
                yield (*shape, word)


def calls_after(shape: Shape, rules: str) -> set[str]:
    """The legal calls after a shape, with their contracts."""
    values, contracts = RULES[rules]
    words = legal_after(shape)
    doubles_and_pass = {word for word in words if word not in VALUES}
    return doubles_and_pass | {f"{v} {c}" for v in values if v in words for c in contracts}


def start(rules: str) -> Game:
    game = Game(rules, seed=0)
    game.start_from(range(32), dealer=0)
    return game


@pytest.mark.parametrize("rules", RULES)
def test_every_sequence_of_four_calls(rules: str):
    game = start(rules)
    actions = {
        shape: sorted(map(parse_action, calls_after(shape, rules)))
        for length in range(4)
        for shape in shapes(length, RULES[rules][0])
    }
    words = {action: action_name(action).split()[0] for action in actions[()]}
    words |= {parse_action(word): word for word in ("coinche", "surcoinche")}
    sequences: Counter[int] = Counter()

    def visit(shape: Shape) -> None:
        auction = game.state["phase"][0] == AUCTION
        legal = game.legal_actions() if auction else []
        assert legal == actions[shape], [shape, game.state["calls"]]
        sequences[len(shape) + 1] += len(legal)
        if len(shape) == 3:
            return
        before = game.clone()
        for action in legal:
            game.step(action)
            visit((*shape, words[action]))
            game.restore(before)

    visit(())
    values, contracts = map(len, RULES[rules])
    assert sequences[1] == 1 + values * contracts
    # After a pass all calls but one's own; after a bid a pass, a coinche and the higher bids.
    higher = sum(contracts * (2 + contracts * (values - 1 - value)) for value in range(values))
    assert sequences[2] == sequences[1] + higher


@pytest.mark.parametrize("rules", RULES)
def test_the_referee_after_up_to_four_calls(rules: str):
    rng = random.Random(1)
    values, contracts = RULES[rules]
    for length in range(5):
        for shape in shapes(length, values):
            dealer = rng.randrange(4)
            calls = [f"{w} {rng.choice(contracts)}" if w in VALUES else w for w in shape]
            legal = referee.legal_calls(rules, dealer=dealer, calls=calls)
            assert sorted(legal) == sorted(calls_after(shape, rules)), calls
            assert legal[:1] in ([], ["pass"])


@pytest.mark.parametrize(
    ("calls", "illegal"),
    [
        ([], "coinche"),
        ([], "surcoinche"),
        ([], "generale S"),
        ([], "80 SA"),
        ([], "H"),
        (["pass"], "coinche"),
        (["80 H"], "surcoinche"),
        (["80 H"], "80 S"),
        (["90 H"], "80 S"),
        (["80 H", "pass"], "coinche"),
        (["80 H", "pass", "90 S", "pass"], "coinche"),
        (["80 H", "coinche"], "90 S"),
        (["80 H", "coinche"], "coinche"),
        (["80 H", "coinche", "pass"], "surcoinche"),
        (["capot H"], "capot S"),
        (["capot H"], "160 S"),
    ],
)
def test_an_illegal_call_is_refused(calls: list[str], illegal: str):
    game = start("contree")
    for call in calls:
        game.step(parse_action(call))
    before = game.clone()
    with pytest.raises(IllegalActionError, match=f"seat {game.seat}: .*{illegal}"):
        game.step(parse_action(illegal))
    assert (game.state == before).all()
    with pytest.raises(ValueError, match=illegal):
        referee.legal_calls("contree", dealer=0, calls=[*calls, illegal])


@pytest.mark.parametrize(
    ("calls", "taker", "bid", "contract", "doubled"),
    [
        ("80 H, coinche, surcoinche", 1, "80", "H", 2),
        ("80 H, coinche, pass, pass, surcoinche", 1, "80", "H", 2),
        ("80 H, pass, pass, coinche, pass, pass, pass", 1, "80", "H", 1),
        ("pass, pass, pass, 160 C, pass, pass, pass", 0, "160", "C", 0),
        ("80 H, 90 H, 100 H, pass, pass, pass", 3, "100", "H", 0),
        ("capot S, coinche, pass, pass, pass", 1, "capot", "S", 1),
        ("80 S, pass, 90 S, pass, generale S, pass, pass, pass", 1, "generale", "S", 0),
    ],
)
def test_how_an_auction_ends(calls: str, taker: int, bid: str, contract: str, doubled: int):
    game = start("contree+generale=True")
    for call in calls.split(", "):
        assert game.state["phase"][0] == AUCTION
        game.step(parse_action(call))
    assert game.state["phase"][0] != AUCTION
    assert game.seat == 1
    assert game.legal_actions() == [action for action in game.legal_actions() if action < 32]
    state = game.state[0]
    assert (state["taker"], state["doubled"]) == (taker, doubled)
    assert VALUES[state["bid"] - 1] == bid
    assert CONTRACTS[state["contract"]] == contract
    assert not referee.legal_calls("contree+generale=True", dealer=0, calls=calls.split(", "))


def test_four_passes_are_a_void_deal():
    game = start("contree")
    for _ in range(4):
        assert not game.over
        game.step(parse_action("pass"))
    assert game.over


def test_the_longest_auction():
    game = start("contree+generale=True")
    calls = ["pass"] * 3
    for value in VALUES:
        calls += [f"{value} S", "pass", "pass"]
    calls += ["coinche", "pass", "pass", "surcoinche"]
    assert len(calls) == CALLS_ROOM
    for call in calls:
        game.step(parse_action(call))
    assert game.state["phase"][0] != AUCTION
    assert game.state["calls"][0].tolist() == [parse_action(call) for call in calls]
