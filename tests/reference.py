"""The slow, obvious Belote: the oracle against which the fast engine is tested.

Written from the rules alone (sections 1 to 7, 10 `announce: choice`, 11 and 12) and independent of
the engine: pure Python, cards and calls as text, every rule in the words of its section.

Cards are "JH": a rank of `7 8 9 T J Q K A` and a suit of `S H D C`. Calls are "pass", a suit, "SA"
or "TA"; speech is "declare" or "silent". Seats are 0-3 in play order, team = seat % 2, and every
pair of numbers is by team.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypedDict

Options = Mapping[str, object]

RANKS = "789TJQKA"  # also the order of sequences (section 5)
SUITS = "SHDC"
CARDS = [rank + suit for suit in SUITS for rank in RANKS]

# Section 11. The last three are the concours' own (section 7); a match to a target ignores them.
DEFAULTS: dict[str, Any] = {
    "direction": "anticlockwise",
    "round2_turned_suit": "forbidden",
    "void_dealer": "next",
    "dealing": "shuffle",
    "sa_ta": False,
    "sa_ta_rounds": "both",
    "sa_ta_values": "scaled",
    "undertrump": "must",
    "undertrump_partner": "free",
    "raise_over_partner": "strict",
    "announce": "auto",
    "belote_tolerance": "once",
    "belote_king_first": False,
    "belote_on_chute": "kept",
    "annonces": False,
    "annonce_tie": "cancel",
    "annonce_card_reuse": False,
    "contract_test": "majority",
    "chute_capot": "capot",
    "litige": "carry",
    "litige_belote": "carried",
    "litige_chain": "accumulate",
    "rounding": "none",
    "target": 1000,
    "target_rule": "reach",
    "belote_only_finish": "blocked",
    "deals_per_party": None,
    "parties": None,
    "litige_last_deal": "mark",
}


def complete(options: Options) -> dict[str, Any]:
    """The options with every missing one at its default; ValueError for an unknown name."""
    unknown = sorted(options.keys() - DEFAULTS.keys())
    if unknown:
        raise ValueError(f"unknown options {unknown}; known: {sorted(DEFAULTS)}")
    return {**DEFAULTS, **options}


def _get(options: Options, name: str) -> Any:
    return options[name] if name in options else DEFAULTS[name]


# Section 1: values and order -----------------------------------------------------------------

TRUMP_VALUES = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3, "8": 0, "7": 0}
PLAIN_VALUES = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0}
_SA_VALUES = {**PLAIN_VALUES, "A": 19}
SA_TA_VALUES = {
    ("scaled", "SA"): _SA_VALUES,
    ("scaled", "TA"): {"J": 13, "9": 9, "A": 6, "T": 5, "K": 3, "Q": 2, "8": 0, "7": 0},
    ("raw", "SA"): PLAIN_VALUES,
    ("raw", "TA"): TRUMP_VALUES,
    ("pagat", "SA"): _SA_VALUES,
    ("pagat", "TA"): {"J": 14, "9": 9, "A": 6, "T": 5, "K": 3, "Q": 1, "8": 0, "7": 0},
}
TRUMP_HEIGHT = {rank: height for height, rank in enumerate("78QKTA9J", start=1)}
PLAIN_HEIGHT = {rank: height for height, rank in enumerate("789JQKTA", start=1)}


def card_points(options: Options, contract: str, card: str) -> int:
    """The points of a card under a contract."""
    rank, suit = card
    if contract in ("SA", "TA"):
        return SA_TA_VALUES[_get(options, "sa_ta_values"), contract][rank]
    return (TRUMP_VALUES if suit == contract else PLAIN_VALUES)[rank]


def deal_totals(options: Options, contract: str) -> tuple[int, int]:
    """W and C of section 1: all card points with a der of 10, and with the 100 of a capot."""
    cards = sum(card_points(options, contract, card) for card in CARDS)
    return cards + 10, cards + 100


def _height(contract: str, led: str, card: str) -> int:
    """How high a card stands in a trick of suit `led`; 0 when it cannot hold the trick."""
    rank, suit = card
    if suit == contract:
        return len(RANKS) + TRUMP_HEIGHT[rank]
    if suit != led:
        return 0
    return (TRUMP_HEIGHT if contract == "TA" else PLAIN_HEIGHT)[rank]


def trick_winner(contract: str, trick: Sequence[str]) -> int:
    """The index in the trick, whole or not, of the card that holds it."""
    led = trick[0][1]
    heights = [_height(contract, led, card) for card in trick]
    return heights.index(max(heights))


# Section 2: the auction ----------------------------------------------------------------------


def legal_calls(options: Options, turned: str, calls: Sequence[str]) -> list[str]:
    """What the next seat may call after `calls`, in an auction that is not over."""
    takes = [call for call in calls if call != "pass"]
    if takes:  # colour < SA < TA; never a colour over a colour
        return ["pass", *{"SA": ["TA"], "TA": []}.get(takes[-1], ["SA", "TA"])]
    round_1 = len(calls) < 4
    if round_1:
        suits = [turned[1]]
    elif _get(options, "round2_turned_suit") == "allowed":
        suits = list(SUITS)
    else:
        suits = [suit for suit in SUITS if suit != turned[1]]
    with_sa_ta = _get(options, "sa_ta") and not (
        round_1 and _get(options, "sa_ta_rounds") == "second"
    )
    return ["pass", *suits, *(["SA", "TA"] if with_sa_ta else [])]


def auction_over(options: Options, calls: Sequence[str]) -> bool:
    """Whether the auction ended with the last of `calls`: by a take, or void."""
    takes = [turn for turn, call in enumerate(calls) if call != "pass"]
    if not takes:
        return len(calls) == 8
    round_1_take = takes[0] < 4
    if not _get(options, "sa_ta"):
        return True
    if round_1_take and _get(options, "sa_ta_rounds") == "second":
        return True
    return list(calls[-3:]) == ["pass"] * 3  # the three players after the taker passed


# Section 3: legal cards ----------------------------------------------------------------------


class Table(NamedTuple):
    """All that section 3 asks of a trick under way, in its terms, and the options it names."""

    contract: str
    led: str  # L
    master: str  # M, the card holding the trick
    partner_master: bool
    undertrump: str
    undertrump_partner: str
    raise_over_partner: str


def _table(options: Options, contract: str, trick: Sequence[str]) -> Table:
    winner = trick_winner(contract, trick)
    return Table(
        contract,
        led=trick[0][1],
        master=trick[winner],
        partner_master=winner == len(trick) - 2,
        undertrump=_get(options, "undertrump"),
        undertrump_partner=_get(options, "undertrump_partner"),
        raise_over_partner=_get(options, "raise_over_partner"),
    )


def _legal_after(table: Table, hand: Iterable[str]) -> list[str]:
    """Section 3, rules 2 to 6, with SA and TA."""
    contract, led = table.contract, table.led
    master_height = _height(contract, led, table.master)
    hand = list(hand)

    of_suit_led = [card for card in hand if card[1] == led]
    if of_suit_led:
        if contract not in (led, "TA"):  # rule 2, and SA: no duty to beat
            return of_suit_led
        if table.partner_master and table.raise_over_partner == "soft":
            return of_suit_led
        higher = [card for card in of_suit_led if _height(contract, led, card) > master_height]
        return higher or of_suit_led  # rule 3, and TA

    trumps = [card for card in hand if card[1] == contract]  # none at SA and TA
    higher = [card for card in trumps if _height(contract, led, card) > master_height]
    if table.partner_master:  # rule 4
        not_lower = [card for card in hand if card not in trumps or card in higher]
        if table.undertrump_partner == "raise" and higher:
            return not_lower
        if table.undertrump_partner == "forbidden" and not_lower:
            return not_lower
        return hand
    if not trumps:  # rule 6
        return hand
    if higher:  # rule 5; any trump is higher than a plain card
        return higher
    return trumps if table.undertrump == "must" else hand


def legal_cards(
    options: Options, contract: str, trick: Sequence[str], hand: Iterable[str]
) -> list[str]:
    """The cards of a hand, in its order, that may follow the cards played to a trick so far."""
    if not trick:
        return list(hand)  # rule 1
    return _legal_after(_table(options, contract, trick), hand)


@cache
def _disproved(table: Table, card: str) -> frozenset[str]:
    """The cards beside which `card` would have been illegal: whoever played it holds none."""
    return frozenset(
        other for other in CARDS if other != card and card not in _legal_after(table, [card, other])
    )


# Section 5: annonces -------------------------------------------------------------------------


class Annonce(NamedTuple):
    """A carré (top is its rank) or a sequence (top is its highest card), with all its cards."""

    kind: str
    top: str
    points: int
    cards: frozenset[str]


CARRES = {"J": 200, "9": 150, "A": 100, "T": 100, "K": 100, "Q": 100}
CARRES_SA = {"A": 200, "T": 150, "K": 100, "Q": 100, "J": 100, "9": 100}
KINDS = ["tierce", "cinquante", "cent", "carre"]  # from the weakest
SEQUENCES = {3: ("tierce", 20), 4: ("cinquante", 50), 5: ("cent", 100)}


def find_annonces(options: Options, contract: str, hand: Iterable[str]) -> list[Annonce]:
    """The annonces of a hand of eight: carrés, then sequences by suit and from low to high."""
    hand = set(hand)
    annonces = []
    for rank, points in (CARRES_SA if contract == "SA" else CARRES).items():
        cards = frozenset(rank + suit for suit in SUITS)
        if cards <= hand:
            annonces.append(Annonce("carre", rank, points, cards))
    if not _get(options, "annonce_card_reuse"):  # a carré takes its card before a sequence
        hand = hand.difference(*(annonce.cards for annonce in annonces))
    for suit in SUITS:
        for run in _runs([rank for rank in RANKS if rank + suit in hand]):
            if len(run) >= 3:
                kind, points = SEQUENCES[min(len(run), 5)]  # a run of 6, 7 or 8 is one cent
                cards = frozenset(rank + suit for rank in run)
                annonces.append(Annonce(kind, run[-1] + suit, points, cards))
    return annonces


def _runs(ranks: Sequence[str]) -> list[list[str]]:
    """Ascending ranks cut wherever one is missing."""
    runs: list[list[str]] = []
    for rank in ranks:
        if runs and RANKS.index(rank) == RANKS.index(runs[-1][-1]) + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return runs


def _annonce_rank(contract: str, annonce: Annonce) -> tuple[int, int, int]:
    """A key by which annonces compare; at SA and TA no suit is trump for this."""
    kind, top, points, _ = annonce
    if kind == "carre":
        return KINDS.index(kind), points, "9JQKTA".index(top)
    return KINDS.index(kind), RANKS.index(top[0]), int(top[1] == contract)


def resolve_annonces(
    options: Options, contract: str, by_seat: Sequence[Sequence[Annonce]], first_seat: int
) -> tuple[int | None, tuple[int, int]]:
    """The team that scores its annonces and the points of both; `first_seat` spoke first."""
    in_speaking_order = [(first_seat + turn) % 4 for turn in range(4)]
    best_by_seat = {
        seat: max(_annonce_rank(contract, annonce) for annonce in by_seat[seat])
        for seat in in_speaking_order
        if by_seat[seat]
    }
    if not best_by_seat:
        return None, (0, 0)
    best = max(best_by_seat.values())
    holders = [seat for seat in best_by_seat if best_by_seat[seat] == best]
    if len({seat % 2 for seat in holders}) == 2 and _get(options, "annonce_tie") == "cancel":
        return None, (0, 0)
    team = holders[0] % 2
    total = sum(annonce.points for seat in (team, team + 2) for annonce in by_seat[seat])
    return team, (total, 0) if team == 0 else (0, total)


# Section 6: the score of a deal --------------------------------------------------------------


class Score(TypedDict):
    """What a deal leaves: result, marks of both teams, carry to the next deal."""

    result: str  # made, capot_taker, chute or litige
    marks: tuple[int, int]
    carry: int


def score_deal(
    options: Options,
    contract: str,
    taker_team: int,
    points: tuple[int, int],
    capot_by: int | None,
    belote: tuple[int, int],
    annonces: tuple[int, int],
    carry: int,
    last_deal: bool = False,
) -> Score:
    """Score a deal that was played.

    Args:
        options: The rule options; missing ones take their default.
        contract: A suit, SA or TA.
        taker_team: The takers' team.
        points: Trick points with the der; C and 0 in a capot.
        capot_by: The team that won all eight tricks, if any.
        belote: Belote points.
        annonces: Annonce points before any of them moves; one is 0.
        carry: The carry from earlier litiges.
        last_deal: Whether this is the last mène of a concours party.
    """
    defence_team = 1 - taker_team
    t, d = points[taker_team], points[defence_team]
    bt, bd = belote[taker_team], belote[defence_team]
    at, ad = annonces[taker_team], annonces[defence_team]
    w, c = deal_totals(options, contract)
    takers_total, defence_total = t + bt + at, d + bd + ad

    def score(result: str, takers: int, defence: int, next_carry: int) -> Score:
        takers, defence = _rounded(options, takers), _rounded(options, defence)
        marks = (takers, defence) if taker_team == 0 else (defence, takers)
        return {"result": result, "marks": marks, "carry": next_carry}

    def chute(total: int) -> Score:
        lost = bt if _get(options, "belote_on_chute") == "lost" else 0
        return score("chute", bt - lost, total + at + ad + bd + lost + carry, 0)

    if capot_by == taker_team:
        return score("capot_taker", c + at + ad + bt + carry, bd, 0)
    if capot_by == defence_team:
        return chute(c if _get(options, "chute_capot") == "capot" else w)

    if _get(options, "contract_test") == "82_in_tricks":
        made, tie = t >= 82, t == d
    else:
        made, tie = takers_total > defence_total, takers_total == defence_total
    litige = _get(options, "litige")
    if tie and litige == "replay":
        return score("litige", 0, 0, carry)
    if tie and litige == "carry":
        kept = bt if _get(options, "litige_belote") == "kept" else 0
        if last_deal and _get(options, "target") is None:  # the party ends: any carry is lost
            each_its_own = _get(options, "litige_last_deal") == "mark"
            return score("litige", takers_total if each_its_own else kept, defence_total, 0)
        earlier = carry if _get(options, "litige_chain") == "accumulate" else 0
        return score("litige", kept, defence_total, earlier + takers_total - kept)
    if made and not tie:
        return score("made", takers_total + carry, defence_total, 0)
    return chute(w)


def _rounded(options: Options, marks: int) -> int:
    """One side's marks after the option `rounding`; a 5 goes up, or down under 6up."""
    rounding = _get(options, "rounding")
    if rounding == "none":
        return marks
    return (marks + (5 if rounding == "nearest10_5up" else 4)) // 10 * 10


# Sections 2 to 6: one deal -------------------------------------------------------------------


class Deal:
    """One deal of the turn-up game, from the first call to the marks.

    Attributes:
        phase: "auction", "play", "speech" or "over".
        first_seat: The seat next to the dealer: it calls, leads and speaks first.
        leader: The seat that leads the trick under way, or the next one.
        seat: The seat to act; None when over.
        turned: The turned card.
        contract: A suit, SA or TA, and taker its seat: None until the auction is over.
        hands: The cards each seat holds now, in the order it got them.
        calls: (seat, call), in order.
        played: (seat, card), in order.
        points: Trick points by team, updated at the fourth card; the der comes with the last.
        tricks: Tricks won by team.
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
        if dealer not in range(4):
            raise ValueError(f"the dealer must be a seat 0-3; got {dealer!r}")
        self.options = complete(options)
        self.dealer = dealer
        self.deck = list(deck)
        self.carry = carry
        self.last_deal = last_deal
        self.tolerance_used = tolerance_used

        self.first_seat = (dealer + 1) % 4
        self.leader = self.first_seat
        self.phase = "auction"
        self.seat: int | None = self.first_seat
        self.hands: list[list[str]] = [[], [], [], []]
        start = 0
        for packet in (3, 2):
            for seat in self._in_order():
                self.hands[seat] += self.deck[start : start + packet]
                start += packet
        self.turned = self.deck[20]
        self.contract: str | None = None
        self.taker: int | None = None
        self.calls: list[tuple[int, str]] = []
        self.played: list[tuple[int, str]] = []
        self.points = [0, 0]
        self.tricks = [0, 0]
        self.belote = [0, 0]
        self.belote_said: list[tuple[int, str, str]] = []
        self.annonces_said: list[dict[str, int]] = [{}, {}, {}, {}]
        self.annonce_team: int | None = None
        self.annonce_points = [0, 0]
        self.annonce_shown: list[set[str]] = [set(), set(), set(), set()]
        self.excluded: list[set[str]] = [set(), set(), set(), set()]
        self.result: str | None = None
        self.marks = (0, 0)
        self.next_carry = carry

        self._held: list[list[Annonce]] = [[], [], [], []]  # annonces in the hands of eight
        self._declared: list[list[Annonce]] = [[], [], [], []]
        self._to_say: list[str] = []  # decisions of the speech: a belote word, "annonces"

    def _in_order(self) -> list[int]:
        return [(self.first_seat + turn) % 4 for turn in range(4)]

    @property
    def trick(self) -> list[str]:
        """The cards of the trick under way."""
        start = len(self.played) - len(self.played) % 4
        return [card for _, card in self.played[start:]]

    def legal(self) -> list[str]:
        """What the seat to act may do; empty when the deal is over."""
        if self.phase == "auction":
            return legal_calls(self.options, self.turned, [call for _, call in self.calls])
        if self.phase == "play":
            assert self.contract is not None
            assert self.seat is not None
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

    # Section 2

    def _call(self, seat: int, call: str) -> None:
        self.calls.append((seat, call))
        self.seat = (seat + 1) % 4
        if not auction_over(self.options, [call for _, call in self.calls]):
            return
        takes = [(seat, call) for seat, call in self.calls if call != "pass"]
        if not takes:
            self._end("void")
            return
        self.taker, self.contract = takes[-1]
        start = 21
        for seat in self._in_order():
            packet = 2 if seat == self.taker else 3
            self.hands[seat] += self.deck[start : start + packet]
            start += packet
        self.hands[self.taker].append(self.turned)
        if self.options["annonces"]:
            self._held = [find_annonces(self.options, self.contract, hand) for hand in self.hands]
        self.phase, self.seat = "play", self.first_seat

    # Section 3

    def _play(self, seat: int, card: str) -> None:
        assert self.contract is not None
        trick = self.trick
        if trick:
            table = _table(self.options, self.contract, trick)
            self.excluded[seat] |= _disproved(table, card)
        self.hands[seat].remove(card)
        self.played.append((seat, card))
        if len(self.played) == 5:  # the first card of trick 2
            self._compare_annonces()
        if len(self.played) % 4 == 0:
            self._end_trick()

        word = self._belote_word(seat, card)
        self._to_say = [word] if word else []
        if len(self.played) <= 4 and self._held[seat]:
            self._to_say.append("annonces")
        if self.options["announce"] == "auto":
            self._hear_silence(seat, card, word)
            for thing in self._to_say:
                self._say(seat, thing)
            self._to_say = []
        self._after_speech(seat)

    def _end_trick(self) -> None:
        """Credit the trick just completed (section 1: der 10, or 100 in a capot)."""
        assert self.contract is not None
        trick = self.played[-4:]
        cards = [card for _, card in trick]
        self.leader = trick[trick_winner(self.contract, cards)][0]
        team = self.leader % 2
        self.tricks[team] += 1
        self.points[team] += sum(card_points(self.options, self.contract, c) for c in cards)
        if len(self.played) == 32:
            self.points[team] += 100 if self.tricks[team] == 8 else 10

    # Sections 4, 5 and 10

    def _belote_word(self, seat: int, card: str) -> str | None:
        """The word that may go with a card just played."""
        rank, suit = card
        if rank not in "KQ" or self.contract not in (suit, "TA"):
            return None
        if _other_honour(card) in self.hands[seat]:
            return "belote"
        return "rebelote" if (seat, suit, "belote") in self.belote_said else None

    def _hear_silence(self, seat: int, card: str, word: str | None) -> None:
        """Under `auto` every word is said: an honour of trump without one stands alone."""
        rank, suit = card
        if rank in "KQ" and self.contract in (suit, "TA") and word is None:
            other = _other_honour(card)
            if other not in [card for _, card in self.played]:
                self.excluded[seat].add(other)

    def _say(self, seat: int, thing: str) -> None:
        if thing == "annonces":
            self._declared[seat] = self._held[seat]
            self.annonces_said[seat] = dict(Counter(a.kind for a in self._held[seat]))
            return
        suit = self.played[-1][1][1]
        self.belote_said.append((seat, suit, thing))
        if thing == "rebelote" and self._belote_in_order(suit):
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
            self.seat = (seat + 1) % 4 if self.trick else self.leader

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

    # Section 6

    def _count(self) -> None:
        assert self.contract is not None
        assert self.taker is not None
        score = score_deal(
            self.options,
            self.contract,
            self.taker % 2,
            (self.points[0], self.points[1]),
            self.tricks.index(8) if 8 in self.tricks else None,
            (self.belote[0], self.belote[1]),
            (self.annonce_points[0], self.annonce_points[1]),
            self.carry,
            self.last_deal,
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
                self.dealer = (self.dealer + 1) % 4
            return
        if deal.result == "litige" and self.options["litige"] == "replay":
            return  # section 6: same dealer, no mène counted
        before = list(self.scores)
        self.scores = [before[team] + deal.marks[team] for team in (0, 1)]
        self.deals_played += 1
        self.dealer = (self.dealer + 1) % 4
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

    def _reached(self, score: int) -> bool:
        target = self.options["target"]
        return score > target if self.options["target_rule"] == "exceed" else score >= target

    def _only_by_belote(self, team: int, before: Sequence[int], deal: Deal) -> bool:
        """Section 7, `belote_only_finish`: a side capot or in chute marks its belote alone."""
        assert deal.taker is not None
        capot = deal.tricks[team] == 0
        chute = deal.result == "chute" and deal.taker % 2 == team
        finish = self.options["belote_only_finish"]
        applies = (finish == "blocked" and (capot or chute)) or (
            finish == "blocked_capot" and capot
        )
        newly = self._reached(self.scores[team]) and not self._reached(before[team])
        return applies and newly

    def _finish(self, teams: Sequence[int]) -> None:
        """End the match: the higher of the teams that may win it; equal totals are a draw."""
        self.over = True
        self.carry = 0  # an open carry is lost
        best = max(self.scores[team] for team in teams)
        winners = [team for team in teams if self.scores[team] == best]
        self.winner = winners[0] if len(winners) == 1 else None
