"""Numbered sections that are set row by row are read in the order of their numbers."""

from __future__ import annotations

from docspec.core import BBox, Category
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.order import in_order

HEAD, TEXT = Category.SECTION_HEADER, Category.TEXT


def line(text: str, x: float, y: float, width: float = 180) -> TextLine:
    return TextLine(BBox(x, y, x + width, y + 12), text, 12)


def read(lines: list[TextLine], headings: str = "0123456789") -> list[str]:
    """The first words of the boxes, one a line, once they are ordered; headings begin with one of ``headings``."""
    boxes = [LayoutBox(one.bbox, HEAD if one.text[0] in headings else TEXT, (one.bbox,)) for one in lines]
    texts = {one.bbox: one.text for one in lines}
    return [texts[box.bbox].split()[0] for box in in_order(boxes, lines, given=False)]


def columns(*numbers: int, rows: int = 2) -> list[TextLine]:
    """Sections with ``numbers``, read down columns of so many rows."""
    lines = []
    for place, number in enumerate(numbers):
        x, y = 20 + 200 * (place // rows), 50 + 60 * (place % rows)
        lines += [line(f"{number}. Section", x, y), line(f"text{number} of it", x, y + 20)]
    return lines


def test_sections_that_are_numbered_by_rows_are_read_by_rows() -> None:
    sections = [word for number in range(1, 5) for word in (f"{number}.", f"text{number}")]
    assert read([line("Title", 20, 10), *columns(1, 3, 2, 4)]) == ["Title", *sections]
    assert read(columns(1, 4, 2, 5, 3, 6))[::2] == ["1.", "2.", "3.", "4.", "5.", "6."]
    assert read(columns(1, 3, 5, 2, 4, rows=3))[::2] == ["1.", "2.", "3.", "4.", "5."]


def test_numbers_that_tell_no_order_of_rows_change_nothing() -> None:
    for lines in (
        columns(1, 2, 3, 4),
        columns(1, 3, 2, rows=2),
        columns(1, 3, 2, 9),
        columns(2, 1, 4, 3),
        columns(4, 3, 2, 1, rows=4),
        [*columns(1, 3, 2, 4), line("wide below all columns", 20, 400, 380)],
    ):
        words = [one.text.split()[0] for one in lines]
        assert read(lines) == words
    assert read(columns(1, 3, 2, 4), headings="x")[::2] == ["1.", "3.", "2.", "4."], "no headings"


def test_the_foot_of_the_page_stays_last() -> None:
    lines = columns(1, 3, 2, 4)
    boxes = [LayoutBox(one.bbox, HEAD if one.text[0].isdigit() else TEXT, (one.bbox,)) for one in lines]
    foot = LayoutBox(BBox(20, 800, 60, 812), Category.PAGE_FOOTER, (BBox(20, 800, 60, 812),))
    assert in_order([*boxes, foot], lines, given=False)[-1] is foot
