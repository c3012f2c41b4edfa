"""Speculates only while it pays: steps are timed, and plain decoding takes over for a while where it is faster.

A step over a tree costs more than a step of one token; whether its tokens are worth it shows in the clock. After a
probe of some steps, the seconds per token are compared with those of plain steps. If they are higher, the row is
decoded plainly for a stretch, which doubles with each failed probe. The output is the same either way.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from docspec.engine.row import Row

PROBE = 8
"""Steps with trees before a comparison."""

RETRY = 5
"""Steps with trees before a comparison after a plain stretch."""

STRETCHES = (16, 32, 64, 128, 256)
"""Tokens decoded plainly after the first, second, third and later failed probes in a row."""

FADE = 0.8
"""Factor on the weight of older steps at every comparison."""

PLAIN_BLEND = 0.1
"""Weight of the newest plain step in the running mean."""


class Pacing:
    """Allows trees while they write tokens faster than plain steps do, for one row at a time.

    ``plain_seconds`` is the measured time of a one-token step; plain steps update it. ``clock`` returns seconds.
    """

    def __init__(self, plain_seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self.plain_seconds = plain_seconds
        self._clock = clock
        self._row: Row | None = None
        self._began: float | None = None
        self._written = 0
        self.drafts_changed()

    def limit(self, row: Row, most: int) -> int:
        """The tree size for the next step of ``row``: ``most``, or 1 in a plain stretch. Call it before each step."""
        now, written = self._clock(), len(row.output)
        if row is not self._row:
            self._row = row
            self.drafts_changed()
        elif self._began is not None:
            self._note(row, now - self._began, written - self._written)
        self._began, self._written = now, written
        return 1 if self._left > 0 else most

    def shared(self) -> None:
        """Has the time until the next call of :meth:`limit` not count: it is that of steps of several rows."""
        self._began = None

    def drafts_changed(self) -> None:
        """Ends a plain stretch and starts a new probe."""
        self._failures = self._left = self._steps = 0
        self._seconds = self._tokens = 0.0

    def _note(self, row: Row, seconds: float, tokens: int) -> None:
        """Records that the last step of ``row`` took ``seconds`` and wrote ``tokens``."""
        if self._left > 0:
            self.plain_seconds += PLAIN_BLEND * (seconds - self.plain_seconds)
            row.counts.plain_tokens += tokens
            self._left -= tokens
            return
        self._steps += 1
        self._seconds += seconds
        self._tokens += tokens
        if self._steps < (RETRY if self._failures else PROBE):
            return
        self._steps = 0
        if self._seconds <= self._tokens * self.plain_seconds:
            self._failures = 0
            self._seconds *= FADE
            self._tokens *= FADE
            return
        self._left = STRETCHES[min(self._failures, len(STRETCHES) - 1)]
        self._failures += 1
        self._seconds = self._tokens = 0.0
