"""Decodes requests in batches: all requests that wait form the next batch; later ones wait for the batch after it.

Conversations become model inputs framed by the checkpoint's chat template, with images where the client placed them.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from docspec.core import DocspecError, ParseOptions
from docspec.engine.request import Output, Request
from docspec.engine.row import Row
from docspec.engine.stopping import Loop
from docspec.generation.interface import FinishReason
from docspec.hierarchy.decoding import make_engine
from docspec.serve.own.asking import WRITTEN, ChatRequest, decoded
from docspec.serve.refusal import Refusal
from docspec.targets.chat_template import IMAGE
from docspec.targets.own_processor import OwnProcessor
from docspec.targets.protocol import Prompt
from docspec.targets.registry import LoadedTarget, load_target
from docspec.targets.rules import GenerationRules, NgramBan

if TYPE_CHECKING:
    from docspec.core import StageStats
    from docspec.targets.adapter import TransformersTarget

ROWS = 16
"""Most requests in one batch."""

UNFINISHED = "\ufffd"
"""The decoded form of an incomplete UTF-8 character."""


class PendingAnswer:
    """One request in progress. ``tell`` is called from the engine's thread: with new text where the answer streams, and
    at the end with ``None`` or the error. A request that ``has_left`` is dropped at the next step."""

    def __init__(self, ask: ChatRequest, tell: Callable[[str | Exception | None], None]) -> None:
        self.ask = ask
        self.tell = tell
        self.has_left = False
        self.writing: AnswerText | None = None
        self.text = ""
        self.finish: FinishReason = "stop"
        self.prompt_tokens = self.tokens = self.drafted = self.accepted = 0


class Batches:
    """The engine and its thread. Loads the model on creation; raises :class:`docspec.core.ModelError`."""

    def __init__(self, options: ParseOptions) -> None:
        self._loaded: LoadedTarget = load_target(options)
        self._target = self._loaded.target
        self._engine = make_engine(self._target, options)
        self._waiting: queue.SimpleQueue[PendingAnswer | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="docspec-engine", daemon=True).start()

    @property
    def name(self) -> str:
        return self._loaded.info.name

    def submit(self, answer: PendingAnswer) -> None:
        self._waiting.put(answer)

    def close(self) -> None:
        """Ends the thread after the current batch."""
        self._waiting.put(None)

    def _run(self) -> None:
        while True:
            first = self._waiting.get()
            together = [first]
            while len(together) < ROWS and not self._waiting.empty():
                together.append(self._waiting.get())
            if None in together:
                return
            alike: dict[float, list[PendingAnswer]] = {}
            for answer in together:
                if answer is not None and not answer.has_left:
                    alike.setdefault(answer.ask.penalties.repetition, []).append(answer)
            for answers in alike.values():  # the rows of a step share one repetition penalty
                self._decode(answers)

    def _decode(self, answers: Sequence[PendingAnswer]) -> None:
        """Prepares and decodes ``answers``; a request that cannot be prepared fails alone."""
        asked: list[tuple[PendingAnswer, Request]] = []
        for answer in answers:
            try:
                asked.append((answer, self._request(answer)))
            except Exception as error:
                answer.tell(error)
        if not asked:
            return
        by_request = {id(request): answer for answer, request in asked}

        def stepped(rows: Sequence[Row]) -> None:
            for row in rows:
                answer = by_request[id(row.request)]
                if answer.has_left:
                    row.stop()
                elif answer.ask.streams and answer.writing is not None and row.finish is None:
                    answer.tell(answer.writing.grown(row.output))

        requests = [request for _, request in asked]
        try:
            max_rows = self._engine.max_rows(requests)
            found = self._engine.speculate_groups([[request] for request in requests], stepped, max_rows)
        except Exception as error:
            self._engine.release()
            for answer, _ in asked:
                answer.tell(error)
            return
        for (answer, _), ([output], stats) in zip(asked, found, strict=True):
            _finish(answer, output, stats)

    def _request(self, answer: PendingAnswer) -> Request:
        ask, target = answer.ask, self._target
        prompt = prompt_of(target, ask)
        room = target.max_length - prompt.length - 1
        if room < 1:
            raise Refusal(400, f"the prompt has {prompt.length} tokens; the model takes {target.max_length}")
        budget = min(ask.max_tokens or target.card.max_new_tokens, room)
        answer.prompt_tokens = prompt.length
        answer.writing = AnswerText(partial(self._spelled, not ask.keeps_special_tokens), ask.stops)
        drafts = tuple(tuple(target.tokenize(text)) for text in ask.drafts if text)
        writing = answer.writing
        return Request(prompt, drafts, budget, stop=lambda: writing, kind=ask.kind, rules=self._rules(ask))

    def _rules(self, ask: ChatRequest) -> GenerationRules | None:
        """The generation rules of the request on top of those of the checkpoint; ``None`` if they are the same."""
        own, said = self._target.rules, ask.penalties
        ngrams = (NgramBan(said.no_repeat_ngram, WRITTEN),) if said.no_repeat_ngram > 1 else ()
        if said.no_repeat_ngram == 1:
            raise Refusal(400, "no_repeat_ngram_size: 2 or more")
        if (said.presence or said.frequency) and (said.repetition, own.repetition_penalty) != (1.0, 1.0):
            raise Refusal(400, "repetition_penalty beside a presence or frequency penalty: not followed")
        rules = replace(
            own,
            repetition_penalty=said.repetition if said.repetition != 1.0 else own.repetition_penalty,
            presence_penalty=said.presence,
            frequency_penalty=said.frequency,
            ngrams=own.ngrams + ngrams,
            min_new_tokens=max(own.min_new_tokens, said.least_tokens),
        )
        return None if rules == own else rules

    def _spelled(self, without_special: bool, tokens: list[int]) -> str:
        text: str = self._target.processing.tokenizer.decode(
            tokens, skip_special_tokens=without_special, clean_up_tokenization_spaces=False
        )
        return text


def _finish(answer: PendingAnswer, output: Output, stats: StageStats) -> None:
    assert answer.writing is not None
    tokens = list(output.tokens)
    rest = answer.writing.ended(tokens)
    answer.text = answer.writing.text
    answer.finish = "length" if output.finish == "budget" else "stop"
    answer.tokens = len(tokens)
    answer.drafted, answer.accepted = stats.drafted, stats.accepted
    if answer.ask.streams and rest:
        answer.tell(rest)
    answer.tell(None)


def prompt_of(target: TransformersTarget, ask: ChatRequest) -> Prompt:
    """The model's inputs for ``ask``. Raises :class:`Refusal` (400)."""
    images = [decoded(picture) for picture in ask.images]
    try:
        if isinstance(target.processing, OwnProcessor):
            inputs = target.processing.encode_chat(ask.messages, images)
            return Prompt(inputs, int(inputs["input_ids"].shape[1]))
        return target.encode(*_single(ask, images))
    except DocspecError as error:
        said = str(error)
        if any(sign in said for sign in "/\\"):  # the place of a template is nobody's business
            said = "the model's chat template does not take this conversation"
        raise Refusal(400, said) from None


def _single(ask: ChatRequest, images: Sequence[Any]) -> tuple[Any, str]:
    """Image and prompt for models whose prompts docspec frames: one image and one user message."""
    users = [message for message in ask.messages if message["role"] == "user"]
    if len(ask.images) != 1 or len(users) != len(ask.messages) or len(users) != 1:
        raise Refusal(400, "this model takes one image and one message of a user")
    parts = [IMAGE if part["type"] == "image" else part["text"] for part in users[0]["content"]]
    return images[0], "".join(parts)


class AnswerText:
    """The text of one answer, and a stop rule of the engine. ``decode`` turns tokens into text."""

    def __init__(self, decode: Callable[[list[int]], str], stops: tuple[str, ...] = ()) -> None:
        self._decode = decode
        self._stops = stops
        self._reach = 8 + max(map(len, stops), default=0)
        self._tokens: list[int] = []
        self._told = 0
        self.text = ""
        self.stopped = False

    def observe(self, token: int) -> Loop | None:
        """Takes one more token. If the text now contains a stop string, the answer ends before it."""
        if not self._stops:
            return None
        self._tokens.append(token)
        near = self._decode(self._tokens[-self._reach :])
        if not any(stop in near for stop in self._stops):
            return None
        text = self._decode(self._tokens)
        found = [start for stop in self._stops if (start := text.find(stop)) >= 0]
        if not found:
            return None
        self.stopped, self.text = True, text[: min(found)]
        return Loop(len(self._tokens), 0, 0, "")

    def grown(self, tokens: list[int]) -> str:
        """The text of ``tokens`` that can be sent now and was not sent before: without an incomplete character, and
        without a possible beginning of a stop string."""
        if self.stopped:
            return ""
        text = self._decode(tokens)
        end = len(text)
        if text.endswith(UNFINISHED):
            end = len(text.rstrip(UNFINISHED))
        for stop in self._stops:
            for size in range(min(len(stop) - 1, end), 0, -1):
                if text.startswith(stop[:size], end - size):
                    end -= size
                    break
        return self._tell(text[:end])

    def ended(self, tokens: list[int]) -> str:
        """The rest of the text of an answer that ended with ``tokens``."""
        if not self.stopped:
            self.text = self._decode(tokens)
        return self._tell(self.text)

    def _tell(self, text: str) -> str:
        new = text[self._told :]
        self._told = max(self._told, len(text))
        return new
