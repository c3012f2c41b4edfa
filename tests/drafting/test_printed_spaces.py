"""Spaces narrower than MuPDF's limit are told by the white between the letters of their line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox, PageImage
from docspec.drafting.lines import TextLine
from docspec.drafting.spaces import with_printed_spaces
from docspec.drafting.text_layer import TextLayerDrafter

PageOf = Callable[..., PageImage]

LINES = ["the harbour master then examined the boats", "and concluded that nothing was missing there"]


def set_with(white: float, tracking: float = 0.0) -> Callable[[Any], None]:
    """Draws ``LINES`` letter by letter: ``white`` between words and ``tracking`` between letters, in ems."""

    def draw(page: Any) -> None:
        font = pymupdf.Font("helv")
        for number, line in enumerate(LINES):
            x = 50.0
            for word in line.split():
                for letter in word:
                    page.insert_text((x, 90 + 16 * number), letter, fontsize=10)
                    x += font.text_length(letter, 10) + 10 * tracking
                x += 10 * white

    return draw


@pytest.mark.parametrize(("white", "tracking"), [(0.12, 0.0), (0.14, 0.0), (0.28, 0.0), (0.2, 0.08)])
def test_words_are_parted_by_white_that_is_wider_than_that_between_letters(
    page_of: PageOf, white: float, tracking: float
) -> None:
    draft = TextLayerDrafter(quick=True).draft(page_of(set_with(white, tracking)))
    assert " ".join(text for region in draft.regions for text in region.texts).split() == " ".join(LINES).split()


def test_letters_with_even_white_are_one_word(page_of: PageOf) -> None:
    draft = TextLayerDrafter(quick=True).draft(page_of(set_with(0.04, 0.04)))
    words = " ".join(text for region in draft.regions for text in region.texts).split()
    assert words == ["".join(line.split()) for line in LINES]


@pytest.mark.parametrize(
    ("signs", "read", "told"),
    [
        ([("f", 0.0, 5.5), ("i", 5.5, 5.5), (" ", 2.7, 5.2), ("n", 5.5, 11.0)], "fin", True),
        ([("T", 0.0, 10.8), (" ", 5.4, 7.9), ("e", 10.8, 15.0)], "Te", False),
        ([("a", 0.0, 5.0), (" ", 5.0, 7.5), ("b", 7.5, 12.5)], "a b", True),
        ([("b", 7.5, 12.5), (" ", 5.0, 7.5), ("a", 0.0, 5.0)], "b a", True),
    ],
    ids=["of a ligature", "on a ligature that is told as one letter", "between words", "leftwards"],
)
def test_a_space_that_lies_on_a_sign_is_none(signs: list[tuple[str, float, float]], read: str, told: bool) -> None:
    chars = [{"c": sign, "origin": (x0, 20.0), "bbox": (x0, 10.0, x1, 21.0)} for sign, x0, x1 in signs]
    blocks = [{"lines": [{"dir": (1.0, 0.0), "spans": [{"size": 10.0, "font": "Caslon", "chars": chars}]}]}]
    text = "".join(sign for sign, *_ in signs)
    (line,) = with_printed_spaces([TextLine(BBox(0, 10, 15, 21), text, 10)], blocks)
    assert (line.text, line.words) == (read, "text layer" if told else None)
