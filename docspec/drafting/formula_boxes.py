"""Boxes of formulas that stand alone, where their lines tell that they do: the layout model sees some of them, calls
others text, and takes some into the paragraph around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from docspec.core import BBox, Category, Region
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.order import index_in_order
from docspec.drafting.structure.tables import Structure
from docspec.drafting.structure.tokens import in_boxes
from docspec.mathematics.page import DISPLAY

CALLED = 0.5
"""Least share of the words of a table in boxes of the layout model that are called one."""


def is_displayed(line: TextLine) -> bool:
    """Whether ``line`` is a formula that stands alone."""
    return any(mark.kind == "formula" and mark.target == DISPLAY for mark in line.marks)


def told_apart(pages: Sequence[Structure], displayed: Callable[[], Sequence[BBox]]) -> list[Structure]:
    """``pages`` without tables that are formulas. What stands in a box that the layout model calls a table is one; of
    any other, half of the words in formulas that stand alone (``displayed``) make it none."""
    told: list[Structure] = []
    places: Sequence[BBox] | None = None
    for one in pages:
        page, called = one.page, in_boxes(one.page, "table")
        kept = []
        for grid in one.tables:
            own = [token for cell in grid.cells for token in cell.tokens]
            if not page.turn and not grid.ruled and called[own].mean() < CALLED:
                places = displayed() if places is None else places
                words = (BBox(*page.tokens[token].box) for token in own)
                if 2 * sum(any(place.has_center_of(word) for place in places) for word in words) >= len(own):
                    continue
            kept.append(grid)
        told.append(replace(one, tables=tuple(kept)))
    return told


def with_formulas(boxes: Sequence[LayoutBox], lines: Sequence[TextLine], as_pictures: bool = False) -> list[LayoutBox]:
    """``boxes`` in reading order, with one for each of ``lines`` that is a formula; others are cut where one lies in
    them, and go where nothing else is in them. A formula in a table or a picture is part of it."""
    ordered = list(boxes)
    for line in lines:
        if not is_displayed(line) or any(_is_part_of(line.bbox, box) for box in ordered):
            continue
        category = Category.PICTURE if as_pictures else Category.FORMULA
        own = LayoutBox(line.bbox, category, (line.bbox, line.bbox) if as_pictures else (line.bbox,))
        ordered = _with_one(ordered, own)
    return ordered


def settled(region: Region) -> Region:
    """``region`` as text if the layout model calls it a formula although it holds words with formulas among them."""
    marks = [mark for line in region.lines for mark in line.marks if mark.kind == "formula"]
    if region.category is not Category.FORMULA or not marks or any(mark.target == DISPLAY for mark in marks):
        return region
    return replace(region, category=Category.TEXT)


def _is_part_of(formula: BBox, box: LayoutBox) -> bool:
    return box.category in (Category.TABLE, Category.PICTURE) and box.bbox.has_center_of(formula)


def _with_one(boxes: Sequence[LayoutBox], formula: LayoutBox) -> list[LayoutBox]:
    made: list[LayoutBox] = []
    placed = False
    for box in boxes:
        if box.category is Category.TABLE or box.bbox.intersection(formula.bbox) is None or box.lines:
            made.append(box)
            continue
        left = [member for member in box.members if not formula.bbox.has_center_of(member)]
        above = [member for member in left if member.center_y < formula.bbox.center_y]
        below = [member for member in left if member.center_y >= formula.bbox.center_y]
        is_clear = len(left) == len(box.members) and not formula.bbox.has_center_of(box.bbox)
        if is_clear and not (above and below):  # only the edges touch
            made.append(box)
            continue
        made += [_of_members(box, above)] if above else []
        if not placed:
            made.append(formula)
            placed = True
        made += [_of_members(box, below)] if below else []
    if not placed:
        made.insert(index_in_order(formula.bbox, [box.bbox for box in made]), formula)
    return made


def _of_members(box: LayoutBox, members: Sequence[BBox]) -> LayoutBox:
    category = Category.TEXT if box.category is Category.FORMULA else box.category
    return replace(box, bbox=BBox.union(members), members=tuple(members), category=category)
