"""colver's engine in our numbering, and its players as agents on the preset ``contree``.

    >>> agent = ColverAgent(bid="improved", play="isdd", time_ms=50, seed=1)
    >>> env = belote_env.env(rules="contree")

A player is called with a deal of colver's engine, made from what the seat has seen: its own cards
and the cards played are where they are, the unseen ones are dealt at random among the other seats,
never to one that is proven not to hold them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from agents.peers.seen import SeenDeal, seen_deal
from agents.search.agent import MOST_MS, MOST_WORLDS
from belote_env import Agent
from belote_env.actions import BID, BID_CAPOT, BID_NAMES, COINCHE, DECLARE, PASS, SURCOINCHE
from belote_env.cards import HAND_SIZE, NUM_CARDS, NUM_CONTRACTS, NUM_SEATS, RANKS, SUITS
from belote_env.checks import check_choice, check_whole, require
from belote_env.rules import RuleSet, preset

# By name: where the package is missing, type checkers would take this file for it.
colver: Final[Any] = import_module("colver")

RULES: Final = preset("contree")
"""The rules of colver."""

_NEEDED: Final = (
    "family",
    "sa_ta",
    "generale",
    "undertrump",
    "undertrump_partner",
    "raise_over_partner",
)
"""Options on which calls and legal cards depend."""

Bid = Literal["heuristic", "improved", "improved_v2", "improved_v3", "smart", "maxi"]
Play = Literal["heuristic", "rule", "smart_ismcts", "isdd"]

_RANKS: Final = "789JQKTA"
"""Ranks in colver's order; the suits are in ours."""
_TO_CARD: Final = tuple(8 * suit + _RANKS.index(rank) for suit in range(4) for rank in RANKS)
"""colver's card of each card id."""
_TO_CALL: Final = {
    PASS: 0,
    **{
        BID + NUM_CONTRACTS * value + suit: 1 + len(SUITS) * value + suit
        for value in range(BID_CAPOT + 1)
        for suit in range(len(SUITS))
    },
    COINCHE: 41,
    SURCOINCHE: 42,
}
"""colver's call of each call: 36 bids, then capot in each suit, by value and suit."""
_FROM_CARD: Final = tuple(_TO_CARD.index(card) for card in range(NUM_CARDS))
CALLS: Final = tuple(_TO_CALL)
"""The calls of contrée."""
_FROM_CALL: Final = {call: action for action, call in _TO_CALL.items()}

_BIDDING: Final = 0
"""colver's phase of the auction."""


def to_colver(action: int) -> int:
    """Number of an action in colver."""
    return _TO_CARD[action] if action < NUM_CARDS else _TO_CALL[action]


def _pair(by_side: Iterable[float]) -> tuple[int, int]:
    first, second = by_side
    return int(first), int(second)


class ColverDeal:
    """A deal on colver's engine, its actions, seats and cards numbered as ours.

    `step` takes what colver takes: illegal actions too.

    Args:
        hands: the eight cards of each seat 0-3.
        dealer: seat 0-3.

    Attributes:
        env: colver's own deal.
    """

    def __init__(self, hands: Sequence[Iterable[int]], dealer: int) -> None:
        self.env = colver.Env.deal_with_hands(
            dealer, [[_TO_CARD[card] for card in hand] for hand in hands]
        )

    def set_contract(self, bid: int, taker: int, doubled: int) -> None:
        """Begin the play of a contract without its auction.

        Args:
            bid: action id of the bid.
            taker: seat that bid it.
            doubled: 0, 1 after coinche, 2 after surcoinche.
        """
        value, suit = divmod(bid - BID, NUM_CONTRACTS)
        points = 250 if value == BID_CAPOT else int(BID_NAMES[value])
        self.env.set_contract(suit, points, taker % 2, doubled)
        self.env.set_phase_playing()

    @property
    def over(self) -> bool:
        """Whether the deal is over."""
        return self.env.is_terminal()

    @property
    def seat(self) -> int:
        """The seat to act, -1 when the deal is over."""
        return -1 if self.over else self.env.current_player()

    def legal_actions(self) -> list[int]:
        """Legal action ids of the seat to act, lowest first; none when the deal is over."""
        return sorted(self.from_colver(action) for action in self.env.legal_actions())

    def step(self, action: int) -> None:
        """Apply an action of the seat to act."""
        self.env.step(to_colver(action))

    def takes(self, action: int) -> bool:
        """Whether `step` would take an action, legal or not."""
        env = colver.Env()
        env.set_state_bytes(self.env.get_state_bytes().tolist())
        before = env.get_state_bytes()
        env.step(to_colver(action))
        return not np.array_equal(env.get_state_bytes(), before)

    def from_colver(self, action: int) -> int:
        """Action id of an action of the seat to act."""
        return _FROM_CALL[action] if self.env.phase() == _BIDDING else _FROM_CARD[action]

    @property
    def points(self) -> tuple[int, int]:
        """Trick points of each side."""
        return _pair(self.env.get_points())

    @property
    def tricks(self) -> tuple[int, int]:
        """Tricks won by each side."""
        return _pair(self.env.get_tricks_won())

    @property
    def belote_words(self) -> tuple[int, int]:
        """Words that each side has said: none, belote, or belote and rebelote."""
        return _pair(self.env.get_belote())

    @property
    def marks(self) -> tuple[int, int]:
        """Marks of each side once the deal is over."""
        return _pair(self.env.rewards())


class ColverAgent(Agent):
    """A player of colver that needs no model.

    Args:
        bid: how it bids.
        play: how it plays.  ``"rule"`` goes by rules of thumb, ``"smart_ismcts"`` and ``"isdd"``
            search in worlds that they draw.  ``"heuristic"`` looks at all four hands, so here at
            one way in which the unseen cards may lie.
        time_ms: milliseconds that a search may take for a card.  Of its budget colver uses an
            eighth for each card that is left; the budget is raised by as much, so that it has the
            same time for every card.
        worlds: number of worlds that ``"isdd"`` solves in place of a time, for repeatable play.
        rules: the rule set played: `RULES`, or another with the same calls and legal cards.
        seed: seed of its own random stream; fresh entropy for None.

    Raises:
        ValueError: on an unknown way to bid or play, a budget that it does not take, or rules whose
            calls or legal cards are others.
    """

    def __init__(
        self,
        bid: Bid = "improved",
        play: Play = "isdd",
        time_ms: int = 50,
        worlds: int | None = None,
        rules: RuleSet = RULES,
        seed: int | None = None,
    ) -> None:
        check_choice("bid", bid, get_args(Bid))
        check_choice("play", play, get_args(Play))
        time_ms = check_whole("time_ms", time_ms, 1, MOST_MS)
        if worlds is not None:
            require(play == "isdd", "worlds", worlds, "None, or play='isdd'")
            worlds = check_whole("worlds", worlds, 1, MOST_WORLDS)
        for option in _NEEDED:
            value, needed = getattr(rules, option), getattr(RULES, option)
            require(value == needed, option, value, f"{needed!r}, as colver plays")
        self.rules = rules
        self._bid, self._play = bid, play
        self._time_ms, self._worlds = time_ms, worlds
        self._rng = np.random.default_rng(seed)
        self._players: dict[int, Any] = {}

    def _player(self, cards: int) -> Any:
        """The player of colver for a decision with so many cards left."""
        if cards not in self._players:
            time_ms = round(self._time_ms * HAND_SIZE / cards)
            budget = f"time_ms = {time_ms}"
            if self._worlds is not None:
                budget = f"determinizations = {self._worlds}"
            spec = f"""
                [bid]
                strategy = "{self._bid}"
                [play]
                method = "{self._play}"
                parallel = false
                {budget}
                [worlds]
                source = "uniform"
            """
            self._players[cards] = colver.Agent(spec, 0, seed=int(self._rng.integers(2**63)))
        return self._players[cards]

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """What colver's player would do; every word is said."""
        if mask[DECLARE]:
            return DECLARE
        seen = seen_deal(self.rules, observation["observation"])
        player = self._player(len(seen.hand))
        deal = ColverDeal(deal_unseen(seen, self._rng), seen.dealer)
        player.set_scores(*seen.scores)
        player.init_deal(deal.env)
        for action in (*seen.calls, *(card for _, card in seen.plays)):
            player.observe(deal.env, to_colver(action))
            deal.step(action)
        return deal.from_colver(player.action(deal.env))


def deal_unseen(seen: SeenDeal, rng: np.random.Generator) -> list[list[int]]:
    """The cards dealt to each seat, the unseen ones at random where nothing excludes them.

    Args:
        seen: what seat 0 knows.
        rng: draws among the possible deals, not all with the same probability.
    """
    known = [list(seen.dealt), *(list(seen.played_by(seat)) for seat in range(1, NUM_SEATS))]
    room = [HAND_SIZE - len(cards) for cards in known]
    hidden: list[list[int]] = [[] for _ in range(NUM_SEATS)]

    def find_room(card: int, tried: set[int]) -> bool:
        """Give a card to a seat, moving another card on where that is full."""
        for seat in rng.permutation(NUM_SEATS).tolist():
            if seat in tried or card in seen.excluded[seat]:
                continue
            tried.add(seat)
            if len(hidden[seat]) < room[seat]:
                hidden[seat].append(card)
                return True
            for other in hidden[seat]:
                if find_room(other, tried):
                    hidden[seat].remove(other)
                    hidden[seat].append(card)
                    return True
        return False

    unseen = set(range(NUM_CARDS)).difference(*known)
    for card in rng.permutation(sorted(unseen)).tolist():
        if not find_room(card, set()):
            raise ValueError(f"no seat can hold card {card}: the excluded cards contradict")
    return [cards + more for cards, more in zip(known, hidden, strict=True)]
