"""What a layout model's grid of a table without closed cells gets wrong, mended from the words in it.

Each step gives the grid back as it was unless it finds its own kind of fault, and never changes a letter: cells are
joined, divided or moved. Everything is in points.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from docspec.core import BBox
from docspec.drafting.cell_grid import CellGrid, PlacedCell, as_html, joined, read, told, without_leader, words_box
from docspec.drafting.column_cuts import with_columns_cut, with_heads_apart
from docspec.drafting.drawn_grids import Word
from docspec.drafting.figure_columns import is_of_body, stands_for_none
from docspec.drafting.head_spans import close_words, with_level_heads, with_spanning_heads
from docspec.drafting.lines import without_spaces
from docspec.drafting.row_cuts import Line, lines_in, with_rows_cut
from docspec.drafting.wrapped_rows import with_whole_heads, with_whole_rows

NEXT = 2.0
"""Most white between a word of a head and the next one of the same head that stands in a column of its own, in heights
of the word: typists part words of a head with several spaces."""

LARGER = 1.1
"""From this many heights of a head on a line above the heads is their title."""

APART = 0.3
"""Least white between a title and the heads, in heights of a head."""

_TITLE = re.compile(r"(?:Table|Exhibit|Figure|Chart|Appendix|Annex|Schedule)\s+[\dA-Z]", re.IGNORECASE)
_ERROR = re.compile(r"\(\s?[\d.,]+\s?\)[*†‡]*")
_RULE = re.compile(r"[-–—_=+|.·*\s]{3,}")


def settled(grid: CellGrid, words: Sequence[Word], strokes: Sequence[BBox]) -> CellGrid:
    """``grid`` with its rows, columns and heads as ``words`` and level ``strokes`` of the page show them.

    A step that would put two cells in one place, as may happen around cells of several rows, is left out.
    """
    steps: tuple[Callable[[CellGrid], CellGrid], ...] = (
        lambda grid: with_columns_cut(grid, words, body_row(grid)),
        lambda grid: _without_leaders(_without_rules(grid)),
        lambda grid: _with_rows_apart(grid, words),
        lambda grid: with_level_heads(grid, words, body_row(grid)),
        lambda grid: with_spanning_heads(grid, words, strokes, body_row(grid)),
        _with_errors,
        lambda grid: _without_ghosts(grid, words),
        lambda grid: with_heads_apart(grid, words, body_row(grid)),
        lambda grid: with_whole_heads(grid, words, strokes, body_row(grid)),
        lambda grid: with_rows_cut(with_whole_rows(grid, words, body_row(grid)), words, body_row(grid)),
    )
    for step in steps:
        mended = step(grid)
        grid = mended if mended.is_whole else grid
    return grid


def without_notes(grid: CellGrid, words: Sequence[Word], strokes: Sequence[BBox] = ()) -> CellGrid:
    """``grid`` without first and last rows that hold nothing but a line of text across columns: its title and its
    source stand outside of the table."""
    last = len(grid.ys) - 1
    rows = {row for row in (0, last) if last > 1 and _is_note(grid, row, words)}
    if last > 1 and _is_title(grid, words, strokes):
        rows.add(0)
    return grid.without_rows(rows) if rows else grid


def _is_note(grid: CellGrid, row: int, words: Sequence[Word]) -> bool:
    cells = [cell for cell in grid.row(row) if cell.text]
    return len(cells) > 1 and not cells[0].column and _run_in(grid, row, words) is not None


def _is_title(grid: CellGrid, words: Sequence[Word], strokes: Sequence[BBox]) -> bool:
    """Whether the first row is the title of the table rather than a head over columns: it says so, or it is set in
    larger type, or stands apart from the heads, without a line around it."""
    title = _run_in(grid, 0, words)
    if title is None:
        return False
    below = words_box(BBox(grid.xs[0][0], grid.ys[1][0], grid.xs[-1][1], grid.ys[1][1]), words)
    first = [word.bbox for word in words if below and below.has_center_of(word.bbox)]
    if not first or len([cell for cell in grid.row(1) if cell.text]) < 2:
        return False
    if _TITLE.match(joined(*(word.text for word in title))):
        return True
    box = BBox.union(word.bbox for word in title)
    near = box.grown(box.height)
    if any(near.y0 < stroke.center_y < near.y1 and stroke.shared_width(box) > 0 for stroke in strokes):
        return False
    height = max(one.height for one in first)
    return box.height > LARGER * height or min(one.y0 for one in first) - box.y1 > APART * height


def _run_in(grid: CellGrid, row: int, words: Sequence[Word]) -> list[Word] | None:
    """The words of a row that has nothing but one run of them, from left to right."""
    if any(cell.rows > 1 for cell in grid.row(row)):
        return None
    band = BBox(grid.xs[0][0], grid.ys[row][0], grid.xs[-1][1], grid.ys[row][1])
    inside = [word for word in words if band.has_center_of(word.bbox)]
    level = all(word.bbox.in_row_with(inside[0].bbox) for word in inside)
    runs = close_words(inside)
    return runs[0] if level and len(runs) == 1 else None


def body_row(grid: CellGrid) -> int:
    """The first row below the heads: of figures that are no years, with the labels alone above it, or below the heads
    that the grid tells."""
    for row in range(min(grid.head_rows, 1), len(grid.ys)):
        texts = [told(cell.text) for cell in grid.row(row) if cell.column and cell.text]
        texts = [text for text in texts if not stands_for_none(text)] or texts
        if texts and 2 * sum(map(is_of_body, texts)) >= len(texts):
            while row > max(grid.head_rows, 1) and [cell.column for cell in grid.row(row - 1) if cell.text] == [0]:
                row -= 1
            return row
    return grid.head_rows


def _without_rules(grid: CellGrid) -> CellGrid:
    """Rows of nothing but dashes that were typed as lines are no rows."""
    rules = {row for row in range(len(grid.ys)) if is_typed_rule([told(cell.text) for cell in grid.row(row)])}
    spanned = {row for cell in grid.cells for row in range(cell.row, cell.row + cell.rows) if cell.rows > 1}
    rules -= spanned
    return grid.without_rows(rules) if rules and len(rules) < len(grid.ys) else grid


def _without_leaders(grid: CellGrid) -> CellGrid:
    """Dots that lead the eye from a label to its figure are no part of the label."""
    return grid.with_cells(
        replace(cell, text=text) if (text := without_leader(cell.text)) != cell.text else cell for cell in grid.cells
    )


def is_typed_rule(texts: Iterable[str]) -> bool:
    """Whether the cells of a row hold nothing but dashes that were typed as a line."""
    filled = [text for text in texts if text]
    return bool(filled) and all(map(_RULE.fullmatch, filled))


def _with_rows_apart(grid: CellGrid, words: Sequence[Word]) -> CellGrid:
    """Rows that stand close to each other and were taken for one are several."""
    for row in reversed(range(len(grid.ys))):
        cells = grid.row(row)
        if any(cell.rows > 1 for cell in cells) or sum(cell.columns for cell in cells) < len(grid.xs):
            continue
        lines = lines_in(grid, row, row, words)
        levels = _levels(lines) if row < body_row(grid) else [0]
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
            if without_spaces("".join(own)) != without_spaces(told(cell.text)):
                break
        else:
            grid = _divided(grid, row, parts, lines)
    return grid


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


def _levels(lines: Sequence[Line]) -> list[int]:
    """The ``lines`` at which rows of heads begin: those with heads of their own under a head over several columns."""
    return [0, *(number for number in range(1, len(lines)) if _is_over_others(lines[number - 1 :]))]


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


def _without_ghosts(grid: CellGrid, words: Sequence[Word]) -> CellGrid:
    """Columns with heads and nothing below them, that are a part of the head beside it, or stand beside the column that
    they belong to, are no columns."""
    body = body_row(grid)
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
        same = Counter(without_spaces(both)) == Counter(without_spaces(told(own.text + other.text)))
        text = as_html(both) if same else joined(first.text, second.text)
        cells[cells.index(other)] = replace(other, text=text)
    return cells


def _with_errors(grid: CellGrid) -> CellGrid:
    """``grid``, in which a column of nothing but parentheses (standard errors) is one with the figures before it, if
    only one of the two has a head."""
    body = body_row(grid)
    for column in reversed(range(2, len(grid.xs))):
        (heads, _), (before, _) = _texts(grid, column, body), _texts(grid, column - 1, body)
        own = [told(cell.text) for cell in grid.column(column) if cell.row >= body and cell.text]
        figures = [told(cell.text) for cell in grid.column(column - 1) if cell.row >= body and cell.text]
        plain = all(cell.rows == cell.columns == 1 for cell in grid.cells if cell.column in (column - 1, column))
        errors = bool(own) and len(figures) >= len(own) and all(map(_ERROR.fullmatch, own))
        if plain and errors and bool(heads) != bool(before) and not any(map(_ERROR.search, figures)):
            texts = {cell.row: cell.text for cell in grid.column(column)}
            cells = [
                replace(cell, text=joined(cell.text, texts.get(cell.row, ""))) if cell.column == column - 1 else cell
                for cell in grid.cells
            ]
            grid = grid.with_cells(cells).without_column(column, left=True)
    return grid


def _follow(left: BBox, right: BBox, words: Sequence[Word]) -> bool:
    """Whether words of ``right`` stand closely behind words of ``left`` in one line."""
    return any(
        -0.5 * after.bbox.height <= after.bbox.x0 - before.bbox.x1 <= NEXT * after.bbox.height
        for after in words
        if right.has_center_of(after.bbox)
        for before in words
        if left.has_center_of(before.bbox) and before.bbox.in_row_with(after.bbox)
    )
