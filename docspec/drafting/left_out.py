"""What stands in a table and is in none of its cells: PyMuPDF's grid may lack whole rows, heads above all, and what is
in no cell would be lost."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import unescape

from docspec.core import BBox
from docspec.core.grouping import in_rows
from docspec.drafting.cell_grid import CellGrid, PlacedCell, as_html, close_words, read
from docspec.drafting.drawn_grids import Word
from docspec.drafting.lines import TextLine
from docspec.drafting.right_to_left import has_right_to_left

LONG = 4
"""Letters from which on a word is in a table if they stand there next to each other, whatever is a word there: cells
join words that are hyphenated, and part those of languages without spaces."""

MOST = 0.5
"""Least share of the letters of a row, or a line, in words that a table does not have."""

_NO_LETTER = re.compile(r"[\W_]+")
_TAG = re.compile("<[^>]*>")


def told_by(html: str) -> Callable[[str], bool]:
    """Whether a text is among those of the cells of ``html``: most of its letters, in words that they have. A text
    without letters and figures counts as told, and one of a script that runs from right to left."""
    words = _words(unescape(_TAG.sub(" ", html)))
    every, joined = set(words), "".join(words)

    def has(word: str) -> bool:
        return word in every or (len(word) >= LONG and word in joined) or any(word in one for one in every)

    def tells(text: str) -> bool:
        own = _words(text)
        lacking = sum(len(word) for word in own if not has(word))
        return lacking < MOST * sum(map(len, own)) or not own or has_right_to_left(text)

    return tells


def lines_left_out(html: str, lines: Sequence[TextLine]) -> list[TextLine]:
    """Those of ``lines``, in a table of this ``html``, that are in none of its cells. If none is in one, its words are
    others than those of the lines, and say nothing about them."""
    tells = told_by(html)
    out = [line for line in lines if not tells(line.text)]
    return out if len(out) < len(lines) else []


def with_cells_filled(grid: CellGrid, words: Sequence[Word]) -> CellGrid:
    """``grid`` whose empty cells have the ``words`` that stand in their places and in no other cell."""
    filled = [grid.box(cell) for cell in grid.cells if cell.text]
    loose = [word for word in words if _words(word.text) and not any(box.has_center_of(word.bbox) for box in filled)]
    return grid.with_cells(
        cell if cell.text else replace(cell, text=as_html(read(grid.words_in(cell, loose)))) for cell in grid.cells
    )


def with_rows_left_out(grid: CellGrid, words: Sequence[Word], around: BBox) -> CellGrid:
    """``grid`` with the printed rows of ``words`` in its box ``around`` that are in none of its cells, if they stand in
    several of its columns: above it as one row of heads, between its rows as rows."""
    tells = told_by(" ".join(cell.text for cell in grid.cells))
    inside = [word for word in words if around.has_center_of(word.bbox)]
    rows = [row for row in in_rows(inside, _place) if not tells(" ".join(word.text for word in row))]
    top = grid.ys[0][0]
    between = [row for row in rows if row[0].bbox.center_y >= top]
    heads = [word for word in inside if word.bbox.center_y < top] if len(between) < len(rows) else []
    parts = [(_body_cells(grid, row), BBox.union(map(_place, row))) for row in between]
    if heads:
        parts.append((_head_cells(grid, heads), BBox.union(map(_place, heads))))
    if all(len(cells) < 2 for cells, _ in parts):
        return grid
    mended = _without_heads(grid) if heads else grid
    for cells, box in parts:
        mended = _with_row(mended, cells, box, _index_of(mended, box))
    mended = _with_tall_cells(mended)
    return mended if mended.is_whole else grid


def _with_row(grid: CellGrid, cells: Sequence[PlacedCell], box: BBox, index: int) -> CellGrid:
    """``grid`` with one more row of ``cells``, which stands in ``box`` and becomes that of number ``index``."""
    moved = [
        replace(cell, row=cell.row + 1)
        if cell.row >= index
        else replace(cell, rows=cell.rows + (cell.row + cell.rows > index))
        for cell in grid.cells
    ]
    ys = (*grid.ys[:index], (box.y0, box.y1), *grid.ys[index:])
    return replace(grid, ys=ys).with_cells([*moved, *(replace(cell, row=index) for cell in cells)]).filled()


def _head_cells(grid: CellGrid, words: Sequence[Word]) -> list[PlacedCell]:
    """The cells of a row of heads of one line or several: the ``words`` over each column."""
    columns: dict[int, list[Word]] = {}
    for word in words:
        columns.setdefault(_column_of(grid, word.bbox), []).append(word)
    return [PlacedCell(as_html(read(own)), 0, column, head=True) for column, own in columns.items()]


def _body_cells(grid: CellGrid, row: Sequence[Word]) -> list[PlacedCell]:
    """The cells of a printed ``row``: a run of words that reaches over several columns spans them."""
    cells: list[PlacedCell] = []
    for run in close_words(row):
        text, first, last = as_html(read(run)), _column_of(grid, run[0].bbox), _column_of(grid, run[-1].bbox)
        if cells and first < cells[-1].column + cells[-1].columns:
            before = cells.pop()
            text, first = f"{before.text} {text}", before.column
            last = max(last, before.column + before.columns - 1)
        cells.append(PlacedCell(text, 0, first, columns=last - first + 1))
    return cells


def _column_of(grid: CellGrid, box: BBox) -> int:
    """The column in which ``box`` stands: the last one that begins before its middle. Spanning heads make the first of
    their columns as wide as they are, so where columns end says nothing."""
    return max((column for column, (x0, _) in enumerate(grid.xs) if x0 <= box.center_x), default=0)


def _index_of(grid: CellGrid, row: BBox) -> int:
    """The number that a printed ``row`` gets in ``grid``: rows begin in their order, whatever they reach over."""
    return next((number for number, (y0, _) in enumerate(grid.ys) if y0 > row.center_y), len(grid.ys))


def _without_heads(grid: CellGrid) -> CellGrid:
    """``grid`` without heads, if only its first row was one: that was taken for one for want of another."""
    return grid.with_cells(replace(cell, head=False) for cell in grid.cells) if grid.head_rows == 1 else grid


def _with_tall_cells(grid: CellGrid) -> CellGrid:
    """``grid`` in which a cell alone in its row, whose box reaches over rows below, spans these instead."""
    for number in range(len(grid.ys) - 2, -1, -1):
        filled = [cell for cell in grid.row(number) if cell.text]
        below = [row for row in range(number + 1, len(grid.ys)) if sum(grid.ys[row]) / 2 < grid.ys[number][1]]
        if len(filled) != 1 or filled[0].rows != 1 or below != list(range(number + 1, number + 1 + len(below))):
            continue
        tall = filled[0]
        under = [cell for cell in grid.cells if cell.column == tall.column and cell.row in below]
        if not below or any(cell.text or cell.columns > 1 or cell.rows > 1 for cell in under) or tall.columns > 1:
            continue
        rest = [cell for cell in grid.cells if cell not in under and cell is not tall]
        spanning = replace(tall, row=number + 1, rows=len(below))
        grid = grid.with_cells([*rest, spanning]).without_rows({number})
    return grid


def _place(word: Word) -> BBox:
    return word.bbox


def _words(text: str) -> list[str]:
    """The runs of letters and figures of ``text``."""
    return [part for part in _NO_LETTER.split(unicodedata.normalize("NFKC", text).casefold()) if part]
