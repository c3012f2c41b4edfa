"""Tables whose type is turned, or whose figures are in pieces: the cells are what a reader sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pymupdf
import pytest

from docspec.core import Category
from docspec.dialects.tables import parse_table
from docspec.results import ParsedDocument

from .conftest import PROSE, SECOND

Parsed = Callable[..., ParsedDocument]
Rows = list[list[str]]
COUNTIES = [
    ["County", "1998", "1999", "2000", "2001"],
    ["Kent", "12.4", "13.0", "9.9", "1,204.5"],
    ["Essex", "7.7", "8.1", "10.2", "11,062.6"],
    ["Devon", "31.0", "29.5", "27.3", "904.0"],
    ["Surrey", "5.5", "6.1", "6.6", "77.1"],
]
MEN, WOMEN = (1, 2, "Men"), (3, 4, "Women")


def width(text: str, font: str = "helv") -> float:
    return float(pymupdf.get_text_length(text, font, 9))


def cells(document: ParsedDocument) -> list[list[tuple[str, int]]]:
    """The texts of the only table by rows, with the number of columns that each takes."""
    [table] = [block.text for page in document.pages for block in page.blocks if block.category is Category.TABLE]
    told = [[(cell.text.strip("*"), cell.colspan) for cell in row] for row in parse_table(table).rows]
    return [[(" ".join(text.split()), columns) for text, columns in row] for row in told]


def single(rows: Rows) -> list[list[tuple[str, int]]]:
    return [[(text, 1) for text in row] for row in rows]


def between_prose(page: Any, draw: Callable[[Any], None]) -> None:
    page.insert_textbox((60, 60, 530, 130), PROSE, fontsize=11)
    draw(page)
    page.insert_textbox((60, 350, 530, 420), SECOND, fontsize=11)


@pytest.mark.parametrize(
    ("angle", "heads", "lines"),
    [(90, (), False), (90, (MEN, WOMEN), True), (270, (MEN, WOMEN), False), (90, ((1, 4, "Men and women"),), True)],
)
def test_turned_tables_have_their_cells(
    parsed: Parsed, angle: int, heads: Sequence[tuple[int, int, str]], lines: bool
) -> None:
    rights = (40, 350, 440, 530, 620)

    def draw(page: Any) -> None:
        upright = pymupdf.open()
        sheet, y = upright.new_page(width=700, height=300), 40
        for first, last, text in heads:
            middle = (rights[first] - 40 + rights[last]) / 2
            sheet.insert_text((middle - width(text, "hebo") / 2, y), text, fontsize=9, fontname="hebo")
            sheet.draw_line((rights[first] - 55, y + 4), (rights[last], y + 4), width=0.5)
        y += 14 * bool(heads)
        for number, row in enumerate(COUNTIES):
            font = "helv" if number else "hebo"
            for right, text in zip(rights, row, strict=True):
                sheet.insert_text((max(right - width(text, font), 40), y), text, fontsize=9, fontname=font)
            y += 14
            if lines and number == 0:
                sheet.draw_line((35, y - 10), (625, y - 10))
        page.show_pdf_page(pymupdf.Rect(100, 60, 400, 760), upright, 0, rotate=angle)

    above = [[("", 1), *((text, last - first + 1) for first, last, text in heads)]] if heads else []
    assert cells(parsed(draw)) == above + single(COUNTIES)


@pytest.mark.parametrize(
    ("heads", "lines"),
    [
        (("County", "Men", "Women", "Children"), False),
        (("County", "Men", "Women", "Children", "All of them"), True),
        (("County", "Men over|sixty", "Women over|sixty", "Children"), True),
    ],
)
def test_upright_heads_stand_over_their_columns(parsed: Parsed, heads: tuple[str, ...], lines: bool) -> None:
    rights = (60, 230, 290, 350, 410)[: len(heads)]

    def table(page: Any) -> None:
        page.insert_text((60, 225), heads[0], fontsize=9, fontname="hebo")
        for right, head in zip(rights[1:], heads[1:], strict=True):
            for number, line in enumerate(head.split("|")):
                x = right - 4 + 10 * number - 5 * head.count("|")
                page.insert_text((x, 226), line, fontsize=9, fontname="hebo", rotate=90)
        for number, row in enumerate(COUNTIES[1:]):
            for right, text in zip(rights, row, strict=False):
                page.insert_text((max(right - width(text), 60), 242 + 14 * number), text, fontsize=9)
        if lines:
            page.draw_line((55, 230), (rights[-1] + 10, 230))

    written = cells(parsed(lambda page: between_prose(page, table)))
    assert written == single([[head.replace("|", " ") for head in heads], *(r[: len(heads)] for r in COUNTIES[1:])])


SUMS = [
    ["County", "1998", "1999", "2000"],
    ["Kent", "1 204.5", "11 062.6", "904"],
    ["Essex", "22 107.1", "8.1", "1 204 311"],
    ["Devon", "31.0", "9 129.5", "77"],
    ["Surrey", "5.5", "16 601.1", "1 000 006"],
]


def drawn(parsed: Parsed, rows: Rows, figure: Callable[[Any, float, float, str], None]) -> list[list[tuple[str, int]]]:
    """The cells of ``rows``, whose figures are drawn by ``figure`` from a place on."""

    def table(page: Any) -> None:
        for number, row in enumerate(rows):
            for right, text in zip((60, 250, 350, 450), row, strict=True):
                left, y = max(right - width(text), 60), 180 + 14 * number
                if number and right > 60:
                    figure(page, left, y, text)
                else:
                    page.insert_text((left, y), text, fontsize=9)

    return cells(parsed(lambda page: between_prose(page, table)))


@pytest.mark.parametrize("white", [0.0, 0.6, 1.2])
def test_figures_that_bold_print_cuts_are_whole(parsed: Parsed, white: float) -> None:
    rows = [[text.replace(" ", ",") if number else text for text in row] for number, row in enumerate(SUMS)]

    def figure(page: Any, x: float, y: float, text: str) -> None:
        whole, point, rest = text.partition(".")
        page.insert_text((x, y), whole + point, fontsize=9, fontname="hebo")
        page.insert_text((x + width(whole + point, "hebo") + white, y), rest, fontsize=9)

    assert drawn(parsed, rows, figure) == single(rows)


@pytest.mark.parametrize("white", [1.6, 2.0])
def test_thin_spaces_in_figures_part_no_cells(parsed: Parsed, white: float) -> None:
    def figure(page: Any, x: float, y: float, text: str) -> None:
        for part in text.split(" "):
            page.insert_text((x, y), part, fontsize=9)
            x += width(part) + white

    assert drawn(parsed, SUMS, figure) == single(SUMS)


@pytest.mark.parametrize("space", ["\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}", "\N{THIN SPACE}"])
def test_spaces_that_are_characters_part_no_cells(parsed: Parsed, space: str) -> None:
    def figure(page: Any, x: float, y: float, text: str) -> None:
        style = "font-size:9px;margin:0"
        page.insert_htmlbox((x, y - 9, x + 90, y + 4), f'<p style="{style}">{text.replace(" ", space)}</p>')

    assert drawn(parsed, SUMS, figure) == single(SUMS)


@pytest.mark.parametrize(
    ("pieces", "space"),
    [
        ([("Acta Math. 12, no. 2,", "helv"), ("45 pages", "helv")], 0.25),
        ([("British Medical Bulletin, 2015,", "helv"), ("113, 68-80", "hebo")], 0.22),
        ([("Copyright 2000,", "helv"), ("2001,", "helv"), ("2002 and later", "helv")], 0.3),
    ],
)
def test_numbers_a_narrow_space_apart_stay_two_in_bold_print_too(
    parsed: Parsed, pieces: Sequence[tuple[str, str]], space: float
) -> None:
    """Files without characters for spaces; the fixture asserts that the ledger tells the same words."""

    def line(page: Any) -> None:
        x = 60.0
        for text, font in pieces:
            for word in text.split():
                page.insert_text((x, 240), word, fontsize=9, fontname=font)
                x += width(word, font) + 9 * space

    blocks = parsed(lambda page: between_prose(page, line)).pages[0].blocks
    written = " ".join(" ".join(block.text for block in blocks).replace("*", "").split())
    assert " ".join(text for text, _ in pieces) in written
