"""The interface between pages and engines: requests in, answers out.

A :class:`Generator` accepts any number of requests from any number of threads, decodes as many of them at a time as it
has room for, and answers each with a future. Decoding is greedy. Drafts never change an answer: they are texts that the
answer may follow, and an engine that cannot use them ignores them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from PIL.Image import Image

FinishReason = Literal["stop", "length"]
"""Why an answer ended: by the model's end token, or at its limit of tokens."""

OnText = Callable[[str], None]
"""Receives an answer's text piece by piece, in a thread of the engine. An exception that it raises cancels the
request."""


@dataclass(frozen=True, slots=True, eq=False)
class GenerationRequest:
    """One image (RGB; ``None``: text alone) with its instruction.

    ``prompt`` is the user's message; ``{image}`` in it is the place of the image (without it: before the text).
    ``drafts`` are texts that the answer may follow, the likeliest first; the acceptance of drafts is learnt for each
    ``kind`` (``text``, ``table``, ``formula``, ``page``). ``max_tokens`` bounds the answer without its end token.
    ``special_tokens``: special tokens of the answer stay in its text. ``template_arguments`` are passed to the model's
    chat template; ``image_marks`` stand for the image in the text if a server joins messages into one text
    (:class:`docspec.targets.family.Family`).
    """

    image: Image | None
    prompt: str
    max_tokens: int
    drafts: tuple[str, ...] = ()
    kind: str = "text"
    special_tokens: bool = False
    template_arguments: Mapping[str, Any] = field(default_factory=dict)
    image_marks: str = ""


@dataclass(frozen=True, slots=True)
class GenerationCounts:
    """The counts of one answer; ``None`` if the engine does not report them.

    ``tokens`` were written (without the end token) in ``steps`` forward passes after the prompt's; of ``drafted``
    tokens that were verified, ``accepted`` were right. Times are wall-clock seconds: ``waiting`` before the engine
    began, ``prefill`` until the first token, ``decode`` from there to the last.
    """

    tokens: int
    prompt_tokens: int | None = None
    steps: int | None = None
    drafted: int | None = None
    accepted: int | None = None
    waiting_seconds: float | None = None
    prefill_seconds: float | None = None
    decode_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Generation:
    """An answer: its ``text`` without the end token, and its ``token_ids`` if the engine returns them."""

    text: str
    finish: FinishReason
    counts: GenerationCounts
    token_ids: tuple[int, ...] | None = None


@runtime_checkable
class Generator(Protocol):
    """An engine with one model."""

    @property
    def name(self) -> str:
        """The engine, its version and its precision, for reports."""
        ...

    def submit(self, request: GenerationRequest, on_text: OnText | None = None) -> Future[Generation]:
        """Accepts the request and returns at once. The future's ``cancel()`` works while the request waits and while it
        is decoded: the engine drops it at its next step.

        The future raises :class:`docspec.core.PageError` if this request cannot be answered (too long, the engine's
        time-out) and :class:`docspec.core.ModelError` if the engine can answer no more requests.
        """
        ...

    def close(self) -> None:
        """Cancels waiting requests and frees the model, its processes and connections."""
        ...


def answers(generator: Generator, requests: Sequence[GenerationRequest]) -> list[Generation]:
    """The answers to ``requests``, which run at the same time; if one fails or this thread is interrupted, the others
    are cancelled."""
    futures = [generator.submit(request) for request in requests]
    try:
        return [future.result() for future in futures]
    except BaseException:
        for future in futures:
            future.cancel()
        raise
