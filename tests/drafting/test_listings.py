"""Program text is told from prose, and from what is merely set in a typewriter's type."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from docspec.core import BBox, Category, PageImage, Region
from docspec.documents import open_document
from docspec.drafting.assembly import assemble
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.listings import mark_even, program_texts
from docspec.drafting.text_layer import TextLayerDrafter

PROSE = ["The keeper writes down the height of the tide", "whenever it turns, and adds it to the table."]
CODE = ["def height(tide):", "    if tide.turns:", "        return table[tide]", "    return None"]


def lines(texts: Sequence[str], y: float, even: bool) -> list[TextLine]:
    return [
        TextLine(
            BBox(10, y + 12 * at, 10 + 6 * len(text), y + 12 * at + 10),
            text,
            10,
            even=even * len("".join(text.split())),
        )
        for at, text in enumerate(texts)
    ]


def regions(*groups: list[TextLine], category: Category = Category.TEXT) -> list[Region]:
    boxes = [LayoutBox(BBox.union(one.bbox for one in group), category) for group in groups]
    return assemble(boxes, [line for group in groups for line in group])


def test_what_is_set_in_type_of_one_width_beside_prose_is_a_listing() -> None:
    found = regions(lines(PROSE, 0, False), lines(CODE, 40, True))
    assert [region.listing for region in found] == [False, True]


def test_a_typewritten_page_has_no_listing() -> None:
    assert not any(region.listing for region in regions(lines(PROSE, 0, True), lines(CODE, 40, True)))


@pytest.mark.parametrize("category", [Category.TEXT, Category.LIST_ITEM])
def test_numbered_lines_are_a_listing_where_the_layout_calls_them_items(category: Category) -> None:
    typed = regions(lines([f"{at} {line}" for at, line in enumerate(PROSE)], 40, True), category=category)
    assert all(one.category is category and not one.listing for one in typed), "a typewritten page"
    numbered = lines([f"{at} {line}" for at, line in enumerate(CODE)], 40, True)
    [alone] = regions(numbered, category=category)
    assert alone.listing, "a page of nothing but a program"
    *_, found = assemble(
        [LayoutBox(BBox(0, 0, 300, 24), Category.TEXT), LayoutBox(BBox(0, 40, 300, 90), category)],
        [*lines(PROSE, 0, False), *numbered],
    )
    assert found.listing and found.category is Category.TEXT


def test_a_numbered_line_between_lines_of_prose_is_a_listing() -> None:
    mixed = [*lines(PROSE, 0, False), *lines(["7 wait for tide"], 24, True), *lines(PROSE, 36, False)]
    assert [(region.listing, len(region.lines)) for region in regions(mixed)] == [(False, 2), (True, 1), (False, 2)]


@pytest.mark.parametrize("category", [Category.SECTION_HEADER, Category.LIST_ITEM, Category.CAPTION])
def test_only_text_is_a_listing(category: Category) -> None:
    prose = lines(PROSE, 0, False)
    assert not any(region.listing for region in regions(prose, lines(CODE[:1], 40, True), category=category))


@pytest.mark.parametrize("address", ["{keeper,pilot}@tides.example.org", "https://tides.example.org/1911"])
def test_addresses_are_no_listing(address: str) -> None:
    assert not any(region.listing for region in regions(lines(PROSE, 0, False), lines([address], 40, True)))


def test_a_listing_between_lines_of_prose_is_taken_out_of_them() -> None:
    mixed = [*lines(PROSE, 0, False), *lines(CODE, 24, True), *lines(PROSE, 72, False)]
    assert [(region.listing, len(region.lines)) for region in regions(mixed)] == [(False, 2), (True, 4), (False, 2)]


@pytest.mark.parametrize(
    "between", [["table[tide]"], ["/tides/of/the/northern/harbours/", "and/of/the/southern/ones.html"]]
)
def test_a_name_or_a_long_address_in_a_paragraph_is_no_listing(between: list[str]) -> None:
    mixed = [*lines(PROSE, 0, False), *lines(between, 24, True), *lines(PROSE, 60, False)]
    assert not any(region.listing for region in regions(mixed))


def test_numbers_of_lines_may_be_set_in_another_type() -> None:
    numbered = [TextLine(BBox(10, 40 + 12 * at, 80, 50 + 12 * at), f"{440 + at} }}%", 10, even=2) for at in range(3)]
    numbered += [TextLine(BBox(10, 76, 30, 86), "443", 10), TextLine(BBox(40, 76, 60, 86), "end", 10, even=3)]
    assert [region.listing for region in regions(lines(PROSE, 0, False), numbered)] == [False, True]


def test_blank_lines_take_no_listing_apart() -> None:
    apart = lines(PROSE, 0, False), lines(CODE[:2], 40, True), lines(CODE[2:], 76, True)
    found = regions(*apart)
    assert [len(region.lines) for region in found] == [2, 4]
    far = regions(*apart[:2], lines(CODE[2:], 200, True))
    assert [len(region.lines) for region in far] == [2, 2, 2]


def test_the_listing_of_a_real_page_is_found(tmp_path: Path) -> None:
    path = tmp_path / "tides.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        for at, text in enumerate(PROSE * 3):
            page.insert_text((72, 80 + 14 * at), text, fontname="tiro", fontsize=11)
        for at, text in enumerate(CODE):
            page.insert_text((90, 190 + 12 * at), text, fontname="cour", fontsize=10)
        for at, text in enumerate(PROSE * 2):
            page.insert_text((72, 260 + 14 * at), text, fontname="tiro", fontsize=11)
        document.save(path)
    with open_document(path) as opened:
        shown = next(opened.pages(dpi=100))
        assert isinstance(shown, PageImage)
        found = TextLayerDrafter().draft(shown).regions
    told = [region.texts[0].split() for region in found if region.listing]
    assert told == [" ".join(CODE).split()]


def test_blank_lines_do_not_cut_a_listing() -> None:
    """Boxes are as high as their letters: those of a line without tails are far lower than the line."""
    code = [
        "def tide(table):",
        "",
        "    for row in table:",
        "        return row",
        "",
        "",
        "    return None",
        "",
        "print(tide)",
    ]
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for start, texts, font in ((80, 3 * PROSE, "helv"), (200, code, "cour"), (340, 3 * PROSE, "helv")):
            for number, text in enumerate(texts):
                page.insert_text((60, start + 13 * number), text, fontname=font, fontsize=10)
        draft = TextLayerDrafter().draft(PageImage(Image.new("RGB", (595, 842), "white"), 1, 1.0, "a.pdf", page))
    found = [region.texts[0].split("\n") for region in draft.regions if region.listing]
    assert [[line.strip() for line in one] for one in found] == [[line.strip() for line in code if line]]


def spans(font: str, texts: Sequence[str], flags: int = 0) -> list[dict[str, Any]]:
    """Blocks of MuPDF's dictionaries, with a line of its own for each of ``texts`` in a font of base 14."""
    page = pymupdf.open().new_page()
    for at, text in enumerate(texts):
        page.insert_text((50, 50 + 14 * at), text, fontname=font)
    blocks = page.get_text("dict")["blocks"]
    for block in blocks:
        for line in block["lines"]:
            for span in line["spans"]:
                span["flags"] = flags
    return list(blocks)


@pytest.mark.parametrize(
    ("font", "texts", "even"),
    [
        ("cour", CODE, True),
        ("cour", [*CODE, "==", "{"], True),
        ("helv", CODE, False),
        ("helv", ["1,024", "2,048", "4,096", "8,192"], False),
        ("cour", ["aa", "bb", "cc", "dd"], False),  # these have one width in any font
        ("cour", CODE[:2], False),
    ],
)
def test_a_font_whose_letters_have_one_width_is_known_without_its_flag(font: str, texts: list[str], even: bool) -> None:
    blocks = spans(font, texts)
    mark_even(blocks)
    flags = [span["flags"] for block in blocks for line in block["lines"] for span in line["spans"]]
    assert flags == [pymupdf.TEXT_FONT_MONOSPACED if even else 0] * len(texts)


def test_bold_type_of_the_same_width_is_of_the_family() -> None:
    blocks = [*spans("cour", CODE), *spans("cobo", ["if"]), *spans("helv", ["if", "in"])]
    mark_even(blocks)
    fonts = {span["font"]: span["flags"] for block in blocks for line in block["lines"] for span in line["spans"]}
    assert fonts == {"Courier": 8, "Courier-Bold": 8, "Helvetica": 0}


def test_a_program_is_taken_whole_with_the_numbers_of_its_lines() -> None:
    program = lines([*CODE, "", *CODE], 40, True)
    program = [line for line in program if line.text]
    comment = TextLine(BBox(150, 40, 240, 50), "# at the pier", 10, even=11)
    numbers = [TextLine(BBox(-14, 41 + 12 * at, -8, 49 + 12 * at), str(at + 1), 6) for at in range(9)]
    prose = lines(PROSE, 0, False)
    [found], _ = program_texts([*prose, *program, comment, *numbers])
    assert {id(line) for line in found} == {id(line) for line in (*program, comment, *numbers)}
    assert program_texts([*prose, *program[:2]])[0] == [], "a name or two"
    assert program_texts([*prose, *lines(PROSE * 3, 40, True)])[0] == [], "an example of what is typed"
    [found], _ = program_texts([*prose, *lines(PROSE * 3, 40, True), *numbers[:6]])
    assert len(found) == 12, "it is numbered"
