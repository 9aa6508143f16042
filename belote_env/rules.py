"""Rule sets: every option of the game, its values and sources, and the presets.

    >>> rules.preset("classic", undertrump="may_discard").id
    'classic+undertrump=may_discard'

Sources: 000 is a long guide with annonces, sans and tout atout; 001 the 501-point rule; 002 a text
on belote-rebelote that quotes the federation; 003 the rules for two players; 004 the rules of a
concours; FFB the Fédération Française de Belote; Cannes the rules of a tournament there; Pagat
pagat.com; colver an engine for contrée.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Final, Literal, Self, get_args, get_type_hints

import numpy as np

from belote_env.actions import NUM_ACTIONS, NUM_TAKE_ACTIONS


def _option(default: object, meaning: str, source: str, needs: str = "") -> Any:
    """A field of `RuleSet`; without each ``name=value|value`` of ``needs`` it has no effect."""
    return field(default=default, metadata={"meaning": meaning, "source": source, "needs": needs})


@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """The rules of one game: immutable, validated, comparable and hashable.

    NumPy's scalars are taken as the values of Python that they are.

    Raises:
        ValueError: on an unknown value, or a combination in which an option has no effect or
            contradicts another; the message lists what would be legal.
    """

    family: Literal["turn_up", "auction", "two_player"] = _option(
        "turn_up",
        "The game: a turned card is taken, contracts are bid for, or two play with a talon.",
        "turn_up 000, 001, 002, 004; auction FFB contrée; two_player 003",
    )
    direction: Literal["anticlockwise", "clockwise"] = _option(
        "anticlockwise",
        "Sense of play; matters for display alone.",
        "anticlockwise 000, 004, FFB; clockwise 001",
    )
    round2_turned_suit: Literal["forbidden", "allowed"] = _option(
        "forbidden",
        "May round 2 take at the turned suit?",
        "forbidden 000, 001, FFB; allowed 004 read literally",
        needs="family=turn_up|two_player",
    )
    void_dealer: Literal["next", "same"] = _option(
        "next", "Who deals after a void deal.", "next 000, 001, FFB; same several concours"
    )
    dealing: Literal["shuffle", "cut"] = _option(
        "shuffle",
        "A uniform shuffle; or, after the first deal of a match, the gathered tricks cut once.",
        "shuffle 000, 001; cut as at real tables",
    )
    sa_ta: bool = _option(
        False,
        "Are there contracts at sans atout and tout atout? In the turn-up game they overbid.",
        "000",
        needs="family=turn_up|auction",
    )
    sa_ta_rounds: Literal["both", "second"] = _option(
        "both",
        "Rounds in which SA and TA may be called.",
        "both 000",
        needs="family=turn_up sa_ta=True",
    )
    sa_ta_values: Literal["scaled", "raw", "pagat"] = _option(
        "scaled",
        "Card points at SA and TA: totals of 162, of 130 and 258, or Pagat's 162.",
        "scaled 000; raw belote-cli, Bulgarian belot; pagat Pagat",
        needs="sa_ta=True",
    )
    undertrump: Literal["must", "may_discard"] = _option(
        "must",
        "Void and unable to beat an opponent's trump: play a lower trump, or any card?",
        "must 000, FFB belote, Pagat; may_discard FFB contrée and coinche, Cannes",
        needs="family=turn_up|auction",
    )
    undertrump_partner: Literal["free", "raise", "forbidden"] = _option(
        "free",
        "Void and partner holds the trick: any card, a trump must be higher if able, or no lower"
        " trump under partner's.",
        "free 000, FFB; raise 001; forbidden a variant on Pagat",
        needs="family=turn_up|auction",
    )
    raise_over_partner: Literal["strict", "soft"] = _option(
        "strict",
        "Must a trump that is led be beaten over partner too?",
        "strict 000, FFB, Pagat",
        needs="family=turn_up|auction",
    )
    announce: Literal["auto", "choice"] = _option(
        "auto",
        "Does the engine say belote and annonces, or does the player decide (DECLARE, SILENT)?",
        "choice: for research on signalling",
    )
    belote_tolerance: Literal["once", "none", "always"] = _option(
        "once",
        "Is a missing 'rebelote' forgiven: once per side and match, never, always?",
        "once 000, 002; none 004, FFB 2016",
        needs="family=turn_up|auction",
    )
    belote_king_first: bool = _option(
        False,
        "Does belote count only when the king is played before the queen?",
        "Belgian rule",
        needs="family=turn_up|auction",
    )
    belote_on_chute: Literal["kept", "lost"] = _option(
        "kept",
        "Does a side in chute keep its belote?",
        "kept 000, 001, 002, FFB belote and coinche; lost 004, FFB contrée",
    )
    annonces: bool = _option(
        False,
        "Do tierce, cinquante, cent and carré score?",
        "000; coinche FFB",
        needs="family=turn_up|auction",
    )
    annonce_tie: Literal["cancel", "first"] = _option(
        "cancel",
        "Equal best annonces: nobody scores, or the first to speak does.",
        "cancel 000",
        needs="annonces=True",
    )
    annonce_card_reuse: bool = _option(
        False, "May a card of a carré serve in a sequence too?", "unsettled", needs="annonces=True"
    )
    contract_test: Literal["majority", "82_in_tricks"] = _option(
        "majority",
        "Made with more than the defence, belote and annonces counted; or with 82 trick points.",
        "majority 000, 002, 004, FFB; 82_in_tricks one sentence of 001",
        needs="family=turn_up",
    )
    need_majority: bool = _option(
        False,
        "Must the bidders have more than the defence as well as what they bid?",
        "false FFB contrée, Pagat; true FFB coinchée",
        needs="family=auction",
    )
    score_mode: Literal["made_plus_bid", "made", "bid_only"] = _option(
        "made_plus_bid",
        "Does a contract mark the points made and the bid, the points alone, or the bid alone?",
        "made_plus_bid FFB contrée, Cannes; made and bid_only in clubs",
        needs="family=auction",
    )
    chute_base: Literal[162, 160] = _option(
        162,
        "What the winners of a chute or of a doubled deal mark besides the bid.",
        "162 Cannes, colver; 160 FFB, Pagat",
        needs="family=auction",
    )
    coinche_multiplier: Literal[2] = _option(
        2, "Factor of a coinche.", "2 FFB, Cannes, Pagat", needs="family=auction"
    )
    surcoinche_multiplier: Literal[3, 4] = _option(
        3,
        "Factor of a surcoinche.",
        "3 Cannes, colver; 4 FFB 2016, Pagat",
        needs="family=auction",
    )
    multiplier_on: Literal["bid", "all"] = _option(
        "bid",
        "Is the bid alone multiplied, or the base of the chute as well?",
        "bid colver, Pagat; all in clubs",
        needs="family=auction",
    )
    doubled_loser: Literal["zero", "keeps"] = _option(
        "zero",
        "Does the defence keep its trick points when a doubled contract is made?",
        "zero colver; keeps in clubs",
        needs="family=auction",
    )
    capot_bid: Literal[250, 270, "flat_500"] = _option(
        250,
        "Worth of a bid of capot, added to the tricks; or 500 in place of both.",
        "250 colver; 270 Cannes; flat_500 FFB 2016",
        needs="family=auction score_mode=made_plus_bid|bid_only",
    )
    generale: bool = _option(
        False,
        "May a bidder call générale, all eight tricks with his own cards, for 500?",
        "true in clubs",
        needs="family=auction",
    )
    chute_capot: Literal["capot", "plain"] = _option(
        "capot",
        "Does a capot by the defence mark as a capot or as a plain chute?",
        "capot 001, FFB; plain 000's table read literally",
        needs="family=turn_up|auction",
    )
    litige: Literal["carry", "chute", "replay"] = _option(
        "carry",
        "A tie: the takers' points are carried to the next winner, it is a chute, or the deal is"
        " played again.",
        "carry 000, 001, 004; chute several concours, 003",
        needs="family=turn_up|two_player",
    )
    litige_belote: Literal["carried", "kept"] = _option(
        "carried",
        "In a litige, is the takers' belote carried too, or kept?",
        "carried 004; kept 002 applied to litige",
        needs="family=turn_up|two_player litige=carry",
    )
    litige_chain: Literal["accumulate", "replace"] = _option(
        "accumulate",
        "Does a second litige add to the carry or replace it?",
        "sources silent; accumulate belote-cli",
        needs="family=turn_up|two_player litige=carry",
    )
    litige_last_deal: Literal["mark", "carry_lost"] = _option(
        "mark",
        "Litige in the last mène of a party: each marks its own, or the carry is lost.",
        "concours practice",
        needs="family=turn_up|two_player target=None litige=carry",
    )
    rounding: Literal["none", "nearest10_5up", "nearest10_6up"] = _option(
        "none", "Rounding of each side's marks of a deal to tens, fives up or down.", "FFB contrée"
    )
    target: int | None = _option(
        1000, "Marks that end a match; None in a concours.", "1000: 000, 002; 501: 001"
    )
    target_rule: Literal["reach", "exceed"] = _option(
        "reach", "Must the target be reached or exceeded?", "reach 000, 001"
    )
    belote_only_finish: Literal["blocked", "blocked_capot", "free"] = _option(
        "blocked",
        "A side that reaches the target by its belote alone needs one more trick: when capot or in"
        " chute, only when capot, or not at all.",
        "blocked 000, 002",
    )
    deals_per_party: int | None = _option(
        None, "Mènes of a concours party, in place of a target.", "10: 004", needs="target=None"
    )
    parties: Literal[3, 4, None] = _option(
        None, "Parties of a concours.", "3 or 4: 004", needs="target=None"
    )

    def __post_init__(self) -> None:
        for option in OPTIONS:
            value = getattr(self, option)
            if isinstance(value, np.generic):
                object.__setattr__(self, option, value.item())
            _check_value(option, getattr(self, option))
        if self.target is None and self.deals_per_party is None:
            raise ValueError("target=None needs deals_per_party, the mènes of a concours party")
        for option in OPTIONS:
            self._check_effect(option)
        if self.contract_test == "82_in_tricks" and self.sa_ta_values == "raw":
            raise ValueError(
                "contract_test='82_in_tricks' contradicts sa_ta_values='raw', as 82 is a majority"
                " of 162 only: use sa_ta_values='scaled' or 'pagat', or contract_test='majority'"
            )

    def _check_effect(self, option: str) -> None:
        """Refuse an option that another one leaves without effect."""
        value, default = getattr(self, option), _DEFAULTS[option]
        if value == default:
            return
        for need in _metadata(option)["needs"].split():
            name, _, needed = need.partition("=")
            if str(getattr(self, name)) not in needed.split("|"):
                raise ValueError(
                    f"{option}={value!r} has no effect without {need.replace('|', ' or ')}: set"
                    f" that too, or leave {option} at {default!r}"
                )
        if option in ("target_rule", "belote_only_finish") and self.target is None:
            raise ValueError(
                f"{option}={value!r} has no effect without a target: leave it at {default!r}"
            )

    @property
    def num_seats(self) -> int:
        """Players at the table: four, or two."""
        return 2 if self.family == "two_player" else 4

    @property
    def has_litige(self) -> bool:
        """Whether a tie is a litige."""
        return self.family != "auction" and self.litige != "chute"

    @property
    def carries(self) -> bool:
        """Whether a litige leaves points to the next deal."""
        return self.family != "auction" and self.litige == "carry"

    @property
    def num_actions(self) -> int:
        """Length of the part of the action table that the rules use."""
        return NUM_ACTIONS if self.family == "auction" else NUM_TAKE_ACTIONS

    @property
    def options(self) -> dict[str, Any]:
        """All options by name, in the order of the documentation."""
        return {option: getattr(self, option) for option in OPTIONS}

    @property
    def hash(self) -> str:
        """16 hexadecimal digits over the options that differ from their defaults.

        Options that the library gains later leave it unchanged.
        """
        changed = {o: value for o, value in self.options.items() if value != _DEFAULTS[o]}
        text = json.dumps(changed, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def id(self) -> str:
        """The nearest preset's name, then ``+option=value`` for each difference from it."""
        return _id(self)

    def replace(self, **changes: Any) -> Self:
        """A rule set with some options changed.

        Raises:
            ValueError: on an unknown option or value, or a contradictory combination.
        """
        for name in changes:
            _check_name(name)
        return replace(self, **changes)


OPTIONS: Final = tuple(f.name for f in fields(RuleSet))
"""Names of all options, in the order of the documentation."""
_DEFAULTS: Final[dict[str, Any]] = {f.name: f.default for f in fields(RuleSet)}
_TYPES: Final = get_type_hints(RuleSet)
INTEGER_OPTIONS: Final = {"target": range(1, 3_001), "deals_per_party": range(2, 21)}
"""Options that take an integer of a range, or None."""

_MOST_DIGITS: Final = 9

MAX_SCORE: Final = 30_000
"""Most marks that a side can have in a match, and most deals of one."""
MAX_ROUNDING: Final = 5
"""The most that `rounding` adds to or takes from a side's marks of a deal."""


def option_values(option: str) -> tuple[Any, ...]:
    """The legal values of an option that is not one of `INTEGER_OPTIONS`, in a fixed order.

    Raises:
        ValueError: on an unknown option.
    """
    _check_name(option)
    return (False, True) if _TYPES[option] is bool else get_args(_TYPES[option])


def option_doc(option: str) -> tuple[str, str]:
    """The meaning of an option and the sources of its values, a line each.

    Raises:
        ValueError: on an unknown option.
    """
    _check_name(option)
    metadata = _metadata(option)
    return metadata["meaning"], metadata["source"]


def _metadata(option: str) -> Any:
    return next(f.metadata for f in fields(RuleSet) if f.name == option)


def _check_name(option: str) -> None:
    if option not in OPTIONS:
        raise ValueError(f"unknown rule option {option!r}; the options are {', '.join(OPTIONS)}")


def _check_value(option: str, value: object) -> None:
    if option in INTEGER_OPTIONS:
        legal = INTEGER_OPTIONS[option]
        if value is not None and (type(value) is not int or value not in legal):
            raise ValueError(
                f"{option}={value!r}: use an integer in {legal[0]}-{legal[-1]}, or None"
            )
    elif not any(type(value) is type(v) and value == v for v in option_values(option)):
        choices = ", ".join(map(repr, option_values(option)))
        raise ValueError(f"{option}={value!r}: use one of {choices}")


_CONTREE: Final = RuleSet(
    family="auction",
    undertrump="may_discard",
    chute_capot="plain",
    belote_on_chute="lost",
    target=2000,
    belote_only_finish="free",
)

PRESETS: Final[dict[str, RuleSet]] = {
    "classic": RuleSet(),
    "classic_annonces": RuleSet(annonces=True),
    "sans_tout_atout": RuleSet(annonces=True, sa_ta=True),
    "club_501": RuleSet(direction="clockwise", undertrump_partner="raise", target=501),
    "concours": RuleSet(
        round2_turned_suit="allowed",
        belote_on_chute="lost",
        belote_tolerance="none",
        target=None,
        deals_per_party=10,
        parties=4,
        litige_last_deal="mark",
    ),
    "two_player": RuleSet(family="two_player", litige="chute", target=501),
    "contree": _CONTREE,
    "contree_ffb": replace(
        _CONTREE,
        chute_base=160,
        chute_capot="capot",
        surcoinche_multiplier=4,
        rounding="nearest10_5up",
        belote_only_finish="blocked_capot",
    ),
    "coinche": replace(
        _CONTREE,
        chute_base=160,
        chute_capot="capot",
        surcoinche_multiplier=4,
        need_majority=True,
        belote_on_chute="kept",
        annonces=True,
        belote_only_finish="blocked",
    ),
}
"""The named rule sets (rules, section 11)."""

PRESET_SOURCES: Final = {
    "classic": "000, 002, FFB",
    "classic_annonces": "000",
    "sans_tout_atout": "000",
    "club_501": "001",
    "concours": "004",
    "two_player": "003",
    "contree": "colver, Cannes",
    "contree_ffb": "FFB 2016",
    "coinche": "FFB coinchée, Pagat",
}
"""Where each preset comes from."""


def preset(name: str, **changes: Any) -> RuleSet:
    """A named rule set, with some options changed.

    Raises:
        ValueError: on an unknown name, option or value, or a contradictory combination.
    """
    if not isinstance(name, str) or name not in PRESETS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"unknown rule set {name!r}; the presets are {', '.join(PRESETS)}")
    return PRESETS[name].replace(**changes)


def resolve(rules: str | RuleSet) -> RuleSet:
    """A rule set from itself or from its id, such as ``"classic+rounding=nearest10_5up"``.

    Raises:
        ValueError: on an unknown name, option or value, an option given twice, a contradictory
            combination, or what is neither.
    """
    if isinstance(rules, RuleSet):
        return rules
    if not isinstance(rules, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"rules={rules!r}: use a rule set or its id, such as 'classic+target=501'")
    name, *changes = rules.split("+")
    parsed: dict[str, Any] = {}
    for change in changes:
        option, _, text = change.partition("=")
        _check_name(option)
        if option in parsed:
            raise ValueError(f"rule option {option!r} is given twice in {rules!r}")
        parsed[option] = _parse_value(option, text)
    return preset(name, **parsed)


def _parse_value(option: str, text: str) -> Any:
    if option in INTEGER_OPTIONS:
        whole = text.isdecimal() and len(text) <= _MOST_DIGITS
        return int(text) if whole else None if text == "None" else text
    return next((value for value in option_values(option) if str(value) == text), text)


@cache
def _id(rules: RuleSet) -> str:
    def differences(base: RuleSet) -> list[str]:
        return [f"{o}={value}" for o, value in rules.options.items() if value != base.options[o]]

    name = min(PRESETS, key=lambda p: len(differences(PRESETS[p])))
    return "+".join([name, *differences(PRESETS[name])])
