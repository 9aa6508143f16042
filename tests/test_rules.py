"""Rule sets: values, contradictions, presets, ids and hashes."""

from __future__ import annotations

import itertools
import pickle
import random
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from belote_env.rules import (
    INTEGER_OPTIONS,
    OPTIONS,
    PRESETS,
    RuleSet,
    option_doc,
    option_values,
    preset,
    resolve,
)
from tests.drawn_rules import draw_rules
from tests.property.strategies import rule_sets

DEFAULTS = {
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
    "litige_last_deal": "mark",
    "rounding": "none",
    "target": 1000,
    "target_rule": "reach",
    "belote_only_finish": "blocked",
    "deals_per_party": None,
    "parties": None,
}
"""Rules, section 11; of the options of section 9 the values of `contree`."""

_CONTREE: dict[str, Any] = {
    "family": "auction",
    "undertrump": "may_discard",
    "chute_capot": "plain",
    "belote_on_chute": "lost",
    "target": 2000,
    "belote_only_finish": "free",
}

DIFFERENCES: dict[str, dict[str, Any]] = {
    "classic": {},
    "classic_annonces": {"annonces": True},
    "sans_tout_atout": {"annonces": True, "sa_ta": True},
    "club_501": {"direction": "clockwise", "undertrump_partner": "raise", "target": 501},
    "concours": {
        "round2_turned_suit": "allowed",
        "belote_on_chute": "lost",
        "belote_tolerance": "none",
        "target": None,
        "deals_per_party": 10,
        "parties": 4,
        "litige_last_deal": "mark",
    },
    "two_player": {"family": "two_player", "litige": "chute", "target": 501},
    "contree": _CONTREE,
    "contree_ffb": _CONTREE
    | {
        "chute_base": 160,
        "chute_capot": "capot",
        "surcoinche_multiplier": 4,
        "rounding": "nearest10_5up",
        "belote_only_finish": "blocked_capot",
    },
    "coinche": _CONTREE
    | {
        "chute_base": 160,
        "chute_capot": "capot",
        "surcoinche_multiplier": 4,
        "need_majority": True,
        "belote_on_chute": "kept",
        "annonces": True,
        "belote_only_finish": "blocked",
    },
}
"""Rules, section 11: what each preset changes."""

VALUES: dict[str, tuple[Any, ...]] = {
    "family": ("turn_up", "auction", "two_player"),
    "direction": ("anticlockwise", "clockwise"),
    "round2_turned_suit": ("forbidden", "allowed"),
    "void_dealer": ("next", "same"),
    "dealing": ("shuffle", "cut"),
    "sa_ta": (False, True),
    "sa_ta_rounds": ("both", "second"),
    "sa_ta_values": ("scaled", "raw", "pagat"),
    "undertrump": ("must", "may_discard"),
    "undertrump_partner": ("free", "raise", "forbidden"),
    "raise_over_partner": ("strict", "soft"),
    "announce": ("auto", "choice"),
    "belote_tolerance": ("once", "none", "always"),
    "belote_king_first": (False, True),
    "belote_on_chute": ("kept", "lost"),
    "annonces": (False, True),
    "annonce_tie": ("cancel", "first"),
    "annonce_card_reuse": (False, True),
    "contract_test": ("majority", "82_in_tricks"),
    "need_majority": (False, True),
    "score_mode": ("made_plus_bid", "made", "bid_only"),
    "chute_base": (162, 160),
    "coinche_multiplier": (2,),
    "surcoinche_multiplier": (3, 4),
    "multiplier_on": ("bid", "all"),
    "doubled_loser": ("zero", "keeps"),
    "capot_bid": (250, 270, "flat_500"),
    "generale": (False, True),
    "chute_capot": ("capot", "plain"),
    "litige": ("carry", "chute", "replay"),
    "litige_belote": ("carried", "kept"),
    "litige_chain": ("accumulate", "replace"),
    "litige_last_deal": ("mark", "carry_lost"),
    "rounding": ("none", "nearest10_5up", "nearest10_6up"),
    "target": (1, 301, 501, 1000, 3_000),
    "target_rule": ("reach", "exceed"),
    "belote_only_finish": ("blocked", "blocked_capot", "free"),
    "deals_per_party": (None, 2, 10, 20),
    "parties": (3, 4, None),
}
"""Values of each option (rules, sections 1 to 9); of integers the ends of the range."""

NEEDS: dict[str, dict[str, Any]] = {
    "sa_ta_rounds": {"sa_ta": True},
    "sa_ta_values": {"sa_ta": True},
    "annonce_tie": {"annonces": True},
    "annonce_card_reuse": {"annonces": True},
    "litige_last_deal": {"target": None, "deals_per_party": 10},
    "deals_per_party": {"target": None},
    "parties": {"target": None, "deals_per_party": 10},
}
"""Options without which another has no effect, besides the family."""

FAMILIES = {
    option: families
    for families, options in {
        ("auction",): (
            "need_majority",
            "score_mode",
            "chute_base",
            "coinche_multiplier",
            "surcoinche_multiplier",
            "multiplier_on",
            "doubled_loser",
            "capot_bid",
            "generale",
        ),
        ("turn_up",): ("sa_ta_rounds", "contract_test"),
        ("turn_up", "auction"): (
            "sa_ta",
            "sa_ta_values",
            "undertrump",
            "undertrump_partner",
            "raise_over_partner",
            "belote_tolerance",
            "belote_king_first",
            "annonces",
            "annonce_tie",
            "annonce_card_reuse",
            "chute_capot",
        ),
        ("turn_up", "two_player"): (
            "round2_turned_suit",
            "litige",
            "litige_belote",
            "litige_chain",
            "litige_last_deal",
        ),
    }.items()
    for option in options
}
"""Families that an option applies to, where it does not to all."""


def applies(option: str, family: str) -> bool:
    """Whether an option may be changed in a family."""
    return option not in FAMILIES or family in FAMILIES[option]


CHANGES = [
    (option, value)
    for option, values in VALUES.items()
    for value in values
    if option != "family" and value != DEFAULTS[option]
]
"""Every value of an option that is not its default."""

HASHES = {
    "classic": "44136fa355b3678a",
    "classic_annonces": "2503056e8fd0346b",
    "sans_tout_atout": "b48d08af3ecc132f",
    "club_501": "39c31d7e24b9b31e",
    "concours": "e12de7405ce04df5",
    "two_player": "2ea3bfb84e9daf11",
    "contree": "5ef59beb7998c43a",
    "contree_ffb": "38e48064ecae10cf",
    "coinche": "78ec51f2ccbc1b08",
}
"""Stamped into records and checkpoints, so never to change."""


# Options -------------------------------------------------------------------------------------


def test_the_options_are_those_of_the_rules():
    assert sorted(OPTIONS) == sorted(DEFAULTS)
    for option in set(OPTIONS) - set(INTEGER_OPTIONS):
        assert set(option_values(option)) == set(VALUES[option])


@pytest.mark.parametrize("family", VALUES["family"])
def test_the_defaults_stand_in_every_family(family: Any):
    assert RuleSet(family=family).options == DEFAULTS | {"family": family}


@pytest.mark.parametrize("family", VALUES["family"])
@pytest.mark.parametrize(("option", "value"), CHANGES)
def test_a_value_is_accepted_in_the_families_it_applies_to_and_refused_in_the_others(
    option: str, value: Any, family: str
):
    # What it needs that is of the family too, so that the option alone is at fault.
    needed = {o: given for o, given in NEEDS.get(option, {}).items() if applies(o, family)}
    changes = needed | {"family": family, option: value}
    if applies(option, family):
        assert RuleSet(**changes).options == DEFAULTS | changes
    else:
        families = " or ".join(FAMILIES[option])
        first = "sa_ta=True" if option == "sa_ta_values" else f"family={families}"
        first = "annonces=True" if option.startswith("annonce_") else first
        with pytest.raises(ValueError, match=f"^{option}={value!r} has no effect without {first}"):
            RuleSet(**changes)


@pytest.mark.parametrize("option", sorted(set(OPTIONS) - set(INTEGER_OPTIONS)))
@pytest.mark.parametrize("value", ["sometimes", 1.0, 7, None, b"must", ["must"]])
def test_a_wrong_value_is_refused_with_the_right_ones(option: str, value: Any):
    if value in VALUES[option] and type(value) in map(type, VALUES[option]):
        value = "None"
    with pytest.raises(ValueError, match=rf"^{option}=.*: use one of ") as error:
        RuleSet(**{option: value})

    assert repr(value) in str(error.value)
    assert all(repr(legal) in str(error.value) for legal in VALUES[option])


@pytest.mark.parametrize(
    "option",
    ["sa_ta", "annonces", "belote_king_first", "annonce_card_reuse", "need_majority", "generale"],
)
@pytest.mark.parametrize("value", [0, 1, "True", "yes"])
def test_a_switch_takes_booleans_alone(option: str, value: Any):
    with pytest.raises(ValueError, match=f"^{option}={value!r}: use one of False, True"):
        RuleSet(**{option: value})


@pytest.mark.parametrize(
    ("option", "value", "legal"),
    [
        *(("target", value, "1-3000") for value in (0, -1, 3_001, 1000.0, "1000", True)),
        *(("deals_per_party", value, "2-20") for value in (0, 1, 21, 10.0, "10", True)),
    ],
)
def test_an_integer_outside_its_range_is_refused(option: str, value: Any, legal: str):
    with pytest.raises(ValueError, match=f"^{option}={value!r}: use an integer in {legal}, or Non"):
        RuleSet(**({"target": None, "deals_per_party": 10} | {option: value}))


@pytest.mark.parametrize(("option", "value"), [(o, v) for o, v in CHANGES if o in NEEDS])
def test_an_option_without_effect_is_refused(option: str, value: Any):
    with pytest.raises(ValueError, match=f"^{option}={value!r} has no effect without "):
        RuleSet(**{option: value})


@pytest.mark.parametrize("value", [270, "flat_500"])
def test_the_worth_of_a_capot_needs_a_bid_that_counts(value: Any):
    message = f"^capot_bid={value!r} has no effect without score_mode=made_plus_bid or bid_only"
    with pytest.raises(ValueError, match=message):
        RuleSet(family="auction", score_mode="made", capot_bid=value)
    assert RuleSet(family="auction", score_mode="bid_only", capot_bid=value).capot_bid == value


@pytest.mark.parametrize(
    ("family", "seats", "actions"), [("turn_up", 4, 41), ("auction", 4, 109), ("two_player", 2, 41)]
)
def test_a_family_has_its_seats_and_actions(family: Any, seats: int, actions: int):
    rules = RuleSet(family=family)

    assert (rules.num_seats, rules.num_actions) == (seats, actions)


@pytest.mark.parametrize("litige", ["chute", "replay"])
@pytest.mark.parametrize(
    "change",
    [
        {"litige_belote": "kept"},
        {"litige_chain": "replace"},
        {"litige_last_deal": "carry_lost", "target": None, "deals_per_party": 10},
    ],
)
def test_options_of_the_carry_need_a_carry(litige: str, change: dict[str, Any]):
    with pytest.raises(ValueError, match="has no effect without litige=carry"):
        RuleSet(litige=litige, **change)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": None}, "target=None needs deals_per_party"),
        (
            {"target": None, "deals_per_party": 10, "target_rule": "exceed"},
            "target_rule='exceed' has no effect without a target",
        ),
        (
            {"target": None, "deals_per_party": 10, "belote_only_finish": "free"},
            "belote_only_finish='free' has no effect without a target",
        ),
        (
            {"contract_test": "82_in_tricks", "sa_ta": True, "sa_ta_values": "raw"},
            "contract_test='82_in_tricks' contradicts sa_ta_values='raw'",
        ),
    ],
)
def test_contradictory_options_are_refused(changes: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=f"^{message}"):
        RuleSet(**changes)


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_is_documented(option: str):
    meaning, source = option_doc(option)

    assert meaning.endswith((".", "?"))
    assert source
    assert "\n" not in meaning + source


# Rule sets -----------------------------------------------------------------------------------


def test_the_presets_are_those_of_the_rules():
    assert {name: rules.options for name, rules in PRESETS.items()} == {
        name: DEFAULTS | differences for name, differences in DIFFERENCES.items()
    }


def test_a_preset_with_changes():
    rules = preset("club_501", undertrump="may_discard")

    assert rules.options == DEFAULTS | DIFFERENCES["club_501"] | {"undertrump": "may_discard"}


@pytest.mark.parametrize("make", [preset, resolve])
def test_an_unknown_preset_is_refused_with_the_known_ones(make: Any):
    with pytest.raises(ValueError, match="unknown rule set 'tarot'; the presets are classic, cl"):
        make("tarot")


def test_an_unknown_option_is_refused_with_the_known_ones():
    message = "^unknown rule option 'undertrumps'; the options are family, direc"
    with pytest.raises(ValueError, match=message):
        preset("classic", undertrumps="must")
    with pytest.raises(ValueError, match=message):
        RuleSet().replace(undertrumps="must")
    with pytest.raises(ValueError, match=message):
        resolve("classic+undertrumps=must")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("", "unknown rule option ''"),
        ("undertrump", "undertrump='': use one of"),
        ("undertrump=may", "undertrump='may': use one of"),
        ("target=1e3", "target='1e3': use an integer"),
        ("target=²", "target='²': use an integer"),
        ("sa_ta=true", "sa_ta='true': use one of False, True"),
    ],
)
def test_a_malformed_id_is_refused(change: str, message: str):
    with pytest.raises(ValueError, match=f"^{message}"):
        resolve(f"classic+{change}")


def test_a_rule_set_is_frozen():
    rules = RuleSet()
    with pytest.raises(FrozenInstanceError):
        rules.target = 501  # pyright: ignore[reportAttributeAccessIssue]


def test_replace_makes_a_validated_copy():
    rules = RuleSet()

    assert rules.replace(target=501).target == 501
    assert rules.target == 1000
    with pytest.raises(ValueError, match="target=0"):
        rules.replace(target=0)


# Identity ------------------------------------------------------------------------------------


def test_ids_name_the_nearest_preset_and_the_differences():
    assert [rules.id for rules in PRESETS.values()] == list(PRESETS)
    assert RuleSet(undertrump="may_discard").id == "classic+undertrump=may_discard"
    assert RuleSet(annonces=True, target=None, deals_per_party=5).id == (
        "classic_annonces+target=None+deals_per_party=5"
    )
    assert preset("contree", generale=True, target=1000).id == "contree+generale=True+target=1000"
    assert preset("two_player", litige="replay").id == "two_player+litige=replay"


@given(rule_sets)
def test_an_id_names_one_rule_set(rules: RuleSet):
    assert resolve(rules.id) == rules
    assert resolve(rules) is rules


@given(rule_sets)
def test_a_rule_set_survives_pickling(rules: RuleSet):
    other = pickle.loads(pickle.dumps(rules))

    assert (other, hash(other), other.hash, other.id) == (rules, hash(rules), rules.hash, rules.id)


def test_hashes_never_change():
    assert {name: rules.hash for name, rules in PRESETS.items()} == HASHES


def test_hashes_and_ids_tell_rule_sets_apart():
    rng = random.Random(0)
    drawn = {draw_rules(rng) for _ in range(300)} | set(PRESETS.values())
    drawn |= {
        rules.replace(void_dealer=dealer, rounding=rounding)
        for rules, dealer, rounding in itertools.product(
            PRESETS.values(), VALUES["void_dealer"], VALUES["rounding"]
        )
    }

    assert len({rules.hash for rules in drawn}) == len(drawn)
    assert len({rules.id for rules in drawn}) == len(drawn)


def test_a_hash_is_one_of_the_normalised_options():
    assert preset("classic", annonces=True).hash == PRESETS["classic_annonces"].hash


@pytest.mark.parametrize("wrong", [None, 3, 1.5, b"x", [], ["classic"], {}])
def test_what_is_no_rule_set_is_refused(wrong: Any):
    with pytest.raises(ValueError, match=r"^rules=.*: use a rule set or its id, such as 'classic"):
        resolve(wrong)
    with pytest.raises(ValueError, match=r"^unknown rule set .*; the presets are classic"):
        preset(wrong)


def test_an_option_is_given_once():
    for twice in ("classic+target=501+target=501", "classic+target=501+target=1000"):
        with pytest.raises(ValueError, match=r"^rule option 'target' is given twice in 'classic"):
            resolve(twice)


@pytest.mark.parametrize("value", [[], None, np.array([1, 2]), 1])
def test_values_of_another_type_are_refused(value: Any):
    with pytest.raises(ValueError, match=r"^annonces=.*: use one of False, True$"):
        RuleSet(annonces=value)
    if value is not None:
        with pytest.raises(ValueError, match=r"^deals_per_party=.*: use an integer in 2-20"):
            RuleSet(target=None, deals_per_party=value)


def test_scalars_of_numpy_are_the_values_that_they_are():
    given = {"target": np.int64(501), "annonces": np.True_, "undertrump": np.str_("may_discard")}
    plain: dict[str, Any] = {"target": 501, "annonces": True, "undertrump": "may_discard"}
    rules = preset("classic", **given)

    assert (rules, rules.id, rules.hash) == (
        preset("classic", **plain),
        preset("classic", **plain).id,
        preset("classic", **plain).hash,
    )
    assert [type(value) for value in (rules.target, rules.annonces, rules.undertrump)] == [
        int,
        bool,
        str,
    ]
    assert preset("concours", parties=np.int8(3)) == preset("concours", parties=3)
    for wrong in (np.float64(501), np.True_):
        with pytest.raises(ValueError, match=r"^target="):
            preset("classic", target=wrong)


def test_a_number_of_thousands_of_digits_is_no_target():
    with pytest.raises(ValueError, match=r"^target='999.*: use an integer in 1-3000, or None"):
        resolve("classic+target=" + "9" * 5000)


@pytest.mark.parametrize("ask", [option_values, option_doc])
def test_only_options_are_described(ask: Any):
    with pytest.raises(ValueError, match=r"^unknown rule option 'colour'; the options are family"):
        ask("colour")
