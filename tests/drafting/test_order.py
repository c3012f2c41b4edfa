"""The layout model's order of columns is given up where it is none that anybody reads."""

from __future__ import annotations

from docspec.core import BBox, Category
from docspec.drafting.layout import LayoutBox
from docspec.drafting.reading_order import page_order


def box(x0: float, y0: float, x1: float, y1: float, category: Category = Category.TEXT) -> LayoutBox:
    return LayoutBox(BBox(x0, y0, x1, y1), category)


HEAD = box(40, 20, 560, 60, Category.TITLE)
LEFT = [box(40, 80, 290, 300), box(40, 310, 290, 700)]
RIGHT = [box(310, 80, 560, 500), box(310, 510, 560, 700)]


def test_a_right_column_is_not_read_before_the_left_one() -> None:
    assert page_order([HEAD, *RIGHT, *LEFT]) == [HEAD, *LEFT, *RIGHT]
    assert page_order([HEAD, *LEFT, *RIGHT]) == [HEAD, *LEFT, *RIGHT]
    late = [box(40, 380, 290, 400), box(40, 410, 290, 700)]  # below a picture that the model does not see
    assert page_order([HEAD, *RIGHT, *late]) == [HEAD, *late, *RIGHT]


def test_an_article_below_is_read_after_the_columns_above_it() -> None:
    above = [box(40, 80, 290, 300), box(310, 80, 560, 300)]
    below = box(40, 290, 290, 700)  # its head begins beside the last line
    assert page_order([HEAD, *above, below]) == [HEAD, *above, below]


def test_an_aside_on_the_left_may_be_read_after_the_text() -> None:
    text, aside = box(210, 80, 560, 700), box(40, 80, 190, 200)
    assert page_order([HEAD, text, aside]) == [HEAD, text, aside]
