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

_numba: Any = numba  # its types cover little of what is used here

Record: TypeAlias = Any
"""One record of `RULES_DTYPE` or `STATE_DTYPE`, whose fields kernels read as attributes."""

kernel: Callable[..., Any] = _numba.njit(
    cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True
)
"""Compile a free function: cached on disk, and without the interpreter lock, for threads."""

part: Callable[..., Any] = _numba.njit(
    nogil=True, error_model="numpy", no_cfunc_wrapper=True, no_cpython_wrapper=True
)
"""Compile a private function of kernels in half the time: Python itself must not call it."""


def compiled(function: Callable[..., Any], *args: Any) -> Callable[..., Any]:
    """A kernel's machine code for arguments of these types, which it no longer looks at.

    Finding the types of a dozen arrays costs more than a step of a game.  Calling the result with
    arguments of other types is undefined.
    """
    dispatcher: Any = function
    signature = tuple(_numba.typeof(arg) for arg in args)
    dispatcher.compile(signature)
    return dispatcher.get_overload(signature)


def drop_stale_kernels(package: Path) -> None:
    """Remove a package's cached kernels if what they are made of has changed since.

    That is the code of ``engine`` and the tables of the modules below it.  An unwritable folder is
    left as it is: numba then caches elsewhere or not at all.
    """
    digest = hashlib.sha256()
    tables = (package / f"{name}.py" for name in ("cards", "actions", "rules"))
    for source in (*tables, *sorted((package / "engine").glob("*.py"))):
        digest.update(source.read_bytes())
    folder = package / "engine" / "__pycache__"
    stamp = folder / "kernels.sha256"
    try:
        if stamp.exists() and stamp.read_text() == digest.hexdigest():
            return
        for cached in (*folder.glob("*.nbi"), *folder.glob("*.nbc")):
            cached.unlink(missing_ok=True)
        folder.mkdir(exist_ok=True)
        partial = stamp.with_suffix(f".{os.getpid()}")
        partial.write_text(digest.hexdigest())
        partial.replace(stamp)
    except OSError:
        return


drop_stale_kernels(Path(__file__).parents[1])
