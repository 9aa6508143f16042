"""The command line: the points counter, replays, warm-up and information."""

from __future__ import annotations

import builtins
import io
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from belote_env import record
from belote_env.__main__ import main
from belote_env.actions import NUM_ACTIONS, action_name
from belote_env.engine.state import ANNONCE_KINDS, STATE_DTYPE
from belote_env.game import Game
from belote_env.record import DealRecord
from belote_env.rules import OPTIONS, PRESETS, option_doc, preset
from tests.test_record import play_deal, short_match

Capture = pytest.CaptureFixture[str]


class Terminal(io.StringIO):
    """Answers typed at a terminal."""

    def isatty(self) -> bool:
        return True


def score(*answers: str, rules: str = "classic", scores: tuple[int, int] = (0, 0)) -> int:
    start = ["--scores", *map(str, scores)]
    return main(["score", "--rules", rules, *start, "--answers", *answers])


def test_score_prints_the_count_of_each_deal(capsys: Capture) -> None:
    assert score("H", "0", "75", "0", "void", "S", "1", "81", "no") == 0
    assert capsys.readouterr().out.splitlines() == [
        f"rules classic ({preset('classic').hash})",
        "  takers have 75 tricks + 20 belote = 95, against 87 tricks: made",
        "  team 0 (takers) marks 75 tricks + 20 belote = 95",
        "  team 1 (defence) marks 87 tricks",
        "95-87, deals played: 1",
        "95-87, deals played: 1",
        "  takers have 81 tricks, against 81 tricks: litige",
        "  team 1 (takers) marks 0",
        "  team 0 (defence) marks 81 tricks",
        "  carry: 0 before this deal, 81 after it",
        "176-87, deals played: 2, carry 81",
    ]


def test_score_stops_at_the_end_of_the_match(capsys: Capture) -> None:
    assert score("H", "0", "162", "no", "", rules="club_501", scores=(400, 480)) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "562-480, deals played: 1, team 0 wins"


def test_score_asks_for_capot_and_annonces(capsys: Capture) -> None:
    rules = "sans_tout_atout"
    deals = [
        ["SA", "0", "0", "yes", "no"],
        ["SA", "0", "0", "no", "1", "200"],
        ["TA", "1", "252", "1", "2", "no"],
        ["D", "0", "252", "", "0", "50"],
    ]
    assert score(*(answer for deal in deals for answer in deal), rules=rules) == 0
    out = capsys.readouterr().out
    for line in (
        "takers win no trick: chute",
        "team 1 (defence) marks 252 tricks\n",
        "takers have 0, against 162 tricks + 200 annonces = 362: chute",
        "team 1 (takers) marks 252 tricks + 40 belote = 292",
        "team 0 (defence) marks 20 belote",
        "team 0 (takers) marks 252 tricks + 50 annonces = 302",
    ):
        assert line in out


def test_score_asks_for_bids(capsys: Capture) -> None:
    rules = "coinche+generale=True+sa_ta=True"
    deals = [
        ["80 h", "0", "coinche", "134", "1", "no"],
        ["VOID"],
        ["capot TA", "1", "", "252", "0", "1", "0", "50"],
        ["generale sa", "0", "surcoinche", "252", "no", ""],
    ]
    assert score(*(answer for deal in deals for answer in deal), rules=rules) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:5] == [
        "  takers have 134 tricks, with 80 and more than 28 tricks + 20 belote = 48 needed: made",
        "  coinched: times 2 on the bid",
        "  team 0 (takers) marks 160 base + 160 bid (2 x 80) = 320",
        "  team 1 (defence) marks 20 belote",
    ]
    assert lines[5:7] == ["320-20, deals played: 1"] * 2
    assert lines[8:10] == [
        "  team 1 (takers) marks 252 tricks + 20 belote + 250 bid = 522",
        "  team 0 (defence) marks 50 annonces",
    ]
    assert lines[-4].startswith("  surcoinched: times 4")
    assert lines[-1] == "370-2702, deals played: 3, team 1 wins"
    assert "not all by the bidder, with generale" in lines[-5]


def test_score_counts_for_two_players(capsys: Capture) -> None:
    deals = [["H", "0", "60", "0"], ["S", "0", "0", "yes", "no"], ["S", "1", "162", "no", "1"]]
    answers = [answer for deal in deals for answer in deal]
    assert score(*answers, rules="two_player", scores=(485, 0)) == 0
    lines = capsys.readouterr().out.splitlines()
    blocked = "team 0 is at the target by belote alone, needs a trick"
    assert lines[4] == f"505-162, deals played: 1, {blocked}"
    assert lines[-5] == f"505-324, deals played: 2, {blocked}"
    assert lines[-1] == "505-506, deals played: 3, team 1 wins"


def test_score_says_who_is_blocked_and_what_is_drawn(capsys: Capture) -> None:
    assert score("H", "0", "60", "0", scores=(985, 400)) == 0
    assert "team 0 is at the target by belote alone" in capsys.readouterr().out
    party = [
        "score",
        "--dealer",
        "2",
        "--rules",
        "concours",
        "--scores",
        "600",
        "600",
        "--deals-played",
        "9",
    ]
    assert main([*party, "--carry", "81", "--answers", "H", "0", "81", "no"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "681-681, deals played: 10, drawn"


def test_score_reads_piped_answers(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\nH\n0\n91\n\n"))
    assert main(["score"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("rules classic ")
    assert out[-1] == "91-71, deals played: 1"


def test_score_asks_again_on_a_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = ["clasic", "classic", "X", "h", "2", "0", "163", "91", "no"]
    monkeypatch.setattr(sys, "stdin", Terminal("\n".join(typed)))
    assert main(["score"]) == 0
    out = capsys.readouterr().out
    assert "unknown rule set 'clasic'; the presets are classic, " in out
    assert "'X' is none of S, H, D, C, void" in out
    assert "taken by team (0 or 1): " in out
    assert "'163' is none of the numbers asked for" in out
    assert "91-71, deals played: 1" in out


def test_score_names_what_can_be_answered(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = ["contree", "80", "170 H", "80 SA", "80 H", "0", "twice", "no", "91", "no"]
    monkeypatch.setattr(sys, "stdin", Terminal("\n".join(typed)))
    assert main(["score"]) == 0
    out = capsys.readouterr().out
    assert "deal 1, dealer seat 0: last bid (80 S to capot C, or void): " in out
    assert "'' is none of S, H, D, C" in out
    assert "'170' is none of 80, 90, 100, 110, 120, 130, 140, 150, 160, capot\n" in out
    assert "'SA' is none of S, H, D, C" in out
    assert "bid by team (0 or 1): doubled (no, coinche, surcoinche): " in out
    assert "'twice' is none of no, coinche, surcoinche" in out
    assert "171-71, deals played: 1" in out


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (["X"], "answer 1 to 'deal 1, dealer seat 0: contract (S, H, D, C, or void)': 'X' is"),
        (["SA"], "'SA' is none of S, H, D, C, void"),
        (["H", "north"], "answer 2 to 'taken by team (0 or 1)': 'north' is none of the numbers"),
        (["H", "0", "-5"], "'-5' is none of the numbers"),
        (["H", "0", "91"], "the answers end inside a deal"),
        (["void", "H", "0", "91", "2"], "answer 5 to 'belote of team (0, 1 or no)'"),
    ],
)
def test_score_refuses_bad_answers(answers: list[str], message: str, capsys: Capture) -> None:
    assert score(*answers) == 2
    assert message in capsys.readouterr().err


def test_score_refuses_bad_starts(capsys: Capture) -> None:
    assert score("void", rules="clasic") == 2
    assert "unknown rule set 'clasic'" in capsys.readouterr().err
    assert score("void", scores=(-1, 0)) == 2
    assert "scores[0]=-1" in capsys.readouterr().err
    assert main(["score", "--rules", "classic", "--dealer", "4"]) == 2
    assert "dealer=4" in capsys.readouterr().err
    assert main(["score", "--rules", "two_player", "--dealer", "2"]) == 2
    assert "dealer=2: use a seat 0-1" in capsys.readouterr().err
    assert main(["score", "--rules", "contree", "--carry", "81"]) == 2
    assert "carry=81: rules 'contree' have no litige" in capsys.readouterr().err


def test_interruption_is_polite(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(builtins, "input", interrupt)
    assert main(["score"]) == 130
    assert capsys.readouterr().err == "\ninterrupted\n"


def test_the_end_of_input_is_polite(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("classic\n"))
    assert main(["score"]) == 0
    monkeypatch.setattr(sys, "stdin", Terminal(""))
    assert main(["score"]) == 0
    captured = capsys.readouterr()
    assert captured.out.endswith(": \n")
    assert captured.err == ""


CHOICE = (
    '{"rules": "sans_tout_atout+announce=choice", "hash": "df2e785e5f35278b", "dealer": 2,'
    ' "hands": ["AS KC KH TC QH", "9C JC 7S QC 8D", "AD AC 7C KD TD", "9S 9D 8S 9H JH"],'
    ' "turned": "JD", "stock": "AH 7H JS QD TS 8C 7D 8H TH QS KS", "calls": "TA pass pass pass",'
    ' "cards": "JD QD 8D KD 7H QH 8H TH QS 9S JS 7S TS 9C KS 8S TC JC AC JH QC 7C AH KC AS 7D TD'
    ' 9D KH 8C AD 9H", "speech": "declare silent silent", "marks": [182, 0], "result": "chute"}'
)
CHOICE_LINES = """\
rules sans_tout_atout+announce=choice (df2e785e5f35278b)

deal: dealer seat 2, turned JD, scores 0-0, carry 0
  seat 0: AS QH KH TC KC
  seat 1: 7S 8D 9C JC QC
  seat 2: TD KD AD 7C AC
  seat 3: 8S 9S 9H JH 9D
  calls: seat 3 TA, seat 0 pass, seat 1 pass, seat 2 pass
  seat 3 takes at TA
  seat 0: TS JS AS QH KH QD TC KC
  seat 1: 7S 8H 7D 8D 8C 9C JC QC
  seat 2: QS KS TH TD KD AD 7C AC
  seat 3: 8S 9S 7H 9H JH AH 9D JD
  trick 1: seat 3 JD, seat 0 QD, seat 1 8D, seat 2 KD; seat 3 wins, 0-18
  trick 2: seat 3 7H, seat 0 QH (belote), seat 1 8H, seat 2 TH; seat 2 wins, 7-18
  trick 3: seat 2 QS (silent), seat 3 9S, seat 0 JS, seat 1 7S; seat 0 wins, 31-18
  trick 4: seat 0 TS, seat 1 9C, seat 2 KS, seat 3 8S; seat 0 wins, 48-18
  trick 5: seat 0 TC, seat 1 JC, seat 2 AC, seat 3 JH; seat 1 wins, 48-55
  trick 6: seat 1 QC, seat 2 7C, seat 3 AH, seat 0 KC; seat 0 wins, 59-55
  trick 7: seat 0 AS, seat 1 7D, seat 2 TD, seat 3 9D; seat 0 wins, 79-55
  trick 8: seat 0 KH (silent), seat 1 8C, seat 2 AD, seat 3 9H; seat 3 wins, 79-83
  chute: marks 182-0 with belote 20-0, annonces 0-0; carry 0

"""


def test_replay_prints_every_decision(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text(f"\n{CHOICE}\n\n")
    assert main(["replay", str(file)]) == 0
    assert capsys.readouterr().out == CHOICE_LINES


def test_replay_stops_at_a_position(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    start = CHOICE[: CHOICE.index(" 8H TH QS 9S")]
    cut_short = f'{start}", "speech": ""}}'
    monkeypatch.setattr(sys, "stdin", io.StringIO(cut_short))
    assert main(["replay", "-"]) == 0
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "  trick 1: seat 3 JD, seat 0 QD, seat 1 8D, seat 2 KD; seat 3 wins, 0-18",
        "  on the table: seat 3 7H, seat 0 QH",
        "  seat 0 to act",
        "",
    ]


def test_replay_says_what_was_announced_under_auto(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: set[str] = set()
    for seed in range(60):
        game = Game("sans_tout_atout", seed=seed)
        play_deal(game, random.Random(seed))
        monkeypatch.setattr(sys, "stdin", io.StringIO(record.format(DealRecord.from_game(game))))
        assert main(["replay", "-"]) == 0
        words = re.findall(r"\d \w\w \(([a-z, ]+)\)", capsys.readouterr().out)
        here = [word for together in words for word in together.split(", ")]
        state = game.state[0]
        assert here.count("belote") == sum(int(seat).bit_count() for seat in state["belote_said"])
        counts = [int(seat) >> 2 * kind & 3 for seat in state["annonces_said"] for kind in range(4)]
        assert sum(here.count(kind) for kind in ANNONCE_KINDS) == sum(counts)
        said |= set(here)
    assert said >= {"belote", "rebelote", "tierce", "cinquante"}


def test_replay_prints_the_deals_of_a_match(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = short_match()
    monkeypatch.setattr(sys, "stdin", io.StringIO(record.format(match)))
    assert main(["replay", "-"]) == 0
    out = capsys.readouterr().out
    for number, deal in enumerate(match.deals, start=1):
        assert f"deal {number}: dealer seat {deal.dealer}, turned {deal.turned}, scores " in out
    assert f"deal 2: dealer seat {match.deals[1].dealer}" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CHOICE[:300], "error: line 1, column 270: no JSON"),
        (f"{CHOICE}\n{CHOICE.replace('[182, 0]', '[182, 1]')}", "error: line 2, marks: (182, 1)"),
        (CHOICE.replace("df2e", "df2f"), "error: line 1, hash: "),
    ],
)
def test_replay_refuses_bad_records(
    text: str, message: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    assert main(["replay", "-"]) == 2
    assert capsys.readouterr().err.startswith(message)


def test_replay_names_the_line_of_a_file_that_is_no_text(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_bytes(CHOICE.encode() + b"\n\xff\xfe\x00\n")
    assert main(["replay", str(file)]) == 2
    assert f"error: {file}, line 2, column 1: no JSON" in capsys.readouterr().err


def test_replay_skips_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_text(CHOICE, encoding="utf-8-sig")
    assert main(["replay", str(file)]) == 0


@pytest.mark.parametrize("options", [["--scores", "1000", "0"], ["--scores", "1200", "1300"]])
def test_score_says_that_a_match_is_over(options: list[str], capsys: Capture) -> None:
    winner = int(options[1] < options[2])
    assert main(["score", "--rules", "classic", *options, "--answers", ""]) == 0
    assert f"the match is over: {options[1]}-{options[2]}, deals played: 0, team {winner} wins" in (
        capsys.readouterr().out
    )
    assert main(["score", "--rules", "classic", *options, "--answers", "H", "0"]) == 2
    error = "error: answer 1 ('H'): the match is over, leave out 2"
    assert capsys.readouterr().err.strip() == error


def test_score_refuses_answers_after_the_end(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("H\n0\n91\n\nS\n\n"))
    assert main(["score", "--rules", "classic", "--scores", "950", "0"]) == 2
    error = "error: answer 5 ('S'): the match is over, leave out 1"
    assert capsys.readouterr().err.strip() == error


def test_replay_refuses_a_missing_file(tmp_path: Path, capsys: Capture) -> None:
    assert main(["replay", str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl" in capsys.readouterr().err


def test_warmup_says_how_long_it_took(capsys: Capture) -> None:
    assert main(["warmup"]) == 0
    assert re.fullmatch(r"all kernels compiled .* \d+\.\d s in .*\n", capsys.readouterr().out)


USE_ALL = """
import gc
from belote_env.aec import env
from belote_env.vector import SelfPlayVectorEnv
from belote_env.record import DealRecord, replay
from belote_env.referee import Match, legal_calls, legal_cards, score_deal
from belote_env.warmup import warm_up
from numba.core.dispatcher import Dispatcher

def signatures():
    return {
        f"{k.py_func.__module__}.{k.__name__}": len(k.signatures)
        for k in gc.get_objects()
        if isinstance(k, Dispatcher) and k.py_func.__module__.startswith("belote_env")
    }

warm_up()
before = signatures()
table = env("sans_tout_atout", "match", canonical_suits=True)
table.reset(seed=1)
table.step(int(table.observe(table.agent_selection)["action_mask"].argmax()))
table.state()
batch = SelfPlayVectorEnv(3, "concours", "match", reward="tricks", seed=1, threads=2)
batch.step(batch.reset()[1].argmax(axis=1))
batch.state()
batch.close()
list(replay(DealRecord.from_game(table.unwrapped.game)))
legal_calls("concours", 0, "JH", ["pass"])
legal_cards("concours", "H", ["AS"], ["7H", "8D"])
legal_calls("contree", 0, calls=["80 H", "coinche"])
score_deal("coinche", taker_team=0, points=(91, 71), bid=(80, "H"), doubled=4)
Match("two_player").add(score_deal("two_player", "H", 0, (91, 71)))
print([name for name, count in signatures().items() if count != before.get(name)])
"""


def test_warmup_leaves_nothing_to_compile() -> None:
    used = subprocess.run(
        [sys.executable, "-c", USE_ALL],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    assert used.stdout == "[]\n"


def test_info_lists_versions_presets_and_actions(capsys: Capture) -> None:
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for package in ("belote-env", "numpy", "numba", "gymnasium", "pettingzoo"):
        assert f"\n{package} " in f"\n{out}"
    assert f"state {STATE_DTYPE.itemsize} bytes" in out
    for name, rules in PRESETS.items():
        family, number = rules.family, rules.num_actions
        assert re.search(rf"^  {name} +{rules.hash}  {family} +{number}$", out, re.MULTILINE)
    for action in range(NUM_ACTIONS):
        assert re.search(rf"^ +{action} {action_name(action)}$", out, re.MULTILINE)
    assert re.search(r" 40 silent\n\nfurther actions of rule sets with bids\n +41 80 S\n", out)


def test_info_explains_the_options_of_a_rule_set(capsys: Capture) -> None:
    assert main(["info", "--rules", "club_501+undertrump=may_discard"]) == 0
    out = capsys.readouterr().out
    assert "undertrump = may_discard  (of must, may_discard)" in out
    assert "target = 501  (of 1-3000, None)" in out
    for option in OPTIONS:
        meaning, source = option_doc(option)
        assert f"  {meaning}\n  {source}\n" in out
    assert main(["info", "--rules", "tarot"]) == 2


def test_no_command_is_refused() -> None:
    with pytest.raises(SystemExit) as refused:
        main([])
    assert refused.value.code == 2


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text(f"{CHOICE}\n" * 200)
    replay = subprocess.Popen(
        [sys.executable, "-m", "belote_env", "replay", str(file)],
        cwd=Path(__file__).parents[1],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert replay.stdout is not None
    assert replay.stdout.readline()
    replay.stdout.close()
    assert replay.stderr is not None
    with replay.stderr as errors:
        assert errors.read() == b""
    assert replay.wait() == 0


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_replay_says_that_there_is_no_record(text: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text(text)
    assert main(["replay", str(file)]) == 2
    assert capsys.readouterr() == ("", f"error: there is no record in {file}\n")
