"""Labels and values that a column of colons parts are read one after the other, however many lines they have."""

from __future__ import annotations

from docspec.core import BBox, Category
from docspec.dialects.text import join_lines
from docspec.drafting.layout import FoundTable, LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.records import records, with_records


def line(text: str, x: float, y: float, look: str = "") -> TextLine:
    return TextLine(BBox(x, y, x + 5 * len(text), y + 9), text, 10, look=look)


WRAPPED = [
    line("Effects that come", 40, 100, "bold"), line(":", 200, 102), line("Not available.", 215, 100),
    line("later", 40, 112, "bold"),
]  # fmt: skip
LONG = [
    line("13.1.2", 10, 140), line("Advice", 40, 140), line(": Waste is brought to a ware-", 200, 140),
    line("house, and kept apart", 206, 152), line("from all other waste.", 206, 164),
]  # fmt: skip
ROWS = [
    line("Skin", 40, 200), line(":", 200, 202), line("None.", 215, 200),
    line("Eyes", 40, 212), line(":", 200, 214), line("None.", 215, 212),
]  # fmt: skip
ALONE = [line("Class", 40, 250), line(": 1 - weak", 200, 250)]
HEADING, NEXT = line("Other effects of it", 30, 265), line("See page 4.", 206, 265)
PAGE = [*WRAPPED, *LONG, *ROWS, *ALONE, HEADING, NEXT]


def box_of(*lines: TextLine) -> LayoutBox:
    return LayoutBox(BBox.union(one.bbox for one in lines), Category.TEXT, tuple(one.bbox for one in lines))


def test_each_label_is_read_with_all_lines_of_its_value() -> None:
    left, right = ([one for one in PAGE if (one.bbox.x0 < 100) is is_left] for is_left in (True, False))
    boxes, lines = with_records([box_of(*left), box_of(*right)], PAGE)
    texts = [join_lines(one.text) for one in lines]
    assert "Effects that come later : Not available." in texts
    assert "13.1.2 Advice : Waste is brought to a warehouse, and kept apart from all other waste." in texts
    assert "Class : 1 - weak" in texts
    assert {one.text for one in (*ROWS, HEADING, NEXT)} < set(texts), "these are read row by row, or are no part"
    assert " ".join(sorted(" ".join(texts).split())) == " ".join(
        sorted(" ".join(one.text for one in PAGE).replace("ware- house", "warehouse").split())
    ), "no word is lost"
    assert sum(box.members == (one.bbox,) for box in boxes for one in lines if " : " in one.text) == 3


def test_records_of_one_row_and_those_of_tables_stay_as_they_are() -> None:
    single = [*ROWS, *ALONE]
    boxes = [box_of(*single)]
    assert with_records(boxes, single) == (boxes, single)
    table = LayoutBox(
        boxes[0].bbox, Category.TABLE, boxes[0].members, table=FoundTable(boxes[0].bbox, "<table></table>")
    )
    whole = box_of(*WRAPPED)
    in_table = LayoutBox(whole.bbox, Category.TABLE, whole.members, table=FoundTable(whole.bbox, "<table></table>"))
    assert with_records([in_table, table], [*WRAPPED, *single]) == ([in_table, table], [*WRAPPED, *single])


def test_a_colon_without_a_label_or_a_value_begins_none() -> None:
    assert records([line(":", 200, 100), line("a value", 215, 100)]) == []
    assert records([line("Label", 40, 100), line(":", 200, 100)]) == []
    assert records([line("a", 40, 100), line(": b", 200, 100), line(": c", 300, 100)]) == []
