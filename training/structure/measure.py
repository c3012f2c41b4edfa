"""How well a taught network reads made pages: ``python -m training.structure.measure NETWORK.onnx FOLDER...``.

Each folder holds pages that have been read (``python -m training.structure.dataset FOLDER``). Each true table has the
F1 of its adjacency relations: which cells are next to each other in a row or a column, cells without words aside. Cells
are the same if they hold the same tokens. A true table takes the found one with most of its tokens, and counts 0
without one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from docspec.drafting.structure.relations import Relations
from docspec.drafting.structure.tables import tables_of
from docspec.drafting.structure.tokens import PageTokens
from training.structure.dataset import examples

Tokens = frozenset[int]
Places = Mapping[tuple[int, int], Tokens]
"""The tokens of the cell that covers each row and column."""
Relation = tuple[Tokens, Tokens, bool]
"""Two cells next to each other, and whether in a row."""


def scores(page: PageTokens, truth: NDArray[np.int32], relations: Relations) -> Iterator[float]:
    """The F1 (0..1) of each true table of ``page`` that has relations."""
    known = frozenset(np.nonzero(truth[:, 7] != -2)[0].tolist())
    found = [
        _places((frozenset(cell.tokens) & known, cell.row, cell.column, cell.rows, cell.columns) for cell in grid.cells)
        for grid in tables_of(page, relations)
    ]
    for table in np.unique(truth[truth[:, 0] >= 0, 0]).tolist():
        own = np.nonzero(truth[:, 0] == table)[0]
        cells = {
            place: frozenset(own[(truth[own, 1:5] == place).all(axis=1)].tolist()) for place in _unique(truth[own])
        }
        true = adjacent(_places((tokens, y, x, rows, columns) for (y, x, rows, columns), tokens in cells.items()))
        if true:
            words = frozenset(own.tolist())
            best = max(found, key=lambda one: len(words & frozenset().union(*one.values())), default={})
            ours = adjacent(best) if words & frozenset().union(*best.values()) else set()
            yield 2 * len(true & ours) / (len(true) + len(ours))


def adjacent(places: Places) -> set[Relation]:
    """The relations of the cells at ``places``, those without tokens left out."""
    rows, columns = {row for row, _ in places}, {column for _, column in places}
    found: set[Relation] = set()
    for lines, across, is_row in ((rows, columns, True), (columns, rows, False)):
        for line in lines:
            run = [tokens for at in sorted(across) if (tokens := places.get((line, at) if is_row else (at, line)))]
            found |= {(one, other, is_row) for one, other in pairwise(run) if one != other}
    return found


def _unique(tokens: NDArray[np.int32]) -> list[tuple[int, int, int, int]]:
    """The row, column, rows and columns of each cell of ``tokens``."""
    return [(row, column, rows, columns) for row, column, rows, columns in np.unique(tokens[:, 1:5], axis=0).tolist()]


def _places(cells: Iterable[tuple[Tokens, int, int, int, int]]) -> Places:
    return {
        (row + y, column + x): tokens
        for tokens, row, column, rows, columns in cells
        for y, x in product(range(rows), range(columns))
    }


def report(folder: Path, values: Sequence[float]) -> str:
    """The mean of ``values``, how many are 1, and how many below 0.5."""
    perfect, low = fmean(value == 1 for value in values), sum(value < 0.5 for value in values)
    return f"{folder.name}: {len(values)} tables, F1 {fmean(values):.4f}, {perfect:.1%} perfect, {low} below 0.5"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    taught = Relations(options.network)
    for folder in options.folders:
        print(
            report(folder, [f1 for page, cells in examples(folder) for f1 in scores(page, cells, taught)]), flush=True
        )
