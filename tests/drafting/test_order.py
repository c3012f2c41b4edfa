"""The order in which people read the boxes of a page. Boxes are filled with lines of prose, as those of pages are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import BBox, Category
from docspec.drafting.frames import Bounds
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.order import in_order

PITCH = 12.0
PROSE = ("The first line of it ends within a", "sentence that goes on over several", "lines and comes to its end.")


def box(x0: float, y0: float, x1: float, y1: float, category: Category = Category.TEXT) -> LayoutBox:
    """A box that lines of prose fill, or one line of larger type."""
    rows = 1 if category.is_heading else max(1, round((y1 - y0 + 2) / PITCH))
    height = (y1 - y0 + 2) / rows
    places = [BBox(x0, y0 + row * height, x1, y0 + (row + 1) * height - 2) for row in range(rows)]
    texts = ("A head of a text",) if category.is_heading else [PROSE[row % 3] for row in range(rows - 1)] + [PROSE[2]]
    return LayoutBox.around(
        [TextLine(one, text, height - 2) for one, text in zip(places, texts, strict=True)], category
    )


def page_order(boxes: Sequence[LayoutBox], given: bool = True, rules: Sequence[BBox] = ()) -> list[LayoutBox]:
    return in_order(boxes, bounds=Bounds((), rules), given=given)


HEAD = box(40, 20, 560, 60, Category.TITLE)
LEFT = [box(40, 80, 290, 300), box(40, 310, 290, 700)]
RIGHT = [box(310, 80, 560, 500), box(310, 510, 560, 700)]


def test_a_right_column_is_not_read_before_the_left_one() -> None:
    assert page_order([HEAD, *RIGHT, *LEFT]) == [HEAD, *LEFT, *RIGHT]
    assert page_order([HEAD, *LEFT, *RIGHT]) == [HEAD, *LEFT, *RIGHT]
    late = [box(40, 380, 290, 400), box(40, 410, 290, 700)]  # below a picture that the model does not see
    assert page_order([HEAD, *RIGHT, *late]) == [HEAD, *late, *RIGHT]


LINE = 10.0


def test_what_is_wider_than_a_column_ends_the_columns_above_it() -> None:
    span = box(40, 400, 560, 440)
    above = [box(40, 80, 290, 380), box(310, 80, 560, 385)]
    below = [box(40, 450, 290, 700), box(310, 450, 560, 700)]
    for seen in ([HEAD, above[0], span, above[1], *below], [HEAD, *above, *below, span]):
        assert page_order(seen) == [HEAD, *above, span, *below]


def test_a_heading_below_columns_goes_with_what_it_stands_over() -> None:
    columns = [box(40, 80, 290, 380), box(310, 80, 560, 380)]
    heading = box(40, 390, 150, 400, Category.SECTION_HEADER)
    wide, narrow = [box(40, 410, 560, 440)], [box(40, 410, 200, 600), box(220, 410, 380, 600), box(400, 410, 560, 600)]
    lines = [replace(one, members=(BBox(40, 80, 290, 90),)) for one in columns]
    for below in (wide, narrow):
        assert page_order([heading, *below, *lines]) == [*lines, heading, *below]


def test_a_head_over_some_columns_bounds_its_story() -> None:
    first = [box(40, 20, 380, 60, Category.SECTION_HEADER), box(40, 80, 200, 380), box(220, 80, 380, 380)]
    aside = [box(400, 20, 560, 50, Category.SECTION_HEADER), box(400, 60, 560, 380)]
    second = [box(40, 400, 380, 430, Category.SECTION_HEADER), box(40, 440, 200, 700), box(220, 440, 380, 700)]
    third = [box(400, 400, 560, 430, Category.SECTION_HEADER), box(400, 440, 560, 700)]
    seen = [first[0], aside[0], first[1], first[2], aside[1], second[0], third[0], second[1], second[2], third[1]]
    ordered = page_order(seen)  # the stories of a column, or of a row, after each other
    assert ordered in ([*first, *second, *aside, *third], [*first, *aside, *second, *third])


def test_what_stands_in_columns_that_go_around_it_is_read_after_the_left_one() -> None:
    left = [box(40, 80, 290, 190), box(40, 200, 200, 300), box(40, 310, 290, 600)]
    right = [box(310, 80, 560, 190), box(400, 200, 560, 300), box(310, 310, 560, 600)]
    inset = box(220, 215, 380, 285)
    parts = [replace(one, members=(BBox(0, 0, 90, LINE),)) for one in (HEAD, *left, *right, inset)]
    head, own, others, quote = parts[0], parts[1:4], parts[4:7], parts[7]
    seen = [head, own[0], others[0], own[1], quote, others[1], own[2], others[2]]
    assert page_order(seen) == [head, *own[:2], quote, own[2], *others]


def test_sender_addressee_and_date_are_read_from_the_top() -> None:
    sender, date = box(380, 40, 540, 90), box(420, 200, 500, 210)
    addressee, text = box(60, 120, 200, 170), box(60, 240, 540, 500)
    assert page_order([addressee, sender, text, date]) == [sender, addressee, date, text]


@pytest.mark.parametrize("indent", [20, 36, 60])
@pytest.mark.parametrize("white", [2, 5, 9])
def test_heads_that_stand_out_to_the_left_are_read_where_they_stand(indent: int, white: int) -> None:
    """As manual pages are set: a head, its text indented, hardly any white between them."""
    boxes, y = [], 76
    for height in (10, 9, 55, 33, 9, 80):
        boxes.append(box(72, y, 130, y + 9, Category.SECTION_HEADER))
        boxes.append(box(72 + indent, y + 9 + white, 540, y + 9 + white + height))
        y += 9 + white + height + white
    assert page_order(boxes) == boxes


@given(
    st.lists(
        st.tuples(st.integers(0, 500), st.integers(0, 700), st.integers(5, 200), st.integers(5, 200)), max_size=14
    ),
    st.booleans(),
)
def test_every_box_is_read_once(places: list[tuple[int, int, int, int]], leftwards: bool) -> None:
    boxes = [box(x, y, x + width, y + height) for x, y, width, height in places]
    assert sorted(map(id, page_order(boxes, leftwards))) == sorted(map(id, boxes))


def test_bullets_and_numbers_that_are_boxes_are_no_column() -> None:
    rows = [(70, 86, 145), (100, 116, 175), (100, 116, 163), (70, 86, 112)]
    boxes = []
    for number, (mark, left, right) in enumerate(rows):
        boxes += [box(mark, 135 + 20 * number, mark + 3, 137 + 20 * number)]
        boxes += [box(left, 131 + 20 * number, right, 141 + 20 * number)]
    parts = [replace(one, members=(BBox(0, 0, 90, LINE),)) for one in boxes]
    ordered = page_order([*parts[1::2], *parts[::2]])
    assert [one for one in ordered if one.bbox.width > 3] == parts[1::2]


def test_text_between_the_items_of_a_list_is_read_between_them() -> None:
    item, more, last = (box(90, y, 530, y + 40, Category.LIST_ITEM) for y in (100, 160, 220))
    text = box(108, 141, 436, 157)
    assert page_order([item, text, more, last]) == [item, text, more, last]
    assert page_order([text, last, more, item], given=False) == [item, text, more, last]


def test_what_stands_over_the_whole_width_below_a_text_and_its_aside_is_read_last() -> None:
    beside, aside = box(40, 80, 330, 358), [box(360, 80, 560, 120), box(360, 150, 560, 290)]
    below = box(40, 372, 560, 412)
    assert page_order([HEAD, beside, *aside, below]) == [HEAD, beside, *aside, below]


def test_the_end_of_a_list_below_a_caption_beside_it_is_no_other_text() -> None:
    items = [box(23, 175, 186, 183), box(23, 186, 155, 205), box(23, 209, 168, 218)]
    caption = box(205, 175, 314, 205)
    assert page_order([items[0], caption, *items[1:]]) == [*items, caption]


def test_two_addresses_are_read_before_what_stands_below_one_of_them() -> None:
    def block(x: float, y: float, *widths: float) -> LayoutBox:
        lines = tuple(BBox(x, y + 12 * row, x + width, y + 12 * row + 10) for row, width in enumerate(widths))
        return LayoutBox(BBox.union(lines), Category.TEXT, lines)

    sender, addressee = block(40, 80, 90, 150, 100, 120), block(330, 80, 80, 70, 110)
    greeting, details = block(40, 160, 100), block(40, 200, 120, 150, 140)
    table = box(40, 300, 560, 500, Category.TABLE)
    ordered = [sender, addressee, greeting, details, table]
    assert page_order([sender, greeting, details, addressee, table]) == ordered
    prose = block(40, 80, 250, 248, 249, 120), block(330, 80, 250, 250, 247)
    rest = block(40, 160, 250, 249, 60)
    assert page_order([*prose, rest], given=False) == [prose[0], rest, prose[1]]


def test_two_addresses_begin_anew_below_the_head_of_an_invoice_that_stands_over_one_of_them() -> None:
    def block(x: float, y: float, *widths: float) -> LayoutBox:
        lines = tuple(BBox(x, y + 12 * at, x + width, y + 12 * at + 10) for at, width in enumerate(widths))
        return LayoutBox(BBox.union(lines), Category.TEXT, lines)

    number, date = block(330, 40, 160), block(330, 60, 110)
    seller, buyer = block(40, 120, 60, 90, 80), block(330, 120, 50, 150, 90)
    assert page_order([seller, number, date, buyer]) == [number, date, seller, buyer]


def test_a_title_above_a_narrow_heading_of_a_column_is_read_first() -> None:
    def text(x: float, y: float, width: float) -> LayoutBox:
        return box(x, y, x + width, y + 34)

    title, head = box(211, 20, 383, 40, Category.TITLE), box(72, 60, 134, 70, Category.SECTION_HEADER)
    left = [text(72, 80, 220), text(72, 124, 220)]
    right = [text(302, 60, 220), text(302, 104, 220), text(302, 148, 220)]
    assert page_order([head, *left, title, *right]) == [title, head, *left, *right]


def test_heads_beside_each_other_are_read_from_the_left() -> None:
    heads = [box(300, 10, 500, 20, Category.PAGE_HEADER), box(40, 10, 200, 20, Category.PAGE_HEADER)]
    text = box(40, 50, 500, 600)
    assert page_order([*heads, text]) == [heads[1], heads[0], text]


def _column(x: float, *texts: str, y: float = 100) -> tuple[LayoutBox, list[TextLine]]:
    """A box of lines, 16 points apart, and the lines."""
    lines = [
        TextLine(BBox(x, y + 16 * row, x + 6 * len(text), y + 16 * row + 11), text, 11)
        for row, text in enumerate(texts)
    ]
    return LayoutBox.around(lines, Category.TEXT), lines


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ([("A Danube", "C Rhone"), ("B Elbe", "D Ebro")], True),
        ([("(a) oak", "(d) yew"), ("(b) ash", "(e) fir"), ("(c) elm", "(f) box")], True),
        ([("1. bread", "3. salt", "5. oil"), ("2. milk", "4. eggs", "6. tea")], True),
        ([("1. bread", "2. salt", "3. oil"), ("4. milk", "5. eggs", "6. tea")], False),
        ([("A Danube", "flows east"), ("B Elbe", "flows north")], False),
        ([("1. bread", "4. salt"), ("2. milk", "9. eggs")], False),
    ],
)
def test_options_in_columns_are_read_as_they_are_lettered(columns: list[tuple[str, ...]], rows: bool) -> None:
    """A question above them that ends before the second column, and another one below."""
    made = [_column(60, "1. Which of these?", y=60), *(_column(90 + 150 * at, *own) for at, own in enumerate(columns))]
    made.append(_column(60, "2. And which of these?", y=180))
    lines = [line for _, own in made for line in own]
    texts = {line.bbox: line.text for line in lines}
    ordered = in_order([box for box, _ in made], lines)
    read = [texts[member] for box in ordered for member in box.members]
    in_columns = [text for own in columns for text in own]
    in_rows = [own[row] for row in range(len(columns[0])) for own in columns]
    expected = in_rows if rows else in_columns
    assert [text for text in read if text in expected] == expected
    if rows:
        assert (read[0], read[-1]) == ("1. Which of these?", "2. And which of these?")
