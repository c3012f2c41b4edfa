"""A page on its way from boxes and lines to regions, and its first steps: lines are made ready, and go into boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from docspec.core import BBox, Category
from docspec.drafting.bullets import is_bullet, with_bullets
from docspec.drafting.layout import Claims, LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.listings import is_typewritten
from docspec.drafting.margins import with_margin_marks
from docspec.drafting.order import index_in_order


@dataclass(frozen=True, slots=True)
class Assembly:
    """A page that is being assembled, in one unit: its ``boxes`` in reading order, and the ``lines`` that are in none
    of them yet."""

    boxes: tuple[LayoutBox, ...]
    lines: tuple[TextLine, ...] = ()

    def with_boxes(self, boxes: Iterable[LayoutBox]) -> Assembly:
        """The page with other ``boxes``."""
        return replace(self, boxes=tuple(boxes))

    def each_box(self, parts: Callable[[LayoutBox], Sequence[LayoutBox]]) -> Assembly:
        """The page with the ``parts`` of each box in its place."""
        return self.with_boxes(part for box in self.boxes for part in parts(box))


def typewriting_unmarked(page: Assembly) -> Assembly:
    """On a typewritten page, type whose letters are all of one width is no sign of a listing."""
    if not is_typewritten(page.lines):
        return page
    return replace(page, lines=tuple(replace(line, even=0) for line in page.lines))


def bullets_joined(page: Assembly) -> Assembly:
    """Bullets that are lines of their own begin the line on their right, and so do numbers outside of tables."""
    return replace(page, lines=tuple(with_bullets(page.lines, _cells_of(page))))


def margin_marks_joined(page: Assembly) -> Assembly:
    """Marks in the margin begin or end the line beside them, outside of tables."""
    return replace(page, lines=tuple(with_margin_marks(page.lines, _cells_of(page))))


def _cells_of(page: Assembly) -> Callable[[TextLine], bool]:
    """Tells whether a line is claimed by a table."""
    claims = Claims(page.boxes)

    def is_cell(line: TextLine) -> bool:
        owner = claims.owner(line.bbox)
        return owner is not None and page.boxes[owner].category is Category.TABLE

    return is_cell


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


def strays_placed(page: Assembly) -> Assembly:
    """Lines that no box has claimed become text, those of one paragraph together, where they belong in the order."""
    return replace(page, boxes=tuple(with_strays(page.boxes, page.lines)), lines=())


def with_strays(boxes: Sequence[LayoutBox], lines: Sequence[TextLine]) -> list[LayoutBox]:
    """``boxes`` with one of text for each paragraph of ``lines``, which none of them has, before the first box of its
    column that stands below it."""
    paragraphs: dict[int, list[TextLine]] = {}
    for line in lines:
        paragraphs.setdefault(line.block, []).append(line)
    result = list(boxes)
    for paragraph in paragraphs.values():
        stray = LayoutBox.around(paragraph, Category.TEXT)
        result.insert(index_in_order(stray.bbox, [box.bbox for box in result]), stray)
    return result


def unclaimed(boxes: Sequence[LayoutBox], lines: Sequence[TextLine]) -> list[TextLine]:
    """Those of ``lines`` that none of ``boxes`` claims, but bullets that stand apart from their lines."""
    claims = Claims(boxes)
    return [line for line in lines if claims.owner(line.bbox) is None and not is_bullet(line)]


def fitted(boxes: Sequence[LayoutBox], lines: Sequence[TextLine]) -> list[LayoutBox]:
    """``boxes``, of which those of running text that hold other boxes reach only as far as the ``lines`` that they
    claim: a watermark across the page has its box around all."""
    claims = Claims(boxes)
    result = list(boxes)
    for number, box in enumerate(boxes):
        holds = any(box.bbox.has_center_of(other.bbox) for other in boxes if other is not box)
        if holds and box.category.is_running_text:
            own = [line.bbox for line in lines if claims.owner(line.bbox) == number]
            result[number] = replace(box, bbox=BBox.union(own)) if own else box
    return result
