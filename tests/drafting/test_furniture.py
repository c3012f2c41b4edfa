"""Running heads and feet stay whole where a layout model took a part of them for text."""

from __future__ import annotations

from docspec.core import BBox, Category
from docspec.drafting.furniture import whole_furniture
from docspec.drafting.layout import LayoutBox

FOOT = Category.PAGE_FOOTER


def box(category: Category, x: float, y: float, height: float = 10, width: float = 80) -> LayoutBox:
    place = BBox(x, y, x + width, y + height)
    return LayoutBox(place, category, (place,))


def kinds(*boxes: LayoutBox) -> list[Category]:
    return [one.category for one in whole_furniture(boxes)]


BODY = box(Category.TEXT, 50, 100, 500, 400)


def test_a_line_in_one_row_with_the_foot_of_the_page_belongs_to_it() -> None:
    revision, date = box(Category.TEXT, 50, 700), box(FOOT, 400, 701)
    assert kinds(BODY, revision, date) == [Category.TEXT, FOOT, FOOT]
    assert kinds(BODY, revision, box(Category.TEXT, 200, 700), date) == [Category.TEXT, FOOT, FOOT, FOOT]


def test_a_line_in_one_row_with_the_head_of_the_page_belongs_to_it() -> None:
    title, number = box(Category.TEXT, 50, 20), box(Category.PAGE_HEADER, 400, 20)
    assert kinds(number, title, BODY) == [Category.PAGE_HEADER, Category.PAGE_HEADER, Category.TEXT]


def test_text_above_beside_and_around_furniture_stays_text() -> None:
    foot = box(FOOT, 400, 700)
    assert kinds(BODY, box(Category.TEXT, 50, 680), foot)[1] is Category.TEXT, "a row of its own"
    assert kinds(box(Category.TEXT, 50, 560, 150), foot)[0] is Category.TEXT, "a paragraph that ends beside it"
    assert kinds(BODY, box(Category.TEXT, 50, 700), foot, box(Category.TEXT, 50, 740))[1] is Category.TEXT
    assert kinds(BODY, box(Category.CAPTION, 50, 700), foot)[1] is Category.CAPTION
    assert kinds(BODY, box(Category.TEXT, 50, 700))[1] is Category.TEXT, "no furniture beside it"
    lines = tuple(BBox(50, y, 130, y + 10) for y in (695, 706))
    two = LayoutBox(BBox.union(lines), Category.TEXT, lines)
    assert kinds(BODY, two, box(FOOT, 400, 700))[1] is Category.TEXT, "two lines"
