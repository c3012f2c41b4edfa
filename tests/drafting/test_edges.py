"""Text near the edges of a page is left out only if it is the number of the page or pages nearby repeat it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import BBox, Block, Category, PageResult, PrintedLine, Region
from docspec.core.page import EdgeText
from docspec.core.running_text import carries_amount, is_page_number, repeats
from docspec.documents import open_document
from docspec.drafting.furniture import known_furniture
from docspec.hierarchy.regions.known_pages import RunningHeads
from docspec.results import ParsedDocument

from .conftest import PROSE, SECOND

Draw = Callable[[Any], None]
Parsed = Callable[..., ParsedDocument]


def page_with(*edges: tuple[float, float, str, float]) -> Draw:
    """Two paragraphs in the middle of a page, and ``edges``: places, texts and sizes of type."""

    def draw(page: Any) -> None:
        for x, y, text, size in edges:
            page.insert_text((x, y), text, fontsize=size)
        page.insert_textbox(pymupdf.Rect(60, 130, 535, 260), PROSE, fontsize=11)
        page.insert_textbox(pymupdf.Rect(60, 270, 535, 400), SECOND, fontsize=11)

    return draw


@pytest.mark.parametrize(
    ("heads", "feet"),
    [
        (
            [(400, 40, "Invoice no. 2031-00442", 10), (400, 54, "Customer no. 70915", 10)],
            [(380, 780, "Total due: 412.50 EUR", 11), (60, 805, "Account 5512 8841 03   Tax no. 123 456 789", 8)],
        ),
        ([(60, 36, "Policy of 4 June 2031", 9)], [(60, 790, "Signed: ____________   Oban, 5 June 2031", 10)]),
        ([(60, 50, "Harbour statistics", 20)], [(60, 815, "Source: harbour office, survey of 2031", 8)]),
    ],
    ids=["invoice", "policy", "slide"],
)
def test_on_a_single_page_all_of_it_is_written_where_it_stands(
    parsed: Parsed, heads: list[tuple[float, float, str, float]], feet: list[tuple[float, float, str, float]]
) -> None:
    written = parsed(page_with(*heads, *feet)).to_markdown().replace("*", "").replace("\\", "")
    texts = [*(text for _, _, text, _ in heads), "The ferry left", *(text for _, _, text, _ in feet)]
    places = [" ".join(written.split()).find(" ".join(text.split())) for text in texts]
    assert -1 not in places and places == sorted(places)
    assert not any(f"{one[2]} {two[2]}" in written for one, two in pairwise(heads)), "lines apart"


def test_on_three_pages_only_what_differs_is_written(parsed: Parsed) -> None:
    totals = ["Total due: 781.00 EUR", "Total due: 782.00 EUR", "Total due: 783.00 EUR"]
    draws = [
        page_with(
            (60, 40, "Brass hinges for ships", 9),
            (450, 40, f"Invoice no. {4711 + number}", 9),
            (400, 780, total, 10),
            (290, 815, f"Page {number + 1} of 3", 9),
        )
        for number, total in enumerate(totals)
    ]
    document = parsed(*draws)
    written = document.to_markdown()
    assert all(total in written for total in totals)
    assert all(f"Invoice no. {4711 + number}" in written for number in range(3))
    assert "of 3" not in written
    feet = [block.text for page in document.pages for block in page.blocks if block.category.is_furniture]
    assert [f"Page {number} of 3" in " ".join(feet) for number in (1, 2, 3)] == [True] * 3, "known, not written"


@pytest.mark.parametrize(
    "pieces",
    [
        ((60, "Total due: 1,204.00 EUR"),),
        ((60, "Balance"), (300, "$ 12,377.50")),
        ((60, "Carried forward"), (420, "1.204.300,50")),
    ],
)
@pytest.mark.parametrize("top", [True, False])
def test_an_amount_is_written_though_every_page_has_the_same(
    parsed: Parsed, pieces: tuple[tuple[float, str], ...], top: bool
) -> None:
    y = 40 if top else 800
    foot = (60, 815, "Oban Harbour Office", 8)
    pages = [page_with(*((x, y, text, 10) for x, text in pieces), foot) for _ in range(3)]
    written = parsed(*pages).to_markdown().replace("*", "").replace("\\", "")
    assert all(written.count(text) == 3 for _, text in pieces), written
    assert written.count("Oban Harbour Office") == 1


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("Total 12 EUR", True),
        ("€5", True),
        ("1,204.00", True),
        ("3.10 Methods", False),
        ("12.05.2014", False),
        ("Version 2.10", False),
        ("EURO 2024", False),
        ("10,000 copies", False),
    ],
)
def test_what_carries_an_amount(text: str, amount: bool) -> None:
    assert carries_amount(text) is amount


def test_running_heads_of_left_and_right_pages_are_left_out_of_all_but_the_first(parsed: Parsed) -> None:
    draws = [
        page_with((60, 40, f"{number}", 9), (240, 40, "Crossings in March", 9))
        if number % 2 == 0
        else page_with((200, 40, "The coast and its harbours", 9), (525, 40, f"{number}", 9))
        for number in range(17, 23)
    ]
    document = parsed(*draws)
    written = document.to_markdown()
    assert "The coast" in document.pages[0].text and written.count("The coast") == 1
    assert "Crossings in March" not in written and "17" not in written
    assert written.count("The ferry left") == len(draws)


@pytest.mark.parametrize(
    "text", ["3", "- 3 -", "– 12 –", "Page 3", "Page 3 of 7", "Seite 4", "3/7", "iv", "xxii", "p. 9", "[12]"]
)
def test_bare_numbers_of_pages(text: str) -> None:
    assert is_page_number(text)


@pytest.mark.parametrize("text", ["", "781.00", "2031", "Total 3", "5 June", "mix", "No. 3", "A", "3 4", "12345"])
def test_other_short_texts_are_no_numbers_of_pages(text: str) -> None:
    assert not is_page_number(text)


@pytest.mark.parametrize(
    ("text", "other", "apart"),
    [
        ("Annual report 2031", "Annual report 2031", 2),
        ("Annual report 12", "Annual report 14", 2),
        ("12 | Annual report", "13 | Annual report", 1),
        ("Page 2 of 9", "Page 4 of 9", 2),
        ("ix Preface", "xi Preface", 2),
        ("3-12", "3-13", 1),
    ],
)
def test_heads_that_repeat_or_count_on(text: str, other: str, apart: int) -> None:
    assert repeats(text, other, apart)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Total due: 781.00", "Total due: 782.00"),
        ("Invoice no. 4711", "Invoice no. 4712"),
        ("Invoice 2031-817", "Invoice 2031-818"),
        ("Invoice 00817", "Invoice 00818"),
        ("Tides", "Winds"),
        ("Annual report 12", "Annual report 17"),
    ],
)
def test_texts_of_one_page_each(text: str, other: str) -> None:
    assert not repeats(text, other, 1)


@given(st.text("abc ixvl019.-/#:", max_size=12), st.text("abc ixvl019.-/#:", max_size=12), st.integers(-3, 3))
def test_what_repeats_does_so_from_both_sides(text: str, other: str, apart: int) -> None:
    assert repeats(text, text, apart)
    assert repeats(text, other, apart) == repeats(other, text, -apart)


def recognised(number: int, *texts: tuple[Category, str]) -> PageResult:
    blocks = tuple(
        Block(category, text, BBox(0, 40 * place, 100, 40 * place + 20), "draft", words="recognition")
        for place, (category, text) in enumerate(texts)
    )
    return PageResult("scan.pdf", number, "ok", read="regions", blocks=blocks)


def test_of_a_scan_what_the_pages_before_have_is_left_out() -> None:
    head, text, foot = Category.PAGE_HEADER, Category.TEXT, Category.PAGE_FOOTER
    pages = [
        recognised(1, (text, "Prose."), (head, "The coast and its harbours"), (foot, "Total: 781.00")),
        recognised(2, (head, "The coast and its harbour s"), (text, "Prose."), (foot, "Total: 782.00")),
        recognised(3, (text, "Prose."), (foot, "3")),
    ]
    heads = RunningHeads()
    settled = [heads.marked(page) for page in pages]
    told = [[(block.category, block.text) for block in page.blocks] for page in settled]
    assert [category for category, _ in told[0]] == [text, text, text]
    assert told[1] == [(head, "The coast and its harbour s"), (text, "Prose."), (text, "Total: 782.00")]
    assert told[2][-1] == (foot, "3")
    assert "Total: 782.00" in settled[1].text and "coast" not in settled[1].text


def test_a_scan_of_one_page_keeps_its_total(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        drawn = pymupdf.open()
        sheet = drawn.new_page(width=595, height=842)
        page_with((400, 45, "Invoice no. 2031-00442", 12), (350, 790, "Total due: 412.50 EUR", 13))(sheet)
        page.insert_image(page.rect, stream=sheet.get_pixmap(dpi=200).tobytes("png"))

    written = "".join(parsed(draw).to_markdown().split())
    assert "2031-00442" in written and "412.50" in written


def test_a_line_up_the_margin_of_every_page_is_known_to_repeat(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number in range(3):
        page = pdf.new_page(width=595, height=842)
        page.insert_text((580, 600), "Fetched from the harbour archive on 4 June", fontsize=8, rotate=90)
        page_with((60, 800, f"Drawing {number * number + 40}-B", 9))(page)
    path = tmp_path / "margins.pdf"
    path.write_bytes(pdf.tobytes())
    with open_document(path) as document:
        for page in document.pages(dpi=50):
            told = {edge.bbox.height > edge.bbox.width: edge.repeats for edge in page.edges}
            assert told == {True: page.number > 1, False: False}, "the first page has it in its text"


def test_no_paragraph_goes_on_through_the_foot_of_a_page(parsed: Parsed) -> None:
    def draw(number: int) -> Draw:
        def on(page: Any) -> None:
            text = f"The {number}th crossing began before sunrise and ended in a harbour whose lights nobody on deck"
            page.insert_textbox(pymupdf.Rect(60, 130, 520, 200), text + " of the ferry had ever seen and", fontsize=11)
            page.insert_text((60, 800), f"Drawing {number * number + 40}-B", fontsize=9)

        return on

    written = parsed(*map(draw, range(4, 8))).to_markdown() + "\n"
    assert [f"\n\nDrawing {number * number + 40}-B\n" in written for number in range(4, 8)] == [True] * 4


def test_left_and_right_pages_with_their_number_on_the_outer_side_repeat_each_other(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number in (180, 181):
        texts = [f"{number}", "Harbours 2031", f"{number}/312"]
        page = pdf.new_page(width=595, height=842)
        for x, text in zip((60, 150, 300), texts if number % 2 == 0 else [*texts[1:], texts[0]], strict=True):
            page.insert_text((x, 800), text, fontsize=9)
    path = tmp_path / "sides.pdf"
    path.write_bytes(pdf.tobytes())
    with open_document(path) as document:
        assert [[edge.repeats for edge in page.edges] for page in document.pages(dpi=50)] == [
            [True, False, True],
            [True] * 3,
        ]


def test_recognised_heads_are_known_where_the_file_repeats_its_own_text_there() -> None:
    line = PrintedLine(BBox(60, 30, 200, 42), "Harbour s 2031", 10)
    head = Region(line.bbox, Category.PAGE_HEADER, (line.text,), 1.0, (line,), words="recognition")
    edge = BBox(61, 31, 199, 41)
    assert [known_furniture([head], [EdgeText(edge, repeats)])[0].running for repeats in (True, False)] == [True, None]
    assert known_furniture([head], []) == [head]


def test_what_every_page_of_a_letter_repeats_is_written_once_on_the_first(parsed: Parsed) -> None:
    foot = "Account 5512 8841 03   Tax no. 123 456 789"
    pages = [
        page_with(
            (60, 40, "Brass hinges for ships", 9),
            (60, 780, "Signature of the master", 8),
            (60, 805, foot, 8),
            (500, 815, f"Page {number} of 3", 8),
        )
        for number in (1, 2, 3)
    ]
    first, *others = (page.text.replace("\\", "") for page in parsed(*pages).pages)
    repeated = ("Brass hinges for ships", "Signature of the master", "5512 8841 03", "123 456 789")
    assert all(text in first and not any(text in other for other in others) for text in repeated)
    assert "Page 1 of 3" not in first
