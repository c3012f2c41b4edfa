"""The first steps: the lines of a page are made ready, and each goes into a box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docspec.core import Category
from docspec.drafting.assembly.state import Assembly
from docspec.drafting.bullets import with_bullets
from docspec.drafting.columns import columns_of
from docspec.drafting.false_tables import is_no_table
from docspec.drafting.layout import Claims, LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.listings import is_typewritten
from docspec.drafting.order import index_in_order


def typewriting_unmarked(page: Assembly) -> Assembly:
    """On a typewritten page, type whose letters are all of one width is no sign of a listing."""
    if not is_typewritten(page.lines):
        return page
    return replace(page, lines=tuple(replace(line, even=0) for line in page.lines))


def bullets_joined(page: Assembly) -> Assembly:
    """Bullets that are lines of their own begin the line on their right."""
    return replace(page, lines=tuple(with_bullets(page.lines)))


def lines_claimed(page: Assembly) -> Assembly:
    """Each line goes into the box that claims it; those that none claims are left."""
    claimed: list[list[TextLine]] = [[] for _ in page.boxes]
    loose: list[TextLine] = []
    claims = Claims(page.boxes)
    for line in page.lines:
        index = claims.owner(line.bbox)
        (loose if index is None else claimed[index]).append(line)
    boxes = (replace(box, lines=tuple(own)) for box, own in zip(page.boxes, claimed, strict=True))
    return replace(page, boxes=tuple(boxes), lines=tuple(loose))


def false_tables_divided(page: Assembly) -> Assembly:
    """What is falsely called a table is text, divided into its columns."""

    def divided(box: LayoutBox) -> Sequence[LayoutBox]:
        if box.category is not Category.TABLE or not is_no_table(box.lines):
            return [box]
        return [LayoutBox.around(column, Category.TEXT) for column in columns_of(box.lines, ragged=True)]

    return page.each_box(divided)


def strays_placed(page: Assembly) -> Assembly:
    """Lines that no box has claimed become text, those of one paragraph together, where they belong in the order."""
    paragraphs: dict[int, list[TextLine]] = {}
    for line in page.lines:
        paragraphs.setdefault(line.block, []).append(line)
    boxes = list(page.boxes)
    for paragraph in paragraphs.values():
        stray = LayoutBox.around(paragraph, Category.TEXT)
        boxes.insert(index_in_order(stray.bbox, [box.bbox for box in boxes]), stray)
    return replace(page, boxes=tuple(boxes), lines=())
