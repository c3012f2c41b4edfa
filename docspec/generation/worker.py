"""The child's side of an engine in a process of its own: it makes the engine and passes requests and answers on.

It also runs in other environments, which have llama.cpp and not Pillow: pictures come as bytes.
"""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Protocol

from docspec.core import Failure, ModelError, PageError
from docspec.core.errors import ADVICE, is_device_lost, is_out_of_memory, release_memory
from docspec.generation.interface import Generation, GenerationRequest, OnText, Progress
from docspec.isolation.serving import portable


@dataclass(frozen=True, slots=True)
class Pixels:
    """A picture on its way: its width and height, and its RGB bytes in rows."""

    size: tuple[int, int]
    data: bytes


@dataclass(frozen=True, slots=True)
class Numbered:
    """A request with its number; its image is :class:`Pixels`. ``streamed``: its text is sent as it grows."""

    number: int
    request: GenerationRequest
    streamed: bool


@dataclass(frozen=True, slots=True)
class Said:
    """What the engine says of request ``number``: a piece of its ``text``, its answer (``done``), the error that it
    ``failed`` with, or that the engine is ``lost``; of all of them (-1), how ``steps`` are run, or that one was
    (``alive``, once a second at most)."""

    kind: Literal["text", "done", "failed", "lost", "steps", "alive"]
    number: int
    value: Any = None


@dataclass(frozen=True, slots=True)
class Opened:
    """An engine that was made: its ``name`` for reports, the requests that it decodes at a time (``rows``), the most
    tokens of prompt and answer together, whether it follows every field of a request, and what else is known of it
    (``facts``)."""

    name: str
    rows: int
    max_length: int
    follows_fields: bool
    facts: Any


class ChildEngine(Protocol):
    """An engine as a worker serves it; its requests have :class:`Pixels`."""

    opened: Opened

    def submit_all(
        self, requests: Sequence[GenerationRequest], listeners: Sequence[OnText | None]
    ) -> Sequence[Future[Generation]]: ...

    def steps(self) -> Any:
        """How steps are run at present, for reports."""
        ...


EngineMaker = Callable[[], ChildEngine]
"""Makes an engine in its process; it is pickled. Raises :class:`docspec.core.ModelError`."""


class EngineWorker:
    """The worker of a child that has an engine."""

    say: Callable[[Said], None]

    def __init__(self, handle: Any) -> None:
        self._futures: dict[int, Future[Generation]] = {}
        self._lock = threading.Lock()
        self._steps: Any = None
        self._beat = 0.0

    def open(self, make: EngineMaker) -> Opened:
        """Makes the engine. Raises :class:`docspec.core.ModelError`."""
        self._engine = make()
        self._note_steps()
        return self._engine.opened

    def submit(self, sent: Sequence[bytes]) -> None:
        """Has requests answered, each a pickled :class:`Numbered`; what becomes of them is said."""
        numbered: list[Numbered] = [pickle.loads(one) for one in sent]
        listeners = [partial(self._say, "text", one.number) if one.streamed else None for one in numbered]
        watched = [replace(one.request, on_progress=self._progress) for one in numbered]
        futures = self._engine.submit_all(watched, listeners)
        for one, future in zip(numbered, futures, strict=True):
            with self._lock:
                self._futures[one.number] = future
            future.add_done_callback(partial(self._done, one.number))

    def cancel(self, number: int) -> None:
        """Gives up a request, if it is not answered yet."""
        with self._lock:
            future = self._futures.pop(number, None)
        if future is not None:
            future.cancel()

    def _progress(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._beat >= 1.0:
            self._beat = now
            self._say("alive", -1)

    def _say(self, kind: Any, number: int, value: Any = None) -> None:
        self.say(Said(kind, number, value))

    def _done(self, number: int, future: Future[Generation]) -> None:
        with self._lock:
            self._futures.pop(number, None)
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._note_steps()
            try:
                self._say("done", number, future.result())
            except Exception as unsaid:  # it cannot be pickled
                self._say("failed", number, portable(unsaid))
        elif is_device_lost(error) or isinstance(error, ModelError):
            self._say("lost", number, str(error))
        elif is_out_of_memory(error):
            release_memory()
            self._say("failed", number, PageError(ADVICE, Failure.OUT_OF_MEMORY))
        else:
            self._say("failed", number, portable(error))

    def _note_steps(self) -> None:
        with self._lock:  # an older report never comes behind a newer one
            steps = self._engine.steps()
            if steps != self._steps:
                self._steps = steps
                self._say("steps", -1, steps)


def with_picture(request: GenerationRequest) -> GenerationRequest:
    """``request`` with its :class:`Pixels` as an image."""
    from PIL import Image

    picture: Any = request.image
    if picture is None:
        return request
    return replace(request, image=Image.frombytes("RGB", picture.size, picture.data))


def with_pixels(request: GenerationRequest) -> GenerationRequest:
    """``request`` as it is sent: its image as :class:`Pixels`, and without what no other process can follow."""
    image: Any = None
    if request.image is not None:
        shown = request.image.convert("RGB")
        image = Pixels(shown.size, shown.tobytes())
    arguments = dict(request.template_arguments)
    return replace(request, image=image, template_arguments=arguments, growing=(), on_progress=None)
