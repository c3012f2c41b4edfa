"""Reading by regions against the text layer: errors are counted region by region, nothing is forgiven."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from benchmarks.layer import compared, measure, plain
from docspec.core import BBox, Category, ParseOptions, Region
from docspec.documents.sources import source_from_path
from docspec.drafting.lines import TextLine
from docspec.parser import Parser

LINES = [
    TextLine(BBox(10, 10, 200, 20), "The harbour fills twice a"),
    TextLine(BBox(10, 22, 200, 32), "day, says the “mas-"),
    TextLine(BBox(10, 34, 200, 44), "ter” – often."),
    TextLine(BBox(10, 60, 200, 70), "1 2 3"),
    TextLine(BBox(10, 90, 60, 100), "Tides"),
]
TEXT, TABLE, HEAD = BBox(8, 8, 205, 46), BBox(8, 58, 205, 72), BBox(8, 88, 205, 102)
RIGHT = 'The harbour fills twice a day, says the "master" - often.'


@pytest.mark.parametrize(
    ("places", "texts", "errors", "beyond"),
    [
        ([TEXT, TABLE, HEAD], [RIGHT, "| never | looked at |", "## Tides"], 0, 0),
        ([TEXT, TABLE, HEAD], [RIGHT.replace("fills", "fill"), "", "Tidez"], 2, 0),
        ([TEXT, TABLE], [RIGHT, ""], 5, 0),  # a line that no region covers
        ([TEXT, TABLE, HEAD, BBox(300, 8, 400, 20)], [RIGHT, "", "Tides", "OPEN ACCESS"], 0, 11),
    ],
)
def test_errors_are_counted_by_region(places: list[BBox], texts: list[str], errors: int, beyond: int) -> None:
    kinds = {TABLE: Category.TABLE}
    regions = [Region(box, kinds.get(box, Category.TEXT)) for box in places]
    assert compared(LINES, regions, texts) == (len(RIGHT) + len("Tides"), errors, beyond)


def test_what_looks_alike_is_alike() -> None:
    assert plain("## “Jo∗” – a\nb") == plain("''Jo*'' - a b") == '"Jo*" - a b'
    assert plain("– an item") == plain("- an item") == plain("• an item") == "an item"
    assert plain("Jo⋆") != plain("Jo*") and plain("a – b") != "a b"


def test_a_page_that_is_not_read_is_wrong_throughout(lively_qwen: Path, tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=200, height=120)
        page.insert_text((20, 40), "Tide tables 1911", fontsize=10)
        page.insert_text((20, 80), ". . . . . . . . . . . . . . .", fontsize=6)
        document.save(tmp_path / "tides.pdf")
    options = ParseOptions(model=str(lively_qwen), device="cpu", dtype="float32", read="regions", max_tokens=4)
    with Parser(options) as parser:
        source = source_from_path(tmp_path / "tides.pdf")
        [sound], [scan] = (list(measure(parser, [source], how)) for how in (None, ("blur", 0.5)))
    assert sound.characters == scan.characters == 16
    assert sound.errors > 8 and scan.errors > 8
    assert sound.crops == 1 and sound.seconds > 0
