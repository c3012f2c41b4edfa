"""Crops of real files: rows of the text layer at the reader's pitch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pymupdf
import pytest

from training.evaluate import printed_lines
from training.papers import crops_of
from training.reader.model import CELL

PROSE = (
    "The first line of the paragraph ends in a di-",
    "vided word and the second one goes on to",
    "the third, which is short.",
)


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A page with a paragraph, a row of figures and a line with an italic word."""
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        for number, text in enumerate(PROSE):
            page.insert_text((70, 100 + 14 * number), text, fontsize=11)
        for number, text in enumerate(("12.5", "800", "3.14")):
            page.insert_text((70 + 60 * number, 300), text, fontsize=9)
        end = page.insert_text((70, 500), "This word is", fontsize=12) and 70 + pymupdf.get_text_length(
            "This word is ", fontsize=12
        )
        page.insert_text((end, 500), "italic", fontsize=12, fontname="heit")
        document.save(tmp_path / "paper.pdf")
    return tmp_path / "paper.pdf"


def test_rows_are_cut_at_the_pitch_with_the_text_layer_as_truth(paper: Path) -> None:
    crops = list(crops_of([paper], 1))
    texts = {crop.sample.text: crop for crop in crops}
    assert set(PROSE) < set(texts)
    assert texts["This word is italic"].kind == "styles and marks" and texts[PROSE[0]].kind == "prose"
    assert all(not side % CELL for crop in crops for side in crop.sample.pixels.shape)
    (two,) = crops_of([paper], 2)
    assert two.sample.text == PROSE[0][:-1] + PROSE[1]
    assert [line[:9] for line in printed_lines(two.sample)] == ["The first", "vided wor"]
    ink = (two.sample.pixels < 100).sum(1)
    tops = [y for y in range(1, len(ink)) if ink[y] > 60 and ink[y - 12 : y].max(initial=0) <= 60]
    assert len(tops) >= 2 and abs(tops[1] - tops[0] - CELL) <= 4


def test_scans_differ_from_the_print_and_say_the_same(paper: Path) -> None:
    clean, scanned = (next(crops_of([paper], 1, scans)) for scans in (False, True))
    assert clean.sample.text == scanned.sample.text
    assert not np.array_equal(clean.sample.pixels, scanned.sample.pixels)
