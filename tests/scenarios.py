"""What the written playthroughs show (`tests.playthrough`)."""

from __future__ import annotations

from typing import Final, NamedTuple

from belote_env.game import Episode


class Scenario(NamedTuple):
    """What a playthrough shows.

    Attributes:
        title: its first line.
        rules: id of the rule set.
        wanted: patterns found in the text; a seed is looked for that has them all.
        calls: the calls that open the auction of each deal; random ones follow.
        episode: a match goes on for at most ``deals`` deals.
        deals: how many deals are written.
    """

    title: str
    rules: str
    wanted: tuple[str, ...]
    calls: tuple[str, ...] = ()
    episode: Episode = "deal"
    deals: int = 1


SCENARIOS: Final = {
    "made": Scenario(
        "A contract is made, with a belote", "classic", ("Result: made", "says rebelote")
    ),
    "chute": Scenario(
        "A contract taken in round 2 fails, and the takers keep their belote",
        "classic",
        (r"Auction.*\n(.*pass.*\n){5}", "Result: chute", " 20   belote 20"),
    ),
    "void": Scenario("Nobody takes", "classic", ("Nobody takes: ",)),
    "litige": Scenario(
        "A litige, whose points go to the winner of the next deal",
        "classic",
        (r"(?s)Result: litige.*Carry: \d.*Result: made",),
        episode="match",
        deals=2,
    ),
    "capot": Scenario("The takers win all eight tricks", "classic", ("Result: capot_taker",)),
    "annonces": Scenario(
        "Annonces on both sides, a carré the best",
        "classic_annonces",
        ("seat [02].*says carre", "seat [13].*says (tierce|cinquante|cent)", "team 0 scores"),
    ),
    "overbids": Scenario(
        "Sans atout over a suit, tout atout over that, and several belotes",
        "sans_tout_atout",
        (r"  seat \d  [SHDC] (.*\n)+  seat \d  SA ", "takes TA", "belote [468]0"),
    ),
    "choice": Scenario(
        "The players choose what to say",
        "classic_annonces+announce=choice",
        (
            "declare +declare silent +belote[?]",
            "(declare|silent) +declare silent +rebelote[?]",
            "declare +declare silent +annonces[?]",
            "silent +declare silent +annonces[?]",
        ),
    ),
    "club_501": Scenario(
        "Club rules, played clockwise to the end of a short match",
        "club_501+target=151",
        ("The match is over",),
        episode="match",
        deals=2,
    ),
    "concours": Scenario(
        "A party of two mènes, and a belote lost with its contract",
        "concours+deals_per_party=2",
        (
            r"seat [02].*says rebelote\n(.*\n)+Result: chute; seat [02] .*(\n.*){3} 182 ",
            "The match is over",
        ),
        episode="match",
        deals=2,
    ),
    "contree": Scenario(
        "A bid is raised by the partner, and made",
        "contree",
        ("Result: made",),
        calls=("80 H, pass, 90 H, pass, pass, pass",),
    ),
    "contree_coinche": Scenario(
        "A coinched contract fails; the takers lose their belote too",
        "contree",
        (r"seat [02].*says rebelote", r"Result: chute; seat 0 .*(\n.*){3} 362 "),
        calls=("pass, 80 H, pass, 90 S, coinche, pass, pass, pass",),
    ),
    "contree_capot": Scenario(
        "A capot is bid and made",
        "contree",
        ("Result: capot_taker", " 502"),
        calls=("capot S, pass, pass, pass",),
    ),
    "contree_choice": Scenario(
        "Words are a choice where contracts are bid for",
        "contree+announce=choice",
        ("declare +declare silent +belote[?]", "silent +declare silent +rebelote[?]"),
    ),
    "contree_ffb": Scenario(
        "A surcoinche ends the auction; the marks are rounded to tens",
        "contree_ffb",
        (r"Result: made.*(\n.*)+ (480|500) ",),
        calls=("80 C, coinche, surcoinche",),
    ),
    "contree_ffb_match": Scenario(
        "A deal that nobody bids for, and the end of a short match",
        "contree_ffb+target=100",
        ("Nobody takes: ", "The match is over"),
        calls=("pass, pass, pass, pass", "80 H, 90 S, 100 D, pass, 110 D"),
        episode="match",
        deals=2,
    ),
    "coinche": Scenario(
        "The takers reach their bid, but not more than the defence",
        "coinche",
        (r"Result: chute; seat [13] (.*\n){3}  team 1 +\d +8[01] +0 ",),
        calls=("80 D, pass, pass, pass",),
    ),
    "coinche_annonces": Scenario(
        "Annonces count for the contract and in the marks",
        "coinche",
        (r"team 1 scores \d+", "Result: made; seat [13]"),
        calls=("pass, 80 D, coinche, pass",),
    ),
    "coinche_overbids": Scenario(
        "Up to a générale at tout atout, which is coinched",
        "coinche+sa_ta=True+generale=True",
        (r"  seat \d  generale TA(.*\n)+  seat \d  coinche ", "belote [2468]0"),
        calls=("100 H, 120 SA, pass, 160 TA",),
    ),
    "coinche_choice": Scenario(
        "Belote and annonces are a choice where contracts are bid for",
        "coinche+announce=choice",
        (
            "declare +declare silent +belote[?]",
            "declare +declare silent +rebelote[?]",
            "declare +declare silent +annonces[?]",
            "silent +declare silent +annonces[?]",
        ),
        calls=("80 C, pass, pass, pass",),
    ),
    "two_player": Scenario(
        "Two players, and a belote of cards that were not held together",
        "two_player",
        ("says belote, rebelote", "Result: made"),
    ),
    "two_player_match": Scenario(
        "A deal that nobody takes passes on; a tie is a loss",
        "two_player",
        ("Nobody takes: ", r"Result: chute(.*\n){2}  team 0 +\d+ +81 +0 +\d+\n"),
        calls=("pass, pass, pass, pass",),
        episode="match",
        deals=2,
    ),
    "two_player_choice": Scenario(
        "Of two players one is asked about belote once, at the second card",
        "two_player+announce=choice",
        ("declare +declare silent +belote[?]",),
    ),
}
