"""Words whose letters are set apart are words; ligatures side by side lose no letter."""

from __future__ import annotations

import pymupdf
import pytest

from docspec.drafting.page_lines import page_lines
from docspec.drafting.spaces import are_spaced, typed_spaces, with_words


def read(page: pymupdf.Page) -> list[str]:
    lines = page_lines(page)
    if are_spaced(lines):
        lines = with_words(lines, page.get_text("words"), typed_spaces(page.get_text("rawdict")["blocks"]))
    return [line.text for line in lines]


def spread(page: pymupdf.Page, y: float, text: str, white: float) -> None:
    x, font = 60.0, pymupdf.Font("helv")
    for letter in text:
        page.insert_text((x, y), letter, fontsize=16)
        x += font.text_length(letter, 16) + white


@pytest.mark.parametrize("white", [6, 9, 14])
@pytest.mark.parametrize("text", ["SUMMARY", "BUDGET OF 2024", "ÜBERSICHT"])
def test_letters_that_are_set_apart_make_words(text: str, white: float) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        spread(page, 100, text, white)
        page.insert_text((60, 130), "The board met on the third of May.")
        assert read(page) == [text, "The board met on the third of May."]


@pytest.mark.parametrize("white", [4, 6, 11])
@pytest.mark.parametrize("text", ["Meanwhile", "verified.", "p\u0159edev\u0161\u00edm"])
def test_small_letters_of_a_justified_line_make_a_word(text: str, white: float) -> None:
    path = pytest.importorskip("matplotlib").get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        x, font = 60.0, pymupdf.Font(fontfile=path)
        for letter in text:
            page.insert_text((x, 100), letter, fontsize=16, fontname="dj", fontfile=path)
            x += font.text_length(letter, 16) + white
        assert read(page) == [text]


@pytest.mark.parametrize("text", ["abcdea", "abaab", "xyzab", "bdfgh", "xaYbZ", "äåæèéë"])
def test_small_letters_that_are_a_list_stay_apart(text: str) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        spread(page, 100, text, 6)
        assert read(page) == [" ".join(text)]


def test_small_letters_with_uneven_white_stay_apart() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        x = 60.0
        for letter, white in zip("models", (4, 9, 5, 11, 4, 4), strict=True):
            page.insert_text((x, 100), letter, fontsize=16)
            x += pymupdf.Font("helv").text_length(letter, 16) + white
        assert read(page) == ["m o d e l s"]


def test_letters_with_typed_spaces_make_words() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 100), "A N N U A L   R E P O R T", fontsize=16)
        assert read(page) == ["ANNUAL REPORT"]


@pytest.mark.parametrize("text", ["A B C D E F", "a b c d e a", "m o d e l", "1 2 3 4 5 1", "B C D F G B", "Plan A B"])
def test_letters_that_are_a_list_stay_apart(text: str) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 100), text)
        assert read(page) == [text]


def test_ligatures_side_by_side_lose_no_letter() -> None:
    path = pytest.importorskip("matplotlib").get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text(
            (60, 100), "o\ufb03ce sta\ufb00\ufb01 a\ufb02\ufb02 \ufb01\ufb02e", fontname="dj", fontfile=path
        )
        (line,) = page_lines(page)
    assert line.text == "office stafffi aflfl fifle"


@pytest.mark.parametrize("text", ["CONTACT", "EDUCATION"])
def test_pairs_that_kerning_brings_together_are_letters_of_the_word(text: str) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        x, font = 60.0, pymupdf.Font("helv")
        for letter, after in zip(text, [*text[1:], " "], strict=True):
            page.insert_text((x, 100), letter, fontsize=16)
            x += font.text_length(letter, 16) + (0.5 if (letter, after) in (("T", "A"), ("A", "T")) else 6)
        assert read(page) == [text]
