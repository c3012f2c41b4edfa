"""Tables whose columns stand a space or so apart: heads that follow each other like words of a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox, Category, PageImage
from docspec.drafting.cell_repairs import settled, without_notes
from docspec.drafting.close_heads import placed_parts
from docspec.drafting.text_layer import TextLayerDrafter

from .conftest import PROSE, SECOND
from .sheets import Sheet, rows_of

RAIN = [
    ("Month", "Rain (mm)", "Days"),
    ("May", "61.0", "9"),
    ("June", "77.2", "12"),
    ("July", "98.4", "14"),
    ("August", "84.9", "13"),
]
WEATHER = [
    ("Station", "Mean temp", "Sun", "Rain (mm)", "Wind (kn)"),
    ("Oban", "9.3", "112", "140.2", "11"),
    ("Tiree", "10.1", "98", "61.7", "24"),
    ("Mull", "9.9", "104", "88.0", "17"),
    ("Stornoway", "8.8", "7", "1,204.5", "19"),
]
YEARS = [
    ("Year", "Net income", "Cost", "Staff"),
    ("1998", "27", "178.1", "12"),
    ("1999", "1,640", "13.6", "9"),
    ("2000", "85", "7.9", "31"),
    ("2001", "302", "44.0", "8"),
]


@pytest.mark.parametrize("rows", [RAIN, WEATHER, YEARS])
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize(("font", "head"), [("helv", "hebo"), ("tiro", "tiro")])
def test_heads_of_tight_columns_are_heads(
    page_of: Callable[..., PageImage], rows: list[tuple[str, ...]], right: bool, font: str, head: str
) -> None:
    def width(text: str, row: int) -> float:
        return float(pymupdf.get_text_length(text, font if row else head, 11))

    def draw(page: Any) -> None:
        page.insert_textbox((60, 60, 530, 160), PROSE, fontsize=11)
        x = 60.0
        for column in range(len(rows[0])):
            own = [width(row[column], number) for number, row in enumerate(rows)]
            for number, row in enumerate(rows):
                left = x + (max(own) - own[number] if right and column else 0)
                page.insert_text((left, 190 + 15 * number), row[column], fontsize=11, fontname=font if number else head)
            x += max(own) + 4
        page.insert_textbox((60, 280, 530, 380), SECOND, fontsize=11)

    regions = TextLayerDrafter().draft(page_of(draw, size=(595, 842))).regions
    [table] = [region.texts[0] for region in regions if region.category is Category.TABLE]
    written = table.replace("th>", "td>").removeprefix("<table><tr><td>").removesuffix("</td></tr></table>")
    assert [row.split("</td><td>") for row in written.split("</td></tr><tr><td>")] == [list(row) for row in rows]


def test_a_line_of_words_above_a_table_is_its_title() -> None:
    sheet = Sheet([50, 97, 130, 160])
    sheet.write((60, "Rainfall at the harbour in summer"))
    for row in RAIN[1:]:
        sheet.write(*zip((60, 102, 136), row, strict=True))
    assert rows_of(without_notes(sheet.grid([1] * 5, 1), sheet.words)) == [list(row) for row in RAIN[1:]]


def test_a_column_without_words_is_none() -> None:
    sheet = Sheet([50, 97, 130, 160, 190])
    for row in RAIN[1:]:
        sheet.write(*zip((60, 102, 166), row, strict=True))
    assert rows_of(settled(sheet.grid([1] * 4, 0), sheet.words, ())) == [list(row) for row in RAIN[1:]]


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([(0, 20), (31, 40), (61, 70)], [(0, 1), (1, 3), (3, 4)]),  # all begin where their columns do
        ([(0, 20), (47, 57), (73, 80)], [(0, 1), (1, 3), (3, 4)]),  # all end there
        ([(0, 20), (34, 40), (73, 80)], []),  # neither
        ([(0, 20), (31, 40)], []),  # too few to be no chance
    ],
)
def test_heads_stand_as_their_columns_do(edges: list[tuple[float, float]], expected: list[tuple[int, int]]) -> None:
    words = [BBox(x0, 0, x1, 10) for x0, x1 in ((0, 28), (31, 45), (48, 58), (61, 80))]
    assert placed_parts(words, edges) == expected
