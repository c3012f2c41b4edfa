"""Plain tables: what the layout model calls a table, in which the network sees none, and which white space alone
divides into full rows and columns. A network that was taught on crowded pages misses a small table on an empty one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docspec.drafting.structure.grid import Cell
from docspec.drafting.structure.tokens import LAYOUT, PageTokens, rows_of

ROWS, COLUMNS = 3, 2
"""Least rows and columns."""

FILLED = 0.8
"""Least share of the places that have words."""

WHITE = 1.0
"""Least white between two columns, in sizes of the type."""


def plain_grids(page: PageTokens, taken: Sequence[int]) -> list[list[Cell]]:
    """The cells of the plain tables of ``page``, none of whose tokens is ``taken``."""
    used = set(taken)
    centers = [((one.box[0] + one.box[2]) / 2, (one.box[1] + one.box[3]) / 2) for one in page.tokens]
    found = []
    for x0, y0, x1, y1, kind in page.layout:
        own = [at for at, (x, y) in enumerate(centers) if x0 <= x <= x1 and y0 <= y <= y1]
        if LAYOUT[int(kind)] == "table" and own and not used.intersection(own):
            cells = _divided(page, own)
            if cells:
                found.append(cells)
    return found


def _divided(page: PageTokens, own: Sequence[int]) -> list[Cell]:
    """The cells of the tokens ``own``; none where white does not divide them into full rows and columns."""
    tokens = [page.tokens[at] for at in own]
    rows = rows_of(tokens)
    size = float(np.median([one.size for one in tokens]))
    spans = sorted((one.box[0], one.box[2]) for one in tokens)
    edges, end = [spans[0][0]], spans[0][1]
    for left, right in spans[1:]:
        if left - end > WHITE * size:
            edges.append(left)
        end = max(end, right)
    places: dict[tuple[int, int], list[int]] = {}
    for number, row in enumerate(rows):
        for at in row:
            column = int(np.searchsorted(edges, tokens[at].box[0], side="right")) - 1
            places.setdefault((number, column), []).append(int(own[at]))
    full = len(places) >= FILLED * len(rows) * len(edges)
    if len(rows) < ROWS or len(edges) < COLUMNS or not full:
        return []
    return [Cell(tuple(words), row, column) for (row, column), words in sorted(places.items())]
