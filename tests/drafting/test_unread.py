"""Print outside the layout becomes a region; rules, frames and specks do not."""

from __future__ import annotations

import time
from collections.abc import Callable

import cv2
import numpy as np
import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from docspec.core import BBox, Category, Region
from docspec.drafting.ink import is_decoration, is_print_alone, opened, unread_regions

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


def test_bullets_are_nothing_to_read_and_small_print_is() -> None:
    with pymupdf.open() as document:
        sheet = document.new_page(width=400, height=500)
        sheet.insert_textbox((40, 30, 370, 240), "An item of a list that the layout knows. " * 12, fontsize=10)
        shape = sheet.new_shape()
        for top in (36, 66, 96):
            shape.draw_rect((20, top, 25, top + 5))
            shape.draw_circle((27, top + 12), 3)
            shape.draw_polyline([(20, top + 25), (25, top + 22.5), (20, top + 20), (20, top + 25)])
            shape.finish(color=None, fill=(0.2, 0.2, 0.6))
        shape.commit()
        for number, letter in enumerate("a8eDB"):
            sheet.insert_text((30 + 60 * number, 300), letter, fontsize=11, fontname="hebo")
        sheet.draw_circle((40, 400), 6, color=None, fill=(0, 0, 0))
        sheet.insert_text((37, 403.5), "7", fontsize=10, color=(1, 1, 1))
        pixels = sheet.get_pixmap(dpi=200)
    image = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    known = Region(BBox(38, 28, 372, 242).scaled(200 / 72), Category.TEXT)
    found = [one.bbox.scaled(72 / 200) for one in unread_regions(image, [known])]
    assert len(found) == 6
    assert all(280 < box.y0 < 300 for box in found[:5]) and 390 < found[5].y0 < 400


def test_a_page_that_is_covered_leaves_nothing(page: Image.Image) -> None:
    assert unread_regions(page, [region(0, 0, 400, 500)]) == []
    assert unread_regions(Image.new("RGB", (300, 300), "white"), []) == []


def test_the_work_grows_with_the_pixels_and_not_with_pixels_times_marks() -> None:
    marks = Image.new("RGB", (3000, 4000), "white")
    pixels = marks.load()
    assert pixels is not None
    for left in range(10, 2990, 40):
        for top in range(10, 3990, 40):
            for dx in range(5):
                for dy in range(5):
                    pixels[left + dx, top + dy] = (0, 0, 0)
    began = time.process_time()
    unread_regions(marks, [Region(BBox(0, 0, 1, 1), Category.TEXT)])
    assert time.process_time() - began < 20, "7,500 marks took minutes"


def test_the_edges_of_each_patch_are_those_of_its_own_ink() -> None:
    image = Image.new("RGB", (600, 800), "white")
    places = [(0, 0, 160, 20), (300, 40, 328, 396), (360, 200, 600, 220), (200, 780, 440, 800)]
    for left, top, right, bottom in places:
        for y in range(top, bottom, 12):  # dashes: long strokes and bars are decoration, squares are bullets
            for x in (*range(left, right - 16, 20), right - 16):
                image.paste(0, (x, y, x + 16, min(y + 8, bottom)))
    found = unread_regions(image, [])
    assert [one.bbox for one in found] == [BBox(*map(float, place)) for place in places]


def test_words_and_rules_alone_are_no_picture_and_bars_are_one() -> None:
    image = Image.new("L", (600, 300), 255)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(20)
    lines = []
    for row in range(6):
        draw.text((30, 20 + 40 * row), "Employer identification number", fill=0, font=font)
        lines.append(BBox(*draw.textbbox((30, 20 + 40 * row), "Employer identification number", font=font)))
    whole = BBox(5, 5, 595, 295)
    draw.rectangle((10, 10, 590, 290), outline=0, width=2)
    draw.line((10, 150, 590, 150), fill=0, width=2)
    assert is_print_alone(image, whole, lines)
    assert not is_print_alone(image, whole, [])
    for bar in range(4):
        draw.rectangle((400 + 40 * bar, 200 - 30 * bar, 425 + 40 * bar, 280), fill=90)
    assert not is_print_alone(image, whole, lines)


def test_bars_and_frames_are_decoration_and_a_disc_or_a_photograph_is_none() -> None:
    def decoration(draw: Callable[[ImageDraw.ImageDraw], object]) -> bool:
        image = Image.new("L", (600, 400), 255)
        draw(ImageDraw.Draw(image))
        grey = np.asarray(image)
        return is_decoration(grey, grey < 200, 20)

    assert decoration(lambda on: on.rectangle((20, 20, 580, 40), fill=90))
    assert decoration(lambda on: on.rectangle((20, 20, 580, 380), outline=0, width=4))
    assert decoration(
        lambda on: [on.rectangle((20, 20, 40, 380), fill=90), on.line((60, 20, 60, 380), fill=0, width=3)]
    )
    assert not decoration(lambda on: on.ellipse((100, 100, 300, 300), fill=90))
    assert not decoration(lambda on: on.line((20, 20, 580, 380), fill=0, width=4))
    assert not decoration(lambda on: [on.rectangle((50 * n, 20, 50 * n + 30, 90 * n), fill=90) for n in range(1, 5)])
    assert not decoration(lambda on: [on.line((20, y, 580, y), fill=y // 4) for y in range(20, 380)])


@given(st.integers(1, 40), st.integers(1, 60), st.integers(1, 20), st.integers(1, 80), st.integers(0, 2**32 - 1))
def test_opening_is_that_of_opencv(height: int, width: int, rows: int, columns: int, seed: int) -> None:
    ink = np.random.default_rng(seed).random((height, width)) < 0.9
    wanted = cv2.morphologyEx(ink.astype(np.uint8), cv2.MORPH_OPEN, np.ones((rows, columns), np.uint8))
    assert np.array_equal(opened(ink, rows, columns), wanted > 0)
