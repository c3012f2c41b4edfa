"""Hanging paragraphs that a model of the layout calls a list stay paragraphs; what has a mark stays a list."""

from __future__ import annotations

import pytest

from docspec.core import BBox, Category, Region
from docspec.hierarchy.regions.cutting import unlisted

LONG = "Here is to the rebels,\nthe troublemakers."


def items(*texts: str) -> list[Region]:
    return [
        Region(BBox(50, 100 + 40 * row, 400, 130 + 40 * row), Category.LIST_ITEM, (text,))
        for row, text in enumerate(texts)
    ]


def test_hanging_paragraphs_are_no_list():
    found = unlisted(items(LONG, "They push the world.", LONG))
    assert [region.category for region in found] == [Category.TEXT] * 3
    assert [region.texts[0] for region in found] == [LONG, "They push the world.", LONG]


@pytest.mark.parametrize("mark", ["• ", "1. ", "(a) ", "[3] ", "– ", "\uf0a7 ", "12 ", "iv) "])
def test_one_mark_makes_a_list(mark):
    regions = items(LONG, mark + LONG, LONG)
    assert unlisted(regions) == regions


def test_short_items_stay_a_list_as_those_of_contents_do():
    regions = items("Introduction 1", "Methods 7", LONG)
    assert unlisted(regions) == regions


@pytest.mark.parametrize("text", [LONG, "⁴ University of Washington", "/处，丘陵、山区"])
def test_one_item_alone_without_a_mark_is_text(text: str):
    other = Region(BBox(50, 10, 400, 40), Category.TEXT, (LONG,))
    regions = [*items(text), other, *items("• " + text)]
    assert [one.category for one in unlisted(regions)] == [Category.TEXT, Category.TEXT, Category.LIST_ITEM]
