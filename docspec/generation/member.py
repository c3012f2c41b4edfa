"""One process of several that have an engine, and the requests that it has."""

from __future__ import annotations

import math
import queue
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from docspec.core import DocspecError
from docspec.core.concurrency import fail
from docspec.generation.interface import Generation, OnText
from docspec.generation.worker import EngineMaker, Opened
from docspec.isolation.child import Child

AHEAD = 2
"""A process has at most so many times the requests that it decodes at a time, so that it never waits for the next."""

Outbox = queue.SimpleQueue[tuple[Any, ...] | None]
"""What a process is to be sent: names of methods of :class:`docspec.generation.worker.EngineWorker` with arguments;
``None`` at the end."""


@dataclass(frozen=True, slots=True)
class EnginePlace:
    """Where a process runs (``name``: a device, or the engine), what makes its engine there, and the interpreter that
    has what it needs (``None``: this one). ``quiet``: what it writes on standard error is shown only if it dies. With
    work it hangs if it makes no step for ``silence`` seconds."""

    name: str
    make: EngineMaker
    python: Path | None = None
    quiet: bool = False
    silence: float = math.inf


@dataclass(slots=True, eq=False)
class PendingRequest:
    """An unanswered request as it is ``sent``, its text so far (``heard`` characters, of which ``told`` were passed
    on), and how many processes have died of it, or beside it."""

    number: int
    sent: bytes
    future: Future[Generation]
    on_text: OnText | None
    heard: int = 0
    told: int = 0
    deaths: int = 0

    def hear(self, piece: str) -> None:
        """Passes on what is new in the text."""
        before, self.heard = self.heard, self.heard + len(piece)
        new = piece[max(0, self.told - before) :]
        self.told = max(self.told, self.heard)
        if new and self.on_text is not None:
            try:
                self.on_text(new)
            except BaseException:  # asyncio's cancelling is none of Exception
                self.future.cancel()

    def fail(self, error: DocspecError) -> None:
        """Answers with ``error``."""
        fail(self.future, error)


@dataclass(slots=True, eq=False)
class Member:
    """A process. It ``is_ready`` if its engine is loaded, ``is_closed`` if it was given up; it has the requests
    ``pending``, one alone with ``is_alone``. It was heard of, or got work, at ``heard_at`` (monotonic seconds).
    ``device_error`` is why its device is lost; it died ``idle_deaths`` times in a row without a request."""

    place: EnginePlace
    child: Child | None = None
    errors: IO[bytes] | None = None
    opened: Opened | None = None
    is_ready: bool = False
    is_closed: bool = False
    is_alone: bool = False
    heard_at: float = 0.0
    device_error: str = ""
    idle_deaths: int = 0
    outbox: Outbox = field(default_factory=Outbox)
    pending: dict[int, PendingRequest] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """The most requests that it has at a time."""
        return AHEAD * (1 if self.opened is None else self.opened.rows)

    @property
    def hangs(self) -> bool:
        """Whether it has work and has not been heard of for too long."""
        return self.is_ready and bool(self.pending) and time.monotonic() - self.heard_at > self.place.silence

    def end(self) -> None:
        """Ends the process, if there is one."""
        if self.child is not None:
            self.child.kill()

    def send(self, pending: Sequence[PendingRequest]) -> None:
        """Gives it requests to answer."""
        if not self.pending:
            self.heard_at = time.monotonic()
        for one in pending:
            one.heard = 0
            self.pending[one.number] = one
        if pending:
            self.outbox.put(("submit", [one.sent for one in pending]))  # EngineWorker.submit

    def last_words(self) -> str:
        """The last line of what it wrote that mentions an error, else the last one."""
        if self.errors is None or self.errors.closed:
            return ""
        self.errors.seek(0)
        lines = self.errors.read().decode("utf-8", "replace").strip().splitlines()
        telling = [line for line in lines if "error" in line.lower()] or lines
        return f"; it said last: {telling[-1].strip()[:300]}" if telling else ""


def post(child: Child, outbox: Outbox) -> None:
    """Sends what a process is told, in a thread of its own: one that does not read stops nobody else."""
    while (message := outbox.get()) is not None:
        child.send(*message)
