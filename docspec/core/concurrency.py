"""Threads: a lock that is given in the order in which threads asked for it, and futures that are answered by hand,
once, by whichever thread comes first, and not after they were cancelled.

``threading.Lock`` is not: a thread that releases and takes it again at once, page after page, keeps it from others for
seconds.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")


def new_future() -> Future[T]:
    """A future whose ``cancel()`` also wakes those who wait for several (``concurrent.futures.wait``)."""
    future: Future[T] = Future()
    future.add_done_callback(_wake)
    return future


def answer(future: Future[T], value: T) -> None:
    """Ends ``future`` with ``value``, unless it has ended."""
    with suppress(InvalidStateError):
        future.set_result(value)


def fail(future: Future[T], error: BaseException) -> None:
    """Ends ``future`` with ``error``, unless it has ended."""
    with suppress(InvalidStateError):
        future.set_exception(error)


def _wake(future: Future[T]) -> None:
    if future.cancelled():
        future.set_running_or_notify_cancel()


class FairLock:
    """A lock that any thread may release; with it as a context, the thread that holds it may enter again."""

    def __init__(self) -> None:
        self._state = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._held = False
        self._owner: int | None = None
        self._depth = 0

    @property
    def wanted(self) -> int:
        """How many threads hold it or wait for it."""
        with self._state:
            return self._held + len(self._waiting)

    def acquire(self, blocking: bool = True) -> bool:
        with self._state:
            if not self._held:
                self._held = True
                return True
            if not blocking:
                return False
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        try:
            mine.acquire()  # whoever releases the lock hands it over by this
        except BaseException:  # an interrupt of the main thread
            with self._state:
                given = mine not in self._waiting
                if not given:
                    self._waiting.remove(mine)
            if given:
                self.release()
            raise
        return True

    def release(self) -> None:
        with self._state:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False

    def __enter__(self) -> None:
        if self._owner != threading.get_ident():
            self.acquire()
            self._owner = threading.get_ident()
        self._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = None
            self.release()
