"""What is written across a page in large type, or upwards in its margin, is no cell and parts no text: it is last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from docspec.drafting.structure.tokens import page_tokens
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


@pytest.mark.parametrize("spans", [0, 1])
def test_askew_lines_without_letters_are_no_words(spans: int) -> None:
    span = {"size": 10.0, "font": "Helvetica", "flags": 0, "color": 0, "ascender": 1.0, "descender": -0.2, "chars": []}
    line: dict[str, Any] = {"dir": (0.8, 0.6), "bbox": (0, 0, 10, 10), "spans": [span] * spans}
    assert page_tokens({"blocks": [{"lines": [line]}]}, [], [], 600, 800).tokens == ()


@pytest.mark.parametrize("degrees", [4, 12])
def test_what_is_a_watermark_for_tables_is_one_for_the_text(parsed: Parsed, degrees: int) -> None:
    """It is written once, in no cell and at the end, however little it is turned."""

    def across(page: pymupdf.Page) -> None:
        drawn(page)
        at = pymupdf.Point(70, 290)
        page.insert_text(at, "HARBOUR FAIR", fontsize=30, morph=(at, pymupdf.Matrix(1, 1).prerotate(degrees)))

    page = parsed(across).pages[0]
    (table,) = [grid.lines() for block in page.blocks for grid in grids(block)]
    assert table == ROWS
    assert page.text.count("HARBOUR FAIR") == 1 and page.text.index("HARBOUR") > page.text.index("Kokku")


@pytest.mark.parametrize(("x", "turn"), [(30, 90), (570, 270)])
def test_a_stamp_in_the_margin_is_no_heading_and_comes_last(parsed: Parsed, x: float, turn: int) -> None:
    def stamped(page: pymupdf.Page) -> None:
        for number in range(30):
            page.insert_text((80, 80 + 14 * number), f"Line {number} of a paper, which archives stamp.", fontsize=10)
        page.insert_text((x, 450 if turn == 90 else 200), "archive:2103.15348v2  21 Jun 2021", fontsize=20, rotate=turn)

    page = parsed(stamped).pages[0]
    *text, last = page.blocks
    assert (last.text, last.category.value) == ("archive:2103.15348v2 21 Jun 2021", "Text")
    assert [block.category.value for block in text] == ["Text"] * len(text)


def test_the_label_of_an_axis_stays_with_its_picture(parsed: Parsed) -> None:
    def chart(page: pymupdf.Page) -> None:
        for number in range(8):
            page.draw_rect((130 + 40 * number, 300 - 20 * number, 150 + 40 * number, 400), fill=(0.2, 0.4, 0.7))
            page.insert_text((132 + 40 * number, 412), str(1990 + number), fontsize=8)
        page.draw_line((120, 120), (120, 400))
        page.draw_line((120, 400), (460, 400))
        page.insert_text((105, 300), "Tons of fish", fontsize=9, rotate=90)
        for number in range(12):
            page.insert_text((140, 460 + 14 * number), f"Line {number} of a paper below its chart.", fontsize=10)

    page = parsed(chart).pages[0]
    assert page.text.index("fish") < page.text.index("Line 0")
