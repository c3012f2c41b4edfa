"""Words of a recognised line are parted at the white gaps of its print."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from docspec.core import BBox, PrintedLine
from docspec.places.words import words_of


def line_of(text: str, size: int = 32, margin: int = 12) -> tuple[np.ndarray, PrintedLine, list[BBox]]:
    """The pixels of a printed line, the line as a detector has it, with a margin around, and its words' true boxes."""
    image = Image.new("L", (1200, 120), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(size)
    truth, x = [], 50.0
    for word in text.split():
        draw.text((x, 40), word, fill="black", font=font)
        truth.append(BBox(*draw.textbbox((x, 40), word, font=font)))
        x += font.getlength(word + " ")
    around = BBox.union(truth).grown(margin)
    return np.asarray(image), PrintedLine(around, text), truth


@pytest.mark.parametrize(
    "text",
    ["The pier was closed for nine days", "mmmm iiii mmmm llll WWWW .", "a b c d e f g", "Will ill mill 1905 (a) x"],
)
def test_words_lie_between_the_gaps(text: str) -> None:
    grey, line, truth = line_of(text)
    words = list(words_of(line, grey))
    assert [word.text for word in words] == text.split()
    for word, true in zip(words, truth, strict=True):
        assert abs(word.box.x0 - true.x0) <= 4 and abs(word.box.x1 - true.x1) <= 4


def test_grain_is_no_ink() -> None:
    grey, line, _ = line_of("The pier was closed for nine days")
    soft = np.asarray(Image.fromarray(grey).filter(ImageFilter.GaussianBlur(2)), dtype=float)
    grain = np.random.default_rng(1).normal(0.0, 28.0, grey.shape)
    worn = np.clip(soft + grain, 0, 255).astype(np.uint8)
    for word, plain in zip(words_of(line, worn), words_of(line, grey), strict=True):
        assert abs(word.box.x0 - plain.box.x0) <= 4 and abs(word.box.x1 - plain.box.x1) <= 4
        assert abs(word.box.y0 - plain.box.y0) <= 4 and abs(word.box.y1 - plain.box.y1) <= 4


def test_rules_of_a_table_are_no_ink() -> None:
    grey, line, _ = line_of("Last year only")
    box, ruled = line.bbox, Image.fromarray(grey)
    draw = ImageDraw.Draw(ruled)
    draw.line((box.x0 + 2, 0, box.x0 + 2, 119), fill="black", width=3)
    draw.line((0, box.y0 + 2, 1199, box.y0 + 2), fill="black", width=3)
    assert list(words_of(line, np.asarray(ruled))) == list(words_of(line, grey))


def test_a_narrow_figure_is_as_wide_as_others() -> None:
    one, eight = ([word.box for word in words_of(line, grey)] for grey, line, _ in map(line_of, ("1 x", "8 x")))
    assert abs(one[0].width - eight[0].width) < 0.15 * eight[0].width


def test_all_words_of_a_line_are_as_high_as_its_type() -> None:
    grey, line, truth = line_of("Types come soon")
    boxes = [word.box for word in words_of(line, grey)]
    assert len({(box.y0, box.y1) for box in boxes}) == 1
    around = BBox.union(truth)
    assert boxes[0].y0 <= around.y0 and boxes[0].y1 >= around.y1
    assert boxes[0].height < 1.4 * around.height


def test_a_line_without_ink_is_parted_by_the_widths_of_letters() -> None:
    line = PrintedLine(BBox(0, 0, 300, 40), "one two")
    assert list(words_of(line, np.full((60, 400), 255, np.uint8))) == list(words_of(line))


def test_a_line_with_too_few_gaps_keeps_all_its_words() -> None:
    grey = np.full((60, 400), 255, np.uint8)
    grey[10:40, 20:380] = 0
    line = PrintedLine(BBox(10, 0, 390, 50), "one two three")
    words = list(words_of(line, grey))
    assert [word.text for word in words] == ["one", "two", "three"]
    assert abs(words[0].box.x0 - 20) < 4 and abs(words[-1].box.x1 - 380) < 4
    assert all(a.box.x1 <= b.box.x0 for a, b in pairwise(words))
