"""Shadows on a photographed page are taken out for the recogniser where that reads more; other pages stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from docspec.core import BBox, Category, PageDraft, PageImage, PrintedLine, Region
from docspec.drafting.light import evened, ink_left, is_uneven, read_evenly
from docspec.drafting.lines import TextLine
from docspec.drafting.rapidocr import RapidOcrDrafter
from docspec.drafting.recogniser import Reading, Recogniser

SIZE = 800, 1100
LINES = [(BBox(80, 60 + 40 * number, 720, 84 + 40 * number), f"the tide of day {number}") for number in range(25)]


def printed(ink: int = 20, paper: int = 240) -> Image.Image:
    page = Image.new("L", SIZE, paper)
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(size=20)
    for box, text in LINES:
        pen.text((box.x0, box.y0), f"{text}, and what it left on the shore at night", fill=ink, font=font)
    return page


def lit(page: Image.Image, light: Callable[[np.ndarray, np.ndarray], Any]) -> Image.Image:
    """``page`` as an RGB picture with noise under ``light``, a share (0..1) by x and y (0..1)."""
    y, x = np.mgrid[0 : page.height, 0 : page.width]
    shares = np.broadcast_to(light(x / page.width, y / page.height), x.shape)
    noise = np.random.default_rng(2).normal(0, 3, x.shape)
    return Image.fromarray((np.asarray(page) * shares + noise).clip(0, 255).astype(np.uint8)).convert("RGB")


def hand(x: np.ndarray, y: np.ndarray) -> Any:
    """A shadow with a sharp edge."""
    return np.where(x + y > 1, 0.25, 1.0)


def lamp(x: np.ndarray, y: np.ndarray) -> Any:
    """A lamp over a corner of the page."""
    return 0.15 + 0.85 * np.exp(-(x**2 + y**2) / 0.3)


def day(x: np.ndarray, y: np.ndarray) -> Any:
    """The even light of a scanner."""
    return 1.0


def window(x: np.ndarray, y: np.ndarray) -> Any:
    """Light that falls off as it does on every desk."""
    return 1.0 - 0.15 * x


@pytest.mark.parametrize(("light", "uneven"), [(hand, True), (lamp, True), (day, False), (window, False)])
def test_light_is_uneven_where_the_paper_under_lines_is(light: Any, uneven: bool) -> None:
    assert is_uneven(lit(printed(), light), LINES) is uneven


def grey_panel() -> Image.Image:
    page = printed()
    dark = Image.eval(page.crop((0, 500, 800, 1100)), lambda level: level * 205 // 240)
    page.paste(dark, (0, 500))
    return page


def reversed_panel() -> Image.Image:
    page = printed()
    page.paste(Image.eval(page.crop((0, 500, 800, 1100)), lambda level: 255 - level), (0, 500))
    return page


def dark_picture() -> Image.Image:
    page = printed()
    page.paste(30, (0, 850, 800, 1100))
    return page


@pytest.mark.parametrize("page", [grey_panel, reversed_panel, lambda: printed(ink=235, paper=20)])
def test_panels_in_print_are_no_shadows(page: Callable[[], Image.Image]) -> None:
    assert not is_uneven(lit(page(), day), LINES)


def test_pictures_and_pages_without_lines_tell_nothing_of_the_light() -> None:
    page = lit(dark_picture(), day)
    assert not is_uneven(page, [line for line in LINES if line[0].y1 < 850]) and not is_uneven(page, [])


@pytest.mark.parametrize("light", [hand, lamp])
def test_evened_paper_is_of_one_brightness_and_its_print_stays(light: Any) -> None:
    shaded, ink = lit(printed(), light), np.asarray(printed()) < 128
    before, after = (np.asarray(image.convert("L")).astype(float) for image in (shaded, evened(shaded)))
    paper = ~ink
    assert np.quantile(before[paper], 0.1) < 0.5 * np.quantile(before[paper], 0.9)
    assert np.quantile(after[paper], 0.1) > 0.8 * np.quantile(after[paper], 0.9)
    assert np.median(after[ink]) < 0.6 * np.median(after[paper])


def test_shadows_are_no_ink_that_was_left_out() -> None:
    page = PageImage(lit(printed(), hand), 1, 1.0, "a.jpg")
    regions = tuple(Region(box, Category.TEXT, lines=(PrintedLine(box, text),)) for box, text in LINES)
    draft = PageDraft(regions)
    before, after = ink_left(page, draft), ink_left(page, replace(draft, evened=True))
    area = [sum(region.bbox.area for region in left) for left in (before, after)]
    assert area[1] < 0.1 * area[0] and not any(region.category is Category.TEXT for region in after)


class OfBrightPaper(Recogniser):
    """Reads the lines on bright paper, as much as it is told to be ``sure``; in dim light nothing."""

    def __init__(self, sure: float = 0.95) -> None:
        super().__init__(threads=1)
        self.sure, self.asked = sure, 0

    def read_page(self, image: Image.Image, tell: Any = None, known: Any = ()) -> tuple[list[TextLine], float]:
        self.asked += 1
        grey = np.asarray(image.convert("L"))
        bright = [line for line in LINES if np.median(grey[int(line[0].y0) : int(line[0].y1), 80:720]) > 150]
        return [TextLine(box, text, confidence=self.sure) for box, text in bright], 0.0


def reading_of(reader: Recogniser, page: PageImage, lines: Sequence[tuple[BBox, str]] = LINES) -> Reading:
    return Reading([TextLine(box, text, confidence=0.9) for box, text in lines], 0.0, reader)


def test_the_reading_in_even_light_is_kept_where_it_has_more() -> None:
    reader = OfBrightPaper()
    page = PageImage(lit(printed(), hand), 1, 1.0, "a.jpg")
    first = Reading(reader.read_page(page.image)[0] + reading_of(reader, page, LINES[-4:]).lines, 0.0, reader)
    assert len(first.lines) < len(LINES)
    found = read_evenly(page, first, reader)
    assert found is not None
    even, reading = found
    assert [line.text for line in reading.lines] == [text for _, text in LINES]
    assert [event.kind for event in reading.events] == ["light_evened"]
    assert even.image != page.image


def test_the_first_reading_is_kept_where_even_light_does_not_help() -> None:
    reader = OfBrightPaper(sure=0.5)
    page = PageImage(lit(printed(), hand), 1, 1.0, "a.jpg")
    found = read_evenly(page, first := reading_of(reader, page), reader)
    assert found is not None and found[1] is first


def test_pages_in_even_light_are_read_once() -> None:
    reader = OfBrightPaper()
    page = PageImage(lit(printed(), day), 1, 1.0, "a.jpg")
    assert read_evenly(page, reading_of(reader, page), reader) is None and reader.asked == 0


def test_a_draft_says_that_its_page_lies_in_uneven_light(recogniser: Recogniser) -> None:
    shaded = RapidOcrDrafter(recogniser).draft(PageImage(lit(printed(), lamp), 1, 1.0, "a.jpg"))
    assert shaded.evened and len(shaded.recognised) == len(LINES)
    assert not RapidOcrDrafter(recogniser).draft(PageImage(lit(printed(), window), 1, 1.0, "a.jpg")).evened
