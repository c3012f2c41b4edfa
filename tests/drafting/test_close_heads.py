"""Tables whose columns stand a space or so apart: heads that follow each other like words of a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from docspec.core import Category, PageImage
from docspec.drafting.text_layer import TextLayerDrafter

from .conftest import PROSE, SECOND

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
