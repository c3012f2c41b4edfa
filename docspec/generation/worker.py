"""The child's side of an engine in a process of its own: it makes the engine and passes requests and answers on.

It also runs in other environments, which have llama.cpp and not Pillow: pictures come as bytes.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Protocol

from docspec.core import Failure, PageError
from docspec.core.memory import ADVICE, is_device_lost, is_out_of_memory, release_memory
from docspec.generation.interface import Generation, GenerationRequest, OnText
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
    ``failed`` with, or that the device is ``lost``; of all of them, how ``steps`` are run (-1)."""

    kind: Literal["text", "done", "failed", "lost", "steps"]
    number: int
    value: Any = None


@dataclass(frozen=True, slots=True)
class Opened:
    """An engine that was made: what is known of it (``facts``), the requests that it decodes at a time (``rows``), and
    whether it follows every field of a request."""

    facts: Any
    rows: int
    follows_fields: bool = False


class ServedEngine(Protocol):
    """An engine that a worker serves; its requests have :class:`Pixels`."""

    opened: Opened

    def submit_all(
        self, requests: Sequence[GenerationRequest], listeners: Sequence[OnText | None]
    ) -> Sequence[Future[Generation]]: ...

    def steps(self) -> Any:
        """How steps are run at present, for reports."""
        ...


EngineMaker = Callable[[], ServedEngine]
"""Makes an engine in its process; it is pickled. Raises :class:`docspec.core.ModelError`."""


class EngineWorker:
    """The worker of a child that has an engine."""

    say: Callable[[Said], None]

    def __init__(self, handle: Any) -> None:
        self._futures: dict[int, Future[Generation]] = {}
        self._lock = threading.Lock()
        self._steps: Any = None
        # Said in a thread of its own: whoever waited for the parent to listen could not hear what it sends meanwhile.
        self._outbox: queue.SimpleQueue[Said] = queue.SimpleQueue()

    def open(self, make: EngineMaker) -> Opened:
        """Makes the engine. Raises :class:`docspec.core.ModelError`."""
        self._engine = make()
        threading.Thread(target=self._say_all, name="docspec-say", daemon=True).start()
        self._note_steps()
        return self._engine.opened

    def submit(self, asked: Sequence[Numbered]) -> None:
        """Has requests answered; what becomes of them is said."""
        listeners = [partial(self._say, "text", one.number) if one.streamed else None for one in asked]
        futures = self._engine.submit_all([one.request for one in asked], listeners)
        for one, future in zip(asked, futures, strict=True):
            with self._lock:
                self._futures[one.number] = future
            future.add_done_callback(partial(self._done, one.number))

    def cancel(self, number: int) -> None:
        """Gives up a request, if it is not answered yet."""
        with self._lock:
            future = self._futures.pop(number, None)
        if future is not None:
            future.cancel()

    def _say(self, kind: Any, number: int, value: Any = None) -> None:
        self._outbox.put(Said(kind, number, value))

    def _say_all(self) -> None:
        while True:
            self.say(self._outbox.get())

    def _done(self, number: int, future: Future[Generation]) -> None:
        with self._lock:
            self._futures.pop(number, None)
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._note_steps()
            self._say("done", number, future.result())
        elif is_device_lost(error):
            self._say("lost", number, str(error))
        elif is_out_of_memory(error):
            release_memory()
            self._say("failed", number, PageError(ADVICE, Failure.OUT_OF_MEMORY))
        else:
            self._say("failed", number, portable(error))

    def _note_steps(self) -> None:
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
