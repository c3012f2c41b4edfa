"""What a layout model's grid of a table without closed cells gets wrong, mended from the words in it.

Each step gives the grid back as it was unless it finds its own kind of fault, and never changes a letter: cells are
joined, divided or moved. Everything is in points.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from docspec.core import BBox
from docspec.drafting.cell_grid import CellGrid, PlacedCell, as_html, joined, read, told, without_leader, words_box
from docspec.drafting.close_heads import placed_parts
from docspec.drafting.column_cuts import entries_of, with_columns_cut, with_heads_apart
from docspec.drafting.drawn_grids import Word
from docspec.drafting.figure_columns import is_of_body, stands_for_none
from docspec.drafting.ghost_columns import with_errors, without_ghosts
from docspec.drafting.head_spans import close_words, head_runs, with_level_rows, with_spanning_heads
from docspec.drafting.head_tiles import are_over_groups
from docspec.drafting.lines import without_spaces
from docspec.drafting.row_cuts import Line, lines_in, with_rows_cut
from docspec.drafting.side_by_side import NUMBERED_TITLE
from docspec.drafting.wrapped_rows import with_whole_heads, with_whole_rows

LARGER = 1.1
"""From this many heights of a head on a line above the heads is their title."""

APART = 0.3
"""Least white between a title and the heads, in heights of a head."""

ENTRIES = 3
"""Least figures of a column that show what its entries are."""

NUMBERED = 3
"""Least columns whose heads are numbers that rise."""

_PLAIN = re.compile(r"\d{1,3}(?:,\d{3})*(?:\.\d+)?|\d+")
_RULE = re.compile(r"[-–—_=+|.·*\s]{3,}")
_TYPED_LINE = re.compile(r"(?:^|\s)[-–—_=]{6,}(?=\s|$)")
_WORD = re.compile(r"[^\W\d_]{2}")


def settled(grid: CellGrid, words: Sequence[Word], strokes: Sequence[BBox]) -> CellGrid:
    """``grid`` with its rows, columns and heads as ``words`` and level ``strokes`` of the page show them.

    A step that would put two cells in one place, as may happen around cells of several rows, is left out.
    """
    steps: tuple[Callable[[CellGrid], CellGrid], ...] = (
        lambda grid: with_columns_cut(grid, words, body_row(grid)),
        lambda grid: _without_leaders(_without_rules(grid)),
        lambda grid: _with_rows_apart(grid, words),
        lambda grid: with_level_rows(grid, words),
        lambda grid: with_spanning_heads(grid, words, strokes, body_row(grid)),
        lambda grid: with_errors(grid, body_row(grid)),
        lambda grid: without_ghosts(grid, words, body_row(grid)),
        lambda grid: with_heads_apart(grid, words, body_row(grid)),
        lambda grid: with_whole_heads(grid, words, strokes, body_row(grid)),
        lambda grid: with_rows_cut(with_whole_rows(grid, words, body_row(grid)), words, body_row(grid)),
        _without_typed_lines,
    )
    for step in steps:
        mended = step(grid)
        grid = mended if mended.is_whole else grid
    return grid


def without_notes(grid: CellGrid, words: Sequence[Word], strokes: Sequence[BBox] = ()) -> CellGrid:
    """``grid`` without first and last rows that hold nothing but lines of text across columns: its title, its source
    and the paragraphs around it stand outside of the table."""
    last = len(grid.ys) - 1
    rows: set[int] = set()
    if last > 1 and (_is_note(grid, 0, words) or _is_title(grid, words, strokes)):
        rows.add(0)
    for row in range(last, 1, -1):
        if _is_note(grid, row, words):
            rows |= set(range(row, last + 1))
        elif [cell.column for cell in grid.row(row) if cell.text] != [0]:  # else perhaps the end of a paragraph
            break
    return grid.without_rows(rows) if rows and len(rows) < last else grid


def _is_note(grid: CellGrid, row: int, words: Sequence[Word]) -> bool:
    cells = [cell for cell in grid.row(row) if cell.text]
    run = _run_in(grid, row, words) if len(cells) > 1 and not cells[0].column else None
    return run is not None and not (row == 0 and _are_heads(grid, run, words))


def _are_heads(grid: CellGrid, run: Sequence[Word], words: Sequence[Word]) -> bool:
    """Whether ``run``, the first row, holds heads as close as words, each over the entries of its column."""
    if NUMBERED_TITLE.match(joined(*(word.text for word in run))):
        return False
    columns = with_columns_cut(grid, words, 1)
    return bool(placed_parts([word.bbox for word in run], entries_of(columns, words, 1)))


def _is_title(grid: CellGrid, words: Sequence[Word], strokes: Sequence[BBox]) -> bool:
    """Whether the first row is the title of the table rather than a head over columns: it says so, or it is set in
    larger type, or stands apart from the heads, without a line around it."""
    title = _run_in(grid, 0, words)
    if title is None or _are_heads(grid, title, words):
        return False
    below = words_box(BBox(grid.xs[0][0], grid.ys[1][0], grid.xs[-1][1], grid.ys[1][1]), words)
    first = [word.bbox for word in words if below and below.has_center_of(word.bbox)]
    if not first or len([cell for cell in grid.row(1) if cell.text]) < 2:
        return False
    if NUMBERED_TITLE.match(joined(*(word.text for word in title))):
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
        if _are_numbered_heads(grid, row):
            continue
        texts = [told(cell.text) for cell in grid.row(row) if cell.column and cell.text]
        texts = [text for text in texts if not stands_for_none(text)] or texts
        if texts and (2 * sum(map(is_of_body, texts)) >= len(texts) or _is_entry(grid, row)):
            while row > max(grid.head_rows, 1) and [cell.column for cell in grid.row(row - 1) if cell.text] == [0]:
                row -= 1
            return row
    return grid.head_rows


def _is_entry(grid: CellGrid, row: int) -> bool:
    """Whether a row with a label has figures in the columns that hold figures below it: words in others are entries."""
    columns = [
        [told(cell.text) for cell in grid.column(n) if cell.row > row and cell.text] for n in range(len(grid.xs))
    ]
    own = {cell.column: told(cell.text) for cell in grid.row(row) if cell.text}
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
    own = {cell.column: told(cell.text) for cell in grid.row(row)}
    texts = [text for column, text in own.items() if column]
    numbers = [float(text.replace(",", "")) for text in texts if _PLAIN.fullmatch(text)]
    rise = all(a < b for a, b in itertools.pairwise(numbers))
    if row == len(grid.ys) - 1 or not len(numbers) == len(texts) >= NUMBERED or not rise or is_of_body(own.get(0, "")):
        return False
    rows = ([cell.column for cell in grid.row(number) if cell.text] for number in reversed(range(row)))
    above = next((columns for columns in rows if columns and columns != [0]), None)
    return above is not None and above[0] > 0


def _without_rules(grid: CellGrid) -> CellGrid:
    """Rows of nothing but dashes that were typed as lines are no rows."""
    rules = {row for row in range(len(grid.ys)) if is_typed_rule([told(cell.text) for cell in grid.row(row)])}
    spanned = {row for cell in grid.cells for row in range(cell.row, cell.row + cell.rows) if cell.rows > 1}
    rules -= spanned
    return grid.without_rows(rules) if rules and len(rules) < len(grid.ys) else grid


def _without_typed_lines(grid: CellGrid) -> CellGrid:
    """Dashes that were typed as a line below or above the words of a cell are no part of it."""
    return grid.with_cells(
        replace(cell, text=_TYPED_LINE.sub("", cell.text).strip())
        if _TYPED_LINE.search(cell.text) and _WORD.search(cell.text)
        else cell
        for cell in grid.cells
    )


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
            if without_spaces("".join(own)) != without_spaces(told(cell.text)):
                break
        else:
            grid = _divided(grid, row, parts, lines)
    return grid


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
        if _is_over_others(lines[number - 1 :]) or _are_over_groups(
            grid, lines[levels[-1] :], number - levels[-1], words
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
