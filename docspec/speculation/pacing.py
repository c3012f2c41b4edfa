"""Speculation only while it pays: a proposer that measures its own steps and falls back to plain decoding.

A step over a tree costs more than a step of one token. Whether the tokens it brings are worth it shows in the clock:
after a probe of some steps the seconds a token are compared with those of plain steps, and where they are higher the
row goes on plainly for a stretch that doubles as long as probes go on to fail. The output is the same either way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from docspec.speculation.acceptance import Outcome
from docspec.speculation.proposer import Proposer
from docspec.speculation.tree import TokenTree

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


class PacedProposer:
    """Hands on the trees of ``inner`` while they bring tokens faster than plain steps do.

    ``plain_seconds`` is what a step of one token takes, as measured beforehand; plain steps of this row keep it up
    to date. ``clock`` gives seconds.
    """

    def __init__(
        self, inner: Proposer, plain_seconds: float, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._inner = inner
        self._clock = clock
        self.plain_seconds = plain_seconds
        self.plain_tokens = 0
        self._failures = 0
        self._left = 0
        self._steps = 0
        self._seconds = self._tokens = 0.0
        self._began: float | None = None
        self._length = 0

    def propose(self, verified: Sequence[int], limit: int) -> TokenTree:
        """The inner proposer's tree, or the root alone in a plain stretch."""
        now = self._clock()
        if self._began is not None:
            self._note(now - self._began, len(verified) - self._length)
        self._began, self._length = now, len(verified)
        if self._left > 0:
            return TokenTree(verified[-1])
        return self._inner.propose(verified, limit)

    def observe(self, tree: TokenTree, outcome: Outcome) -> None:
        """Hands the outcome on."""
        self._inner.observe(tree, outcome)

    def extend(self, number: int, tokens: Sequence[int]) -> None:
        """Hands the tokens on."""
        self._inner.extend(number, tokens)

    def _note(self, seconds: float, tokens: int) -> None:
        """The last step took ``seconds`` and wrote ``tokens``."""
        if self._left > 0:
            self.plain_seconds += PLAIN_BLEND * (seconds - self.plain_seconds)
            self.plain_tokens += tokens
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
