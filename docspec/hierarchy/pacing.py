"""Speculation only while it pays: steps are measured, and where plain ones are faster they take over for a while.

A step over a tree costs more than a step of one token. Whether the tokens it brings are worth it shows in the clock:
after a probe of some steps the seconds a token are compared with those of plain steps, and where they are higher the
row goes on plainly for a stretch that doubles as long as probes go on to fail. The output is the same either way.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from docspec.engine.row import Row

PROBE = 8
"""Steps with trees between two judgements."""

RETRY = 5
"""The same after a plain stretch."""

STRETCHES = (16, 32, 64, 128, 256)
"""Tokens decoded plainly after the first, second, third, further failed probes in a row."""

FADE = 0.8
"""What remains of older steps' weight at every judgement."""

PLAIN_BLEND = 0.1
"""Weight of the newest plain step in the running mean of their seconds."""


class Pacing:
    """Allows trees while they bring tokens faster than plain steps do, for one row at a time.

    ``plain_seconds`` is what a step of one token takes, as measured beforehand; plain steps keep it up to date, from
    row to row. ``clock`` gives seconds.
    """

    def __init__(self, plain_seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self.plain_seconds = plain_seconds
        self._clock = clock
        self._row: Row | None = None
        self._began, self._written = 0.0, 0
        self.drafts_changed()

    def limit(self, row: Row, most: int) -> int:
        """``most``, or 1 in a plain stretch of ``row``: to be asked before each of its steps."""
        now, written = self._clock(), len(row.output)
        if row is not self._row:
            self._row = row
            self.drafts_changed()
        else:
            self._note(row, now - self._began, written - self._written)
        self._began, self._written = now, written
        return 1 if self._left > 0 else most

    def drafts_changed(self) -> None:
        """Ends a plain stretch, and judges the row's trees from here on."""
        self._failures = self._left = self._steps = 0
        self._seconds = self._tokens = 0.0

    def _note(self, row: Row, seconds: float, tokens: int) -> None:
        """The last step of ``row`` took ``seconds`` and wrote ``tokens``."""
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
