"""Files of how deals or matches ended, which are read only if they can have been played."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from belote_env import RuleSet
from belote_env.cards import SUITS
from belote_env.engine.annonces import CARRE_POINTS
from belote_env.engine.batch import OUTCOME_DTYPE
from belote_env.engine.options import rule_data
from belote_env.engine.scoring import BELOTE
from belote_env.engine.state import RESULTS, UNFINISHED, VOID
from belote_env.game import Episode
from belote_env.rules import MAX_ROUNDING, MAX_SCORE
from experiments.lib.duplicate import DuplicateMatch, Effort
from experiments.lib.run import reading

REMEDY: Final = "remove it to play it again"
_MOST_SEQUENCES: Final = 2 * (100 + 20)
"""The most that the sequences of two hands of eight cards are worth: a cent and a tierce each."""


def write_match(path: Path, match: DuplicateMatch) -> None:
    """Write a match so that the file is found whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".partial-{path.name}")
    with partial.open("wb") as file:
        np.savez_compressed(
            file,
            outcomes=match.outcomes,
            winners=match.winners,
            decisions=[effort.decisions for effort in match.efforts],
            seconds=[effort.seconds for effort in match.efforts],
        )
    partial.replace(path)


def read_match(path: Path) -> DuplicateMatch:
    """Read what `write_match` has written.

    Raises:
        RunError: if the file is damaged.
    """
    with reading(path, REMEDY), path.open("rb") as file, np.load(file) as stored:
        counts, times = stored["decisions"].tolist(), stored["seconds"].tolist()
        own, other = (Effort(*each) for each in zip(counts, times, strict=True))
        return DuplicateMatch(stored["outcomes"], stored["winners"], (own, other))


def read_block(path: Path, rules: RuleSet, episode: Episode, plays: int) -> DuplicateMatch:
    """Read the match of so many deals or matches that a file should hold.

    Raises:
        RunError: if the file is damaged, or holds what cannot have been played.
    """
    match = read_match(path)
    with reading(path, REMEDY):
        for wrong, what in _faults(match, rules, episode, plays):
            if wrong:
                raise ValueError(what)
    return match


def _faults(
    match: DuplicateMatch, rules: RuleSet, episode: Episode, plays: int
) -> Iterator[tuple[bool | np.bool_, str]]:
    """Each thing that a match cannot be: whether it is so, and what; the next rely on it."""
    outcomes, winners = match.outcomes, match.winners
    yield outcomes.dtype != OUTCOME_DTYPE, f"its outcomes are of type {outcomes.dtype}"
    yield winners.dtype != np.int8, f"its winners are of type {winners.dtype}, not int8"
    fits = outcomes.ndim == 3 and outcomes.shape[:2] == winners.shape == (2, plays)
    shapes = f"outcomes {outcomes.shape} and winners {winners.shape}"
    yield not fits, f"it has {shapes}, not two plays of {plays} {episode}s"
    deals = outcomes.shape[2]
    yield deals < 1 or (episode == "deal" and deals > 1), f"it has {deals} deals of each {episode}"

    result = outcomes["result"]
    yield (result >= len(RESULTS)).any(), f"it has a result above {len(RESULTS) - 1}"
    finished = result != UNFINISHED
    gap = not finished[..., 0].all() or (finished[..., 1:] > finished[..., :-1]).any()
    yield gap, "it has a deal that was not finished"
    marks = outcomes["marks"]
    most = _most_marks(rules, episode) * (finished & (result != VOID))
    impossible = (marks < 0) | (marks > most[..., None])
    yield impossible.any(), f"it has marks that no deal under {rules.id} has"
    ahead = np.sign(marks[..., 0, 0] - marks[..., 0, 1])
    wrong = ~np.isin(winners, (-1, 0, 1)) | (episode == "deal") & (winners != ahead)
    yield wrong.any(), "it has winners other than the marks say"

    for effort in match.efforts:
        counts = type(effort.decisions) is int and effort.decisions > 0
        measured = type(effort.seconds) is float and 0 <= effort.seconds < np.inf
        yield not (counts and measured), f"it has an {effort}"


def _most_marks(rules: RuleSet, episode: Episode) -> int:
    """What the marks of a side in a deal do not exceed."""
    data = rule_data(rules)[0]
    most = max(int(data["capot_total"].max()), int(data["chute_base"]))
    if rules.family == "auction":
        most = int(data["multiplier"].max()) * (most + int(data["bid_value"].max()))
    annonces = int(CARRE_POINTS.sum(axis=1).max()) + _MOST_SEQUENCES if rules.annonces else 0
    carried = MAX_SCORE if episode == "match" and rules.carries else 0
    return most + annonces + len(SUITS) * BELOTE + MAX_ROUNDING + carried
