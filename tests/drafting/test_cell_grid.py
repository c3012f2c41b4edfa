"""Cells of PyMuPDF's tables in their places, also where its rows lack one."""

from __future__ import annotations

from types import SimpleNamespace as Told
from typing import Any

import pytest

from docspec.core import BBox
from docspec.drafting.cell_grid import grid_of, plain_text
from docspec.drafting.drawn_grids import Word

XS = [50, 140, 200, 260]


def table_of(rows: list[list[tuple[str, int, int]]]) -> tuple[Any, str]:
    """Rows of cells (text, first column, number of columns) as PyMuPDF tells them, and their HTML."""
    placed = [
        [
            Told(bbox=(XS[at], 100 + 12 * y, XS[at + count], 112 + 12 * y), rowspan=1, colspan=count)
            for _, at, count in row
        ]
        for y, row in enumerate(rows)
    ]
    html = "".join(
        "<tr>" + "".join(f'<td colspan="{count}">{text}</td>' for text, _, count in row) + "</tr>" for row in rows
    )
    return Told(placements=placed), f"<table>{html}</table>"


def texts(grid: Any) -> list[list[str]]:
    return [[plain_text(cell.text) for cell in grid.row(row)] for row in range(len(grid.ys))]


HEADS = [("Port", 0, 1), ("Ships", 1, 1), ("Tons", 2, 1)]
FIGURES = [("12", 1, 1), ("450", 2, 1)]


@pytest.mark.parametrize("label", ["Oban", "Isle of Mull", "Coll"])
def test_a_row_that_lacks_its_label_has_it_again_and_its_figures_below_their_heads(label: str) -> None:
    table, html = table_of([HEADS, FIGURES])
    cells = [(60, 100, "Port"), (150, 100, "Ships"), (210, 100, "Tons"), (150, 112, "12"), (210, 112, "450")]
    words = [Word(BBox(x, y + 1, x + 30, y + 11), text) for x, y, text in cells]
    words += [Word(BBox(52 + 22 * n, 113, 72 + 22 * n, 123), word) for n, word in enumerate(label.split())]
    assert texts(grid_of(table, html, words)) == [["Port", "Ships", "Tons"], [label, "12", "450"]]


def test_without_words_in_the_place_the_cell_is_empty() -> None:
    assert texts(grid_of(*table_of([HEADS, FIGURES]))) == [["Port", "Ships", "Tons"], ["", "12", "450"]]


def test_whole_rows_stay_as_they_are_told() -> None:
    table, html = table_of([HEADS, [("All", 0, 1), ("none", 1, 2)]])
    grid = grid_of(table, html)
    assert grid is not None
    assert texts(grid) == [["Port", "Ships", "Tons"], ["All", "none"]]
    assert [cell.columns for cell in grid.row(1)] == [1, 2]
