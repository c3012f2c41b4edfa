"""Points of questions and numbers of paragraphs in the margin are read with the line beside them."""

from __future__ import annotations

import pymupdf
import pytest
from PIL import Image

from docspec.core import BBox, PageImage
from docspec.drafting.lines import TextLine
from docspec.drafting.margins import with_margin_marks
from docspec.drafting.text_layer import TextLayerDrafter


def line(text: str, x: float, y: float) -> TextLine:
    return TextLine(BBox(x, y, x + 5 * len(text), y + 10), text, 10)


BODY = [line("Write an advertisement for a shop.", 80, 100 + 40 * at) for at in range(3)]
MARKS = [line("[20]", 500, 100 + 40 * at) for at in range(3)]


def texts(lines: list[TextLine], table: bool = False) -> list[str]:
    return [one.text for one in with_margin_marks(lines, lambda _: table)]


def test_points_end_their_lines_and_numbers_of_paragraphs_begin_them() -> None:
    assert texts([*BODY, *MARKS]) == ["Write an advertisement for a shop. [20]"] * 3
    assert texts([line("¶ 27", 30, 101), *BODY]) == [f"¶ 27 {BODY[0].text}", BODY[1].text, BODY[2].text]


def test_what_is_no_mark_of_the_margin_stays() -> None:
    for others in (
        [*BODY, MARKS[0]],  # one number, as of an equation
        [*BODY, *MARKS, line("text of the same column", 450, 120)],
        [MARKS[0], MARKS[1], line("beside nothing", 80, 300)],
        [*BODY, *(line("20", 500, 100 + 40 * at) for at in range(3))],
    ):
        assert texts(others) == [one.text for one in others]
    assert texts([*BODY, *MARKS], table=True) == [one.text for one in (*BODY, *MARKS)]


@pytest.mark.parametrize("number", ["¶ 27", "¶27"])
def test_a_number_of_a_paragraph_begins_one(number: str) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        first = "the court said in its first order that the claim of the owner was open to doubt and to review"
        rows = [first, first, "and so it was dismissed.", first, first]
        for at, text in enumerate(rows):
            page.insert_text((120 if at == 3 else 90, 120 + 24 * at), text, fontsize=10)
        page.insert_text((40, 120 + 24 * 3), number, fontsize=9)
        draft = TextLayerDrafter().draft(PageImage(Image.new("RGB", (595, 842), "white"), 1, 1.0, "a.pdf", page))
    whole = [" ".join(region.texts[0].split()) for region in draft.regions]
    [marked] = [text for text in whole if "¶" in text]
    assert marked.startswith(f"{number} {first}") and "dismissed" not in marked
