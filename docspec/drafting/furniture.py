"""Running heads and feet that a layout model took for text: boxes in one row with furniture at the edge of the page,
above or below all else, and a first line with the number of the page in front of running text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from docspec.core import BBox, Category
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine

TOUCH = 0.5
"""Least overlap of two boxes in one row, as a share of the lower one's height."""

PROSE = 3
"""Least lines of running text below a running head, each of one piece."""

_NUMBER = re.compile(r"\[?(?:\d{1,4}|[ivxlc]{1,7})\]?")


def is_running_head(rows: Sequence[Sequence[TextLine]]) -> bool:
    """Whether the first of the printed lines ``rows``, which begin a page, is its running head: pieces with the number
    of the page at one end and a wide gap between them, over running text."""
    first, below = rows[0], rows[1 : 1 + PROSE]
    numbered = any(_NUMBER.fullmatch(line.text) for line in (first[0], first[-1]))
    apart = any(b.bbox.x0 - a.bbox.x1 > max(a.bbox.height, b.bbox.height) for a, b in pairwise(first))
    return numbered and apart and len(below) == PROSE and all(len(row) == 1 for row in below)


def whole_furniture(boxes: Sequence[LayoutBox]) -> list[LayoutBox]:
    """``boxes`` in which parts of running heads and feet that were called text have their right category."""
    kinds = [_furniture(box, boxes) for box in boxes]
    return [box if kind is None else replace(box, category=kind) for box, kind in zip(boxes, kinds, strict=True)]


def _furniture(box: LayoutBox, boxes: Sequence[LayoutBox]) -> Category | None:
    """The category of furniture if ``box``, a line of text, is part of it."""
    if box.category is not Category.TEXT or not all(_in_one_row(box.bbox, member) for member in box.members):
        return None
    beside = {other.category for other in boxes if other.category.is_furniture and _in_one_row(box.bbox, other.bbox)}
    middle = box.bbox.center_y
    rest = [other.bbox for other in boxes if not other.category.is_furniture and not _in_one_row(box.bbox, other.bbox)]
    if Category.PAGE_HEADER in beside and all(one.y0 > middle for one in rest):
        return Category.PAGE_HEADER
    if Category.PAGE_FOOTER in beside and all(one.y1 < middle for one in rest):
        return Category.PAGE_FOOTER
    return None


def _in_one_row(a: BBox, b: BBox) -> bool:
    return a.shared_height(b) > TOUCH * max(a.height, b.height)
