"""The cost of a speculated token at the present load, learnt from the steps that were run.

A step of ``R`` rows that verifies ``S`` speculated tokens takes ``a + r R + b S`` seconds. With few rows, weights and
launches (``a``) dominate; in a full batch a row's own share (``r``: its token, its sampling, the engine's bookkeeping)
does. So the price of a speculated token is ``b`` over a row's share of a step without drafts, ``(a + r R) / R``.
"""

from __future__ import annotations

import numpy as np

FADE = 0.98
"""Decay of a step's weight with each later step."""

PRIOR_PRICE = 0.02
"""The prior cost of a row or a speculated token, as a share of a step of one row."""

PRIOR_WEIGHT = 8.0
"""The spread of step sizes (in rows or tokens, squared) at which measurements count for half."""

ENOUGH = 8
"""Steps after which measurements are used."""


class StepCost:
    """A least-squares fit over the steps; recent ones count most."""

    def __init__(self) -> None:
        self._steps = 0
        self._sums = np.zeros((4, 4))
        """Faded sums of the products of 1, rows, speculated tokens and seconds."""
        self._plane: tuple[float, float, float] | None = None

    def note(self, rows: int, speculated: int, seconds: float) -> None:
        """Records that a step of ``rows`` rows and ``speculated`` tokens took ``seconds``."""
        values = np.array((1.0, rows, speculated, seconds))
        self._steps += 1
        self._sums = FADE * self._sums + np.outer(values, values)
        self._plane = None

    @property
    def plane(self) -> tuple[float, float, float]:
        """``a``, ``r`` and ``b`` in seconds; zeros before the first step."""
        if self._plane is None:
            self._plane = self._fitted() if self._steps else (0.0, 0.0, 0.0)
        return self._plane

    def _fitted(self) -> tuple[float, float, float]:
        weight = self._sums[0, 0]
        rows, speculated, seconds = map(float, self._sums[0, 1:] / weight)
        least = PRIOR_PRICE * seconds / (1.0 + PRIOR_PRICE * max(rows + speculated - 1.0, 0.0))
        row = token = least
        if self._steps >= ENOUGH:
            spread = self._sums[1:, 1:] - np.outer(self._sums[0, 1:], self._sums[0, 1:]) / weight
            (of_rows, both, row_effect), (_, of_tokens, token_effect), _ = spread.tolist()
            of_rows, of_tokens = of_rows + PRIOR_WEIGHT, of_tokens + PRIOR_WEIGHT
            row_effect, token_effect = row_effect + PRIOR_WEIGHT * least, token_effect + PRIOR_WEIGHT * least
            token = (of_rows * token_effect - both * row_effect) / (of_rows * of_tokens - both * both)
            token = min(max(token, 0.0), seconds / max(speculated, 1.0))
            row = min(max(0.0, (row_effect - both * token) / of_rows), (seconds - token * speculated) / rows)
        return max(seconds - row * rows - token * speculated, 0.0), row, token

    def price(self, rows: int) -> float:
        """The price of a speculated token with ``rows`` rows, as a share (0..1) of a row's plain step."""
        share = self.row_seconds(rows)
        return min(self.plane[2] / share, 1.0) if share > 0 else min(1.0, PRIOR_PRICE * rows)

    def row_seconds(self, rows: int) -> float:
        """A row's share of a step without drafts, in seconds: the saving of an accepted token."""
        fixed, row, _ = self.plane
        return fixed / max(rows, 1) + row
