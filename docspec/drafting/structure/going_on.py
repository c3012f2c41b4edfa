"""Two tables below each other that are one: the network takes a group of rows under its own heading for another."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from docspec.drafting.structure.grid import Grid, columns_of
from docspec.drafting.structure.tokens import Floats, PageTokens

LEAST_RULES, FRAMED, ROW_WHITE = 2, 0.9, 1.3
"""Least rules of one length over two tables below each other that are one, their least length as a share of the width,
and most white between the two over that between two rows."""


def goes_on(first: Grid, second: Grid, page: PageTokens) -> bool:
    """Whether the table ``second`` is the rest of ``first`` right above it: rules of one length run above, between or
    below both, their columns stand in the same places, no more white is between them than between two rows, and it
    does not begin with the same heads."""
    if first.width != second.width or (first.head_rows and _first_row(first, page) == _first_row(second, page)):
        return False
    boxes = np.array([token.box for token in page.tokens])
    columns = zip(columns_of(first.cells, boxes), columns_of(second.cells, boxes), strict=True)
    if any(a is not None and b is not None and (min(a[1], b[1]) <= max(a[0], b[0])) for a, b in columns):
        return False
    (left, top), (right, bottom) = np.minimum(first.box[:2], second.box[:2]), np.maximum(first.box[2:], second.box[2:])
    slack = float(np.median([page.tokens[cell.tokens[0]].size for cell in first.cells]))
    wide = [
        (start, end)
        for start, end, y in page.level.tolist()
        if top - 2 * slack < y < bottom + 2 * slack
        and end - start > FRAMED * (right - left)
        and start < right
        and end > left
    ]
    ends = np.array(wide).reshape(-1, 2)
    if len(ends) < LEAST_RULES or (np.ptp(ends, axis=0) > slack / 2).any():
        return False
    return _white_between(first, second, boxes) <= ROW_WHITE * max(_most_white(one, boxes) for one in (first, second))


def _first_row(grid: Grid, page: PageTokens) -> list[str]:
    return [" ".join(page.tokens[token].text for token in cell.tokens) for cell in grid.cells if cell.row == 0]


def _white_between(first: Grid, second: Grid, boxes: Floats) -> float:
    upper = [token for cell in first.cells for token in cell.tokens]
    lower = [token for cell in second.cells for token in cell.tokens]
    return float(boxes[lower, 1].min() - boxes[upper, 3].max())


def _most_white(grid: Grid, boxes: Floats) -> float:
    """The widest white between two of its rows."""
    rows: list[tuple[float, float]] = []
    for row in range(grid.height):
        own = [token for cell in grid.cells if cell.row == row for token in cell.tokens]
        if own:
            rows.append((float(boxes[own, 1].min()), float(boxes[own, 3].max())))
    return max([below[0] - above[1] for above, below in pairwise(rows)] or [0.0])
