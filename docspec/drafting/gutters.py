"""Boxes of a layout model that reach over the white between two columns: the numbers at the ends of a table of contents
and a formula beside them, say. With such a box no cut divides the columns any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from docspec.core import BBox, Category
from docspec.drafting.layout import LayoutBox

WHITE = 0.5
"""Heights of a line between two columns, at least."""

NEAR = 1.5
"""Heights of a line by which the edge of a column may lie off the parts of such a box."""

ABOUT, CROSSING = 40.0, 12.0
"""Heights of a line above and below a box in which the columns are looked for, and in which no line crosses them."""

COLUMN, LINES = 10.0, 3
"""Least width of a column's lines, in heights, and least lines that end, or begin, beside the white."""

COVERED = 0.3
"""Least share of a text under a picture from which on the picture may be two, one in each column."""

MOST = 2000
"""Most lines of a page that is looked at."""

_WHOLE = frozenset({Category.TABLE, Category.PICTURE, Category.PAGE_HEADER, Category.PAGE_FOOTER, Category.TITLE})


def parted_by_gutters(boxes: Sequence[LayoutBox]) -> list[LayoutBox]:
    """``boxes``, of which those with members on both sides of the white between two columns are one for each side."""
    lines = [(member, number) for number, box in enumerate(boxes) for member in box.members]
    if not lines or len(lines) > MOST:
        return list(boxes)
    height = median(member.height for member, _ in lines)
    result: list[LayoutBox] = []
    for number, box in enumerate(boxes):
        covered = _covered(box, boxes)
        white = None if box.category in _WHOLE and not covered else _white(box.members, WHITE * height)
        others = [member for member, owner in lines if owner != number]
        if white is None or not _is_gutter(white, box.bbox, others, height):
            result.append(box)
            continue
        for own in ([m for m in box.members if m.x1 <= white[0]], [m for m in box.members if m.x0 >= white[1]]):
            if covered:
                result.append(_side(box, own, white, covered))
                continue
            kind = Category.TEXT if box.category is Category.FORMULA and own[0].x1 <= white[0] else box.category
            result.append(replace(box, bbox=BBox.union(own), members=tuple(own), category=kind))
    return result


def _covered(picture: LayoutBox, boxes: Sequence[LayoutBox]) -> list[BBox]:
    """The texts among ``boxes`` that a ``picture`` reaches over; none of other boxes. No print does, so that the
    picture is taken too large."""
    if picture.category is not Category.PICTURE:
        return []
    texts = (one.bbox for one in boxes if one.category not in _WHOLE)
    return [
        text
        for text in texts
        if text.shared_width(picture.bbox) * text.shared_height(picture.bbox) > COVERED * text.width * text.height
    ]


def _side(box: LayoutBox, own: Sequence[BBox], white: tuple[float, float], texts: Sequence[BBox]) -> LayoutBox:
    """The part of a picture that two columns share on the side of the ``white`` where its labels ``own`` stand, as far
    as it covers no text."""
    x0, y0, x1, y1 = box.bbox.x0, box.bbox.y0, box.bbox.x1, box.bbox.y1
    labels = BBox.union(own)
    x0, x1 = (x0, white[0]) if labels.x1 <= white[0] else (white[1], x1)
    beside = [text for text in texts if min(text.x1, x1) > max(text.x0, x0)]
    y1 = min([y1, *(text.y0 for text in beside if text.y0 >= labels.center_y)])
    y0 = max([y0, *(text.y1 for text in beside if text.y1 <= labels.center_y)])
    return replace(box, bbox=BBox(x0, y0, x1, y1), members=tuple(own))


def _white(members: Sequence[BBox], least: float) -> tuple[float, float] | None:
    """The widest white, from top to bottom, between ``members``: its left and right edge."""
    found, end = None, float("-inf")
    for member in sorted(members, key=lambda one: one.x0):
        if end > float("-inf") and member.x0 - end > max(least, found[1] - found[0] if found else 0.0):
            found = (end, member.x0)
        end = max(end, member.x1)
    return found


def _is_gutter(white: tuple[float, float], box: BBox, others: Sequence[BBox], height: float) -> bool:
    """Whether lines of columns around ``box`` end on the left of ``white`` and begin on its right, and none crosses
    it."""
    left, right = white

    def around(far: float) -> list[BBox]:
        return [one for one in others if box.y0 - far * height < one.center_y < box.y1 + far * height]

    if any(one.x0 < left - NEAR * height and one.x1 > right + NEAR * height for one in around(CROSSING)):
        return False
    wide = [one for one in around(ABOUT) if one.width > COLUMN * height]
    ends = [one.x1 for one in wide if left - NEAR * height <= one.x1 <= right]
    starts = [one.x0 for one in wide if left <= one.x0 <= right + NEAR * height]
    return min(len(ends), len(starts)) >= LINES and max(ends) < min(starts)
