"""The slow, obvious Belote: the oracle against which the fast engine is tested.

Written from the rules alone (all sections) and independent of the engine: pure Python, cards and
calls as text, every rule in the words of its section. What needs no more than its arguments is in
`tests.reference_rules`; here are the deal and the match.

Speech is "declare" or "silent". Seats are 0-3 in play order, or 0 and 1 with two players; team =
seat % 2, and every pair of numbers is by team.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.reference_rules import (
    CARDS,
    SUITS,
    Annonce,
    Options,
    auction_over,
    card_points,
    complete,
    disproved,
    find_annonces,
    legal_calls,
    legal_cards,
    players,
    resolve_annonces,
    score_auction_deal,
    score_deal,
    trick_winner,
)

# Sections 2 to 6, 8 and 9: one deal ----------------------------------------------------------

# How many cards at a time each player is dealt before the auction.
PACKETS = {"turn_up": (3, 2), "auction": (3, 2, 3), "two_player": (3, 3)}


class Deal:
    """One deal, from the first call to the marks.

    Attributes:
        players: How many play.
        phase: "auction", "play", "speech" or "over".
        first_seat: The seat next to the dealer: it calls, leads and speaks first.
        leader: The seat that leads the trick under way, or the next one.
        seat: The seat to act; None when over.
        turned: The turned card; None in the auction family.
        talon: The cards not dealt yet, with two players those not drawn yet.
        contract: A suit, SA or TA, and taker its seat: None until the auction is over.
        bid: The value that was bid, one of `BIDS`: None until then, and without bids.
        doubled: None, "coinche" or "surcoinche".
        hands: The cards each seat holds now, in the order it got them.
        calls: (seat, call), in order.
        played: (seat, card), in order.
        points: Trick points by team, updated at a trick's last card; the last brings the der.
        tricks: Tricks won by team.
        taker_tricks: Tricks won by the taker's own cards.
        belote: Belote points by team: at "rebelote", or at the count when it was forgiven.
        belote_said: (seat, suit, "belote" or "rebelote"), in order.
        annonces_said: By seat, the count of each kind said at trick 1.
        annonce_team: The team that scores annonces; None before trick 2, and when none does.
        annonce_points: Annonce points by team, known when the first card of trick 2 is played.
        annonce_shown: By seat, the cards shown at the comparison.
        excluded: By seat, the cards that its play publicly proves it does not hold.
        result: None, then "made", "capot_taker", "chute", "litige" or "void".
        marks: The teams' marks of the deal.
        next_carry: The carry to the next deal.
        tolerance_used: By team, whether its one forgiven "rebelote" of the match is spent.
    """

    def __init__(
        self,
        options: Options,
        dealer: int,
        deck: Sequence[str],
        carry: int = 0,
        last_deal: bool = False,
        tolerance_used: tuple[bool, bool] = (False, False),
    ) -> None:
        if sorted(deck) != sorted(CARDS):
            raise ValueError(f"the deck must be the 32 cards, each once; got {list(deck)}")
        self.options = complete(options)
        self.players = players(self.options)
        if dealer not in range(self.players):
            raise ValueError(f"the dealer must be a seat 0-{self.players - 1}; got {dealer!r}")
        self.dealer = dealer
        self.deck = list(deck)
        self.carry = carry
        self.last_deal = last_deal
        self.tolerance_used = tolerance_used

        self.first_seat = self._next(dealer)
        self.leader = self.first_seat
        self.phase = "auction"
        self.seat: int | None = self.first_seat
        seats = range(self.players)
        self.hands: list[list[str]] = [[] for _ in seats]
        self.talon = list(deck)
        for packet in PACKETS[self.options["family"]]:
            for seat in self._in_order():
                self._draw(seat, packet)
        self.turned = self.talon.pop(0) if self.talon else None
        self.contract: str | None = None
        self.taker: int | None = None
        self.bid: str | None = None
        self.doubled: str | None = None
        self.calls: list[tuple[int, str]] = []
        self.played: list[tuple[int, str]] = []
        self.points = [0, 0]
        self.tricks = [0, 0]
        self.taker_tricks = 0
        self.belote = [0, 0]
        self.belote_said: list[tuple[int, str, str]] = []
        self.annonces_said: list[dict[str, int]] = [{} for _ in seats]
        self.annonce_team: int | None = None
        self.annonce_points = [0, 0]
        self.annonce_shown: list[set[str]] = [set() for _ in seats]
        self.excluded: list[set[str]] = [set() for _ in seats]
        self.result: str | None = None
        self.marks = (0, 0)
        self.next_carry = carry

        self._held: list[list[Annonce]] = [[] for _ in seats]  # annonces in the hands of eight
        self._declared: list[list[Annonce]] = [[] for _ in seats]
        self._to_say: list[str] = []  # decisions of the speech: words of belote, "annonces"

    def _next(self, seat: int) -> int:
        return (seat + 1) % self.players

    def _in_order(self) -> list[int]:
        return [(self.first_seat + turn) % self.players for turn in range(self.players)]

    def _draw(self, seat: int, count: int) -> None:
        """Give a seat the next cards of the pack."""
        self.hands[seat] += self.talon[:count]
        del self.talon[:count]

    @property
    def trick(self) -> list[str]:
        """The cards of the trick under way."""
        start = len(self.played) - len(self.played) % self.players
        return [card for _, card in self.played[start:]]

    @property
    def capot_by(self) -> int | None:
        """The team that has won all eight tricks; two players know no capot."""
        return self.tricks.index(8) if self.players == 4 and 8 in self.tricks else None

    def legal(self) -> list[str]:
        """What the seat to act may do; empty when the deal is over."""
        if self.phase == "auction":
            return legal_calls(self.options, self.turned, [call for _, call in self.calls])
        if self.phase == "play":
            assert self.contract is not None
            assert self.seat is not None
            if self.talon:
                return list(self.hands[self.seat])  # section 8: no obligation in phase 1
            return legal_cards(self.options, self.contract, self.trick, self.hands[self.seat])
        return ["declare", "silent"] if self.phase == "speech" else []

    def act(self, text: str) -> None:
        """Do what the text says for the seat to act; ValueError when it is not legal."""
        legal = self.legal()
        if text not in legal or self.seat is None:
            raise ValueError(
                f"{text!r} is illegal for seat {self.seat} in phase {self.phase}; legal: {legal}"
            )
        if self.phase == "auction":
            self._call(self.seat, text)
        elif self.phase == "play":
            self._play(self.seat, text)
        else:
            thing = self._to_say.pop(0)
            if text == "declare":
                self._say(self.seat, thing)
            self._after_speech(self.seat)

    # Sections 2, 8 and 9

    def _call(self, seat: int, call: str) -> None:
        self.calls.append((seat, call))
        self.seat = self._next(seat)
        calls = [call for _, call in self.calls]
        if not auction_over(self.options, calls):
            return
        offers = [
            (seat, call)
            for seat, call in self.calls
            if call not in ("pass", "coinche", "surcoinche")
        ]
        if not offers:
            self._end("void")
            return
        self.taker, call = offers[-1]
        *bid, self.contract = call.split()
        if bid:
            self.bid = bid[0]
            self.doubled = next((w for w in ("surcoinche", "coinche") if w in calls), None)
        else:
            self._hand_out(self.taker)
        if self.options["annonces"]:
            self._held = [find_annonces(self.options, self.contract, hand) for hand in self.hands]
        self.phase, self.seat = "play", self.first_seat

    def _hand_out(self, taker: int) -> None:
        """Give the turned card to the taker, and the cards that follow it."""
        assert self.turned is not None
        if self.players == 4:
            for seat in self._in_order():
                self._draw(seat, 2 if seat == taker else 3)
        else:
            self._draw(1 - taker, 1)
        self.hands[taker].append(self.turned)

    # Sections 3 and 8

    def _play(self, seat: int, card: str) -> None:
        assert self.contract is not None
        trick = self.trick
        if trick and not self.talon:  # a player who need not follow proves nothing
            self.excluded[seat] |= disproved(self.options, self.contract, trick, card)
        self.hands[seat].remove(card)
        self.played.append((seat, card))
        if self.options["annonces"] and len(self.played) == 5:  # the first card of trick 2
            self._compare_annonces()
        if not self.trick:
            self._end_trick()

        words = self._belote_words(seat, card)
        self._to_say = [words] if words else []
        if len(self.played) <= 4 and self._held[seat]:
            self._to_say.append("annonces")
        if self.options["announce"] == "auto":
            self._hear_silence(seat, card, words)
            for thing in self._to_say:
                self._say(seat, thing)
            self._to_say = []
        self._after_speech(seat)

    def _end_trick(self) -> None:
        """Credit the trick just completed (section 1: der 10, or 100 in a capot); draw."""
        assert self.contract is not None
        trick = self.played[-self.players :]
        cards = [card for _, card in trick]
        self.leader = trick[trick_winner(self.contract, cards)][0]
        team = self.leader % 2
        self.tricks[team] += 1
        self.taker_tricks += self.leader == self.taker
        self.points[team] += sum(card_points(self.options, self.contract, c) for c in cards)
        if len(self.played) == 32:
            self.points[team] += 10 if self.capot_by is None else 100
        if self.talon:  # section 8: the winner draws first
            for seat in (self.leader, self._next(self.leader)):
                self._draw(seat, 1)

    # Sections 4, 5, 8 and 10

    def _belote_words(self, seat: int, card: str) -> str | None:
        """What may be said with a card just played; two players say both words at the second."""
        rank, suit = card
        if rank not in "KQ" or self.contract not in (suit, "TA"):
            return None
        other = _other_honour(card)
        if self.players == 2:
            return "belote rebelote" if (seat, other) in self.played else None
        if other in self.hands[seat]:
            return "belote"
        return "rebelote" if (seat, suit, "belote") in self.belote_said else None

    def _hear_silence(self, seat: int, card: str, words: str | None) -> None:
        """Under `auto` every word is said: an honour of trump without one stands alone.

        Two players say nothing with the first honour, so their silence shows nothing.
        """
        rank, suit = card
        if self.players == 2 or words is not None:
            return
        if rank in "KQ" and self.contract in (suit, "TA"):
            other = _other_honour(card)
            if other not in [card for _, card in self.played]:
                self.excluded[seat].add(other)

    def _say(self, seat: int, thing: str) -> None:
        if thing == "annonces":
            self._declared[seat] = self._held[seat]
            self.annonces_said[seat] = dict(Counter(a.kind for a in self._held[seat]))
            return
        suit = self.played[-1][1][1]
        for word in thing.split():
            self.belote_said.append((seat, suit, word))
            if word == "rebelote" and self._belote_in_order(suit):
                self.belote[seat % 2] += 20

    def _belote_in_order(self, suit: str) -> bool:
        """Whether the honours of a suit were played in an order that counts."""
        cards = [card for _, card in self.played]
        king_first = cards.index("K" + suit) < cards.index("Q" + suit)
        return king_first or not self.options["belote_king_first"]

    def _compare_annonces(self) -> None:
        assert self.contract is not None
        self.annonce_team, points = resolve_annonces(
            self.options, self.contract, self._declared, self.first_seat
        )
        self.annonce_points = list(points)
        for seat in range(4):
            if seat % 2 == self.annonce_team:
                self.annonce_shown[seat].update(*(a.cards for a in self._declared[seat]))

    def _after_speech(self, seat: int) -> None:
        """Give the turn to whoever acts once `seat` has played its card."""
        if self._to_say:
            self.phase = "speech"
        elif len(self.played) == 32:
            self._forgive_rebelote()
            self._count()
        else:
            self.phase = "play"
            self.seat = self._next(seat) if self.trick else self.leader

    def _forgive_rebelote(self) -> None:
        """Section 4, `belote_tolerance`: a "belote" whose "rebelote" was not said."""
        tolerance = self.options["belote_tolerance"]
        used = list(self.tolerance_used)
        for seat, suit, _ in sorted(self.belote_said, key=lambda said: SUITS.index(said[1])):
            said_whole = (seat, suit, "rebelote") in self.belote_said
            if said_whole or not self._belote_in_order(suit):
                continue  # nothing to forgive
            spent = tolerance == "once" and used[seat % 2]
            if tolerance != "none" and not spent:
                self.belote[seat % 2] += 20
                used[seat % 2] = used[seat % 2] or tolerance == "once"
        self.tolerance_used = (used[0], used[1])

    # Sections 6 and 9

    def _count(self) -> None:
        assert self.contract is not None
        assert self.taker is not None
        taker_team = self.taker % 2
        points = (self.points[0], self.points[1])
        belote = (self.belote[0], self.belote[1])
        annonces = (self.annonce_points[0], self.annonce_points[1])
        if self.bid is None:
            score = score_deal(
                self.options,
                self.contract,
                taker_team,
                points,
                self.capot_by,
                belote,
                annonces,
                self.carry,
                self.last_deal,
            )
        else:
            score = score_auction_deal(
                self.options,
                self.contract,
                self.bid,
                self.doubled,
                taker_team,
                points,
                self.capot_by,
                self.taker_tricks,
                belote,
                annonces,
            )
        self.marks, self.next_carry = score["marks"], score["carry"]
        self._end(score["result"])

    def _end(self, result: str) -> None:
        self.phase, self.seat, self.result = "over", None, result


def _other_honour(card: str) -> str:
    return ("Q" if card[0] == "K" else "K") + card[1]


# Sections 2 and 7: from deal to deal ---------------------------------------------------------


def cut_deck(previous_deal: Deal, position: int) -> list[str]:
    """The next deck under `dealing: cut`: the tricks gathered in the order won, and cut.

    After a void deal the deck itself is cut. At least three cards lie in each heap.
    """
    if position not in range(3, 30):
        raise ValueError(f"the cut must leave at least 3 cards a heap (3-29); got {position!r}")
    gathered = [card for _, card in previous_deal.played] or previous_deal.deck
    return gathered[position:] + gathered[:position]


class Match:
    """Deals in a row: a match to a target, or one party of a concours (target None).

    Attributes:
        scores: The teams' totals.
        carry: The carry into the next deal.
        dealer: The dealer of the next deal.
        deals_played: Deals that count as a mène.
        blocked: Teams that reached the target only by a belote and still need a trick.
        over: Whether the match has ended.
        winner: The team that won; None while playing and in a drawn party.
        tolerance_used: By team, whether its forgiven "rebelote" is spent.
    """

    def __init__(self, options: Options, first_dealer: int) -> None:
        self.options = complete(options)
        if self.options["target"] is None and self.options["deals_per_party"] is None:
            raise ValueError("a match needs a target or, with target None, deals_per_party")
        self.scores = [0, 0]
        self.carry = 0
        self.dealer = first_dealer
        self.deals_played = 0
        self.blocked: set[int] = set()
        self.over = False
        self.winner: int | None = None
        self.tolerance_used = (False, False)

    @property
    def last_deal(self) -> bool:
        """Whether the next deal is the last mène of a party."""
        if self.options["target"] is not None:
            return False
        return self.deals_played + 1 == self.options["deals_per_party"]

    def add(self, deal: Deal) -> None:
        """Take in a finished deal, void ones too; ValueError when that cannot be."""
        if self.over:
            raise ValueError("cannot add a deal: the match is over")
        if deal.phase != "over":
            raise ValueError(f"cannot add a deal in phase {deal.phase!r}: play it to its end")
        self.carry = deal.next_carry
        self.tolerance_used = deal.tolerance_used
        if deal.result == "void":
            if self.options["void_dealer"] == "next":
                self._pass_the_deal()
            return
        if deal.result == "litige" and self.options["litige"] == "replay":
            return  # section 6: same dealer, no mène counted
        before = list(self.scores)
        self.scores = [before[team] + deal.marks[team] for team in (0, 1)]
        self.deals_played += 1
        self._pass_the_deal()
        if self.options["target"] is None:
            if self.deals_played == self.options["deals_per_party"]:
                self._finish([0, 1])
            return
        self.blocked = {team for team in self.blocked if deal.tricks[team] == 0}
        self.blocked |= {team for team in (0, 1) if self._only_by_belote(team, before, deal)}
        reached = {team for team in (0, 1) if self._reached(self.scores[team])}
        able = sorted(reached - self.blocked)
        if len(able) == 1 or (len(able) == 2 and self.scores[0] != self.scores[1]):
            self._finish(able)

    def _pass_the_deal(self) -> None:
        self.dealer = (self.dealer + 1) % players(self.options)

    def _reached(self, score: int) -> bool:
        target = self.options["target"]
        return score > target if self.options["target_rule"] == "exceed" else score >= target

    def _only_by_belote(self, team: int, before: Sequence[int], deal: Deal) -> bool:
        """Section 7, `belote_only_finish`: capot or in chute, and short of it without belote."""
        assert deal.taker is not None
        capot = deal.tricks[team] == 0
        chute = deal.result == "chute" and deal.taker % 2 == team
        finish = self.options["belote_only_finish"]
        applies = (finish == "blocked" and (capot or chute)) or (
            finish == "blocked_capot" and capot
        )
        without = self.scores[team] - deal.belote[team]
        newly = self._reached(self.scores[team]) and not self._reached(before[team])
        return applies and newly and not self._reached(without)

    def _finish(self, teams: Sequence[int]) -> None:
        """End the match: the higher of the teams that may win it; equal totals are a draw."""
        self.over = True
        self.carry = 0  # an open carry is lost
        best = max(self.scores[team] for team in teams)
        winners = [team for team in teams if self.scores[team] == best]
        self.winner = winners[0] if len(winners) == 1 else None
