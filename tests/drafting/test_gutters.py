"""A box over the white between two columns is one on each side."""

from __future__ import annotations

import pytest

from docspec.core import BBox, Category
from docspec.drafting.gutters import parted_by_gutters
from docspec.drafting.layout import LayoutBox


def column(x: float, y: float, lines: int, width: float = 220) -> LayoutBox:
    members = tuple(BBox(x, y + 12 * row, x + width, y + 12 * row + 10) for row in range(lines))
    return LayoutBox(BBox.union(members), Category.TEXT, members)


NUMBERS = [BBox(286, 200 + 12 * row, 292, 210 + 12 * row) for row in range(3)]
FORMULA = [BBox(312, 200, 520, 212), BBox(312, 220, 500, 232)]


def over(category: Category = Category.FORMULA) -> LayoutBox:
    return LayoutBox(BBox.union([*NUMBERS, *FORMULA]), category, (*NUMBERS, *FORMULA))


def test_numbers_of_the_left_column_and_a_formula_of_the_right_one_are_two_boxes() -> None:
    page = [column(72, 100, 6), column(302, 100, 6), over(), column(72, 260, 4), column(302, 260, 4)]
    found = parted_by_gutters(page)
    assert [box.members for box in found[2:4]] == [tuple(NUMBERS), tuple(FORMULA)]
    assert [box.category for box in found[2:4]] == [Category.TEXT, Category.FORMULA]
    assert [*found[:2], *found[4:]] == [*page[:2], *page[3:]]


@pytest.mark.parametrize(
    "around",
    [
        [column(72, 100, 6, 450), column(72, 260, 4, 450)],  # one column
        [column(302, 100, 6), column(302, 260, 4)],  # nothing on the left
        [],
    ],
)
def test_without_two_columns_around_it_a_box_stays(around: list[LayoutBox]) -> None:
    assert parted_by_gutters([*around, over()]) == [*around, over()]


def test_tables_stay_whole() -> None:
    page = [column(72, 100, 6), column(302, 100, 6), over(Category.TABLE)]
    assert parted_by_gutters(page) == page


def test_a_picture_over_two_columns_that_covers_text_is_one_in_each() -> None:
    labels = [BBox(180, 90, 200, 98), BBox(170, 120, 210, 128)], [BBox(380, 90, 430, 98), BBox(390, 250, 440, 258)]
    picture = LayoutBox(BBox(150, 80, 520, 270), Category.PICTURE, (*labels[0], *labels[1]))
    page = [picture, column(72, 140, 20), column(302, 290, 12)]
    left, right = (one for one in parted_by_gutters(page) if one.category is Category.PICTURE)
    assert (left.members, right.members) == (tuple(labels[0]), tuple(labels[1]))
    assert left.bbox.y1 <= 140 and right.bbox.y1 == 270
    assert left.bbox.x1 < 300 < right.bbox.x0
    above = [picture, column(72, 290, 12), column(302, 290, 12)]
    assert parted_by_gutters(above) == above, "a picture over both columns that covers nothing is one"
