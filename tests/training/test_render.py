"""Glyphs are where the sheet says they are, and pages agree with their Markdown."""

from __future__ import annotations

import random

import numpy as np
import pytest

from training.crops import make_crop
from training.fonts import faces
from training.pages import KINDS, make_page
from training.reader.model import CELL
from training.render import Sheet, degrade


def printed(text: str = "Hamburg (1847)", size: float = 24.0) -> Sheet:
    sheet = Sheet(320, 64)
    sheet.put(text, 20.3, 40.6, faces()[0].regular, size)
    return sheet


def test_all_ink_lies_inside_the_reported_boxes() -> None:
    sample = printed().finish()
    allowed = np.zeros_like(sample.pixels, bool)
    for glyph in sample.glyphs:
        top, bottom = int(glyph.baseline - glyph.size), int(glyph.baseline + 0.35 * glyph.size)
        allowed[top:bottom, int(glyph.x0) - 2 : int(glyph.x1) + 3] = True
    assert not ((sample.pixels < 200) & ~allowed).any()


def test_every_reported_box_holds_ink() -> None:
    sample = printed().finish()
    for glyph in sample.glyphs:
        box = sample.pixels[
            int(glyph.baseline - glyph.size) : int(glyph.baseline + 6), int(glyph.x0) : int(glyph.x1) + 1
        ]
        assert box.min() < 100, glyph


def test_a_removed_word_leaves_no_ink_where_it_stood() -> None:
    whole, part = printed("one two").finish(), printed("one").finish()
    start = next(glyph for glyph in whole.glyphs if glyph.char == "t").x0
    assert part.pixels[:, int(start) :].min() == 255
    assert whole.pixels[:, int(start) :].min() < 100


def test_running_text_is_printed_but_not_read() -> None:
    sheet = printed()
    sheet.put("17", 250, 40, faces()[0].regular, 20, read=False)
    sample = sheet.finish()
    assert "17" not in sample.text
    assert "".join(glyph.char for glyph in sample.glyphs).endswith("17")


def test_turning_moves_positions_with_the_ink() -> None:
    for seed in range(40):
        sample = degrade(printed("lllllll", size=20.0).finish(), random.Random(seed))
        middle = (int(sample.pixels.min()) + int(np.median(sample.pixels))) / 2
        dark = np.argwhere(sample.pixels < middle)
        x, y = sample.glyph_centres.mean(0)
        assert abs(np.median(dark[:, 1]) - x) < 5 and abs(np.median(dark[:, 0]) - y) < 3  # specks are far off


@pytest.mark.parametrize("kind", list(KINDS))
def test_pages_of_every_kind_agree_with_their_text(kind: str) -> None:
    sample = make_page(704, 960, 5, kind=kind)
    assert sample.pixels.shape == (960, 704)
    assert len(sample.text) == len(sample.centres)
    read = [glyph.char for glyph in sample.glyphs if glyph.read]
    visible = [c for c, (x, _) in zip(sample.text, sample.centres, strict=True) if not np.isnan(x)]
    assert read == visible
    assert "\u00ad" not in sample.text and "\n\n\n" not in sample.text


def test_the_same_seed_prints_the_same_page() -> None:
    first, second = make_page(448, 576, 11), make_page(448, 576, 11)
    assert first.text == second.text and (first.pixels == second.pixels).all()


def test_crops_have_the_size_that_was_asked_for() -> None:
    for seed in range(30):
        assert make_crop(320, 96, seed).pixels.shape == (96, 320)


def test_divided_words_are_joined_in_the_text() -> None:
    joined = 0
    for seed in range(12):
        sample = make_page(704, 960, seed, kind="newspaper", noise=0.0)
        unread = [glyph for glyph in sample.glyphs if glyph.char == "-" and not glyph.read]
        joined += len(unread)
    assert joined > 0


def shared_rows(narrow: bool) -> float:
    """The share of text cells in which the centres of two lines lie."""
    text = shared = 0
    for seed in range(12):
        sample = make_page(704, 960, seed, kind=("book", "magazine")[seed % 2], noise=0.0, narrow=narrow)
        lines: dict[tuple[int, int], set[float]] = {}
        for x, y in sample.centres[~np.isnan(sample.centres[:, 0])]:
            lines.setdefault((int(y) // CELL, int(x) // CELL), set()).add(round(float(y)))
        text += len(lines)
        shared += sum(max(heights) - min(heights) > CELL / 2 for heights in lines.values())
    return shared / text


def test_each_line_has_a_row_of_cells_to_itself_unless_lines_are_narrow() -> None:
    assert shared_rows(narrow=False) < 0.01
    assert shared_rows(narrow=True) > 0.03
