"""Text set in columns from top to bottom, from the right to the left of the page, as Japanese and Chinese books are.

MuPDF gives such text character by character, each as a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.core.geometry import runs_of
from docspec.core.result import WordsOf
from docspec.drafting.columns import xy_cut
from docspec.drafting.lines import TextLine

LEAST = 20
"""Least characters on a page that are set so."""

SHARE = 0.5
"""Least share of a page's lines that are single characters of such scripts."""

STACKED = 4
"""Least characters of the columns of a page, on average: fewer are letters in the cells of a table."""

PITCH = 1.7
"""Most sizes of type from one character to the next one below it."""

APART = 3.0
"""Sizes of type between two columns that belong to different texts."""

INDENT = 0.8
"""Sizes of type by which the first column of a paragraph begins lower."""

_SIGN = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u2014\u2015\u2025\u2026]{1,2}")


def vertical_columns(lines: Sequence[TextLine]) -> tuple[list[TextLine], list[TextLine]]:
    """The columns of a page whose text runs from top to bottom, and its other lines; no columns on other pages."""
    signs = [line for line in lines if _SIGN.fullmatch(line.text)]
    if len(signs) < max(LEAST, SHARE * len(lines)):
        return [], list(lines)
    size = median(line.size or line.bbox.width for line in signs)

    def is_next(above: TextLine, line: TextLine) -> bool:
        beside = abs(above.bbox.center_x - line.bbox.center_x)
        return beside < 0.4 * size and 0 < line.bbox.center_y - above.bbox.center_y < PITCH * size

    ordered = sorted(signs, key=lambda line: (round(line.bbox.center_x / (0.5 * size)), line.bbox.y0))
    stacks = runs_of(ordered, is_next)
    if len(signs) < STACKED * len(stacks) or not _is_closer_down(stacks):
        return [], list(lines)
    used = {id(line) for stack in stacks for line in stack}
    columns = [
        TextLine(
            BBox.union(line.bbox for line in stack), "".join(line.text for line in stack), size, words=stack[0].words
        )
        for stack in stacks
    ]
    return columns, [line for line in lines if id(line) not in used]


def _is_closer_down(stacks: Sequence[Sequence[TextLine]]) -> bool:
    """Whether characters stand closer to the next one below than to that in the next column."""
    down = [b.bbox.center_y - a.bbox.center_y for stack in stacks for a, b in pairwise(stack)]
    middles = sorted({round(stack[0].bbox.center_x) for stack in stacks})
    across = [b - a for a, b in pairwise(middles)]
    return bool(down) and (not across or median(down) <= median(across))


def vertical_regions(columns: Sequence[TextLine]) -> list[Region]:
    """The paragraphs of ``columns`` in reading order: upper rows of columns before lower ones, each from the right."""
    size = median(column.size for column in columns)
    regions: list[Region] = []
    for block in xy_cut(columns, lambda column: column.bbox, APART * size, PITCH * size, leftwards=True):
        ordered = sorted(block, key=lambda column: -column.bbox.center_x)
        top = min(column.bbox.y0 for column in ordered)
        paragraphs: list[list[TextLine]] = []
        for column in ordered:
            if not paragraphs or column.bbox.y0 > top + INDENT * size:
                paragraphs.append([column])
            else:
                paragraphs[-1].append(column)
        regions += map(_region, paragraphs)
    return regions


def _region(columns: Sequence[TextLine]) -> Region:
    box = BBox.union(column.bbox for column in columns)
    printed = tuple(
        PrintedLine(column.bbox, column.text, column.size, confidence=column.confidence) for column in columns
    )
    words: WordsOf | None = None if any(column.words is None for column in columns) else columns[0].words
    sure = fmean(column.confidence for column in columns)
    return Region(box, Category.TEXT, ("\n".join(line.text for line in printed),), sure, printed, words=words)
