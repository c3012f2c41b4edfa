"""Pages made on the spot: born-digital, scanned, and with text layers that lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

from docspec import Parser
from docspec.core import PageImage
from docspec.documents import open_document
from docspec.drafting.recogniser import Recogniser
from docspec.results import ParsedDocument

PROSE = (
    "The ferry left the harbour before sunrise, and by the time the mist had lifted the island was only a "
    "darker line between water and sky. Nobody on deck spoke for a while. Then the cook came up with a kettle, "
    "and the morning began as every other morning had begun since the spring."
)
SECOND = (
    "In the afternoon the wind turned to the north and the captain ordered the smaller sails to be taken in. "
    "Two of the passengers, who had never seen open water, asked whether this was a storm, and were told that "
    "it was a Tuesday."
)


def write_article(page: Any) -> None:
    """A heading, two paragraphs, a list, a table and a page number on an A5 page."""
    page.insert_text((50, 60), "A Crossing in March", fontsize=20, fontname="hebo")
    page.insert_textbox(pymupdf.Rect(50, 80, 370, 200), PROSE, fontsize=10.5, fontname="tiro")
    page.insert_textbox(pymupdf.Rect(50, 190, 370, 280), SECOND, fontsize=10.5, fontname="tiro")
    rows = [("Port", "Arrival", "Cargo"), ("Oban", "07:15", "grain"), ("Tiree", "11:40", "timber")]
    for number, row in enumerate(rows):
        y = 320 + 20 * number
        for column, cell in enumerate(row):
            x = 60 + 100 * column
            page.draw_rect(pymupdf.Rect(x, y, x + 100, y + 20), width=0.7)
            page.insert_text((x + 5, y + 14), cell, fontsize=10, fontname="hebo" if number == 0 else "helv")
    page.insert_text((205, 575), "17", fontsize=9)


def write_without_unicode_of(page: Any, unknown: str, text: str, others: Mapping[str, str] | None = None) -> None:
    """``text`` in a font whose table of Unicodes lacks those of ``unknown``: drawn as any, known to nobody; and tells
    ``others`` for some letters."""
    font = pymupdf.Font("helv")
    page.insert_font(fontname="F0", fontbuffer=font.buffer)
    page.insert_textbox(pymupdf.Rect(50, 60, 370, 560), text, fontname="F0", fontsize=10.5)
    codes = {font.has_glyph(ord(one)): ord((others or {}).get(one, one)) for one in sorted(set(text) - set(unknown))}
    told = "".join(f"<{glyph:04x}> <{code:04x}>\n" for glyph, code in codes.items())
    start = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
    table = (
        f"{start}1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n{len(codes)} beginbfchar\n{told}endbfchar\n"
    )
    pdf = page.parent
    for xref in range(1, pdf.xref_length()):
        kind, place = pdf.xref_get_key(xref, "ToUnicode")
        if kind == "xref":
            pdf.update_stream(int(place.split()[0]), f"{table}endcmap end end".encode())


@pytest.fixture
def page_of(tmp_path: Path) -> Iterator[Callable[..., PageImage]]:
    """Draws on a new page (A5 unless said) and opens it as the pipeline does; ``scan`` keeps its pixels
    only.
    """
    opened = []

    def make(
        draw: Callable[[Any], None] = write_article,
        *,
        size: tuple[float, float] = (420, 595),
        scan: bool = False,
        hidden: Callable[[Any], None] | None = None,
        dpi: float = 150,
        name: str = "page.pdf",
    ) -> PageImage:
        pdf = pymupdf.open()
        page = pdf.new_page(width=size[0], height=size[1])
        draw(page)
        if scan or hidden:
            pixels = page.get_pixmap(dpi=150).tobytes("jpeg")
            pdf = pymupdf.open()
            page = pdf.new_page(width=size[0], height=size[1])
            if hidden:
                hidden(page)
            page.insert_image(page.rect, stream=pixels)
        path = tmp_path / name
        path.write_bytes(pdf.tobytes())
        document = open_document(path)
        pages = document.pages(dpi=dpi)
        opened.append((document, pages))
        result = next(pages)
        assert isinstance(result, PageImage)
        return result

    yield make
    for document, _ in opened:
        document.close()


@pytest.fixture(scope="session")
def parser() -> Iterator[Parser]:
    """One parser as the bare command has it, for all tests: starting its processes takes seconds."""
    with Parser(images=False) as parser:
        yield parser


@pytest.fixture
def parsed(tmp_path: Path, parser: Parser) -> Callable[..., ParsedDocument]:
    """Draws pages (A4) and reads the document as the bare command does."""

    def make(*draws: Callable[[Any], None]) -> ParsedDocument:
        pdf = pymupdf.open()
        for draw in draws:
            draw(pdf.new_page(width=595, height=842))
        path = tmp_path / "drawn.pdf"
        path.write_bytes(pdf.tobytes())
        return parser.parse(path)

    return make


@pytest.fixture(scope="session")
def recogniser() -> Recogniser:
    """One recogniser for all tests: loading its models takes a second."""
    return Recogniser(threads=1)


def as_image(page: PageImage, image: Image.Image | None = None) -> PageImage:
    """The page without its PDF."""
    return PageImage(image or page.image, page.number, 1.0, "photo.png")
