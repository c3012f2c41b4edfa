"""A layout from white space alone (a recursive X-Y cut): for pages where the layout model is slow or missing.

Things on a page are divided along the white between them, columns before rows, so that text of neighbouring columns is
never interleaved. Categories are guessed from size, place and bullets; they are good enough to verify a draft against.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import TypeVar

from docspec.core import BBox, Category
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine, printed_lines, runs_leftwards, usual_height

_BULLET = re.compile(r"^([•◦▪‣–—*-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s")

GUTTER = 0.6
"""Heights of a line between two columns, at least."""

SINGLE = 2.0
"""The same where a column has one line: the spaces of a justified line may be wide."""

COLUMN = 8
"""Heights of a line that a column is wide, at least."""

PARAGRAPH = 0.55
"""Heights of a line between two paragraphs, at least."""

ROWS, LEVEL, ALIGNED = 6, 0.2, 0.5
"""Least rows of columns of which one is narrow, heights of a line by which level ones differ, and their greatest share.
"""

T = TypeVar("T")

MAX_DEPTH = 60

TIE = 1e-6  # gaps that differ by less are one width: the cut goes through the middle one, so that depth stays small


def cut_layout(lines: Sequence[TextLine], height: float) -> list[LayoutBox]:
    """Paragraph-like boxes of ``lines`` in reading order, on a page of that ``height`` in the lines' unit."""
    if not lines:
        return []
    unit = usual_height(lines)
    body = median(line.size or line.bbox.height for line in lines)
    boxes = []
    for group in xy_cut(lines, lambda line: line.bbox, 0.8 * unit, PARAGRAPH * unit, _has_rows, runs_leftwards(lines)):
        box = LayoutBox.around(group, Category.TEXT)
        boxes.append(replace(box, category=_category(group, box.bbox, body, height)))
    return boxes


def _has_rows(lines: Sequence[TextLine]) -> bool:
    """Whether there is more than one printed line: the cells of a single line are no columns."""
    if max(line.bbox.y0 for line in lines) >= min(line.bbox.y1 for line in lines):
        return True
    return len(printed_lines(lines)) > 1


def columns_of(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """``lines`` that a layout model took for one region, by the columns in which they are set, in reading order.

    Columns count only where all are wide: bullets, numbers and keys beside their values are no columns.
    """
    unit = usual_height(lines)

    def parted(gutter: float) -> list[list[TextLine]]:
        return xy_cut(lines, lambda line: line.bbox, gutter * unit, math.inf, _has_rows, runs_leftwards(lines))

    groups = parted(GUTTER)
    if any(max(line.bbox.y0 for line in group) < min(line.bbox.y1 for line in group) for group in groups):
        groups = parted(SINGLE)
    if all(median(line.bbox.width for line in group) >= COLUMN * unit for group in groups):
        return groups
    columns = _with_narrow_ones(groups, COLUMN * unit)
    if len(columns) < 2 or _in_rows(columns):
        return [list(lines)]
    return [part for column in columns for part in xy_cut(column, lambda line: line.bbox, math.inf, PARAGRAPH * unit)]


def _with_narrow_ones(groups: Sequence[list[TextLine]], least: float) -> list[list[TextLine]]:
    """Columns from left to right, of which those that are narrower than ``least`` belong to the one before: the dates
    beside the stations of a life."""
    columns: list[list[TextLine]] = []
    for group in groups:
        if columns and median(line.bbox.width for line in group) < least:
            columns[-1] += group
        else:
            columns.append(list(group))
    return columns


def _in_rows(columns: Sequence[Sequence[TextLine]]) -> bool:
    """Whether ``columns`` have few rows, or most of their rows stand in one line with each other, as those of a table
    do."""
    left, *others = [printed_lines(column) for column in columns]
    few = min(len(left), *map(len, others)) < ROWS
    bases = [row[0].bbox.y1 for rows in others for row in rows]
    level = sum(any(abs(row[0].bbox.y1 - base) < LEVEL * row[0].bbox.height for base in bases) for row in left)
    return few or level > ALIGNED * len(left)


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


def xy_cut(
    items: Sequence[T],
    box: Callable[[T], BBox],
    gutter: float = 0.0,
    band: float = 0.0,
    has_columns: Callable[[Sequence[T]], bool] = lambda items: True,
    leftwards: bool = False,
    depth: int = 0,
) -> list[list[T]]:
    """Groups of ``items`` in reading order that no white stretch divides any more.

    A vertical stretch wider than ``gutter`` parts a group that ``has_columns``, its left part before its right one
    (``leftwards`` after it); else a horizontal one higher than ``band`` does, upper before lower; always at the widest.
    O(n log n) per level, at most :data:`MAX_DEPTH` levels; ``depth`` is the present one.
    """
    if len(items) < 2 or depth >= MAX_DEPTH:
        return [list(items)] if items else []
    width, x = _widest_gap([(box(item).x0, box(item).x1) for item in items])
    if width > gutter and has_columns(items):
        parts = [item for item in items if box(item).x1 <= x], [item for item in items if box(item).x1 > x]
        parts = parts[::-1] if leftwards else parts
    else:
        height, y = _widest_gap([(box(item).y0, box(item).y1) for item in items])
        if height <= band:
            return [list(items)]
        parts = [item for item in items if box(item).y1 <= y], [item for item in items if box(item).y1 > y]
    return [group for part in parts for group in xy_cut(part, box, gutter, band, has_columns, leftwards, depth + 1)]


def _widest_gap(spans: list[tuple[float, float]]) -> tuple[float, float]:
    """Width of the widest stretch that no span covers, and its middle; of several, the one in the middle."""
    spans.sort()
    gaps: list[tuple[float, float, int]] = []
    reach = spans[0][1]
    for index, (start, end) in enumerate(spans):
        if start > reach:
            gaps.append((start - reach, (start + reach) / 2, index))
        reach = max(reach, end)
    if not gaps:
        return 0.0, 0.0
    widest = max(gap for gap, _, _ in gaps)
    ties = [tie for tie in gaps if tie[0] >= widest - TIE]
    width, middle, _ = min(ties, key=lambda tie: abs(2 * tie[2] - len(spans)))
    return width, middle
