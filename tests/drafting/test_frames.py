"""What a drawn frame holds is read together, whatever stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox, Category
from docspec.drafting.frames import Bounds, frames_of, is_painted
from docspec.drafting.layout import LayoutBox, without_prose
from docspec.drafting.lines import TextLine
from docspec.drafting.order import in_order
from docspec.drafting.structure.tokens import page_tokens


def frames_drawn(draw: Callable[[Any], Any]) -> list[tuple[int, ...]]:
    page = pymupdf.open().new_page(width=600, height=800)
    draw(page)
    drawings = page.get_drawings()
    tokens = page_tokens({"blocks": []}, drawings, (), page.rect.width, page.rect.height)
    return [tuple(map(round, (one.x0, one.y0, one.x1, one.y1))) for one in frames_of(tokens, drawings)]


def four_lines(page: Any) -> None:
    for start, end in (((50, 60), (300, 60)), ((50, 160), (300, 160)), ((50, 60), (50, 160)), ((300, 60), (300, 160))):
        page.draw_line(start, end)


@pytest.mark.parametrize(
    "draw",
    [
        lambda page: page.draw_rect((50, 60, 300, 160)),
        lambda page: page.draw_rect((50, 60, 300, 160), radius=0.1),
        lambda page: page.draw_rect((50, 60, 300, 160), color=None, fill=(0.9, 0.9, 1)),
        four_lines,
    ],
    ids=["rectangle", "round corners", "area", "four lines"],
)
def test_a_frame_is_known_however_it_is_drawn(draw: Callable[[Any], Any]) -> None:
    assert frames_drawn(draw) == [(50, 60, 300, 160)]


@pytest.mark.parametrize(
    "draw",
    [
        lambda page: page.draw_rect((10, 10, 590, 790)),
        lambda page: page.draw_line((50, 60), (300, 60)),
        lambda page: page.draw_rect((50, 60, 58, 68)),
    ],
    ids=["around the page", "a rule", "a box to tick"],
)
def test_what_holds_nothing_or_everything_is_no_frame(draw: Callable[[Any], Any]) -> None:
    assert frames_drawn(draw) == []


def box(x0: float, y0: float, x1: float, y1: float) -> LayoutBox:
    """A box that lines of prose fill."""
    rows = max(1, round((y1 - y0) / 12))
    places = [BBox(x0, y0 + row * 12, x1, y0 + row * 12 + 10) for row in range(rows)]
    return LayoutBox.around([TextLine(place, "Text of a box that has an end.") for place in places], Category.TEXT)


def order(boxes: list[LayoutBox], frames: Sequence[BBox] = (), rules: Sequence[BBox] = ()) -> list[LayoutBox]:
    return in_order(boxes, bounds=Bounds(frames, rules), given=False)


UPPER, LOWER = BBox(40, 90, 560, 200), BBox(40, 210, 560, 400)
LEFT, RIGHT, BELOW, REST = (
    box(50, 100, 250, 190),
    box(350, 100, 500, 180),
    box(50, 220, 280, 280),
    box(50, 290, 280, 390),
)


def test_what_a_frame_holds_comes_before_the_next_one() -> None:
    assert order([LEFT, BELOW, REST, RIGHT], [LOWER, UPPER]) == [LEFT, RIGHT, BELOW, REST]


def test_frames_in_frames() -> None:
    inner = BBox(45, 285, 290, 395)
    note = box(60, 350, 270, 380)
    held = [box(50, 290, 280, 340), note]
    ordered = order([LEFT, BELOW, *held, RIGHT, box(350, 230, 500, 380)], [LOWER, UPPER, inner])
    assert ordered[:2] == [LEFT, RIGHT] and ordered[ordered.index(held[0]) + 1] is note


def test_a_rule_across_all_columns_ends_them() -> None:
    head, issue, date = box(50, 60, 280, 90), box(320, 60, 550, 72), box(320, 78, 550, 90)
    left, right = box(50, 120, 280, 400), box(320, 120, 550, 400)
    boxes = [head, left, issue, date, right]
    assert order(boxes, rules=[BBox(45, 105, 560, 105)]) == [head, issue, date, left, right]


def form(page: Any) -> None:
    """Words in a frame with rules and a shade, and a tick."""
    page.draw_rect((50, 60, 300, 260))
    page.draw_rect((50, 60, 300, 80), color=None, fill=(0.9, 0.9, 0.9))
    for y in (80, 100, 120, 140):
        page.draw_line((50, y), (300, y))
    page.draw_line((200, 60), (200, 260))
    page.draw_line((60, 150), (68, 158))
    page.draw_line((60, 158), (68, 150))


def chart(page: Any) -> None:
    for x in range(60, 280, 20):
        page.draw_line((x, 100 + x % 60), (x + 20, 120 + x % 40))


def bars(page: Any) -> None:
    for x in range(60, 280, 40):
        page.draw_rect((x, 100, x + 20, 250), color=None, fill=(0.1, 0.2, 0.8))


def photograph(page: Any) -> None:
    page.insert_image(pymupdf.Rect(60, 90, 200, 240), pixmap=pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 9, 9)))


def bubble(page: Any) -> None:
    page.draw_circle((150, 200), 40)


def prose(page: Any) -> None:
    for number in range(9):
        page.insert_text((60, 85 + 20 * number), "or enter the tax from your form of the year before", fontsize=9)


@pytest.mark.parametrize(
    ("draw", "painted"),
    [
        (lambda page: None, False),
        (form, False),
        (lambda page: page.draw_rect((52, 62, 298, 258), radius=0.1), False),
        (chart, True),
        (bars, True),
        (photograph, True),
        (bubble, True),
        (lambda page: [form(page), chart(page)], True),
        (lambda page: [prose(page), bubble(page)], False),
        (lambda page: [prose(page), photograph(page)], True),
    ],
    ids=[
        "words alone",
        "form",
        "round frame",
        "chart",
        "bars",
        "photograph",
        "bubble",
        "chart in a form",
        "brace",
        "over a photograph",
    ],
)
def test_a_picture_has_something_painted_that_is_no_frame_of_words(draw: Callable[[Any], Any], painted: bool) -> None:
    page = pymupdf.open().new_page(width=600, height=800)
    for number in range(8):
        page.insert_text((56, 75 + 20 * number), f"label {number}", fontsize=9)
        page.insert_text((210, 75 + 20 * number), f"value {number}", fontsize=9)
    draw(page)
    lines: dict[int, list[BBox]] = {}
    for word in page.get_text("words"):
        lines.setdefault(word[5], []).append(BBox(*word[:4]))
    images = [BBox(*one["bbox"]) for one in page.get_image_info()]
    assert is_painted(BBox(50, 60, 300, 260), lines.values(), page.get_drawings(), images) is painted


def caption(at_top: bool, count: int = 3) -> list[list[BBox]]:
    """Lines of a caption above or below the labels of a chart from y = 100 to 200; the last one is short."""
    y = 60 if at_top else 215
    long = [[BBox(50 + 30 * n, y + 12 * row, 75 + 30 * n, y + 10 + 12 * row) for n in range(8)] for row in range(count)]
    return [*long[:-1], long[-1][:2]]


@pytest.mark.parametrize("at_top", [True, False])
def test_a_caption_is_no_part_of_its_chart(at_top: bool) -> None:
    labels = [[BBox(60, 100 + 20 * n, 80, 110 + 20 * n)] for n in range(5)]
    axis = BBox(90, 98, 280, 200)
    lines = [*labels, *caption(at_top)]
    members = tuple(BBox.union(line) for line in lines)
    chart = LayoutBox(BBox.union([*members, axis]), Category.PICTURE, (*members, axis))
    parts = without_prose(chart, lines)
    assert [part.category for part in parts] == [Category.TEXT, Category.PICTURE][:: 1 if at_top else -1]
    picture, text = sorted(parts, key=lambda part: part.category is Category.TEXT)
    assert picture.bbox == BBox.union([*(line[0] for line in labels), axis])
    assert text.members == tuple(BBox.union(line) for line in caption(at_top))
    assert without_prose(chart, [*labels, *caption(at_top, 2)[:1]]) == [chart], "one line may be a title of an axis"
    across = replace(chart, members=(*members, BBox(40, 50, 300, 260)))
    assert without_prose(across, lines) == [across], "it is drawn over"
