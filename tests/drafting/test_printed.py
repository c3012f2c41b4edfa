"""What is read once from a page for its tables: words, drawings, closed cells. PyMuPDF's own answers are the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pymupdf
import pytest

from docspec.drafting.drawn_grids import slots_of
from docspec.drafting.layout import analyse
from docspec.drafting.page_lines import page_lines
from docspec.drafting.printed import Printed
from docspec.drafting.tables import find_tables

ROWS = [("Port", "Ships", "Tons"), ("Oban", "12", "450"), ("Tiree", "7", "1,210"), ("Coll", "31", "95")]


def ruled(page: Any, x: float, y: float, rows: Sequence[Sequence[str]], width: float = 60) -> None:
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            left, top = x + width * column, y + 16 * number
            page.draw_rect(pymupdf.Rect(left, top, left + width, top + 16), width=0.5)
            page.insert_text((left + 4, top + 11), text, fontsize=9)


@pytest.mark.parametrize("places", [[(60, 80)], [(60, 80), (60, 300)], [(60, 80), (320, 80)], [(60, 80), (63, 200)]])
def test_closed_cells_are_those_of_a_search_for_nothing_else(places: list[tuple[float, float]]) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for x, y in places:
            ruled(page, x, y, ROWS)
        ruled(page, 60, 600, [("", "", "")] * 3)  # empty ones are no tables
        analyse(page)
        grids = Printed(page).grids
        alone = page.find_tables(strategy="lines_strict", use_layout=False).tables
    assert grids == [slots_of(table.cells) for table in alone] and len(grids) == len(places)


def test_a_page_is_read_once_for_all_that_looks_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        ruled(page, 60, 80, ROWS)
        analyse(page)
        for name in ("find_tables", "get_drawings", "get_text"):
            whole = getattr(page, name)
            monkeypatch.setattr(page, name, lambda *a, _name=name, _of=whole, **k: reads.append(_name) or _of(*a, **k))
        printed = Printed(page)
        for once in (True, False):
            reads.clear()
            assert (len(printed.tables), len(printed.grids), len(printed.words)) == (1, 1, 12)
            assert len(printed.drawings) == 12 and bool(reads) is once


def test_a_page_on_which_pymupdf_finds_nothing_has_no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        ruled(page, 60, 80, ROWS)
        monkeypatch.setattr(page, "find_tables", lambda **_: None)  # what it answers after an error of its own
        printed = Printed(page)
        assert (find_tables(printed), printed.grids) == ([], [])


@pytest.mark.parametrize("mark", ["1", "a", "2"])
def test_a_raised_mark_at_a_head_over_columns_keeps_no_repair_away(mark: str) -> None:
    """The letters of a cell with a raised mark are those of its words; the mark is spelled at the end."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 80), "Employment by port, in persons", fontsize=10, fontname="hebo")
        centre = 350 - pymupdf.get_text_length("Seasonally adjusted", "helv", 9) / 2
        page.insert_text((centre, 110), "Seasonally adjusted", fontsize=9)
        page.insert_text((700 - centre, 106), mark, fontsize=6)
        page.draw_line((215, 114), (485, 114), width=0.5)
        columns = (260, 320, 380, 440, 480)
        rows = [("Port", "Nov.", "Dec.", "Jan.", "Feb.", "Mar."), *((f"Pier {n}", *["1,234"] * 5) for n in range(6))]
        for number, (label, *texts) in enumerate(rows):
            page.insert_text((60, 126 + 13 * number), label, fontsize=9)
            for x, text in zip(columns, texts, strict=True):
                left = x - pymupdf.get_text_length(text, "helv", 9)
                page.insert_text((left, 126 + 13 * number), text, fontsize=9)
        lines = page_lines(page)
        analyse(page)
        [table] = find_tables(Printed(page), lines)
    assert f'<th colspan="5">Seasonally adjusted{"¹ᵃ²"["1a2".index(mark)]}</th>' in table.html
