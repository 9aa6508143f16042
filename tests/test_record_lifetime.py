"""A record is a pointer into its array: a kernel's own arrays must outlive the records in them.

numba frees an array after the last statement that names it, even while a record taken from it is in
use.  So where a kernel makes an array of records, each place that takes one must be followed by
another that names the array, later on or in the next round of a loop.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
KERNELS = {"kernel", "part", "merged"}
SOURCES = sorted(
    source for folder in ("agents", "belote_env") for source in (ROOT / folder).rglob("*.py")
)


def is_new_array(node: ast.expr) -> bool:
    """Whether an expression makes an array of records: with a dtype by name, or as a copy."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "copy":
        return True
    named = [arg.id for arg in ast.walk(node) if isinstance(arg, ast.Name)]
    return node.func.attr in ("empty", "zeros") and any(name.endswith("_DTYPE") for name in named)


def is_index(node: ast.Subscript) -> bool:
    """Whether a subscript takes an item, not a field by name or a slice."""
    by_name = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return not by_name and not isinstance(node.slice, ast.Slice)


def dangling(function: ast.FunctionDef) -> list[int]:
    """Lines on which a record is taken from an array that may be gone while it is in use."""
    own = {
        target.id: node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and is_new_array(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    named = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    records = {
        node.value: target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
    lines: list[int] = []
    for taken in ast.walk(function):
        if not (isinstance(taken, ast.Subscript) and isinstance(taken.ctx, ast.Load)):
            continue
        if is_new_array(taken.value) and is_index(taken):
            lines.append(taken.lineno)
        if not (isinstance(taken.value, ast.Name) and taken.value.id in own and is_index(taken)):
            continue
        name = taken.value.id
        uses = [node.lineno for node in named if node.id == records.get(taken)]
        last = max([taken.lineno, *uses])
        names = [node.lineno for node in named if node.id == name]
        later = any(line > last for line in names)
        again = any(
            own[name] < loop.lineno <= last <= (end := loop.end_lineno or 0)
            and any(loop.lineno <= line <= end for line in names)
            for loop in loops
        )
        if not later and not again:
            lines.append(taken.lineno)
    return lines


def kernels_of(text: str) -> list[ast.FunctionDef]:
    """The functions of a source that numba compiles."""
    return [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(mark, ast.Name) and mark.id in KERNELS for mark in node.decorator_list)
    ]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.relative_to(ROOT)))
def test_arrays_outlive_their_records(source: Path) -> None:
    for function in kernels_of(source.read_text()):
        assert dangling(function) == [], f"{function.name}: name the array after the record's use"


@pytest.mark.parametrize(
    "body",
    [
        "return f(np.empty(1, SOME_DTYPE)[0])",
        "return f(known.copy()[0])",
        "a = np.zeros(1, SOME_DTYPE)\n    return f(a[0])",
        "a = known.copy()\n    r = a[0]\n    return f(r)",
        "a = known.copy()\n    r = a[0]\n    f(len(a))\n    return f(r)",
        "for k in range(3):\n        a = known.copy()\n        f(a[0])",
    ],
)
def test_a_record_of_an_array_that_is_gone_is_found(body: str) -> None:
    (function,) = kernels_of(f"@kernel\ndef g(known):\n    {body}\n")
    assert dangling(function)


@pytest.mark.parametrize(
    "body",
    [
        "a = np.empty(1, SOME_DTYPE)\n    f(a[0])\n    return a['total'][0]",
        "a = known.copy()\n    for k in range(3):\n        f(a[0])",
        "return f(known[0])",
        "a = np.empty(4, np.int64)\n    return f(a[0])",
    ],
)
def test_what_is_safe_is_let_pass(body: str) -> None:
    (function,) = kernels_of(f"@kernel\ndef g(known):\n    {body}\n")
    assert dangling(function) == []
