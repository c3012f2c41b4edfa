"""Sends the requests of a page to an engine, all at once, and returns the answers as outputs with their text.

A loop in a text answer is found by the token guard, over pieces of text about as long as tokens.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, replace
from typing import Any

from docspec.core import Failure, PageError, StageStats
from docspec.engine.request import Finish, Output
from docspec.engine.stopping import Loop
from docspec.generation.interface import Generation, GenerationCounts, GenerationRequest, Generator
from docspec.hierarchy.loop_guard import LoopGuard
from docspec.hierarchy.reading_context import ReadingContext
from docspec.targets.chat_template import IMAGE
from docspec.targets.sight import PublishedSight

_PIECE = re.compile(r"\s?\w{1,4}|\s?[^\w\s]|\s+")
"""Splits any text completely into pieces. Further text can change only the last piece."""


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


ECHO = 40
"""Characters of a prompt that no page has at its beginning; shorter prompts might stand there."""

LONG = 1024
"""Answers that may have more tokens are streamed: a loop is cut while it is written, and a silent server is noticed."""


@dataclass(frozen=True, slots=True, eq=False)
class RemoteContext(ReadingContext):
    """The context for an engine behind the seam, and what its model's chat template needs."""

    sight: PublishedSight
    generator: Generator
    template_arguments: Mapping[str, Any] = field(default_factory=dict)
    image_marks: str = ""


@dataclass(frozen=True, slots=True)
class TextOutput(Output):
    """An output of an engine that answers in ``text``; ``tokens`` is empty if the engine returns none."""

    text: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.text.strip()


def ask(context: RemoteContext, requests: Sequence[GenerationRequest]) -> tuple[list[TextOutput], StageStats]:
    """The answers to ``requests``, which run at the same time, and their statistics.

    An answer is cut where it only repeats itself, unless the options keep loops. Empty answers to requests whose drafts
    have words are asked for once more. Raises the error of the first request that failed; the others are cancelled.
    """
    outputs, stats = _answers(context, requests)
    again = [at for at, output in enumerate(outputs) if output.is_empty and _has_words(requests[at])]
    if again:
        found, more = _answers(context, [requests[at] for at in again])
        for at, output in zip(again, found, strict=True):
            outputs[at] = output
        stats = replace(stats + more, rows=stats.rows)
    if any(map(_is_echo, requests, outputs)):
        raise PageError(
            "the answer begins with the text of the request; the server returns that, too (return_full_text, echo)",
            Failure.REFUSED,
        )
    return outputs, stats


def _is_echo(request: GenerationRequest, output: TextOutput) -> bool:
    """Whether an answer begins as the prompt does."""
    prompt = " ".join(request.prompt.replace(IMAGE, " ").split())[:ECHO]
    return len(prompt) == ECHO and prompt in " ".join(output.text[: 8 * ECHO].split())


def _has_words(request: GenerationRequest) -> bool:
    return any(letter.isalnum() for draft in request.drafts for letter in draft)


def _answers(context: RemoteContext, requests: Sequence[GenerationRequest]) -> tuple[list[TextOutput], StageStats]:
    guards = context.options.on_loop != "keep"
    told, marks = context.template_arguments, context.image_marks
    if told or marks:
        requests = [replace(request, template_arguments=told, image_marks=marks) for request in requests]
    began = time.perf_counter()
    watched = [(_Watched(guards) if request.max_tokens > LONG else None) for request in requests]
    futures: list[Future[Generation]] = []
    outputs, counts = [], []
    try:
        for request, watch in zip(requests, watched, strict=True):
            futures.append(context.generator.submit(request, watch))
        for future, watch in zip(futures, watched, strict=True):
            output, counted = _answer(future, watch, guards)
            outputs.append(output)
            counts.append(counted)
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return outputs, _stats(counts, time.perf_counter() - began)


class _Watched:
    """The listener to an answer; it cancels the request at a loop."""

    def __init__(self, guards: bool) -> None:
        self.guard = TextGuard() if guards else None

    def __call__(self, piece: str) -> None:
        if self.guard is not None and self.guard.take(piece) is not None:
            raise _LoopError


class _LoopError(Exception):
    """Cancels a request."""


def _answer(future: Future[Generation], watch: _Watched | None, guards: bool) -> tuple[TextOutput, GenerationCounts]:
    try:
        found = future.result()
    except CancelledError:
        guard = None if watch is None else watch.guard
        if guard is None or guard.loop is None:
            raise
        written = guard.loop.keep + guard.loop.dropped
        return TextOutput((), "loop", guard.loop, text=guard.kept), GenerationCounts(written)
    text, loop = guarded(found.text) if guards else (found.text, None)
    if loop is not None:
        return TextOutput((), "loop", loop, text=text), found.counts
    finish: Finish = "eos" if found.finish == "stop" else "budget"
    return TextOutput(found.token_ids or (), finish, text=text), found.counts


def _stats(counts: Sequence[GenerationCounts], seconds: float) -> StageStats:
    """The statistics of requests that ran together for ``seconds``. Counts that an engine does not report are 0."""
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
