"""Numbers of lines in the margin (court papers, manuscripts, patents): a column of their own, which is no text. They
are told from a table's and from a list's by what stands beside them: every line, or every fifth, of prose that flows
on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.drafting.lines import TextLine, printed_lines

LEAST = 5
"""Numbers of a column, at least."""

ALIGNED = 0.5
"""Heights of a number by which the edges of the column may differ."""

REGULAR = 0.35
"""Share of the usual distance of two numbers by which others may differ from it; so may a tenth of them at will."""

NUMBERED = 0.8
"""Least share of the printed lines that should have a number which have one."""

ADRIFT = 0.1
"""Heights of a number by which its place beside a line differs from that of most others, for numbers that drift."""

FLOWING = 0.3
"""Least share of lines that begin with a small letter: prose, and no list."""

STEPS = (1, 2, 5, 10)

_NUMBER = re.compile(r"\d{1,4}")


def line_numbers(lines: Sequence[TextLine]) -> tuple[list[TextLine], list[TextLine]]:
    """The numbers among ``lines`` that count the lines of the page, and all other lines."""
    candidates = [line for line in lines if _NUMBER.fullmatch(line.text.strip()) and not line.turns]
    numbers: list[TextLine] = []
    for column in _columns(candidates) if len(candidates) >= LEAST else ():
        own = _counting(column)
        others = [line for line in lines if not any(line is one for one in own)]
        if len(own) >= LEAST and _is_margin(own, others):
            numbers += own
    kept = {id(line) for line in numbers}
    return numbers, [line for line in lines if id(line) not in kept]


def numbers_region(numbers: Sequence[TextLine], height: float) -> Region:
    """The ``numbers`` on a page of that ``height`` as one region, which is left out like a head or a foot."""
    box = BBox.union(line.bbox for line in numbers)
    kind = Category.PAGE_HEADER if box.center_y < height / 2 else Category.PAGE_FOOTER
    printed = tuple(PrintedLine(line.bbox, line.text, line.size, confidence=line.confidence) for line in numbers)
    text = "\n".join(line.text for line in numbers)
    return Region(box, kind, (text,), lines=printed, words=numbers[0].words, running=True)


def _columns(numbers: Sequence[TextLine]) -> list[list[TextLine]]:
    """``numbers`` below each other whose left or right edges are aligned, from top to bottom."""
    columns: list[list[TextLine]] = []
    for line in sorted(numbers, key=lambda line: line.bbox.y0):
        for column in columns:
            last, slack = column[-1].bbox, ALIGNED * line.bbox.height
            if abs(line.bbox.x1 - last.x1) < slack or abs(line.bbox.x0 - last.x0) < slack:
                column.append(line)
                break
        else:
            columns.append([line])
    return columns


def _counting(column: Sequence[TextLine]) -> list[TextLine]:
    """The longest run of a ``column`` that counts in even steps."""
    best: list[TextLine] = []
    run: list[TextLine] = []
    step = 0
    for line in column:
        grown = int(line.text) - int(run[-1].text) if run else 0
        if run and grown in STEPS and (len(run) == 1 or grown == step):
            run.append(line)
        else:
            run = [run[-1], line] if run and grown in STEPS else [line]
        step = grown
        best = run if len(run) > len(best) else best
    return list(best)


def _is_margin(numbers: Sequence[TextLine], others: Sequence[TextLine]) -> bool:
    """Whether ``numbers`` stand evenly in a margin or a gutter, beside lines of prose."""
    place = BBox.union(line.bbox for line in numbers)
    pitches = sorted(b.bbox.y1 - a.bbox.y1 for a, b in pairwise(numbers))
    usual = pitches[len(pitches) // 2]
    if usual <= 0 or sum(abs(pitch - usual) > REGULAR * usual for pitch in pitches) > 0.1 * len(pitches) + 1:
        return False
    beside = [line for line in others if place.y0 <= line.bbox.center_y <= place.y1]
    if any(line.bbox.shared_width(place) > 0 for line in beside):
        return False
    step = int(numbers[1].text) - int(numbers[0].text)
    sides = [
        [line for line in beside if line.bbox.x0 >= place.x1],
        [line for line in beside if line.bbox.x1 <= place.x0],
    ]
    rows = [row for side in sides for row in printed_lines(side)]
    if not rows or sum(line.even > 0 for row in rows for line in row) > 0.5 * len(rows):
        return False  # a listing keeps its numbers
    if max(pitches) - min(pitches) <= ADRIFT * usual and _drift(numbers, beside):
        return True
    single = [row for row in rows if len(row) == 1]
    flowing = sum(row[0].text.lstrip()[:1].islower() for row in single)
    side = max(map(printed_lines, sides), key=len)
    marked = sum(any(line.bbox.in_row_with(number.bbox) for line in row) for row in side for number in numbers)
    enough = marked * step >= NUMBERED * len(side) if step > 1 else marked >= NUMBERED * len(side)
    return enough and len(single) >= NUMBERED * len(rows) and flowing >= FLOWING * len(rows)


def _drift(numbers: Sequence[TextLine], beside: Sequence[TextLine]) -> bool:
    """Whether the ``numbers`` have a pitch of their own, so that they label nothing: the printed ones of a court's
    paper, beside text of other line spacing."""
    offsets = sorted(
        (min((line.bbox.center_y - number.bbox.center_y for line in beside), key=abs), number.bbox.height)
        for number in numbers
    )
    usual = offsets[len(offsets) // 2][0]
    return sum(abs(offset - usual) > ADRIFT * height for offset, height in offsets) > 0.5 * len(offsets)
