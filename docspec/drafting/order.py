"""Reading order where the layout model's own goes back and forth between columns.

On most pages the model is right, and it is kept; on small sheets it sometimes reads two columns row by row.
Then an order by white space wins if it changes columns clearly less often, or if the model reads columns on past a
heading that spans them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

from docspec.core import BBox, Category, Event
from docspec.core.safe_text import one_line
from docspec.drafting.columns import cut_layout
from docspec.drafting.furniture import whole_furniture
from docspec.drafting.layout import WHITE_SPACE, LayoutBox, analyse
from docspec.drafting.lines import TextLine, runs_leftwards
from docspec.drafting.numbered import by_numbers
from docspec.drafting.xycut import xy_cut

HEADINGS = frozenset({Category.TITLE, Category.SECTION_HEADER})

MARGIN = 2  # changes of column that the model may make more before its order is given up
MAX_LINES = 1000
"""Most lines of a page for the layout model: its time grows with their square, 1,950 take 12 seconds."""


def layout_of(page: Any, lines: Sequence[TextLine]) -> tuple[list[LayoutBox], str, tuple[Event, ...]]:
    """The boxes of a ``pymupdf.Page`` with the text ``lines`` in reading order, and their source: the layout model,
    or the white space where the model fails or the lines are too many, which is an event."""
    if len(lines) > MAX_LINES:
        why = f"{len(lines):,} lines are too many for the layout model"
    else:
        try:
            boxes = settled_order(whole_furniture(analyse(page)), runs_leftwards(lines))
            return by_numbers(boxes, lines), "PyMuPDF", ()
        except Exception as error:
            page.layout_information = None
            why = f"the layout model failed ({one_line(str(error))[:200] or type(error).__name__})"
    event = Event("layout_skipped", f"{why}; cut along white space instead")
    return cut_layout(lines, page.rect.width, page.rect.height), WHITE_SPACE, (event,)


def settled_order(boxes: Sequence[LayoutBox], leftwards: bool = False) -> list[LayoutBox]:
    """``boxes`` in the model's order, or in that of the white space where the model's is restless; the model reads
    columns from left to right, so ``leftwards`` the white space orders all."""
    if leftwards:
        return white_space_order(boxes, leftwards)
    body = [box for box in boxes if not box.category.is_furniture]
    if _changes(body) < _changes(by_white_space(body)) + MARGIN and not _splices(body):
        return list(boxes)
    return white_space_order(boxes)


def white_space_order(boxes: Sequence[LayoutBox], leftwards: bool = False) -> list[LayoutBox]:
    """``boxes`` in the order of the white space, running heads first and feet last."""
    body = [box for box in boxes if not box.category.is_furniture]
    heads = [box for box in boxes if box.category.is_furniture and _comes_first(box, body)]
    feet = [box for box in boxes if box.category.is_furniture and not _comes_first(box, body)]
    return heads + by_white_space(body, leftwards) + feet


def _comes_first(box: LayoutBox, body: Sequence[LayoutBox]) -> bool:
    return bool(body) and box.bbox.y0 < min(other.bbox.y1 for other in body)


def _changes(boxes: Sequence[LayoutBox]) -> int:
    """The number of boxes that stand beside the one before and not in its column."""
    return sum(a.bbox.shared_width(b.bbox) <= 0 for a, b in pairwise(boxes))


def _splices(boxes: Sequence[LayoutBox]) -> bool:
    """Whether columns are read on past a heading that spans them: the text below it belongs to another article than
    the text above."""
    for number, one in enumerate(boxes):
        if one.category not in HEADINGS:
            continue
        spanned = [(at, box.bbox) for at, box in enumerate(boxes) if box.bbox.width and _spans(one.bbox, box.bbox)]
        below = [(at, box) for at, box in spanned if box.y0 >= one.bbox.y1 - 1]
        above = [at for at, box in spanned if box.y1 <= one.bbox.y0 + 1]
        columns = any(a.shared_width(b) <= 0 for (_, a), (_, b) in combinations(below, 2))
        if columns and (any(at > number for at in above) or any(at < number for at, _ in below)):
            return True
    return False


def _spans(heading: BBox, box: BBox) -> bool:
    """Whether ``heading`` stands over or under most of the width of ``box``."""
    return heading.shared_width(box) > 0.5 * box.width


def by_white_space(boxes: Sequence[LayoutBox], leftwards: bool = False) -> list[LayoutBox]:
    """Left part before right part (``leftwards`` after it) where a gutter runs through, else upper before lower
    part."""
    parts = xy_cut(boxes, lambda box: box.bbox, leftwards=leftwards)
    across = -1 if leftwards else 1
    return [box for part in parts for box in sorted(part, key=lambda box: (box.bbox.y0, across * box.bbox.x0))]
