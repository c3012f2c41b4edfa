"""hOCR, ALTO and PAGE hold the placed words of a page, in blocks, lines and cells, as their schemas have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import BBox, Block, Category, PageResult, UsageError
from docspec.core.places import PlacedCell, PlacedWord
from docspec.reporting.formats import document_text
from docspec.reporting.renderer import Layout

Element = ElementTree.Element


def placed(text: str, category: Category = Category.TEXT, top: float = 0.0, **more: Any) -> Block:
    """A block whose lines are 30 pixels apart, a letter 10 wide and 20 high."""
    places = []
    for match in re.finditer(r"\S+", text):
        row = text.count("\n", 0, match.start())
        x = 10.0 * (match.start() - (text.rfind("\n", 0, match.start()) + 1))
        box = BBox(x, top + 30 * row, x + 10 * len(match[0]), top + 30 * row + 20)
        places.append(PlacedWord(match[0], match.start(), match.end(), "exact", 0.95, (box,)))
    around = BBox(0, top, 400, top + 30 * (1 + text.count("\n")))
    return Block(category, text, around, "draft", places=tuple(places), **more)


def page(*blocks: Block, number: int = 1) -> PageResult:
    return PageResult("a & b.png", number, "ok", blocks=blocks, width=400, height=300)


def written(format: Any, *pages: PageResult) -> Element:
    return ElementTree.fromstring(document_text(pages, format, Layout(), "a & b.png"))


def named(root: Element, name: str) -> Iterator[Element]:
    return (one for one in root.iter() if one.tag.rpartition("}")[2] == name)


def of_class(root: Element, name: str) -> list[Element]:
    return [one for one in root.iter() if one.get("class") == name]


TABLE = Block(
    Category.TABLE,
    "| A | B |\n|---|---|\n| 1 | 2 |",
    BBox(0, 100, 200, 160),
    "draft",
    places=tuple(
        PlacedWord(text, at, at + 1, "exact", 0.9, (BBox(x, y, x + 10, y + 20),))
        for text, at, x, y in (("A", 2, 10, 105), ("B", 6, 110, 105), ("1", 22, 10, 135), ("2", 26, 110, 135))
    ),
    cells=tuple(
        PlacedCell(at, at + 3, row, column, bbox=BBox(100 * column, 100 + 30 * row, 100 * column + 100, 130 + 30 * row))
        for at, row, column in ((1, 0, 0), (5, 0, 1), (21, 1, 0), (25, 1, 1))
    ),
)


def test_hocr_has_pages_blocks_lines_and_words() -> None:
    root = written("hocr", page(placed("Of the\nharbour <office>")), page(placed("more"), number=2))
    assert [one.get("title") for one in of_class(root, "ocr_page")] == [
        'image "a & b.png"; bbox 0 0 400 300; ppageno 0',
        'image "a & b.png"; bbox 0 0 400 300; ppageno 1',
    ]
    lines = of_class(root, "ocr_line")
    assert ["".join(line.itertext()) for line in lines] == ["Of the", "harbour <office>", "more"]
    assert lines[1].get("title") == "bbox 0 30 160 50"
    assert of_class(root, "ocrx_word")[3].get("title") == "bbox 80 30 160 50; x_wconf 95"


def test_alto_has_pages_blocks_lines_and_words() -> None:
    root = written("alto", page(placed("Of the\nharbour office"), TABLE))
    assert root.get("SCHEMAVERSION") == "4.4"
    first, *_ = named(root, "TextBlock")
    assert [[word.get("CONTENT") for word in named(line, "String")] for line in named(first, "TextLine")] == [
        ["Of", "the"],
        ["harbour", "office"],
    ]
    word = next(named(root, "String"))
    assert [word.get(name) for name in ("HPOS", "VPOS", "WIDTH", "HEIGHT", "WC")] == ["0", "0", "20", "20", "0.95"]
    [table] = named(root, "ComposedBlock")
    assert [one.get("VPOS") for one in named(table, "TextBlock")] == ["100", "100", "130", "130"]
    assert table.get("TAGREFS") in {tag.get("ID") for tag in named(root, "LayoutTag")}


def test_page_has_regions_lines_words_and_cells() -> None:
    root = written("page", page(placed("Results", Category.SECTION_HEADER), TABLE, placed("x", top=200)))
    order = [one.get("regionRef") for one in named(root, "RegionRefIndexed")]
    [first] = (one for one in named(root, "TextRegion") if one.get("type") == "heading")
    [table] = named(root, "TableRegion")
    assert order[:2] == [first.get("id"), table.get("id")]
    assert (table.get("rows"), table.get("columns")) == ("2", "2")
    roles = [(one.get("rowIndex"), one.get("columnIndex")) for one in named(table, "TableCellRole")]
    assert roles == [("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")]
    word = next(named(root, "Word"))
    assert [child.tag.rpartition("}")[2] for child in word] == ["Coords", "TextEquiv"]
    assert word[0].get("points") == "0,0 70,0 70,20 0,20"
    assert next(named(word, "TextEquiv")).get("conf") == "0.950"


def test_page_has_one_page_a_file() -> None:
    with pytest.raises(UsageError, match="one page a file"):
        document_text([page(), page(number=2)], "page", Layout())


def test_a_pdf_needs_the_documents_own_pages() -> None:
    with pytest.raises(UsageError, match="own pages"):
        document_text([page()], "pdf", Layout())


@pytest.mark.parametrize("format", ["hocr", "alto", "page"])
def test_words_without_a_place_are_left_out_and_those_of_a_block_fill_it(format: Any) -> None:
    box = BBox(10, 10, 210, 70)
    lost = Block(Category.TEXT, "no", None, places=(PlacedWord("no", 0, 2, "none", 0.2),))
    only = tuple(PlacedWord(text, 0, 1, "block", 0.5, (box,)) for text in ("some", "words", "of", "it"))
    text = document_text([page(lost, Block(Category.TEXT, "some words of it", box, places=only))], format, Layout())
    assert ">no<" not in text and '"no"' not in text
    assert all(f">{word}<" in text or f'"{word}"' in text for word in ("some", "words", "of", "it"))


@pytest.mark.parametrize("format", ["hocr", "alto", "page"])
def test_identifiers_stand_once_each(format: Any) -> None:
    root = written(format, page(placed("a b\nc"), TABLE, placed("d", Category.PICTURE), placed("e", Category.FORMULA)))
    names = [name for one in root.iter() if (name := one.get("id") or one.get("ID"))]
    assert len(names) == len(set(names)) > 5


@pytest.mark.parametrize(("format", "said"), [("hocr", 'dir="rtl"'), ("page", 'readingDirection="right-to-left"')])
def test_text_that_runs_leftwards_says_so(format: Any, said: str) -> None:
    words = tuple(
        PlacedWord(text, 0, 4, "exact", 0.9, (BBox(x, 0, x + 40, 20),)) for text, x in (("שלום", 60), ("עולם", 10))
    )
    block = Block(Category.TEXT, "שלום עולם", BBox(0, 0, 100, 20), places=words)
    text = document_text([page(block)], format, Layout())
    assert said in text
    assert text.index("שלום") < text.index("עולם")


@pytest.mark.parametrize("format", ["hocr", "alto", "page"])
@given(text=st.text(max_size=60))
def test_any_text_is_well_formed(format: Any, text: str) -> None:
    word = PlacedWord(text or "x", 0, 1, "exact", 1.0, (BBox(-5, 2, 900, 3),))
    written(format, page(Block(Category.TEXT, text, BBox(0, 0, 10, 10), places=(word,))))
