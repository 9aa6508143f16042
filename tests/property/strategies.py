"""Random games: rule sets, packs, and deals played up to some decision."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from belote_env.actions import BID, COINCHE, PASS
from belote_env.cards import NUM_CARDS, NUM_CONTRACTS
from belote_env.engine.state import AUCTION, new_states
from belote_env.game import Game
from belote_env.rules import PRESETS, RuleSet
from tests.drawn_rules import draw_rules

PRESETS_AND_SPEECH: Final = (*PRESETS, *(f"{name}+announce=choice" for name in PRESETS))
"""Rule sets for tests that enumerate: the presets, and the same in which the players speak."""


@dataclass(frozen=True)
class Line:
    """A deal and the actions played so far: all that a state depends on."""

    rules: RuleSet
    dealer: int
    deck: tuple[int, ...]
    actions: tuple[int, ...]

    def until(self, decision: int) -> Line:
        """The deal up to some number of actions."""
        return replace(self, actions=self.actions[:decision])

    def start(self) -> Game:
        """The game before the first action."""
        game = Game(self.rules, seed=0)
        game.start_from(self.deck, self.dealer)
        return game

    def states(self) -> NDArray[Any]:
        """The states before each action and after the last, shape (len(actions) + 1,).

        Raises:
            IllegalActionError: if an action is not legal.
        """
        game = self.start()
        states = new_states(len(self.actions) + 1)
        states[:1] = game.state
        for i, action in enumerate(self.actions, 1):
            game.step(action)
            states[i : i + 1] = game.state
        return states

    def end(self) -> Game:
        """The game after the last action."""
        game = self.start()
        for action in self.actions:
            game.step(action)
        return game


def play_out(
    game: Game, rng: random.Random, passing: float = 0.0, climbing: bool = True
) -> tuple[int, ...]:
    """Play a deal to its end at random.

    Args:
        game: the deal.
        rng: where the choices come from.
        passing: the chance of a pass before any other choice among the calls.
        climbing: whether a bid is of the next value, so that auctions are long.

    Returns:
        What was played.
    """
    actions: list[int] = []
    while not game.over:
        legal = game.legal_actions()
        if game.state["phase"][0] == AUCTION:
            if rng.random() < passing:
                legal = [PASS]
            elif climbing:
                legal = _climbing(legal)
        actions.append(rng.choice(legal))
        game.step(actions[-1])
    return tuple(actions)


def _climbing(calls: list[int]) -> list[int]:
    """Some calls without the bids of more than the lowest value."""
    lowest = next((call for call in calls if BID <= call < COINCHE), COINCHE)
    return [call for call in calls if call < lowest + NUM_CONTRACTS or call >= COINCHE]


@st.composite
def packs(draw: st.DrawFn) -> tuple[int, ...]:
    """A shuffled pack, or one in order but for a few swaps: long suits, runs, fours of a kind."""
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        return tuple(rng.sample(range(NUM_CARDS), NUM_CARDS))
    by_suit, start = rng.random() < 0.5, rng.randrange(NUM_CARDS)
    pack = [c if by_suit else 8 * (c % 4) + c // 4 for c in range(NUM_CARDS)]
    pack = pack[start:] + pack[:start]
    for _ in range(rng.randrange(8)):
        i, j = rng.sample(range(NUM_CARDS), 2)
        pack[i], pack[j] = pack[j], pack[i]
    return tuple(pack)


rule_sets: Final[st.SearchStrategy[RuleSet]] = st.builds(
    draw_rules, st.randoms(use_true_random=False)
)
"""Any legal combination of the options."""


def seats(rules: RuleSet) -> st.SearchStrategy[int]:
    """A seat at the table."""
    return st.integers(0, rules.num_seats - 1)


@st.composite
def whole_deals(draw: st.DrawFn, rules: st.SearchStrategy[RuleSet] = rule_sets) -> Line:
    """A deal played to its end."""
    chosen = draw(rules)
    deal = Line(chosen, draw(seats(chosen)), draw(packs()), ())
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    passing, climbing = draw(st.sampled_from((0.0, 0.6, 0.95))), draw(st.booleans())
    return replace(deal, actions=play_out(deal.start(), rng, passing, climbing))


@st.composite
def lines(draw: st.DrawFn, rules: st.SearchStrategy[RuleSet] = rule_sets) -> Line:
    """A deal played up to some decision."""
    deal = draw(whole_deals(rules))
    return deal.until(draw(st.integers(0, len(deal.actions))))


@st.composite
def watched_lines(
    draw: st.DrawFn, rules: st.SearchStrategy[RuleSet] = rule_sets
) -> tuple[Line, int]:
    """A deal played up to some decision, and a seat that watches it."""
    line = draw(lines(rules))
    return line, draw(seats(line.rules))


def raw(array: NDArray[Any]) -> bytes:
    """The bytes of an array; of records without what lies between their fields."""
    fields = np.zeros(np.shape(array), array.dtype)
    fields[...] = array
    return fields.tobytes()
