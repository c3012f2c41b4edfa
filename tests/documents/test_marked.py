"""The input with its layout over it: boxes where the blocks are, text as before, a layer that can be switched off."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from docspec.core import BBox, Category
from docspec.core.straightening import Straightening
from docspec.documents import open_document
from docspec.documents.marked import MarkedPage, marked_pdf
from docspec.documents.sources import source_from_path
from docspec.documents.view import View

SAMPLE = Path(__file__).parents[2] / "samples" / "notes.pdf"


def marked(path: Path, *pages: MarkedPage) -> pymupdf.Document:
    with open_document(source_from_path(path), None) as document:
        return pymupdf.open(stream=marked_pdf(document, View(), pages), filetype="pdf")


def boxes_in(page: pymupdf.Page) -> list[pymupdf.Rect]:
    return [item["rect"] for item in page.get_drawings() if item["items"][0][0] == "re"]


def test_boxes_stand_where_the_blocks_are_and_the_text_is_as_before():
    with open_document(source_from_path(SAMPLE), None) as document:
        page = next(iter(document.pages("1")))
        size, scale = page.image.size, page.scale
    boxes = BBox(62, 119, 620, 326), BBox(62, 391, 635, 558)
    blocks = ((Category.TEXT, boxes[0]), (Category.TABLE, boxes[1]), (Category.TEXT, None))
    found = marked(SAMPLE, MarkedPage(1, *size, blocks))
    assert found.page_count == 1
    drawn = boxes_in(found[0])
    for box in boxes:
        wanted = pymupdf.Rect(box.x0 / scale, box.y0 / scale, box.x1 / scale, box.y1 / scale)
        assert any(max(abs(a - b) for a, b in zip(one, wanted, strict=True)) < 0.6 for one in drawn)
    with pymupdf.open(SAMPLE) as before:
        assert found[0].get_text() == before[0].get_text()
    assert [layer["name"] for layer in found.get_ocgs().values()] == ["layout"]
    shown = found[0].get_pixmap(dpi=36).samples
    found.set_layer(-1, off=list(found.get_ocgs()))
    with pymupdf.open(SAMPLE) as before:
        plain = before[0].get_pixmap(dpi=36).samples
    assert shown != plain
    switched = pymupdf.open(stream=found.tobytes(), filetype="pdf")
    assert switched[0].get_pixmap(dpi=36).samples == plain, "the layer switched off"


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_pages_that_are_turned_have_their_boxes_where_they_are_seen(tmp_path, turn):
    with pymupdf.open() as pdf:
        pdf.new_page(width=300, height=200).draw_rect((20, 30, 120, 90), fill=(0, 0, 0))
        pdf[0].set_rotation(turn)
        pdf.save(tmp_path / "turned.pdf")
    with open_document(source_from_path(tmp_path / "turned.pdf"), None) as document:
        page = next(iter(document.pages("1")))
    ink = page.image.convert("L").point(lambda value: 255 * (value < 128)).getbbox()
    found = marked(tmp_path / "turned.pdf", MarkedPage(1, *page.image.size, ((Category.PICTURE, BBox(*ink)),)))
    drawn = min(boxes_in(found[0]), key=lambda one: one.width * one.height)
    assert max(abs(a * page.scale - b) for a, b in zip(drawn, ink, strict=True)) < 4


def test_images_become_pages_and_damaged_ones_leave_their_place(tmp_path):
    Image.new("RGB", (400, 300), "white").save(tmp_path / "a.png")
    found = marked(tmp_path / "a.png", MarkedPage(1, 400, 300, ((Category.TEXT, BBox(40, 30, 200, 150)),)))
    assert found[0].rect.width == pytest.approx(144)
    [box] = boxes_in(found[0])
    assert tuple(box) == pytest.approx((14.4, 10.8, 72, 54), abs=0.5)


def test_boxes_of_a_straightened_photograph_are_drawn_where_they_are_seen(tmp_path: Path) -> None:
    photograph = Image.new("RGB", (400, 600), "grey")
    photograph.save(tmp_path / "sheet.png")
    seen = Straightening(sheet=((0.2, 0.1), (0.9, 0.1), (0.9, 0.8), (0.2, 0.8)), turns=2)
    size = seen.size(400, 600)
    assert size == (280, 420)
    # Upside down: the upper left quarter of the sheet is the lower right one of the photograph's middle.
    found = marked(tmp_path / "sheet.png", MarkedPage(1, *size, ((Category.TEXT, BBox(0, 0, 140, 210)),), seen))
    [drawn] = boxes_in(found[0])
    scale = found[0].rect.width / 400
    wanted = (400 - 0.55 * 400, 600 - 0.45 * 600, 400 - 0.2 * 400, 600 - 0.1 * 600)
    assert [edge / scale for edge in drawn] == pytest.approx(wanted, abs=1)
