"""A draft that is being made in another process while its page is read already: lines as they are recognised, then all.

One thread tells it, another one asks; pieces are only ever added.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from docspec.drafting.page import DraftResult


class DraftFuture:
    """``pieces`` are the texts so far, a few printed lines each; ``head_seconds`` passed until recognition began, which
    nothing else was done in, and ``seconds`` until all was there (0 before)."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.pieces: list[str] = []
        self.head_seconds = 0.0
        self.seconds = 0.0
        self._begun = threading.Event()
        self._whole = threading.Event()
        self._drafted = DraftResult()
        self._error: Exception | None = None

    def heard(self, lines: Sequence[str]) -> None:
        """``lines`` were recognised; with none of them, recognition begins."""
        if lines:
            self.pieces.append("\n".join(lines))
        self._begin()

    def finish(self, drafted: DraftResult, error: Exception | None = None) -> None:
        """The draft is whole; or ``error`` kept it from being made."""
        self._drafted, self._error = drafted, error
        self.seconds = time.perf_counter() - self.began
        self._whole.set()
        self._begin()

    def await_begin(self) -> None:
        """Waits until recognition has begun, or there is a draft without any."""
        self._begun.wait()

    @property
    def is_whole(self) -> bool:
        """Whether :meth:`whole` answers at once."""
        return self._whole.is_set()

    def whole(self) -> DraftResult:
        """The draft, waited for. Raises what kept it from being made."""
        self._whole.wait()
        if self._error is not None:
            raise self._error
        return self._drafted

    def _begin(self) -> None:
        if not self._begun.is_set():
            self.head_seconds = time.perf_counter() - self.began
            self._begun.set()
