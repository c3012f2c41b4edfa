"""Passages: chunks and pages as indexes take them."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from docspec import Block, Category, PageResult, ParseOptions, Parser
from docspec.core import UsageError
from docspec.retrieval import Passage, Unit, passages
from tests.made_report import make_report


def of_file(path: Path, unit: Unit = "chunk") -> list[Passage]:
    with Parser(ParseOptions(offline=True)) as parser:
        return list(passages(parser.pages(path), unit))


def test_a_chunk_says_where_it_stands(tmp_path: Path) -> None:
    path = make_report(tmp_path / "report.pdf")
    first, table, last = of_file(path)
    assert first.text.startswith("The harbour is dry") and first.metadata["section"] == "Tides at Low Harbour"
    assert "| 1 March | 0.4 | 4.9 |" in table.text and table.metadata["category"] == "Table"
    assert table.metadata["section"] == "Tides at Low Harbour > Heights in March"
    assert [one.metadata["page"] for one in (first, table, last)] == [1, 1, 2]
    assert {(one.metadata["grade"], one.metadata["words_missing"]) for one in (first, table, last)} == {("A", 0)}
    # The box of a chunk, taken back to points, cuts its own words out of the file.
    x0, y0, x1, y1 = json.loads(str(last.metadata["bbox"]))
    with pymupdf.open(path) as document:
        page = document[1]
        scale = page.rect.width / int(last.metadata["page_width"])
        clip = pymupdf.Rect(x0, y0, x1, y1) * scale + (-2, -2, 2, 2)
        assert page.get_text(clip=clip).split() == last.text.split()


def test_a_chunk_has_the_boxes_of_its_lines_where_words_have_places(tmp_path: Path) -> None:
    path = make_report(tmp_path / "report.pdf")
    with Parser(ParseOptions(offline=True, places="drafts")) as parser:
        *_, last = passages(parser.pages(path))
    assert "lines" not in of_file(path)[-1].metadata
    with pymupdf.open(path) as document:
        page = document[1]
        scale = page.rect.width / int(last.metadata["page_width"])
        lines = [pymupdf.Rect(box) * scale for box in json.loads(str(last.metadata["lines"]))]
        printed = [line for block in page.get_text("dict")["blocks"] for line in block.get("lines", ())]
        words = [page.get_text(clip=box + pymupdf.Rect(-2, -2, 2, 2)).split() for box in lines]
    assert [word for line in words for word in line] == last.text.split()
    assert len(lines) == sum(pymupdf.Rect(line["bbox"]).intersects(box) for line in printed for box in lines)


def test_a_page_is_a_passage_of_its_own_markdown(tmp_path: Path) -> None:
    first, second = of_file(make_report(tmp_path / "report.pdf"), "page")
    assert first.text.startswith("# Tides at Low Harbour\n") and "| 2 March | 0.6 | 4.7 |" in first.text
    assert second.text.startswith("## Entering at night\n\nTwo red lights")
    assert (first.metadata["page"], second.metadata["page"]) == (1, 2)
    assert "bbox" not in first.metadata


def page(number: int, *texts: str) -> PageResult:
    return PageResult("a.pdf", number, "ok", blocks=tuple(Block(Category.TEXT, text) for text in texts))


@pytest.mark.parametrize("unit", ["chunk", "page"])
def test_text_may_hold_any_character_and_begin_with_the_pages_number(unit: Unit) -> None:
    line = "7 harbours\u2028and \x85 more\x1b"
    [found] = passages([page(7, line)], unit)
    assert found.text == "7 harbours\u2028and \ufffd more\ufffd"


def test_metadata_are_strings_and_numbers_and_none_is_made_up() -> None:
    [found] = passages([page(1, "Words of a model.")])
    assert found.metadata == {"source": "a.pdf", "page": 1, "page_width": 0, "page_height": 0, "category": "Text"}


@pytest.mark.parametrize("unit", ["chunk", "page"])
def test_a_page_that_failed_is_left_out_and_said(unit: Unit, caplog: pytest.LogCaptureFixture) -> None:
    failed = replace(page(2), status="failed", error="out of memory")
    with caplog.at_level(logging.WARNING):
        assert [one.text for one in passages([page(1, "Kept."), failed, page(3)], unit)] == ["Kept."]
    assert [record.message for record in caplog.records] == ["a.pdf, page 2 failed and is left out: out of memory"]


def test_pages_stream() -> None:
    taken = []

    def pages():
        for number in range(1, 9):
            taken.append(number)
            yield page(number, "Words.")

    next(passages(pages()))
    assert len(taken) <= 2


def test_a_unit_that_is_none_is_refused_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match="unit 'word': must be one of chunk, page"):
        passages((), "word")  # type: ignore[arg-type]
