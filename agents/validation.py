"""One way to refuse a bad setting."""

from __future__ import annotations


def require(valid: bool, name: str, value: object, legal: str) -> None:
    """Raise a ValueError that names a setting, its value and what would be right, unless valid."""
    if not valid:
        raise ValueError(f"{name}={value!r}: use {legal}")
