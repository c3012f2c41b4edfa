"""What a file prints twice, one upon the other, is read once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import pymupdf
import pytest

from docspec.core import PageImage
from docspec.drafting.char_spans import without_doubles
from docspec.drafting.page_lines import page_lines
from docspec.drafting.printed import Printed

PageOf = Callable[..., PageImage]


def words(draw: Callable[[Any], None]) -> list[str]:
    page = pymupdf.open().new_page(width=400, height=300)
    draw(page)
    lines = [line for block in Printed(page).raw["blocks"] for line in block.get("lines", ())]
    return sorted("".join(char["c"] for span in line["spans"] for char in span["chars"]).strip() for line in lines)


@pytest.mark.parametrize("off", [0.0, 0.4])
def test_a_second_print_is_none_even_where_it_is_cut_otherwise(off: float) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 100), "Seed-rate", fontsize=10)
        page.insert_text((60 + off, 100 + off), "Seed", fontsize=10)
        page.insert_text((60, 140), "Harvest", fontsize=10)
        page.insert_text((60 + off, 140), "Harvest", fontsize=10)

    assert words(draw) == ["Harvest", "Seed-rate"]


def test_text_told_for_a_glyph_that_is_printed_beside_it_is_told_once() -> None:
    """A file may tell the text of several glyphs at once (``ActualText``), and MuPDF then gives it to the first one."""

    def line(text: str, x0: float, x1: float, widths: Sequence[float]) -> dict[str, Any]:
        ends = list(accumulate(widths, initial=x0))
        chars = [
            {"c": sign, "bbox": (a, 90, b, 100), "origin": (a, 98)}
            for sign, a, b in zip(text, ends, ends[1:], strict=False)
        ]
        span = {"chars": chars, "size": 10.0, "origin": (x0, 98), "bbox": (x0, 90, x1, 100)}
        return {"spans": [span], "dir": (1.0, 0.0), "bbox": (x0, 90, x1, 100)}

    def told(first: str, widths: Sequence[float]) -> list[str]:
        blocks = [
            {"lines": [line(first, 60, 60 + sum(widths), widths), line(" +33 4", 60 + sum(widths), 100, [5] * 6)]}
        ]
        without_doubles(blocks)
        return ["".join(c["c"] for c in one["spans"][0]["chars"]).strip() for one in blocks[0]["lines"]]

    assert told("T +33 4", [8, 0, 0, 0, 0, 0, 0]) == ["T", "+33 4"]
    assert told("T +33 4", [8] * 7) == ["T +33 4", "+33 4"], "printed twice beside each other"
    assert told("T +32 4", [8, 0, 0, 0, 0, 0, 0]) == ["T +32 4", "+33 4"]


def test_letters_beside_each_other_and_words_below_each_other_stay() -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 100), "illiil ....", fontsize=10)
        page.insert_text((60, 112), "illiil ....", fontsize=10)
        page.insert_text((160, 100), "illiil ....", fontsize=10)

    assert words(draw) == ["illiil ...."] * 3


def test_the_whole_print_stays_where_the_other_one_lacks_signs() -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 100), "120", fontsize=10)
        page.insert_text((60 + pymupdf.get_text_length("120.", fontsize=10), 100), "5", fontsize=10)
        page.insert_text((60, 100), "120.5", fontsize=10)
        page.insert_text((160, 100), "RR2Y", fontsize=10)

    assert words(draw) == ["120.5", "RR2Y"]


def test_what_is_left_of_a_print_has_its_own_box() -> None:
    page = pymupdf.open().new_page(width=400, height=300)
    page.insert_text((60, 100), "Harbour", fontsize=10)
    page.insert_text((60, 100), "Harbour wall", fontsize=10)
    page.insert_text((60, 100), "Harbour    1905", fontsize=10)
    lines = [line for block in Printed(page).raw["blocks"] for line in block["lines"]]
    texts = {"".join(char["c"] for span in line["spans"] for char in span["chars"]).strip(): line for line in lines}
    assert sorted(texts) == ["Harbour    1905", "wall"]
    for line in lines:
        chars = [char["bbox"] for span in line["spans"] for char in span["chars"]]
        assert line["bbox"][0] == min(box[0] for box in chars) and line["bbox"][2] == max(box[2] for box in chars)


def test_lines_are_those_of_the_whole_print() -> None:
    page = pymupdf.open().new_page(width=400, height=300)
    for sign, before in (("C", ""), ("p", "Corn / Sur"), ("R", "Corn / Surpass, ")):
        page.insert_text((60 + pymupdf.get_text_length(before, fontsize=10), 100), sign, fontsize=10)
    page.insert_text((60, 100), "Corn / Surpass, Roundup", fontsize=10)
    assert [line.text for line in page_lines(page)] == ["Corn / Surpass, Roundup"]
