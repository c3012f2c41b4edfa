"""Drafts from the text of born-digital pages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest

from benchmarks.campaign.raw import document
from docspec.core import Category, DrafterError, PageImage
from docspec.documents import open_document
from docspec.documents.sources import source_from_bytes
from docspec.drafting import SafeDrafter
from docspec.drafting.drafter import Drafter
from docspec.drafting.safe import MAX_REGIONS
from docspec.drafting.text_layer import TextLayerDrafter

from ..patience import within
from .conftest import PROSE, SECOND, as_image, write_without_unicode_of

PageOf = Callable[..., PageImage]


def words(text: str) -> list[str]:
    return text.split()


def test_the_parts_of_a_page_arrive_in_reading_order_with_their_text(page_of: PageOf) -> None:
    draft = TextLayerDrafter().draft(page_of())
    assert isinstance(TextLayerDrafter(), Drafter)
    assert (draft.drafter, draft.seconds > 0) == ("text-layer", True)
    texts = [region.texts[0] for region in draft.regions]
    assert texts[0] == "A Crossing in March"
    assert draft.regions[0].category in (Category.TITLE, Category.SECTION_HEADER)
    prose = words(" ".join(region.texts[0] for region in draft.regions if region.category is Category.TEXT))
    assert prose[: len(words(PROSE))] == words(PROSE)
    assert words(SECOND)[0] in prose
    assert "\n" in next(text for text in texts if text.startswith("The ferry")), "printed line breaks are kept"
    assert (draft.regions[-1].texts, draft.regions[-1].category) == (("17",), Category.PAGE_FOOTER)


def test_words_are_claimed_only_where_the_file_tells_their_letters(page_of: PageOf) -> None:
    def written(page: Any) -> None:
        page.insert_text((50, 40), "A line that is told", fontsize=20)
        write_without_unicode_of(page, "k", f"{PROSE} {SECOND}")

    regions = TextLayerDrafter(quick=True).draft(page_of(written)).regions
    assert {region.words for region in regions if "told" in region.texts[0]} == {"text layer"}
    assert {region.words for region in regions if "spoe" in region.texts[0]} == {None}


def test_tables_are_html_with_their_cells(page_of: PageOf) -> None:
    tables = [r for r in TextLayerDrafter().draft(page_of()).regions if r.category is Category.TABLE]
    assert len(tables) == 1
    html = tables[0].texts[0]
    assert html.startswith("<table><tr>")
    assert html.endswith("</tr></table>")
    assert "<td>07:15</td><td>grain</td>" in html
    assert html.count("<tr>") == 3


def test_boxes_hold_the_ink_of_their_text(page_of: PageOf) -> None:
    page = page_of(dpi=200)
    ink = np.asarray(page.image.convert("L")) < 128
    total = ink.sum()
    for region in TextLayerDrafter().draft(page).regions:
        x0, y0, x1, y1 = region.bbox.rounded()
        assert ink[y0:y1, x0:x1].any(), region
        ink[y0:y1, x0:x1] = False
    assert ink.sum() < 0.03 * total


@pytest.mark.parametrize("quick", [False, True])
def test_no_word_of_the_page_is_lost(page_of: PageOf, quick: bool) -> None:
    def scattered(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(50, 60, 200, 400), PROSE, fontsize=10)
        page.insert_textbox(pymupdf.Rect(220, 60, 370, 400), SECOND, fontsize=10)
        for number in range(6):
            page.insert_text((30 + 60 * number, 450 + 17 * number), f"stray{number}", fontsize=8)

    draft = TextLayerDrafter(quick=quick).draft(page_of(scattered))
    found = words(" ".join(region.texts[0] for region in draft.regions))
    expected = words(PROSE) + words(SECOND) + [f"stray{n}" for n in range(6)]
    assert sorted(found) == sorted(expected)
    start = found.index("The")
    assert found[start : start + len(words(PROSE))] == words(PROSE), "columns are not interleaved"


def test_a_drawing_is_a_picture_without_text(page_of: PageOf) -> None:
    def illustrated(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(50, 60, 370, 200), PROSE, fontsize=10)
        page.draw_circle((200, 330), 80, fill=(0.2, 0.3, 0.6))
        page.insert_textbox(pymupdf.Rect(50, 450, 370, 560), SECOND, fontsize=10)

    page = page_of(illustrated)
    regions = TextLayerDrafter().draft(page).regions
    kinds = [region.category for region in regions]
    assert kinds.count(Category.PICTURE) == 1
    picture = regions[kinds.index(Category.PICTURE)]
    assert picture.texts == ()
    center = (
        (picture.bbox.x0 + picture.bbox.x1) / 2 / page.scale,
        (picture.bbox.y0 + picture.bbox.y1) / 2 / page.scale,
    )
    assert center == pytest.approx((200, 330), abs=3)
    assert 0 < kinds.index(Category.PICTURE) < len(kinds) - 1, "it stands between the paragraphs"


def test_a_page_of_very_many_lines_is_cut_quickly(page_of: PageOf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docspec.drafting.printed.MOST_LINES", 3)
    draft = TextLayerDrafter().draft(page_of())
    assert draft.reason == "text layer, cut along white space"
    assert [event.kind for event in draft.events] == ["layout_skipped"]
    assert draft.regions[0].texts == ("A Crossing in March",)


def test_a_failing_layout_model_falls_back_to_white_space(page_of: PageOf, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(page: Any) -> None:
        raise RuntimeError("no model")

    monkeypatch.setattr("docspec.drafting.printed.analyse", fail)
    draft = TextLayerDrafter().draft(page_of())
    assert "white space" in draft.reason
    assert draft.events[0].detail == "the layout model failed (no model); cut along white space instead"
    assert "17" in draft.regions[-1].texts


def test_an_image_and_an_empty_page_have_empty_drafts(page_of: PageOf) -> None:
    assert TextLayerDrafter().draft(as_image(page_of())).is_empty
    assert TextLayerDrafter().draft(page_of(lambda page: None)).is_empty


def test_ten_thousand_short_lines_are_drafted_in_two_seconds() -> None:
    places = ((number, 20 + 37 * (number % 62), 2380 - 14 * (number // 62)) for number in range(10_062))
    city = b"".join(b"1 0 0 1 %d %d Tm (St %d) Tj\n" % (x, y, number) for number, x, y in places)
    data = document(b"BT /F 5 Tf\n" + city + b"ET", page=b"/MediaBox[0 0 2400 2400]")
    with open_document(source_from_bytes(data, "map.pdf")) as opened:
        page = next(opened.pages(dpi=36))
        assert isinstance(page, PageImage)
        with within(2):
            draft = SafeDrafter(TextLayerDrafter()).draft(page)
    assert len(draft.regions) <= MAX_REGIONS
    found = " ".join([*draft.page_texts, *(region.texts[0] for region in draft.regions)])
    assert all(name in found for name in ("St 3", "St 10061"))


def test_memory_does_not_grow_with_drafted_pages(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number in range(14):
        page = pdf.new_page(width=420 + 7 * number, height=595)
        page.insert_textbox(pymupdf.Rect(40, 40, 390, 560), (PROSE + SECOND) * (2 + number % 3), fontsize=9)
    path = tmp_path / "many.pdf"
    pdf.save(path)
    pdf.close()
    code = (
        "import psutil\nfrom docspec.documents import open_document\n"
        "from docspec.drafting.text_layer import TextLayerDrafter\n"
        f"drafter, sizes, document = TextLayerDrafter(), [], open_document({str(path)!r})\n"
        "for page in document.pages(dpi=150):\n"
        "    drafter.draft(page)\n"
        "    sizes.append(psutil.Process().memory_info().rss)\n"
        "print(sizes[-1] - sizes[4])"
    )  # in a process of its own: one that ran other tests takes and gives back memory for them
    grown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(grown) < 25e6


def test_a_closed_page_is_a_drafter_error(page_of: PageOf) -> None:
    page = page_of()
    page.pdf_page.parent.close()
    with pytest.raises(DrafterError, match=r"page\.pdf, page 1: text layer unreadable"):
        TextLayerDrafter().draft(page)
