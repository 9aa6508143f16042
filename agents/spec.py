"""What names an agent: a name with options, as text or as YAML.

    >>> spec = as_spec("mixed(bids=heuristic, cards=random(seed=3))")
    >>> spec.options["cards"].options["seed"]
    3

A name is one of the registry, or a module and what makes the agent in it: ``my_module:MyAgent``.
Values are numbers, ``true``, ``false``, ``null``, other specs, and text: as it is where it holds
neither space nor any of ``"(),=``, else in double quotes.  In YAML a spec is such a text, or a
mapping of the key ``name`` and the options.  The name of a file that ends in ``.yaml`` stands for
the spec that the file holds, except in quotes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_TOKEN: Final = re.compile(r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<text>[^\s"(),=]+)|([(),=]))')
MODULE_MARK: Final = ":"
"""Between a module and what makes the agent in it."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*|[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WORDS: Final = {"true": True, "false": False, "null": None}


@dataclass(frozen=True)
class AgentSpec:
    """An agent's name and options; `str` gives the text that names it.

    Attributes:
        name: a name of the registry, or ``module:maker``.
        options: values by name: None, bool, int, float, str or `AgentSpec`.
    """

    name: str
    options: Mapping[str, Any]

    def __str__(self) -> str:
        if not self.options:
            return self.name
        options = ", ".join(f"{key}={_written(value)}" for key, value in self.options.items())
        return f"{self.name}({options})"

    def has_option(self, option: str) -> bool:
        """Whether an option is set, here or in a spec among the options."""
        return option in self.options or any(
            value.has_option(option)
            for value in self.options.values()
            if isinstance(value, AgentSpec)
        )


Spec = str | Mapping[str, Any] | AgentSpec
"""What `as_spec` takes."""


def as_spec(given: Spec) -> AgentSpec:
    """A spec from its text, from YAML, or from itself.

    Raises:
        ValueError: if it is no spec; the message quotes it.
    """
    return _read(given, ())


def _read(given: Spec, files: tuple[Path, ...]) -> AgentSpec:
    """`as_spec` of what stands in the last of some files, each of which names the next."""
    if isinstance(given, AgentSpec):
        return given
    if isinstance(given, str):
        return _from_file(given, files) if _is_file(given) else _Parser(given, files).parse()
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        raise ValueError(f"agent {given!r}: use a text, or a mapping with the key 'name'")
    options = {
        key: _read(value, files) if _is_spec(value) else value
        for key, value in given.items()
        if key != "name"
    }
    for key, value in options.items():
        if not isinstance(value, str | int | float | AgentSpec | None):
            raise ValueError(
                f"agent {given['name']!r}: {key}={value!r}: use a number, a text, true, false, null"
                " or an agent"
            )
    return AgentSpec(_check_name(given["name"]), options)


def _is_spec(value: object) -> bool:
    """Whether a value in YAML is a spec: a mapping, a file, or a text with options."""
    if not isinstance(value, str):
        return isinstance(value, Mapping)
    return _is_file(value) or (value.endswith(")") and "(" in value)


def _is_file(text: str) -> bool:
    return text.endswith((".yaml", ".yml"))


def _from_file(name: str, files: tuple[Path, ...]) -> AgentSpec:
    import yaml

    path = Path(name)
    inner = (*files, path.resolve())
    try:
        if inner[-1] in files:
            raise ValueError("it stands for itself")
        return _read(yaml.safe_load(path.read_text(encoding="utf-8")), inner)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ValueError(f"agent file {path}: {error}") from error


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"agent {name!r}: use a name such as random, or name(option=value, ...),"
            " or my_module:MyAgent in place of the name"
        )
    return name


class _Parser:
    """Reads one spec from a text, left to right."""

    def __init__(self, text: str, files: tuple[Path, ...]) -> None:
        self._text = text
        self._files = files
        self._tokens: list[str] = []
        place = 0
        while text[place:].strip():
            token = _TOKEN.match(text, place)
            if token is None:
                raise self._error("a quotation is not closed")
            self._tokens.append(token[0].strip())
            place = token.end()

    def parse(self) -> AgentSpec:
        spec = self._spec()
        if self._tokens:
            raise self._error(f"nothing may follow the end, but {self._tokens[0]!r} does")
        return spec

    def _spec(self) -> AgentSpec:
        name = _check_name(self._take("a name"))
        if not self._accept("("):
            return AgentSpec(name, {})
        options: dict[str, Any] = {}
        while not self._accept(")"):
            if options and not self._accept(","):
                raise self._error("use ',' or ')' after a value")
            key = self._take("an option")
            if key in options:
                raise self._error(f"{key} stands twice")
            if not self._accept("="):
                raise self._error(f"write a value as {key}=value")
            options[key] = self._value()
        return AgentSpec(name, options)

    def _value(self) -> Any:
        if len(self._tokens) > 1 and self._tokens[1] == "(":
            return self._spec()
        token = self._take("a value")
        if _is_file(token):
            return _from_file(token, self._files)
        try:
            return json.loads(token) if token.startswith('"') else _scalar(token)
        except ValueError as error:
            raise self._error(f"{token} is no text in quotes of JSON ({error})") from error

    def _accept(self, mark: str) -> bool:
        found = self._tokens[:1] == [mark]
        if found:
            del self._tokens[0]
        return found

    def _take(self, what: str) -> str:
        if not self._tokens or self._tokens[0] in "(),=":
            found = repr(self._tokens[0]) if self._tokens else "the end"
            raise self._error(f"{what} should stand where {found} does")
        return self._tokens.pop(0)

    def _error(self, what: str) -> ValueError:
        return ValueError(f"agent {self._text!r}: {what}; write name(option=value, ...)")


def _scalar(text: str) -> Any:
    """The value that a text without quotes stands for."""
    if text in _WORDS:
        return _WORDS[text]
    if not _NUMBER.fullmatch(text):
        return text
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def _written(value: Any) -> str:
    """The text of a value, which `_Parser` reads back."""
    if isinstance(value, AgentSpec):
        return str(value) if value.options else f"{value.name}()"
    if isinstance(value, str):
        token = _TOKEN.fullmatch(value)
        is_token = token is not None and token["text"] == value
        is_plain = is_token and _scalar(value) is value and not _is_file(value)
        return value if is_plain else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)
