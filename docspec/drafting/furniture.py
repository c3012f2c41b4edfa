"""Running heads and feet of which a layout model took a part for text: what stands in one row with them at the edge of
the page, above or below everything else, is furniture too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docspec.core import BBox, Category
from docspec.drafting.layout import LayoutBox

TOUCH = 0.5
"""Of the lower one's height: what two boxes in one row share at least."""


def whole_furniture(boxes: Sequence[LayoutBox]) -> list[LayoutBox]:
    """``boxes`` with the parts of running heads and feet that were called text as what they are."""
    kinds = [_furniture(box, boxes) for box in boxes]
    return [box if kind is None else replace(box, category=kind) for box, kind in zip(boxes, kinds, strict=True)]


def _furniture(box: LayoutBox, boxes: Sequence[LayoutBox]) -> Category | None:
    """Which furniture ``box``, a line of text, is a part of."""
    if box.category is not Category.TEXT or not all(_in_one_row(box.bbox, member) for member in box.members):
        return None
    beside = {other.category for other in boxes if other.category.is_furniture and _in_one_row(box.bbox, other.bbox)}
    middle = (box.bbox.y0 + box.bbox.y1) / 2
    rest = [other.bbox for other in boxes if not other.category.is_furniture and not _in_one_row(box.bbox, other.bbox)]
    if Category.PAGE_HEADER in beside and all(one.y0 > middle for one in rest):
        return Category.PAGE_HEADER
    if Category.PAGE_FOOTER in beside and all(one.y1 < middle for one in rest):
        return Category.PAGE_FOOTER
    return None


def _in_one_row(a: BBox, b: BBox) -> bool:
    return min(a.y1, b.y1) - max(a.y0, b.y0) > TOUCH * max(a.height, b.height)
