"""A draft that another process makes while its page is being read: lines as they are recognised, then the whole draft.

One thread adds pieces, another one reads them; pieces are never removed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from docspec.drafting.page import DraftResult


class DraftFuture:
    """``pieces`` are the texts so far, a few printed lines each; ``head_seconds`` passed, with nothing else done, until
    recognition began, and ``seconds`` until the draft was whole (0 before)."""

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
        """Adds recognised ``lines``; an empty sequence says that recognition begins."""
        if lines:
            self.pieces.append("\n".join(lines))
        self._begin()

    def finish(self, drafted: DraftResult, error: Exception | None = None) -> None:
        """Sets the whole draft, or the ``error`` that prevented it."""
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
        """Waits for the draft. Raises the error that prevented it."""
        self._whole.wait()
        if self._error is not None:
            raise self._error
        return self._drafted

    def _begin(self) -> None:
        if not self._begun.is_set():
            self.head_seconds = time.perf_counter() - self.began
            self._begun.set()
