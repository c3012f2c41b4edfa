"""Regions are cut between lines, never through one, and scaled to the reader's liking."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.drafting.ink import line_boxes
from docspec.hierarchy.regions.slices import CropLimits, crop_of, slices_of

DPI = 150


def printed(lines: list[str], size: float = 10, leading: float = 12) -> Image.Image:
    """A page with ``lines``, the first with its baseline at 40 points."""
    with pymupdf.open() as document:
        page = document.new_page(width=420, height=60 + leading * len(lines))
        for number, line in enumerate(lines):
            page.insert_text((30, 40 + leading * number), line, fontsize=size)
        pixels = page.get_pixmap(dpi=DPI)
        return Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)


TEXT = ["The harbour fills twice a day", "and empties as often, though", "nobody has ever asked it why"]
PAGE = printed(TEXT)
WHOLE = Region(BBox(0, 0, PAGE.width, PAGE.height), Category.TEXT)


def test_lines_are_found_without_any_drafter() -> None:
    boxes = line_boxes(PAGE, WHOLE.bbox)
    assert len(boxes) == 3
    assert all(a.y1 <= b.y0 for a, b in pairwise(boxes))


def test_dots_and_accents_are_no_lines_of_their_own() -> None:
    page = printed(["iiii ÀÉÎ jjj", "......", "äöü ïï Ñ", "a line of plain words"], leading=14)
    assert len(line_boxes(page, BBox(0, 0, page.width, page.height))) == 4


@pytest.mark.parametrize(("lines", "count"), [(1, 3), (2, 2), (3, 1), (None, 1)])
def test_a_crop_holds_as_many_lines_as_the_reader_likes(lines: int | None, count: int) -> None:
    assert len(slices_of(PAGE, WHOLE, CropLimits(32, 32, lines))) == count


def test_crops_are_scaled_to_the_pitch_of_the_reader() -> None:
    for size in (6, 10, 14):
        page = printed(TEXT, size, 1.2 * size)
        [whole] = slices_of(page, Region(BBox(0, 0, page.width, page.height), Category.TEXT), CropLimits(32, 32))
        boxes = line_boxes(crop_of(page, whole, 32), BBox(0, 0, 5000, 5000))
        pitch = (boxes[-1].y1 - boxes[0].y1) / 2
        assert 30 <= pitch <= 36


def test_no_cut_goes_through_ink_and_all_lines_are_shown() -> None:
    tight = printed(["Apply jogging quay", "Typography of pages", "gypsy jumping fjord"], 12, 12.5)
    region = Region(BBox(0, 0, tight.width, tight.height), Category.TEXT)
    boxes = line_boxes(tight, region.bbox)
    pieces = slices_of(tight, region, CropLimits(32, 32, 1))
    for box, piece in zip(boxes, pieces, strict=True):
        assert piece.bbox.y0 <= box.y0 and box.y1 <= piece.bbox.y1
        others = [other for other in boxes if other is not box]
        assert all(other.overlap(piece.bbox) < 0.3 for other in others)


def test_a_line_that_is_too_wide_is_cut_between_words() -> None:
    page = printed(["one two three four five six seven eight nine ten eleven"])
    region = Region(BBox(0, 0, page.width, page.height), Category.TEXT)
    pieces = slices_of(page, region, CropLimits(32, 32, 1, width=512))
    assert len(pieces) > 1 and not pieces[0].beside and all(piece.beside for piece in pieces[1:])
    for a, b in pairwise(pieces):
        assert a.bbox.x1 == b.bbox.x0
        edge = page.crop((round(a.bbox.x1) - 1, round(a.bbox.y0), round(a.bbox.x1) + 1, round(a.bbox.y1)))
        assert edge.convert("L").getextrema()[0] > 200, "cut through a letter"
    assert all(crop_of(page, piece, 32).width <= 512 for piece in pieces)


def test_what_cannot_be_cut_is_scaled_down() -> None:
    page = printed(["W" * 40])
    [piece] = slices_of(
        page, Region(BBox(0, 0, page.width, page.height), Category.TEXT), CropLimits(32, 32, 1, width=320)
    )
    assert crop_of(page, piece, 32).width <= 320


def test_tables_are_never_cut_and_slices_carry_their_own_drafts() -> None:
    table = Region(WHOLE.bbox, Category.TABLE, ("<table></table>",))
    assert [piece.drafts for piece in slices_of(PAGE, table, CropLimits(32, 32, 1))] == [("<table></table>",)]
    boxes = line_boxes(PAGE, WHOLE.bbox)
    lines = tuple(PrintedLine(box, text, 20.0) for box, text in zip(boxes, TEXT, strict=True))
    text = Region(WHOLE.bbox, Category.TEXT, ("\n".join(TEXT),), lines=lines)
    assert [piece.drafts for piece in slices_of(PAGE, text, CropLimits(32, 32, 1))] == [(t,) for t in TEXT]


def test_tables_are_scaled_by_the_type_of_the_page() -> None:
    table = Region(WHOLE.bbox, Category.TABLE, ("<table></table>",))
    [small], [large] = (slices_of(PAGE, table, CropLimits(32, 32, 1), size) for size in (12.0, 24.0))
    assert small.scale == 2 * large.scale == pytest.approx(32 * 0.84 / 12)


def test_crops_hold_the_print_and_no_more_rows_of_the_grid_than_it_needs() -> None:
    short = printed(["Ends", "Ends again, but later on"])
    region = Region(BBox(0, 0, short.width, short.height), Category.TEXT)
    crops = [crop_of(short, piece, 32) for piece in slices_of(short, region, CropLimits(32, 32, 1))]
    assert [crop.height for crop in crops] == [32, 32]
    assert crops[0].width < crops[1].width < short.width


def test_crops_are_never_so_small_that_the_reader_enlarges_them() -> None:
    figure = printed(["7"])
    [piece] = slices_of(figure, Region(BBox(0, 0, figure.width, figure.height), Category.TEXT), CropLimits(32, 32, 1))
    assert crop_of(figure, piece, 32).size == (32, 32)
    large = crop_of(figure, piece, 32, least=64 * 64)
    assert large.size == (128, 32)
    assert large.crop((0, 0, 32, 32)) == crop_of(figure, piece, 32)


def test_a_dropped_capital_does_not_show_the_lines_beside_it() -> None:
    boxes = line_boxes(PAGE, WHOLE.bbox)
    tall = BBox(boxes[0].x0, boxes[0].y0, boxes[0].x1, boxes[2].y1)
    lines = tuple(PrintedLine(box, text, 20.0) for box, text in zip((tall, *boxes[1:]), TEXT, strict=True))
    pieces = slices_of(PAGE, Region(WHOLE.bbox, Category.TEXT, lines=lines), CropLimits(32, 32, 1))
    assert len(pieces) == 3 and pieces[0].bbox.y1 < boxes[1].y1


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_lines_that_run_otherwise_are_turned_upright(turns: int) -> None:
    [box] = line_boxes(printed(TEXT[:1]), WHOLE.bbox)
    straight = printed(TEXT[:1]).crop(box.grown(8).rounded())
    page = straight.rotate(90 * turns, expand=True)
    whole = BBox(0, 0, page.width, page.height)
    region = Region(whole, Category.TEXT, lines=(PrintedLine(whole, TEXT[0], 20.0, turns),))
    [piece] = slices_of(page, region, CropLimits(32, 32, 1, 1408, 960))
    shown = crop_of(page, piece, 32)
    assert shown.width > 3 * shown.height
    upright = crop_of(straight, replace(piece, turns=0, bbox=BBox(0, 0, straight.width, straight.height)), 32)
    assert shown.tobytes() == upright.tobytes()


finite = st.floats(-5000, 5000)


@given(st.tuples(finite, finite, finite, finite), st.integers(1, 4), st.integers(64, 1500))
def test_any_box_gives_crops_within_the_limits_or_none(
    box: tuple[float, float, float, float], lines: int, width: int
) -> None:
    limits = CropLimits(32, 32, lines, width, 256)
    for piece in slices_of(PAGE, Region(BBox(*box), Category.TEXT), limits):
        picture = crop_of(PAGE, piece, 32)
        assert picture.width % 32 == picture.height % 32 == 0
        assert picture.width <= width + 31
