"""Drafts of scans, with the real recogniser and its own models."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image
from rapidfuzz.distance import Levenshtein

from docspec.core import BBox, Category, DrafterError, PageImage
from docspec.drafting.lines import TextLine
from docspec.drafting.rapidocr import RapidOcrDrafter, sheet_of
from docspec.drafting.recogniser import Recogniser, tiles

from .conftest import PROSE, SECOND, as_image

PageOf = Callable[..., PageImage]


def write_short(page: Any) -> None:
    page.insert_text((40, 60), "Harbour Notes", fontsize=22, fontname="hebo")
    for number, text in enumerate(("The ferry left before sunrise.", "By noon the mist had lifted.", "We ate.")):
        page.insert_text((40, 100 + 18 * number), text, fontsize=12, fontname="tiro")


def likeness(a: str, b: str) -> float:
    return Levenshtein.normalized_similarity("".join(a.split()), "".join(b.split()))


EXPECTED = "Harbour Notes The ferry left before sunrise. By noon the mist had lifted. We ate."


def test_a_scan_is_read_without_a_connection(
    page_of: PageOf, recogniser: Recogniser, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("a connection was attempted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    page = page_of(write_short, size=(260, 180), scan=True)
    draft = RapidOcrDrafter(recogniser).draft(page)
    assert likeness(" ".join(region.texts[0] for region in draft.regions), EXPECTED) > 0.95
    assert draft.regions[0].texts[0].startswith("Harbour")
    assert draft.regions[0].bbox.y0 / page.scale == pytest.approx(42, abs=8)
    assert all(0.5 < region.confidence <= 1 for region in draft.regions)
    assert (draft.drafter, draft.reason.split(",")[0]) == ("rapidocr", "4 lines recognised")
    assert capfd.readouterr() == ("", "")


def test_a_crooked_photograph_is_read_and_its_boxes_follow_the_print(page_of: PageOf, recogniser: Recogniser) -> None:
    straight = page_of(write_short, size=(260, 180)).image
    crooked = as_image(page_of(write_short, size=(260, 180)), straight.rotate(-3, fillcolor="white"))
    draft = RapidOcrDrafter(recogniser).draft(crooked)
    assert likeness(" ".join(region.texts[0] for region in draft.regions), EXPECTED) > 0.9
    assert "askew" in draft.reason
    assert draft.searched, "for print that no line was found in: no model is asked what scribbles say"
    assert draft.regions[0].bbox.clamped(crooked.width, crooked.height) == draft.regions[0].bbox


def test_an_empty_sheet_has_no_regions(recogniser: Recogniser) -> None:
    page = PageImage(Image.new("RGB", (300, 300), "white"), 1, 1.0, "white.png")
    assert RapidOcrDrafter(recogniser).draft(page).regions == ()


def test_a_table_in_a_scan_becomes_html(page_of: PageOf, recogniser: Recogniser) -> None:
    regions = RapidOcrDrafter(recogniser).draft(page_of(scan=True)).regions
    (table,) = [region for region in regions if region.category is Category.TABLE]
    assert "<td>grain</td>" in table.texts[0]
    assert regions[0].texts[0] == "A Crossing in March"


@pytest.mark.parametrize(
    "text",
    ["A plain line of text.", "“Quoted” — it’s s(t) = t3 − 8t", "λ ≤ 3, и кириллица", "文字認識 of page 3", "• Œuvre…"],
)
def test_the_layout_model_sees_every_line_where_it_was_recognised(text: str) -> None:
    box = BBox(40, 60, 340, 76)
    with pymupdf.open() as document:
        page = sheet_of(document, Image.new("RGB", (400, 200), "white"), [TextLine(box, text, 16, 0, 0.9)], 1.0)
        words = page.get_text("words")
    assert (min(word[0] for word in words), max(word[2] for word in words)) == pytest.approx((40, 340), abs=3)
    assert box.y0 - 3 < min(word[1] for word in words) < max(word[3] for word in words) < box.y1 + 3


def test_missing_models_are_named_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docspec.drafting.rapid_engine.model_folder", lambda: tmp_path)
    with pytest.raises(DrafterError, match=r"PP-OCRv6_det_small\.onnx; reinstall"):
        RapidOcrDrafter().check()


def test_long_strips_are_cut_between_lines() -> None:
    strip = Image.new("L", (200, 6000), 255)
    for y in range(10, 6000, 30):
        strip.paste(0, (20, y, 180, y + 14))
    pieces = list(tiles(strip))
    assert len(pieces) > 3
    assert [top for _, _, top in pieces][1:] == [sum(p.height for p, _, _ in pieces[:n]) for n in range(1, len(pieces))]
    assert sum(piece.height for piece, _, _ in pieces) == 6000
    for piece, _, _ in pieces[1:]:
        assert piece.getpixel((100, 0)) == 255, "no line is cut in half"


@pytest.mark.parametrize("size", [(1000, 1400), (40, 900)])
def test_ordinary_and_small_images_are_read_whole(size: tuple[int, int]) -> None:
    image = Image.new("L", size)
    assert [(piece.size, x, y) for piece, x, y in tiles(image)] == [(size, 0, 0)]


def test_a_title_that_is_found_late_is_laid_out_with_the_page(page_of: PageOf) -> None:
    class Losing(Recogniser):
        """Overlooks the title among small lines, as detectors do with large type."""

        def read_page(self, image: Any, tell: Any = None, known: Any = ()) -> tuple[list[TextLine], float]:
            lines, tilt = super().read_page(image, tell, known)
            whole = any("sunrise" in line.text for line in lines)
            return [line for line in lines if not (whole and "Harbour" in line.text)], tilt

    def write(page: Any) -> None:
        page.insert_text((40, 60), "Harbour Notes of Spring", fontsize=22, fontname="hebo")
        page.insert_textbox(
            pymupdf.Rect(40, 90, 380, 580), f"The ferry left before sunrise. {PROSE} {SECOND}", fontsize=10
        )

    draft = RapidOcrDrafter(Losing()).draft(page_of(write, scan=True))
    assert draft.regions[0].texts[0].startswith("Harbour Notes of Spring")
    assert draft.regions[0].category is Category.TITLE


def test_a_bullet_is_no_full_stop(page_of: PageOf, recogniser: Recogniser) -> None:
    items = ("Payment within 30 days", "Delivery is free.", "Total: 1,136.50")

    def listed(page: Any) -> None:
        writer, font = pymupdf.TextWriter(page.rect), pymupdf.Font("helv")
        for number, text in enumerate(items):
            writer.append((47, 60 + 15 * number), "\N{MIDDLE DOT}", font=font, fontsize=10)
            writer.append((55, 60 + 15 * number), text, font=font, fontsize=10)
        writer.write_text(page)

    lines, _ = recogniser.read_page(page_of(listed, scan=True).image)
    assert [line.text for line in lines] == [f"· {text}" for text in items]
