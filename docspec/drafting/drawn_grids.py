"""Grids of drawn lines: closed cells by rows and columns. Everything is in points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from docspec.core import BBox
from docspec.drafting.figure_columns import is_figure

NEAR = 3.0
"""Points between two edges of cells that are one line."""

GAP = 0.75
"""Least white, in heights of a word, on both sides of a column's edge that cells without rules between them share."""

WIDE = 1.5
"""Heights of a word between a figure and what stands before it that part columns."""

CROWDED = 0.2
"""From this share of the filled cells on with such gaps, the grid lacks the lines of its columns."""


class Slot(NamedTuple):
    """A closed cell: its place, its first row and column (from 0), and how many of each it takes."""

    bbox: BBox
    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the page where it stands."""

    bbox: BBox
    text: str


def cells_together(cells: Iterable[Sequence[float]]) -> list[list[Sequence[float]]]:
    """Closed ``cells`` (``x0, y0, x1, y1``) in groups that hang together by their corners, in the order of their first
    cells."""
    groups: list[list[Sequence[float]]] = []
    at: dict[tuple[float, float], list[Sequence[float]]] = {}
    for cell in cells:
        corners = [(x, y) for x in (cell[0], cell[2]) for y in (cell[1], cell[3])]
        own, *others = {id(at[corner]): at[corner] for corner in corners if corner in at}.values() or ([],)
        if not own:
            groups.append(own)
        own.append(cell)
        for other in others:
            groups = [group for group in groups if group is not other]
            own += other
            at = {corner: own if group is other else group for corner, group in at.items()}
        at |= dict.fromkeys(corners, own)
    return groups


def slots_of(cells: Sequence[Sequence[float]]) -> list[Slot]:
    """Closed ``cells`` (``x0, y0, x1, y1``) by rows and columns; empty if they are no table of two rows and columns."""
    xs = _edges([x for cell in cells for x in (cell[0], cell[2])])
    ys = _edges([y for cell in cells for y in (cell[1], cell[3])])
    slots = []
    for x0, y0, x1, y1 in cells:
        left, right, top, bottom = _at(xs, x0), _at(xs, x1), _at(ys, y0), _at(ys, y1)
        if right > left and bottom > top:
            slots.append(Slot(BBox(x0, y0, x1, y1), top, left, bottom - top, right - left))
    return sorted(slots, key=lambda slot: (slot.row, slot.column)) if len(xs) > 2 and len(ys) > 2 else []


def parted(slots: Sequence[Slot], words: Sequence[Word]) -> list[Slot]:
    """``slots``, in which a cell over several columns is divided at their edges where its ``words`` leave room there:
    rows often have lines below them only, and the heads above them show the columns."""
    lefts = {slot.column: slot.bbox.x0 for slot in slots}
    divided: list[Slot] = []
    for slot in slots:
        inside = [word.bbox for word in words if slot.bbox.has_center_of(word.bbox)]
        edges = [
            (number, lefts[number])
            for number in range(slot.column + 1, slot.column + slot.columns)
            if number in lefts and not any(box.x0 + 1 < lefts[number] < box.x1 - 1 for box in inside)
        ]
        if not any(_leaves_room(x, inside) for _, x in edges):
            divided.append(slot)
            continue
        starts = [(slot.column, slot.bbox.x0), *edges, (slot.column + slot.columns, slot.bbox.x1)]
        for (first, x0), (last, x1) in pairwise(starts):
            box = BBox(x0, slot.bbox.y0, x1, slot.bbox.y1)
            divided.append(Slot(box, slot.row, first, slot.rows, last - first))
    return divided


def _leaves_room(x: float, boxes: Sequence[BBox]) -> bool:
    """Whether words stand on both sides of ``x`` in one line, well apart."""
    rooms = [
        right.x0 - left.x1 >= GAP * min(left.height, right.height)
        for left in boxes
        if left.center_x < x
        for right in boxes
        if right.center_x > x and left.in_row_with(right)
    ]
    return bool(rooms) and all(rooms)


def lacks_columns(slots: Sequence[Slot], words: Sequence[Word]) -> bool:
    """Whether figures stand well apart from other words of their line in too many cells of ``slots``."""
    filled = [inside for slot in slots if (inside := [word for word in words if slot.bbox.has_center_of(word.bbox)])]
    return sum(map(_is_crowded, filled)) > CROWDED * len(filled)


def _is_crowded(words: Sequence[Word]) -> bool:
    """Whether one of ``words`` is a figure with a wide gap before it."""
    for word in words:
        before = [one.bbox for one in words if one.bbox.x1 <= word.bbox.x0 and one.bbox.in_row_with(word.bbox)]
        gap = min((word.bbox.x0 - box.x1 for box in before), default=0.0)
        if gap > WIDE * word.bbox.height and is_figure(word.text):
            return True
    return False


def _edges(values: Sequence[float]) -> list[float]:
    edges: list[float] = []
    for value in sorted(values):
        if not edges or value - edges[-1] > NEAR:
            edges.append(value)
    return edges


def _at(edges: Sequence[float], value: float) -> int:
    return min(range(len(edges)), key=lambda number: abs(edges[number] - value))
