"""Dropped capitals are shown alone, and the lines beside them without them."""

from __future__ import annotations

import io

import pymupdf
import pytest
from PIL import Image

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.drafting.ink import ink_of
from docspec.hierarchy.regions.dropped import dropped_capital
from docspec.hierarchy.regions.joining import region_text
from docspec.hierarchy.regions.slices import CropLimits, slices_of

PITCH, SIZE, LEFT = 30.0, 24.0, 40.0
TEXTS = ("ver the past years", "harbour has grown and", "now reaches the hills", "behind the town", "and the river.")
LIMITS = CropLimits(32, pitch=32, lines=1, width=1408)


def paragraph(letter: str, rule: bool = False, width: float = 0.8) -> tuple[Image.Image, Region]:
    """Five lines, the first two beside a ``letter`` of two lines' height (or a ``rule``), which the text layer has in
    its first line."""
    with pymupdf.open() as document:
        page = document.new_page(width=500, height=240)
        edge = LEFT
        if letter:
            page.insert_text((LEFT, 40 + PITCH), letter, fontsize=2.1 * PITCH / 0.7, fontname="tiro")
            edge += pymupdf.get_text_length(letter, "tiro", 2.1 * PITCH / 0.7) + 4
        if rule:
            page.draw_line((LEFT, 10), (LEFT, 40 + PITCH), width=3)
            edge += 12
        lines = []
        for row, text in enumerate(TEXTS):
            x, y = edge if row < 2 else LEFT, 40 + PITCH * row
            page.insert_text((x, y), text, fontsize=SIZE, fontname="tiro")
            end = x + pymupdf.get_text_length(text, "tiro", SIZE)
            lines.append(PrintedLine(BBox(x, y - 0.75 * SIZE, end, y + 0.25 * SIZE), text, SIZE))
        picture = Image.open(io.BytesIO(page.get_pixmap().tobytes("png"))).convert("RGB")
    if letter:
        box = lines[0].bbox
        tall = BBox(LEFT, box.y0, box.x1, 40 + PITCH)
        lines[0] = PrintedLine(tall, letter + lines[0].text, SIZE)
    bbox = BBox.union(line.bbox for line in lines)
    return picture, Region(bbox, Category.TEXT, (" ".join(line.text for line in lines),), 1.0, tuple(lines))


@pytest.mark.parametrize("letter", ["O", "T", "H"])
def test_the_letter_is_shown_alone_and_its_lines_without_it(letter: str) -> None:
    picture, region = paragraph(letter)
    first, second, third, fourth, *_ = slices_of(picture, region, LIMITS)
    assert (first.drafts, second.drafts) == ((letter,), (TEXTS[0],))
    for line in (second, third):
        assert line.bbox.x0 >= first.bbox.x1 - 4, "nothing of the letter is beside the line"
    assert fourth.bbox.x0 < first.bbox.x1, "the line below begins at the margin"
    ink = ink_of(picture.crop(first.bbox.rounded()))
    assert ink.any(axis=1).sum() > 1.7 * SIZE, "the whole letter is seen"
    texts = [letter, *TEXTS]
    pieces = list(zip(texts, slices_of(picture, region, LIMITS), strict=True))
    assert region_text(region, pieces) == letter + " ".join(TEXTS)


def test_a_word_of_one_letter_keeps_its_space() -> None:
    picture, region = paragraph("A")
    first, *others = region.lines
    spaced = PrintedLine(first.bbox, f"A {TEXTS[0]}", SIZE)
    pieces = slices_of(picture, Region(region.bbox, region.category, (), 1.0, (spaced, *others)), LIMITS)
    assert [piece.drafts for piece in pieces[:2]] == [("A",), (TEXTS[0],)]
    assert region_text(region, list(zip(["A", *TEXTS], pieces, strict=True))).startswith("A ver the past")


def test_where_no_draft_has_the_letter_none_is_taken_from_the_line() -> None:
    picture, region = paragraph("O")
    first, *others = region.lines
    edge = dropped_capital(picture, region.lines)
    assert edge is not None
    seen = PrintedLine(BBox(edge.bbox.x1 + 2, first.bbox.y0, first.bbox.x1, first.bbox.y0 + SIZE), TEXTS[0], SIZE)
    pieces = slices_of(picture, Region(region.bbox, region.category, (), 1.0, (seen, *others)), LIMITS)
    assert [piece.drafts for piece in pieces[:2]] == [(), (TEXTS[0],)]


@pytest.mark.parametrize(("letter", "rule"), [("", False), ("", True)])
def test_paragraphs_without_one_are_cut_as_before(letter: str, rule: bool) -> None:
    picture, region = paragraph(letter, rule)
    assert dropped_capital(picture, region.lines) is None
    assert len(slices_of(picture, region, LIMITS)) == len(TEXTS)


def test_readers_of_whole_paragraphs_see_it_as_it_stands() -> None:
    picture, region = paragraph("O")
    assert len(slices_of(picture, region, CropLimits(32))) == 1
