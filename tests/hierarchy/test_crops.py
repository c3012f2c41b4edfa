"""Crops keep the print's proportions and fit the patch grid."""

from __future__ import annotations

from PIL import Image

from docspec.core import BBox
from docspec.hierarchy.whole import MARGIN, crop


def page(width=400, height=300):
    image = Image.new("RGB", (width, height), "white")
    image.paste("black", (100, 100, 150, 120))
    return image


def black_box(image):
    return image.convert("L").point(lambda value: 255 if value < 128 else 0).getbbox()


def test_sides_are_multiples_of_the_factor_and_at_least_two():
    for box in (BBox(100, 100, 150, 120), BBox(0, 0, 400, 300), BBox(10, 10, 13, 13)):
        result = crop(page(), box, 32)
        assert result is not None
        assert result.width % 32 == result.height % 32 == 0
        assert min(result.size) >= 64


def test_print_is_neither_scaled_nor_cut():
    result = crop(page(), BBox(100, 100, 150, 120), 32)
    left, top, right, bottom = black_box(result)
    assert (right - left, bottom - top) == (50, 20)
    assert left >= MARGIN
    assert top >= MARGIN


def test_a_thin_line_is_padded_not_squeezed():
    result = crop(Image.new("RGB", (3000, 100), "white"), BBox(0, 40, 3000, 50), 32)
    assert result.width / result.height <= 32


def test_a_box_outside_the_page_has_no_crop():
    assert crop(page(), BBox(500, 500, 600, 600), 32) is None
    assert crop(page(), BBox(100, 100, 100, 100), 32) is not None  # the margin around it has pixels
