"""Tables without drawn lines: figures that stand below each other, beside other columns.

Layout models take a price list for a paragraph or a list as often as for a table, and table finders do not see columns
that were made with spaces. Everything is in points.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docspec.core import BBox, Category
from docspec.drafting.cell_grid import CellGrid, PlacedCell, as_html
from docspec.drafting.cell_repairs import settled
from docspec.drafting.drawn_grids import Word
from docspec.drafting.figure_columns import ROWS, Columns, columns_of_figures
from docspec.drafting.figure_groups import CELLS, cells_of, groups_of, level_rows, rows_over
from docspec.drafting.layout import Claims, LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.order import index_in_order
from docspec.drafting.printed import Printed
from docspec.drafting.side_by_side import Side, sides_of
from docspec.drafting.tables import FoundTable, found_table

AROUND = 0.75
"""Of tables beside each other, a table that was found around one has more than its width by this share."""

_FIGURE_LAST = re.compile(r"\d\S*(?:\s\S{1,3})?$")
"""A line that ends with a figure and its unit: pages with too few such lines are not searched."""


def with_unruled(
    boxes: Sequence[LayoutBox], lines: Sequence[TextLine], tables: Sequence[FoundTable], printed: Printed
) -> tuple[list[LayoutBox], list[FoundTable]]:
    """``boxes`` and ``tables`` of a page, with the tables that only its ``lines`` show. A table of
    ``tables`` stays if drawn lines close its cells, or if it has as many columns, unless a heading is in one of its
    cells."""
    result, kept = list(boxes), list(tables)
    if sum(_FIGURE_LAST.search(line.text) is not None for line in lines) < ROWS:
        return result, kept
    claims = Claims(boxes)
    owners = [claims.owner(line.bbox) for line in lines]
    kinds = [Category.TEXT if owner is None else boxes[owner].category for owner in owners]
    every = list(cells_of(lines, owners, kinds, printed.words))
    cells = [cell for cell in every if cell.category in CELLS or cell.category.is_heading]
    level = level_rows(cells)
    captions = [cell for cell in every if cell.category is Category.CAPTION]
    with_captions = level_rows([*cells, *captions]) if captions else level
    groups = [
        sides_of(columns, rows_over(columns, with_captions))
        for rows, above in groups_of(cells, level)
        if (columns := columns_of_figures(rows, above))
    ]
    rows = {cell.line for sides in groups for side in sides for row in side.columns.rows for cell in row}
    headings = [line.bbox for line, kind in zip(lines, kinds, strict=True) if kind.is_heading]
    others = [line.bbox for number, line in enumerate(lines) if number not in rows and not kinds[number].is_heading]
    for sides in groups:
        new: list[LayoutBox] = []
        replaced: list[BBox] = []
        for side in sides:
            columns, table = side.columns, _table(side.columns, printed.words)
            worse = [one for one in kept if _meet(one.bbox, table.bbox)]
            if all(
                _yields(one, len(columns.edges), headings, others)
                or (len(worse) == 1 and _lacks_heads(one, columns))
                or (len(sides) > 1 and not one.ruled and table.bbox.width < AROUND * one.bbox.width)
                for one in worse
            ):
                kept = [*(one for one in kept if one not in worse), table]
                replaced += [one.bbox for one in worse]
                new += _boxes(side, table.bbox, lines)
        if new:
            result = _in_index_in_order(_taken_out(result, new), replaced)
    return result, kept


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
    result, kept = list(boxes), list(tables)
    for table, inside in forms:
        result = _taken_out(result, [LayoutBox(table.bbox, Category.TABLE, tuple(inside))])
        kept = [*(one for one in kept if not one.bbox.intersection(table.bbox)), table]
    return result, kept


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
