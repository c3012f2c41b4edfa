"""A line that the detector lost between two others is read, or said to be lost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PIL import Image, ImageDraw, ImageFont

from docspec.core import BBox, PageImage
from docspec.drafting.lines import TextLine
from docspec.drafting.lost_lines import with_lost_lines
from docspec.drafting.rapidocr import RapidOcrDrafter
from docspec.drafting.recogniser import Recogniser

TEXTS = [f"The tide of day {number + 11} left a boat on the shore." for number in range(9)]
PITCH = 26


def box(number: int) -> BBox:
    return BBox(40, 40 + PITCH * number, 460, 62 + PITCH * number)


def line(number: int) -> TextLine:
    return TextLine(box(number), TEXTS[number], 22, confidence=0.99, words="recognition")


def page(without: Sequence[int] = ()) -> Image.Image:
    image = Image.new("RGB", (520, 320), "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=19)
    for number, text in enumerate(TEXTS):
        if number not in without:
            pen.text((42, box(number).y0), text, fill="black", font=font)
    return image


class Reader(Recogniser):
    """Reads every picture of a line as ``text``, so ``sure`` of it."""

    def __init__(self, text: str, sure: float) -> None:
        super().__init__(threads=1)
        self.text, self.sure = text, sure
        self.sizes: list[tuple[int, int]] = []

    def read_lines(self, images: Sequence[Image.Image]) -> list[tuple[str, float]]:
        self.sizes += [image.size for image in images]
        return [(self.text, self.sure) for _ in images]


FOUND = [line(number) for number in range(9) if number != 4]


def test_a_line_that_was_lost_between_others_is_read() -> None:
    reader = Reader("lost and found", 0.95)
    lines, events = with_lost_lines(page, FOUND, reader)
    assert lines[:-1] == FOUND and lines[-1].text == "lost and found" and not events
    assert lines[-1].bbox.center_y == pytest.approx(box(4).center_y, abs=2)
    assert lines[-1].bbox.y0 < box(4).y0 + 4 and lines[-1].bbox.y1 > box(4).y1 - 4 and len(reader.sizes) == 1


def test_a_line_that_cannot_be_read_is_said_to_be_lost() -> None:
    lines, events = with_lost_lines(page, FOUND, Reader("l0zf ond", 0.6))
    assert lines == FOUND
    assert [(event.kind, event.detail) for event in events] == [
        ("line_unread", "a line of print between others could not be read")
    ]


def test_white_between_paragraphs_is_no_line() -> None:
    assert with_lost_lines(lambda: page(without=[4]), FOUND, Reader("never", 1.0)) == (FOUND, ())


def test_pages_without_such_a_place_are_not_looked_at() -> None:
    whole = [line(number) for number in range(9)]
    assert with_lost_lines(lambda: pytest.fail("not needed"), whole, Reader("", 0.0)) == (whole, ())
    larger = [*whole[:4], TextLine(BBox(40, 150, 460, 200), "A heading", 50), *whole[6:]]
    assert with_lost_lines(lambda: pytest.fail("not needed"), larger, Reader("", 0.0)) == (larger, ())
    assert with_lost_lines(lambda: pytest.fail("not needed"), whole[:3:2], Reader("", 0.0)) == (whole[:3:2], ())


def test_a_page_whose_line_the_detector_loses_is_read_whole() -> None:
    class Losing(Recogniser):
        def read_page(
            self, image: Image.Image, tell: object = None, known: object = ()
        ) -> tuple[list[TextLine], float]:
            lines, tilt = super().read_page(image)
            return [line for line in lines if "day 15" not in line.text], tilt

    draft = RapidOcrDrafter(Losing(threads=1)).draft(PageImage(page(), 1, 1.0, "a.png"))
    assert [line.text for line in sorted(draft.recognised, key=lambda line: line.bbox.y0)] == TEXTS
