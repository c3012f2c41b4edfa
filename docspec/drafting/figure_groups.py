"""Groups of cells around figures that stand below each other: what may be a table without drawn lines. Everything is in
points.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from docspec.core import BBox, Category
from docspec.drafting.cell_repairs import is_typed_rule
from docspec.drafting.drawn_grids import Word
from docspec.drafting.figure_columns import ROWS, Cell, Columns, is_figure
from docspec.drafting.lines import TextLine
from docspec.drafting.repair import repair

GAP = 0.75
"""Least distance of two cells in heights of a line: words of justified prose stand closer."""

TYPED_GAP = 1.4
"""Least distance of two cells in widths of a letter, in type whose letters are all of one width."""

LEVEL = 0.3
"""Heights of a line by which cells of one row may differ."""

PITCH = 4.0
"""Most heights of a line from a figure of a table to the next one below it."""

HEAD = 3.0
"""Most heights of a line from the heads of columns to the first row."""

EDGE = 0.5
"""Heights of a line by which the edges of figures that stand below each other may differ."""

MEMBER = 0.6
"""From this share of its lines in rows of a table on, a region is part of the table."""

CELLS = frozenset({Category.TEXT, Category.LIST_ITEM, Category.TABLE})
"""Regions whose lines may be rows of a table; those of headings may be its heads."""


def cells_of(
    lines: Sequence[TextLine], owners: Sequence[int | None], kinds: Sequence[Category], words: Iterable[Word]
) -> Iterator[Cell]:
    """The level ones of ``lines``, divided at wide gaps between their ``words``."""
    ordered = sorted(words, key=lambda word: word.bbox.center_y)
    middles = [word.bbox.center_y for word in ordered]
    for number, (line, owner, kind) in enumerate(zip(lines, owners, kinds, strict=True)):
        if line.turns:
            continue
        box, owner = line.bbox, -1 - number if owner is None else owner
        near = ordered[bisect_left(middles, box.y0) : bisect_right(middles, box.y1)]
        own = sorted((word for word in near if box.x0 <= word.bbox.center_x <= box.x1), key=lambda word: word.bbox.x0)
        # In type of one width a single space is no gap.
        letter = min((word.bbox.width / len(word.text) for word in own if word.text), default=0.0) if line.even else 0.0
        least = max(GAP * box.height, TYPED_GAP * letter)
        runs: list[list[Word]] = []
        for word in own:
            if runs and word.bbox.x0 - runs[-1][-1].bbox.x1 < least:
                runs[-1].append(word)
            else:
                runs.append([word])
        if len(runs) < 2:
            yield Cell(box, line.text, number, owner, kind, tuple((word.bbox, word.text) for word in own))
            continue
        for run in runs:
            text = repair(" ".join(word.text for word in run))
            if text:
                extent = BBox(run[0].bbox.x0, box.y0, run[-1].bbox.x1, box.y1)
                yield Cell(extent, text, number, owner, kind, tuple((word.bbox, word.text) for word in run))


def rows_over(columns: Columns, rows: Sequence[list[Cell]]) -> list[list[Cell]]:
    """Those of ``rows`` that stand closely above a table, nearest first."""
    first = columns.rows[0][0].bbox
    reach, level = HEAD * first.height, LEVEL * first.height
    return [row for row in reversed(rows) if level < first.center_y - row[0].bbox.center_y <= reach]


def groups_of(cells: Sequence[Cell], rows: Sequence[list[Cell]]) -> Iterator[tuple[list[list[Cell]], list[list[Cell]]]]:
    """The ``rows`` of ``cells``, top to bottom, around figures that stand below each other, divided at headings, and
    the rows above them, nearest first."""
    for stack in _stacks([cell for cell in cells if cell.category in CELLS and is_figure(cell.text)]):
        top, bottom = min(cell.bbox.center_y for cell in stack), max(cell.bbox.center_y for cell in stack)
        height = median(cell.bbox.height for cell in stack)
        level = LEVEL * height
        inside = [row for row in rows if top - level <= row[0].bbox.center_y <= bottom + level]
        near = [row for row in rows if top - HEAD * height <= row[0].bbox.center_y < top - level]
        typed = sum(is_typed_rule(cell.text for cell in row) for row in near)
        pitch = min((b[0].bbox.center_y - a[0].bbox.center_y for a, b in pairwise(inside)), default=0.0)
        far = top - max(HEAD * height, (typed > 0) * (typed + HEAD) * pitch)
        heads = [row for row in rows if far <= row[0].bbox.center_y < top - level]
        parts = _parts(inside, _members(stack, cells))
        yield parts[0], heads[::-1]
        for part in parts[1:]:
            yield part, []


def _parts(rows: Sequence[Sequence[Cell]], members: set[int]) -> list[list[list[Cell]]]:
    """The cells of ``rows`` that are in the regions ``members``, divided at headings between them if every part is
    large enough."""
    parts: list[list[list[Cell]]] = [[]]
    for row in rows:
        own = [cell for cell in row if cell.owner in members and cell.category in CELLS]
        if own:
            parts[-1].append(own)
        elif all(cell.category.is_heading for cell in row):
            parts.append([])
    large = all(len(part) >= ROWS for part in parts)
    return parts if large else [[own for part in parts for own in part]]


def level_rows(cells: Sequence[Cell]) -> list[list[Cell]]:
    """``cells`` in level rows, top to bottom, each from left to right."""
    rows: list[list[Cell]] = []
    for cell in sorted(cells, key=lambda cell: cell.bbox.center_y):
        first = rows[-1][0].bbox if rows else None
        if first and _are_level(cell.bbox, first):
            rows[-1].append(cell)
        else:
            rows.append([cell])
    return [sorted(row, key=lambda cell: cell.bbox.x0) for row in rows]


def _are_level(a: BBox, b: BBox) -> bool:
    """Whether two cells stand in one row; a dash is lower than letters and stands between their edges."""
    low, high = sorted((a, b), key=lambda box: box.height)
    between = low.height < 0.5 * high.height and high.y0 < low.center_y < high.y1
    return between or abs(a.center_y - b.center_y) <= LEVEL * low.height


def _stacks(figures: Sequence[Cell]) -> list[list[Cell]]:
    """``figures`` that stand below each other, with those beside them in the same region, in several rows."""
    ordered = sorted(figures, key=lambda cell: cell.bbox.center_y)
    middles = [cell.bbox.center_y for cell in ordered]
    stack_of = list(range(len(ordered)))

    def root(number: int) -> int:
        while stack_of[number] != number:
            stack_of[number] = number = stack_of[stack_of[number]]
        return number

    for number, cell in enumerate(ordered):
        height = cell.bbox.height
        for other in range(number + 1, bisect_right(middles, cell.bbox.center_y + PITCH * height)):
            low = ordered[other]
            level = low.bbox.center_y - cell.bbox.center_y <= LEVEL * height
            if cell.owner == low.owner if level else _aligned(cell.bbox, low.bbox):
                stack_of[root(other)] = root(number)
    stacks: dict[int, list[Cell]] = {}
    for number, cell in enumerate(ordered):
        stacks.setdefault(root(number), []).append(cell)
    return [stack for stack in stacks.values() if len(level_rows(stack)) >= ROWS]


def _aligned(a: BBox, b: BBox) -> bool:
    apart = abs(a.x0 - b.x0), abs(a.x1 - b.x1), abs(a.center_x - b.center_x)
    return min(apart) <= EDGE * min(a.height, b.height)


def _members(stack: Sequence[Cell], cells: Sequence[Cell]) -> set[int]:
    """The regions that hold ``stack``, and regions with most of their cells in its rows."""
    middles = sorted(cell.bbox.center_y for cell in stack)
    held: dict[int, list[bool]] = {}
    for cell in cells:
        level = LEVEL * cell.bbox.height
        beside = bisect_left(middles, cell.bbox.center_y - level) < bisect_right(middles, cell.bbox.center_y + level)
        held.setdefault(cell.owner, []).append(beside)
    members = {owner for owner, inside in held.items() if sum(inside) >= MEMBER * len(inside)}
    return members | {cell.owner for cell in stack}
