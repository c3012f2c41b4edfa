"""The size of type is told from the ink, whatever margin a detector gives its boxes."""

from __future__ import annotations

import io

import pymupdf
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFilter

from docspec.core import BBox
from docspec.drafting.lines import TextLine
from docspec.drafting.type_size import measured

MIXED = "Figures of 2024: 1,843 and 97.5 %"
TEXTS = (
    "properties of tightly set paragraphs, judged by eye",
    "common vowels can mean more in some cases",
    "THE CONTEXT OF THIS STUDY",
    MIXED,
)


def printed(
    texts: tuple[str, ...], size: float, leading: float, font: str, margin: float, blur: float = 0.0
) -> tuple[Image.Image, list[TextLine]]:
    """A picture of ``texts`` one above the other, and their boxes with ``margin`` sizes of type around them."""
    with pymupdf.open() as document:
        page = document.new_page(width=1200, height=40 + (len(texts) + 1) * size * leading)
        lines = []
        for number, text in enumerate(texts):
            baseline = 20 + size * (1 + number * leading)
            page.insert_text((20, baseline), text, fontname=font, fontsize=size)
            width = pymupdf.get_text_length(text, font, size)
            top, bottom = baseline - (0.74 + margin) * size, baseline + (0.22 + margin) * size
            box = BBox(20 - margin * size, top, 20 + width + margin * size, bottom)
            lines.append(TextLine(box, text, box.height))
        picture = Image.open(io.BytesIO(page.get_pixmap(dpi=72).tobytes("png"))).convert("RGB")
    return picture.filter(ImageFilter.GaussianBlur(blur)), lines


@settings(deadline=None, max_examples=60)
@given(
    size=st.floats(18, 48),
    leading=st.floats(1.05, 1.6),
    font=st.sampled_from(["helv", "tiro", "hebo", "tibi"]),
    margin=st.floats(0.1, 0.35),
    blur=st.floats(0, 0.05),
)
@example(size=21.5, leading=1.0625, font="helv", margin=0.21875, blur=0.0)  # hangs by the box's margin and a pixel
def test_sizes_come_from_the_ink_and_not_from_the_boxes(
    size: float, leading: float, font: str, margin: float, blur: float
) -> None:
    picture, lines = printed(TEXTS, size, leading, font, margin, blur * size)
    for told, line in zip(measured(picture, lines), lines, strict=True):
        assert told.text == line.text
        if told == line:
            assert line.text == MIXED, "every other text tells its size"
            continue
        assert told.size == pytest.approx(size, rel=0.25), (line.text, line.size)
        edge = 0.15 * size + 1
        assert told.bbox.x0 == pytest.approx(20, abs=edge)
        # A size within the tolerance may reach up to letters that hang from the line above, right of the text; lines
        # are drawn on whole pixels.
        hanging = margin * size + 1 if 0.74 * told.size + 1 > (leading - 0.22) * size else 0.0
        assert told.bbox.x1 == pytest.approx(line.bbox.x1 - margin * size, abs=max(edge, hanging))
        baseline = line.bbox.y1 - (0.22 + margin) * size
        assert told.bbox.y1 - 0.22 * told.size == pytest.approx(baseline, abs=0.1 * size + 1)


def test_what_the_ink_does_not_tell_stays_as_it_was() -> None:
    blank = Image.new("RGB", (300, 60), "white")
    lines = [
        TextLine(BBox(10, 10, 200, 40), "nothing stands here", 30),
        TextLine(BBox(10, 10, 12, 40), "I", 30),
        TextLine(BBox(500, 10, 700, 40), "beyond the page", 30),
        TextLine(BBox(10, 10, 200, 40), "漢字", 30),
    ]
    assert measured(blank, lines) == lines


def test_light_print_on_dark_paper_is_measured_too() -> None:
    picture, lines = printed(TEXTS[:1], 24, 1.2, "helv", 0.3)
    dark = Image.eval(picture, lambda value: 255 - value)
    assert measured(dark, lines)[0].size == pytest.approx(24, rel=0.1)
