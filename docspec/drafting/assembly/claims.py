"""A page on its way from boxes and lines to regions, and its first steps: lines are made ready, and go into boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from docspec.core import BBox, Category
from docspec.drafting.bullets import with_bullets
from docspec.drafting.layout import Claims, LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.listings import is_typewritten
from docspec.drafting.order import index_in_order

INITIAL = 1.6
"""Least size of a large first letter over that of its text."""


DrawingFinder = Callable[[], Sequence[BBox]]
"""Gives the patches of ink between the lines of a page, from top to bottom; asked only where they matter."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """A page that is being assembled, in one unit: its ``boxes`` in reading order, the ``lines`` that are in none of
    them yet, and what finds its ``drawings`` (``None``: they are not asked for)."""

    boxes: tuple[LayoutBox, ...]
    lines: tuple[TextLine, ...] = ()
    drawings: DrawingFinder | None = None

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


def initials_joined(page: Assembly) -> Assembly:
    """A large first letter that has a box of its own begins the text on its right."""
    boxes = list(page.boxes)
    for initial in [box for box in boxes if len(box.lines) == 1 and box.lines[0].text.strip().isupper()]:
        (letter,) = initial.lines
        owner = next((box for box in boxes if box is not initial and _begins_with(letter, box)), None)
        if owner is not None:
            whole = replace(owner, bbox=BBox.union([initial.bbox, owner.bbox]), lines=(letter, *owner.lines))
            boxes = [whole if box is owner else box for box in boxes if box is not initial]
    return replace(page, boxes=tuple(boxes))


def _begins_with(letter: TextLine, box: LayoutBox) -> bool:
    """Whether the first line of ``box`` goes on where ``letter`` stands in front of several lines."""
    first = box.lines[0] if box.lines else None
    if first is None or len(letter.text.strip()) != 1 or box.category is not Category.TEXT:
        return False
    beside = 0 <= first.bbox.x0 - letter.bbox.x1 < first.size and letter.bbox.y0 <= first.bbox.center_y
    low = letter.bbox.y1 > first.bbox.y1 + 0.3 * first.size
    return beside and low and letter.size > INITIAL * first.size and first.text[:1].islower()


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
