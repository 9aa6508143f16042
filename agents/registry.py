"""Every agent by its name: the one place that turns a spec into something that plays.

    >>> make_agent("heuristic", rules="contree")
    >>> make_agent("network(run=runs/mine, greedy=false)", seed=1)
    >>> make_agent("my_agents:LowestCard")

An agent that is not listed here is named by its module, as an import finds it, and the class or
function in it that makes one.  An agent's options are the named parameters of what makes it, less
``rules`` and ``seed``, which the caller gives if there are such; `agents.spec` has the syntax.
What an agent needs is imported when it is made, so that only those who ask for a network need
PyTorch.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from types import NoneType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import numpy as np

from agents.mixed import mix
from agents.oracle import OracleAgent, Player, check_player
from agents.spec import MODULE_MARK, AgentSpec, Spec, as_spec
from belote_env import Agent, RandomAgent, RuleSet
from belote_env.agent import follows
from belote_env.checks import require
from belote_env.rules import resolve

Maker = Callable[..., Player]
"""What makes an agent: a class or a function, called with options, rules and seed by keyword."""


def _there(module: str, attribute: str) -> Callable[[], Maker]:
    """A maker that is imported when it is wanted."""
    return lambda: getattr(import_module(module), attribute)


def _network(
    run: str, rules: RuleSet, *, greedy: bool = True, device: str = "cpu", seed: int = 0
) -> Agent:
    """The network of a run's directory or of a checkpoint."""
    from agents.learned.policy import LearnedAgent

    return LearnedAgent.load(run, rules, greedy=greedy, seed=seed, device=device)


def _mixed(bids: Spec, cards: Spec, rules: RuleSet, seed: int | None = None) -> Player:
    """The calls of one agent and the cards of another."""
    streams = [None, None] if seed is None else np.random.SeedSequence(seed).generate_state(2)
    halves = (
        make_player(spec, rules, None if stream is None else int(stream))
        for spec, stream in zip((bids, cards), streams, strict=True)
    )
    return mix(*halves)


def _staged(
    opening: Spec, ending: Spec, rules: RuleSet, tricks: int = 6, seed: int | None = None
) -> Agent:
    """The opening of one agent and the ending of another."""
    from agents.staged import StagedAgent

    streams = [None, None] if seed is None else np.random.SeedSequence(seed).generate_state(2)
    first, last = (
        make_agent(spec, rules, None if stream is None else int(stream))
        for spec, stream in zip((opening, ending), streams, strict=True)
    )
    return StagedAgent(first, last, rules, tricks)


def _oracle(rules: RuleSet, bids: Spec = "heuristic", seed: int | None = None) -> Player:
    """The double-dummy player with another agent's calls."""
    from agents.search.oracle import DoubleDummyPlayer

    return mix(make_player(bids, rules, seed), DoubleDummyPlayer(rules))


MAKERS: Final[Mapping[str, Callable[[], Maker]]] = {
    "random": lambda: RandomAgent,
    "heuristic": _there("agents.heuristic", "HeuristicAgent"),
    "network": lambda: _network,
    "mixed": lambda: _mixed,
    "staged": lambda: _staged,
    "ismcts": _there("agents.search.ismcts", "IsmctsAgent"),
    "montecarlo": _there("agents.search.flat", "FlatAgent"),
    "pimc": _there("agents.search.pimc", "PimcAgent"),
    "oracle": lambda: _oracle,
    "colver": _there("agents.peers.colver", "ColverAgent"),
    "belote_cli": _there("agents.peers.belote_cli", "BeloteCliAgent"),
}
"""What makes the agents, by name."""


def make_agent(spec: Spec, rules: str | RuleSet = "classic", seed: int | None = None) -> Agent:
    """An agent that sees what a seat may see.

    Args:
        spec: name and options, see `agents.spec`.
        rules: the rule set that it is to play.
        seed: seed of its own random stream, unless the spec names one; None leaves it to the agent.

    Raises:
        ValueError: if there is no such agent or option, a value has another type, the agent refuses
            it, or the agent sees hidden cards.
    """
    player = make_player(spec, rules, seed)
    if isinstance(player, OracleAgent):
        raise ValueError(f"agent {str(as_spec(spec))!r} sees hidden cards: only evaluation has it")
    return player


def make_player(spec: Spec, rules: str | RuleSet = "classic", seed: int | None = None) -> Player:
    """An agent, or for evaluation one that sees hidden cards; else as `make_agent`."""
    spec = as_spec(spec)
    maker = _maker(spec.name)
    parameters = {
        name: parameter
        for name, parameter in inspect.signature(maker).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }
    _check_options(spec, maker, parameters)
    given: dict[str, Any] = {"rules": resolve(rules)}
    if seed is not None:
        given["seed"] = seed
    options = {name: value for name, value in given.items() if name in parameters}
    player = maker(**options | dict(spec.options))
    if callable(getattr(player, "act", None)) and follows(player):
        from agents.following import FollowingAgent

        player = FollowingAgent(player, given["rules"])
    check_player(f"agent {spec.name!r}", player)
    return player


def _maker(name: str) -> Maker:
    """What makes the agents of a name."""
    module, is_own, attribute = name.partition(MODULE_MARK)
    known = bool(is_own) or name in MAKERS
    require(known, "agent", name, f"one of {', '.join(MAKERS)}, or my_module:MyAgent")
    try:
        maker = getattr(import_module(module), attribute, None) if is_own else MAKERS[name]()
    except ModuleNotFoundError as error:
        raise ValueError(f"agent {name!r} needs the module {error.name!r}") from error
    if maker is None:
        raise ValueError(f"agent {name!r}: the module {module!r} has no {attribute!r}")
    if not any(makes(maker) for makes in (inspect.isclass, inspect.isroutine)):
        raise ValueError(f"agent {name!r} is {maker!r}: name a class or function that makes one")
    return maker


def _check_options(
    spec: AgentSpec, maker: Maker, parameters: Mapping[str, inspect.Parameter]
) -> None:
    legal = [name for name in parameters if name != "rules"]
    hints = _hints(maker)
    for option, value in spec.options.items():
        if option not in legal:
            use = f"use one of {', '.join(legal)}" if legal else "it has none"
            raise ValueError(f"agent {spec.name!r} has no option {option!r}: {use}")
        hint = hints.get(option, object)
        require(_fits(value, hint), f"agent {spec.name!r}: {option}", value, _legal(hint))
    for option in legal:
        needed = parameters[option].default is inspect.Parameter.empty and option != "seed"
        if needed and option not in spec.options:
            raise ValueError(f"agent {spec.name!r} needs the option {option}")


def _hints(maker: Maker) -> dict[str, Any]:
    """Types of the parameters; none where they were imported for type checkers alone."""
    try:
        return get_type_hints(maker.__init__ if inspect.isclass(maker) else maker)
    except NameError:
        return {}


def _fits(value: object, hint: Any) -> bool:
    """Whether a value has the type that a parameter asks for, as far as specs have types."""
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_args(hint):
        return any(_fits(value, each) for each in get_args(hint))
    if hint is float:
        return type(value) in (int, float)
    if hint in (bool, int, str, NoneType):
        return type(value) is hint
    return True


def _legal(hint: Any) -> str:
    """What a parameter takes, in words."""
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(repr, get_args(hint)))}"
    if get_args(hint):
        return " or ".join(map(_legal, get_args(hint)))
    return "null" if hint is NoneType else f"a value of type {hint.__name__}"
