"""The search for a table's grid: the division of its cells into rows and columns that the relations speak for most.

Cells are ordered by their middles and cut into rows, and the same way into columns, by dynamic programming: of all
divisions, the one whose pairs' log-odds add up best. A cell over several rows or columns takes the run of them that it
has most in common with. Such cells hold the rows beneath them together, so that a second division is made without the
cells that share with two which are apart; what is better as a whole is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np
from numpy.typing import NDArray

from docspec.drafting.structure.tokens import Box, Floats

APART = 2.0
"""Weight of what parts two cells over what joins them: a cell over several rows shares one with each, and must not join
them."""

SPAN = 0.5
"""What each further row or column of a cell costs."""

BRIDGED = 4.0
"""Log-odds against two cells sharing a row from which a third that shares with both is one over several rows."""

AGREED = 0.4
"""Weight of what all pairs of two printed rows say of their being one row, over what a single pair says."""

WHOLE = 1.5
"""Log-odds added to those of two lines of words being one cell, before it is said that they cannot share both a row and
a column."""

Ranges = list[tuple[int, int]]
"""The first row (or column) of each cell, and the one behind its last."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The ``tokens`` of a cell (their numbers, in the order of reading), its first row and column, and how many it
    takes."""

    tokens: tuple[int, ...]
    row: int
    column: int
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: its cells in the order of reading, how many rows at the top are heads, its box (points), how sure it is
    (0..1: the mean probability of what it says of two words), and whether drawn rules close most of its cells."""

    cells: tuple[Cell, ...]
    head_rows: int
    box: Box
    certainty: float
    ruled: bool = False

    @property
    def height(self) -> int:
        """How many rows it has."""
        return max(cell.row + cell.rows for cell in self.cells)

    @property
    def width(self) -> int:
        """How many columns it has."""
        return max(cell.column + cell.columns for cell in self.cells)


def columns_of(cells: Sequence[Cell], boxes: Floats) -> list[tuple[float, float] | None]:
    """Where the words of each column begin and end, by the cells that are in it alone; ``boxes`` are those of all
    tokens."""
    found: list[tuple[float, float] | None] = []
    for column in range(max(cell.column + cell.columns for cell in cells)):
        own = [token for cell in cells if (cell.column, cell.columns) == (column, 1) for token in cell.tokens]
        found.append((float(boxes[own, 0].min()), float(boxes[own, 2].max())) if own else None)
    return found


def division(scores: Floats, order: NDArray[np.int64]) -> list[list[int]]:
    """``order``, cut into the runs whose pairs' ``scores`` (n, n) add up best."""
    count = len(order)
    own = scores[np.ix_(order, order)].astype(np.float64)
    np.fill_diagonal(own, 0)
    sums = np.zeros((count + 1, count + 1))
    sums[1:, 1:] = own.cumsum(0).cumsum(1)
    diagonal = sums.diagonal()
    best, start = np.zeros(count + 1), np.zeros(count + 1, np.int64)
    for end in range(1, count + 1):
        inner = (diagonal[end] + diagonal[:end] - sums[:end, end] - sums[end, :end]) / 2
        totals = best[:end] + inner
        start[end] = totals.argmax()
        best[end] = totals[start[end]]
    runs, end = [], count
    while end:
        runs.append(order[start[end] : end].tolist())
        end = int(start[end])
    return runs[::-1]


def ranges(scores: Floats, runs: Sequence[Sequence[int]]) -> Ranges:
    """For each cell the neighbouring ``runs`` that it has most in common with: the run of them whose mean scores add up
    best."""
    means = np.stack([scores[:, run].mean(axis=1) for run in runs], axis=1)
    for number, run in enumerate(runs):  # its own run, without itself
        if len(run) > 1:
            own = scores[np.ix_(run, run)].astype(np.float64)
            means[run, number] = (own.sum(axis=1) - own.diagonal()) / (len(run) - 1)
        else:
            means[run, number] = 1.0
    home = means.argmax(axis=1)  # of cells that are in no run
    for number, run in enumerate(runs):
        home[run] = number
    result = []
    for cell, row in enumerate(means):
        first = last = int(home[cell])
        for step in (-1, 1):
            total, best, reach, at = 0.0, 0.0, 0, first if step < 0 else last
            while 0 <= at + step < len(runs):
                at += step
                total += row[at]
                if total > best:
                    best, reach = total, abs(at - int(home[cell]))
                if total < -4:
                    break
            if step < 0:
                first -= reach
            else:
                last += reach
        result.append((first, last + 1))
    return result


def _ranges_along(scores: Floats, order: NDArray[np.int64]) -> Ranges:
    """The rows (or columns) of each cell, whose pairs' ``scores`` (n, n) add up best: by a division of all cells, or of
    those that are not over several."""
    weighed = np.where(scores < 0, APART * scores, scores)
    over = _over_several(scores)
    found = [ranges(scores, division(weighed, order))]
    if over.any() and not over.all():
        runs = division(weighed, order[~over[order]])
        alone = over & (np.stack([scores[:, run].mean(axis=1) for run in runs]) <= 0).all(axis=0)
        if alone.any():  # none of the runs is theirs: a column that cells below it divide, in two ways that overlap
            place = np.argsort(order)
            runs = sorted([*runs, *division(weighed, order[alone[order]])], key=lambda run: float(place[run].mean()))
            return ranges(scores, runs)
        found.append(ranges(scores, runs))
    return max(found, key=lambda one: _total(weighed, one))


def _over_several(scores: Floats) -> NDArray[np.bool_]:
    """Which cells share a row with two others that do not."""
    near, apart = scores > 1, scores < -BRIDGED
    np.fill_diagonal(near, False)
    return np.array([apart[np.ix_(own, own)].any() for own in near])


def _total(scores: Floats, found: Ranges) -> float:
    """The sum of the scores of all pairs that share a row, less the cost of cells over several."""
    first, end = np.array(found).T
    shared = (first[:, None] < end) & (first < end[:, None])
    np.fill_diagonal(shared, False)
    return float(scores[shared].sum() / 2 - SPAN * (end - first - 1).sum())


def placed(
    groups: Sequence[Sequence[int]], rows: Ranges, columns: Ranges, reading: Sequence[tuple[float, float]]
) -> list[Cell]:
    """The cells of a grid in which no place belongs to two. Of two cells that want one place, the one over more of them
    gives way; two of one place are one cell. ``reading`` places each token in the order of reading."""
    taken: dict[tuple[int, int], int] = {}
    cells: list[Cell] = []
    spans = [(r[1] - r[0]) * (c[1] - c[0]) for r, c in zip(rows, columns, strict=True)]
    for number in sorted(range(len(groups)), key=lambda one: (spans[one], min(groups[one]))):
        (top, bottom), (left, right) = rows[number], columns[number]
        places = [(row, column) for row in range(top, bottom) for column in range(left, right)]
        free = [place for place in places if place not in taken]
        if not free:
            other = taken[places[0]]
            tokens = sorted([*cells[other].tokens, *groups[number]], key=lambda token: reading[token])
            cells[other] = replace(cells[other], tokens=tuple(tokens))
            continue
        top, bottom, left, right = _largest(free, top, bottom, left, right)
        for row in range(top, bottom):
            for column in range(left, right):
                taken[row, column] = len(cells)
        tokens = sorted(groups[number], key=lambda token: reading[token])
        cells.append(Cell(tuple(tokens), top, left, bottom - top, right - left))
    return sorted(cells, key=lambda cell: (cell.row, cell.column))


def _largest(
    free: Sequence[tuple[int, int]], top: int, bottom: int, left: int, right: int
) -> tuple[int, int, int, int]:
    """The largest free rectangle of places within the given one."""
    places, best, area = set(free), (top, bottom, left, right), 0
    for y0 in range(top, bottom):
        for x0 in range(left, right):
            if (y0, x0) not in places:
                continue
            x1 = right
            for y1 in range(y0, bottom):
                x = x0
                while x < x1 and (y1, x) in places:
                    x += 1
                x1 = x
                if x1 == x0:
                    break
                if (y1 + 1 - y0) * (x1 - x0) > area:
                    area, best = (y1 + 1 - y0) * (x1 - x0), (y0, y1 + 1, x0, x1)
    return best


def agreed(scores: Floats, rows: Sequence[Sequence[int]]) -> Floats:
    """``scores`` (n, n, 3 or more: row first) of tokens in printed ``rows``, in which the log-odds of two being of one
    row are drawn towards the mean of all pairs of their printed rows: whether two printed rows are one row of the table
    is the same question in every column."""
    member = np.zeros((len(rows), len(scores)), np.float32)
    for number, row in enumerate(rows):
        member[number, row] = 1 / len(row)
    printed = member.argmax(axis=0)
    means = (member @ np.clip(scores[..., 0], -6, 6) @ member.T)[np.ix_(printed, printed)]
    apart = printed[:, None] != printed
    result = scores.copy()
    result[..., 0] = np.where(apart, (1 - AGREED) * scores[..., 0] + AGREED * means, scores[..., 0])
    return result


def with_heads_over(cells: Sequence[Cell], boxes: Floats) -> list[Cell]:
    """``cells`` of tokens with ``boxes`` (n, 4), in which a column that has nothing but a head is one with the column
    beside it that has none, if the head is within that one's part of the width: a head in the middle of a wide column,
    whose cells begin or end at its side, may stand above none of them."""
    result = list(cells)
    at = 0
    while at < max(cell.column + cell.columns for cell in result) - 1:
        if _is_head_over(result, at, at + 1, boxes) or _is_head_over(result, at + 1, at, boxes):
            result = [
                replace(cell, column=cell.column - 1)
                if cell.column > at
                else replace(cell, columns=cell.columns - 1)
                if cell.column + cell.columns > at + 1
                else cell
                for cell in result
            ]
        at += 1
    return result


def _is_head_over(cells: Sequence[Cell], head: int, body: int, boxes: Floats) -> bool:
    """Whether the column ``head`` is nothing but a head of the column ``body`` beside it."""

    def of(column: int) -> list[Cell]:
        return [cell for cell in cells if cell.column <= column < cell.column + cell.columns]

    both = [cell for cell in of(head) if cell in of(body)]
    own, below = ([cell for cell in of(column) if cell not in both] for column in (head, body))
    if len(own) != 1 or len(below) < 2 or max(cell.columns for cell in (*own, *below)) > 1:
        return False
    if own[0].row > 1 or min(cell.row for cell in below) < own[0].row + own[0].rows:
        return False

    def side(wanted: Sequence[Cell], edge: int) -> list[float]:
        return [float(boxes[token, edge]) for cell in wanted for token in cell.tokens]

    if head > body:
        left, right = side(below, 0), side([cell for cell in cells if cell.column > head], 0)
    else:
        left, right = side([cell for cell in cells if cell.column + cell.columns <= head], 2), side(below, 2)
    if not left or not right:
        return False
    start, end = (min(left), min(right)) if head > body else (max(left), max(right))
    return start < min(side(own, 0)) and max(side(own, 2)) < end


def grid_of(scores: Floats, boxes: Floats, groups: Sequence[Sequence[int]]) -> list[Cell]:
    """The grid of the tokens with ``boxes`` (n, 4), whose ``groups`` are cells, from the log-odds of their pairs (n, n,
    3: row, column, cell)."""
    member = np.zeros((len(groups), len(boxes)), np.float32)
    for number, group in enumerate(groups):
        member[number, group] = 1 / len(group)
    around = np.array([[*boxes[group, :2].min(axis=0), *boxes[group, 2:].max(axis=0)] for group in groups])
    row, column, cell = (np.clip(member @ np.clip(scores[..., kind], -6, 6) @ member.T, -5, 5) for kind in range(3))
    others = 1 / (1 + np.exp(cell + WHOLE))  # the probability that two are not parts of one cell
    result = []
    for own, across, axis in ((row, column, 1), (column, row, 0)):
        own = np.clip(own - others * np.logaddexp(0, across), -5, 5)
        result.append(_ranges_along(own, np.argsort(around[:, axis] + around[:, axis + 2], kind="stable")))
    rows, columns = result
    height = float(np.median(boxes[:, 3] - boxes[:, 1])) or 1.0
    reading = _reading(boxes, height)
    return with_heads_over(without_empty(placed(groups, rows, columns, reading)), boxes)


def _reading(boxes: Floats, height: float) -> list[tuple[float, float]]:
    """The order of reading within a cell: printed rows from top to bottom, each from left to right."""
    middle = (boxes[:, 1] + boxes[:, 3]) / 2
    rank, last, row = np.zeros(len(boxes)), -np.inf, 0
    for at in np.argsort(middle, kind="stable"):
        if middle[at] - last > 0.5 * height:
            row, last = row + 1, middle[at]
        rank[at] = row
    return [(float(a), float(b)) for a, b in zip(rank, boxes[:, 0], strict=True)]


def without_empty(cells: Sequence[Cell]) -> list[Cell]:
    """``cells`` without rows in which none begins, other than cells that go on, and without columns that no cell has
    without a neighbour: figures of one place that stand at the end of longer ones make no column."""
    rows = sorted({cell.row for cell in cells})
    columns = sorted({cell.column for cell in cells})
    for column in columns[::-1]:
        at = columns.index(column)
        own = [cell for cell in cells if cell.column <= column < cell.column + cell.columns]
        beside = [columns[near] for near in (at - 1, at + 1) if 0 <= near < len(columns)]
        if any(all(cell.column <= other < cell.column + cell.columns for cell in own) for other in beside):
            columns.remove(column)

    def upto(edges: list[int], at: int) -> int:
        return int(np.searchsorted(edges, at))

    return [
        replace(
            cell,
            row=upto(rows, cell.row),
            column=upto(columns, cell.column),
            rows=max(1, upto(rows, cell.row + cell.rows) - upto(rows, cell.row)),
            columns=max(1, upto(columns, cell.column + cell.columns) - upto(columns, cell.column)),
        )
        for cell in cells
    ]


def html_of(grid: Grid, texts: Sequence[str]) -> str:
    """``grid`` as HTML, with the ``texts`` of its cells; places without a cell become empty ones."""
    rows: list[list[tuple[int, str]]] = [[] for _ in range(grid.height)]
    taken = set()
    for cell, text in zip(grid.cells, texts, strict=True):
        name = "th" if cell.row < grid.head_rows else "td"
        spans = "".join(f' {key}="{n}"' for key, n in (("colspan", cell.columns), ("rowspan", cell.rows)) if n > 1)
        rows[cell.row].append((cell.column, f"<{name}{spans}>{escape(text, quote=False)}</{name}>"))
        taken |= {(cell.row + y, cell.column + x) for y in range(cell.rows) for x in range(cell.columns)}
    for number, row in enumerate(rows):
        name = "th" if number < grid.head_rows else "td"
        row += [(column, f"<{name}></{name}>") for column in range(grid.width) if (number, column) not in taken]
    return "<table>" + "".join("<tr>" + "".join(cell for _, cell in sorted(row)) + "</tr>" for row in rows) + "</table>"
