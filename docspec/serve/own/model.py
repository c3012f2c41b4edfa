"""What a server of one model asks of its engine: begin an answer, and what to tell of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Protocol

from docspec.generation.interface import FinishReason
from docspec.serve.own.asking import ChatRequest

Tell = Callable[[str | Exception | None], None]
"""Called from an engine's thread: with new text where an answer streams, and at its end with ``None`` or the error."""


class ModelAnswer:
    """One request in progress, and at its end what became of it. ``more`` are further fields of its body, ``logprobs``
    those of OpenAI's (``None``: not asked for)."""

    logprobs: Any = None
    more: Mapping[str, Any] = {}

    def __init__(self, ask: ChatRequest, tell: Tell) -> None:
        self.ask = ask
        self.text = ""
        self.finish: FinishReason = "stop"
        self.prompt_tokens = self.tokens = self.drafted = self.accepted = 0
        self._tell = tell
        self._future: Future[Any]

    def _follow(self, future: Future[Any]) -> None:
        """Takes the engine's ``future``, at whose end :meth:`_ended` is called."""
        self._future = future
        future.add_done_callback(self._ended)

    def _ended(self, future: Future[Any]) -> None:
        """Takes the result, or the error, of a request that ended, and tells of it."""
        raise NotImplementedError

    def leave(self) -> None:
        """The client has left: the request is dropped at the next step."""
        self._future.cancel()

    def when_done(self, call: Callable[[], None]) -> None:
        """Has ``call`` called when the request has ended, however it ends."""
        self._future.add_done_callback(lambda future: call())


class ChatModel(Protocol):
    """A loaded model. ``told`` are routes beside ``/v1/models`` (``listed``), each answered by a function of the number
    of running requests. ``takes_any_name``: whatever model a request names, this one answers."""

    name: str
    is_llama: bool
    takes_any_name: bool
    told: Mapping[str, Callable[[int], Any]]

    def listed(self, running: int) -> Any: ...

    def begin(self, ask: ChatRequest, tell: Tell) -> ModelAnswer:
        """Begins to answer. Raises :class:`docspec.serve.refusal.Refusal`."""
        ...
