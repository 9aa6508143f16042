"""Positions to draw worlds in, and what tells whether a world is consistent.

A world is consistent if the deal that it makes can be played as observed, every call and card being
legal, and then looks to the seat as the true deal did, byte for byte.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.search.knowledge import known_states
from belote_env.actions import DECLARE, SILENT
from belote_env.cards import (
    FULL_DECK,
    HAND_SIZE,
    KING,
    NUM_CARDS,
    NUM_SEATS,
    QUEEN,
    TRUMP_CARDS,
    bitboard,
    iter_cards,
)
from belote_env.deck import places
from belote_env.engine.batch import MARKS, OBSERVE, STEP
from belote_env.engine.episode import DEAL, lay_out_at
from belote_env.engine.options import TURNED_PLACE, rule_data
from belote_env.engine.state import (
    AUCTION,
    OVER,
    SAY_BELOTE,
    SAY_REBELOTE,
    SPEECH,
    STATE_DTYPE,
    cards_played,
    new_states,
)
from belote_env.rows import Rows
from belote_env.rules import PRESETS, RuleSet, resolve
from tests.observing import observe
from tests.property.strategies import Line, play_out

FOUR_PLAYERS: Final = tuple(name for name in PRESETS if PRESETS[name].num_seats == 4)
RULES: Final = (
    *FOUR_PLAYERS,
    *(f"{name}+announce=choice" for name in FOUR_PLAYERS),
    "classic+undertrump_partner=forbidden+raise_over_partner=soft",
    "classic_annonces+undertrump_partner=raise+annonce_card_reuse=True",
    "contree+undertrump=must+sa_ta=True",
    "coinche+sa_ta=True+annonce_tie=first",
    "sans_tout_atout+undertrump=may_discard+raise_over_partner=soft",
)
"""Rule sets of every option that restricts worlds."""


@dataclass(frozen=True)
class Position:
    """A deal, where it stands, and a seat that watches it.

    Attributes:
        rules: the rule set.
        state: the true state, one record.
        seat: the seat.
    """

    rules: RuleSet
    state: Any
    seat: int

    @property
    def observation(self) -> NDArray[np.uint8]:
        """What the seat sees, uint8 [1, D]."""
        return observe(self.rules, np.array([self.state], STATE_DTYPE), self.seat)[0]

    @property
    def known(self) -> NDArray[Any]:
        """What the seat knows, a state, shape (1,)."""
        return known_states(self.rules, self.observation)

    @property
    def turned(self) -> int:
        """The turned card, as a set."""
        place = TURNED_PLACE[self.rules.family]
        return 0 if place is None else 1 << int(self.state["deck"][place])

    @property
    def world(self) -> NDArray[np.uint32]:
        """The true world."""
        return np.roll(self.state["hands"], -self.seat)

    @property
    def hidden(self) -> list[int]:
        """Cards of which the seat does not see where they are, the turned one apart."""
        seen = int(self.state["hands"][self.seat]) | self.turned
        seen |= int(np.bitwise_or.reduce(self.state["fallen"]))
        return list(iter_cards(FULL_DECK & ~seen))


def random_line(rng: random.Random, rules: str | RuleSet) -> Line:
    """A random deal played at random to its end; the cards are often in runs and fours."""
    rules = resolve(rules)
    pack = list(range(NUM_CARDS))
    if rng.random() < 0.5:
        rng.shuffle(pack)
    else:
        for _ in range(20):
            i, j = rng.sample(range(NUM_CARDS), 2)
            pack[i], pack[j] = pack[j], pack[i]
    line = Line(rules, rng.randrange(rules.num_seats), tuple(pack), ())
    actions = play_out(line.start(), rng, passing=rng.choice((0, 0.5)))
    return Line(line.rules, line.dealer, line.deck, actions)


def decisions(line: Line) -> list[Position]:
    """Every decision of a deal, with the seat that takes it."""
    states = line.states()
    return [
        Position(line.rules, state, int(state["seat"])) for state in states[states["phase"] != OVER]
    ]


def small_position(rng: random.Random, rules: str | RuleSet) -> Position:
    """A position of the play with two to nine unseen cards."""
    size = rng.choice((2, 3, 4, 5, 6, 7, 8, 9, 9, 9))
    while True:
        small = [
            position
            for position in decisions(random_line(rng, rules))
            if position.state["phase"] != AUCTION and len(position.hidden) == size
        ]
        if small:
            return rng.choice(small)


def small_positions(seed: int, num: int) -> list[Position]:
    """Positions of the play with few unseen cards, spread over the rules."""
    rng = random.Random(seed)
    return [small_position(rng, RULES[i % len(RULES)]) for i in range(num)]


def kinds(position: Position) -> set[str]:
    """What restricts the worlds of a position, besides the sizes of the hands."""
    state, found = position.state, set[str]()
    hidden = bitboard(position.hidden)
    trumps = int(TRUMP_CARDS[state["contract"]])
    for k in range(1, 4):
        seat = (position.seat + k) % 4
        excluded = int(state["excluded"][seat]) & hidden
        for suit in range(4):
            cards = hidden & 0xFF << 8 * suit
            gone = excluded & cards
            if gone and gone == cards:
                found.add("void")
            elif gone & trumps and gone & ~(0x60 << 8 * suit):
                found.add("ceiling")
            for card in (8 * suit + KING, 8 * suit + QUEEN):
                other = card ^ KING ^ QUEEN
                if hidden >> card & 1 and trumps >> card & 1:
                    if int(state["belote_said"][seat]) >> suit & 1:
                        found.add("belote said")
                    elif int(state["fallen"][seat]) >> other & 1 and excluded >> card & 1:
                        found.add("belote withheld")
        if int(state["shown"][seat]) & hidden:
            found.add("annonce shown")
        if state["annonces_said"][seat] and not state["shown"][seat]:
            found.add("annonce said")
        if position.turned & int(state["hands"][seat]):
            found.add("turned card")
    if position.rules.annonces and position.rules.announce == "auto":
        found.add("annonces")
    return found


def deal_every_way(position: Position) -> NDArray[np.uint32]:
    """Every way to deal the cards that the seat does not see into hands of the right sizes.

    Shape (n, 4), seats counted from the seat; the turned card is its taker's.
    """
    state, seat = position.state, position.seat
    assert state["phase"] != AUCTION
    base = [0] * NUM_SEATS
    base[0] = int(state["hands"][seat])
    fallen = int(np.bitwise_or.reduce(state["fallen"]))
    if position.turned and not (fallen | base[0]) & position.turned:
        base[(state["taker"] - seat) % 4] |= position.turned
    fallen_each = [int(state["fallen"][(seat + k) % 4]) for k in range(4)]
    room = [HAND_SIZE - (base[k] | fallen_each[k]).bit_count() for k in range(4)]
    hidden, worlds = bitboard(position.hidden), list[list[int]]()
    for chosen in itertools.combinations(position.hidden, room[1]):
        first = bitboard(chosen)
        rest = iter_cards(hidden ^ first)
        for second in map(bitboard, itertools.combinations(rest, room[2])):
            third = hidden ^ first ^ second
            worlds.append([base[0], base[1] | first, base[2] | second, base[3] | third])
    return np.array(worlds, np.uint32)


def packs(position: Position, worlds: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Packs that deal the hands of some worlds (n, 4), uint8 [n, 32].

    Raises:
        AssertionError: if a hand has the wrong size or a card is missing or twice in a world.
    """
    state, family = position.state, position.rules.family
    whole = np.roll(worlds, position.seat, axis=1) | state["fallen"]
    auction = state["phase"] == AUCTION
    taker = None if auction or family == "auction" else int(state["taker"])
    by_seat = places(family, int(state["dealer"]), taker)
    turned = position.turned
    decks = np.full((len(worlds), NUM_CARDS), NUM_CARDS, np.uint8)
    if turned:
        decks[:, TURNED_PLACE[family]] = turned.bit_length() - 1
    stock = ~np.bitwise_or.reduce(whole, axis=1) & ~np.uint32(turned)
    left = [place for place in range(NUM_CARDS) if place not in set(itertools.chain(*by_seat))]
    for cards, where in zip([*whole.T, stock], [*by_seat, left], strict=True):
        where = [place for place in where if not turned or place != TURNED_PLACE[family]]
        flags = (cards[:, None] & ~np.uint32(turned)) >> np.arange(NUM_CARDS, dtype=np.uint32) & 1
        assert (flags.sum(axis=1) == len(where)).all()
        decks[:, where] = flags.nonzero()[1].reshape(len(worlds), len(where))
    assert (np.sort(decks, axis=1) == np.arange(NUM_CARDS)).all()
    if taker is not None and turned:
        assert (whole[:, taker] & turned).all()
    return decks


def consistent(position: Position, worlds: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which of some worlds (n, 4) the seat cannot tell from the true one, bool [n]."""
    true, data = position.state, rule_data(position.rules)
    states = new_states(len(worlds))
    states["deck"] = packs(position, worlds)
    states["dealer"] = true["dealer"]
    for i in range(len(states)):
        lay_out_at(data, states, i, True)
    rows = Rows(position.rules, states, DEAL, MARKS, canonical_suits=False)
    rows.seat[:] = states["seat"]
    rows.run(OBSERVE, len(states))
    legal = np.ones(len(worlds), np.bool_)
    line = [*true["calls"][: true["num_calls"]].tolist(), *cards_played(true)]
    for number, action in enumerate(line, 1):
        allowed = rows.mask[:, action] == 1
        legal &= allowed
        rows.actions[:] = np.where(allowed, action, rows.mask.argmax(axis=1))
        assert rows.run(STEP, len(states)) < 0
        pending = true["phase"] == SPEECH and true["seat"] == position.seat and number == len(line)
        for i in (states["phase"] == SPEECH).nonzero()[0].tolist():
            state = states[i]
            while state["phase"] == SPEECH:
                if pending and state["speech"] == true["speech"]:
                    break
                rows.actions[i] = DECLARE if _said(true, state, action) else SILENT
                assert rows.run(STEP, i + 1, i) < 0
    rows.seat[:] = position.seat
    rows.run(OBSERVE, len(states))
    return legal & (rows.obs == position.observation).all(axis=1)


def _said(true: Any, state: Any, card: int) -> bool:
    """Whether the seat that is asked in a state said it in the true deal."""
    seat, suit = int(state["seat"]), card // 8
    if state["speech"] & SAY_BELOTE:
        return bool(true["belote_said"][seat] >> suit & 1)
    if state["speech"] & SAY_REBELOTE:
        return bool(true["rebelote_said"][seat] >> suit & 1)
    return bool(true["annonces_said"][seat])
