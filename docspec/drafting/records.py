"""Labels and values that a column of colons parts, where one of them runs over several lines: row by row their lines
would alternate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from docspec.core import BBox, Category
from docspec.core.geometry import in_rows, runs_of
from docspec.drafting.layout import Claims, LayoutBox
from docspec.drafting.lines import TextLine, joined_row
from docspec.drafting.structure.placing import with_taken_out

COLON = ":"
_NUMBER = re.compile(r"\d+(?:\.\d+)*\.?")

EDGE, BEHIND = 0.5, 3.0
"""Most difference of the left edges of the lines of a label, and how far behind its colon a value may begin, in sizes
of the type."""

MOST = 200
"""Most colons of a page: each is compared with all lines."""

CLOSE = 0.6
"""Most white between two lines of a label or a value, or two records below each other, in sizes of the type."""


def records(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """The labels with their values among the ``lines`` of a page, where a colon, set apart from the label, begins the
    value: the lines of each, with the number in front of it, in the order of reading."""
    upright = [line for line in lines if not (line.turns or line.hidden or line.slanted) and line.text.strip()]
    colons = [line for line in upright if line.text.startswith(COLON) and line.text[1:2] in ("", " ")]
    if len(colons) > MOST:
        return []
    rows = [[line for line in upright if line.bbox.in_row_with(colon.bbox)] for colon in colons]
    begun = {id(line) for row in rows for line in row}
    found = []
    for colon, row in zip(colons, rows, strict=True):
        labels = [line for line in row if line.bbox.x1 <= colon.bbox.x0]
        values = [line for line in row if 0 <= line.bbox.x0 - colon.bbox.x1 < BEHIND * colon.size]
        if not labels or (len(colon.text) == 1 and not values) or sum(line in colons for line in row) > 1:
            continue
        label = max(labels, key=lambda line: line.bbox.x1)
        value = min(values, key=lambda line: line.bbox.x0) if len(colon.text) == 1 else colon
        below = [one.bbox for one in colons if one.bbox.y0 > colon.bbox.y0 and _is_aligned(one, colon)]
        end = min((box.y0 for box in below), default=float("inf"))
        free = [one for one in upright if colon.bbox.y0 < one.bbox.center_y < end and id(one) not in begun]
        left = [one for one in free if one.look == label.look and _is_aligned(one, label)]
        others = [one.bbox.y0 for one in free if one.bbox.x0 < colon.bbox.x0 and one not in left]
        free = [one for one in free if one.bbox.center_y < min(others, default=end)]
        left = [one for one in left if one in free]
        right = [one for one in free if 0 <= one.bbox.x0 - colon.bbox.x0 < BEHIND * colon.size]
        own = _closed([label, *left], colon.bbox.x0), _closed([value, *right])
        number = [line for line in labels if line is not label and _NUMBER.fullmatch(line.text.strip())]
        found.append([*number, *own[0], *([] if value is colon else [colon]), *own[1]])
    return found


def with_records(boxes: Sequence[LayoutBox], lines: Sequence[TextLine]) -> tuple[list[LayoutBox], list[TextLine]]:
    """``boxes`` with one for each of the :func:`records` among those ``lines`` of a page that are in no table, and the
    lines with these as lines. Records of one row right below each other, and pages of no others, stay as they are."""
    claims = Claims(boxes)

    def is_free(line: TextLine) -> bool:
        owner = claims.owner(line.bbox)
        return owner is None or boxes[owner].table is None

    found = records([line for line in lines if is_free(line)])
    if all(_is_row(parts) for parts in found):
        return list(boxes), list(lines)
    found.sort(key=lambda parts: parts[0].bbox.y0)
    rows = runs_of(found, lambda above, below: _is_row(above) and _is_row(below) and _are_close(above, below))
    alone = [run[0] for run in rows if len(run) == 1]  # of several rows below each other no line is out of place
    taken = {id(part) for parts in alone for part in parts}
    whole = [_one_line(parts) for parts in alone]
    own = [
        LayoutBox(one.bbox, Category.TEXT, tuple(map(_box, parts)), (one,))
        for one, parts in zip(whole, alone, strict=True)
    ]
    result = [
        LayoutBox(box.bbox, box.category, (box.bbox,)) if box in own else box for box in with_taken_out(boxes, own)
    ]
    return result, [*(line for line in lines if id(line) not in taken), *whole]


def _box(line: TextLine) -> BBox:
    return line.bbox


def _is_row(parts: Sequence[TextLine]) -> bool:
    return len(in_rows(parts, _box)) == 1


def _are_close(above: Sequence[TextLine], below: Sequence[TextLine]) -> bool:
    first, other = above[0], below[0]
    return other.bbox.y0 - first.bbox.y1 < CLOSE * first.size and first.bbox.shared_width(other.bbox) > 0


def _is_aligned(line: TextLine, other: TextLine) -> bool:
    return abs(line.bbox.x0 - other.bbox.x0) < EDGE * other.size


def _closed(lines: Sequence[TextLine], edge: float = float("inf")) -> list[TextLine]:
    """The first of ``lines`` and those that follow close below each other and end before the ``edge``."""
    ordered = sorted(lines, key=lambda line: line.bbox.y0)
    whole = ordered[:1]
    for above, line in pairwise(ordered):
        if line.bbox.y0 - above.bbox.y1 > CLOSE * above.size or line.bbox.x1 > edge:
            break
        whole.append(line)
    return whole


def _one_line(parts: Sequence[TextLine]) -> TextLine:
    """``parts`` as one line, which keeps the breaks of label and value: what joins lines knows hyphens."""
    text, marks = joined_row(parts)
    at = -1
    for above, below in pairwise(parts):
        at += len(above.text) + 1
        if below.bbox.y0 > above.bbox.center_y:
            text = f"{text[:at]}\n{text[at + 1 :]}"
    return replace(parts[0], bbox=BBox.union(part.bbox for part in parts), text=text, marks=marks)
