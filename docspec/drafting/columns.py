"""A layout from white space alone (a recursive X-Y cut): for pages where the layout model is slow or missing.

Columns are cut before rows, so that text of neighbouring columns is never interleaved. Categories are
guessed from size, place and bullets; they are good enough to verify a draft against.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from statistics import median

from docspec.core import BBox, Category
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine, printed_lines, runs_leftwards, usual_height
from docspec.drafting.xycut import xy_cut

_BULLET = re.compile(r"^([•◦▪‣–—*-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s")

GUTTER = 0.6
"""Heights of a line between two columns, at least."""

COLUMN = 8
"""Heights of a line that a column is wide, at least."""


def cut_layout(lines: Sequence[TextLine], width: float, height: float) -> list[LayoutBox]:
    """Paragraph-like boxes of ``lines`` in reading order, on a page of ``width`` x ``height`` in the lines'
    unit.
    """
    if not lines:
        return []
    unit = usual_height(lines)
    body = median(line.size or line.bbox.height for line in lines)
    boxes = []
    for group in xy_cut(lines, lambda line: line.bbox, 0.8 * unit, 0.55 * unit, _has_rows, runs_leftwards(lines)):
        members = tuple(line.bbox for line in group)
        bbox = BBox.union(members)
        boxes.append(LayoutBox(bbox, _category(group, bbox, body, height), members))
    return boxes


def _has_rows(lines: Sequence[TextLine]) -> bool:
    """Whether there is more than one printed line: the cells of a single line are no columns."""
    if max(line.bbox.y0 for line in lines) >= min(line.bbox.y1 for line in lines):
        return True
    return len(printed_lines(lines)) > 1


def columns_of(lines: Sequence[TextLine], ragged: bool = False) -> list[list[TextLine]]:
    """``lines`` that a layout model took for one region, by the columns in which they are set, in reading order.

    Columns count only where all are wide: bullets, numbers and keys beside their values are no columns. With
    ``ragged``, the whole must be wide instead, as the lines are pieces.
    """
    unit = usual_height(lines)
    groups = xy_cut(lines, lambda line: line.bbox, GUTTER * unit, math.inf, _has_rows, runs_leftwards(lines))
    widths = (
        BBox.union(line.bbox for line in group).width if ragged else median(line.bbox.width for line in group)
        for group in groups
    )
    wide = all(width >= COLUMN * unit for width in widths)
    return groups if wide else [list(lines)]


def _category(lines: Sequence[TextLine], bbox: BBox, body: float, height: float) -> Category:
    text = " ".join(line.text for line in lines)
    size = median(line.size or line.bbox.height for line in lines)
    if len(text) < 120 and bbox.y1 < 0.06 * height:
        return Category.PAGE_HEADER
    if len(text) < 120 and bbox.y0 > 0.94 * height:
        return Category.PAGE_FOOTER
    if size > 1.7 * body and len(text) < 200 and bbox.y0 < 0.35 * height:
        return Category.TITLE
    if size > 1.15 * body and len(text) < 200:
        return Category.SECTION_HEADER
    if _BULLET.match(lines[0].text):
        return Category.LIST_ITEM
    return Category.TEXT
