"""Predicts the numbers of a target's boxes from the drafted boxes and the target's earlier boxes on the same page.

A target's boxes differ from the drafted ones by a few pixels, mostly by the same few for each edge; edges that are
printed flush share their number. So every earlier difference votes for a number and, weaker, for its neighbours.
If the target's image has another size than the draft's, the scale is found from two boxes on.

Many dialects write normalised boxes: whole numbers from 0 to a scale over the page's width and height.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from operator import itemgetter
from statistics import median

from docspec.core import BBox, Block, Category

Box = tuple[int, int, int, int]

NEAR = (8.0, 4.0, 1.5, 0.7, 0.3)
"""Initial votes of an earlier difference for the number that it points to and for those 1, 2, 3 and 4 pixels beside.
Every written box adjusts them: a target that is consistent to the pixel is soon predicted to the pixel."""

GAIN = 4.0
"""Votes that one written number adds to them."""

STRENGTH = 20.0
"""The sum of the votes of one earlier difference."""

UNSEEN = (1.5, 1.2, 1.1, 1.0, 0.9, 0.8, 0.7, 0.5, 0.4, 0.3, 0.2)
"""Constant votes for the drafted number itself and for those beside it."""

FLUSH = 10.0
"""The weight of a box whose edge is drafted at the same number (within :data:`SLACK` pixels)."""

SLACK = 2

RECENT = 16
"""Boxes that vote."""

LEAST = 0.004
"""Numbers with a smaller share are left out."""

SPREAD = 100
"""Pixels between two edges from which they say something about the scale."""

RESCALED = 0.015
"""A scale nearer to 1 than this is taken for 1."""


class BoxNumbers:
    """Predicts numbers from pairs of drafted and written boxes of one page, in pixels; edges are x0, y0, x1, y1."""

    def __init__(self) -> None:
        self._pairs: list[tuple[Box, Box]] = []
        self._scale = [1.0, 1.0]
        self._near: tuple[float, ...] = NEAR
        self._weights = _scaled(NEAR)
        self._shares: dict[tuple[int, int], dict[int, float]] = {}
        self._ranked: dict[tuple[int, int], list[tuple[int, float]]] = {}

    def learn(self, drafted: Box, written: Box) -> None:
        """Learns that the target wrote ``written`` for the cell drafted as ``drafted``."""
        if self._pairs:
            self._weights = self._learn_nearness(drafted, written)
        self._pairs.append((drafted, written))
        del self._pairs[:-RECENT]
        self._shares.clear()
        self._ranked.clear()
        self._scale = [self._slope(0), self._slope(1)]

    def shares(self, edge: int, drafted: int) -> dict[int, float]:
        """Probabilities of the numbers that may be written for ``edge`` of a box drafted at ``drafted``."""
        known = self._shares.get((edge, drafted))
        if known is None:
            known = self._shares[edge, drafted] = self._vote(edge, drafted)
        return known

    def ranked(self, edge: int, drafted: int) -> list[tuple[int, float]]:
        """The same, the likeliest number first."""
        known = self._ranked.get((edge, drafted))
        if known is None:
            shares = self.shares(edge, drafted)
            known = self._ranked[edge, drafted] = sorted(shares.items(), key=itemgetter(1), reverse=True)
        return known

    def is_near(self, drafted: Box, written: Box) -> bool:
        """Whether ``written`` may well be the box that was drafted as ``drafted``."""
        for edge in range(4):
            slack = 8 + 0.02 * drafted[edge]
            if abs(written[edge] - self._scale[edge % 2] * drafted[edge] - self._offset(edge)) > slack:
                return False
        return True

    def _vote(self, edge: int, drafted: int) -> dict[int, float]:
        scale = self._scale[edge % 2]
        votes: dict[int, float] = {}

        def cast(number: int, weights: tuple[float, ...], strength: float) -> None:
            for beside, weight in enumerate(weights):
                votes[number + beside] = votes.get(number + beside, 0.0) + strength * weight
                if beside:
                    votes[number - beside] = votes.get(number - beside, 0.0) + strength * weight

        cast(round(scale * drafted), UNSEEN, 1.0)
        for there, written in self._pairs:
            if abs(there[edge] - drafted) <= SLACK:
                cast(written[edge], self._weights, FLUSH)
            else:
                cast(round(written[edge] + scale * (drafted - there[edge])), self._weights, 1.0)
        total = sum(votes.values())
        return {n: vote / total for n, vote in votes.items() if n >= 0 and vote >= LEAST * total}

    def _learn_nearness(self, drafted: Box, written: Box) -> tuple[float, ...]:
        """Adjusts the votes by the distances of the likeliest numbers from the written ones."""
        near = list(self._near)
        for edge in range(4):
            ranked = self.ranked(edge, drafted[edge])
            miss = abs(written[edge] - ranked[0][0]) if ranked else len(near)
            if miss < len(near):
                near[miss] += GAIN if miss == 0 else GAIN / 2
        self._near = tuple(near)
        return _scaled(self._near)

    def _offset(self, edge: int) -> float:
        if not self._pairs:
            return 0.0
        scale = self._scale[edge % 2]
        return median(written[edge] - scale * drafted[edge] for drafted, written in self._pairs)

    def _slope(self, axis: int) -> float:
        """The median slope between edges far apart (Theil and Sen); 1 if it is nearly 1."""
        edges = [(drafted[edge], written[edge]) for drafted, written in self._pairs for edge in (axis, axis + 2)]
        slopes = [
            (one[1] - other[1]) / (one[0] - other[0])
            for one, other in combinations(edges, 2)
            if abs(one[0] - other[0]) >= SPREAD
        ]
        slope = median(slopes) if slopes else 1.0
        return slope if abs(slope - 1) >= RESCALED and slope > 0 else 1.0


def _scaled(near: tuple[float, ...]) -> tuple[float, ...]:
    """Votes in the same proportions that are :data:`STRENGTH` together, both sides counted."""
    total = near[0] + 2 * sum(near[1:])
    return tuple(STRENGTH * vote / total for vote in near)


def normalised_box(box: BBox, width: int, height: int, scale: int) -> Box:
    """``box``, in pixels of a page of that size, as left, top, right and bottom from 0 to ``scale``."""
    shares = box.x0 / width, box.y0 / height, box.x1 / width, box.y1 / height
    x0, y0, x1, y1 = (min(max(round(scale * share), 0), scale) for share in shares)
    return x0, y0, x1, y1


def pixel_box(numbers: Iterable[int | str], width: int, height: int, scale: int) -> BBox:
    """The normalised box ``numbers`` in pixels of the page, whichever of its edges comes first."""
    x0, y0, x1, y1 = (int(number) / scale for number in numbers)
    box = BBox(min(x0, x1) * width, min(y0, y1) * height, max(x0, x1) * width, max(y0, y1) * height)
    return box.clamped(width, height)


def boxed(category: Category, text: str, box: BBox | None) -> Block:
    """A block with the ``box`` that the model wrote for it; without it if the box has no area."""
    return Block(category, text) if box is None or box.area <= 0 else Block(category, text, box, "model")
