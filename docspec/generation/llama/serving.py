"""The child process: reads requests from standard input, decodes them in parallel, and writes answers as they end.

Messages are pickled. The child sends ``("loaded", Facts)``, then ``("begun", number)`` (a crash would now fail the
request), ``("text", number, piece)`` and ``("done", number, Generation)`` or ``("failed", number, message)``;
``("broken", message)`` ends all. The parent sends :class:`LlamaSettings` first, then :class:`ChildRequest` or the
number of a request to cancel, and closes the pipe at the end.
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
from functools import partial
from typing import Any

from docspec.core import DocspecError, ModelError, PageError
from docspec.core.safe_text import first_line
from docspec.generation.interface import Generation
from docspec.generation.llama.engine import BatchEngine
from docspec.generation.llama.library import load_library
from docspec.generation.llama.loaded import LoadedModel, shape_noise
from docspec.generation.llama.prompt_encoder import PromptEncoder
from docspec.generation.llama.sequence import Decoding
from docspec.generation.llama.settings import ChildRequest, Facts, LlamaSettings

MOST_DRAFTS = 64
MOST_DRAFT_TOKENS = 65_536
"""The most drafts of a request that are used, and the most tokens of all of them."""

Say = Callable[..., None]

Inbox = queue.SimpleQueue[tuple[ChildRequest, float]]
"""The requests that no decoder has taken, each with the time of its arrival (``time.perf_counter``)."""


def main() -> None:
    """Serves until standard input ends, and exits without waiting for the decoders."""
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
    """Loads the model that the parent names, and passes the parent's messages to the decoders."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keeps what libraries print out of the answers
    lock = threading.Lock()

    def say(*values: Any) -> None:
        with lock:
            pickle.dump(values, answers)
            answers.flush()

    settings = _next()
    if settings is None:
        return
    inbox, cancelled = Inbox(), set[int]()
    try:
        library = load_library()
        models = [LoadedModel(library, settings)]
        models += [models[0].beside() for _ in range(settings.decoders - 1)]
        noise = shape_noise(models[0]) if settings.strict else 0.0
        decoders = [Decoder(settings, model, inbox, cancelled, say, noise) for model in models]
    except DocspecError as error:
        say("broken", str(error))
        return
    say("loaded", Facts(library.version, library.remark, noise))
    for index, decoder in enumerate(decoders):
        threading.Thread(target=decoder.run, name=f"docspec-decoder-{index}", daemon=True).start()
    while (said := _next()) is not None:
        if isinstance(said, ChildRequest):
            inbox.put((said, time.perf_counter()))
        else:
            cancelled.add(said)


class Decoder:
    """A thread with a KV memory of its own: it takes requests while it has free rows, encodes their images, and decodes
    them in one batch. All decoders share the weights, the ``inbox`` and the numbers of ``cancelled`` requests."""

    def __init__(
        self, settings: LlamaSettings, model: LoadedModel, inbox: Inbox, cancelled: set[int], say: Say, noise: float
    ) -> None:
        self._model = model
        self._inbox = inbox
        self._cancelled = cancelled
        self._say = say
        self._encoder = PromptEncoder(model, settings)
        self._engine = BatchEngine(model, settings, self._answer, noise)

    def run(self) -> None:
        """Decodes for ever. An error that is not a request's own ends the child."""
        try:
            while True:
                self._take()
                for number in self._cancelled.intersection(self._engine.numbers):
                    self._cancelled.discard(number)
                    self._engine.cancel(number)
                self._engine.step()
        except ModelError as error:
            self._say("broken", str(error))
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)

    def _take(self) -> None:
        """Fills the free rows, one request after the other, so that decoders share requests that arrive together."""
        while self._engine.has_room:
            try:
                ask, arrived_at = self._inbox.get(block=self._engine.is_idle)
            except queue.Empty:
                return
            number = ask.number
            if number in self._cancelled:
                self._cancelled.discard(number)
                continue
            self._say("begun", number)
            tell = partial(self._say, "text", number) if ask.streamed else None
            try:
                pieces, drafts = self._encoder.pieces(ask), self._tokenized(ask.request.drafts)
            except PageError as error:
                self._answer(number, error)
            else:
                self._engine.add(Decoding(number, ask.request, pieces, drafts, arrived_at, tell))

    def _tokenized(self, texts: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
        drafts, room = [], MOST_DRAFT_TOKENS
        for draft in texts[:MOST_DRAFTS]:
            tokens = tuple(self._model.tokenize(draft)[:room])
            room -= len(tokens)
            if tokens:
                drafts.append(tokens)
        return tuple(drafts)

    def _answer(self, number: int, answer: Generation | PageError) -> None:
        if isinstance(answer, Generation):
            self._say("done", number, answer)
        else:
            self._say("failed", number, first_line(answer))


def _next() -> Any:
    """The parent's next message; ``None`` when it has ended."""
    try:
        return pickle.load(sys.stdin.buffer)
    except Exception:
        return None


if __name__ == "__main__":
    main()
