"""What a layout model's grid of a table without closed cells gets wrong, mended from the words in it.

Each step gives the grid back as it was unless it finds its own kind of fault, and never changes a letter: cells are
joined, divided or moved. Everything is in points.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from docspec.core import BBox
from docspec.drafting.body_rows import body_row
from docspec.drafting.cell_grid import (
    CellGrid,
    PlacedCell,
    as_html,
    close_words,
    joined,
    plain_text,
    read,
    without_leader,
    words_box,
)
from docspec.drafting.close_heads import placed_parts
from docspec.drafting.column_cuts import entries_of, with_columns_cut, with_heads_apart
from docspec.drafting.drawn_grids import Word
from docspec.drafting.ghost_columns import with_errors, with_signs, without_ghosts
from docspec.drafting.head_spans import with_level_rows, with_spanning_heads
from docspec.drafting.lines import without_spaces
from docspec.drafting.row_cuts import with_rows_cut
from docspec.drafting.rows_apart import with_names_apart, with_rows_apart
from docspec.drafting.side_by_side import NUMBERED_TITLE
from docspec.drafting.wrapped_rows import with_whole_heads, with_whole_labels, with_whole_rows

LARGER = 1.1
"""From this many heights of a head on a line above the heads is their title."""

APART = 0.3
"""Least white between a title and the heads, in heights of a head."""

LED = 3
"""Least cells of a column with dots that lead to figures that show what less dots are."""

_RULE = re.compile(r"[-–—_=+|.·*\s]{3,}")
_TYPED_LINE = re.compile(r"(?:^|\s)[-–—_=]{6,}(?=\s|$)")
_SHORT = re.compile(r"(?:\s?[.·…]){2,}\s*$|\s[.·…]\s*$")
_WORD = re.compile(r"[^\W\d_]{2}")


def without_typed_lines(grid: CellGrid, words: Sequence[Word]) -> tuple[CellGrid, list[Word]]:
    """``grid`` and ``words`` without the dashes that were typed as lines above and below the words of cells. Cells that
    hold nothing else keep them: rows of such cells show that they are none. What such a line had joined is apart."""
    printed = [word for word in words if not _TYPED_LINE.fullmatch(word.text)]
    cells: list[PlacedCell] = []
    for cell in grid.cells:
        text = _TYPED_LINE.sub("", cell.text).strip()
        if not text or text == cell.text:
            cells.append(cell)
            continue
        singles = [replace(cell, column=n, columns=1) for n in range(cell.column, cell.column + cell.columns)]
        texts = [read(grid.words_in(single, printed)) for single in singles]
        if Counter(without_spaces("".join(texts))) == Counter(without_spaces(plain_text(text))):
            cells += [replace(single, text=as_html(own)) for single, own in zip(singles, texts, strict=True)]
        else:
            cells.append(replace(cell, text=text))
    return grid.with_cells(cells), printed


def settled(grid: CellGrid, words: Sequence[Word], strokes: Sequence[BBox]) -> CellGrid:
    """``grid`` with its rows, columns and heads as ``words`` and level ``strokes`` of the page show them.

    A step that would put two cells in one place, as may happen around cells of several rows, is left out.
    """
    steps: tuple[Callable[[CellGrid], CellGrid], ...] = (
        lambda grid: with_names_apart(grid, words),
        lambda grid: with_columns_cut(grid, words, body_row(grid)),
        lambda grid: _without_leaders(_without_rules(grid)),
        lambda grid: with_rows_apart(grid, words),
        lambda grid: with_whole_labels(grid, words),
        lambda grid: with_level_rows(grid, words),
        lambda grid: with_spanning_heads(grid, words, strokes, body_row(grid)),
        lambda grid: with_signs(with_errors(grid, body_row(grid)), body_row(grid)),
        lambda grid: without_ghosts(grid, words, body_row(grid)),
        lambda grid: with_heads_apart(grid, words, body_row(grid)),
        lambda grid: with_whole_heads(grid, words, strokes, body_row(grid)),
        lambda grid: with_rows_cut(with_whole_rows(grid, words, body_row(grid)), words, body_row(grid)),
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
    if _begins_head(grid, title, words):
        return False
    box = BBox.union(word.bbox for word in title)
    near = box.grown(box.height)
    if any(near.y0 < stroke.center_y < near.y1 and stroke.shared_width(box) > 0 for stroke in strokes):
        return False
    height = max(one.height for one in first)
    return box.height > LARGER * height or min(one.y0 for one in first) - box.y1 > APART * height


def _begins_head(grid: CellGrid, run: Sequence[Word], words: Sequence[Word]) -> bool:
    """Whether ``run``, the first row, is no wider than a column after the first one, and stands over the middle of the
    head in the next row there."""
    box = BBox.union(word.bbox for word in run)
    cells = [cell for cell in grid.row(1) if cell.column and cell.columns == 1 and cell.text]
    heads = [head for cell in cells if (head := words_box(grid.box(cell), words))]
    return any(
        box.width <= LARGER * head.width and abs(box.center_x - head.center_x) <= APART * box.height for head in heads
    )


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


def _without_leaders(grid: CellGrid) -> CellGrid:
    """Dots that lead the eye from a label to its figure are no part of the label; nor is what long labels leave of
    them, in columns with others."""
    led = Counter(cell.column for cell in grid.cells if without_leader(cell.text) != cell.text)
    return grid.with_cells(
        replace(cell, text=_SHORT.sub("", text) or text if led[cell.column] >= LED else text)
        for cell in grid.cells
        for text in [without_leader(cell.text)]
    )


def is_typed_rule(texts: Iterable[str]) -> bool:
    """Whether the cells of a row hold nothing but dashes that were typed as a line."""
    filled = [text for text in texts if text]
    return bool(filled) and all(map(_RULE.fullmatch, filled))
