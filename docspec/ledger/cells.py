"""Whether the cells of written tables hold the words of one row each, by the heights at which these are drawn."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from docspec.core import BBox
from docspec.core.account import Misplaced
from docspec.ledger.placed import Line, Placed

_FIGURE = re.compile(r"[-+−–(]?[$€£¥]?\d[\d.,:'’]*\)?%?")
SAME = 0.35
"""Heights of a line by which the lines of one row may stand off each other."""

LEAST = 3
"""Least cells of a column, or rows of a table, that say what is usual in it."""


def cells_of(units: Sequence[Placed]) -> Iterator[Misplaced]:
    """Cells that hold words of several rows, and rows that come after what stands under them."""
    tables: dict[int, list[Placed]] = defaultdict(list)
    for one in units:
        if one.unit.kind == "cell":
            tables[one.unit.group].append(one)
    for cells in tables.values():
        rows: dict[int, list[Placed]] = defaultdict(list)
        for cell in cells:
            rows[cell.unit.row].append(cell)
        pitch = _pitch(list(rows.values()))
        singles = _of_figures(cells)
        for row in rows.values():
            wrong = _joined(row, pitch) or next((cell for cell in row if _has_two(cell, singles)), None)
            if wrong is not None:
                text = " ".join(word.text for line in wrong.lines for word in line.words[:4])
                yield Misplaced("rows_joined", text, wrong.bbox)
                break
        yield from _upwards(list(rows.values()))


def _pitch(rows: Sequence[Sequence[Placed]]) -> float:
    """The usual distance of the first lines of rows; 0 if there are too few."""
    tops = [min(cell.lines[0].middle for cell in row) for row in rows]
    downs = [b - a for a, b in pairwise(tops) if b > a]
    return median(downs) if len(downs) >= LEAST - 1 else 0.0


def _printed(cell: Placed) -> list[Line]:
    """The lines of a cell at different heights."""
    lines: list[Line] = []
    for line in cell.lines:
        if not lines or all(abs(line.middle - other.middle) > SAME * line.height for other in lines):
            lines.append(line)
    return lines


def _joined(row: Sequence[Placed], pitch: float) -> Placed | None:
    """The first cell of a row of which most cells have lines at the same two or more heights, as far from each other as
    rows are; none in the head, whose labels are broken."""
    if row[0].unit.row == 0 or all(cell.unit.head for cell in row) or not pitch or len(row) < 2:
        return None
    lines = [_printed(cell) for cell in row]
    several = [own for own in lines if len(own) > 1]
    if len(several) < 2 or 2 * len(several) <= len(row):
        return None
    first = several[0]
    level = [
        own
        for own in several
        if all(abs(a.middle - b.middle) < SAME * a.height for a, b in zip(first, own, strict=False))
        and len(own) == len(first)
    ]
    step = first[1].middle - first[0].middle
    if 2 * len(level) > len(row) and len(level) > 1 and step > 0.8 * pitch:
        return next(cell for cell, own in zip(row, lines, strict=True) if own is first)
    return None


def _of_figures(cells: Sequence[Placed]) -> frozenset[int]:
    """The columns of single figures."""
    columns: dict[int, list[bool]] = defaultdict(list)
    for cell in cells:
        words = [word for line in cell.lines for word in line.words]
        columns[cell.unit.column].append(len(words) == 1 and _FIGURE.fullmatch(words[0].text) is not None)
    return frozenset(
        column for column, single in columns.items() if len(single) >= LEAST and sum(single) >= 0.6 * len(single)
    )


def _has_two(cell: Placed, singles: frozenset[int]) -> bool:
    """Whether a cell of a column of single figures has several, at several heights or with a wide gap."""
    if cell.unit.column not in singles:
        return False
    figures = [
        piece
        for line in cell.lines
        for piece in line.pieces
        if all(_FIGURE.fullmatch(word.text) for word in piece.words)
    ]
    return len(figures) > 1


def _upwards(rows: Sequence[Sequence[Placed]]) -> Iterator[Misplaced]:
    """A row that stands above the one before it."""
    for before, after in pairwise(rows):
        pairs = [(a, b) for a in before for b in after if a.unit.column == b.unit.column]
        up = [b for a, b in pairs if b.lines[0].middle < a.lines[0].middle - 0.5 * a.height]
        if up and len(up) == len(pairs):
            text = " ".join(word.text for word in up[0].lines[0].words[:4])
            yield Misplaced("moves_up", text, BBox.union([line for cell in up for line in cell.lines]))
            return
