"""Asks the engine for the texts of a page, all at once, and returns the answers and their counts.

A page is a task that waits for its answers. Pages share only the engine, so any number of them can be read at a time,
each in its own thread. A loop in the answer of an engine that does not cut loops is found by the same guard, over
pieces of text about as long as tokens.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from docspec.core import Failure, PageError, StageStats
from docspec.engine.loop_guard import LoopGuard
from docspec.engine.request import Loop, Trail
from docspec.generation.interface import (
    BatchGenerator,
    FinishReason,
    Generation,
    GenerationCounts,
    GenerationRequest,
    OnText,
    Progress,
)
from docspec.hierarchy.reading_context import ReadingContext
from docspec.targets.chat_template import IMAGE

ECHO = 40
"""Characters of a prompt that no page has at its beginning; shorter prompts might stand there."""

LONG = 1024
"""Answers that may have more tokens are streamed: a loop is cut while it is written, and a silent server is noticed."""

_PIECE = re.compile(r"\s?[^\W_]{1,4}|\s?[^\w\s]|\s?_|\s{1,4}")
"""Splits any text completely into pieces. Further text can change only the last piece, which is short: a run of blanks
or of one mark is many pieces, so that one without an end is seen while it is written."""

MOST_CHARACTERS, A_SECOND = 256 * 1024, 50_000
"""Most characters of an answer, several times those of the fullest page; and how many of them all passes over an answer
together read in a second at least: an answer has no more than they read within the page's limit of time."""

OnProgress = Callable[[int, Progress], None]
"""Receives the number of a request and how far its answer is."""


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """The text that the model wrote, and its ``tokens`` if the engine returns them. ``trail`` records the origin of
    each token, if asked for. ``is_frugal``: memory ran out, and it was decoded with the least. ``margins`` are those
    that a server told (:class:`Generation`)."""

    text: str
    tokens: tuple[int, ...] = ()
    finish: FinishReason = "stop"
    loop: Loop | None = None
    trail: Trail | None = None
    is_frugal: bool = False
    margins: tuple[tuple[str, float], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written."""
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to requests that ran together, their counts, and the seconds in which their prompts were made."""

    answers: list[PageAnswer]
    stats: StageStats
    encode_seconds: float


def ask(
    context: ReadingContext, requests: Sequence[GenerationRequest], on_progress: OnProgress | None = None
) -> Answered:
    """The answers to ``requests``, which run at the same time.

    Answers are cut where they only repeat themselves, unless the options keep loops. Empty answers to requests whose
    drafts have words are asked for once more, unless they are the model's own. Raises the error of the first request
    that failed; the others are cancelled; and :class:`docspec.core.PageError` if a server returned a request.
    """
    requests = [_for_engine(context, number, one, on_progress) for number, one in enumerate(requests)]
    answered = _answered(context, requests)
    if context.follows_fields:
        return answered
    again = [at for at, answer in enumerate(answered.answers) if answer.is_empty and _has_words(requests[at])]
    if again:
        more = _answered(context, [requests[at] for at in again])
        for at, answer in zip(again, more.answers, strict=True):
            answered.answers[at] = answer
        answered = replace(answered, stats=replace(answered.stats + more.stats, rows=answered.stats.rows))
    if any(map(_is_echo, requests, answered.answers)):
        raise PageError(
            "the answer begins with the text of the request; the server returns that, too (return_full_text, echo)",
            Failure.REFUSED,
        )
    return answered


def _is_echo(request: GenerationRequest, answer: PageAnswer) -> bool:
    """Whether an answer begins as the prompt does."""
    prompt = " ".join(request.prompt.replace(IMAGE, " ").split())[:ECHO]
    return len(prompt) == ECHO and prompt in " ".join(answer.text[: 8 * ECHO].split())


def _for_engine(
    context: ReadingContext, number: int, request: GenerationRequest, on_progress: OnProgress | None
) -> GenerationRequest:
    """``request`` with what its engine needs, and without what it cannot follow."""
    if context.follows_fields:
        told = None if on_progress is None else partial(on_progress, number)
        cuts = context.options.on_loop != "keep"
        return replace(request, cuts_loops=cuts, on_progress=request.on_progress or told)
    return replace(
        request,
        max_tokens=request.limit(map(len, request.drafts)),
        drafts=() if request.plain else request.drafts,
        template_arguments=context.template_arguments,
        image_marks=context.image_marks,
        spare=None,
        grammar=None,
        plain=False,
        exclusive=False,
        traced=False,
        margins=context.options.places != "none",
    )


def _has_words(request: GenerationRequest) -> bool:
    return any(letter.isalnum() for draft in request.drafts for letter in draft)


def _answered(context: ReadingContext, requests: Sequence[GenerationRequest]) -> Answered:
    began, elsewhere = time.perf_counter(), not context.follows_fields
    guards = elsewhere and context.options.on_loop != "keep"
    most = most_characters(context.options.page_timeout)
    watched = [(_Watched(guards, most) if elsewhere and request.max_tokens > LONG else None) for request in requests]
    futures: list[Future[Generation]] = []
    try:
        futures += _submitted(context, requests, watched)
        answers = [_answer(future, watch, guards, most) for future, watch in zip(futures, watched, strict=True)]
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    counts = [counted for _, counted in answers]
    encoding = sum(one.encode_seconds for one in counts)
    return Answered([answer for answer, _ in answers], _stats(counts, time.perf_counter() - began), encoding)


def _submitted(
    context: ReadingContext, requests: Sequence[GenerationRequest], listeners: Sequence[OnText | None]
) -> Iterable[Future[Generation]]:
    generator = context.generator
    if hasattr(generator, "submit_all"):  # a check of the whole protocol would ask for its properties, too
        return cast(BatchGenerator, generator).submit_all(requests, listeners)
    return (generator.submit(one, listener) for one, listener in zip(requests, listeners, strict=True))


class TextGuard:
    """Watches one answer for loops. It counts pieces of up to four letters as the engine's own guard counts tokens, and
    cuts a loop at about the same place."""

    def __init__(self) -> None:
        self._guard = LoopGuard(lambda numbers: "".join(map(self._known.__getitem__, numbers)))
        self._numbers: dict[str, int] = {}
        self._known: list[str] = []
        self._written: list[str] = []
        self._rest = ""
        self.loop: Loop | None = None

    def take(self, text: str, last: bool = False) -> Loop | None:
        """Takes the next ``text`` of the answer (``last``: its end); returns the loop, if one was found by now."""
        pieces = _PIECE.findall(self._rest + text)
        self._rest = "" if last or not pieces else pieces.pop()
        for piece in pieces:
            if self.loop is None:
                self._observe(piece)
        return self.loop

    @property
    def seen(self) -> str:
        """All that it took, as long as it found no loop."""
        return "".join(self._written) + self._rest

    @property
    def kept(self) -> str:
        """The answer up to the end of the loop's first turn; all of it without a loop."""
        return "".join(self._written if self.loop is None else self._written[: self.loop.keep]) + self._rest

    def _observe(self, piece: str) -> None:
        number = self._numbers.setdefault(piece, len(self._known))
        if number == len(self._known):
            self._known.append(piece)
        self._written.append(piece)
        self.loop = self._guard.observe(number)


def guarded(text: str) -> tuple[str, Loop | None]:
    """The part of a complete answer that is kept, and the loop that it was cut at."""
    guard = TextGuard()
    if guard.take(text, last=True) is None:
        return text, None
    return guard.kept, guard.loop


class _Watched:
    """The listener to an answer; it cancels the request at a loop in its first ``most`` characters."""

    def __init__(self, guards: bool, most: int) -> None:
        self.guard = TextGuard() if guards else None
        self._room = most

    def __call__(self, piece: str) -> None:
        part, self._room = piece[: self._room], max(0, self._room - len(piece))
        if part and self.guard is not None and self.guard.take(part) is not None:
            raise _LoopError

    def loop_in(self, text: str) -> tuple[str, Loop | None]:
        """As :func:`guarded`; what was watched while it came is not looked through again."""
        if self.guard is None or self.guard.seen != text:
            return guarded(text)
        return (text, None) if self.guard.take("", last=True) is None else (self.guard.kept, self.guard.loop)


class _LoopError(Exception):
    """Cancels a request."""


def most_characters(seconds: float) -> int:
    """The most characters of an answer that are read in ``seconds``. Time is bounded by size, as a pattern over a text
    cannot be stopped while it runs."""
    return min(MOST_CHARACTERS, int(A_SECOND * seconds))


def _answer(
    future: Future[Generation], watch: _Watched | None, guards: bool, most: int
) -> tuple[PageAnswer, GenerationCounts]:
    """The answer, cut at its loop. Raises :class:`docspec.core.PageError` if it has more than ``most`` characters."""
    try:
        generation = future.result()
    except CancelledError:
        guard = None if watch is None else watch.guard
        if guard is None or guard.loop is None:
            raise
        written = guard.loop.keep + guard.loop.dropped
        return PageAnswer(guard.kept, finish="loop", loop=guard.loop), GenerationCounts(written)
    look = guarded if watch is None else watch.loop_in
    text, loop = look(generation.text[:most]) if guards else ("", None)
    if loop is not None:
        return PageAnswer(text, finish="loop", loop=loop, margins=generation.margins), generation.counts
    if len(generation.text) > most:
        size = f"{len(generation.text):,} characters, more than are read of a page in its time ({most:,})"
        raise PageError(f"the answer has {size}; raise --page-timeout or lower --max-tokens", Failure.TOO_LARGE)
    ended = generation.finish, generation.loop, generation.trail, generation.is_frugal, generation.margins
    answer = PageAnswer(generation.text, generation.token_ids or (), *ended)
    return answer, generation.counts


def _stats(counts: Sequence[GenerationCounts], seconds: float) -> StageStats:
    """The statistics of requests that ran together for ``seconds``. Counts that an engine does not report are 0."""
    measured = [one.stats for one in counts if one.stats is not None]
    if measured:
        return sum(measured, StageStats())
    first = max((one.prefill_seconds or 0.0 for one in counts), default=0.0) if len(counts) == 1 else 0.0
    return StageStats(
        rows=len(counts),
        prefill_seconds=first,
        decode_seconds=seconds - first,
        steps=sum(one.steps or 0 for one in counts),
        drafted=sum(one.drafted or 0 for one in counts),
        accepted=sum(one.accepted or 0 for one in counts),
        tokens=sum(one.tokens for one in counts),
        prompt_tokens=sum(one.prompt_tokens or 0 for one in counts),
    )
