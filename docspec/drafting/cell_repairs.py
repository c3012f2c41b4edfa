"""What a layout model's grid of a table without closed cells gets wrong, mended from the words in it.

Each step gives the grid back as it was unless it finds its own kind of fault, and never changes a letter: cells are
joined, divided or moved. Everything is in points.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from docspec.core import BBox
from docspec.drafting.body_rows import body_row
from docspec.drafting.cell_grid import CellGrid, joined, plain_text, without_leader, words_box
from docspec.drafting.close_heads import placed_parts
from docspec.drafting.column_cuts import entries_of, with_columns_cut, with_heads_apart
from docspec.drafting.drawn_grids import Word
from docspec.drafting.ghost_columns import with_errors, without_ghosts
from docspec.drafting.head_spans import close_words, with_level_rows, with_spanning_heads
from docspec.drafting.row_cuts import with_rows_cut
from docspec.drafting.rows_apart import with_rows_apart
from docspec.drafting.side_by_side import NUMBERED_TITLE
from docspec.drafting.wrapped_rows import with_whole_heads, with_whole_rows

LARGER = 1.1
"""From this many heights of a head on a line above the heads is their title."""

APART = 0.3
"""Least white between a title and the heads, in heights of a head."""


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
        lambda grid: with_rows_apart(grid, words),
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


def _without_rules(grid: CellGrid) -> CellGrid:
    """Rows of nothing but dashes that were typed as lines are no rows."""
    rules = {row for row in range(len(grid.ys)) if is_typed_rule([plain_text(cell.text) for cell in grid.row(row)])}
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
