"""The command line: ``python -m belote_env score | replay | warmup | info``."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TextIO

from belote_env.actions import NUM_ACTIONS, NUM_TAKE_ACTIONS, action_name
from belote_env.counter import Answers, ask_rules, count_match
from belote_env.engine.state import STATE_DTYPE
from belote_env.engine.step import step_at
from belote_env.match import Match
from belote_env.playthrough import playthrough
from belote_env.record import RecordError, parse
from belote_env.rules import INTEGER_OPTIONS, PRESETS, RuleSet, option_doc, option_values, resolve
from belote_env.warmup import warm_up

BAD_INPUT = 2
"""Exit status after input that cannot be used, as `argparse` has it."""
INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status."""
    options = _parser().parse_args(arguments)
    try:
        status = options.run(options)
        sys.stdout.flush()  # here, where a reader that has gone is dealt with
        return status
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as head, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m belote_env", description="Belote tools.")
    commands = parser.add_subparsers(required=True, metavar="command")

    score = commands.add_parser(
        "score",
        help="count the points of a match, deal by deal",
        description="Count the points of a match, deal by deal. Asks on the terminal; without one,"
        " reads one answer a line from standard input. Answers may also be given as arguments.",
    )
    score.add_argument("--rules", help="rule set; asked for when not given")
    score.add_argument("--scores", type=int, nargs=2, default=(0, 0), metavar=("TEAM0", "TEAM1"))
    score.add_argument("--deals-played", type=int, default=0, help="mènes counted so far")
    score.add_argument("--carry", type=int, default=0, help="points carried from a litige")
    score.add_argument("--dealer", type=int, default=0, help="seat that deals next")
    score.add_argument("--answers", nargs="+", help="answers in the order of the questions")
    score.set_defaults(run=_score)

    replay = commands.add_parser("replay", help="check records and print them play by play")
    replay.add_argument("file", help="file with one record a line; - for standard input")
    replay.set_defaults(run=_replay)

    warmup = commands.add_parser("warmup", help="compile all kernels into the cache")
    warmup.set_defaults(run=_warm_up)

    info = commands.add_parser("info", help="versions, rule sets, actions, cache")
    info.add_argument("--rules", help="show the options of this rule set instead")
    info.set_defaults(run=_info)
    return parser


def _score(options: argparse.Namespace) -> int:
    answers = Answers(options.answers)
    try:
        rules = ask_rules(answers) if options.rules is None else resolve(options.rules)
    except EOFError:
        return 0
    match = Match(
        rules,
        options.scores,
        options.deals_played,
        carry=options.carry,
        dealer=options.dealer,
    )
    print(f"rules {rules.id} ({rules.hash})")
    if not count_match(match, answers):
        print("error: the answers end inside a deal, which is left out", file=sys.stderr)
        return BAD_INPUT
    return 0


def _replay(options: argparse.Namespace) -> int:
    """Print each record of a file play by play; the first bad one ends it."""
    found = False
    with _open(options.file) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            found = True
            try:
                for text in playthrough(parse(line)):
                    print(text)
            except RecordError as error:
                where = "" if options.file == "-" else f"{options.file}, "
                raise ValueError(f"{where}line {number}, {error}") from None
            print()
    if not found:
        raise ValueError(f"there is no record in {options.file}")
    return 0


def _open(file: str) -> TextIO:
    """A file of records, in which a byte-order mark is skipped; what is no text shows escaped."""
    if file != "-":
        return open(file, encoding="utf-8-sig", errors="backslashreplace")
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:  # a stand-in has text already
        reconfigure(encoding="utf-8-sig", errors="backslashreplace")
    return sys.stdin


def _warm_up(options: argparse.Namespace) -> int:
    print(f"all kernels compiled and cached after {warm_up():.1f} s in {_cache_folder()}")
    return 0


def _info(options: argparse.Namespace) -> int:
    if options.rules is not None:
        _print_rules(resolve(options.rules))
        return 0
    for package in ("belote-env", "numpy", "numba", "gymnasium", "pettingzoo"):
        print(f"{package} {_version(package)}")
    print(f"python {platform.python_version()}")
    print(f"kernel cache {_cache_folder()}")
    print(f"state {STATE_DTYPE.itemsize} bytes")
    print("\nrule sets (id, hash, family, number of actions); the options of one: info --rules ID")
    for name, rules in PRESETS.items():
        print(f"  {name:18} {rules.hash}  {rules.family:10} {rules.num_actions:3}")
    print("\nactions of every rule set")
    for action in range(NUM_ACTIONS):
        if action == NUM_TAKE_ACTIONS:
            print("\nfurther actions of rule sets with bids")
        print(f"  {action:3} {action_name(action)}")
    return 0


def _print_rules(rules: RuleSet) -> None:
    print(f"{rules.id} ({rules.hash})")
    for option, value in rules.options.items():
        span = INTEGER_OPTIONS.get(option)
        values = (
            f"{span[0]}-{span[-1]}, None" if span else ", ".join(map(str, option_values(option)))
        )
        meaning, source = option_doc(option)
        print(f"\n{option} = {value}  (of {values})\n  {meaning}\n  {source}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "not installed"


def _cache_folder() -> str:
    return step_at.stats.cache_path


if __name__ == "__main__":
    sys.exit(main())
