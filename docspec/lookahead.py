"""The next pages rendered and drafted while the present one is verified: an iterator that runs ahead in a thread.

Nothing is done more than ``depth`` items ahead, so memory stays bounded. The source is advanced, and closed, in the
worker thread only.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Generator, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

THREAD_NAME = "docspec-lookahead"

PATIENCE = 0.5
"""Seconds that an abandoned worker is given to finish the item it is at."""


def lookahead(source: Iterator[T], depth: int = 1) -> Generator[T]:
    """The items of ``source`` in their order, up to ``depth`` (at least 1) of them made before they are asked for.

    What ``source`` raises is raised where its item would have come. Close the iterator (or exhaust it) to stop the
    worker: the item that it is at is finished, which is waited for briefly, and nothing is begun after it.
    """
    worker = _Worker(source, depth)
    worker.start()
    try:
        yield from worker.items()
    finally:
        worker.stop()


def is_abandoned_work_left() -> bool:
    """Whether a worker outlived its iterator: leave such a process by ``os._exit`` once its output is flushed, as
    native code in a thread does not survive the interpreter's end."""
    return any(thread.name == THREAD_NAME and thread.is_alive() for thread in threading.enumerate())


class _Worker(threading.Thread, Generic[T]):
    def __init__(self, source: Iterator[T], depth: int) -> None:
        super().__init__(name=THREAD_NAME, daemon=True)
        self._source = source
        self._depth = depth
        self._ready: deque[T] = deque()
        self._error: BaseException | None = None
        self._ended = False
        self._stopped = False
        self._change = threading.Condition()

    def items(self) -> Iterator[T]:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._ready or self._ended)
                if not self._ready:
                    break
                item = self._ready.popleft()
                self._change.notify_all()
            yield item
            del item
        if self._error is not None:
            raise self._error

    def run(self) -> None:
        try:
            while self._may_begin():
                self._deliver(next(self._source))
        except StopIteration:
            pass
        except BaseException as error:
            self._error = error
        finally:
            close = getattr(self._source, "close", None)
            if close is not None:
                with contextlib.suppress(Exception):
                    close()
            with self._change:
                self._ended = True
                self._change.notify_all()

    def stop(self) -> None:
        with self._change:
            self._stopped = True
            self._ready.clear()
            self._change.notify_all()
        self.join(PATIENCE)

    def _may_begin(self) -> bool:
        """Waits until there is room for one more item; false if no more are wanted at all."""
        with self._change:
            self._change.wait_for(lambda: self._stopped or len(self._ready) < self._depth)
            return not self._stopped

    def _deliver(self, item: T) -> None:
        with self._change:
            if not self._stopped:
                self._ready.append(item)
                self._change.notify_all()
