"""What the measures of places and of searchable PDFs count: words that the file has, in whatever pieces."""

from __future__ import annotations

import re
from pathlib import Path

import pymupdf

from benchmarks.places import judged
from benchmarks.searchable import readers, words_parted
from docspec.core import BBox, Block, Category, PageResult
from docspec.core.account import VisibleWord
from docspec.core.places import PlacedWord


def test_a_word_of_pieces_is_in_the_file_and_one_over_others_is_not() -> None:
    truth = [
        VisibleWord("outlets", 10, 10, 60, 20),
        VisibleWord("33", 60, 8, 70, 14),
        VisibleWord("of", 100, 10, 110, 20),
    ]
    places = {
        "outlets33:": BBox(10, 8, 72, 20),
        "invented": BBox(98, 10, 112, 20),
        "pictured": BBox(300, 300, 380, 320),
    }
    words = tuple(
        PlacedWord(text, 0, len(text), boxes=(box,), how="exact", certainty=1.0) for text, box in places.items()
    )
    block = Block(Category.TEXT, " ".join(places), BBox(0, 0, 400, 400), places=words)
    page = PageResult("in.pdf", 1, "ok", blocks=(block,), width=400, height=400)
    told = {word.text: (word.in_file, word.beside) for word in judged(page, truth)}
    assert told == {"outlets33:": (True, False), "invented": (False, False), "pictured": (False, True)}


def test_words_that_are_told_with_other_spaces_are_counted_once() -> None:
    told = ["the", "s", "e", "a", "harbourmaster"]
    assert words_parted(("sea", "harbour", "harbour", "lamp"), told, {"the": 1}) == 2
    assert words_parted(("sea", "wall", "lamp"), ["seawall", "la", "mp"], {}, "\n") == 2, "two are parts of a word"


def test_a_file_of_which_mupdf_cannot_show_a_page_is_one_that_it_refuses(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page().insert_text((72, 72), "Harbour")
    whole, lost = tmp_path / "whole.pdf", tmp_path / "lost.pdf"
    whole.write_bytes(pdf.tobytes())
    lost.write_bytes(re.sub(rb"/Count 1\b", b"/Count 9", pdf.tobytes()))
    assert readers()["MuPDF"](whole) and not readers()["MuPDF"](lost)
