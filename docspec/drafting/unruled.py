"""Tables without drawn lines: figures that stand below each other, beside other columns.

Layout models take a price list for a paragraph or a list as often as for a table, and table finders do not see columns
that were made with spaces. Everything is in points.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from docspec.core import BBox, Category
from docspec.drafting.cell_grid import CellGrid, PlacedCell, as_html
from docspec.drafting.cell_repairs import is_typed_rule, settled
from docspec.drafting.drawn_grids import Word, words_of
from docspec.drafting.figure_columns import ROWS, Cell, Columns, columns_of_figures, is_figure
from docspec.drafting.layout import Claims, LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.order import index_in_order
from docspec.drafting.repair import repair
from docspec.drafting.side_by_side import Side, sides_of
from docspec.drafting.tables import FoundTable, found_table

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

AROUND = 0.75
"""Of tables beside each other, a table that was found around one has more than its width by this share."""

MEMBER = 0.6
"""From this share of its lines in rows of a table on, a region is part of the table."""

CELLS = frozenset({Category.TEXT, Category.LIST_ITEM, Category.TABLE})
"""Regions whose lines may be rows of a table; those of headings may be its heads."""

_FIGURE_LAST = re.compile(r"\d\S*(?:\s\S{1,3})?$")
"""A line that ends with a figure and its unit: pages with too few such lines are not searched."""


def with_unruled(
    boxes: Sequence[LayoutBox], lines: Sequence[TextLine], tables: Sequence[FoundTable], page: Any
) -> tuple[list[LayoutBox], list[FoundTable]]:
    """``boxes`` and ``tables`` of a ``pymupdf.Page``, with the tables that only its ``lines`` show. A table of
    ``tables`` stays if drawn lines close its cells, or if it has as many columns, unless a heading is in one of its
    cells."""
    result, found = list(boxes), list(tables)
    if sum(_FIGURE_LAST.search(line.text) is not None for line in lines) < ROWS:
        return result, found
    claims = Claims(boxes)
    owners = [claims.owner(line.bbox) for line in lines]
    kinds = [Category.TEXT if owner is None else boxes[owner].category for owner in owners]
    every = list(_cells(lines, owners, kinds, page))
    cells = [cell for cell in every if cell.category in CELLS or cell.category.is_heading]
    level = _rows(cells)
    captions = [cell for cell in every if cell.category is Category.CAPTION]
    with_captions = _rows([*cells, *captions]) if captions else level
    groups = [
        sides_of(columns, _over(columns, with_captions))
        for rows, above in _groups(cells, level)
        if (columns := columns_of_figures(rows, above))
    ]
    rows = {cell.line for sides in groups for side in sides for row in side.columns.rows for cell in row}
    headings = [line.bbox for line, kind in zip(lines, kinds, strict=True) if kind.is_heading]
    others = [line.bbox for number, line in enumerate(lines) if number not in rows and not kinds[number].is_heading]
    words = words_of(page) if groups else []
    for sides in groups:
        new: list[LayoutBox] = []
        replaced: list[BBox] = []
        for side in sides:
            columns, table = side.columns, _table(side.columns, words)
            worse = [one for one in found if _meet(one.bbox, table.bbox)]
            if all(
                _yields(one, len(columns.edges), headings, others)
                or (len(worse) == 1 and _lacks_heads(one, columns))
                or (len(sides) > 1 and not one.ruled and table.bbox.width < AROUND * one.bbox.width)
                for one in worse
            ):
                found = [*(one for one in found if one not in worse), table]
                replaced += [one.bbox for one in worse]
                new += _boxes(side, table.bbox, lines)
        if new:
            result = _in_index_in_order(_taken_out(result, new), replaced)
    return result, found


def _boxes(side: Side, table: BBox, lines: Sequence[TextLine]) -> list[LayoutBox]:
    """The boxes of a table and its title."""
    inside = sorted({cell.line for row in side.columns.rows for cell in row})
    box = LayoutBox(table, Category.TABLE, tuple(lines[number].bbox for number in inside))
    if side.title is None:
        return [box]
    title, kind = lines[side.title.line].bbox, side.title.category
    kept = kind.is_heading or kind is Category.CAPTION
    return [LayoutBox(title, kind if kept else Category.TEXT, (title,)), box]


def with_forms(
    boxes: Sequence[LayoutBox], tables: Sequence[FoundTable], forms: Sequence[tuple[FoundTable, list[BBox]]]
) -> tuple[list[LayoutBox], list[FoundTable]]:
    """``boxes`` and ``tables`` with the tables ``forms``, in place of those that hold a part of them; each with the
    places of its lines."""
    result, found = list(boxes), list(tables)
    for table, inside in forms:
        result = _taken_out(result, [LayoutBox(table.bbox, Category.TABLE, tuple(inside))])
        found = [*(one for one in found if not one.bbox.intersection(table.bbox)), table]
    return result, found


def _cells(
    lines: Sequence[TextLine], owners: Sequence[int | None], kinds: Sequence[Category], page: Any
) -> Iterator[Cell]:
    """The level ones of ``lines``, divided at wide gaps between their words."""
    words = sorted(page.get_text("words"), key=lambda word: word[1] + word[3])
    middles = [(word[1] + word[3]) / 2 for word in words]
    for number, (line, owner, kind) in enumerate(zip(lines, owners, kinds, strict=True)):
        if line.turns:
            continue
        box, owner = line.bbox, -1 - number if owner is None else owner
        near = words[bisect_left(middles, box.y0) : bisect_right(middles, box.y1)]
        own = sorted((word for word in near if box.x0 <= (word[0] + word[2]) / 2 <= box.x1), key=lambda word: word[0])
        # In type of one width a single space is no gap.
        letter = min(((word[2] - word[0]) / len(word[4]) for word in own if word[4]), default=0.0) if line.even else 0.0
        least = max(GAP * box.height, TYPED_GAP * letter)
        runs: list[list[Any]] = []
        for word in own:
            if runs and word[0] - runs[-1][-1][2] < least:
                runs[-1].append(word)
            else:
                runs.append([word])
        if len(runs) < 2:
            yield Cell(box, line.text, number, owner, kind, tuple((BBox(*word[:4]), word[4]) for word in own))
            continue
        for run in runs:
            text = repair(" ".join(word[4] for word in run))
            if text:
                words_of_run = tuple((BBox(*word[:4]), word[4]) for word in run)
                yield Cell(BBox(run[0][0], box.y0, run[-1][2], box.y1), text, number, owner, kind, words_of_run)


def _over(columns: Columns, rows: Sequence[list[Cell]]) -> list[list[Cell]]:
    """Those of ``rows`` that stand closely above a table, nearest first."""
    first = columns.rows[0][0].bbox
    reach, level = HEAD * first.height, LEVEL * first.height
    return [row for row in reversed(rows) if level < first.center_y - row[0].bbox.center_y <= reach]


def _groups(cells: Sequence[Cell], rows: Sequence[list[Cell]]) -> Iterator[tuple[list[list[Cell]], list[list[Cell]]]]:
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


def _rows(cells: Sequence[Cell]) -> list[list[Cell]]:
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
    return [stack for stack in stacks.values() if len(_rows(stack)) >= ROWS]


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
    members = {owner for owner, found in held.items() if sum(found) >= MEMBER * len(found)}
    return members | {cell.owner for cell in stack}


def _table(columns: Columns, words: Sequence[Word]) -> FoundTable:
    """The table as HTML, with the place of each cell."""
    boxes = [BBox.union(cell.bbox for cell in row) for row in columns.rows]
    cells = (
        PlacedCell(as_html(text), row, column, head=columns.headed and row == 0)
        for row, texts in enumerate(columns.texts)
        for column, text in enumerate(texts)
    )
    grid = CellGrid(tuple(cells), columns.edges, tuple((box.y0, box.y1) for box in boxes))
    return found_table(settled(grid, words, ()), BBox.union(boxes))


def _columns(table: FoundTable) -> int:
    """The most cells that a row of ``table`` has."""
    return max((len(re.findall("<t[dh]", row)) for row in table.html.split("<tr")), default=0)


def _yields(table: FoundTable, columns: int, headings: Sequence[BBox], others: Sequence[BBox]) -> bool:
    """Whether ``table`` gives way to one of so many ``columns``."""
    return not table.ruled and _columns(table) < columns + _is_mixed(table, headings, others)


def _lacks_heads(table: FoundTable, columns: Columns) -> bool:
    """Whether ``table`` has the same ``columns`` without their heads, which stand above it."""
    outside = columns.headed and all(cell.bbox.center_y < table.bbox.y0 for cell in columns.rows[0])
    return outside and not table.ruled and table.head_bottom == 0 and _columns(table) == len(columns.edges)


def _is_mixed(table: FoundTable, headings: Sequence[BBox], others: Sequence[BBox]) -> bool:
    """Whether one of ``headings``, but none of the ``others`` (lines outside the seen rows), stands between the rows of
    ``table`` with its words in one of the cells."""
    between = any(table.bbox.y0 < one.y0 and one.y1 < table.bbox.y1 and _meet(one, table.bbox) for one in headings)
    return between and not any(one.overlap(table.bbox) > 0.5 for one in others)


def _in_index_in_order(boxes: Sequence[LayoutBox], tables: Sequence[BBox]) -> list[LayoutBox]:
    """``boxes``, in which headings from inside one of ``tables`` stand before the boxes below them."""
    result = list(boxes)
    for box in boxes:
        if box.category.is_heading and any(box.bbox.overlap(table) > 0.5 for table in tables):
            result.remove(box)
            result.insert(index_in_order(box.bbox, [other.bbox for other in result]), box)
    return result


def _meet(a: BBox, b: BBox) -> bool:
    return max(a.overlap(b), b.overlap(a)) > 0.5


def _taken_out(boxes: Sequence[LayoutBox], new: Sequence[LayoutBox]) -> list[LayoutBox]:
    """``boxes`` without the lines of the ``new`` ones, tables beside each other, which stand in the place of the first
    line; lines of that region below them come after them."""
    taken, around = {member for box in new for member in box.members}, BBox.union(box.bbox for box in new)
    result: list[LayoutBox] = []
    placed = False
    for box in boxes:
        rest = [member for member in box.members if member not in taken]
        if len(rest) == len(box.members):
            result.append(box)
            continue
        parts = [tuple(one for one in rest if (one.center_y < around.center_y) is above) for above in (True, False)]
        above, below = ([LayoutBox(BBox.union(part), box.category, part)] if part else [] for part in parts)
        result += [*above, *([] if placed else new), *below]
        placed = True
    if not placed:
        at = index_in_order(around, [box.bbox for box in result])
        result[at:at] = new
    return result
