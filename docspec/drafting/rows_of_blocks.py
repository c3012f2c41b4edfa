"""What the reading order must know of blocks beside each other: two addresses are read before the greeting below one of
them, and a heading is as wide as the column that it stands over.
"""

from __future__ import annotations

from collections.abc import Sequence

from docspec.core import BBox, Category
from docspec.drafting.layout import LayoutBox

LEVEL = 0.6
"""Heights of a line by which blocks in a row may begin lower than each other."""

RAGGED = 0.1
"""Share of its width by which a line of a block that is no prose ends early."""

SHORT, LINES = 30.0, 8
"""Greatest width of such a block, in heights of a line, and most lines."""

MOST = 150
"""Most boxes of a page of which headings are looked at: the time grows with their square."""


def is_row_of_blocks(columns: Sequence[Sequence[LayoutBox]], line: float) -> bool:
    """Whether ``columns``, at least two, are one block each that begin at one height, of a few short lines; ``line`` is
    the usual height of one."""
    tops = [box.bbox.y0 for column in columns for box in column]
    level = all(len(column) == 1 for column in columns) and max(tops) - min(tops) < LEVEL * line
    return level and all(_is_block(column[0], line) for column in columns)


def _is_block(box: LayoutBox, line: float) -> bool:
    """Whether ``box`` is text whose lines end where they like, not where a column does."""
    lines = sorted(box.members, key=lambda member: member.y0)
    if box.category is not Category.TEXT or not 0 < len(lines) <= LINES or box.bbox.width > SHORT * line:
        return False
    right = box.bbox.x1 - RAGGED * box.bbox.width
    return len(lines) < 3 or sum(one.x1 < right for one in lines[:-1]) > 1 or lines[0].x1 < right


def columns_of_headings(boxes: Sequence[LayoutBox], close: float, line: float) -> dict[int, BBox]:
    """The text that each narrow heading among ``boxes`` stands right above, at its left edge, by the heading's ``id``;
    ``close`` is the most white between both."""
    found: dict[int, BBox] = {}
    for head in (box for box in boxes if box.category.is_heading and len(boxes) <= MOST):
        near = [
            box.bbox
            for box in boxes
            if box.category is Category.TEXT
            and 0 <= box.bbox.y0 - head.bbox.y1 < close
            and abs(box.bbox.x0 - head.bbox.x0) < line
            and box.bbox.x1 > head.bbox.x1
        ]
        if near:
            found[id(head)] = min(near, key=lambda box: box.y0)
    return found
