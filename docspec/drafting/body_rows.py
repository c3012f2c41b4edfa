"""Where the heads of a table without closed cells end, told from its texts."""

from __future__ import annotations

import itertools
import re

from docspec.drafting.cell_grid import CellGrid, plain_text
from docspec.drafting.figure_columns import is_of_body, stands_for_none

ENTRIES = 3
"""Least figures of a column that show what its entries are."""

NUMBERED = 3
"""Least columns whose heads are numbers that rise."""

_PLAIN = re.compile(r"\d{1,3}(?:,\d{3})*(?:\.\d+)?|\d+")


def body_row(grid: CellGrid) -> int:
    """The first row below the heads: of figures that are no years, with the labels alone above it, or below the heads
    that the grid tells."""
    for row in range(min(grid.head_rows, 1), len(grid.ys)):
        if _are_numbered_heads(grid, row):
            continue
        texts = [plain_text(cell.text) for cell in grid.row(row) if cell.column and cell.text]
        texts = [text for text in texts if not stands_for_none(text)] or texts
        if texts and (2 * sum(map(is_of_body, texts)) >= len(texts) or _is_entry(grid, row)):
            while row > max(grid.head_rows, 1) and [cell.column for cell in grid.row(row - 1) if cell.text] == [0]:
                row -= 1
            return row
    return grid.head_rows


def _is_entry(grid: CellGrid, row: int) -> bool:
    """Whether a row with a label has figures in the columns that hold figures below it: words in others are entries."""
    columns = [
        [plain_text(cell.text) for cell in grid.column(n) if cell.row > row and cell.text] for n in range(len(grid.xs))
    ]
    own = {cell.column: plain_text(cell.text) for cell in grid.row(row) if cell.text}
    figures = [
        own[number]
        for number, texts in enumerate(columns)
        if number in own
        and number
        and len(texts) >= ENTRIES
        and all(is_of_body(t) or stands_for_none(t) for t in texts)
    ]
    return 0 in own and bool(figures) and all(map(is_of_body, figures))


def _are_numbered_heads(grid: CellGrid, row: int) -> bool:
    """Whether the cells of a row, plain numbers that rise, are the heads of columns (days, doses) below a head over
    several columns."""
    own = {cell.column: plain_text(cell.text) for cell in grid.row(row)}
    texts = [text for column, text in own.items() if column]
    numbers = [float(text.replace(",", "")) for text in texts if _PLAIN.fullmatch(text)]
    rise = all(a < b for a, b in itertools.pairwise(numbers))
    if row == len(grid.ys) - 1 or not len(numbers) == len(texts) >= NUMBERED or not rise or is_of_body(own.get(0, "")):
        return False
    rows = ([cell.column for cell in grid.row(number) if cell.text] for number in reversed(range(row)))
    above = next((columns for columns in rows if columns and columns != [0]), None)
    return above is not None and above[0] > 0
