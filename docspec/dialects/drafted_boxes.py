"""Predicts which drafted piece the box that is being written belongs to, and the box's next numbers.

Pieces come mostly in the drafted order; each written number makes some of them likelier than others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from docspec.core.grammar import Alternative
from docspec.dialects.box_numbers import Box, BoxNumbers

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
