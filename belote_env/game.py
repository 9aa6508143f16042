"""One game at the level of Python: a state, checked actions, and the way from deal to deal.

    >>> game = Game("classic", seed=1)
    >>> while not game.over:
    ...     game.step(game.legal_actions()[0])

The environments, the records and the agents' searches share it; batches of games, which only the
kernels touch, are in `belote_env.vector`.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import NUM_ACTIONS, SPLIT, IllegalActionError, action_name
from belote_env.cards import NUM_CARDS, iter_cards
from belote_env.checks import check_choice, check_flag, check_list, check_seat, is_whole
from belote_env.engine.episode import (
    EPISODES,
    MATCH,
    begin_deal_at,
    end_deal_at,
    lay_out_at,
    start_match_at,
)
from belote_env.engine.options import rule_data
from belote_env.engine.rng import seed_key, stream_key
from belote_env.engine.state import OVER, copy_states, new_states, words
from belote_env.engine.state_check import check_states
from belote_env.engine.step import legal_at, step_at
from belote_env.rules import RuleSet, resolve

Episode = Literal["deal", "match"]


def parse_episode(episode: str) -> int:
    """Code of an episode's name.

    Raises:
        ValueError: if it is neither ``"deal"`` nor ``"match"``.
    """
    return EPISODES.index(check_choice("episode", episode, EPISODES))


def check_pack(deck: Any) -> Sequence[int]:
    """A pack in dealing order.

    Raises:
        ValueError: if it does not hold the id of each card once.
    """
    cards = list(check_list("deck", deck, "32 card ids"))
    if not all(map(is_whole, cards)) or sorted(cards) != list(range(NUM_CARDS)):
        raise ValueError(f"the pack must hold each of the 32 cards once, got {cards}")
    return cards


def action_index(action: Any) -> int:
    """An action id of any type of integer, as an int.

    Raises:
        TypeError: if it is none.
    """
    if isinstance(action, bool):
        raise TypeError("a flag is no action")
    return index(action)


def short(action: int) -> str:
    """An action id for a message, whatever its size."""
    return str(action) if abs(action) < 10**40 else f"of {action.bit_length()} bits"


class Game:
    """A deal or a match in progress.

    Args:
        rules: a rule set or its id.
        episode: whether the game is one ``"deal"`` or a ``"match"`` (a party in a concours).
        seed: seed of the deals; fresh entropy for None.  Deal k is that of environment 0 of a
            `belote_env.SelfPlayVectorEnv` with the same seed.

    Attributes:
        rules: the `RuleSet`.
        state: the state, an array of shape (1,) and dtype `STATE_DTYPE`.
    """

    def __init__(
        self, rules: str | RuleSet = "classic", episode: Episode = "deal", seed: int | None = None
    ) -> None:
        self.rules = resolve(rules)
        self.rule_data = rule_data(self.rules)
        self.episode = parse_episode(episode)
        self.state = new_states(1)
        self.reseed(seed)
        self.start()

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        vars(self).update(attributes)
        # A copied array is writable, which to numba is another type: one more compilation.
        self.rule_data = rule_data(self.rules)

    def reseed(self, seed: int | None) -> None:
        """Let the next deal be the first of a seed's stream."""
        self.state["key"] = stream_key(seed_key(seed), 0)
        self.state["deal"] = 0

    def start(self) -> None:
        """Deal the next deal of the stream as a new episode."""
        start_match_at(self.rule_data, self.state, 0)

    def start_from(self, deck: Sequence[int], dealer: int, *, new_match: bool = True) -> None:
        """Start a deal from a given pack.

        Args:
            deck: the 32 card ids in dealing order (`belote_env.engine.dealing`).
            dealer: a seat.
            new_match: whether the score of the match is cleared.

        Raises:
            ValueError: if the pack does not hold each card once, the dealer is no seat, or
                ``new_match`` no flag.
        """
        cards = check_pack(deck)
        new_match = check_flag("new_match", new_match)
        dealer = check_seat("dealer", dealer, self.rules.num_seats)
        self.state["deck"] = np.asarray(cards, np.uint8)
        self.state["dealer"] = dealer
        lay_out_at(self.rule_data, self.state, 0, new_match)

    @property
    def seat(self) -> int:
        """The seat to act, -1 when the deal is over."""
        return int(self.state["seat"][0])

    @property
    def over(self) -> bool:
        """Whether the deal is over."""
        return bool(self.state["phase"][0] == OVER)

    def legal_set(self) -> int:
        """Legal actions of the seat to act, as a set of bits."""
        low, high = legal_at(self.rule_data, self.state, 0)
        return low | high << SPLIT

    def legal_actions(self) -> list[int]:
        """Legal action ids of the seat to act, lowest first; none when the deal is over."""
        return list(iter_cards(self.legal_set()))

    def check(self, action: int) -> None:
        """Refuse an action that is not legal.

        Raises:
            IllegalActionError: naming the seat, the action and the legal ones.
        """
        legal = self.legal_set()
        try:
            action = action_index(action)
        except TypeError:
            raise IllegalActionError(f"seat {self.seat}: action {action!r} is no integer") from None
        if 0 <= action < NUM_ACTIONS and legal >> int(action) & 1:
            return
        raise IllegalActionError(illegal_action(self.seat, action, legal, self.rules.num_actions))

    def step(self, action: int) -> None:
        """Apply an action of the seat to act.

        Raises:
            IllegalActionError: if it is not legal; nothing has changed then.
        """
        self.check(action)
        step_at(self.rule_data, self.state, 0, int(action))

    def end_deal(self) -> bool:
        """Enter the finished deal in the episode; True if the episode is over.

        Raises:
            ValueError: if the deal is not over, or was entered before.
        """
        self._check_over("end_deal()")
        if self.episode == MATCH and self._was_entered:
            raise ValueError("end_deal(): the deal was entered before: begin_deal() or start()")
        return end_deal_at(self.rule_data, self.state, 0, self.episode)

    def begin_deal(self) -> None:
        """Deal the next deal of the match, after `end_deal`.

        Raises:
            ValueError: if the deal is not over, or the match is.
        """
        self._check_over("begin_deal()")
        if self.state["match_over"][0]:
            raise ValueError("begin_deal(): the match is over: start() deals the next one")
        begin_deal_at(self.rule_data, self.state, 0, False)

    def _check_over(self, what: str) -> None:
        if not self.over:
            raise ValueError(f"{what}: the deal is not over, seat {self.seat} is to act")

    @property
    def _was_entered(self) -> bool:
        """Whether the dealer of a finished deal has moved on, as it does when the deal counts."""
        state = self.state[0]
        played = state["num_played"] > 0
        cards = state["fallen"] if played else state["hands"]
        first = int(state["place"].tolist().index(1) if played else state["deck"][0])
        following = (cards >> first & 1).argmax()
        return bool(state["dealer"] != (following - 1) % self.rules.num_seats)

    def clone(self) -> NDArray[Any]:
        """A copy of the state, for `restore`."""
        return copy_states(self.state)

    def restore(self, state: NDArray[Any]) -> None:
        """Go back to a copied state, of this or another game of the same rules.

        Raises:
            ValueError: if it is no state that these rules can have; nothing has changed then.
        """
        check_states(state, 1, self.rules, self.episode)
        words(self.state)[:] = words(state)


def illegal_action(
    seat: int, action: int, legal: int, num_actions: int, canonical_suits: bool = False
) -> str:
    """Message on an illegal action of so many: who, what, and what would be legal.

    Under canonical suits the ids are the caller's, and S H D C name the first to fourth suit.
    """
    shown = short(action)
    if seat < 0:
        return f"action {shown} after the end of the deal: reset first"
    name = action_name(action) if 0 <= action < num_actions else f"outside 0-{num_actions - 1}"
    choices = ", ".join(f"{a} ({action_name(a)})" for a in iter_cards(legal))
    suits = ", in canonical suits" if canonical_suits else ""
    return f"seat {seat}: illegal action {shown} ({name}{suits}); legal are {choices}"
