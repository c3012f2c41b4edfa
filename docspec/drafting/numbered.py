"""Sections that are numbered row by row although the layout reads column after column, as on slides and leaflets: their
numbers give the reading order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docspec.core import BBox, Category
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine

SECTIONS = 4
"""Least numbered headings that give an order."""

_HEADINGS = frozenset({Category.TITLE, Category.SECTION_HEADER})
_NUMBER = re.compile(r"(\d{1,2})[.):]?\s+\S")


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
        said = texts.get(box.members[0], "") if box.category in _HEADINGS and box.members else ""
        number = _NUMBER.match(said)
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
