"""What stands in a table and is in no cell of the grid that was found is not lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox
from docspec.drafting.cell_grid import CellGrid, PlacedCell
from docspec.drafting.drawn_grids import Word
from docspec.drafting.left_out import told_by, with_cells_filled, with_rows_left_out
from docspec.results import ParsedDocument

XS = ((0.0, 30.0), (30.0, 160.0), (100.0, 160.0))
"""A head over the last two columns makes the second one as wide as both."""


def word(text: str, x: float, y: float) -> Word:
    return Word(BBox(x, y, x + 5 * len(text), y + 10), text)


def texts(grid: CellGrid) -> list[list[tuple[str, int, int]]]:
    """The cells by rows: their texts, and how many rows and columns they take."""
    return [[(cell.text, cell.rows, cell.columns) for cell in grid.row(row)] for row in range(len(grid.ys))]


def test_printed_rows_between_those_of_the_grid_are_rows_and_a_tall_cell_spans_them() -> None:
    cells = [
        PlacedCell("1", 0, 0),
        *(PlacedCell(text, 1, column) for column, text in enumerate(("", "wet", "310"))),
        *(PlacedCell(text, 2, column) for column, text in enumerate(("", "dry", "207"))),
    ]
    grid = CellGrid(tuple(cells), XS, ((0.0, 60.0), (30.0, 45.0), (45.0, 60.0))).filled()
    words = [word("1", 5, 25), word("wet", 40, 32), word("310", 120, 32), word("dry", 40, 47), word("207", 120, 47)]
    lost = [word("SMALL", 40, 2), word("FARMS", 68, 2), word("all", 40, 17), word("517", 120, 17)]
    assert texts(with_rows_left_out(grid, [*words, *lost], BBox(0, 0, 160, 60))) == [
        [("1", 4, 1), ("SMALL FARMS", 1, 1), ("", 1, 1)],
        [("all", 1, 1), ("517", 1, 1)],
        [("wet", 1, 1), ("310", 1, 1)],
        [("dry", 1, 1), ("207", 1, 1)],
    ]
    assert with_rows_left_out(grid, words, BBox(0, 0, 160, 60)) == grid, "nothing is left out"


def test_an_empty_cell_has_the_words_in_its_place_that_no_other_cell_has() -> None:
    cells = (PlacedCell("a", 0, 0), PlacedCell("b", 0, 1), PlacedCell("", 0, 2), PlacedCell("", 1, 0))
    grid = CellGrid(cells, ((0.0, 30.0), (30.0, 95.0), (100.0, 160.0)), ((0.0, 15.0), (15.0, 30.0))).filled()
    words = [word("a", 5, 2), word("b", 40, 2), word("0", 120, 2), word("....", 5, 18)]
    assert texts(with_cells_filled(grid, words))[0] == [("a", 1, 1), ("b", 1, 1), ("0", 1, 1)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Coffee", True),
        ("pro-", True),  # the cell joins what the lines part
        ("duction of tea", True),
        ("Cocoa", False),
        ("Coffee from Cocoa growers", False),
        ("12", True),
        ("34", False),
        (". . . .", True),
    ],
)
def test_a_line_is_in_a_table_whose_cells_have_most_of_its_letters(text: str, told: bool) -> None:
    tells = told_by("<table><tr><td>Coffee</td><td>production of tea</td><td>12.5</td></tr></table>")
    assert tells(text) is told


def test_heads_in_a_frame_of_their_own_above_the_grid_are_those_of_the_table(
    parsed: Callable[..., ParsedDocument],
) -> None:
    """As programs for reports draw them: the words that also stand below must not be missed."""
    edges, heads = (50, 110, 290, 360, 430, 500), ("No.", "Offence", "Code", "Kind", "Term")
    rows = [
        [str(n), f"Offence of kind {n}", f"1-0{n}34", "Felony" if n % 2 else "Misd.", f"{5 * n}Y"] for n in range(1, 9)
    ]

    def draw(page: Any) -> None:
        page.draw_rect(pymupdf.Rect(50, 60, 500, 90))
        for x, head in zip(edges, heads, strict=False):
            page.insert_text((x + 4, 78), head, fontsize=10, fontname="hebo")
        for number, row in enumerate(rows):
            y = 104 + 22 * number
            for x, after, text in zip(edges, edges[1:], row, strict=False):
                page.draw_rect(pymupdf.Rect(x, y, after, y + 22))
                page.insert_text((x + 4, y + 15), text, fontsize=10)

    written = parsed(draw).to_markdown()
    for text in (*heads, *(cell for row in rows for cell in row)):
        assert text in written
    assert written.count("Offence") == 1 + len(rows)
