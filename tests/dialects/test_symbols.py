"""Mathematical characters in LaTeX."""

from __future__ import annotations

from docspec.core import BBox, Category, Region
from docspec.dialects.markdown import MarkdownDialect
from docspec.dialects.words import latex_symbols


def test_signs_become_commands_that_end_where_the_next_letter_begins():
    assert latex_symbols("λ ≤ 2π") == r"\lambda \leq 2\pi"
    assert latex_symbols("∑ψ(gs), u ∈R") == r"\sum \psi(gs), u \in R"


def test_letters_of_the_mathematical_alphabets_become_plain_ones():
    assert latex_symbols("𝑥 → 𝟎") == r"x \to 0"


def test_prose_with_dots_and_minus_signs_stays():
    for text in ("−3 °C … and more", "Kafé · Bar", "5′ wide", ""):
        assert latex_symbols(text) == text


def test_the_markdown_dialect_drafts_it_after_all_other_spellings():
    region = Region(BBox(0, 0, 1, 1), Category.TEXT, ("where λ is small",))
    drafts = MarkdownDialect().region_drafts(region)
    assert drafts[0] == "where λ is small"
    assert drafts[-1] == r"where \lambda is small"
