"""The boxes of a page in reading order, by where they stand (:mod:`docspec.drafting.reading_order`): the layout model's
own order is kept only for asides.

Sections that are numbered row by row, as on slides and leaflets, come in the order of their numbers, and so do the
options of a question that stand in columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from docspec.core import BBox, Event
from docspec.core.geometry import in_rows
from docspec.core.safe_text import one_line
from docspec.drafting.columns import cut_layout
from docspec.drafting.frames import NONE, Bounds, framed_order
from docspec.drafting.layout import WHITE_SPACE, LayoutBox
from docspec.drafting.lines import TextLine, runs_leftwards
from docspec.drafting.printed import Printed
from docspec.drafting.reading_order import page_order

SECTIONS = 4
"""Least numbered headings that give an order."""

OPTIONS = 4
"""Least lines of options in columns."""

_MARK = re.compile(r"\(?(?:([A-Za-z])|(\d{1,2}))[.):]?\s+\S")
_NUMBER = re.compile(r"(\d{1,2})[.):]?\s+\S")


def layout_of(printed: Printed, lines: Sequence[TextLine]) -> tuple[list[LayoutBox], str, tuple[Event, ...]]:
    """The boxes of a ``printed`` page with the text ``lines`` in reading order, and their source: the layout model, or
    the white space where no model may be asked, or it fails, or the lines are too many, which is an event."""
    page = printed.page
    if not printed.modelled:
        return cut_layout(lines, page.rect.height), WHITE_SPACE, ()
    if printed.is_crowded:
        why = f"{len(lines):,} lines are too many for the layout model"
    else:
        try:
            return in_order(printed.layout, lines, printed.bounds), "PyMuPDF", ()
        except Exception as error:
            page.layout_information = None
            why = f"the layout model failed ({one_line(str(error))[:200] or type(error).__name__})"
    event = Event("layout_skipped", f"{why}; cut along white space instead")
    return cut_layout(lines, page.rect.height), WHITE_SPACE, (event,)


def in_order(boxes: Sequence[LayoutBox], lines: Sequence[TextLine], bounds: Bounds = NONE) -> list[LayoutBox]:
    """``boxes``, with the ``lines`` in them, in reading order, parted by the ``bounds`` of the page. They come in a
    layout model's order, or in that of an earlier call, after which tables and blocks were cut out of them: what stands
    beside these has a place of its own."""
    leftwards = runs_leftwards(lines)
    boxes = boxes if leftwards else with_rows_of_options(boxes, lines)
    order = partial(page_order, leftwards=leftwards, rules=bounds.rules)
    return by_numbers(framed_order(boxes, bounds.frames, order), lines)


def index_in_order(box: BBox, others: Sequence[BBox]) -> int:
    """Where a forgotten box belongs in the reading order: before the first box below it in the same column."""
    for index, other in enumerate(others):
        if box.shared_width(other) > 0 and other.y0 >= box.center_y:
            return index
    above = [index for index, other in enumerate(others) if other.y1 <= box.y1]
    return above[-1] + 1 if above else len(others)


def by_numbers(boxes: Sequence[LayoutBox], lines: Sequence[TextLine]) -> list[LayoutBox]:
    """``boxes`` (in reading order, with the ``lines`` in them) with numbered sections in the order of their numbers,
    where that is the order of rows too. A section is a heading with what follows it in its column."""
    sections = _sections(boxes, lines)
    numbers = [number for number, _ in sections]
    counted = list(range(min(numbers, default=0), min(numbers, default=0) + len(numbers)))
    if len(numbers) < SECTIONS or numbers == counted or sorted(numbers) != counted:
        return list(boxes)
    ordered = [section for _, section in sorted(sections, key=lambda one: one[0])]
    heads = [section[0].bbox for section in ordered]
    in_columns = all(_in_column(box.bbox, section[0].bbox, heads) for section in ordered for box in section)
    if not in_columns or not all(_follows(a, b) for a, b in pairwise(heads)):
        return list(boxes)
    moved = {id(box) for section in ordered for box in section}
    first = next(index for index, box in enumerate(boxes) if id(box) in moved)
    after = [box for box in boxes[first:] if id(box) not in moved]
    return [*boxes[:first], *(box for section in ordered for box in section), *after]


def with_rows_of_options(boxes: Sequence[LayoutBox], lines: Sequence[TextLine]) -> list[LayoutBox]:
    """``boxes``, in which those that stand side by side are one if their ``lines`` are lettered or numbered row by row
    (``A B`` above ``C D``) and not column by column."""
    texts = {line.bbox: line.text for line in lines}
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


def _sections(boxes: Sequence[LayoutBox], lines: Sequence[TextLine]) -> list[tuple[int, list[LayoutBox]]]:
    """The numbered sections in the order of ``boxes``, furniture left out."""
    texts = {line.bbox: line.text for line in reversed(lines)}
    sections: list[tuple[int, list[LayoutBox]]] = []
    for box in boxes:
        if box.category.is_furniture:
            continue
        heading = texts.get(box.members[0], "") if box.category.is_heading and box.members else ""
        number = _NUMBER.match(heading)
        if number:
            sections.append((int(number[1]), []))
        if sections:
            sections[-1][1].append(box)
    return sections


def _in_column(box: BBox, own: BBox, heads: Sequence[BBox]) -> bool:
    """Whether ``box`` stands in the column of the heading ``own``, and under no heading beside that."""
    beside = [head for head in heads if head.shared_width(own) <= 0]
    return box.y1 > own.y0 and all(head.shared_width(box) <= 0 for head in beside)


def _follows(a: BBox, b: BBox) -> bool:
    """Whether ``b`` stands to the right of ``a`` in one row, or below it."""
    return b.x0 >= a.x1 if a.in_row_with(b) else b.y0 >= a.y1
