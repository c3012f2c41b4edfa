"""When another tree node pays: while it is verified, the row could have written tokens at the rate it has.

Let a step of one token cost 1 and every further node of its tree ``price``. What a page's tokens cost altogether is
least if a node is added exactly when its chance of being reached is above ``price`` times the tokens that are written
per unit of cost: the condition for the maximum of a ratio (Dinkelbach, *On Nonlinear Fractional Programming*, 1967).
The faster a row goes, the more a node must promise. And where fewer tokens are accepted than were promised, promises
count for less.
"""

from __future__ import annotations

FLOOR = 1 / 400
"""A node that is reached less often than this is not worth its place, whatever it costs."""

PRIOR_RATE = 2.0
"""Tokens per unit of cost that are expected before any were written."""

PRIOR_COST = 8.0
"""Units of cost that this expectation counts for."""

HORIZON = 512.0
"""Trees beyond which older ones fade: a rate is that of the present load."""

PRIOR_TOKENS = 6.0
"""Tokens promised and kept that are taken for granted before any were."""

ROW_TOKENS = 4.0
"""Promised tokens of a row for which the experience of its kind counts."""

FADE = 0.8
"""What remains of a row's own experience with every tree: drafts are wrong in places, and right again behind them."""


class WritingRate:
    """How fast one batch writes with its trees.

    ``price`` is what a node costs, as a share of a step of one row and one token. It may change between steps: the rate
    is that of the latest trees at the present price. That many rows write many tokens a step without any tree is left
    out of account: counting it in brought more steps and no speed.
    """

    def __init__(self, price: float = 0.0) -> None:
        self.price = price
        self._tokens = PRIOR_RATE * PRIOR_COST
        self._nodes = self._tokens - PRIOR_COST  # a token that is no step's own is a node's
        self._steps = PRIOR_COST - price * self._nodes

    def least(self, promised: float) -> float:
        """The least chance that earns a node its place where so many tokens are promised for each that is accepted;
        plain steps write one token per unit of cost."""
        rate = max(1.0, self._tokens / (self._steps + self.price * self._nodes))
        return max(FLOOR, self.price * rate * promised)

    def note(self, nodes: int, accepted: int) -> None:
        """Of a tree of ``nodes``, root included, ``accepted`` drafted tokens were kept."""
        if self._steps > HORIZON:
            self._steps, self._nodes, self._tokens = self._steps / 2, self._nodes / 2, self._tokens / 2
        self._steps += 1.0
        self._nodes += nodes - 1
        self._tokens += 1 + accepted


class Promises:
    """How many tokens were promised for each that was accepted, over all rows of one kind; ``kept`` were before any."""

    def __init__(self, kept: float = PRIOR_TOKENS) -> None:
        self._expected, self._accepted = PRIOR_TOKENS, kept

    @property
    def promised(self) -> float:
        """Tokens that were promised for each that was accepted."""
        return self._expected / self._accepted

    def note(self, accepted: int, expected: float) -> None:
        """Of ``expected`` tokens ``accepted`` were kept."""
        self._accepted += accepted
        self._expected += expected


class Threshold:
    """The least chance that earns a node its place in the trees of one row.

    ``rate`` is that of its batch. What the row promised lately and did not keep counts against its own trees, and to a
    lesser degree what its ``kind`` did: beside prose whose drafts are right stand formulas whose drafts are all wrong.
    """

    def __init__(self, rate: WritingRate, kind: Promises) -> None:
        self._rate = rate
        self._kind = kind
        self._expected = self._accepted = 0.0

    @property
    def least(self) -> float:
        """The least chance in the row's next tree."""
        expected = ROW_TOKENS * self._kind.promised + self._expected
        return self._rate.least(expected / (ROW_TOKENS + self._accepted))

    def note(self, nodes: int, accepted: int, expected: float) -> None:
        """Of a tree of ``nodes``, root included, ``accepted`` drafted tokens were kept and ``expected`` promised."""
        self._rate.note(nodes, accepted)
        self._kind.note(accepted, expected)
        self._expected = FADE * self._expected + expected
        self._accepted = FADE * self._accepted + accepted
