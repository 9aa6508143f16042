"""What plays a seat: the protocol of agents, and the agent that plays at random."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from belote_env.actions import NUM_ACTIONS, IllegalActionError
from belote_env.checks import check_seed
from belote_env.game import action_index, short
from belote_env.rules import RuleSet


class AnswerError(IllegalActionError):
    """What an agent returned for a row of a batch is no integer, or too large for any action.

    Attributes:
        row: the row.
        answer: what it returned.
    """

    def __init__(self, row: int, answer: object) -> None:
        super().__init__(row, answer)
        self.row = row
        self.answer = answer

    def __str__(self) -> str:
        return f"row {self.row}: {self.fault}"

    @property
    def fault(self) -> str:
        """What is wrong with it."""
        try:
            return f"action {short(action_index(self.answer))} is outside 0-{NUM_ACTIONS - 1}"
        except TypeError:
            return f"action {self.answer!r} is no integer"


class PublicEvent(NamedTuple):
    """Something that everybody at the table has seen or heard.

    Attributes:
        what: a token of `belote_env.engine.history`: a call or a card is its action id plus one;
            then come words said, cards of annonces shown, and the deal with its turned card.
        seat: who did it, counted from the seat that is told: 0 itself, 1 the next to play.
    """

    what: int
    seat: int


class Agent(Protocol):
    """Chooses actions from what a seat may know; subclass it and write `act`.

        class Lowest(Agent):
            def act(self, observation, mask, info):
                return int(mask.argmax())

    One agent may play several seats and games in turn, so it must draw what it knows of a game from
    the observation, which holds the whole public history.  One that would rather follow a deal
    event by event writes `start_deal` and `observe` too:

        class Counter(Agent):
            def start_deal(self, rules):
                self.aces = 0

            def observe(self, event):
                self.aces += 1 <= event.what <= 32 and event.what % 8 == 0

            def act(self, observation, mask, info):
                return int(mask.argmax() if self.aces < 4 else mask.nonzero()[0][-1])

    Whoever lets it play tells it of the deal from the start before each decision, as nothing else
    says which seat and game is next; environments refuse it as it stands.
    """

    @abstractmethod
    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """A legal action.

        Args:
            observation: what `belote_env.raw_env.last` hands out, ``{"observation": uint8 [D],
                "action_mask": int8 [A]}``.
            mask: the legal actions, int8 [A].
            info: what comes with the observation.
        """

    def start_deal(self, rules: RuleSet) -> None:
        """A deal begins, or is told again from its start: forget the last."""

    def observe(self, event: PublicEvent) -> None:
        """Something has happened in the deal, from its start on and in order."""

    def act_batch(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """A legal action for each row, int64 [N]: `act` row by row unless a subclass is faster.

        Args:
            observations: uint8 [N, D].
            masks: int8 [N, A].

        Raises:
            AnswerError: if `act` returns anything but an integer.
        """
        actions = np.empty(len(masks), np.int64)
        for row, (observation, mask) in enumerate(zip(observations, masks, strict=True)):
            seen = {"observation": observation, "action_mask": mask}
            action = self.act(seen, mask, {"action_mask": mask})
            try:
                actions[row] = action_index(action)
            except (TypeError, OverflowError):
                raise AnswerError(row, action) from None
        return actions


def act_batch(
    agent: Agent, observations: NDArray[np.uint8], masks: NDArray[np.int8]
) -> NDArray[np.int64]:
    """`Agent.act_batch`, also of an agent that has `act` alone.

    Raises:
        AnswerError: if its `act` returns anything but an integer.
        ValueError: if its `act_batch` returns anything but an integer for each row.
    """
    own = getattr(agent, "act_batch", None)
    if own is None:
        return Agent.act_batch(agent, observations, masks)
    answer = own(observations, masks)
    try:
        actions = np.asarray(answer)
    except ValueError:  # lists of different lengths
        actions = np.empty(0, object)
    if actions.shape != (len(masks),) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"{agent!r}: act_batch must return {len(masks)} integers, got {actions.dtype} of shape"
            f" {actions.shape}"
        )
    return actions


def follows(agent: object) -> TypeGuard[Agent]:
    """Whether an agent is to be told of a deal before it acts: it has hooks of its own."""
    return any(
        getattr(type(agent), hook, None) not in (None, getattr(Agent, hook))
        for hook in ("start_deal", "observe")
    )


def check_agent(name: str, agent: object) -> None:
    """Refuse what cannot act from an observation alone.

    Raises:
        ValueError: if it is neither None nor an object with a method `act`, if it is a class of
            such objects, or if it `follows`.
    """
    if agent is not None and not callable(getattr(agent, "act", None)):
        raise ValueError(f"{name}={agent!r}: use an object with act(observation, mask, info)")
    if isinstance(agent, type):
        raise ValueError(
            f"{name}={agent!r} is a class: use an agent made of it, {agent.__name__}()"
        )
    if follows(agent):
        raise ValueError(
            f"{name}={agent!r} has start_deal or observe: use an agent that tells it of the deal"
            " when asked to act"
        )


class RandomAgent(Agent):
    """Plays uniformly over the legal actions.

    Args:
        seed: seed of its own random stream; fresh entropy for None.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(check_seed(seed))

    def act(self, observation: dict[str, NDArray[Any]], mask: NDArray[np.int8], info: Any) -> int:
        """A legal action; one draw of the stream."""
        legal = mask.nonzero()[0]
        return int(legal[int(self._rng.random() * len(legal))])

    def act_batch(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """The actions that `act` would draw row by row."""
        up_to = masks.cumsum(axis=1, dtype=np.int8)
        chosen = self._rng.random(len(masks)) * up_to[:, -1]
        return (up_to > chosen.astype(np.int8)[:, None]).argmax(axis=1)
