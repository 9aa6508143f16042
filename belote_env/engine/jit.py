"""The decorators of all kernels, and care for numba's disk cache.

numba reuses a cached kernel as long as the kernel's own file is unchanged, also when a function or
table that it takes from another module has changed.  A fingerprint of the package's sources beside
the cache tells when that may have happened; the cached kernels are then dropped.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numba

from belote_env.engine.part_compiler import OPTIONS, compile_part

_numba: Any = numba  # its types cover little of what is used here

Record: TypeAlias = Any
"""One record of `RULES_DTYPE` or `STATE_DTYPE`, whose fields kernels read as attributes."""


def part(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call."""
    return compile_part(function)


def merged(function: Callable[..., Any]) -> Any:
    """A part that is compiled as if it were written where it is called.

    For thin functions around large ones, whose code would otherwise be handled on every level.
    """
    return compile_part(function, inline="always")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a free function: cached on disk, and without the interpreter lock, for threads."""
    try:
        return _numba.njit(cache=True, **OPTIONS)(function)
    except RuntimeError:  # numba found no folder that it may write to
        return _numba.njit(**OPTIONS)(function)


def from_python(function: Any) -> Any:
    """A part as a kernel of its own, compiled when Python first calls it."""
    return kernel(function.py_func)


def compiled(function: Callable[..., Any], *args: Any) -> Callable[..., Any]:
    """A kernel's machine code for arguments of these types, which it no longer looks at.

    Finding the types of a dozen arrays costs more than a step of a game.  Calling the result with
    arguments of other types is undefined.
    """
    dispatcher: Any = function
    signature = tuple(_numba.typeof(arg) for arg in args)
    dispatcher.compile(signature)
    return dispatcher.get_overload(signature)


def drop_stale_kernels(package: Path, cache: Path, *folders: Path) -> None:
    """Remove cached kernels if what they are made of has changed since.

    That is the code of ``engine``, the tables of the modules below it, and folders besides.

    Args:
        package: folder of the package.
        cache: folder in which numba keeps the kernels.
        folders: others with code that the kernels are made of.
    """
    digest = hashlib.sha256()
    tables = (package / f"{name}.py" for name in ("cards", "actions", "rules"))
    others = [source for folder in folders for source in sorted(folder.glob("*.py"))]
    for source in (*tables, *sorted((package / "engine").glob("*.py")), *others):
        digest.update(source.read_bytes())
    stamp = cache / "kernels.sha256"
    try:
        if stamp.exists() and stamp.read_text() == digest.hexdigest():
            return
        for cached in (*cache.glob("*.nbi"), *cache.glob("*.nbc")):
            cached.unlink(missing_ok=True)
        partial = stamp.with_suffix(f".{os.getpid()}")
        partial.write_text(digest.hexdigest())
        partial.replace(stamp)
    except OSError:  # nobody may write there, or another process was faster
        return


@kernel
def _probe() -> None:
    """Never called: it knows the folder that numba has chosen for the kernels beside it."""


def keep_fresh(probe: Any, *folders: Path) -> None:
    """Drop the cached kernels beside a kernel if they are stale; ``folders`` hold their code."""
    cache: str | None = probe.stats.cache_path
    if cache is not None:
        drop_stale_kernels(Path(__file__).parents[1], Path(cache), *folders)


keep_fresh(_probe)
