"""Bullets that are drawn, and those that stand apart from their lines, make items of lists; other dots do not."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.core.marks import Mark
from docspec.drafting.bullets import drawn_bullets, with_bullets, with_dashes, with_whole_items
from docspec.drafting.lines import TextLine
from docspec.results import ParsedDocument

from ..patience import within
from .conftest import PROSE, SECOND

Parsed = Callable[..., ParsedDocument]

ITEMS = ("Fresh water is at the quay", "Diesel by lorry, on call", "No shore power")


def disc(page: Any, x: float, y: float) -> None:
    page.draw_circle((x, y), 1.9, fill=(0, 0, 0))


def ring(page: Any, x: float, y: float) -> None:
    page.draw_circle((x, y), 1.9)


def square(page: Any, x: float, y: float) -> None:
    page.draw_rect(pymupdf.Rect(x - 2, y - 2, x + 2, y + 2), fill=(0.2, 0.2, 0.6), color=None)


def image(page: Any, x: float, y: float) -> None:
    dot = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 7, 7))
    dot.clear_with(40)
    page.insert_image(pymupdf.Rect(x - 3.5, y - 3.5, x + 3.5, y + 3.5), pixmap=dot)


@pytest.mark.parametrize("draw_one", [disc, ring, square, image])
def test_drawn_bullets_make_a_list(parsed: Parsed, draw_one: Callable[[Any, float, float], None]) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 60, 535, 130), PROSE, fontsize=11)
        for row, item in enumerate(ITEMS):
            draw_one(page, 72, 166.5 + 16 * row)
            page.insert_text((84, 170 + 16 * row), item, fontsize=11)
        page.insert_textbox(pymupdf.Rect(60, 260, 535, 330), SECOND, fontsize=11)

    written = [line for line in parsed(draw).to_markdown().splitlines() if line.strip()]
    assert written[1:-1] == [f"- {item}" for item in ITEMS]


def test_items_under_items(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 90), "Berths", fontsize=18, fontname="hebo")
        for row, (x, item) in enumerate([(72, "North quay"), (102, "four yachts"), (102, "one ferry"), (72, "Mole")]):
            disc(page, x, 136 + 20 * row)
            page.insert_text((x + 14, 140 + 20 * row), item, fontsize=12)

    written = parsed(draw).to_markdown()
    assert "- North quay\n  - four yachts\n  - one ferry\n- Mole" in written


def test_the_only_item_within_an_item_has_a_bullet_of_its_own(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 90), "Berths", fontsize=18, fontname="hebo")
        for row, (x, item) in enumerate([(72, "North quay"), (72, "Mole"), (102, "one ferry."), (72, "Pier")]):
            (disc if x == 72 else ring)(page, x, 136 + 20 * row)
            page.insert_text((x + 14, 140 + 20 * row), item, fontsize=12)

    assert "- North quay\n- Mole\n  - one ferry.\n- Pier" in parsed(draw).to_markdown()


def test_letters_of_other_type_before_several_lines_are_bullets(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 60, 520, 200), PROSE, fontsize=11)
        for number, text in enumerate(("Oak planks of the pier", "Ropes of the ferry", "Lamps of the mole")):
            page.insert_text((80, 240 + 20 * number), "o", fontsize=10, fontname="cour")
            page.insert_text((100, 240 + 20 * number), text, fontsize=11)
        page.insert_text((60, 340), "o rio", fontsize=11)

    written = parsed(draw).to_markdown()
    assert "- Oak planks of the pier\n- Ropes of the ferry\n- Lamps of the mole\n" in written
    assert "\no rio" in written


def test_bullets_may_stand_close_behind_the_column_before_theirs(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 60, 285, 500), " ".join([PROSE, SECOND] * 2), fontsize=11)
        page.insert_textbox(pymupdf.Rect(296, 60, 535, 130), SECOND, fontsize=11)
        for row, item in enumerate((*ITEMS, "Waste oil is taken back")):
            disc(page, 298, 146.5 + 14.7 * row)
            page.insert_text((304, 150 + 14.7 * row), item, fontsize=11)

    written = parsed(draw).to_markdown()
    assert re.findall("^- (.*)$", written, re.MULTILINE) == [*ITEMS, "Waste oil is taken back"]


def test_dots_between_words_are_no_bullets() -> None:
    """Those of three lines of a menu, below each other."""
    words = [BBox(x, 100 + 20 * row, x + 40, 110 + 20 * row) for row in range(3) for x in (40, 90, 140)]
    dots = [
        {"rect": (x - 6, 103 + 20 * row, x - 2, 107 + 20 * row), "items": [("c",)], "fill": (0, 0, 0)}
        for row in range(3)
        for x in (90, 140)
    ]
    assert drawn_bullets(dots, words) == []


def test_marks_of_a_chart_are_no_bullets(parsed: Parsed) -> None:
    """Dots before words, each at a place of its own; and one dot alone."""

    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 60, 535, 130), PROSE, fontsize=11)
        for number, name in enumerate(("Oban", "Tiree", "Coll")):
            disc(page, 120 + 70 * number, 200 + 31 * number)
            page.insert_text((128 + 70 * number, 204 + 31 * number), name, fontsize=9)

    document = parsed(draw)
    assert "·" not in document.to_markdown() and "\n- " not in document.to_markdown()


def line(text: str, x: float, width: float, y: float = 0.0, **more: Any) -> TextLine:
    return TextLine(BBox(x, y, x + width, y + 12), text, 10.0, **more)


def test_a_bullet_of_its_own_begins_the_line_on_its_right() -> None:
    bold = line("four yachts", 20, 60, marks=(Mark("bold", 0, 4),))
    far = line("a page number", 400, 60)
    found = with_bullets([line("\u2022", 8, 4), far, bold, line("\u2022", 8, 4, y=40.0)])
    assert [one.text for one in found] == ["a page number", "\u2022 four yachts", "\u2022"]
    twice = with_bullets([line("\u2022", 4, 3), line("\u2022", 9, 3), line("four yachts", 20, 60)])
    assert [one.text for one in twice] == ["\u2022", "\u2022 four yachts"], "no sign is lost"
    assert found[1].bbox == BBox(8, 0, 80, 12) and found[1].marks == (Mark("bold", 2, 6),)


def test_a_column_of_bullets_may_stand_far_from_its_texts() -> None:
    names = ("four yachts", "two ferries", "a tug")
    listed = [
        one for row, name in enumerate(names) for one in (line("\u2022", 8, 4, 20 * row), line(name, 50, 60, 20 * row))
    ]
    assert [one.text for one in with_bullets(listed)] == [f"\u2022 {name}" for name in names]
    assert with_bullets(listed[:4]) == listed[:4], "two may be marks"


@pytest.mark.parametrize("numbers", ["8 9 10", "1a 1b 2", "(a) (b) (c)", "iv v vi"])
def test_numbers_set_apart_count_the_texts_on_their_right(numbers: str) -> None:
    """Right-aligned, as forms and contents have them."""
    names = ("Add the lines above", "Enter the smaller one", "Multiply it by two")
    listed = [
        one
        for row, (number, name) in enumerate(zip(numbers.split(), names, strict=True))
        for one in (line(number, 20 - 5 * len(number), 5 * len(number), 20 * row), line(name, 40, 90, 20 * row))
    ]
    expected = [f"{number} {name}" for number, name in zip(numbers.split(), names, strict=True)]
    assert [one.text for one in with_bullets(listed)] == expected
    assert with_bullets(listed[:4]) == listed[:4], "two may be anything"
    same = [replace(one, text="7") if one.text in numbers.split() else one for one in listed]
    assert with_bullets(same) == same, "they count nothing"
    figures = [one if one.text in numbers.split() else replace(one, text="12.50") for one in listed]
    assert with_bullets(figures) == figures, "a table of figures"


def test_a_letter_that_counts_is_no_text_of_a_number_before_it() -> None:
    listed = [
        one
        for row, (number, letter) in enumerate(zip("123", "abc", strict=True))
        for one in (
            line(number, 10, 5, 20 * row),
            line(letter, 40, 5, 20 * row),
            line("Add the lines above", 60, 90, 20 * row),
        )
    ]
    text = " ".join(one.text for one in with_bullets(listed))
    assert sorted(text) == sorted(" ".join(one.text for one in listed)), "nothing is lost"


def test_columns_of_very_many_numbers_take_no_time() -> None:
    listed = [
        one
        for row in range(380)
        for one in (
            line(str(row), 20, 15, 12 * row),
            *(line("seat of a row", 50 + 90 * at, 80, 12 * row) for at in range(5)),
        )
    ]
    with within(4):
        assert len(with_bullets(listed)) == 5 * 380


def test_page_numbers_of_contents_belong_to_their_titles_and_not_to_the_next_column() -> None:
    titles = ("Letter from the editor", "Mapping the mole", "Reviews")
    listed = [
        one
        for row, title in enumerate(titles)
        for one in (
            line(title, 20, 6 * len(title), 20 * row),
            line(str(3 + 20 * row), 180, 10, 20 * row),
            line("Another issue is out", 230, 120, 20 * row),
        )
    ]
    assert with_bullets(listed) == listed


def test_marks_between_columns_begin_no_texts() -> None:
    rows = [("Oban", "in winter"), ("Tiree", "in summer"), ("Coll", "always")]
    told = [
        one
        for row, (name, season) in enumerate(rows)
        for one in (line(name, 8, 40, 20 * row), line("\u2022", 70, 4, 20 * row), line(season, 112, 60, 20 * row))
    ]
    assert with_bullets(told) == told


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("• a desired schema to extract output from that", "document. To run without one", True),
        ("• a desired schema to extract output from that", "Document two", False),
        ("• a desired schema to extract output.", "document. To run without one", False),
        ("a desired schema to extract output from that", "document. To run without one", False),
        ("• a desired schema to extract output from that", "b) document. To run", False),
    ],
)
def test_an_item_that_is_cut_in_a_sentence_is_whole(first: str, second: str, whole: bool) -> None:
    def item(text: str, y: float) -> Region:
        line = PrintedLine(BBox(20, y, 300, y + 10), text, 10.0)
        return Region(line.bbox, Category.LIST_ITEM, (text,), lines=(line,))

    assert (len(with_whole_items([item(first, 0), item(second, 12)])) == 1) is whole
    assert len(with_whole_items([item(first, 0), item(second, 40)])) == 2


def test_text_behind_a_dash_is_an_item_beside_items() -> None:
    def text(words: str, category: Category) -> Region:
        line = PrintedLine(BBox(20, 0, 300, 10), words, 10.0)
        return Region(line.bbox, category, (words,), lines=(line,))

    bullet, dash = text("• first", Category.LIST_ITEM), text("- second", Category.TEXT)
    assert [one.category for one in with_dashes([bullet, dash])] == [Category.LIST_ITEM] * 2
    assert [one.category for one in with_dashes([dash, text("third", Category.TEXT)])] == [Category.TEXT] * 2
