"""The rules behind `tests.reference`, a function each: values, calls, cards, annonces, scores.

Cards are "JH": a rank of `7 8 9 T J Q K A` and a suit of `S H D C`. Calls are "pass", a suit, "SA"
or "TA" in the turn-up game and with two players; in the auction family "pass", bids such as
"110 H" or "capot TA", "coinche" and "surcoinche". Every pair of numbers is by team.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypedDict

Options = Mapping[str, object]

RANKS = "789TJQKA"  # also the order of sequences (section 5)
SUITS = "SHDC"
CARDS = [rank + suit for suit in SUITS for rank in RANKS]

# Section 11. The last three are the concours' own (section 7); a match to a target ignores them.
DEFAULTS: dict[str, Any] = {
    "family": "turn_up",
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
    "need_majority": False,
    "score_mode": "made_plus_bid",
    "chute_base": 162,
    "coinche_multiplier": 2,
    "surcoinche_multiplier": 3,
    "multiplier_on": "bid",
    "doubled_loser": "zero",
    "capot_bid": 250,
    "generale": False,
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


def players(options: Options) -> int:
    """How many play."""
    return 2 if _get(options, "family") == "two_player" else 4


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


# Sections 2, 8 and 9: the auction ------------------------------------------------------------

# From the lowest; a bid is one of these and a contract: "80 H".
BIDS = [*(str(value) for value in range(80, 170, 10)), "capot", "generale"]


def legal_calls(options: Options, turned: str | None, calls: Sequence[str]) -> list[str]:
    """What the next seat may call after `calls`, in an auction that is not over.

    Args:
        options: The rule options.
        turned: The turned card, None in the auction family.
        calls: All calls so far.
    """
    return _takes(options, turned, calls) if turned else _bids(options, calls)


def auction_over(options: Options, calls: Sequence[str]) -> bool:
    """Whether the auction ended with the last of `calls`: at a contract, or void."""
    by_bids = _get(options, "family") == "auction"
    return _bids_over(calls) if by_bids else _takes_over(options, calls)


def _takes(options: Options, turned: str, calls: Sequence[str]) -> list[str]:
    """Sections 2 and 8."""
    takes = [call for call in calls if call != "pass"]
    if takes:  # colour < SA < TA; never a colour over a colour
        return ["pass", *{"SA": ["TA"], "TA": []}.get(takes[-1], ["SA", "TA"])]
    round_1 = len(calls) < players(options)
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


def _takes_over(options: Options, calls: Sequence[str]) -> bool:
    takes = [turn for turn, call in enumerate(calls) if call != "pass"]
    if not takes:
        return len(calls) == 2 * players(options)
    round_1_take = takes[0] < 4  # asked only where SA and TA are played: by four
    if not _get(options, "sa_ta"):
        return True
    if round_1_take and _get(options, "sa_ta_rounds") == "second":
        return True
    return list(calls[-3:]) == ["pass"] * 3  # the three players after the taker passed


def _bids(options: Options, calls: Sequence[str]) -> list[str]:
    """Section 9."""
    words = [turn for turn, call in enumerate(calls) if call != "pass"]
    last = calls[words[-1]] if words else None
    # The sides speak in turn: an odd number of calls after the last word, the other side speaks.
    to_other_side = bool(words) and (len(calls) - words[-1]) % 2 == 1
    if last == "coinche":  # only the doubled side may answer it
        return ["pass", "surcoinche"] if to_other_side else ["pass"]
    bids = BIDS if _get(options, "generale") else BIDS[:-1]
    if last is not None:
        bids = bids[bids.index(last.split()[0]) + 1 :]
    contracts = [*SUITS, "SA", "TA"] if _get(options, "sa_ta") else list(SUITS)
    higher = [f"{bid} {contract}" for bid in bids for contract in contracts]
    return ["pass", *higher, *(["coinche"] if to_other_side else [])]


def _bids_over(calls: Sequence[str]) -> bool:
    if calls[-1] == "surcoinche":
        return True
    opened = any(call != "pass" for call in calls)
    return list(calls[-3:]) == ["pass"] * 3 if opened else len(calls) == 4


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


def disproved(options: Options, contract: str, trick: Sequence[str], card: str) -> frozenset[str]:
    """The cards that whoever plays `card` to a trick cannot hold: beside them it is illegal."""
    return _disproved(_table(options, contract, trick), card)


@cache
def _disproved(table: Table, card: str) -> frozenset[str]:
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


# Section 9: the score of a deal of the auction family ----------------------------------------


def score_auction_deal(
    options: Options,
    contract: str,
    bid: str,
    doubled: str | None,
    taker_team: int,
    points: tuple[int, int],
    capot_by: int | None,
    taker_tricks: int,
    belote: tuple[int, int],
    annonces: tuple[int, int],
) -> Score:
    """Score a deal that was bid for and played.

    Args:
        options: The rule options; missing ones take their default.
        contract: A suit, SA or TA.
        bid: One of `BIDS`.
        doubled: None, "coinche" or "surcoinche".
        taker_team: The team that bid.
        points: Trick points with the der; C and 0 in a capot.
        capot_by: The team that won all eight tricks, if any.
        taker_tricks: The tricks that the bidder won alone.
        belote: Belote points.
        annonces: Annonce points before any of them moves; one is 0.
    """
    t, d = points[taker_team], points[1 - taker_team]
    bt, bd = belote[taker_team], belote[1 - taker_team]
    at, ad = annonces[taker_team], annonces[1 - taker_team]

    if bid == "capot":
        made = capot_by == taker_team
    elif bid == "generale":
        made = taker_tricks == 8
    else:
        made = t + bt + at >= int(bid)
    if _get(options, "need_majority"):
        made = made and t + bt + at > d + bd + ad

    capot = capot_by == (taker_team if made else 1 - taker_team)
    if not made and _get(options, "chute_capot") == "plain":
        capot = False
    b = _bid_value(options, bid)
    f = deal_totals(options, contract)[1] if capot else _get(options, "chute_base")
    bid_only = _get(options, "score_mode") == "bid_only"
    if bid_only:  # nothing for trick points
        t = d = f = 0
    if bid == "capot" and _get(options, "capot_bid") == "flat_500":  # in place of F and b
        t = f = 0
    m = 1 if doubled is None else _get(options, f"{doubled}_multiplier")
    x = (f + b) * m if _get(options, "multiplier_on") == "all" else f + b * m
    if _get(options, "belote_on_chute") == "lost" and (m > 1 or not made):
        bt, bd = (bt + bd, 0) if made else (0, bt + bd)  # to the side that wins the deal

    if made and m == 1:
        takers, defence = t + b + bt + at, d + bd + ad
    elif made:
        takers = x + at + (0 if bid_only else ad) + bt
        defence = bd + (d if _get(options, "doubled_loser") == "keeps" else 0)
    else:
        takers, defence = bt, x + at + ad + bd
    takers, defence = _rounded(options, takers), _rounded(options, defence)
    result = "chute" if not made else "capot_taker" if capot else "made"
    marks = (takers, defence) if taker_team == 0 else (defence, takers)
    return {"result": result, "marks": marks, "carry": 0}


def _bid_value(options: Options, bid: str) -> int:
    """b, what a bid is worth in marks."""
    if _get(options, "score_mode") == "made":
        return 0
    if bid == "generale":
        return 500
    if bid == "capot":
        return 500 if _get(options, "capot_bid") == "flat_500" else _get(options, "capot_bid")
    return int(bid)
