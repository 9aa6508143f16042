"""A round robin: pairings of players on the same deals, in blocks, one file a block.

A block is played by one process on one thread, and everything random in it follows from the seed,
the pairing and its number.  So the results depend neither on the number of processes nor on
interruptions, and what lies in the folder need not be played again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.registry import make_player
from agents.spec import AgentSpec
from belote_env import RuleSet
from belote_env.game import Episode
from experiments.lib.duplicate import DuplicateMatch, play_duplicate
from experiments.lib.plays import read_block, write_match
from experiments.lib.pool import work
from experiments.lib.seeds import stream_rng, stream_seed
from experiments.lib.statistics import SequentialTest, Verdict


@dataclass(frozen=True)
class Job:
    """A block of a pairing, to be played anywhere.

    Attributes:
        pairing: its number.
        block: number of the block in it.
        specs: the two agents.
        rules: the rule set.
        episode: ``"deal"`` or ``"match"``.
        plays: deals or matches.
        deals_seed: seed of the deals: those of every pairing in this block.
        player_seeds: seed of the random stream of each player.
    """

    pairing: int
    block: int
    specs: tuple[AgentSpec, AgentSpec]
    rules: RuleSet
    episode: Episode
    plays: int
    deals_seed: int
    player_seeds: tuple[int, int]


def play_job(job: Job) -> DuplicateMatch:
    """Play a block."""
    player, opponent = (
        make_player(spec, job.rules, seed)
        for spec, seed in zip(job.specs, job.player_seeds, strict=True)
    )
    return play_duplicate(
        player, opponent, job.rules, job.plays, job.deals_seed, episode=job.episode
    )


@dataclass
class Pairing:
    """Two players and what they have played.

    Attributes:
        first: name of a player.
        second: name of its opponent.
        layout: number of deals or matches of each block, and their seed.
        blocks: what was played, by block.
        given_out: blocks that are played or being played: from the first on, without a gap.
        verdict: what the sequential test has said, if there is one.
        settled_after: blocks that it has looked at for that.
    """

    first: str
    second: str
    layout: list[tuple[int, int]] = field(default_factory=list)
    blocks: dict[int, DuplicateMatch] = field(default_factory=dict)
    given_out: int = 0
    verdict: Verdict | None = None
    settled_after: int | None = None

    @property
    def remaining(self) -> int:
        """Blocks that are neither played nor spared by a verdict."""
        return 0 if self.verdict else len(self.layout) - len(self.blocks)

    @property
    def match(self) -> DuplicateMatch:
        """What counts: after a verdict nothing more, so that it is the same however many play."""
        counted = sorted(self.blocks)[: self.settled_after]
        return DuplicateMatch.joined([self.blocks[block] for block in counted])

    def examine(self, test: SequentialTest) -> None:
        """Let a test look at the blocks in order, up to the first that is still being played."""
        margins: list[NDArray[np.float64]] = []
        while self.verdict is None and len(margins) in self.blocks:
            block = self.blocks[len(margins)]
            margins.append(block.margins / block.deals)
            self.verdict = test.verdict(np.concatenate(margins))
            self.settled_after = len(margins) if self.verdict else None


class RoundRobin:
    """Pairings of some players, kept in a folder.

    Args:
        folder: where the blocks are and go.
        specs: the agent of each player, by its name.
        meetings: the two players of each pairing, and its number of deals or matches.
        rules: the rule set.
        episode: ``"deal"`` or ``"match"``.
        block: of these, how many a block has; the last may have fewer.
        seed: seed of the deals and of the players.
        test: ends a pairing early; None for never.

    Attributes:
        pairings: in the order of ``meetings``; block k of each has the same deals, as far as they
            go.
        layout: number of deals or matches of each block of the longest pairing, and their seed.

    Raises:
        RunError: if a file in the folder cannot be read, or is of another round robin.
    """

    def __init__(
        self,
        folder: Path,
        specs: Mapping[str, AgentSpec],
        meetings: Mapping[tuple[str, str], int],
        rules: RuleSet,
        episode: Episode,
        block: int,
        seed: int,
        test: SequentialTest | None = None,
    ) -> None:
        self.pairings = [
            Pairing(first, second, _layout(plays, block, seed))
            for (first, second), plays in meetings.items()
        ]
        self._folder = folder
        self._specs = specs
        self._rules = rules
        self._episode: Episode = episode
        self.layout = _layout(max(meetings.values()), block, seed)
        self._seed = seed
        self._test = test
        for pairing in self.pairings:
            for number, (plays, _) in enumerate(pairing.layout):
                file = self._file(pairing, number)
                if file.exists():
                    pairing.blocks[number] = read_block(file, rules, episode, plays)
            self._examine(pairing)

    @property
    def share_done(self) -> float:
        """Share of the blocks that are played or spared by a verdict, in 0-1."""
        blocks = sum(len(pairing.layout) for pairing in self.pairings)
        return 1 - sum(pairing.remaining for pairing in self.pairings) / blocks

    def play(
        self, workers: int, stopped: Callable[[], bool], entered: Callable[[Pairing], None]
    ) -> None:
        """Play what is missing.

        Args:
            workers: number of processes; with one it is this.
            stopped: asked between blocks whether to leave the rest.
            entered: is given the pairing of every block that has ended.
        """
        for job, match in work(self._jobs(), play_job, workers, stopped):
            pairing = self.pairings[job.pairing]
            write_match(self._file(pairing, job.block), match)
            pairing.blocks[job.block] = match
            self._examine(pairing)
            entered(pairing)

    def _jobs(self) -> Iterator[Job]:
        """The blocks to be played, always one of the pairing that has come least far."""
        while True:
            waiting = [
                (pairing.given_out, number)
                for number, pairing in enumerate(self.pairings)
                if pairing.verdict is None and pairing.given_out < len(pairing.layout)
            ]
            if not waiting:
                return
            block, number = min(waiting)
            pairing = self.pairings[number]
            pairing.given_out += 1
            if block not in pairing.blocks:
                yield self._job(number, block)

    def _job(self, number: int, block: int) -> Job:
        pairing = self.pairings[number]
        plays, deals_seed = pairing.layout[block]
        # The stream of a block does not move when more blocks are played.
        index = block * len(self.pairings) + number
        first, second = stream_rng("tournament_players", self._seed, index).integers(2**63, size=2)
        return Job(
            pairing=number,
            block=block,
            specs=(self._specs[pairing.first], self._specs[pairing.second]),
            rules=self._rules,
            episode=self._episode,
            plays=plays,
            deals_seed=deals_seed,
            player_seeds=(int(first), int(second)),
        )

    def _examine(self, pairing: Pairing) -> None:
        if self._test is not None:
            pairing.examine(self._test)

    def _file(self, pairing: Pairing, block: int) -> Path:
        return self._folder / pairing.first / pairing.second / f"{block:05d}.npz"


def _layout(plays: int, block: int, seed: int) -> list[tuple[int, int]]:
    """Number of deals or matches of each block, and their seed."""
    return [
        (min(block, plays - start), stream_seed("tournament_deals", seed, start // block))
        for start in range(0, plays, block)
    ]
