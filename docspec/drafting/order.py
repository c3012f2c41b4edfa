"""The boxes of a page in reading order, by what is learned of each two of them (:mod:`docspec.drafting.precedence`).

The items of a list are one text, whatever their indents. The options of a question that stand in columns and are
lettered row by row become one box before: no order of the boxes would be right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from docspec.core import BBox, Category, Event
from docspec.core.geometry import in_rows
from docspec.core.safe_text import one_line
from docspec.drafting.columns import cut_layout, xy_cut
from docspec.drafting.frames import NONE, Bounds
from docspec.drafting.layout import WHITE_SPACE, LayoutBox
from docspec.drafting.lines import TextLine, runs_leftwards
from docspec.drafting.precedence import MOST, order_of
from docspec.drafting.printed import Printed

OPTIONS = 4
"""Least lines of options in columns."""

ITEMS, INDENT = 1.5, 6.0
"""Most white between two items of a list, and most indent of one beside the other, in heights of a line."""

_MARK = re.compile(r"\(?(?:([A-Za-z])|(\d{1,2}))[.):]?\s+\S")


def layout_of(printed: Printed, lines: Sequence[TextLine]) -> tuple[list[LayoutBox], str, tuple[Event, ...]]:
    """The boxes of a ``printed`` page with the text ``lines``, and their source: the layout model, in its order, or the
    white space, in reading order, where no model may be asked, or it fails, or the lines are too many, which is an
    event."""
    page = printed.page
    if not printed.modelled:
        return cut_layout(lines, page.rect.height), WHITE_SPACE, ()
    if printed.is_crowded:
        why = f"{len(lines):,} lines are too many for the layout model"
    else:
        try:
            return printed.layout, "PyMuPDF", ()
        except Exception as error:
            page.layout_information = None
            why = f"the layout model failed ({one_line(str(error))[:200] or type(error).__name__})"
    event = Event("layout_skipped", f"{why}; cut along white space instead")
    return cut_layout(lines, page.rect.height), WHITE_SPACE, (event,)


def in_order(
    boxes: Sequence[LayoutBox], lines: Sequence[TextLine] = (), bounds: Bounds = NONE, given: bool = True
) -> list[LayoutBox]:
    """``boxes`` in the order of reading, by the ``lines`` of the page and its ``bounds``: what the network says of each
    two of them (:mod:`docspec.drafting.precedence`). ``given``: they come in a layout model's order; what was cut out
    of a box stands next to it."""
    if len(boxes) < 2:
        return list(boxes)
    lines = [*lines, *(line for box in boxes for line in box.lines)]
    texts = {line.bbox: line.text for line in lines}
    leftwards = runs_leftwards(lines)
    boxes = boxes if leftwards else with_rows_of_options(boxes, texts)
    if len(boxes) > MOST:
        return [box for group in xy_cut(boxes, lambda box: box.bbox, leftwards=leftwards) for box in group]
    lists = _lists(boxes)
    units = [_whole(own) for own in lists]
    order = order_of(units, texts, bounds, given, leftwards)
    return [box for at in order for box in lists[at]]


def _lists(boxes: Sequence[LayoutBox]) -> list[list[LayoutBox]]:
    """``boxes``, items of one list together, from the top: each stands right below another, perhaps indented, and no
    other text between them."""
    texts: list[list[LayoutBox]] = [[box] for box in boxes]
    lists: list[list[LayoutBox]] = []
    others = [box for box in boxes if box.category is not Category.LIST_ITEM]
    for text in sorted(texts, key=lambda one: one[0].bbox.y0):
        box = text[0]
        if box.category is not Category.LIST_ITEM:
            continue
        line = min((member.height for member in box.members), default=box.bbox.height)
        above = [
            own
            for own in lists
            if -0.5 * line < box.bbox.y0 - own[-1].bbox.y1 < ITEMS * line
            and abs(box.bbox.x0 - own[-1].bbox.x0) < INDENT * line
            and not any(_is_between(one.bbox, own[-1].bbox, box.bbox) for one in others)
        ]
        if above:
            min(above, key=lambda own: abs(own[-1].bbox.x0 - box.bbox.x0)).append(text.pop())
        else:
            lists.append(text)
    return [text for text in texts if text]


def _is_between(box: BBox, above: BBox, below: BBox) -> bool:
    return above.y1 < box.center_y < below.y0 and box.shared_width(below) > 0


def _whole(boxes: Sequence[LayoutBox]) -> LayoutBox:
    """The items of a list as one box."""
    if len(boxes) == 1:
        return boxes[0]
    members = tuple(member for box in boxes for member in box.members)
    return replace(boxes[0], bbox=BBox.union(box.bbox for box in boxes), members=members)


def index_in_order(box: BBox, others: Sequence[BBox]) -> int:
    """Where a forgotten box belongs in the reading order: before the first box below it in the same column."""
    for index, other in enumerate(others):
        if box.shared_width(other) > 0 and other.y0 >= box.center_y:
            return index
    above = [index for index, other in enumerate(others) if other.y1 <= box.y1]
    return above[-1] + 1 if above else len(others)


def with_rows_of_options(boxes: Sequence[LayoutBox], texts: Mapping[BBox, str]) -> list[LayoutBox]:
    """``boxes``, in which those that stand side by side are one if their lines, which have ``texts``, are lettered or
    numbered row by row (``A B`` above ``C D``) and not column by column."""
    marked = [box for box in boxes if box.category.is_running_text and _marks(box.members, texts)]
    whole: dict[int, LayoutBox | None] = {}  # of boxes that are one: the first one's place has it, the others' nothing
    for box in marked:
        row = [one for one in marked if id(one) not in whole and _is_level(box.bbox, one.bbox)]
        row.sort(key=lambda one: one.bbox.x0)
        by_columns = [member for one in row for member in sorted(one.members, key=lambda member: member.y0)]
        by_rows = [member for same in in_rows(by_columns, lambda member: member) for member in same]
        apart = all(a.bbox.x1 < b.bbox.x0 for a, b in pairwise(row))
        if len(row) < 2 or len(by_rows) < OPTIONS or not apart:
            continue
        if _counts(_marks(by_rows, texts)) and not _counts(_marks(by_columns, texts)):
            whole |= dict.fromkeys(map(id, row))
            whole[id(row[0])] = replace(box, bbox=BBox.union(one.bbox for one in row), members=tuple(by_rows))
    return [one for box in boxes if (one := whole.get(id(box), box)) is not None]


def _is_level(one: BBox, other: BBox) -> bool:
    return one.shared_height(other) > 0.5 * max(one.height, other.height)


def _marks(members: Sequence[BBox], texts: Mapping[BBox, str]) -> list[int]:
    """The letters or numbers that the lines begin with, as numbers; none if a line has none."""
    found = [_MARK.match(texts.get(member, "")) for member in members]
    marks = [ord(match[1]) if match[1] else int(match[2]) for match in found if match is not None]
    return marks if len(marks) == len(found) else []


def _counts(marks: Sequence[int]) -> bool:
    """Whether each of ``marks`` follows the one before it, or all begin anew."""
    return all(b in (a + 1, marks[0]) for a, b in pairwise(marks)) and len(set(marks)) > 1
