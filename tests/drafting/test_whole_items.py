"""Items of lists are whole: what a layout model cut comes together, and numbered lines are no list."""

from __future__ import annotations

import pytest

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.drafting.items import with_whole_items


def items(*texts: str, pitch: float = 14) -> list[Region]:
    """Items of one line each, below each other."""
    regions = []
    for number, text in enumerate(texts):
        box = BBox(60, pitch * number, 60 + 6 * len(text), pitch * number + 11)
        regions.append(Region(box, Category.LIST_ITEM, (text,), 1.0, (PrintedLine(box, text, 11),)))
    return regions


def test_the_second_line_of_a_clause_is_no_item() -> None:
    regions = items(
        "1. The Landlord lets the flat for a term",
        "of 36 months at a rent of 1,245.00",
        "a month, due on the first day.",
        "2. The Tenant pays a deposit.",
    )
    first, second = with_whole_items(regions)
    assert first.texts == (
        "1. The Landlord lets the flat for a term\nof 36 months at a rent of 1,245.00\na month, due on the first day.",
    )
    assert first.bbox.y1 == regions[2].bbox.y1 and len(first.lines) == 3
    assert second == regions[3]


@pytest.mark.parametrize(
    "texts",
    [
        ("• pears.", "apples"),
        ("• pears", "Apples"),
        ("1. pears", "2. apples"),
        ("• pears", "– apples"),
        ("pears", "apples"),
    ],
)
def test_other_items_stay_apart(texts: tuple[str, str]) -> None:
    regions = items(*texts)
    assert with_whole_items(regions) == regions
    assert with_whole_items(items("• pears and", "apples", pitch=40)) == items("• pears and", "apples", pitch=40)


def test_lines_with_numbers_in_the_margin_are_text_and_keep_their_lines() -> None:
    lines = ("5 The buyer pays the price within", "10 fourteen days of the receipt and", "15 bears 2.5 % of the costs.")
    (region,) = with_whole_items(items(*lines))
    assert region.category is Category.TEXT and region.broken and region.texts == ("\n".join(lines),)
    uneven = items("5 apples", "7 pears", "30 plums")
    assert with_whole_items(uneven) == uneven
