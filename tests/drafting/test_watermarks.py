"""What is written across a page in large type is no cell and parts no text: it comes last."""

from __future__ import annotations

from collections.abc import Callable

import pymupdf
import pytest

from docspec.reporting.tables import grids
from docspec.results import ParsedDocument

Parsed = Callable[..., ParsedDocument]

ROWS = [["Ware", "Menge", "Summe"], ["Kasko", "1", "353.38"], ["Liiklus", "2", "135.41"], ["Kokku", "3", "488.79"]]


def drawn(page: pymupdf.Page) -> None:
    for number in range(4):
        page.insert_text((60, 80 + 14 * number), f"Line {number} of the letter that comes before.", fontsize=10)
    for y, row in enumerate(ROWS):
        for x, text in enumerate(row):
            box = pymupdf.Rect(60 + 140 * x, 180 + 20 * y, 200 + 140 * x, 200 + 20 * y)
            page.draw_rect(box, width=0.7)
            page.insert_text((box.x0 + 4, box.y0 + 14), text, fontsize=10)
    at = pymupdf.Point(120, 330)
    grey = (0.8, 0.8, 0.8)
    page.insert_text(at, "PAID IN FULL", fontsize=60, color=grey, morph=(at, pymupdf.Matrix(1, 1).prerotate(30)))


def test_a_watermark_over_a_table_is_no_cell_of_it(parsed: Parsed) -> None:
    page = parsed(drawn).pages[0]
    text = page.text
    (table,) = [grid.lines() for block in page.blocks for grid in grids(block)]
    assert table == ROWS
    assert text.index("Line 0") < text.index("Kasko") < text.index("PAID IN FULL")
    assert not [event for event in page.events if event.kind == "structure_doubtful"]


@pytest.mark.parametrize("degrees", [30, 60])
def test_small_labels_that_are_set_askew_are_no_watermarks(parsed: Parsed, degrees: int) -> None:
    def askew(page: pymupdf.Page) -> None:
        for number in range(6):
            page.insert_text((60, 80 + 14 * number), f"Line {number} of the letter that comes before.", fontsize=10)
        at = pymupdf.Point(300, 300)
        page.insert_text(at, "a label", fontsize=11, morph=(at, pymupdf.Matrix(1, 1).prerotate(degrees)))

    assert "a label" in parsed(askew).pages[0].text
