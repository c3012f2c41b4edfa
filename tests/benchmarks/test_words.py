"""Words and numbers of whole pages held against the text layer: marks are forgiven, digits are not."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from benchmarks.word_counts import WordCounts, counted
from benchmarks.words import LeftAside, WordsOfPage, measure, together
from docspec.core import ParseOptions
from docspec.documents.sources import source_from_path

LAYER = "The har-\nbour fills 2 times,\n1,136 ships a day at 0.0002 M [3]"


@pytest.mark.parametrize(
    "written",
    [
        "The harbour fills 2 times, 1,136 ships a day at 0.0002 M [3]",
        "## The har-bour fills\n\n**2** times, *1,136* [ships](https://example.org/7_8) a day at 0.0002 M"
        "<sup>[3]</sup>",
        "![page-3-1](a.figures/page-3-1.png)\n\n| The harbour fills | 2 times, |\n|---|---|\n"
        "| 1,136 ships | a day at 0.0002 M [3] |",
    ],
)
def test_marks_and_links_are_no_words_and_no_numbers(written: str) -> None:
    assert counted(LAYER, written) == WordCounts(4, 4, 4, 0, 9, 9, 9)


def test_a_digit_that_changed_is_a_number_wrong_and_one_not_found() -> None:
    found = counted(LAYER, "The harbour fills 2 times, 4.136 ships a day at 0.002 M [3] [3]")
    assert (found.numbers_found, found.numbers_written, found.numbers_wrong) == (2, 5, 3)


def test_labels_of_pictures_are_found_and_never_wrong() -> None:
    found = counted("Figure 3 has 1,136 ships", "Figure 3 has ships", "1,136 0 0.5 1.5")
    assert (found.numbers_found, found.numbers_written, found.numbers_wrong) == (2, 1, 0)


def test_order_counts_the_most_words_that_stand_as_in_the_layer() -> None:
    found = counted("one two three four five six", "five six one two three seven")
    assert (found.words, found.words_found, found.in_order) == (6, 5, 3)


def test_readers_are_measured_on_the_page_and_on_its_blurred_picture(tmp_path: Path) -> None:
    sound, scan = tmp_path / "sound.pdf", tmp_path / "scan.pdf"
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=300, height=160)
        for row in range(4):
            page.insert_text((20, 30 + 30 * row), f"Row {row} of the harbour has 1,{row}36 ships", fontsize=12)
        pdf.save(sound)
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=300, height=160)
        page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 30, 16), False))
        pdf.save(scan)
    options = ParseOptions(model="mini", device="cpu", pages="1")
    sources = [source_from_path(path) for path in (sound, scan)]
    found = list(measure(sources, options, 1.0, ["docspec", "rapidocr"]))
    aside = [one for one in found if isinstance(one, LeftAside)]
    pages = [one for one in found if isinstance(one, WordsOfPage)]
    assert [(one.page, one.reason) for one in aside] == [(1, "no text layer")]
    assert [(one.blur, one.reader) for one in pages] == [
        (0.0, "docspec"),
        (0.0, "rapidocr"),
        (1.0, "docspec"),
        (1.0, "rapidocr"),
    ]
    for counts in together(pages).values():
        assert counts.numbers == counts.numbers_found == 8 and counts.numbers_wrong == 0
        assert counts.words_found == counts.words == 24


def test_pdfium_reads_the_text_of_one_page_and_its_signs_are_no_markdown(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 90), "Another page has 7 ships")
        lines = ["See <name> and a * b of 2", "|1,136| ships [3]", "# 5 of the harbour"]
        pdf.new_page().insert_text((72, 90), lines)
        pdf.save(tmp_path / "a.pdf")
    options = ParseOptions(model="mini", device="cpu", pages="2")
    [page] = measure([source_from_path(tmp_path / "a.pdf")], options, 0.0, ["pdfium"])
    assert isinstance(page, WordsOfPage) and page.missing == 0
    assert page.counts == WordCounts(4, 4, 4, 0, words=10, words_found=10, in_order=10)


@pytest.mark.parametrize(
    "written",
    [
        "See <https://a.example/3.1> and \\<name\\> of 2",
        "See [https://a.example/3.1](https://a.example/9) and \\<name> of **2**",
        "<p>See https://a.example/3.1 and \\<name> of 2</p>",
    ],
)
def test_addresses_and_escaped_signs_are_words_of_the_text(written: str) -> None:
    found = counted("See https://a.example/3.1 and <name> of 2", written)
    assert (found.numbers_found, found.numbers_wrong, found.words_found) == (2, 0, found.words)
