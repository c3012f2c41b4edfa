"""When another tree node pays: while it is verified, the row could have written tokens at the rate it has.

Let a step of one token cost 1 and every further node of its tree ``price``. What a page's tokens cost altogether is
least if a node is added exactly when its chance of being reached is above ``price`` times the tokens that are written
per unit of cost: the condition for the maximum of a ratio (Dinkelbach, *On Nonlinear Fractional Programming*, 1967).
The faster a row goes, the more a node must promise.
"""

from __future__ import annotations

FLOOR = 1 / 400
"""A node that is reached less often than this is not worth a place, whatever it costs."""

PRIOR_RATE = 2.0
"""Tokens per unit of cost that are expected before any were written."""

PRIOR_COST = 8.0
"""Units of cost that this expectation counts for."""


class Worth:
    """The least chance that earns a node its place in the trees of one row, where a node costs ``price``."""

    def __init__(self, price: float = 0.0) -> None:
        self._price = price
        self._cost = PRIOR_COST
        self._tokens = PRIOR_RATE * PRIOR_COST

    @property
    def least(self) -> float:
        """The least chance (0..1) at the rate seen so far; plain steps write one token per unit of cost."""
        return max(FLOOR, self._price * max(1.0, self._tokens / self._cost))

    def note(self, nodes: int, tokens: int) -> None:
        """A step over a tree of ``nodes`` wrote ``tokens``."""
        self._cost += 1.0 + self._price * (nodes - 1)
        self._tokens += tokens
