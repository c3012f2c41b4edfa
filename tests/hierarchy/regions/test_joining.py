"""Pieces are put together without losing a letter of what the reader wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import BBox, Block, Category, Region
from docspec.core.running_text import goes_on
from docspec.hierarchy.regions.joining import joined_blocks, region_text
from docspec.hierarchy.regions.slices import Slice

PLACE = BBox(0, 0, 100, 20)


@pytest.mark.parametrize(
    ("category", "pieces", "text"),
    [
        (Category.TEXT, [("the tide is", False), ("coming in.", False)], "the tide is coming in."),
        (Category.TEXT, [("an exam-", False), ("ple of it", False)], "an example of it"),
        (Category.TEXT, [("left half", False), ("right half", True), ("next", False)], "left half right half next"),
        (Category.TITLE, [("# A title", False), ("## in two lines", False)], "# A title in two lines"),
        (Category.SECTION_HEADER, [("2 Methods", False)], "## 2 Methods"),
        (Category.LIST_ITEM, [("• one", False), ("goes on", False), ("• two", False)], "- one goes on\n- two"),
        (Category.FORMULA, [("a_1+b", False)], "$$\na_1+b\n$$"),
        (Category.FORMULA, [("$a$ and $b$", False)], "$a$ and $b$"),
        (Category.TABLE, [("<think>A table.</think>\n```html\n<table>\n```", False)], "<table>"),
        (Category.TABLE, [("| a |\n|---|\n| b |", False)], "| a |\n|---|\n| b |"),
        (Category.TEXT, [("", False), (" \n", False)], ""),
    ],
)
def test_a_region_is_spelled_by_its_layout(category: Category, pieces: list[tuple[str, bool]], text: str) -> None:
    shown = [(words, Slice(PLACE, 1.0, beside=beside)) for words, beside in pieces]
    assert region_text(Region(PLACE, category), shown) == text


def test_a_line_of_a_paragraph_is_no_heading_and_what_stands_alone_may_be_one() -> None:
    lines = [("## Harbours fill", Slice(PLACE, 1.0)), ("## twice a day.", Slice(PLACE, 1.0))]
    assert region_text(Region(PLACE, Category.TEXT), lines) == "Harbours fill twice a day."
    assert region_text(Region(PLACE, Category.TEXT), lines[:1]) == "## Harbours fill"


def test_a_paragraph_goes_on_behind_a_figure_and_in_the_next_column() -> None:
    blocks = [
        Block(Category.TEXT, "It was thought that the"),
        Block(Category.PICTURE, ""),
        Block(Category.CAPTION, "Figure 1: A boat."),
        Block(Category.TEXT, "boat had left."),
        Block(Category.SECTION_HEADER, "## Next"),
        Block(Category.TEXT, "lower case after a heading"),
    ]
    texts = [block.text for block in joined_blocks(blocks)]
    assert texts == ["It was thought that the boat had left.", "", "Figure 1: A boat.", "## Next", blocks[-1].text]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("as we", "said before", True),
        ("inter-", "national", True),
        ("The end.", "and so on", False),
        ("as we", "Said before", False),
        ("“Stop!”", "he said", False),
        ("", "x", False),
    ],
)
def test_only_broken_sentences_go_on(first: str, second: str, expected: bool) -> None:
    assert goes_on(first, second) is expected


@given(st.lists(st.tuples(st.sampled_from(list(Category)), st.text("ab.-Z ", max_size=12)), max_size=8))
def test_joining_keeps_every_letter(pieces: list[tuple[Category, str]]) -> None:
    blocks = [Block(category, text) for category, text in pieces]
    joined = joined_blocks(blocks)

    def letters(items: list[Block]) -> list[str]:
        return sorted(char for item in items for char in item.text if char.isalnum())

    assert letters(list(joined)) == letters(blocks)
