"""Predicts the numbers of a target's boxes from the drafted boxes and the target's earlier boxes on the same page.

A target's boxes differ from the drafted ones by a few pixels, mostly by the same few for each edge; edges that are
printed flush share their number. So every earlier difference votes for a number and, weaker, for its neighbours.
If the target's image has another size than the draft's, the scale is found from two boxes on.

Many dialects write normalised boxes: whole numbers from 0 to a scale over the page's width and height.

Which drafted piece the box belongs to that is being written is predicted, too: pieces come mostly in the drafted order,
and each written number makes some of them likelier than others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from statistics import median

from docspec.core import BBox, Block, Category
from docspec.core.grammar import Alternative

ORDER = (0.8, 0.07, 0.04, 0.03)
"""Chance that a box is that of the next unwritten piece, of the one behind it, and so on; the rest is the chance that
it was not drafted."""

NUMBERS = 10
"""The most numbers proposed at one position."""

UNLIKELY = 1e-5
"""The share of a number that a piece's draft does not predict."""

UNDRAFTED = 1 / 300
"""The share of any number for a piece that was not drafted."""

Weights = tuple[tuple[int, float], ...]
"""Numbers of pieces with the probability that each is meant."""


class DraftedBoxes:
    """The drafted ``boxes`` of a page in reading order, and which of them the target has written."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self.boxes = boxes
        self.numbers = BoxNumbers()
        self.last = -1
        self.used: set[int] = set()

    def candidates(self, expected: int) -> Weights:
        """The pieces that may be written next, if the one numbered ``expected`` is next in order."""
        unused = [number for number in range(max(expected, 0), len(self.boxes)) if number not in self.used]
        pieces = unused[: len(ORDER)]
        if len(pieces) < len(ORDER):
            pieces += [n for n in range(min(expected, len(self.boxes))) if n not in self.used]
        return tuple(zip(pieces, ORDER, strict=False))

    def weigh(self, weights: Weights, written: Sequence[int]) -> Weights:
        """``weights`` after the first numbers of the box have been written."""
        undrafted = 1 - sum(ORDER)
        for edge, number in enumerate(written):
            undrafted *= UNDRAFTED
            weights = tuple(
                (piece, weight * self.numbers.shares(edge, self.boxes[piece][edge]).get(number, UNLIKELY))
                for piece, weight in weights
            )
        total = sum(weight for _, weight in weights) + undrafted
        return tuple((piece, weight / total) for piece, weight in weights)

    def ranked(self, edge: int, weights: Weights, least: float, begun: bool) -> list[tuple[int, float, Weights]]:
        """Numbers with their chances and the pieces meant by each, the likeliest first.

        Numbers less likely than ``least`` may be left out, unless the number is ``begun``: that rules others out.
        """
        likely = [item for item in weights if item[1] >= 2 * least] or weights[:1]
        if len(likely) == 1:
            [(piece, weight)] = likely
            certain = ((piece, 1.0),)
            ranked = self.numbers.ranked(edge, self.boxes[piece][edge])
            return [(number, weight * share, certain) for number, share in ranked]
        parts: dict[int, list[tuple[int, float]]] = {}
        for piece, weight in likely:
            enough = 0.0 if begun else least / weight / len(likely)
            for number, share in self.numbers.ranked(edge, self.boxes[piece][edge]):
                if share < enough:
                    break
                parts.setdefault(number, []).append((piece, weight * share))
        numbers: list[tuple[int, float, Weights]] = []
        for number, pieces in parts.items():
            chance = sum([part for _, part in pieces])
            numbers.append((number, chance, tuple([(piece, part / chance) for piece, part in pieces])))
        numbers.sort(key=itemgetter(1), reverse=True)
        return numbers

    def written(self, piece: int, box: Box) -> None:
        """Learns that the target wrote ``box`` for ``piece``."""
        self.used.add(piece)
        self.last = piece
        self.numbers.learn(self.boxes[piece], box)


@dataclass(slots=True, eq=False)
class TextFork:
    """The fork behind a box and the text ``passed``: the drafts of the pieces that are meant continue."""

    weights: Weights
    passed: str = ""

    def alternatives(self, least: float) -> Sequence[Alternative]:
        return [
            Alternative(weight, "", anchor=piece, passed=self.passed)
            for piece, weight in self.weights
            if weight >= least
        ]


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
