from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents import registry
from agents.learned import checkpoint
from agents.learned.checkpoint import CheckpointError, Description
from agents.learned.network import ActorCritic, NetworkConfig
from agents.learned.policy import LearnedAgent
from agents.learned.ppo import PPOConfig, make_optimizer
from agents.mixed import MixedAgent, MixedOracle, mix
from agents.oracle import OracleAgent, act_seated
from agents.registry import make_agent, make_player
from agents.spec import AgentSpec, as_spec
from agents.staged import StagedAgent
from belote_env import Agent, RandomAgent, RuleSet, SelfPlayVectorEnv
from belote_env.actions import PASS
from belote_env.agent import act_batch, check_agent
from belote_env.cards import NUM_CARDS


class Lowest(Agent):
    """Passes, and plays its lowest legal card."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        return PASS if mask[PASS] else int(mask.argmax())


class Peeker(OracleAgent):
    """Takes at the last contract it may, and plays what the deck tells it to."""

    def act_states(
        self,
        states: NDArray[Any],
        observations: NDArray[np.uint8],
        masks: NDArray[np.int8],
    ) -> NDArray[np.int64]:
        highest = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        cards = masks[:, :NUM_CARDS].argmax(axis=1)
        plays = (states["deck"][:, 0] % 2 == 1) & masks[:, :NUM_CARDS].any(axis=1)
        return np.where(plays, cards, highest)


@pytest.fixture
def peeker(monkeypatch: pytest.MonkeyPatch) -> None:
    makers = {**registry.MAKERS, "peeker": lambda: Peeker, "lowest": lambda: Lowest}
    monkeypatch.setattr(registry, "MAKERS", makers)


OWN_AGENTS = """
from __future__ import annotations

from typing import TYPE_CHECKING

from belote_env import Agent

if TYPE_CHECKING:
    from nowhere import Depth


class Lowest(Agent):
    def act(self, observation, mask, info):
        return int(mask.argmax())


class Counter(Lowest):
    def observe(self, event):
        pass


class Plain:
    def act(self, observation, mask, info):
        return int(mask.argmax())


class Deep(Lowest):
    def __init__(self, rules, depth: Depth = 1, seed: int | None = None, **more) -> None:
        self.made_with = rules.id, depth, seed, more


class Loose(Lowest):
    def __init__(self, *args, **kwargs) -> None:
        self.made_with = args, kwargs


AGENT = Lowest()


def make_nothing():
    return None


def make_number():
    return 3
"""


@pytest.fixture
def own_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module of a user's, on the path of imports."""
    (tmp_path / "own_agents.py").write_text(OWN_AGENTS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("own_agents", None)


def observed(rules: str = "classic", steps: int = 12) -> SelfPlayVectorEnv:
    """Deals of which some are in the auction and some in the play."""
    env = SelfPlayVectorEnv(64, rules, seed=3)
    env.reset()
    agent = RandomAgent(0)
    for _ in range(steps):
        env.step(agent.act_batch(*seen(env)))
    return env


def seen(env: SelfPlayVectorEnv) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    obs, mask, _ = env.set_state(env.clone_state())
    return obs, mask


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("random", "random", {}),
        ("random()", "random", {}),
        ("pimc(worlds=32)", "pimc", {"worlds": 32}),
        (" pimc ( worlds = 32 , time=0.05 ) ", "pimc", {"worlds": 32, "time": 0.05}),
        ("a(x=-3, y=1e-3, z=.5)", "a", {"x": -3, "y": 0.001, "z": 0.5}),
        ("a(x=true, y=false, z=null)", "a", {"x": True, "y": False, "z": None}),
        (
            'a(x="true", y="3", z="a, (b) = \\"c\\"")',
            "a",
            {"x": "true", "y": "3", "z": 'a, (b) = "c"'},
        ),
        ("network(run=runs/2026-11-30_01)", "network", {"run": "runs/2026-11-30_01"}),
        (
            "mixed(bids=heuristic, cards=pimc(worlds=8))",
            "mixed",
            {"bids": "heuristic", "cards": AgentSpec("pimc", {"worlds": 8})},
        ),
        (
            "mixed(bids=a(x=b(y=1)))",
            "mixed",
            {"bids": AgentSpec("a", {"x": AgentSpec("b", {"y": 1})})},
        ),
    ],
)
def test_a_text_says_what_the_agent_is_and_back(
    text: str, name: str, options: dict[str, Any]
) -> None:
    spec = as_spec(text)
    assert spec == AgentSpec(name, options)
    assert as_spec(str(spec)) == spec


def test_yaml_says_the_same(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    file.write_text(
        "# Strong.\nname: mixed\nbids: heuristic\ncards:\n  name: pimc\n  worlds: 8\n",
        encoding="utf-8",
    )
    spec = as_spec("mixed(bids=heuristic, cards=pimc(worlds=8))")
    assert as_spec(str(file)) == spec
    assert as_spec({"name": "mixed", "bids": "heuristic", "cards": "pimc(worlds=8)"}) == spec
    file.write_text("mixed(bids=heuristic, cards=pimc(worlds=8))\n", encoding="utf-8")
    assert as_spec(str(file)) == spec


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a name should stand where the end does"),
        ("Random", "agent 'Random': use a name such as random"),
        ("random(", "an option should stand where the end does"),
        ("random(seed)", "write a value as seed=value"),
        ("random(seed=)", r"a value should stand where '\)' does"),
        ("random(seed=1", "use ',' or '\\)' after a value"),
        ("random(seed=1 worlds=2)", "use ',' or '\\)' after a value"),
        ("random(seed=1, seed=2)", "seed stands twice"),
        ("random(seed=1) more", "nothing may follow the end, but 'more' does"),
        ('network(run="runs)', "a quotation is not closed"),
        ("nowhere/agent.yaml", "agent file nowhere/agent.yaml: .*No such file"),
        ("mixed(bids=nowhere.yaml)", "agent file nowhere.yaml: .*No such file"),
        (
            r'pimc(objective="ma\qrks")',
            r'agent .pimc\(objective.*: "ma\\qrks" is no text in quotes',
        ),
    ],
)
def test_what_is_no_spec_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_spec(text)


def test_a_file_may_be_named_anywhere_and_quotes_make_a_text_of_it(tmp_path: Path) -> None:
    file = tmp_path / "inner.yaml"
    file.write_text("random(seed=3)\n", encoding="utf-8")
    inner = AgentSpec("random", {"seed": 3})
    assert as_spec(f"mixed(bids={file}, cards=random)").options["bids"] == inner
    assert as_spec({"name": "mixed", "bids": str(file)}).options["bids"] == inner
    quoted = as_spec(f'a(x="{file}")')
    assert quoted.options["x"] == str(file)
    assert as_spec(str(quoted)) == quoted


@pytest.mark.parametrize(
    "text", ["{0}", "mixed(bids={1}, cards=random)", "name: mixed\nbids: {0}\ncards: random"]
)
def test_a_file_that_stands_for_itself_is_refused(text: str, tmp_path: Path) -> None:
    files = tmp_path / "a.yaml", tmp_path / "b.yaml"
    files[0].write_text(text.format(*files), encoding="utf-8")
    files[1].write_text(str(files[0]), encoding="utf-8")
    with pytest.raises(ValueError, match=r"agent file .*a\.yaml: it stands for itself"):
        as_spec(str(files[0]))


@pytest.mark.parametrize("given", [{"worlds": 3}, {"name": 3}, {"name": "a", "x": [1]}])
def test_yaml_that_is_no_spec_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"the key 'name'|x=\[1\]: use a number"):
        as_spec(given)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("minimax", "agent='minimax': use one of random, "),
        ("random(sed=1)", "agent 'random' has no option 'sed': use one of seed"),
        ("random(seed=x)", "agent 'random': seed='x': use a value of type int or null"),
        ("random(seed=1.5)", "seed=1.5"),
        ("random(seed=true)", "seed=True"),
        ("random(rules=classic)", "has no option 'rules'"),
        ("network", "agent 'network' needs the option run"),
        ("network(run=here, greedy=1)", "greedy=1: use a value of type bool"),
        ("mixed(bids=random, cards=minimax)", "agent='minimax'"),
        ("nowhere:Lowest", "agent 'nowhere:Lowest' needs the module 'nowhere'"),
        ("own_agents:Nothing", "the module 'own_agents' has no 'Nothing'"),
        ("own_agents:AGENT", "AGENT' is <.*: name a class or function that makes one"),
        ("own_agents:Plain(seed=1)", "agent 'own_agents:Plain' has no option 'seed': it has none"),
        ("own_agents:make_nothing", "agent 'own_agents:make_nothing'=None: use an agent"),
        ("own_agents:make_number", "agent 'own_agents:make_number'=3: use an object with act"),
        ("own_agents:", "agent 'own_agents:': use a name such as random"),
    ],
)
def test_what_the_registry_does_not_have_is_refused(
    spec: str, message: str, own_agents: None
) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent(spec)


def test_an_agent_has_the_stream_that_it_is_given_unless_it_names_one() -> None:
    obs, mask = seen(observed())

    def actions(spec: str, seed: int | None = None) -> list[int]:
        return make_agent(spec, seed=seed).act_batch(obs, mask).tolist()

    assert actions("random", 5) == RandomAgent(5).act_batch(obs, mask).tolist()
    assert actions("random(seed=5)", 6) == actions("random", 5)
    assert actions("random", 6) != actions("random", 5)


def test_rules_reach_the_agents_that_want_them(peeker: None) -> None:
    agent = make_agent("lowest", "contree")
    assert isinstance(agent, Lowest)
    assert agent.rules.id == "contree"


@pytest.mark.parametrize("name", ["Lowest", "Counter", "Plain", "Loose"])
def test_an_agent_of_ones_own_is_named_by_its_module(name: str, own_agents: None) -> None:
    obs, mask = seen(observed())
    lowest = mask.argmax(axis=1)
    agent = make_agent(f"own_agents:{name}", seed=1)
    np.testing.assert_array_equal(act_batch(agent, obs, mask), lowest)
    mixed = make_agent(f"mixed(bids=own_agents:{name}, cards=own_agents:Lowest())")
    np.testing.assert_array_equal(act_batch(mixed, obs, mask), lowest)


def test_the_named_parameters_of_an_agent_of_ones_own_are_its_options(own_agents: None) -> None:
    agent: Any = make_agent("own_agents:Deep(depth=3)", "contree", seed=5)
    assert agent.made_with == ("contree", 3, 5, {})
    loose: Any = make_agent("own_agents:Loose", seed=5)
    assert loose.made_with == ((), {})
    for option in ("more", "other"):
        with pytest.raises(ValueError, match=f"no option '{option}': use one of depth, seed"):
            make_agent(f"own_agents:Deep({option}=1)")


def test_a_registered_agent_needs_no_constructor(monkeypatch: pytest.MonkeyPatch) -> None:
    class First(Agent):
        def act(self, observation: Any, mask: NDArray[np.int8], info: Any) -> int:
            return int(mask.argmax())

    monkeypatch.setattr(registry, "MAKERS", {"first": lambda: First})
    assert isinstance(make_agent("first", seed=1), First)


@pytest.mark.parametrize("what", [3, None, RandomAgent])
def test_what_is_no_agent_is_refused_as_a_part(what: Any) -> None:
    agent = RandomAgent()
    for first, last in ((what, agent), (agent, what)):
        with pytest.raises(ValueError, match=r"(bids|cards)=.*: use an"):
            mix(first, last)
        with pytest.raises(ValueError, match=r"(opening|ending)=.*: use an"):
            StagedAgent(first, last)
    with pytest.raises(ValueError, match=r"opening=.*: use an object with act"):
        StagedAgent(Peeker(), agent)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("rules", ["classic", "contree"])
def test_a_mixed_agent_calls_like_one_and_plays_like_the_other(rules: str, peeker: None) -> None:
    env = observed(rules, steps=5)
    obs, mask = seen(env)
    calls = mask[:, PASS] != 0
    assert 0 < calls.sum() < len(calls)
    mixed = make_agent("mixed(bids=lowest, cards=random(seed=2))", rules)
    assert isinstance(mixed, MixedAgent)
    actions = act_batch(mixed, obs, mask)
    assert (actions[calls] == PASS).all()
    np.testing.assert_array_equal(
        actions[~calls], RandomAgent(2).act_batch(obs[~calls], mask[~calls])
    )
    one_by_one = make_agent("mixed(bids=lowest, cards=random(seed=2))", rules)
    assert actions.tolist() == [
        one_by_one.act({"observation": row, "action_mask": legal}, legal, {})
        for row, legal in zip(obs, mask, strict=True)
    ]


def test_the_halves_of_a_mixed_agent_have_streams_of_their_own() -> None:
    obs, mask = seen(observed())
    mask[:] = 0
    mask[:, [0, 1, 2, 3, 4]] = 1
    cards = make_agent("mixed(bids=random, cards=random)", seed=1).act_batch(obs, mask)
    again = make_agent("mixed(bids=random, cards=random)", seed=1).act_batch(obs, mask)
    mask[:, PASS] = 1
    mask[:, 4] = 0
    calls = make_agent("mixed(bids=random, cards=random)", seed=1).act_batch(obs, mask)
    assert cards.tolist() == again.tolist()
    assert cards.tolist() != np.where(calls == PASS, 4, calls).tolist()


def test_oracles_are_for_evaluation_alone(peeker: None) -> None:
    for spec in ("peeker", "mixed(bids=random, cards=peeker)", "mixed(bids=peeker, cards=random)"):
        player = make_player(spec)
        assert isinstance(player, OracleAgent)
        with pytest.raises(ValueError, match="sees hidden cards: only evaluation has it"):
            make_agent(spec)
        with pytest.raises(ValueError, match="use an object with act"):
            check_agent("partner", player)


def test_only_the_oracle_of_a_mixed_player_sees_the_states(peeker: None) -> None:
    env = observed(steps=5)
    obs, mask = seen(env)
    calls = mask[:, PASS] != 0
    player = make_player("mixed(bids=lowest, cards=peeker)")
    assert isinstance(player, MixedOracle)
    actions = act_seated(player, env.states, obs, mask)
    assert (actions[calls] == PASS).all()
    peeked = Peeker().act_states(env.states, obs, mask)
    np.testing.assert_array_equal(actions[~calls], peeked[~calls])


def test_a_network_is_found_by_its_run(
    tmp_path: Path,
    network: ActorCritic,
    network_config: NetworkConfig,
    classic: RuleSet,
    ppo_config: PPOConfig,
) -> None:
    description = Description(
        rules=classic.id,
        rules_hash=classic.hash,
        network=network_config,
        update=1,
        decisions=1,
        seconds=1.0,
        config={},
    )
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    checkpoint.save(folder, description, network, make_optimizer(network, ppo_config), 1)
    obs, mask = seen(observed())
    drawing = LearnedAgent(network, classic, canonical_suits=True, greedy=False, seed=7)
    spec = AgentSpec("network", {"run": str(tmp_path), "greedy": False})
    actions = make_agent(spec, classic, seed=7).act_batch(obs, mask)
    np.testing.assert_array_equal(actions, drawing.act_batch(obs, mask))
    with pytest.raises(CheckpointError, match="not for contree"):
        make_agent(spec, "contree")


def test_who_asks_for_no_network_needs_no_torch() -> None:
    code = (
        "import sys; from agents.registry import make_agent;"
        " make_agent('mixed(bids=random, cards=random)'); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_a_missing_module_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "agents.peers.colver", None)
    with pytest.raises(
        ValueError, match=r"agent 'colver' needs the module 'agents\.peers\.colver'"
    ):
        make_agent("colver(time_ms=5)", "contree")
