"""Reading order where the layout model's own goes back and forth between columns.

On most pages the model is right, and it is kept; on small sheets it sometimes reads two columns row by row.
Then an order by white space wins if it changes columns clearly less often, or if the model reads columns on past a
heading that spans them. Sections that are numbered row by row although the layout reads column after column, as on
slides and leaflets, come in the order of their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, pairwise

from docspec.core import BBox, Event
from docspec.core.safe_text import one_line
from docspec.drafting.columns import cut_layout, xy_cut
from docspec.drafting.furniture import whole_furniture
from docspec.drafting.layout import WHITE_SPACE, LayoutBox
from docspec.drafting.lines import TextLine, runs_leftwards
from docspec.drafting.printed import Printed

MARGIN = 2  # changes of column that the model may make more before its order is given up
BESIDE = 0.15
"""Share of a column that is below the beginning of a column beside it; what begins lower is read later."""

ALIKE_IN_WIDTH = 0.7
"""Least width of a column beside that of its neighbour for which the two are columns of one text."""

SECTIONS = 4
"""Least numbered headings that give an order."""

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
            boxes = settled_order(whole_furniture(printed.layout), runs_leftwards(lines))
            return by_numbers(boxes, lines), "PyMuPDF", ()
        except Exception as error:
            page.layout_information = None
            why = f"the layout model failed ({one_line(str(error))[:200] or type(error).__name__})"
    event = Event("layout_skipped", f"{why}; cut along white space instead")
    return cut_layout(lines, page.rect.height), WHITE_SPACE, (event,)


def settled_order(boxes: Sequence[LayoutBox], leftwards: bool = False) -> list[LayoutBox]:
    """``boxes`` in the model's order, or in that of the white space where the model's is restless; the model reads
    columns from left to right, so ``leftwards`` the white space orders all."""
    if leftwards:
        return white_space_order(boxes, leftwards)
    body = [box for box in boxes if not box.category.is_furniture]
    if _changes(body) < _changes(by_white_space(body)) + MARGIN and not (_splices(body) or _runs_backwards(body)):
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
        if not one.category.is_heading:
            continue
        spanned = [(at, box.bbox) for at, box in enumerate(boxes) if box.bbox.width and _spans(one.bbox, box.bbox)]
        below = [(at, box) for at, box in spanned if box.y0 >= one.bbox.y1 - 1]
        above = [at for at, box in spanned if box.y1 <= one.bbox.y0 + 1]
        columns = any(a.shared_width(b) <= 0 for (_, a), (_, b) in combinations(below, 2))
        if columns and (any(at > number for at in above) or any(at < number for at, _ in below)):
            return True
    return False


def _runs_backwards(boxes: Sequence[LayoutBox]) -> bool:
    """Whether a column is read before one to its left that is about as wide and begins beside it; a narrow column
    on the left may be an aside."""
    for at, (a, b) in enumerate(pairwise(boxes)):
        if b.bbox.x1 <= a.bbox.x0 and b.bbox.width >= ALIKE_IN_WIDTH * a.bbox.width:
            top = a.bbox.y0
            for box in boxes[at::-1]:
                if box.bbox.shared_width(a.bbox) <= 0 or box.bbox.shared_width(b.bbox) > 0:
                    break
                top = box.bbox.y0
            if b.bbox.y0 < a.bbox.y1 - BESIDE * (a.bbox.y1 - top):
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
