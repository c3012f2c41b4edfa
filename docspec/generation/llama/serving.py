"""llama.cpp as the engine of a child process: decoders in threads, each with a batch of its own.

It runs where llama-cpp-python is, perhaps in another environment than its parent, and is served by
:mod:`docspec.generation.worker`.
"""

from __future__ import annotations

import itertools
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace

from docspec.core import ModelError, PageError
from docspec.core.concurrency import answer, fail, new_future
from docspec.generation.interface import Generation, GenerationRequest, OnText
from docspec.generation.llama.choosing import Chooser
from docspec.generation.llama.engine import BatchEngine
from docspec.generation.llama.library import load_library
from docspec.generation.llama.loaded import LoadedModel, shape_noise
from docspec.generation.llama.prompt_encoder import PromptEncoder, PromptPiece
from docspec.generation.llama.sequence import Decoding
from docspec.generation.llama.settings import Facts, LlamaSettings
from docspec.generation.worker import Opened

MOST_DRAFTS = 64
MOST_DRAFT_TOKENS = 65_536
"""The most drafts of a request that are used, and the most tokens of all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A request that no decoder has taken, the listener to its text, and the time of its arrival
    (``time.perf_counter``)."""

    request: GenerationRequest
    on_text: OnText | None
    future: Future[Generation]
    arrived_at: float


Inbox = queue.SimpleQueue[Waiting]


class LlamaEngine:
    """The model that ``settings`` name, loaded. Raises :class:`docspec.core.ModelError`."""

    def __init__(self, settings: LlamaSettings) -> None:
        library = load_library()
        models = [LoadedModel(library, settings)]
        models += [models[0].beside() for _ in range(settings.decoders - 1)]
        noise = shape_noise(models[0]) if settings.strict else 0.0
        self._inbox = Inbox()
        decoders = [LlamaDecoder(settings, model, self._inbox, noise) for model in models]
        for index, decoder in enumerate(decoders):
            threading.Thread(target=decoder.run, name=f"docspec-decoder-{index}", daemon=True).start()
        rows = settings.decoders * (1 if settings.strict else settings.rows)
        name = f"llama.cpp (llama-cpp-python {library.version}), {settings.precision}"
        template = models[0].template or settings.template or ""
        facts = Facts(library.remark, noise, settings.slot, template, models[0].bos, models[0].eos)
        self.opened = Opened(name, rows, settings.cells, False, facts)

    def submit_all(
        self, requests: Sequence[GenerationRequest], listeners: Sequence[OnText | None]
    ) -> list[Future[Generation]]:
        """The futures of the answers to ``requests``."""
        now = time.perf_counter()
        waiting = [
            Waiting(request, on_text, new_future(), now) for request, on_text in zip(requests, listeners, strict=True)
        ]
        for one in waiting:
            self._inbox.put(one)
        return [one.future for one in waiting]

    def steps(self) -> None:
        """Nothing is known of them."""


class LlamaDecoder:
    """A thread with a KV memory of its own: it takes requests while it has free rows, encodes their images, and decodes
    them in one batch. All decoders share the weights and the ``inbox``."""

    def __init__(self, settings: LlamaSettings, model: LoadedModel, inbox: Inbox, noise: float) -> None:
        self._model = model
        self._slot = settings.slot - settings.num_draft_tokens - 1
        self._inbox = inbox
        self._futures: dict[int, Future[Generation]] = {}
        self._numbers = itertools.count()
        self._encoder = PromptEncoder(model, settings)
        self._engine = BatchEngine(model, settings, self._answer, noise)

    def run(self) -> None:
        """Decodes for ever. An error that is not a request's own ends the process."""
        try:
            while True:
                self._take()
                for number in [number for number, future in self._futures.items() if future.cancelled()]:
                    del self._futures[number]
                    self._engine.cancel(number)
                self._engine.step()
        except ModelError as error:
            for future in self._futures.values():
                fail(future, error)
            while True:
                fail(self._inbox.get().future, error)
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)

    def _take(self) -> None:
        """Fills the free rows, one request after the other, so that decoders share requests that arrive together."""
        while self._engine.has_room:
            try:
                waiting = self._inbox.get(block=self._engine.is_idle)
            except queue.Empty:
                return
            request, future = waiting.request, waiting.future
            if future.cancelled():
                continue
            try:
                pieces, drafts = self._encoder.pieces(request), self._tokenized(request.drafts)
                request, chooser = self._of_chat(request, pieces)
            except PageError as error:
                fail(future, error)
            else:
                number = next(self._numbers)
                self._futures[number] = future
                sequence = Decoding(number, request, pieces, drafts, waiting.arrived_at, waiting.on_text, chooser)
                self._engine.add(sequence)

    def _of_chat(
        self, request: GenerationRequest, pieces: Sequence[PromptPiece]
    ) -> tuple[GenerationRequest, Chooser | None]:
        """A chat with its answer bounded by its slot, and what chooses its tokens. Raises
        :class:`docspec.core.PageError` if the prompt fills the slot."""
        if request.chat is None:
            return request, None
        tokens = sum(piece.size for piece in pieces)
        if tokens >= self._slot:
            raise PageError(f"the prompt has {tokens} tokens; a slot takes {self._slot}")
        request = replace(request, max_tokens=min(request.max_tokens, self._slot - tokens))
        if request.chat is None or not Chooser.is_needed(request.chat):
            return request, None
        text = [token for piece in pieces for token in piece.tokens]
        return request, Chooser(self._model.library, self._model.vocab, request.chat, text)

    def _tokenized(self, texts: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
        drafts, room = [], MOST_DRAFT_TOKENS
        for draft in texts[:MOST_DRAFTS]:
            tokens = tuple(self._model.tokenize(draft)[:room])
            room -= len(tokens)
            if tokens:
                drafts.append(tokens)
        return tuple(drafts)

    def _answer(self, number: int, generation: Generation | PageError) -> None:
        future = self._futures.pop(number)
        if not isinstance(generation, Generation):
            fail(future, generation)
        else:
            answer(future, generation)
