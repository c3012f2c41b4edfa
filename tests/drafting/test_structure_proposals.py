"""What is proposed to the search for tables beside the network's groups: items that lines describe, heads above a
single row, small tables that white divides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pymupdf
import pytest

from docspec.drafting.structure.grid import Cell, Grid
from docspec.drafting.structure.tables import _with_rows_joined
from docspec.reporting.tables import grids
from docspec.results import ParsedDocument

Parsed = Callable[..., ParsedDocument]

ITEMS = [
    ("4711001", "WA997", "10,000 kWh", "0.0520", "19", "520.00"),
    ("4711002", "OE250", "10,000 kWh", "0.0205", "19", "205.00"),
    ("4711003", "KO100", "27.5 h", "10.50", "19", "288.75"),
    ("4711004", "FB05", "3,500 pc", "0.0105", "19", "36.75"),
]
DESCRIBED = [
    ["Electricity, day rate", "Delivered: 1 to 30 September, meter 4481-A, reading 543210 to 544420"],
    ["Green supplement", "Delivered: week 38, ordered by Ms Berger, cost centre 5465-8876", "Order no. B6100615"],
    ["Picking, Mr Muster", "Settled: week 36", "Ordered by: Mr Mayer, staff no. 4488, cost centre 5465-8876"],
    ["Paper bag 16 x 6 x 28 cm", "Order no. B610061523500010, note L87654321011"],
]


@pytest.mark.parametrize("font", ["cour", "helv"])
def test_lines_that_describe_an_item_are_in_its_row(parsed: Parsed, font: str) -> None:
    columns = (40, 112, 250, 330, 482, 532)

    def draw(page: pymupdf.Page) -> None:
        heads = ("Article", "Description", "Quantity", "Price", "VAT", "Amount")
        for x, text in zip(columns, heads, strict=True):
            page.insert_text((x, 80), text, fontname=font, fontsize=8)
        page.draw_line((40, 84), (570, 84))
        y = 100
        for item, lines in zip(ITEMS, DESCRIBED, strict=True):
            for x, text in zip(columns, item, strict=True):
                page.insert_text((x, y), text, fontname=font, fontsize=8)
            for number, line in enumerate(lines, start=1):
                page.insert_text((112, y + 9 * number), line, fontname=font, fontsize=8)
            y += 9 * len(lines) + 18

    (table,) = [grid.lines() for block in parsed(draw).pages[0].blocks for grid in grids(block)]
    expected = [[item[0], " ".join([item[1], *lines]), *item[2:]] for item, lines in zip(ITEMS, DESCRIBED, strict=True)]
    assert [[" ".join(cell.split()) for cell in row] for row in table[1:]] == expected


@pytest.mark.parametrize(
    ("down", "sure", "tables"),
    [(24, 0.95, [[0, 1, 2, 3]]), (24, 0.85, []), (90, 0.95, [])],
    ids=["below each other", "together none", "far apart"],
)
def test_groups_that_are_no_tables_are_one_with_the_next_if_that_is_sure(
    down: float, sure: float, tables: list[list[int]]
) -> None:
    boxes = np.array([(40, 0, 80, 10), (100, 0, 140, 10), (40, down, 80, down + 10), (100, down, 140, down + 10)])

    class Search:
        def __init__(self) -> None:
            self.boxes = boxes

        def grid_among(self, own: np.ndarray) -> Grid | None:
            cells = tuple(Cell((int(token),), int(token) // 2, int(token) % 2) for token in own)
            return Grid(cells, 1, (0, 0, 0, 0), sure) if len(own) == 4 else None

    found = _with_rows_joined([(np.array(own), None) for own in ([0, 1], [2, 3])], Search())  # type: ignore[arg-type]
    assert [own.tolist() for own, grid in found if grid is not None] == tables


SMALL = {
    "dots": [
        ["City", "2019", "2020"],
        ["Basel", "12", "14"],
        ["Ulm", "...", "9"],
        ["Linz", "7", "..."],
        ["Graz", "3", "5"],
    ],
    "a place without words": [
        ["Port", "Ships", "Dues"],
        ["Oban", "412", "31,020.50"],
        ["Tiree", "95", ""],
        ["Coll", "697", "53,289.75"],
    ],
    "names": [
        ["Station", "Opened", "Architect"],
        ["Hill", "1904", "Ann Reed"],
        ["Quay", "1911", "Tom Vale"],
        ["Mill", "1926", "Ann Reed"],
    ],
}


@pytest.mark.parametrize("rows", SMALL.values(), ids=SMALL.keys())
def test_a_small_table_on_an_empty_page_is_one(parsed: Parsed, rows: list[list[str]]) -> None:
    def draw(page: pymupdf.Page) -> None:
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                page.insert_text((72 + 120 * column, 100 + 18 * number), text, fontsize=11)

    page = parsed(draw).pages[0]
    assert [grid.lines() for block in page.blocks for grid in grids(block)] == [rows]
    assert "..." not in [block.text for block in page.blocks]
