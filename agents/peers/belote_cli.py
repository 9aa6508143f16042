# pyright: reportMissingImports=false
"""belote-cli's computer player as an agent, on the rules that belote-cli plays.

    >>> agent = BeloteCliAgent("hard", seed=1)
    >>> env = belote_env.env(rules=RULES)

The player is called with belote-cli's own game state, made from what the seat has seen: the hands
of the others stay empty, and the flag ``hide_partner_hand`` is set, without which the player copies
its partner's hand from the state.  It never says coinche, which belongs to no turn-up rule set, and
passes once somebody has taken, as belote-cli's auctions end there.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, Literal, get_args

import numpy as np
from belote.ai import AIPlayer
from belote.ai import Difficulty as PlayerDifficulty
from belote.deck import CARD_SUITS, Card, Contract, Suit, make_deck
from belote.game import SANS_ATOUT_BID, BidValue, BossModifiers, GameState, Phase, Seat, TrickCard
from numpy.typing import NDArray

from agents.peers.seen import SeenDeal, seen_deal
from belote_env import Agent
from belote_env.actions import DECLARE, PASS, TAKE
from belote_env.cards import NUM_CONTRACTS, NUM_SEATS, SANS_ATOUT, TOUT_ATOUT
from belote_env.checks import check_choice, require
from belote_env.rules import RuleSet, preset

RULES: Final = preset(
    "sans_tout_atout",
    sa_ta_rounds="second",
    sa_ta_values="raw",
    litige_belote="kept",
    annonce_card_reuse=True,
    annonce_tie="first",
    belote_only_finish="free",
)
"""The rule set nearest to belote-cli's own; ``docs/peers.md`` lists what remains between them."""

Difficulty = Literal["easy", "medium", "hard"]

CARDS: Final = tuple(make_deck())
"""belote-cli's card of each card id; both count suits S H D C and ranks 7 to A."""
_HIDDEN: Final = BossModifiers(hide_partner_hand=True)


def bid_value(contract: int) -> Suit | Literal["sans_atout"]:
    """What belote-cli's players bid for a contract."""
    if contract == SANS_ATOUT:
        return SANS_ATOUT_BID
    return Suit.TOUT_ATOUT if contract == TOUT_ATOUT else CARD_SUITS[contract]


def playing(contract: int, taker: int, dealer: int) -> GameState:
    """belote-cli's game at the start of the play, before it has hands."""
    kinds = {SANS_ATOUT: Contract.SANS_ATOUT, TOUT_ATOUT: Contract.TOUT_ATOUT}
    trump = bid_value(contract)
    return GameState(
        hands=_hands(()),
        trump=trump if isinstance(trump, Suit) else None,
        contract=kinds.get(contract, Contract.NORMAL),
        dealer=Seat(dealer),
        turn=Seat(dealer).next_seat(),
        taker=Seat(taker),
        phase=Phase.PLAYING,
        boss_modifiers=_HIDDEN,
    )


class BeloteCliAgent(Agent):
    """belote-cli's player.

    Args:
        difficulty: ``"easy"`` plays any legal card, ``"medium"`` and ``"hard"`` by rules of thumb.
        rules: the rule set played: `RULES`, or another with the same contracts and legal cards.
        seed: seed of its own random stream; fresh entropy for None.

    Raises:
        ValueError: on an unknown difficulty, or rules whose contracts or legal cards are others.
    """

    def __init__(
        self,
        difficulty: Difficulty = "hard",
        rules: RuleSet = RULES,
        seed: int | None = None,
    ) -> None:
        check_choice("difficulty", difficulty, get_args(Difficulty))
        for option in ("sa_ta", "undertrump", "undertrump_partner", "raise_over_partner"):
            value, needed = getattr(rules, option), getattr(RULES, option)
            require(value == needed, option, value, f"{needed!r}, as belote-cli plays")
        self.rules = rules
        self._difficulty = PlayerDifficulty(difficulty)
        self._rng = random.Random(seed)

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """What belote-cli's player would do; every word is said."""
        if mask[DECLARE]:
            return DECLARE
        seen = seen_deal(self.rules, observation["observation"])
        player = AIPlayer(Seat.SOUTH, self._difficulty, self._rng)
        if mask[PASS]:
            return _call(player, seen)
        choice: Card | None = None
        # The player remembers how often it has signalled, so it chooses its earlier cards again.
        for state in _own_turns(seen):
            player.update_memory(state)
            choice = player.decide_card(state)
        assert choice is not None, "a seat that is to play has a turn"
        return CARDS.index(choice)


def _call(player: AIPlayer, seen: SeenDeal) -> int:
    if seen.taker >= 0:
        return PASS
    assert seen.turned is not None, "belote-cli turns a card"
    bid = player.decide_bid(
        GameState(
            hands=_hands(seen.hand),
            dealer=Seat(seen.dealer),
            phase=Phase.BIDDING,
            bidding_round=1 + len(seen.calls) // NUM_SEATS,
            bidder_index=len(seen.calls) % NUM_SEATS,
            up_card=CARDS[seen.turned],
            boss_modifiers=_HIDDEN,
        )
    )
    return PASS if bid is None else TAKE + _contract(bid)


def _contract(bid: BidValue) -> int:
    return next(contract for contract in range(NUM_CONTRACTS) if bid_value(contract) == bid)


def _own_turns(seen: SeenDeal) -> Iterator[GameState]:
    """The game before each card of the seat: those played, then the one that it is to play."""
    before = playing(seen.contract, seen.taker, seen.dealer)
    tricks = [TrickCard(Seat(seat), CARDS[card]) for seat, card in seen.plays]
    hand = list(seen.dealt)
    for turn in range(len(seen.plays) + 1):
        own = turn == len(seen.plays) or seen.plays[turn][0] == 0
        if not own:
            continue
        in_trick = turn % NUM_SEATS
        yield replace(
            before,
            hands=_hands(hand),
            completed_tricks=tuple(
                tuple(tricks[at : at + NUM_SEATS]) for at in range(0, turn - in_trick, NUM_SEATS)
            ),
            current_trick=tuple(tricks[turn - in_trick : turn]),
        )
        if turn < len(seen.plays):
            hand.remove(seen.plays[turn][1])


def _hands(hand: Iterable[int]) -> tuple[tuple[Card, ...], ...]:
    """The seat's own hand; nothing in the others'."""
    return tuple(CARDS[card] for card in hand), (), (), ()
