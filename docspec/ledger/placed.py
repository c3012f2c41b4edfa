"""Where the words of a finished output stand on the page: each unit of the Markdown as the printed lines it is read
along.

A printed line is what is read from left to right at one height; what stands behind a wide gap is another piece of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from statistics import median

from docspec.core import BBox
from docspec.core.account import VisibleWord
from docspec.ledger.atoms import runs_leftwards
from docspec.ledger.matching import Matched
from docspec.ledger.outputs import formulas_in
from docspec.ledger.sides import Sides
from docspec.ledger.units import Unit

GAP = 1.6
"""Heights of white between two pieces of a line."""

SMALL = 0.85
"""Greatest height of a raised or lowered word, over that of its line."""

LEVEL = 0.45
"""Least overlap of the heights of two words of one line, as a share of the lower one's."""


@dataclass(slots=True)
class Piece:
    """Words of a line without a wide gap between them."""

    words: list[VisibleWord]
    offsets: list[int]

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @property
    def x1(self) -> float:
        return max(word.x1 for word in self.words)


@dataclass(slots=True)
class Line:
    """What is read from left to right at one height; ``bridged``, if a formula stands in front of it, whose lines are
    not followed; ``mixed``, if one stands in it or beside it."""

    pieces: list[Piece] = field(default_factory=list)
    bridged: bool = False
    mixed: bool = False
    x0: float = 0.0
    x1: float = 0.0
    y0: float = 0.0
    y1: float = 0.0
    height: float = 0.0

    @property
    def words(self) -> list[VisibleWord]:
        return [word for piece in self.pieces for word in piece.words]

    @property
    def start(self) -> int:
        return self.pieces[0].offsets[0]

    @property
    def end(self) -> int:
        return self.pieces[-1].offsets[-1]

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2

    def measured(self) -> Line:
        words = self.words
        self.height = median(word.y1 - word.y0 for word in words)
        self.x0, self.x1 = min(word.x0 for word in words), max(word.x1 for word in words)
        self.y0, self.y1 = median(word.y0 for word in words), median(word.y1 for word in words)
        return self


@dataclass(frozen=True, slots=True)
class Placed:
    """A unit with its printed lines, in the order in which they are written; ``number`` counts units."""

    unit: Unit
    lines: Sequence[Line]
    number: int

    @property
    def bbox(self) -> BBox:
        return BBox.union(self.lines)

    @property
    def height(self) -> float:
        return median(line.height for line in self.lines)

    @property
    def count(self) -> int:
        return sum(len(piece.words) for line in self.lines for piece in line.pieces)


def placed(sides: Sides, pairs: Matched, units: Sequence[Unit], text: str) -> list[Placed]:
    """The ``units`` of a Markdown ``text`` of which words are known on the page; the signs of formulas stand as they
    like."""
    formulas = bytearray(len(text) + 1)
    for start, end in formulas_in(text):
        formulas[start:end] = b"\1" * (end - start)
    found: list[tuple[list[VisibleWord], list[int]]] = [([], []) for _ in units]
    starts = [unit.start for unit in units]
    last, in_formula, ahead = -1, False, -1
    bridges: set[int] = set()
    beside: set[int] = set()
    for other, one in enumerate(pairs.of_output):
        number = sides.word_of[one] if one >= 0 else -1
        if number < 0 or number == last or sides.words[number].hidden or _is_upright(sides.words[number]):
            continue
        if formulas[sides.offsets[other]]:
            in_formula = True
            continue
        if in_formula:
            bridges.add(sides.offsets[other])
            beside |= {ahead, sides.offsets[other]}
        last, in_formula, ahead = number, False, sides.offsets[other]
        at = bisect_right(starts, sides.offsets[other]) - 1
        if at >= 0 and sides.offsets[other] < units[at].end:
            found[at][0].append(sides.words[number])
            found[at][1].append(sides.offsets[other])
    white = _White(sides.words)
    made = []
    for number, (unit, (words, offsets)) in enumerate(zip(units, found, strict=True)):
        if words:
            lines = list(_lines(words, offsets, white))
            for line in lines:
                line.bridged = line.start in bridges
                line.mixed = any(offset in beside for piece in line.pieces for offset in piece.offsets)
            made.append(Placed(unit, lines, number))
    return made


def _is_upright(word: VisibleWord) -> bool:
    """Whether a word runs up or down, or leftwards: such lines are not followed."""
    return (len(word.text) > 2 and word.y1 - word.y0 > 1.5 * (word.x1 - word.x0)) or runs_leftwards(word.text)


class _White:
    """The white of a page: where none of its ``words`` stands."""

    def __init__(self, words: Sequence[VisibleWord]) -> None:
        self._words = sorted((word for word in words if not word.hidden), key=attrgetter("y0"))
        self._tops = [word.y0 for word in self._words]

    def is_between(self, before: VisibleWord, after: VisibleWord) -> bool:
        """Whether nothing stands between two words of a line."""
        top, bottom = max(before.y0, after.y0), min(before.y1, after.y1)
        middle = (top + bottom) / 2
        first = bisect_right(self._tops, middle - 2 * (bottom - top))
        return not any(
            word.y1 > middle and before.x1 <= (word.x0 + word.x1) / 2 <= after.x0
            for word in self._words[first : bisect_right(self._tops, middle)]
        )


def _lines(words: Sequence[VisibleWord], offsets: Sequence[int], white: _White) -> Iterator[Line]:
    line = Line()
    base: VisibleWord | None = None  # the tallest word of the line so far
    for word, offset in zip(words, offsets, strict=True):
        if base is not None and _is_behind(line.pieces[-1].words[-1], base, word):
            last = line.pieces[-1].words[-1]
            if word.x0 - last.x1 > GAP * max(base.y1 - base.y0, word.y1 - word.y0) and white.is_between(last, word):
                line.pieces.append(Piece([word], [offset]))
            else:
                line.pieces[-1].words.append(word)
                line.pieces[-1].offsets.append(offset)
            base = max(base, word, key=lambda one: one.y1 - one.y0)
        else:
            if line.pieces:
                yield line.measured()
            line, base = Line([Piece([word], [offset])]), word
    if line.pieces:
        yield line.measured()


def _is_behind(before: VisibleWord, base: VisibleWord, word: VisibleWord) -> bool:
    """Whether ``word`` goes on the line of ``base`` behind the word ``before``; small ones may be raised or lowered."""
    if word.x0 <= before.x0 or word.x0 < before.x1 - max(base.y1 - base.y0, 0.5 * (before.x1 - before.x0)):
        return False
    tall, own = base.y1 - base.y0, word.y1 - word.y0
    low = min(tall, own)
    if min(base.y1, word.y1) - max(base.y0, word.y0) > LEVEL * low:
        return True
    is_raised = own != tall and low < SMALL * max(tall, own) and word.x0 - before.x1 < tall
    return is_raised and min(base.y1, word.y1) - max(base.y0, word.y0) > -0.2 * low
