"""Requests on their way to the decoders of the child: each decoder takes the next one when it has room for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection

from docspec.generation.llama.settings import ChildRequest


class Inbox:
    """Requests that no decoder has taken, and the numbers of those that are to be dropped. Threads may share it."""

    def __init__(self) -> None:
        self._asks: dict[int, tuple[ChildRequest, float]] = {}
        self._dropped: set[int] = set()
        self._changed = threading.Condition()

    def put(self, ask: ChildRequest) -> None:
        """A request has come."""
        with self._changed:
            self._asks[ask.number] = ask, time.perf_counter()
            self._changed.notify()

    def drop(self, number: int) -> None:
        """A request is to be answered no more, whether somebody has taken it or not."""
        with self._changed:
            if self._asks.pop(number, None) is None:
                self._dropped.add(number)

    def take(self, wait: bool) -> tuple[ChildRequest, float] | None:
        """The request that came first, and when it came by ``time.perf_counter``; ``None`` where there is none, unless
        it is worth the ``wait``."""
        with self._changed:
            while not self._asks:
                if not wait:
                    return None
                self._changed.wait()
            return self._asks.pop(next(iter(self._asks)))

    def dropped(self, numbers: Collection[int]) -> set[int]:
        """Those of ``numbers`` that are to be dropped; each is told once."""
        with self._changed:
            found = self._dropped.intersection(numbers)
            self._dropped -= found
            return found
