"""Words that are struck through keep their strike; lines that are none make no mark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from docspec import ParseOptions, Parser
from docspec.drafting.page_lines import page_lines

HELVETICA = pymupdf.Font("helv")
Paint = Callable[[pymupdf.Page, pymupdf.Rect], None]
"""Draws something at the box of a word, whose base line is 3 points above its lower edge."""


def line(page: pymupdf.Page, box: pymupdf.Rect) -> None:
    page.draw_line((box.x0, box.y1 - 6.6), (box.x1, box.y1 - 6.6), width=0.7)


def bar(page: pymupdf.Page, box: pymupdf.Rect) -> None:
    page.draw_rect((box.x0, box.y1 - 7.2, box.x1, box.y1 - 6.4), color=None, fill=(1, 0, 0))


def annotation(page: pymupdf.Page, box: pymupdf.Rect) -> None:
    page.add_strikeout_annot(box)


def underline(page: pymupdf.Page, box: pymupdf.Rect) -> None:
    page.draw_line((box.x0, box.y1 - 1.5), (box.x1, box.y1 - 1.5), width=0.7)


def highlight(page: pymupdf.Page, box: pymupdf.Rect) -> None:
    page.add_highlight_annot(box)


def frame(page: pymupdf.Page, box: pymupdf.Rect) -> None:
    """A frame laid over the page, whose upper side goes through the word."""
    left, right, top = box.x0, box.x1, box.y1 - 6.6
    page.draw_polyline([(left, top), (left, top + 60), (right, top + 60), (right, top), (left, top)], width=0.7)


def rule(page: pymupdf.Page, box: pymupdf.Rect) -> None:
    page.draw_line((box.x0 - 60, box.y1 - 6.6), (box.x1 + 90, box.y1 - 6.6), width=0.7)


def overline(page: pymupdf.Page, box: pymupdf.Rect) -> None:
    page.draw_line((box.x0, box.y0 + 1), (box.x1, box.y0 + 1), width=0.7)


def struck(paint: Paint, words: str) -> list[str]:
    """What is struck in a line in which ``words`` are painted so."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        before = "The tenant pays "
        page.insert_text((60, 100), f"{before}{words} from May on.")
        left = 60 + HELVETICA.text_length(before, 11)
        paint(page, pymupdf.Rect(left, 90, left + HELVETICA.text_length(words, 11), 103))
        (found,) = page_lines(pdf.reload_page(page))
    assert found.text == f"{before}{words} from May on."
    return [found.text[mark.start : mark.end] for mark in found.marks if mark.kind == "struck"]


@pytest.mark.parametrize("paint", [line, bar, annotation])
@pytest.mark.parametrize("words", ["900.00", "a rent of 900.00 euros"])
def test_strikes_are_found_and_end_with_their_words(paint: Paint, words: str) -> None:
    assert struck(paint, words) == [words]


@pytest.mark.parametrize("paint", [underline, highlight, rule, overline, frame])
def test_other_lines_are_no_strikes(paint: Paint) -> None:
    assert struck(paint, "a rent of 900.00") == []


def test_the_bar_of_a_fraction_is_no_strike() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((100, 100), "a + b")
        page.draw_line((95, 105), (140, 105), width=0.6)
        page.insert_text((102, 116), "c - d")
        assert not any(found.has("struck") for found in page_lines(page))


def test_text_and_cells_are_written_with_their_strikes(tmp_path: Path) -> None:
    path = tmp_path / "lease.pdf"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for number in range(4):
            page.insert_text((60, 80 + 15 * number), "The board met on the third of May in the town hall.")
        page.insert_text((60, 140), "The tenant pays 900.00 1,150.00 euros each month.")
        left = 60 + HELVETICA.text_length("The tenant pays ", 11)
        line(page, pymupdf.Rect(left, 130, left + HELVETICA.text_length("900.00", 11), 143))
        for row, cells in enumerate((("Item", "Old", "New"), ("Rent", "900", "950"), ("Heat", "80", "85"))):
            for column, cell in enumerate(cells):
                box = pymupdf.Rect(60 + 120 * column, 200 + 20 * row, 180 + 120 * column, 220 + 20 * row)
                page.draw_rect(box, width=0.6)
                page.insert_text((box.x0 + 5, box.y1 - 6), cell)
                if cell in ("900", "80"):
                    line(
                        page, pymupdf.Rect(box.x0 + 5, box.y0, box.x0 + 5 + HELVETICA.text_length(cell, 11), box.y1 - 3)
                    )
        pdf.save(path)
    with Parser(ParseOptions()) as parser:
        document = parser.parse(path)
    assert "pays ~~900.00~~ 1,150.00 euros" in document.to_markdown()
    assert "| Rent | ~~900~~ | 950 |" in document.to_markdown() and "| Heat | ~~80~~ | 85 |" in document.to_markdown()
    assert "pays <s>900.00</s> 1,150.00" in document.to_html() and "<td><s>80</s></td>" in document.to_html()
