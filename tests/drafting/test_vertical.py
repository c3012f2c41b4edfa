"""Japanese set from top to bottom is read column by column, from the right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from docspec.core import BBox
from docspec.drafting.lines import TextLine
from docspec.drafting.vertical import vertical_columns
from docspec.results import ParsedDocument

Parsed = Callable[..., ParsedDocument]
CAT = [
    "吾輩は猫である名前はまだ無い",
    "どこで生れたか頓と見当がつかぬ",
    "何でも薄暗いじめじめした所で",
    "ニャーニャー泣いていた事だけは",
]
SEA = [
    "海は広くて大きいな月がのぼるし",
    "日が沈むそして船は港を出て行く",
    "島の灯台が見えるまで三時間ほど",
    "波の音だけが聞こえる夜の海です",
]
HILL = ["山の上に小さな家があります", "そこに住む老人は毎朝早く起き", "畑に水をやり鳥の声を聞きます"]


def character_by_character(page: Any, columns: list[str]) -> None:
    for column, text in enumerate(columns):
        for row, sign in enumerate(text):
            page.insert_text((450 - 24 * column, 120 + 15 * row), sign, fontname="japan", fontsize=13)


def in_vertical_type(page: Any, columns: list[str]) -> None:
    for column, text in enumerate(columns):
        page.insert_text((450 - 24 * column, 120), text, fontname="japan", fontsize=13)
    pdf = page.parent
    for xref in range(1, pdf.xref_length()):
        if pdf.xref_get_key(xref, "Encoding")[1] == "/UniJIS-UTF16-H":
            pdf.xref_set_key(xref, "Encoding", "/UniJIS-UTF16-V")


@pytest.mark.parametrize("columns", [CAT, SEA, HILL], ids=["cat", "sea", "hill"])
@pytest.mark.parametrize("draw", [character_by_character, in_vertical_type])
def test_columns_are_read_from_the_right(parsed: Parsed, columns: list[str], draw: Callable[..., None]) -> None:
    written = parsed(lambda page: draw(page, columns)).to_markdown()
    assert written.strip() == "".join(columns)


def test_characters_in_the_cells_of_a_table_are_no_columns() -> None:
    signs = [
        TextLine(BBox(100 * column, 40 * row, 100 * column + 12, 40 * row + 12), "有", 12)
        for row in range(8)
        for column in range(4)
    ]
    assert vertical_columns(signs) == ([], signs)
