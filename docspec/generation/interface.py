"""The interface between pages and engines: requests in, answers out.

A :class:`Generator` accepts any number of requests from any number of threads, decodes as many of them at a time as it
has room for, and answers each with a future. Decoding is greedy. Drafts never change an answer: they are texts that the
answer may follow, and an engine that cannot use them ignores them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from docspec.core import UsageError
from docspec.core.safe_text import well_formed

if TYPE_CHECKING:
    from PIL.Image import Image

    from docspec.core import StageStats
    from docspec.core.grammar import Grammar
    from docspec.engine.request import GrowingDraft, Loop, Trail

FinishReason = Literal["stop", "length", "loop"]
"""Why an answer ended: by the model's end token, at its limit of tokens, or cut where it only repeated itself."""

OnText = Callable[[str], None]
"""Receives an answer's text piece by piece, in a thread of the engine. An exception that it raises cancels the
request."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an answer is: ``tokens`` written in ``steps``, of which ``accepted`` were drafted."""

    tokens: int
    steps: int
    accepted: int


@dataclass(frozen=True, slots=True, eq=False)
class Conversation:
    """What a client of ``/v1/chat/completions`` asks beyond a prompt, as ``llama-server`` does it.

    ``messages`` have a role and a content, which is a list of parts: ``{"type": "text", "text": ...}``, and at most one
    ``{"type": "image"}`` in all of them. An answer ends where it has one of ``stops``, which stay in its text. The
    penalties are llama.cpp's, over the ``last`` tokens of prompt and answer (negative: all); an n-gram of ``no_repeat``
    tokens (0: any) is written once. ``scored``: the answer comes with the log-probabilities of its tokens. With
    ``schema``, a JSON schema, it is JSON of that form.
    """

    messages: tuple[Mapping[str, Any], ...]
    stops: tuple[str, ...] = ()
    repeat_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    last: int = 64
    no_repeat: int = 0
    scored: bool = False
    schema: str = ""

    @property
    def is_penalised(self) -> bool:
        """Whether tokens of the prompt and the answer have other logits than the model's."""
        return (self.repeat_penalty, self.presence_penalty, self.frequency_penalty) != (1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class GenerationRequest:
    """One image (RGB; ``None``: text alone) with its instruction.

    ``prompt`` is the user's message; ``{image}`` in it is the place of the image (without it: before the text).
    ``drafts`` are texts that the answer may follow, the likeliest first; the acceptance of drafts is learnt for each
    ``kind`` (``text``, ``table``, ``formula``, ``page``). ``max_tokens`` (at least 1, else
    :class:`docspec.core.UsageError`) bounds the answer without its end token; with ``spare`` so does its longest draft:
    to one and a half times its tokens and so many more.
    ``special_tokens``: special tokens of the answer stay in its text. ``template_arguments`` are passed to the model's
    chat template; ``image_marks`` stand for the image in the text if a server joins messages into one text
    (:class:`docspec.targets.family.Family`). With ``margins`` the answer has those of its tokens, where the
    server tells their log probabilities.

    llama.cpp's engine alone takes ``chat``, whose messages stand in place of ``prompt``, and lowers ``max_tokens`` to
    what is left beside such a prompt.

    Only an engine that ``follows_fields`` (:class:`Generator`) takes the others: with ``cuts_loops`` an answer ends
    where it only repeats itself; ``grammar`` makes what predicts its format, ``growing`` are drafts that are still
    being written; a ``plain`` answer is decoded one token a step, an ``exclusive`` one while nothing else is; the
    history of a ``traced`` one is kept; ``on_progress`` is called after each step, in the engine's thread.
    """

    image: Image | None
    prompt: str
    max_tokens: int
    drafts: tuple[str, ...] = ()
    kind: str = "text"
    special_tokens: bool = False
    template_arguments: Mapping[str, Any] = field(default_factory=dict)
    image_marks: str = ""
    margins: bool = False
    spare: int | None = None
    cuts_loops: bool = False
    grammar: Callable[[], Grammar | None] | None = None
    growing: tuple[GrowingDraft, ...] = ()
    plain: bool = False
    exclusive: bool = False
    traced: bool = False
    on_progress: Callable[[Progress], None] | None = None
    chat: Conversation | None = None

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise UsageError(f"max_tokens {self.max_tokens}: must be at least 1")
        object.__setattr__(self, "prompt", well_formed(self.prompt))
        object.__setattr__(self, "drafts", tuple(map(well_formed, self.drafts)))

    def limit(self, lengths: Iterable[int]) -> int:
        """The most tokens of the answer, where the drafts have ``lengths`` tokens."""
        if self.spare is None:
            return self.max_tokens
        longest = max(lengths, default=0)
        return min(longest + longest // 2 + self.spare, self.max_tokens)


@dataclass(frozen=True, slots=True)
class GenerationCounts:
    """The counts of one answer; ``None`` if the engine does not report them.

    ``tokens`` were written (without the end token) in ``steps`` forward passes after the prompt's; of ``drafted``
    tokens that were verified, ``accepted`` were right. Times are wall-clock seconds: ``waiting`` before the engine
    began, ``prefill`` until the first token, ``decode`` from there to the last. ``encode_seconds`` the picture and the
    prompt took; ``stats`` are the counts of an engine that measures its share of each step.
    """

    tokens: int
    prompt_tokens: int | None = None
    steps: int | None = None
    drafted: int | None = None
    accepted: int | None = None
    waiting_seconds: float | None = None
    prefill_seconds: float | None = None
    decode_seconds: float | None = None
    encode_seconds: float = 0.0
    stats: StageStats | None = None


@dataclass(frozen=True, slots=True)
class Generation:
    """An answer: its ``text`` without the end token, and its ``token_ids`` if the engine returns them; the ``loop``
    that it was cut at, and its ``trail`` if it was traced. ``is_frugal``: memory ran out, and it was decoded with the
    least. ``margins`` are the texts of a server's tokens, each with the distance of its logit from that of the second
    choice (NaN: not told); ``scores`` its tokens' bytes and natural logarithms of their probabilities, if a chat asked
    for them."""

    text: str
    finish: FinishReason
    counts: GenerationCounts
    token_ids: tuple[int, ...] | None = None
    loop: Loop | None = None
    trail: Trail | None = None
    is_frugal: bool = False
    margins: tuple[tuple[str, float], ...] = ()
    scores: tuple[tuple[bytes, float], ...] = ()


@runtime_checkable
class Generator(Protocol):
    """An engine with one model. One that has ``follows_fields = True`` follows every field of a request, and its empty
    answers are the model's own."""

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


class BatchGenerator(Generator, Protocol):
    """An engine that would rather have requests together, whose prompts it makes and prefills together."""

    def submit_all(
        self, requests: Sequence[GenerationRequest], listeners: Sequence[OnText | None]
    ) -> Sequence[Future[Generation]]:
        """:meth:`Generator.submit` for several requests, each with its listener."""
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
