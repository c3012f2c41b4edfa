"""Boxes and lines meet: no line is lost, none is doubled, order is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import BBox, Category
from docspec.drafting.assembly import assemble
from docspec.drafting.assembly.claims import fitted
from docspec.drafting.columns import cut_layout
from docspec.drafting.layout import FoundTable, LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.order import in_order

from ..patience import within

COORDINATE = st.floats(0, 500, allow_nan=False)


def line(text: str, x: float, y: float, width: float = 100, block: int = 0) -> TextLine:
    return TextLine(BBox(x, y, x + width, y + 10), text, 10, block)


def box(category: Category, *members: TextLine) -> LayoutBox:
    boxes = tuple(member.bbox for member in members)
    return LayoutBox(BBox.union(boxes), category, boxes)


def test_overlapping_boxes_share_lines_by_membership() -> None:
    left, right = line("left", 0, 0, 60), line("right", 50, 3, 60)
    outer = box(Category.TEXT, left, line("far", 0, 90, 200))
    regions = assemble([outer, box(Category.CAPTION, right)], [left, right])
    assert [(region.category, region.texts[0]) for region in regions] == [
        (Category.TEXT, "left"),
        (Category.CAPTION, "right"),
    ]


def test_a_box_that_reaches_over_the_next_column_is_cut_to_its_own_lines() -> None:
    left = [line(f"left of it the {row} lines of the", 0, 12 * row, 200) for row in range(4)]
    right = [line(f"right of it the {row} lines of the", 220, 12 * row, 200) for row in range(4)]
    wide = LayoutBox(BBox(0, 0, 430, 46), Category.TEXT)
    regions = assemble([wide, LayoutBox(BBox(218, 0, 422, 46), Category.TEXT)], left + right)
    assert [region.texts[0].split()[0] for region in regions] == ["left", "right"]
    assert regions[0].bbox.x1 < 210
    alone = assemble([wide], left)
    assert alone[0].bbox.x1 > 430, "nothing else stands there: what the lines miss is shown"


def test_a_line_found_across_two_columns_does_not_widen_the_others_of_its_region() -> None:
    left = [line(f"left of it the {row} lines of the", 0, 12 * row, 200) for row in range(4)]
    across = line("left 4 and right 4", 0, 48, 420)
    right = [line(f"right of it the {row} lines of the", 220, 12 * row, 200) for row in range(4)]
    boxes = [LayoutBox(BBox(0, 0, 420, 60), Category.TEXT), LayoutBox(BBox(218, 0, 422, 46), Category.TEXT)]
    regions = assemble(boxes, [*left, across, *right])
    assert [(region.texts[0].split()[0], region.bbox.x1 < 210) for region in regions] == [
        ("left", True),
        ("left", False),
        ("right", False),
    ]
    assert regions[1].texts == ("left 4 and right 4",)


def test_text_around_a_formula_of_its_own_region_stays_whole() -> None:
    above, below = line("so that we have", 0, 0, 200), line("and no more", 0, 40, 60)
    formula = line("a = b", 80, 20, 40)
    boxes = [LayoutBox(BBox(0, 0, 200, 60), Category.TEXT), box(Category.FORMULA, formula)]
    regions = assemble(boxes, [above, below, formula])
    assert [region.texts[0].split()[0] for region in regions] == ["so", "a"]


@pytest.mark.parametrize("category", [Category.TABLE, Category.TEXT, Category.LIST_ITEM])
def test_a_table_of_contents_is_a_list_of_its_entries(category: Category) -> None:
    titles = ["1 Tides . . . . . . 3", "1.1 A title so long that it wraps", "and ends here .... 12", "Index ..... xiv"]
    lines = [line(text, 20 * (n in (1, 2)), 12 * n, 300) for n, text in enumerate(titles)]
    table = FoundTable(BBox(0, 0, 320, 46), "<table><tr><td>1 Tides</td></tr></table>")
    regions = assemble([replace(box(category, *lines), table=table if category is Category.TABLE else None)], lines)
    assert [region.category for region in regions] == [Category.LIST_ITEM] * 3
    assert [region.texts[0] for region in regions] == [titles[0], "\n".join(titles[1:3]), titles[3]]


@pytest.mark.parametrize(
    "rows",
    [
        ["Coffee ..... 2.50", "Tea ..... 1.80", "Water ..... 0.90"],
        ["Name ........ 1", "Date ........ 2", "Words", "More"],
    ],
)
def test_lists_of_prices_and_forms_are_no_tables_of_contents(rows: list[str]) -> None:
    lines = [line(text, 0, 12 * n, 300) for n, text in enumerate(rows)]
    cells = "".join(f"<tr><td>{text}</td></tr>" for text in rows)
    table = FoundTable(BBox(0, 0, 300, 46), f"<table>{cells}</table>")
    regions = assemble([replace(box(Category.TABLE, *lines), table=table)], lines)
    assert [region.category for region in regions] == [Category.TABLE]


def test_lines_that_are_in_no_cell_of_the_table_around_them_are_text() -> None:
    rows = ["Rates of duty", "Coffee 2.50", "Tea 1.80", "Rates 7.25 were given up"]
    lines = [line(text, 0, 12 * n, 300) for n, text in enumerate(rows)]
    html = "<table><tr><td>Coffee</td><td>2.50</td></tr><tr><td>Tea</td><td>1.80</td></tr></table>"
    table = replace(
        box(Category.TABLE, *lines[1:3]), bbox=BBox(0, 0, 300, 46), table=FoundTable(BBox(0, 0, 300, 46), html)
    )
    regions = assemble([table], lines)
    assert [(region.category, *region.texts) for region in regions] == [
        (Category.TEXT, rows[0]),
        (Category.TABLE, html),
        (Category.TEXT, rows[3]),
    ]


def test_unclaimed_lines_keep_their_place_in_their_column() -> None:
    top, bottom, right = line("top", 0, 0), line("bottom", 0, 100), line("right", 200, 0)
    boxes = [box(Category.TEXT, item) for item in (top, bottom, right)]
    regions = assemble(boxes, [top, bottom, right, line("lost", 0, 50, block=9)])
    assert [region.texts[0] for region in regions] == ["top", "lost", "bottom", "right"]


@given(
    st.lists(st.tuples(COORDINATE, COORDINATE), max_size=12), st.lists(st.tuples(COORDINATE, COORDINATE), max_size=5)
)
def test_every_line_is_in_exactly_one_region(
    places: list[tuple[float, float]], corners: list[tuple[float, float]]
) -> None:
    lines = [line(f"w{number}", x, y, block=number) for number, (x, y) in enumerate(places)]
    boxes = [LayoutBox(BBox(x, y, x + 200, y + 80), Category.TEXT) for x, y in corners]
    words = " ".join(region.texts[0] for region in assemble(boxes, lines)).split()
    assert sorted(words) == sorted(item.text for item in lines)


@given(st.lists(st.tuples(COORDINATE, COORDINATE), max_size=25))
def test_cutting_along_white_space_loses_no_line(places: list[tuple[float, float]]) -> None:
    lines = [line(f"w{number}", x, y, block=number) for number, (x, y) in enumerate(places)]
    members = [member for part in cut_layout(lines, 600) for member in part.members]
    assert sorted(members, key=repr) == sorted((item.bbox for item in lines), key=repr)


def test_a_picture_that_is_only_text_becomes_text() -> None:
    word = line("Edgar", 10, 10, 40)
    assert assemble([box(Category.PICTURE, word)], [word])[0].category is Category.TEXT
    real = LayoutBox(BBox(0, 0, 300, 300), Category.PICTURE, (word.bbox, BBox(0, 0, 300, 300)))
    assert assemble([real], [word])[0].texts == ()


def test_a_ruler_of_dots_is_no_text() -> None:
    dots = line(". . . . . . . . .", 0, 0)
    assert assemble([box(Category.TEXT, dots)], [dots]) == []


def test_a_table_without_cells_is_text() -> None:
    cell = line("cell", 0, 0)
    (region,) = assemble([box(Category.TABLE, cell)], [cell])
    assert (region.category, region.texts) == (Category.TEXT, ("cell",))
    table = FoundTable(BBox(0, 0, 120, 12), "<table></table>")
    (region,) = assemble([replace(box(Category.TABLE, cell), table=table)], [cell])
    assert (region.category, region.texts) == (Category.TABLE, ("<table></table>",))
    assert region.bbox.x1 == 120, "the frame belongs to the table"


@pytest.mark.parametrize("shape", ["map", "grid", "column", "row", "same"])
def test_the_time_of_cutting_and_assembling_grows_little_faster_than_the_lines(shape: str) -> None:
    places = {
        "map": lambda n: (n * 7919 % 1900, n * 104_729 % 1900),
        "grid": lambda n: (20 * (n % 70), 20 * (n // 70)),
        "column": lambda n: (10, 20 * n),
        "row": lambda n: (120 * n, 10),
        "same": lambda n: (10, 10),
    }
    lines = [line(f"w{number}", *places[shape](number), width=12) for number in range(5000)]
    with within(2):  # lines times members takes 25 seconds
        regions = assemble(cut_layout(lines, 2000), lines)
    assert sum(len(region.texts[0].split()) for region in regions) == 5000


def test_columns_are_read_one_after_the_other() -> None:
    lines = [line(f"{column}{row}", 150 * column, 12 * row) for row in range(5) for column in range(2)]
    parts = cut_layout(lines, 800)
    assert [round(part.bbox.x0) for part in parts] == [0, 150]


def test_a_region_over_two_columns_is_taken_apart_and_a_list_is_not() -> None:
    def line(x0: float, y0: float, x1: float, text: str) -> TextLine:
        return TextLine(BBox(x0, y0, x1, y0 + 10), text, 10.0)

    columns = [
        line(x, y, x + 100, f"{side} at {y} of") for y in (10, 22, 34) for side, x in (("left", 0), ("right", 110))
    ]
    below = line(0, 60, 100, "left below")
    boxes = [
        LayoutBox(BBox(0, 10, 210, 44), Category.TEXT, tuple(one.bbox for one in columns)),
        LayoutBox(below.bbox, Category.TEXT, (below.bbox,)),
    ]
    texts = [region.texts[0] for region in assemble(boxes, [*columns, below])]
    left, right = ("\n".join(f"{side} at {y} of" for y in (10, 22, 34)) for side in ("left", "right"))
    assert sorted(texts) == [left, "left below", right]

    items = [line(x, y, end, text) for y in (10, 22) for x, end, text in ((0, 5, "•"), (14, 110, f"item {y}"))]
    whole = LayoutBox(BBox(0, 10, 110, 32), Category.LIST_ITEM, tuple(one.bbox for one in items))
    assert [region.texts[0] for region in assemble([whole], items)] == ["• item 10\n• item 22"]


def test_columns_are_not_read_on_past_a_heading_that_spans_them() -> None:
    def at(category: Category, x0: float, y0: float, x1: float, y1: float) -> LayoutBox:
        lines = tuple(BBox(x0, y0 + 13 * row, x1, y0 + 13 * row + 10) for row in range(max(1, round((y1 - y0) / 13))))
        return LayoutBox(BBox(x0, y0, x1, y1), category, lines)

    first, second = at(Category.SECTION_HEADER, 40, 28, 375, 43), at(Category.SECTION_HEADER, 40, 288, 420, 303)
    upper = at(Category.TEXT, 40, 58, 196, 213), at(Category.TEXT, 220, 57, 376, 213)
    lower = at(Category.TEXT, 40, 318, 190, 473), at(Category.TEXT, 220, 317, 376, 473)
    seen = [first, upper[0], second, lower[0], upper[1], lower[1]]
    assert in_order(seen) == [first, *upper, second, *lower]


def test_the_columns_of_a_curriculum_vitae_are_read_one_after_the_other() -> None:
    """The dates at the right are narrow and belong to the stations beside them; rows of a table stand in one line."""
    left = [line(f"skill {row}", 0, 13 * row) for row in range(8)]
    right = [line(f"station {row} of her life", 130, 17 * row + 5, 160) for row in range(7)]
    dates = [line(f"20{row:02}", 330, 17 * row + 5, 25) for row in (1, 3, 5)]
    regions = assemble([box(Category.TEXT, *left, *right, *dates)], [*left, *right, *dates])
    words = " ".join(region.texts[0] for region in regions).split()
    assert words.index("2003") == words.index("3") + 5 or "station 3 of her life 2003" in " ".join(words)
    assert words.index("station") > max(at for at, word in enumerate(words) if word == "skill")
    level = [
        line(f"cell {row}", x, 13 * row, width) for row in range(8) for x, width in ((0, 100), (130, 160), (330, 25))
    ]
    rows = [text for region in assemble([box(Category.TEXT, *level)], level) for text in region.texts[0].split("\n")]
    assert rows == [f"cell {row} cell {row} cell {row}" for row in range(8)]


def test_a_box_around_others_stands_where_its_own_lines_do() -> None:
    """A watermark across the page has its box around all of it."""
    own, other = [line("of the first text", 40, 60 + 12 * at, 200) for at in range(3)], line("Second", 40, 200, 60)
    wide = LayoutBox(BBox(0, 0, 600, 800), Category.TEXT)
    narrow = LayoutBox(other.bbox, Category.SECTION_HEADER)
    found = fitted([wide, narrow], [*own, other])
    assert found[0].bbox == BBox.union(one.bbox for one in own)
    assert found[1] is narrow
    assert fitted([wide], own) == [wide]


def test_a_piece_of_a_justified_line_is_no_column() -> None:
    own = [line("[12] Hammond, K., and Michaelson, G.", 0, 0, 200), line("Research Directions.", 208, 0, 216)]
    own.append(line("Springer-Verlag, 1999.", 20, 12, 82))
    [region] = assemble([box(Category.LIST_ITEM, *own)], own)
    assert " ".join(region.texts[0].split()) == " ".join(one.text for one in own)
    apart = [line("Signed at Oban on Tuesday", 0, 0, 200), line("by the harbour master", 300, 0, 200)]
    apart.append(line("in the presence of two witnesses", 0, 12, 200))
    words = " ".join(region.texts[0] for region in assemble([box(Category.TEXT, *apart)], apart))
    assert words.split()[-4:] == apart[1].text.split()
