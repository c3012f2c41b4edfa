"""Columns of a layout model's grid that the page does not have: heads without entries, and standard errors beside their
figures. Everything is in points.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from docspec.core import BBox
from docspec.drafting.cell_grid import CellGrid, PlacedCell, as_html, joined, plain_text, read
from docspec.drafting.drawn_grids import Word
from docspec.drafting.lines import without_spaces

NEXT = 2.0
"""Most white between a word of a head and the next one of the same head that stands in a column of its own, in heights
of the word: typists part words of a head with several spaces."""

_ERROR = re.compile(r"\(\s?[\d.,]+\s?\)[*†‡]*")
_WITH_ERROR = re.compile(rf"-?[\d.,]+[*†‡]*\s?{_ERROR.pattern}")
_SIGNS = frozenset("$€£¥ ")


def without_ghosts(grid: CellGrid, words: Sequence[Word], body: int) -> CellGrid:
    """Columns with heads and nothing below them, that are a part of the head beside it, or stand beside the column that
    they belong to, are no columns; nor are columns without words."""
    for column in reversed(range(len(grid.xs))):
        if len(grid.xs) > 1 and not any(cell.text for cell in grid.column(column)):
            grid = grid.without_column(column, left=column > 0)
    column = 1
    while 0 < body < len(grid.ys) - 1 and column < len(grid.xs):
        changed = _shifted(grid, column, body) or _merged(grid, column, body, words)
        if changed is None and not any(_texts(grid, column, body)):
            changed = grid.without_column(column, left=True)
        if changed is None:
            column += 1
        else:
            grid = changed
    return grid


def _texts(grid: CellGrid, column: int, body: int) -> tuple[str, str]:
    """The heads and the other texts of a column."""
    cells = [cell for cell in grid.cells if cell.column <= column < cell.column + cell.columns]
    return (
        joined(*(cell.text for cell in cells if cell.row < body and cell.columns == 1)),
        joined(*(cell.text for cell in cells if cell.row >= body)),
    )


def _shifted(grid: CellGrid, ghost: int, body: int) -> CellGrid | None:
    """``grid`` without the column ``ghost``, if a column beside it has no head: the heads between them move there."""
    kinds = [tuple(map(bool, _texts(grid, column, body))) for column in range(len(grid.xs))]
    plain = all(cell.columns == 1 for cell in grid.cells if cell.row < body)
    if kinds[ghost] != (True, False) or not plain:
        return None
    for step in (1, -1):
        bare = ghost + step
        while 0 < bare < len(kinds) and kinds[bare] == (True, True):
            bare += step
        if 0 < bare < len(kinds) and kinds[bare] == (False, True):
            between = range(min(ghost, bare), max(ghost, bare) + 1)
            cells = [
                replace(cell, column=cell.column + step)
                if cell.row < body and cell.column in between and cell.column != bare
                else cell
                for cell in grid.cells
                if not (cell.row < body and cell.column == bare) and not (cell.row >= body and cell.column == ghost)
            ]
            return grid.with_cells(cells).without_column(ghost, left=ghost == len(kinds) - 1)
    return None


def _merged(grid: CellGrid, ghost: int, body: int, words: Sequence[Word]) -> CellGrid | None:
    """``grid`` with the head over ``ghost`` joined to the one left (or right) of it, if their words follow closely."""
    heads, below = _texts(grid, ghost, body)
    if not heads or below:
        return None
    for left in (True, False):
        beside = ghost - 1 if left else ghost + 1
        if beside == len(grid.xs) or not _texts(grid, beside, body)[1]:
            continue
        if not any(cell.rows > 1 for cell in grid.cells if cell.column in (beside, ghost)):
            cells = _joined_heads(grid, ghost, beside, words)
            if cells is not None:
                return grid.with_cells(cells).without_column(ghost, left)
    return None


def _joined_heads(grid: CellGrid, ghost: int, beside: int, words: Sequence[Word]) -> list[PlacedCell] | None:
    """The cells with the texts of the column ``ghost`` in the column ``beside``; ``None`` where one does not follow."""
    cells = list(grid.cells)
    for own in grid.column(ghost):
        other = next((cell for cell in cells if cell.row == own.row and cell.column == beside), None)
        if not own.text:
            continue
        if other is None or other.columns > 1:
            return None
        first, second = sorted((own, other), key=lambda cell: cell.column)
        if not _follow(grid.box(first), grid.box(second), words):
            return None
        around = BBox.union([grid.box(own), grid.box(other)])
        both = read(word for word in words if around.has_center_of(word.bbox))
        same = Counter(without_spaces(both)) == Counter(without_spaces(plain_text(own.text + other.text)))
        text = as_html(both) if same else joined(first.text, second.text)
        cells[cells.index(other)] = replace(other, text=text)
    return cells


def with_errors(grid: CellGrid, body: int) -> CellGrid:
    """``grid``, in which a column of nothing but parentheses (standard errors) is one with the figures before it, if
    only one of the two has a head, or if most other columns have figures with their errors."""
    columns = [
        [plain_text(cell.text) for cell in grid.column(n) if cell.row >= body and cell.text]
        for n in range(len(grid.xs))
    ]
    usual = sum(bool(texts) and all(map(_WITH_ERROR.fullmatch, texts)) for texts in columns[1:])
    for column in reversed(range(2, len(grid.xs))):
        (heads, _), (before, _) = _texts(grid, column, body), _texts(grid, column - 1, body)
        own = [plain_text(cell.text) for cell in grid.column(column) if cell.row >= body and cell.text]
        figures = [plain_text(cell.text) for cell in grid.column(column - 1) if cell.row >= body and cell.text]
        plain = all(cell.rows == cell.columns == 1 for cell in grid.cells if cell.column in (column - 1, column))
        errors = bool(own) and len(figures) >= len(own) and all(map(_ERROR.fullmatch, own))
        alone = bool(heads) != bool(before) or 2 * usual >= len(grid.xs) - 2
        if plain and errors and alone and not any(map(_ERROR.search, figures)):
            grid = _as_one(grid, column - 1)
    return grid


def with_signs(grid: CellGrid, body: int) -> CellGrid:
    """``grid``, in which a column of nothing but signs of currencies is one with the figures behind it."""
    for column in reversed(range(1, len(grid.xs) - 1)):
        head, below = _texts(grid, column, body)
        plain = all(cell.rows == cell.columns == 1 for cell in grid.cells if cell.column in (column, column + 1))
        if plain and below and not head and set(plain_text(below)) <= _SIGNS:
            grid = _as_one(grid, column)
    return grid


def _as_one(grid: CellGrid, column: int) -> CellGrid:
    """``grid`` with ``column`` and the one behind it, both of cells of their own, as one."""
    texts = {cell.row: cell.text for cell in grid.column(column + 1)}
    cells = [
        replace(cell, text=joined(cell.text, texts.get(cell.row, ""))) if cell.column == column else cell
        for cell in grid.cells
    ]
    return grid.with_cells(cells).without_column(column + 1, left=True)


def _follow(left: BBox, right: BBox, words: Sequence[Word]) -> bool:
    """Whether words of ``right`` stand closely behind words of ``left`` in one line."""
    return any(
        -0.5 * after.bbox.height <= after.bbox.x0 - before.bbox.x1 <= NEXT * after.bbox.height
        for after in words
        if right.has_center_of(after.bbox)
        for before in words
        if left.has_center_of(before.bbox) and before.bbox.in_row_with(after.bbox)
    )
