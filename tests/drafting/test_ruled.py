"""Tables with drawn lines: closed cells are cells, and their words stand in the order of reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import pymupdf
import pytest

from docspec.core import BBox
from docspec.drafting.ruled import with_drawn_cells
from docspec.drafting.tables import FoundTable, table_html
from docspec.reporting.tables import grids
from docspec.results import ParsedDocument

Parsed = Callable[..., ParsedDocument]
FONT = Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"


def ruled(page: Any, y: float, edges: Sequence[float], rows: Sequence[Sequence[str]], height: float = 30) -> None:
    for row in rows:
        for left, right, text in zip(edges, edges[1:], row, strict=False):
            page.draw_rect(pymupdf.Rect(left, y, right, y + height), width=0.5)
            for number, line in enumerate(text.split("\n")):
                page.insert_text((left + 4, y + 12 + 12 * number), line, fontsize=9)
        y += height


def lines_of(document: ParsedDocument) -> list[list[list[str]]]:
    return [grid.lines() for page in document.pages for block in page.blocks for grid in grids(block)]


@pytest.mark.parametrize(
    "rows",
    [
        [("Name", "First name", "Date of\nbirth", "Age"), ("Sample\nold: Exam", "Kim", "1.2.1990", "34")],
        [("Vessel", "Flag", "Year of\nbuild", "Tons"), ("Marit\nex Astrid", "Norway", "1987", "450")],
        [
            ("Port of\nloading", "Agent", "Berth", "Fee"),
            ("Oban", "Hay & Sons\nLtd", "4", "12.50"),
            ("Tiree", "Lamont", "1", "8.00"),
        ],
    ],
)
def test_two_lines_in_a_closed_cell_are_one_cell(parsed: Parsed, rows: list[tuple[str, ...]]) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 60), "Form of record", fontsize=14, fontname="hebo")
        ruled(page, 80, [60, 200, 330, 460, 535], rows)

    assert lines_of(parsed(draw)) == [[[text.replace("\n", " ") for text in row] for row in rows]]


def test_a_cell_drawn_over_two_columns_spans_them(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        ruled(page, 80, [60, 200, 460], [("Berth\nnumber", "Time of the\ncrossing in minutes")])
        ruled(page, 110, [60, 200, 330, 460], [("4 and\nformerly 9", "outward", "homeward\n(winter)")])

    document = parsed(draw)
    [grid] = [grid for block in document.pages[0].blocks for grid in grids(block)]
    told = [(cell.text, cell.row, cell.column, cell.columns) for cell in grid.cells]
    assert told == [
        ("Berth number", 0, 0, 1),
        ("Time of the crossing in minutes", 0, 1, 2),
        ("4 and formerly 9", 1, 0, 1),
        ("outward", 1, 1, 1),
        ("homeward (winter)", 1, 2, 1),
    ]


def test_rows_without_rules_in_one_drawn_row_stay_rows(parsed: Parsed) -> None:
    rows = [("Port", "Ships", "Tons"), ("Oban\nTiree\nColl\nMull", "12\n7\n3\n19", "450\n210\n95\n880")]

    def draw(page: Any) -> None:
        ruled(page, 80, [60, 200, 330, 460], rows[:1])
        ruled(page, 110, [60, 200, 330, 460], rows[1:], 60)

    [table] = lines_of(parsed(draw))
    assert ["Tiree", "7", "210"] in table and ["Mull", "19", "880"] in table


def test_rows_without_rules_of_which_some_cells_are_empty_stay_rows() -> None:
    ports = "Oban\nTiree\nColl\nMull\nAll pilots"
    page = pymupdf.open().new_page()
    ruled(page, 80, [60, 200, 330, 460], [("Port", "Ships", "Tons")])
    ruled(page, 110, [60, 200, 330, 460], [(ports, "12\n7\n3\n19", "450\n210\n95\n880\n31")], 75)
    seen = FoundTable(BBox(60, 80, 460, 185), table_html([["Oban", "12", "450"]] * 6))
    assert with_drawn_cells(page, [seen], []) == [seen]
    words = pymupdf.open().new_page()
    ruled(words, 80, [60, 200, 330, 460], [("Port", "Pilot", "Remark")])
    ruled(words, 110, [60, 200, 330, 460], [("Oban", "Hay and\nSons", "deep\nwater at\nall times")], 75)
    [whole] = with_drawn_cells(words, [seen], [])
    assert whole.html.count("<tr>") == 2 and "deep water at all times" in whole.html


def test_a_head_outside_of_the_drawn_cells_stays_in_the_table(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        for x, text in ((64, "Port"), (204, "Ships"), (334, "Remark")):
            page.insert_text((x, 76), text, fontsize=9, fontname="hebo")
        ruled(page, 80, [60, 200, 330, 460], [("Oban", "12", "deep\nwater"), ("Tiree", "7", "pilot\nneeded")])

    told = [" ".join(row) for table in lines_of(parsed(draw)) for row in table]
    assert told[0] == "Port Ships Remark"


def right_to_left(page: Any, x1: float, y: float, text: str) -> None:
    """Words from right to left, each drawn as it stands on paper."""
    font = pymupdf.Font(fontfile=str(FONT))
    for word in text.split():
        shown = word if word.isascii() else word[::-1]
        x1 -= font.text_length(shown, 12)
        page.insert_text((x1, y), shown, fontsize=12, fontname="dejavu", fontfile=str(FONT))
        x1 -= 4


@pytest.mark.parametrize(
    "rows",
    [
        [("مرحبا", "اسمي سلطان"), ("انا من ولاية", "من اين انت"), ("1234", "عندي 47 قطط")],
        [("שם הספינה", "נמל הבית"), ("כוכב הים 12", "עיר על החוף"), ("רוח צפונית", "אי קטן מאוד")],
        [("سعر السفر", "مدينة الميناء"), ("25 دينار", "بحر الشمال"), ("310", "جزيرة من رمل")],
    ],
    ids=["arabic", "hebrew", "figures"],
)
def test_cells_of_right_to_left_text_are_in_logical_order(parsed: Parsed, rows: list[tuple[str, str]]) -> None:
    def draw(page: Any) -> None:
        for row, texts in enumerate(rows):
            for column, text in enumerate(texts):
                left, top = 60 + 230 * column, 80 + 28 * row
                page.draw_rect(pymupdf.Rect(left, top, left + 230, top + 28), width=0.7)
                right_to_left(page, left + 224, top + 19, text)

    assert lines_of(parsed(draw)) == [[list(texts) for texts in rows]]
