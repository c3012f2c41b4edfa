"""Underlines are no rules of tables: words that are underlined, as links are, stay text."""

from __future__ import annotations

import pymupdf
import pytest

from docspec.drafting.structure.tokens import PageTokens, page_tokens

SIZE = 11.0
FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_ACCURATE_BBOXES


def tokens_of(page: pymupdf.Page) -> PageTokens:
    raw = page.get_text("rawdict", flags=FLAGS)
    return page_tokens(raw, page.get_drawings(), (), page.rect.width, page.rect.height)


def line_of(page: pymupdf.Page, words: str, left: float = 72.0) -> tuple[float, float]:
    """Prints ``words`` with their baseline at 100; where they begin and end."""
    page.insert_text((left, 100), words, fontsize=SIZE, fontname="helv")
    return left, left + pymupdf.get_text_length(words, "helv", SIZE)


@pytest.mark.parametrize("below", [0.08, 0.13, 0.2])
@pytest.mark.parametrize("whole", [True, False])
def test_a_rule_under_words_of_a_line_is_no_rule(below: float, whole: bool) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        start, end = line_of(page, "Texture analysis in material science")
        if not whole:
            line_of(page, "1982, a year", end + 4)
        page.draw_line((start, 100 + below * SIZE), (end, 100 + below * SIZE), width=0.6)
        assert len(tokens_of(page).level) == 0


@pytest.mark.parametrize(("below", "before", "behind"), [(0.4, 0, 0), (0.13, 0, 60), (0.13, 12, 0)])
def test_a_rule_further_below_or_longer_is_one(below: float, before: float, behind: float) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        start, end = line_of(page, "Article number")
        y = 100 + below * SIZE
        page.draw_line((start - before, y), (end + behind, y), width=0.6)
        assert len(tokens_of(page).level) == 1


def test_a_rule_within_a_word_is_one() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        start, end = line_of(page, "Quantity")
        page.draw_line((start + 12, 101.2), (end - 12, 101.2), width=0.6)
        assert len(tokens_of(page).level) == 1
