"""Words of pages that no draft knows get their places from a recogniser that runs afterwards."""

from __future__ import annotations

from dataclasses import replace

import pymupdf
import pytest
from PIL import Image

from docspec.accounting import Placer
from docspec.core import BBox, Block, Category, DrafterError, PageDraft, PageImage, PageResult, ParseOptions
from docspec.core.account import VisibleWord
from docspec.drafting.late_lines import LateLines

TEXT = "The ferry to Halden left the northern pier at noon"
BREAK = TEXT.index(" the")
DPI = 150


@pytest.fixture(scope="module")
def sheet() -> tuple[PageImage, list[VisibleWord]]:
    """A picture of two printed lines, and where their words are."""
    with pymupdf.open() as document:
        page = document.new_page(width=400, height=200)
        page.insert_text((40, 60), TEXT[:BREAK], fontsize=14)
        page.insert_text((40, 90), TEXT[BREAK + 1 :], fontsize=14)
        drawn = page.get_pixmap(dpi=DPI)
        scale = DPI / 72
        words = [VisibleWord(word[4], *(scale * side for side in word[:4])) for word in page.get_text("words")]
    image = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)
    return PageImage(image, 1, scale, "scan.png", words=()), words


def read(page: PageImage, text: str) -> PageResult:
    block = Block(Category.TEXT, text, BBox(0, 0, page.width, page.height))
    return PageResult("scan.png", 1, "ok", blocks=(block,), width=page.width, height=page.height)


def overlap(one: BBox, other: BBox) -> float:
    common = one.intersection(other)
    return 0.0 if common is None else common.area / (one.area + other.area - common.area)


def test_a_page_without_a_draft_is_recognised_if_that_is_asked_for(sheet: tuple[PageImage, list[VisibleWord]]) -> None:
    page, truth = sheet
    result = read(page, TEXT + " quintuffle")
    places = Placer(ParseOptions(places="drafts")).placed(result, page, PageDraft()).blocks[0].places
    assert {word.how for word in places} == {"block"}
    places = Placer(ParseOptions(places="recognise")).placed(result, page, PageDraft()).blocks[0].places
    assert [word.how for word in places] == ["exact"] * len(truth) + ["none"]
    assert all(overlap(word.boxes[0], known.bbox) > 0.6 for word, known in zip(places, truth, strict=False))


def test_a_layer_with_other_words_gives_way_to_what_is_printed(sheet: tuple[PageImage, list[VisibleWord]]) -> None:
    page, truth = sheet
    wrong = [word._replace(text=word.text[::-1] + "q") for word in truth]
    result = read(page, TEXT)
    placed = Placer(ParseOptions(places="recognise")).placed(result, replace(page, words=tuple(wrong)), PageDraft())
    assert {word.how for word in placed.blocks[0].places} == {"exact"}


def test_pages_that_the_drafts_know_are_not_recognised(
    sheet: tuple[PageImage, list[VisibleWord]], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, truth = sheet

    def never(self: LateLines, page: PageImage) -> None:
        raise AssertionError("recognised")

    monkeypatch.setattr(LateLines, "of", never)
    placed = Placer(ParseOptions(places="recognise")).placed(
        read(page, TEXT), replace(page, words=tuple(truth)), PageDraft()
    )
    assert {word.how for word in placed.blocks[0].places} == {"exact"}


def test_a_recogniser_that_cannot_work_costs_no_page(
    sheet: tuple[PageImage, list[VisibleWord]], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, _ = sheet

    def fails(self: LateLines, page: PageImage) -> None:
        raise DrafterError("no recogniser is installed")

    monkeypatch.setattr(LateLines, "of", fails)
    placed = Placer(ParseOptions(places="recognise")).placed(read(page, TEXT), page, PageDraft())
    assert {word.how for word in placed.blocks[0].places} == {"block"}
    assert [event.kind for event in placed.events] == ["places_unknown"]
