"""Lines of text with their places: the common form of the text layer's and of recognisers' results.

A line is one run of text at one height; a *printed* line may consist of several of them (a bullet
and its text, the cells of a table row).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import numpy as np

from docspec.core import BBox
from docspec.core.geometry import T, in_rows
from docspec.core.marks import Mark, shifted
from docspec.core.result import WordsOf
from docspec.drafting.right_to_left import is_right_to_left

BESIDE = 2.0
"""Most white between a label and its value, or a bullet and its item, in heights of a line."""

NEIGHBOURS = 16
"""Runs of a printed line that a further run is compared with; no real line has more."""

CAP = 2.0
"""Least height of a drop cap, over the usual one of lines."""

SLANTED = 0.05
"""Least part of a line's direction across its run: 3 degrees."""

WATERMARK = 2.0
"""Least size of a slanted line that is a watermark, over the usual one."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """A run of text. ``bbox`` is in PDF points or pixels, whichever its maker says; ``size`` in the same
    unit.

    ``block`` numbers the paragraph-like group that the source put the line in; ``hidden`` says that it is
    not painted; ``turns`` are the quarter turns, clockwise, that bring it upright; of its characters, white space
    aside, ``even`` are set in type whose letters are all of one width (a typewriter's). ``words`` says where the text
    comes from (``None``: from a file that does not tell all letters), ``marks`` how its words are printed, ``unsure``
    which of its numbers two recognisers read differently, ``look`` the font and the colour of most of it (empty:
    unknown). A ``slanted`` one runs neither level nor upright: its box
    holds more than its own print.
    """

    bbox: BBox
    text: str
    size: float = 0.0
    block: int = 0
    confidence: float = 1.0
    hidden: bool = False
    turns: int = 0
    even: int = 0
    words: WordsOf | None = "text layer"
    marks: tuple[Mark, ...] = ()
    unsure: tuple[str, ...] = ()
    slanted: bool = False
    look: str = ""

    def scaled(self, factor: float) -> TextLine:
        """The line in another unit."""
        return replace(self, bbox=self.bbox.scaled(factor), size=self.size * factor)

    def has(self, *kinds: str) -> bool:
        """Whether words of it have a mark of one of these ``kinds``."""
        return any(mark.kind in kinds for mark in self.marks)


def is_slanted(direction: tuple[float, float]) -> bool:
    """Whether a line of this ``direction`` (a vector of length 1) runs neither level nor upright."""
    return min(map(abs, direction)) > SLANTED


def is_watermark(size: float, usual: float) -> bool:
    """Whether a slanted line of type of this ``size`` is written across the page, and has nothing to do with what
    stands under it: labels and heads that are set aslant are no larger than the ``usual`` type."""
    return size > WATERMARK * usual


def with_drop_caps(lines: Sequence[TextLine]) -> list[TextLine]:
    """``lines``, in which a capital over several of them is the first letter of the topmost one beside it: it stands in
    the middle of them, and would be read there."""
    result, usual = list(lines), usual_height(lines)
    for cap in [one for one in lines if len(one.text) == 1 and one.text.isupper() and one.bbox.height > CAP * usual]:
        beside = [
            line
            for line in result
            if 0.6 * cap.size > line.size
            and -0.2 * cap.bbox.width < line.bbox.x0 - cap.bbox.x1 < cap.bbox.height
            and cap.bbox.y0 - line.bbox.height < line.bbox.center_y < cap.bbox.y1
        ]
        first = min(beside, key=lambda line: line.bbox.center_y, default=None)
        if len(beside) < 2 or first is None or not first.text[0].islower():
            continue
        whole = replace(first, text=cap.text + first.text, marks=tuple(shifted(first.marks, 1)))
        result = [whole if line is first else line for line in result if line is not cap]
    return result


PrintedRow = Sequence[TextLine]
"""The runs of one printed line."""


def touch(a: BBox, b: BBox) -> bool:
    """Whether two pieces stand on one height with less than a height of white between them."""
    return a.in_row_with(b) and -a.shared_width(b) < min(a.height, b.height)


def printed_lines(lines: Iterable[TextLine]) -> list[list[TextLine]]:
    """``lines`` grouped into printed lines, top to bottom, each from left to right, or from right to left where most
    of it runs so."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: line.bbox.center_y):
        row = next(
            (row for row in rows[-3:] if all(_on_one_line(other.bbox, line.bbox) for other in row[-NEIGHBOURS:])), None
        )
        if row is None:
            rows.append([line])
        else:
            row.append(line)
    return [_in_order(row) for row in rows]


def _in_order(row: Sequence[TextLine]) -> list[TextLine]:
    if is_right_to_left("".join(line.text for line in row)):
        return sorted(row, key=lambda line: -line.bbox.x1)
    return sorted(row, key=lambda line: line.bbox.x0)


def join_lines(rows: Sequence[Sequence[TextLine]]) -> str:
    """The text of printed lines, with ``\\n`` between them and a space between the runs of one (none after
    a drop cap)."""
    return "\n".join(joined_row(row)[0] for row in rows)


def joined_row(
    row: Sequence[TextLine], gap: Callable[[TextLine, TextLine], int] | None = None
) -> tuple[str, tuple[Mark, ...]]:
    """The text of one printed line, and its marks; ``gap`` gives the spaces between two runs (``None``: one)."""
    text, marks = row[0].text, list(row[0].marks)
    for before, line in pairwise(row):
        is_drop_cap = len(before.text) == 1 and before.text.isupper() and before.size > 1.6 * line.size
        spaces = 1 if gap is None else gap(before, line)
        text += "" if is_drop_cap and line.text[0].islower() else " " * spaces
        marks += shifted(line.marks, len(text))
        text += line.text
    return text, tuple(marks)


def runs_leftwards(lines: Iterable[TextLine]) -> bool:
    """Whether most of ``lines`` is in a script that is read from right to left; its columns are, too."""
    return is_right_to_left("".join(line.text for line in lines))


def without_spaces(text: str) -> str:
    """``text`` without white space."""
    return "".join(text.split())


def usual_height(lines: Sequence[TextLine]) -> float:
    """The median height of lines; 0 where there are none."""
    return median(line.bbox.height for line in lines) if lines else 0.0


def _on_one_line(a: BBox, b: BBox) -> bool:
    """Whether two runs stand beside each other in one row."""
    return a.in_row_with(b) and a.shared_width(b) < 0.5 * min(a.width, b.width)


def in_groups(things: Sequence[T], box: Callable[[T], BBox]) -> list[list[T]]:
    """``things`` in groups with white around them, as the words in the boxes of a diagram: those of a group stand above
    each other, nearer than a line is high, or beside each other, nearer than :data:`BESIDE`. Groups are in the rows of
    what they begin with, and each has its things from top to bottom."""
    sides = np.array([(own.x0, own.y0, own.x1, own.y1) for own in map(box, things)]).reshape(-1, 4)
    heights = sides[:, 3] - sides[:, 1]
    lower, higher = np.minimum(heights, heights[:, None]), np.maximum(heights, heights[:, None])
    across, down = (
        np.maximum(sides[:, None, start], sides[None, :, start]) - np.minimum(sides[:, None, end], sides[None, :, end])
        for start, end in ((0, 2), (1, 3))
    )
    near = ((across < 0) & (down < lower)) | ((down < -0.5 * lower) & (across < BESIDE * higher))
    groups, left = [], set(range(len(things)))
    while left:
        found, new = set[int](), {min(left)}
        while new:
            found |= new
            new = set(np.nonzero(near[sorted(new)].any(axis=0))[0].tolist()) - found
        left -= found
        groups.append(sorted((things[at] for at in found), key=lambda one: box(one).center_y))
    return [group for row in in_rows(groups, lambda group: box(group[0])) for group in row]
