"""Rows of a table that stand close to each other and were taken for one: rows of heads, and rows of figures.

Everything is in points.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from docspec.core import BBox
from docspec.drafting.body_rows import body_row
from docspec.drafting.cell_grid import CellGrid, PlacedCell, as_html, close_words, joined, plain_text, read, words_box
from docspec.drafting.drawn_grids import Word
from docspec.drafting.figure_columns import is_figure, is_of_body, is_year
from docspec.drafting.head_spans import ALIGNED, head_runs, is_centred
from docspec.drafting.head_tiles import are_over_groups
from docspec.drafting.lines import without_spaces
from docspec.drafting.row_cuts import Line, lines_in

_WORD = re.compile(r"[^\W\d_]{2}")


def with_rows_apart(grid: CellGrid, words: Sequence[Word]) -> CellGrid:
    """Rows that stand close to each other and were taken for one are several."""
    for row in reversed(range(len(grid.ys))):
        cells = grid.row(row)
        if any(cell.rows > 1 for cell in cells) or sum(cell.columns for cell in cells) < len(grid.xs):
            continue
        lines = lines_in(grid, row, row, words)
        if row == 0:
            lines = _with_ends(lines)
        levels = _levels(grid, lines, words) if row < body_row(grid) else [0]
        if len(levels) > 1:
            lines = [_as_one(lines[first:last]) for first, last in itertools.pairwise([*levels, len(lines)])]
        elif len(lines) < 2 or len(cells) < len(grid.xs) or not _are_rows(lines, row):
            continue
        elif row == 0 and not _is_of_figures(lines[0]):
            bodies = sum(map(_is_of_figures, lines))
            lines = [_as_one(lines[: len(lines) - bodies]), *lines[-bodies:]]
        parts = [[joined(*(word.text for word in cell)) for cell in line] for line in lines]
        for cell in cells:
            own = ["".join(line[cell.column : cell.column + cell.columns]) for line in parts]
            if without_spaces("".join(own)) != without_spaces(plain_text(cell.text)):
                break
        else:
            grid = _divided(grid, row, parts, lines)
    return grid


def with_names_apart(grid: CellGrid, words: Sequence[Word]) -> CellGrid:
    """Lines that name the rows below them, in the middle of the table, are rows over all columns: words between rows of
    figures, years where several lines are years that rise, and either below the heads if others follow."""
    lines = [lines_in(grid, row, row, words) for row in range(len(grid.ys))]
    texts = [[_alone_in_middle(line, grid) for line in own] for own in lines]
    years = [text for own in texts for text in own if is_year(text)]
    series = len(years) > 1 and years == sorted(set(years))
    names = [[n for n, text in enumerate(own) if _is_name(text) or (series and is_year(text))] for own in texts]
    for row in reversed(range(len(grid.ys))):
        own, cells = names[row], grid.row(row)
        others = [line for number, line in enumerate(lines[row]) if number not in own]
        below_heads = row < grid.head_rows and own == [len(others)] and any(names[row + 1 :])
        if not own or not (others or series) or not (below_heads or all(map(_is_of_figures, others))):
            continue
        if any(cell.rows > 1 or cell.columns > 1 for cell in cells) or not _hold(cells, lines[row]):
            continue
        starts = sorted({0, len(lines[row]), *own, *(number + 1 for number in own)})
        rows = [_as_one(lines[row][first:last]) for first, last in itertools.pairwise(starts)]
        parts = [[joined(*(word.text for word in cell)) for cell in line] for line in rows]
        grid = _divided(grid, row, parts, rows)
        spans = {row + starts.index(number): texts[row][number] for number in own}
        kept = [cell for cell in grid.cells if cell.row not in spans]
        grid = grid.with_cells(
            [*kept, *(PlacedCell(as_html(text), at, 0, columns=len(grid.xs)) for at, text in spans.items())]
        )
    return grid


def _alone_in_middle(line: Line, grid: CellGrid) -> str:
    """The text of a line that has nothing but one run of words in the middle of the table; empty for others."""
    own = [word for cell in line for word in cell]
    box = BBox.union(word.bbox for word in own)
    return read(own) if line[0] == [] and len(close_words(own)) == 1 and is_centred(box, grid) else ""


def _is_name(text: str) -> bool:
    return any(letter.isupper() for letter in text) and not is_figure(text)


def _hold(cells: Sequence[PlacedCell], lines: Sequence[Line]) -> bool:
    """Whether ``cells`` have the letters of ``lines``."""
    printed = (word.text for line in lines for cell in line for word in cell)
    return sorted(without_spaces("".join(printed))) == sorted(
        without_spaces("".join(plain_text(cell.text) for cell in cells))
    )


def _with_ends(lines: Sequence[Line]) -> list[Line]:
    """``lines``, in which those that have nothing but words under the words of a row of figures are a part of it."""
    whole: list[Line] = []
    for line in lines:
        filled = [column for column, cell in enumerate(line) if cell]
        texts = [read(line[column]) for column in filled]
        above = whole[-1] if whole and _is_of_figures(whole[-1]) else None
        if above and filled[0] and all(above[column] for column in filled) and all(map(_WORD.search, texts)):
            whole[-1] = _as_one([above, line])
        else:
            whole.append(line)
    return whole


def _is_of_figures(line: Line) -> bool:
    """Whether a line has a label and, in most of its other cells, figures."""
    texts = [joined(*(word.text for word in cell)) for cell in line[1:] if cell]
    figures = sum(map(is_of_body, texts))
    return bool(line[0] and texts) and 2 * figures >= len(texts)


def _are_rows(lines: Sequence[Line], row: int) -> bool:
    """Whether each of ``lines`` is a row of figures with a label, below heads in the first row."""
    bodies = [line for line in lines if _is_of_figures(line)]
    if row:
        return len(bodies) == len(lines)
    return bool(bodies) and list(lines[-len(bodies) :]) == bodies


def _levels(grid: CellGrid, lines: Sequence[Line], words: Sequence[Word]) -> list[int]:
    """The ``lines`` at which rows of heads begin: those with heads of their own under a head over several columns."""
    levels = [0]
    for number in range(1, len(lines)):
        upper = lines[levels[-1] :]
        if (
            _is_over_others(lines[number - 1 :])
            or _are_over_groups(grid, upper, number - levels[-1], words)
            or _is_between_columns(grid, upper, number - levels[-1], words)
            or _is_over_several(grid, lines[number - 1], lines[number])
        ):
            levels.append(number)
    return levels


def _are_over_groups(grid: CellGrid, lines: Sequence[Line], number: int, words: Sequence[Word]) -> bool:
    """Whether the first ``number`` of the ``lines`` of heads stand over groups of columns, each with a head below."""
    upper, lower = lines[:number], lines[number:]
    if not all(any(line[column] for line in lower) for column in range(1, len(grid.xs))):
        return False
    top, bottom = min(box.y0 for box in _pieces(lower)), grid.ys[-1][1]
    columns = [words_box(BBox(x0, top, x1, bottom), words) or BBox(x0, top, x1, bottom) for x0, x1 in grid.xs]
    heads = [run.bbox for run in head_runs([word for line in upper for cell in line for word in cell])]
    return are_over_groups(heads, _pieces(upper), columns, _pieces(lower))


def _is_over_several(grid: CellGrid, upper: Line, lower: Line) -> bool:
    """Whether a cell over several columns has one head in the line ``upper`` and several in ``lower``."""
    for cell in grid.row(0):
        above, below = (
            close_words([word for column in line[cell.column : cell.column + cell.columns] for word in column])
            for line in (upper, lower)
        )
        if cell.columns > 1 and len(above) == 1 < len(below):
            return True
    return False


def _is_between_columns(grid: CellGrid, lines: Sequence[Line], number: int, words: Sequence[Word]) -> bool:
    """Whether one of the heads in the first ``number`` of ``lines`` stands over the middle of two heads in the others,
    with no column below it."""
    if not all(any(line[column] for line in lines[number:]) for column in range(1, len(grid.xs))):
        return False
    upper, lower = _pieces(lines[:number]), _pieces(lines[number:])
    band = min(box.y0 for box in lower), grid.ys[-1][1]
    columns = [box for x0, x1 in grid.xs if (box := words_box(BBox(x0, band[0], x1, band[1]), words))]
    for head in upper:
        left = max((box for box in lower if box.center_x < head.center_x), key=lambda box: box.x1, default=None)
        right = min((box for box in lower if box.center_x > head.center_x), key=lambda box: box.x0, default=None)
        above_one = any(box.x0 < head.center_x < box.x1 for box in (*columns, *lower))
        if left and right and not above_one and abs((left.x0 + right.x1) / 2 - head.center_x) <= ALIGNED * head.height:
            return True
    return False


def _pieces(lines: Iterable[Line]) -> list[BBox]:
    """Where the runs of close words of each of ``lines`` stand."""
    runs = (run for line in lines for run in close_words([word for cell in line for word in cell]))
    return [BBox.union(word.bbox for word in run) for run in runs]


def _is_over_others(lines: Sequence[Line]) -> bool:
    """Whether a head in the first of ``lines`` goes over several heads in the next one, or over several columns that
    have heads of their own below it."""
    columns = {id(word): column for column, cell in enumerate(lines[0]) for word in cell}
    runs = close_words([word for cell in lines[0] for word in cell])
    wide = [own for run in runs if len(own := sorted({columns[id(word)] for word in run})) > 1]
    if any(all(any(line[column] for line in lines[1:]) for column in own) for own in wide):
        return True
    below = [BBox.union(word.bbox for word in run) for run in close_words([word for cell in lines[1] for word in cell])]
    boxes = (BBox.union(word.bbox for word in run) for run in runs)
    return any(sum(box.shared_width(one) > 0.5 * one.width for one in below) > 1 for box in boxes)


def _as_one(lines: Sequence[Line]) -> Line:
    """``lines`` of heads as one row of cells."""
    return [[word for line in lines for word in line[column]] for column in range(len(lines[0]))]


def _divided(grid: CellGrid, row: int, parts: Sequence[Sequence[str]], lines: Sequence[Line]) -> CellGrid:
    """``grid`` with a row of cells of its own divided into ``parts``."""
    more = len(parts) - 1
    tops = [min(word.bbox.y0 for cell in line for word in cell) for line in lines[1:]]
    first, last = grid.ys[row]
    edges = [first, *tops, last]
    ys = (*grid.ys[:row], *itertools.pairwise(edges), *grid.ys[row + 1 :])
    cells = [replace(cell, row=cell.row + more) if cell.row > row else cell for cell in grid.cells if cell.row != row]
    head = grid.row(row)[0].head
    for number, texts in enumerate(parts):
        cells += [
            PlacedCell(as_html(text), row + number, column, head=head and not _is_of_figures(lines[number]))
            for column, text in enumerate(texts)
        ]
    return CellGrid((), grid.xs, ys).with_cells(cells)
