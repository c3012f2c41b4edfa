"""Reading order where the layout model's own goes back and forth between columns.

On most pages the model is right, and it is kept; on small sheets it sometimes reads two columns row by row.
An order by white space that changes columns clearly less often then wins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from docspec.core import BBox
from docspec.drafting.layout import LayoutBox

MARGIN = 2  # changes of column that the model may make more before its order is given up


def settled_order(boxes: Sequence[LayoutBox]) -> list[LayoutBox]:
    """``boxes`` in the model's order, or in that of the white space where the model's is restless."""
    body = [box for box in boxes if not box.category.is_furniture]
    cut = _cut(body, 0)
    if _changes(body) < _changes(cut) + MARGIN:
        return list(boxes)
    heads = [box for box in boxes if box.category.is_furniture and _comes_first(box, body)]
    feet = [box for box in boxes if box.category.is_furniture and not _comes_first(box, body)]
    return heads + cut + feet


def _comes_first(box: LayoutBox, body: Sequence[LayoutBox]) -> bool:
    return bool(body) and box.bbox.y0 < min(other.bbox.y1 for other in body)


def _changes(boxes: Sequence[LayoutBox]) -> int:
    """How often the next box stands beside the one before and not in its column."""
    return sum(min(a.bbox.x1, b.bbox.x1) <= max(a.bbox.x0, b.bbox.x0) for a, b in pairwise(boxes))


def _cut(boxes: Sequence[LayoutBox], depth: int) -> list[LayoutBox]:
    """Left part before right part where a gutter runs through, else upper before lower part."""
    if len(boxes) < 2 or depth > 60:
        return list(boxes)
    axes: tuple[Callable[[BBox], tuple[float, float]], ...] = (
        lambda box: (box.x0, box.x1),
        lambda box: (box.y0, box.y1),
    )
    for axis in axes:
        parts = _split(boxes, axis)
        if parts is not None:
            return _cut(parts[0], depth + 1) + _cut(parts[1], depth + 1)
    return sorted(boxes, key=lambda box: (box.bbox.y0, box.bbox.x0))


def _split(
    boxes: Sequence[LayoutBox], axis: Callable[[BBox], tuple[float, float]]
) -> tuple[list[LayoutBox], list[LayoutBox]] | None:
    ordered = sorted(boxes, key=lambda box: axis(box.bbox))
    best, at, reach = 0.0, 0, axis(ordered[0].bbox)[1]
    for index, box in enumerate(ordered[1:], 1):
        start, end = axis(box.bbox)
        if start - reach > best:
            best, at = start - reach, index
        reach = max(reach, end)
    return (ordered[:at], ordered[at:]) if at else None
