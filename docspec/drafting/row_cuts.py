"""Where the rows of a table without lines begin: the layout model's rows, or another division of the printed lines.

A new row begins where most columns begin, and wrapped lines belong to the row above (figures beside the first line of a
label) or below (beside the last). Of these divisions and the model's the one with the least faults is taken, the
model's where others are no better. Everything is in points.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from docspec.core import BBox
from docspec.core.grouping import in_rows
from docspec.drafting.cell_grid import (
    CellGrid,
    PlacedCell,
    as_html,
    close_words,
    joined,
    plain_text,
    read,
    without_leader,
)
from docspec.drafting.drawn_grids import Word
from docspec.drafting.figure_columns import is_figure
from docspec.drafting.head_spans import names_rows
from docspec.drafting.lines import without_spaces
from docspec.drafting.wrapped_rows import begins_within, goes_on

_LEADER = re.compile("[.·…_]")

FULL = 0.6
"""Least share of the columns that the fullest line has that a line fills with which a row begins or ends."""

WIDER = 1.3
"""Least ratio of the distances of lines between rows and within them."""

Line = list[list[Word]]
"""The words of one printed line of a table, by columns."""


def lines_in(grid: CellGrid, first: int, last: int, words: Sequence[Word]) -> list[Line]:
    """The printed lines with words in columns in the rows from ``first`` to ``last`` of ``grid``."""
    band = BBox(grid.xs[0][0], grid.ys[first][0], grid.xs[-1][1], grid.ys[last][1])
    inside = (word for word in words if band.has_center_of(word.bbox))
    lines = [
        [[word for word in row if x0 <= word.bbox.center_x < x1] for x0, x1 in grid.xs]
        for row in in_rows(inside, lambda word: word.bbox)
    ]
    return [line for line in lines if any(line)]  # columns may leave room between them


def with_rows_cut(grid: CellGrid, words: Sequence[Word], body: int) -> CellGrid:
    """``grid`` with the rows from ``body`` on divided with the least faults."""
    last = len(grid.ys) - 1
    cells = [cell for cell in grid.cells if cell.row + cell.rows > body]
    if not 0 < body <= last or any(cell.rows > 1 or cell.columns > 1 for cell in cells):
        return grid
    lines = lines_in(grid, body, last, words)
    if len(lines) <= last - body + 1:  # no cell has two lines
        return grid
    texts = [[without_leader(joined(*(word.text for word in cell))) for cell in line] for line in lines]
    if _letters(text for line in texts for text in line) != _letters(plain_text(cell.text) for cell in cells):
        return grid
    rows = [_row_at(grid, _middle(line)) for line in lines]
    model = [number for number in range(1, len(lines)) if rows[number] != rows[number - 1]]
    least, cuts = _faults(texts, model), model
    titles = [number for number, line in enumerate(lines) if _is_title(line, grid)]
    apart = sorted({*model, *titles, *(number + 1 for number in titles)} - {0, len(lines)})
    for other in (apart, _at_gaps(lines), *_divisions(texts)):
        if (faults := _faults(texts, other)) < least:
            least, cuts = faults, other
    return grid if cuts == model else _with_rows(grid, body, lines, texts, cuts, titles)


def _letters(texts: Iterable[str]) -> Counter[str]:
    """The characters of ``texts`` without those of leaders, which may stand within a cell of several rows."""
    return Counter(_LEADER.sub("", without_spaces("".join(texts))))


def _is_title(line: Line, grid: CellGrid) -> bool:
    """Whether a line has nothing but the name of the rows below it, in the middle of the table."""
    runs = close_words([word for cell in line for word in cell])
    return (
        len(runs) == 1 and not all(line) and names_rows(BBox.union(word.bbox for word in runs[0]), read(runs[0]), grid)
    )


def _middle(line: Line) -> float:
    return BBox.union(word.bbox for cell in line for word in cell).center_y


def _row_at(grid: CellGrid, y: float) -> int:
    """The row in which ``y`` is, or the last one that begins above it."""
    return max((row for row, (top, _) in enumerate(grid.ys) if top <= y), default=0)


def _at_gaps(lines: Sequence[Line]) -> list[int]:
    """The lines that stand clearly farther below those above than the lines of a cell do."""
    gaps = [below - above for above, below in pairwise(map(_middle, lines))]
    if max(gaps) < WIDER * min(gaps):
        return []
    between = (min(gaps) * max(gaps)) ** 0.5
    return [number for number, gap in enumerate(gaps, start=1) if gap > between]


def _divisions(texts: Sequence[Sequence[str]]) -> Iterable[list[int]]:
    """The lines at which rows begin, if all lines are rows, if full lines begin rows, and if they end them."""
    counts = [sum(map(bool, line)) for line in texts]
    figures = [sum(is_figure(text) for text in line[1:]) for line in texts]
    yield list(range(1, len(texts)))
    for filled in (counts, figures):
        most = max(filled)
        full = [number for number, count in enumerate(filled) if most > 1 and count >= max(2, FULL * most)]
        if full and full[0] == 0:
            yield full[1:]
        if full and full[-1] == len(texts) - 1:
            yield [number + 1 for number in full[:-1]]
        starts = [number for number in full if not any(map(begins_within, filter(None, texts[number])))]
        if starts and starts[0] == 0:
            yield starts[1:]


def _faults(texts: Sequence[Sequence[str]], cuts: Sequence[int]) -> int:
    """How many cells of lines begin within a sentence at ``cuts``, or begin one, are a second figure, or are words
    below a figure, elsewhere."""
    faults, last = 0, list(texts[0])  # what stands last in each cell of the row, perhaps some lines above
    for number, (above, below) in enumerate(pairwise(texts), start=1):
        pairs = [(a, b) for a, b in zip(above, below, strict=True) if b]
        if number in cuts:
            faults += sum(begins_within(b) or (bool(a) and goes_on(a, b)) for a, b in pairs)
            last = list(below)
            continue
        faults += sum(
            is_figure(a) and (is_figure(b) or not begins_within(b)) for a, b in zip(last, below, strict=True) if b
        )
        faults += bool(above[0] and below[0]) and not goes_on(above[0], below[0])
        last = [b or a for a, b in zip(last, below, strict=True)]
    return faults


def _with_rows(
    grid: CellGrid,
    body: int,
    lines: Sequence[Line],
    texts: Sequence[Sequence[str]],
    cuts: Sequence[int],
    titles: Sequence[int],
) -> CellGrid:
    """``grid`` with the ``lines`` from the row ``body`` on in rows that begin at ``cuts``; ``titles`` go over all
    columns."""
    starts = [0, *cuts, len(lines)]
    cells = [cell for cell in grid.cells if cell.row < body]
    tops = [min(word.bbox.y0 for cell in lines[cut] for word in cell) for cut in cuts]
    edges = [grid.ys[body][0], *tops, grid.ys[-1][1]]
    for row, (first, last) in enumerate(pairwise(starts), start=body):
        if first in titles and last == first + 1:
            cells.append(PlacedCell(as_html(joined(*texts[first])), row, 0, columns=len(grid.xs)))
            continue
        cells += [
            PlacedCell(as_html(joined(*(line[column] for line in texts[first:last]))), row, column)
            for column in range(len(grid.xs))
        ]
    return CellGrid((), grid.xs, (*grid.ys[:body], *pairwise(edges))).with_cells(cells)
