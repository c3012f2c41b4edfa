from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from docspec.core import Category
from docspec.core.formulas import bare_formula
from docspec.dialects.spelling import interleaved, spellings

TABLE = "<html><body><table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table></body></html>"


@settings(deadline=None)
@given(st.sampled_from(Category), st.text())
@example(Category.LIST_ITEM, "$")
def test_any_reading_can_be_spelt_without_duplicates_or_blanks(category: Category, reading: str) -> None:
    found = spellings(category, reading)
    assert len(set(found)) == len(found)
    assert all(text.strip() for text in found)


def test_a_paragraph_is_tried_joined_then_as_printed_then_with_its_hyphens() -> None:
    assert spellings(Category.TEXT, "an atten-\ntive ‘word’") == [
        "an attentive ‘word’",
        "an atten-\ntive ‘word’",
        "an atten-tive ‘word’",
        "an attentive 'word'",
    ]


def test_a_title_starts_with_one_mark_and_a_section_header_with_two() -> None:
    assert spellings(Category.TITLE, "A\nname")[0] == "# A name"
    assert spellings(Category.SECTION_HEADER, "# 2 Method") == [
        "## 2 Method",
        "# 2 Method",
        "### 2 Method",
        "2 Method",
        "**2 Method**",
    ]


def test_list_items_are_tried_with_each_bullet_and_as_printed() -> None:
    assert spellings(Category.LIST_ITEM, "• one\nmore\n• two") == [
        "- one more\n- two",
        "* one more\n* two",
        "• one more\n• two",
    ]


def test_printed_numbers_stay() -> None:
    assert spellings(Category.LIST_ITEM, "1. one\n2. two") == ["1. one\n2. two"]


def test_tables_are_spelt_in_the_styles_asked_for() -> None:
    compact = [
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
        "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>",
    ]
    pipe = ["| a | b |\n| --- | --- |\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"]
    assert spellings(Category.TABLE, TABLE, table_style="compact") == compact
    assert spellings(Category.TABLE, TABLE, table_style="pipe") == pipe
    both = spellings(Category.TABLE, TABLE, table_style="both")
    html = spellings(Category.TABLE, TABLE, table_style="html")
    assert both[:4] == compact + pipe
    assert both[4:] == html[2:]
    assert all(text.startswith("<table>\n  <t") for text in html[2:])


def test_a_table_that_is_only_text_is_spelt_as_text() -> None:
    assert spellings(Category.TABLE, "a  b\n1 2") == ["a b 1 2", "a b\n1 2"]


@pytest.mark.parametrize("drafted", ["x^2", "$$x^2$$", "$$\nx^2\n$$", r"\[x^2\]", r"\( x^2 \)", "$x^2$"])
def test_formulas_are_freed_of_their_fences_and_fenced_anew(drafted: str) -> None:
    assert bare_formula(drafted) == "x^2"
    assert spellings(Category.FORMULA, drafted) == ["$$\nx^2\n$$", "$$x^2$$", "\\[\nx^2\n\\]", r"\[x^2\]", "x^2"]


def test_pictures_have_no_spelling() -> None:
    assert spellings(Category.PICTURE, "a cat") == []


def test_the_first_of_every_group_comes_before_the_second_of_any() -> None:
    assert interleaved([["a", "b"], [], ["c", "a", "d"]]) == ["a", "c", "b", "d"]
