"""Is a position worth at least so much?  Alpha-beta with a null window, without recursion.

A position's value is what team 0 will yet win: trick points with der, and 90 more (`capot_total`
less `total` of the rules) if it makes capot, but 90 less than nothing if team 1 does.  So team 0
plays for the highest value and team 1 for the lowest.  Within a trick, values count from its start.

All that changes is in one array of words (`agents.search.solver_words`).
"""

from __future__ import annotations

from typing import Any, Final

from numpy import int64

from agents.search.solver_bounds import neighbours, sure_cards
from agents.search.solver_endings import last_gain, last_trick, last_two_tricks
from agents.search.solver_table import mixed, probe, store
from agents.search.solver_words import (
    BEATEN_BY,
    BEST_CARD,
    BEST_SEAT,
    BONUS,
    BUDGET,
    CAPOTS,
    CARD,
    FOLLOWING,
    FOREIGN,
    GAIN,
    GOAL,
    GOOD_CARD,
    HANDS,
    HISTORY,
    IN_TRICK,
    KEY,
    LED,
    LOW_CARDS,
    LOWER,
    MOVES,
    NUM_MOVES,
    POINTS,
    REST,
    ROW_BITS,
    SEAT,
    UNKNOWN,
    UPPER,
    VALUE,
    row,
)
from belote_env.cards import BEATS, DER, NUM_CARDS, SUIT_CARDS
from belote_env.engine.bits import lowest_bit
from belote_env.engine.jit import Record, part
from belote_env.engine.play import legal_cards
from belote_env.engine.state import NO_CARD

# How promising a card is.
_FIRST: Final = 1 << 20
_WORTH_BITS: Final = 9
_MOST_HISTORY: Final = 1 << 12
_ALL_LOW: Final = 0x07070707  # the three lowest cards of each suit


@part
def _sum_points(work: Any, cards: int) -> Any:
    total = int64(0)
    while cards:
        total += work[POINTS + (lowest_bit(cards) & 31)]
        cards &= cards - 1
    return total


@part
def _kind(work: Any, card: int) -> Any:
    """What a low card is to the play besides its place in the order of its suit."""
    holder = int64(0)
    for seat in range(1, 4):
        if work[HANDS + seat] >> card & 1:
            holder = int64(seat)
    return work[POINTS + card] << 2 | holder


@part
def _enter_low_cards(work: Any, cards: int) -> None:
    """Give one name to the sets of low cards of a suit with the same kinds in the same order.

    Sevens, eights and nines are the lowest of a plain suit, sevens and eights of trumps, and count
    nothing.  Positions that differ only in which of them are left, and not in whose each is from
    the lowest on, are worth the same, so the table need not tell them apart.  (The nine of trumps
    is a kind of its own by its points.)
    """
    for suit in range(4):
        shift = suit << 3
        own = cards >> shift & 7
        some = own
        while some:
            left = some
            name = int64(0)
            rank = int64(0)
            while left:
                kind = _kind(work, shift + lowest_bit(left))
                left &= left - 1
                while _kind(work, shift + rank) != kind or not own >> rank & 1:
                    rank += 1
                name |= int64(1) << rank
                rank += 1
            work[LOW_CARDS + shift + some] = name << shift
            some = (some - 1) & own


@part
def set_up(rules: Record, s: Record, work: Any) -> None:
    """Enter the position of a state, and forget what was good in others.

    Args:
        rules: record of `RULES_DTYPE`.
        s: record of `STATE_DTYPE`.
        work: from `workspace`.
    """
    contract = int64(s.contract)
    work[BONUS] = rules.capot_total[contract] - rules.total[contract]
    for card in range(NUM_CARDS):
        work[POINTS + card] = rules.card_points[contract, card]
        work[BEATEN_BY + card] = BEATS[contract, card]
        work[HISTORY + card] = 0
        work[HISTORY + FOLLOWING + card] = 0
    at = row(int64(s.num_played))
    in_trick = int64(0)
    rest = int64(DER)
    cards = int64(0)
    for seat in range(4):
        work[HANDS + seat] = s.hands[seat]
        cards |= work[HANDS + seat]
        rest += _sum_points(work, int64(s.hands[seat]))
        if s.trick[seat] != NO_CARD:
            in_trick += work[POINTS + s.trick[seat]]
    _enter_low_cards(work, cards)
    tricks = s.num_played >> 2
    work[at + SEAT] = s.seat
    work[at + LED] = s.led
    work[at + BEST_CARD] = s.best_card
    work[at + BEST_SEAT] = s.best_seat
    work[at + IN_TRICK] = in_trick
    work[at + REST] = rest + in_trick
    work[at + GOOD_CARD] = -1
    work[at + CAPOTS] = (s.tricks[0] == tricks) | (s.tricks[1] == tricks) << 1


@part
def value_range(work: Any, root: int) -> tuple[Any, Any]:
    """Lowest and highest value that the cards left allow."""
    at = row(root)
    lower = -work[BONUS] if work[at + CAPOTS] & 2 else int64(0)
    upper = work[at + REST] + (work[BONUS] if work[at + CAPOTS] & 1 else int64(0))
    return lower, upper


@part
def _reach(hand: int, suit: int) -> Any:
    """Cards that a hand could play to a suit, at most."""
    follow = hand & suit
    return follow if follow else hand


@part
def _outcome(work: Any, seat: int, position: int, led: int, best_card: int, ours: bool) -> Any:
    """Who wins a trick if a seat leaves it to ``best_card``: 1 its side, -1 the other, 0 is open.

    Args:
        work: from `workspace`.
        seat: the seat.
        position: of the seat in the trick, 0-3.
        led: suit led.
        best_card: holds the trick once the seat has played.
        ours: whether the seat or its partner has played that.
    """
    beating = work[BEATEN_BY + (best_card & 31)]
    suit = SUIT_CARDS[led & 3]
    if ours:
        if position < 3 and _reach(work[HANDS + ((seat + 1) & 3)], suit) & beating:
            return int64(0)
        if position < 1 and _reach(work[HANDS + ((seat + 3) & 3)], suit) & beating:
            return int64(0)
        return int64(1)
    if position < 2 and _reach(work[HANDS + ((seat + 2) & 3)], suit) & beating:
        return int64(0)
    return int64(-1)


@part
def _most_extreme(work: Any, cards: int, sign: int) -> Any:
    """The card with most points of some, or with fewest if ``sign`` is negative."""
    kept = lowest_bit(cards)
    cards &= cards - 1
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        if (work[POINTS + (card & 31)] - work[POINTS + (kept & 31)]) * sign > 0:
            kept = card
    return kept


@part
def _list_moves(
    rules: Record, contract: int, work: Any, ply: int, allowed: int, first: int
) -> None:
    """List the cards worth trying at a ply, with how promising they are.

    Of neighbours one is enough where the trick is decided: the one with most points if it is won,
    with fewest if it is lost, as whichever is kept is played later in the other's place.

    Args:
        rules: record of `RULES_DTYPE`.
        contract: 0-5.
        work: from `workspace`.
        ply: the ply.
        allowed: the cards considered.
        first: card to try first, or -1.
    """
    at = row(ply)
    seat = work[at + SEAT] & 3
    position = ply & 3
    led = work[at + LED]
    best_card = work[at + BEST_CARD]
    in_trick = work[at + IN_TRICK]
    hand = work[HANDS + seat]
    foreign = (work[HANDS] | work[HANDS + 1] | work[HANDS + 2] | work[HANDS + 3]) & ~hand
    legal = hand
    takers = hand
    otherwise = int64(0)
    if position:
        foreign |= int64(1) << best_card
        ours = work[at + BEST_SEAT] == seat ^ 2
        legal = legal_cards(rules, contract, hand, led & 3, best_card & 31, ours)
        takers = work[BEATEN_BY + (best_card & 31)]
        otherwise = _outcome(work, seat, position, led, best_card, ours)
    work[at + FOREIGN] = foreign
    history = HISTORY + (FOLLOWING if position else 0)
    left = legal & allowed
    num = int64(0)
    while left:
        card = lowest_bit(left)
        block = left & neighbours(contract, card, foreign)
        left &= ~block
        takes = takers >> card & 1
        outcome = otherwise
        if takes:
            suit = led if position else card >> 3
            outcome = _outcome(work, seat, position, suit, card, True)
        if outcome and block & (block - 1):
            block = int64(1) << _most_extreme(work, block, outcome)
        while block:
            card = lowest_bit(block)
            block &= block - 1
            worth = work[POINTS + (card & 31)]
            if outcome > 0:
                worth = 60 + in_trick + 2 * worth
            elif outcome < 0:
                worth = -2 * worth
            elif takes:
                worth = 20 + in_trick - worth
            else:
                worth = -worth
            promise = (worth << _WORTH_BITS) + work[history + (card & 31)]
            if card == first:
                promise = int64(_FIRST)
            work[at + MOVES + (num & 7)] = promise << 5 | card
            num += 1
    work[at + NUM_MOVES] = num


@part
def _next_move(work: Any, at: int) -> Any:
    """Take the most promising card from the list of a row."""
    left = (work[at + NUM_MOVES] - 1) & 7
    start = at + MOVES
    best = left
    for i in range(left):
        if work[start + i] > work[start + best]:
            best = i
    move = work[start + best]
    work[start + best] = work[start + left]
    work[at + NUM_MOVES] = left
    return move & 31


@part
def _spare_neighbours(contract: int, work: Any, at: int, card: int, value: int) -> None:
    """Drop neighbours of a card from the list of a row where, like it, they cannot reach the goal.

    Whichever of two neighbours is played now, the other is played later in its place.  So their
    values differ by no more than their points do.
    """
    block = neighbours(contract, card, work[at + FOREIGN])
    highest = work[at + SEAT] & 1 == 0
    start = at + MOVES
    left = work[at + NUM_MOVES] & 15
    i = int64(0)
    while i < left:
        other = work[start + i] & 31
        if block >> other & 1:
            gap = abs(work[POINTS + other] - work[POINTS + (card & 31)])
            bound = value + gap if highest else value - gap
            if (bound < work[at + GOAL]) == highest:
                if (bound > work[at + VALUE]) == highest:
                    work[at + VALUE] = bound
                left -= 1
                work[start + i] = work[start + left]
                continue
        i += 1
    work[at + NUM_MOVES] = left


@part
def play(work: Any, ply: int, card: int) -> None:
    """Play a card and open the row of the next ply, which may be the root of a search then."""
    at = row(ply)
    to = at + (1 << ROW_BITS)
    seat = work[at + SEAT] & 3
    work[HANDS + seat] ^= int64(1) << card
    work[at + CARD] = card
    position = ply & 3
    led = card >> 3
    best_card = card
    best_seat = seat
    in_trick = work[POINTS + (card & 31)]
    if position:
        led = work[at + LED]
        in_trick += work[at + IN_TRICK]
        if not work[BEATEN_BY + (work[at + BEST_CARD] & 31)] >> card & 1:
            best_card = work[at + BEST_CARD]
            best_seat = work[at + BEST_SEAT]
    rest = work[at + REST]
    capots = work[at + CAPOTS]
    if position < 3:
        work[to + SEAT] = (seat + 1) & 3
        work[to + LED] = led
        work[to + BEST_CARD] = best_card
        work[to + BEST_SEAT] = best_seat
        work[to + IN_TRICK] = in_trick
        work[to + REST] = rest
        work[to + CAPOTS] = capots
        work[to + GOAL] = work[at + GOAL]
        work[at + GAIN] = 0
        return
    team = best_seat & 1
    capots &= 1 << team
    gain = int64(0) if team else in_trick
    if ply == NUM_CARDS - 1:
        gain = last_gain(work, rest, capots, team)
    work[at + GAIN] = gain
    work[to + SEAT] = best_seat
    work[to + IN_TRICK] = 0
    work[to + REST] = rest - in_trick
    work[to + CAPOTS] = capots
    work[to + GOAL] = work[at + GOAL] - gain


@part
def take_back(work: Any, ply: int) -> Any:
    """Take back the card played at a ply, the last one; the seat whose it is."""
    at = row(ply)
    seat = work[at + SEAT] & 3
    work[HANDS + seat] ^= int64(1) << work[at + CARD]
    return seat


@part
def _sure_range(contract: int, work: Any, at: int, ply: int) -> tuple[Any, Any]:
    """Bounds on the value at the start of a trick, from the cards that are sure to be won."""
    rest = work[at + REST]
    leader = work[at + SEAT] & 3
    capots = work[at + CAPOTS]
    ours, tricks, theirs, their_tricks = sure_cards(
        contract,
        work[HANDS + leader],
        work[HANDS + ((leader + 1) & 3)],
        work[HANDS + ((leader + 2) & 3)],
        work[HANDS + ((leader + 3) & 3)],
    )
    if tricks >= (NUM_CARDS - ply) >> 2:
        value = last_gain(work, rest, capots, leader & 1)
        return value, value
    if their_tricks:
        value = last_gain(work, rest, capots, ~leader & 1)
        return value, value
    first = theirs if leader & 1 else ours
    second = ours if leader & 1 else theirs
    lower = _sum_points(work, first)
    if capots & 2 and not first:
        lower -= work[BONUS]
    upper = rest - _sum_points(work, second)
    if capots & 1 and not second:
        upper += work[BONUS]
    return lower, upper


@part
def _renamed(work: Any, cards: int) -> Any:
    """Cards left, with the names of their low ones."""
    low = int64(0)
    for suit in range(4):
        shift = suit << 3
        low |= work[LOW_CARDS + shift + (cards >> shift & 7)]
    return cards & ~_ALL_LOW | low


@part
def _settle(rules: Record, contract: int, work: Any, table: Any, ply: int) -> tuple[bool, Any, Any]:
    """Try to answer the question at the start of a trick without search.

    Returns:
        ``(answered, a bound on the value that answers it, card to try first or -1)``.
    """
    at = row(ply)
    goal = work[at + GOAL]
    if ply == NUM_CARDS:
        return True, int64(0), int64(-1)
    if ply >= NUM_CARDS - 8:
        leader, rest, capots = work[at + SEAT] & 3, work[at + REST], work[at + CAPOTS]
        if ply == NUM_CARDS - 4:
            return True, last_trick(work, leader, rest, capots), int64(-1)
        value = last_two_tricks(rules, contract, work, leader, rest, capots, goal)
        return True, value, int64(-1)
    cards = work[HANDS] | work[HANDS + 1] | work[HANDS + 2] | work[HANDS + 3]
    key = mixed(_renamed(work, cards), work[at + SEAT], work[at + CAPOTS])
    lower, upper, first = probe(table, key, -UNKNOWN, UNKNOWN)
    if first < 0:
        lower, upper = _sure_range(contract, work, at, ply)
    work[at + KEY] = key
    work[at + LOWER] = lower
    work[at + UPPER] = upper
    if lower >= goal:
        return True, lower, first
    return upper < goal, upper, first


@part
def _enter_success(work: Any, ply: int, card: int) -> None:
    """A card has settled the question at a ply."""
    entry = HISTORY + (FOLLOWING if ply & 3 else 0) + (card & 31)
    work[entry] += (NUM_CARDS - ply) >> 1
    if work[entry] > _MOST_HISTORY:
        for i in range(HISTORY, HISTORY + 2 * NUM_CARDS):
            work[i] >>= 1


@part
def _enter_value(contract: int, work: Any, ply: int, value: int) -> None:
    """Enter the value found for the card tried at a ply, and take that back."""
    at = row(ply)
    card = work[at + CARD]
    highest = take_back(work, ply) & 1 == 0
    if (value > work[at + VALUE]) == highest:
        work[at + VALUE] = value
        work[at + GOOD_CARD] = card
    if (value >= work[at + GOAL]) == highest:
        work[at + NUM_MOVES] = 0
        _enter_success(work, ply, card)
    elif work[at + NUM_MOVES]:
        _spare_neighbours(contract, work, at, card, value)


@part
def _remember(work: Any, table: Any, ply: int) -> None:
    """Enter the result of a search from the start of a trick in the table."""
    at = row(ply)
    value = work[at + VALUE]
    lower = work[at + LOWER]
    upper = work[at + UPPER]
    if value >= work[at + GOAL]:
        lower = max(lower, value)
    else:
        upper = min(upper, value)
    store(table, work[at + KEY], lower, upper, work[at + GOOD_CARD])


@part
def search(
    rules: Record, contract: int, work: Any, table: Any, root: int, allowed: int, goal: int
) -> Any:
    """A bound on a position's value that tells whether it is at least ``goal``.

    Args:
        rules: record of `RULES_DTYPE`.
        contract: 0-5.
        work: from `workspace`, after `set_up`; the same afterwards, unless the budget is used up.
        table: from `new_table`.
        root: the ply of the position.
        allowed: the cards that are considered there.
        goal: the question.

    Returns:
        A lower bound of at least ``goal``, an upper bound below it, or UNKNOWN.
    """
    ply = root
    first = work[row(root) + GOOD_CARD]
    work[row(root) + GOAL] = goal
    while True:
        at = row(ply)
        work[at + VALUE] = UNKNOWN if work[at + SEAT] & 1 else -UNKNOWN
        _list_moves(rules, contract, work, ply, allowed, first)
        allowed = -1
        settled = True
        while settled:
            play(work, ply, _next_move(work, row(ply)))
            work[BUDGET] -= 1
            ply += 1
            settled, value, first = False, int64(0), int64(-1)
            if ply & 3 == 0:
                settled, value, first = _settle(rules, contract, work, table, ply)
            while settled:  # back to the first ply at which a card is left to try
                ply -= 1
                _enter_value(contract, work, ply, value + work[row(ply) + GAIN])
                if work[row(ply) + NUM_MOVES]:
                    break
                value = work[row(ply) + VALUE]
                if ply == root:
                    return value
                if ply & 3 == 0:
                    _remember(work, table, ply)
        if work[BUDGET] < 0:
            return int64(UNKNOWN)
