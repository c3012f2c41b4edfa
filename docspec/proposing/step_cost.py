"""What a speculated token costs at the present load, learnt from the steps that were run.

A step of ``T`` tokens over all rows takes ``a + b T`` seconds. While few rows are at work, weights and launches
(``a``) are most of it and a further token is nearly free; in a full batch it costs as much as a token that is
written. So the price of a speculated token is ``b`` over what a row's share of a step without drafts takes, ``(a +
b R) / R`` with ``R`` rows.
"""

from __future__ import annotations

FADE = 0.98
"""What remains of a step's weight with every further one."""

PRIOR_PRICE = 0.02
"""The price of a speculated token while one row is at work, before enough steps were seen."""

ENOUGH = 8
"""Steps of different sizes after which they are trusted."""


class StepCost:
    """Least squares over the steps, the latest counting most."""

    def __init__(self) -> None:
        self._weight = self._tokens = self._seconds = self._squares = self._products = 0.0
        self._steps = 0

    def note(self, tokens: int, seconds: float) -> None:
        """A step of ``tokens`` took ``seconds``."""
        self._steps += 1
        for name, value in (
            ("_weight", 1.0),
            ("_tokens", tokens),
            ("_seconds", seconds),
            ("_squares", tokens * tokens),
            ("_products", tokens * seconds),
        ):
            setattr(self, name, FADE * getattr(self, name) + value)

    @property
    def line(self) -> tuple[float, float]:
        """``a`` and ``b``, in seconds; zeros before anything was seen."""
        if not self._weight:
            return 0.0, 0.0
        tokens, seconds = self._tokens / self._weight, self._seconds / self._weight
        spread = self._squares / self._weight - tokens * tokens
        if self._steps < ENOUGH or spread < 0.5:
            slope = PRIOR_PRICE * seconds / (1.0 + PRIOR_PRICE * (tokens - 1.0))
        else:
            slope = (self._products / self._weight - tokens * seconds) / spread
        slope = min(max(slope, 0.0), seconds / max(tokens, 1.0))
        return max(seconds - slope * tokens, 0.0), slope

    def price(self, rows: int) -> float:
        """The price of a speculated token where ``rows`` are at work, as a share (0..1) of a row's step without drafts.
        """
        fixed, slope = self.line
        whole = fixed + slope * rows
        return slope * rows / whole if whole > 0 else min(1.0, PRIOR_PRICE * rows)

    def row_seconds(self, rows: int) -> float:
        """A row's share of a step without drafts, in seconds: what an accepted token saves."""
        fixed, slope = self.line
        return (fixed + slope * rows) / max(rows, 1)
