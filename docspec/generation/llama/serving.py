"""The child's loop: requests arrive on standard input, pictures are encoded beside decoding, answers leave as they end.

Values travel pickled. The parent is told ``("loaded", Facts)``, then ``("at", number, flag)`` (whether the request is
being worked on: what a crash would cost), ``("text", number, piece)`` and ``("done", number, Generation)`` or
``("failed", number, message)``; ``("broken", message)`` ends all. It says
:class:`LlamaSettings` first, then :class:`ChildRequest` or a number to be cancelled, and closes the pipe at the end.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, BinaryIO

from docspec.core import DocspecError, ModelError
from docspec.core.safe_text import first_line
from docspec.generation.interface import Generation
from docspec.generation.llama.engine import BatchEngine
from docspec.generation.llama.library import load_library
from docspec.generation.llama.loaded import LoadedModel
from docspec.generation.llama.noise import shape_noise
from docspec.generation.llama.pictures import PromptEncoder
from docspec.generation.llama.sequence import PreparedRequest
from docspec.generation.llama.settings import ChildRequest, Facts, LlamaSettings

MOST_DRAFTS = 64
MOST_DRAFT_TOKENS = 65_536
"""Of one request that are looked at."""


def main() -> None:
    """Serves until standard input ends, and leaves without waiting for the thread that reads it."""
    code = 1
    try:
        serve()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def serve() -> None:
    """Loads the model that the parent names, and serves it."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, arrived), daemon=True).start()
    settings = arrived.get()
    if settings is None:
        return

    lock = threading.Lock()

    def say(*values: Any) -> None:
        with lock:
            pickle.dump(values, answers)
            answers.flush()

    try:
        library = load_library()
        model = LoadedModel(library, settings)
        reader = PromptEncoder(model, settings)
        noise = shape_noise(model) if settings.strict else 0.0
    except DocspecError as error:
        say("broken", str(error))
        return
    say("loaded", Facts(library.version, model.description, library.remark, noise))
    ServingLoop(settings, model, reader, arrived, say, noise).serve()


class ServingLoop:
    """Brings requests, pictures and the engine together. Pictures are encoded in the order in which requests came, as
    many ahead as rows are decoded."""

    def __init__(
        self,
        settings: LlamaSettings,
        model: LoadedModel,
        reader: PromptEncoder,
        arrived: queue.SimpleQueue[Any],
        say: Callable[..., None],
        noise: float,
    ) -> None:
        self._model = model
        self._arrived = arrived
        self._say = say
        self._engine = BatchEngine(model, settings, self._answer, noise)
        self._reader = reader
        self._worker = ThreadPoolExecutor(1, "docspec-pictures")
        self._ahead = settings.rows + 1
        self._asks: dict[int, tuple[ChildRequest, float]] = {}
        self._prepared: dict[int, Future[PreparedRequest]] = {}

    def serve(self) -> None:
        """Until the parent has closed its end and nothing is left."""
        while True:
            idle = self._engine.is_idle and not self._asks and not self._prepared
            if not self._listen(wait=idle):
                return
            self._prepare()
            self._hand_over()
            if not self._engine.is_idle:
                self._engine.step()
            elif self._prepared:
                next(iter(self._prepared.values())).exception()  # waits for the first

    def _listen(self, wait: bool) -> bool:
        """Takes in what has arrived; whether there may be more."""
        while True:
            try:
                said = self._arrived.get(block=wait)
            except queue.Empty:
                return True
            wait = False
            if said is None:
                return False
            if isinstance(said, ChildRequest):
                self._asks[said.number] = said, time.perf_counter()
            else:
                self._cancel(said)

    def _cancel(self, number: int) -> None:
        self._asks.pop(number, None)
        if (future := self._prepared.pop(number, None)) is not None:
            future.cancel()
        self._engine.cancel(number)

    def _prepare(self) -> None:
        """Has pictures encoded ahead of the engine."""
        room = self._ahead - len(self._prepared) - self._engine.waiting
        for number in list(self._asks)[: max(0, room)]:
            ask, at = self._asks.pop(number)
            self._prepared[number] = self._worker.submit(self._made, ask, at)

    def _made(self, ask: ChildRequest, asked_at: float) -> PreparedRequest:
        self._say("at", ask.number, True)
        try:
            pieces = self._reader.pieces(ask)
        finally:
            self._say("at", ask.number, False)
        drafts, room = [], MOST_DRAFT_TOKENS
        for draft in ask.drafts[:MOST_DRAFTS]:
            tokens = tuple(self._model.tokenize(draft)[:room])
            room -= len(tokens)
            if tokens:
                drafts.append(tokens)
        return PreparedRequest(ask, pieces, tuple(drafts), asked_at)

    def _hand_over(self) -> None:
        """Gives the engine what is ready, in the order of asking."""
        while self._prepared:
            number, future = next(iter(self._prepared.items()))
            if not future.done():
                return
            del self._prepared[number]
            try:
                prepared = future.result()
            except DocspecError as error:
                self._fail(number, error)
                continue
            self._say("at", number, True)
            self._engine.add(prepared, partial(self._say, "text", number) if prepared.ask.told else None)

    def _answer(self, number: int, answer: Generation | Exception) -> None:
        if isinstance(answer, Generation):
            self._say("done", number, answer)
        else:
            self._fail(number, answer)

    def _fail(self, number: int, error: Exception) -> None:
        if isinstance(error, ModelError):
            self._say("broken", str(error))
            raise SystemExit(1)
        self._say("failed", number, first_line(error))


def _listen(file: BinaryIO, arrived: queue.SimpleQueue[Any]) -> None:
    """Passes on what the parent says, and ``None`` when it has ended."""
    try:
        while True:
            arrived.put(pickle.load(file))
    except Exception:
        arrived.put(None)


if __name__ == "__main__":
    main()
