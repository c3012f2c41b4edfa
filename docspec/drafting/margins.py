"""Marks in the margin: the points of a question, the number of a paragraph. Each is read with the line beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from docspec.core import BBox
from docspec.drafting.lines import TextLine, joined_row

PARAGRAPH = re.compile(r"[¶§] ?\d{1,3}\b")
MARK = re.compile(rf"[\[(]\d{{1,3}}[\])]|{PARAGRAPH.pattern}")
"""Points in brackets, and numbers of paragraphs, of which one alone is sure."""

LEAST, NEAR, ALIGNED = 2, 6.0, 0.5
"""Least marks below each other, how far above and below one no other text stands in its column, and how far their edges
are off each other, in heights of a mark."""

MOST = 100
"""Most marks of a page: each is compared with all lines."""


def with_margin_marks(lines: Sequence[TextLine], is_cell: Callable[[TextLine], bool]) -> list[TextLine]:
    """``lines``, in which marks that stand below each other outside of the column of text begin or end the line beside
    them. Cells, and marks without text beside them, stay as they are."""
    level = [line for line in lines if not (line.turns or line.slanted or line.hidden)]
    marks = [line for line in level if MARK.fullmatch(line.text.strip()) and not is_cell(line)]
    if not 0 < len(marks) <= MOST:
        return list(lines)
    known = {id(mark) for mark in marks}
    others = [line for line in level if id(line) not in known and line.text.strip()]
    joined = {id(line): line for line in lines}
    for mark in marks:
        column = [one for one in marks if _are_aligned(one.bbox, mark.bbox)]
        near = BBox(*_reach(mark.bbox))
        is_sure = len(column) >= LEAST or PARAGRAPH.match(mark.text.strip()) is not None
        if not is_sure or any(line.bbox.overlap(near) > 0 for line in others):
            continue
        row = [line for line in others if line.bbox.in_row_with(mark.bbox) and not is_cell(line)]
        beside = min(row, key=lambda line: _distance(line.bbox, mark.bbox), default=None)
        if beside is None or joined.get(id(beside)) is not beside:
            continue
        parts = sorted((mark, beside), key=lambda line: line.bbox.x0)
        text, emphasis = joined_row(parts)
        # The line begins where its text does: beside a number it would be one that hangs out.
        box = beside.bbox if parts[0] is mark else BBox.union([mark.bbox, beside.bbox])
        joined[id(beside)] = replace(beside, text=text, marks=emphasis, bbox=box)
        del joined[id(mark)]
    return [joined[id(line)] for line in lines if id(line) in joined]


def _are_aligned(one: BBox, other: BBox) -> bool:
    return min(abs(one.x0 - other.x0), abs(one.x1 - other.x1)) < ALIGNED * other.height


def _reach(mark: BBox) -> tuple[float, float, float, float]:
    return mark.x0, mark.y0 - NEAR * mark.height, mark.x1, mark.y1 + NEAR * mark.height


def _distance(one: BBox, other: BBox) -> float:
    return max(one.x0 - other.x1, other.x0 - one.x1)
