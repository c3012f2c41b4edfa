"""Columns of a table without closed cells that a layout model took for one, and heads cut beside their columns: where
columns stand close, labels, leaders and figures share a cell. Everything is in points.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from docspec.drafting.cell_grid import CellGrid, Edges, PlacedCell, as_html, joined, plain_text, read, words_box
from docspec.drafting.close_heads import parts_over, widest_parts
from docspec.drafting.drawn_grids import Word
from docspec.drafting.figure_columns import is_of_body, stands_for_none
from docspec.drafting.lines import without_spaces
from docspec.drafting.row_cuts import Line, lines_in

ROWS = 3
"""Least rows with words on both sides of a gutter."""

BOTH = 0.6
"""Least share of the rows of a column that have words on both sides."""

FIGURES = 0.8
"""Least share of them with figures on the right; without, the gutter has to be wide and what is behind it level."""

CLOSE, NARROW, WIDE = 0.25, 0.3, 0.75
"""Least widths of a gutter before figures that begin below each other, before other figures and before words, in
heights of a word; a space is about 0.2 wide."""

TYPED = 1.4
"""Least width of a gutter in type of one width, in letters."""

LEVEL = 0.2
"""Heights of a word by which words that begin below each other may be out of line."""

APART = 1.5
"""Least white between two heads that are surely two, in heights of a word."""

_SIGNS = frozenset("$€£¥±<>(")


def with_columns_cut(grid: CellGrid, words: Sequence[Word], body: int) -> CellGrid:
    """``grid``, in which columns of two columns' words are two; ``body`` is the first row below the heads."""
    for column in reversed(range(len(grid.xs))):
        while (cut := _cut_of(grid, column, words, body)) is not None:
            divided = _divided(grid, column, cut, words)
            if divided is None:
                break
            grid = divided
    return grid


def _cut_of(grid: CellGrid, column: int, words: Sequence[Word], body: int) -> float | None:
    """Where the last gutter in the rows of ``column`` from ``body`` on is, if any."""
    cells = [cell for cell in grid.column(column) if cell.row >= body and cell.text]
    inside = (grid.words_in(cell, words) for cell in cells)
    rows = [sorted(row, key=_left) for row in ([word for word in one if _bare(word)] for one in inside) if row]
    if len(rows) < ROWS:
        return None
    every = [word for row in rows for word in row]
    height = median(word.bbox.height for word in every)
    letters = [word.bbox.width / len(word.text) for word in every if len(word.text) > 1]
    typed = len(letters) > ROWS and max(letters) - min(letters) < 0.02 * max(letters)
    for left, right in _gutters(every):
        width, cut = right - left, (left + right) / 2
        sides = [([w for w in row if _right(w) <= cut], [w for w in row if w.bbox.x0 >= cut]) for row in rows]
        both = [(a, b) for a, b in sides if a and b]
        if len(both) < max(ROWS, BOTH * len(rows)) or all(set("".join(w.text for w in a)) <= _SIGNS for a, _ in both):
            continue
        if typed and width < TYPED * letters[0]:
            continue
        texts = [joined(*(word.text for word in b)) for _, b in both]
        figures = sum(is_of_body(text) or stands_for_none(text) for text in texts)
        lefts = [b[0].bbox.x0 for _, b in both]
        level = max(lefts) - min(lefts) <= LEVEL * height and len(both) == len(rows)
        spread = sum(text.startswith("(") for text in texts) >= FIGURES * len(both)  # standard errors, say
        least = WIDE if spread else CLOSE if level else NARROW
        if figures >= FIGURES * len(both) and width >= least * height:
            return cut
        if level and width >= WIDE * height:
            return cut
    return None


def _left(word: Word) -> float:
    return word.bbox.x0


def _bare(word: Word) -> str:
    """The text of ``word`` without the dots that lead from it; empty where it is nothing else."""
    return word.text.rstrip("._·…")


def _right(word: Word) -> float:
    """Where ``word`` ends, without the dots that lead from it."""
    led = len(word.text) - len(_bare(word))
    return word.bbox.x1 if led < 3 else word.bbox.x0 + word.bbox.width * (1 - led / len(word.text))


def _gutters(words: Sequence[Word]) -> Iterator[tuple[float, float]]:
    """The stretches, from right to left, that none of ``words`` reaches into."""
    gaps, reach = [], float("inf")
    for word in sorted(words, key=_left):
        if word.bbox.x0 > reach:
            gaps.append((reach, word.bbox.x0))
        reach = max(reach, _right(word)) if reach < float("inf") else _right(word)
    return reversed(gaps)


def _divided(grid: CellGrid, column: int, cut: float, words: Sequence[Word]) -> CellGrid | None:
    """``grid`` with ``column`` divided at ``cut``; ``None`` where the words are not those of its cells."""
    x0, x1 = grid.xs[column]
    xs = (*grid.xs[:column], (x0, cut), (cut, x1), *grid.xs[column + 1 :])
    cells = []
    for cell in grid.cells:
        if cell.column > column:
            cells.append(replace(cell, column=cell.column + 1))
        elif cell.column + cell.columns <= column:
            cells.append(cell)
        elif cell.columns > 1:
            cells.append(replace(cell, columns=cell.columns + 1))
        else:
            own = grid.words_in(cell, words)
            before = [word for word in own if not _bare(word) or (word.bbox.x0 + _right(word)) / 2 < cut]
            texts = [read(before), read(word for word in own if word not in before)]
            if Counter(without_spaces("".join(texts))) != Counter(without_spaces(plain_text(cell.text))):
                return None
            cells += [
                replace(cell, text=as_html(text), column=number) for number, text in enumerate(texts, start=column)
            ]
    return CellGrid((), xs, grid.ys).with_cells(cells)


def with_heads_apart(grid: CellGrid, words: Sequence[Word], body: int) -> CellGrid:
    """``grid``, in which the heads of a row are divided at the widest white between their words, one a column, where
    the edges of the columns cut them elsewhere: heads that stand over their columns, or, where a column has none and
    another has two, heads far apart, which stand beside figures set to the right."""
    entries = entries_of(grid, words, body)
    for row in range(body):
        cells = grid.row(row)
        if len(cells) != len(grid.xs) or any(cell.rows > 1 for cell in cells):
            continue
        lines = lines_in(grid, row, row, words)
        was = [plain_text(cell.text) for cell in cells]
        runs = _runs(lines[0], grid, entries, "" in was) if len(lines) == 1 else []
        texts = [joined(*(word.text for word in run)) for run in runs]
        same = Counter(without_spaces("".join(texts))) == Counter(without_spaces("".join(was)))
        if runs and texts != was and same:
            heads = [PlacedCell(as_html(text), row, n, head=cells[n].head) for n, text in enumerate(texts)]
            grid = grid.with_cells([*(cell for cell in grid.cells if cell.row != row), *heads])
    return grid


def _runs(line: Line, grid: CellGrid, entries: Edges, lacking: bool) -> list[list[Word]]:
    """The words of ``line`` in runs, one over each column, or, where a column is ``lacking`` a head, far apart."""
    words = sorted((word for cell in line for word in cell), key=_left)
    boxes = [word.bbox for word in words]
    parts = parts_over(boxes, grid.xs, entries)
    if lacking and not parts:
        widest = widest_parts(boxes, len(grid.xs))
        ends = ((boxes[last - 1], boxes[first]) for (_, last), (first, _) in pairwise(widest))
        parts = widest if all(right.x0 - left.x1 >= APART * left.height for left, right in ends) else []
    return [words[first:last] for first, last in parts]


def entries_of(grid: CellGrid, words: Sequence[Word], body: int) -> Edges:
    """Where the words of each column from the row ``body`` on begin and end; columns without words have none."""
    boxes = (
        [box for cell in grid.column(column) if cell.row >= body and (box := words_box(grid.box(cell), words))]
        for column in range(len(grid.xs))
    )
    return tuple((min(box.x0 for box in own), max(box.x1 for box in own)) for own in boxes if own)
