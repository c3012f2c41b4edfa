"""Decides when another tree node pays, compared with the tokens that the row could write in the same time.

Let a step of one token cost 1 and every further node of its tree ``price``. The total cost of a page's tokens is least
if a node is added exactly when its probability of being reached exceeds ``price`` times the tokens written per unit of
cost: the condition for the maximum of a ratio (Dinkelbach, *On Nonlinear Fractional Programming*, 1967). The faster a
row writes, the more a node must promise. If fewer tokens are accepted than were promised, promises count for less.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

NodePrice: TypeAlias = "float | Callable[[int], float]"
"""The cost of one more tree node as a share of a one-token step; a function where it depends on the tokens before."""

FLOOR = 1 / 400
"""A node that is reached less often is never worth its place, whatever it costs."""

PRIOR_RATE = 2.0
"""Prior of the tokens written per unit of cost."""

PRIOR_COST = 8.0
"""Units of cost that this prior counts for."""

HORIZON = 512.0
"""Trees beyond which older ones fade: the rate is that of the present load."""

PRIOR_TOKENS = 6.0
"""Prior of promised and of accepted tokens."""

ROW_TOKENS = 4.0
"""Promised tokens of a row that the experience of its kind counts for."""

FADE = 0.8
"""Decay of a row's own experience with each tree: drafts are wrong in places, and right again after them."""


class WritingRate:
    """How fast one batch writes with its trees.

    ``price`` is the cost of a node as a share of a step of one row and one token. It may change between steps: the rate
    is that of the latest trees at the present price. The tokens that many rows write per step without any tree are left
    out: counting them brought more steps and no speed.
    """

    def __init__(self, price: float = 0.0) -> None:
        self.price = price
        self._tokens = PRIOR_RATE * PRIOR_COST
        self._nodes = self._tokens - PRIOR_COST  # a token that is no step's own is a node's
        self._steps = PRIOR_COST - price * self._nodes

    def least(self, promised: float) -> float:
        """The least chance that earns a node its place, where ``promised`` tokens are promised for each accepted one;
        plain steps write one token per unit of cost."""
        rate = max(1.0, self._tokens / (self._steps + self.price * self._nodes))
        return max(FLOOR, self.price * rate * promised)

    def note(self, nodes: int, accepted: int) -> None:
        """Records a tree of ``nodes`` nodes, root included, of which ``accepted`` drafted tokens were accepted."""
        if self._steps > HORIZON:
            self._steps, self._nodes, self._tokens = self._steps / 2, self._nodes / 2, self._tokens / 2
        self._steps += 1.0
        self._nodes += nodes - 1
        self._tokens += 1 + accepted


class Promises:
    """Promised tokens for each accepted one, over all rows of one kind; ``kept`` is the prior of accepted tokens."""

    def __init__(self, kept: float = PRIOR_TOKENS) -> None:
        self._expected, self._accepted = PRIOR_TOKENS, kept

    @property
    def promised(self) -> float:
        """Promised tokens for each accepted one."""
        return self._expected / self._accepted

    def note(self, accepted: int, expected: float) -> None:
        """Records that of ``expected`` tokens ``accepted`` were accepted."""
        self._accepted += accepted
        self._expected += expected


class Threshold:
    """The least chance that earns a node its place in the trees of one row.

    ``rate`` is that of its batch. Recent promises that the row did not keep count against its own trees, and to a
    lesser degree those of its ``kind``: next to prose with right drafts stand formulas with wrong ones.
    """

    def __init__(self, rate: WritingRate, kind: Promises) -> None:
        self._rate = rate
        self._kind = kind
        self._expected = self._accepted = 0.0

    @property
    def least(self) -> float:
        """The least chance for the row's next tree."""
        expected = ROW_TOKENS * self._kind.promised + self._expected
        return self._rate.least(expected / (ROW_TOKENS + self._accepted))

    def note(self, nodes: int, accepted: int, expected: float) -> None:
        """Records a tree of ``nodes`` nodes, root included, with ``accepted`` accepted and ``expected`` promised
        tokens."""
        self._rate.note(nodes, accepted)
        self._kind.note(accepted, expected)
        self._expected = FADE * self._expected + expected
        self._accepted = FADE * self._accepted + accepted
