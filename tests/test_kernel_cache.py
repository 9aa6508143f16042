"""The disk cache of compiled kernels: never stale, safe to share, and not needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import belote_env
from belote_env.engine.dealing import shuffle_pack
from belote_env.engine.jit import drop_stale_kernels, from_python

PACKAGE = Path(belote_env.__file__).parent
SCRIPT = """
import numpy as np
from belote_env.engine.dealing import shuffle_pack
from belote_env.engine.jit import from_python
deck = np.zeros(32, np.uint8)
from_python(shuffle_pack)(np.uint64(1), deck)
print(deck.tolist())
"""
"""Uses few kernels, as each process compiles them, but of two modules."""


def start(folder: Path, **environment: str) -> subprocess.Popen[str]:
    """A process that runs `SCRIPT` with the package in a folder."""
    without = {"NUMBA_CACHE_DIR", "PYTHONPATH"}
    inherited = {name: value for name, value in os.environ.items() if name not in without}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        cwd=folder,
        env=inherited | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process: subprocess.Popen[str]) -> str:
    printed, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return printed


@pytest.fixture(scope="module")
def pack() -> str:
    """What `SCRIPT` should print."""
    deck = np.zeros(32, np.uint8)
    from_python(shuffle_pack)(np.uint64(1), deck)
    return f"{deck.tolist()}\n"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with a copy of the package that has no cache."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "copied" / PACKAGE.name, ignore=ignore)
    return tmp_path / "copied"


# Dropping ------------------------------------------------------------------------------------


CACHED = ("play.step-1.py311.nbi", "play.step-1.py311.1.nbc", "play.cpython-311.pyc")
"""Index and code of a kernel, and what Python keeps beside it."""


@pytest.fixture
def cache(copied: Path, tmp_path: Path) -> Path:
    """A folder with kernels that were compiled from the sources of the copied package."""
    cache = tmp_path / "cache"
    cache.mkdir()
    drop_stale_kernels(copied / PACKAGE.name, cache)
    fill(cache)
    return cache


def fill(cache: Path) -> None:
    for name in CACHED:
        (cache / name).touch()


def kept(cache: Path) -> set[str]:
    """Files in a cache, but for the stamp that tells their age."""
    return {file.name for file in cache.iterdir() if file.suffix != ".sha256"}


def test_kernels_of_unknown_age_are_dropped_and_nothing_else(copied: Path, tmp_path: Path):
    fill(tmp_path)

    drop_stale_kernels(copied / PACKAGE.name, tmp_path)

    assert kept(tmp_path) == {"copied", "play.cpython-311.pyc"}


def test_kernels_are_kept_while_the_sources_are_the_same(copied: Path, cache: Path):
    (copied / PACKAGE.name / "engine" / "play.py").touch()

    drop_stale_kernels(copied / PACKAGE.name, cache)

    assert kept(cache) == set(CACHED)


@pytest.mark.parametrize("source", ["cards.py", "actions.py", "rules.py", "engine/rng.py"])
def test_kernels_are_dropped_once_when_a_source_changes(copied: Path, cache: Path, source: str):
    package = copied / PACKAGE.name
    with (package / source).open("a") as file:
        file.write("# changed")

    drop_stale_kernels(package, cache)
    assert kept(cache) == {"play.cpython-311.pyc"}

    fill(cache)
    drop_stale_kernels(package, cache)
    assert kept(cache) == set(CACHED)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_constant_of_another_module_reaches_the_kernels_that_use_it(
    copied: Path, tmp_path: Path, pack: str, elsewhere: bool
):
    # The kernel that shuffles lies in dealing.py, the constants of its generator in rng.py.
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "elsewhere")} if elsewhere else {}
    assert output(start(copied, **environment)) == pack
    source = copied / PACKAGE.name / "engine" / "rng.py"
    source.write_text(source.read_text().replace("0xBF58476D1CE4E5B9", "0xBF58476D1CE4E5BB"))

    changed = output(start(copied, **environment))

    assert changed == output(start(copied, NUMBA_CACHE_DIR=str(tmp_path / "empty"))) != pack


# Sharing -------------------------------------------------------------------------------------


def test_four_processes_may_start_on_an_empty_cache_at_once(tmp_path: Path, pack: str):
    cache = tmp_path / "cache"
    cache.mkdir()

    processes = [start(PACKAGE.parent, NUMBA_CACHE_DIR=str(cache)) for _ in range(4)]

    assert [output(process) for process in processes] == [pack] * 4
    assert list(cache.rglob("*.nbi"))
    assert output(start(PACKAGE.parent, NUMBA_CACHE_DIR=str(cache))) == pack


@pytest.mark.parametrize("home", ["writable", "read-only"])
def test_a_read_only_package_works(copied: Path, tmp_path: Path, pack: str, home: str):
    # Where a folder is expected, a file stops even a user who may write everywhere.
    package = copied / PACKAGE.name
    for folder in {source.parent for source in package.rglob("*.py")}:
        (folder / "__pycache__").touch()
    user_cache = tmp_path / "home"
    user_cache.mkdir() if home == "writable" else user_cache.touch()

    assert output(start(copied, XDG_CACHE_HOME=str(user_cache))) == pack

    assert bool(list(user_cache.rglob("*.nbi"))) == (home == "writable")
