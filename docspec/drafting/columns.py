"""A layout from white space alone (a recursive X-Y cut): for pages where the layout model is slow or missing.

Columns are cut before rows, so that text of neighbouring columns is never interleaved. Categories are
guessed from size, place and bullets; they are good enough to verify a draft against.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from statistics import median

from docspec.core import BBox, Category
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine, printed_lines, usual_height

_BULLET = re.compile(r"^([•◦▪‣–—*-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s")
_MAX_DEPTH = 40


def cut_layout(lines: Sequence[TextLine], width: float, height: float) -> list[LayoutBox]:
    """Paragraph-like boxes of ``lines`` in reading order, on a page of ``width`` x ``height`` in the lines'
    unit.
    """
    if not lines:
        return []
    unit = usual_height(lines)
    body = median(line.size or line.bbox.height for line in lines)
    boxes = []
    for group in _cut(list(lines), unit, 0):
        members = tuple(line.bbox for line in group)
        bbox = BBox.union(members)
        boxes.append(LayoutBox(bbox, _category(group, bbox, body, height), members))
    return boxes


def _cut(lines: list[TextLine], unit: float, depth: int) -> list[list[TextLine]]:
    """Groups in reading order: split at the widest gutter, or else at the widest band of white."""
    if len(lines) < 2 or depth > _MAX_DEPTH:
        return [lines]
    gutter = _widest_gap(lines, lambda box: (box.x0, box.x1))
    band = _widest_gap(lines, lambda box: (box.y0, box.y1))
    if gutter[0] > 0.8 * unit and len(printed_lines(lines)) > 1:
        first = [line for line in lines if line.bbox.x1 <= gutter[1]]
        second = [line for line in lines if line.bbox.x1 > gutter[1]]
    elif band[0] > 0.55 * unit:
        first = [line for line in lines if line.bbox.y1 <= band[1]]
        second = [line for line in lines if line.bbox.y1 > band[1]]
    else:
        return [lines]
    return _cut(first, unit, depth + 1) + _cut(second, unit, depth + 1)


def _widest_gap(
    lines: Sequence[TextLine], axis: Callable[[BBox], tuple[float, float]]
) -> tuple[float, float]:
    """Width of the widest stretch along an axis that no line covers, and its middle."""
    spans = sorted(axis(line.bbox) for line in lines)
    best, middle, reach = 0.0, 0.0, spans[0][1]
    for start, end in spans[1:]:
        if start - reach > best:
            best, middle = start - reach, (start + reach) / 2
        reach = max(reach, end)
    return best, middle


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
