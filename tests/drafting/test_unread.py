"""Print outside the layout becomes a region; rules, frames and specks do not."""

from __future__ import annotations

import pymupdf
import pytest
from PIL import Image

from docspec.core import BBox, Category, Region
from docspec.drafting.unread import unread_regions

SCALE = 150 / 72


@pytest.fixture(scope="module")
def page() -> Image.Image:
    with pymupdf.open() as document:
        sheet = document.new_page(width=400, height=500)
        sheet.insert_textbox((30, 30, 370, 120), "A paragraph that the layout knows. " * 6, fontsize=10)
        sheet.insert_text((30, 200), "A forgotten remark in the margin", fontsize=10)
        sheet.draw_rect((20, 230, 380, 330))
        sheet.insert_text((30, 250), "Words in a frame", fontsize=10)
        sheet.draw_line((30, 350), (370, 350))
        sheet.insert_text((30, 375), "." * 130, fontsize=8)
        sheet.draw_circle((300, 430), 0.4, fill=(0, 0, 0))
        sheet.draw_circle((100, 430), 40, fill=(0.3, 0.3, 0.3))
        pixels = sheet.get_pixmap(dpi=150)
        return Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)


def region(x0: float, y0: float, x1: float, y1: float) -> Region:
    return Region(BBox(x0, y0, x1, y1).scaled(SCALE), Category.TEXT)


def test_forgotten_print_is_found_and_nothing_else(page: Image.Image) -> None:
    found = unread_regions(page, [region(28, 28, 372, 122)])
    words = [one for one in found if one.category is Category.TEXT]
    assert len(words) == 2
    assert words[0].bbox.overlap(region(25, 185, 250, 210).bbox) > 0.9
    assert words[1].bbox.overlap(region(25, 235, 200, 260).bbox) > 0.9
    [picture] = [one for one in found if one.category is Category.PICTURE]
    assert picture.bbox.overlap(region(50, 380, 150, 480).bbox) > 0.9


def test_a_page_that_is_covered_leaves_nothing(page: Image.Image) -> None:
    assert unread_regions(page, [region(0, 0, 400, 500)]) == []
    assert unread_regions(Image.new("RGB", (300, 300), "white"), []) == []
