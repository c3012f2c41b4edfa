"""Two drafts in one: both readings of the same print stand side by side, and neither drafter can lose the other's."""

from __future__ import annotations

import pytest

from docspec.core import BBox, Category, DrafterError, PageDraft, PageImage, ParseOptions, Region
from docspec.dialects.markdown import MarkdownDialect
from docspec.drafting import build_drafter
from docspec.drafting.merged import MergedDrafter, merged
from docspec.drafting.rapidocr import RapidOcrDrafter
from docspec.drafting.text_layer import TextLayerDrafter


def region(y0: float, y1: float, *texts: str, x0: float = 0, kind: Category = Category.TEXT) -> Region:
    return Region(BBox(x0, y0, 100, y1), kind, texts)


class Fixed:
    name = "fixed"

    def __init__(self, draft: PageDraft | None) -> None:
        self._draft = draft

    def draft(self, page: PageImage) -> PageDraft:
        if self._draft is None:
            raise DrafterError("nothing today")
        return self._draft


def test_readings_of_one_place_stand_in_one_region_and_the_rest_in_its_place() -> None:
    first = PageDraft(
        (region(0, 20, "One"), region(60, 80, "Three"), region(80, 90, kind=Category.PICTURE)), "a", "why"
    )
    second = PageDraft(
        (
            region(1, 19, "0ne"),
            region(30, 50, "Two"),
            region(60, 70, "Thr"),
            region(70, 80, "ee"),
            region(82, 88, "in it"),
        ),
        "b",
        "how",
        page_texts=("whole",),
    )
    both = merged(first, second)
    assert [one.texts for one in both.regions] == [("One", "0ne"), ("Two",), ("Three", "Thr\nee"), ("in it",), ()]
    assert (both.drafter, both.reason, both.page_texts) == ("a+b", "why; how", ("whole",))
    assert merged(first, PageDraft()).regions == first.regions


def test_equal_readings_stand_once_and_tables_beside_running_text() -> None:
    table = "<table><tr><td>1</td></tr></table>"
    first = PageDraft((region(0, 100, "a b", kind=Category.TABLE),))
    second = PageDraft((region(0, 40, "a"), region(40, 100, table, kind=Category.TABLE)))
    assert merged(first, second).regions[0].texts == ("a b", "a", table)
    assert merged(first, first).regions[0].texts == ("a b",)


def test_readings_agree_where_no_letter_differs() -> None:
    def agreed(*second: str) -> bool:
        first = PageDraft((region(0, 100, "The tide,\nagain"),))
        return merged(first, PageDraft((region(0, 100, *second),))).regions[0].agreed

    assert agreed("The tide,\nagain") and agreed("The\ntide, again")
    assert not any(map(agreed, ("The tide, agaln", "The tide. again", "the tide, again")))
    assert not region(0, 100, "The tide").agreed


def test_a_drafter_that_fails_leaves_the_other_ones_draft(page_of) -> None:
    page = page_of()
    draft = PageDraft((region(0, 20, "One"),), "fixed")
    found = MergedDrafter(Fixed(None), Fixed(draft)).draft(page)
    assert found.regions == draft.regions and [event.kind for event in found.events] == ["drafter_failed"]
    assert MergedDrafter(Fixed(draft), Fixed(PageDraft())).draft(page).regions == draft.regions
    with pytest.raises(DrafterError, match="nothing today"):
        MergedDrafter(Fixed(None), Fixed(None)).draft(page)


def test_text_layer_and_recognition_of_a_real_page_meet_in_its_regions(page_of, recogniser) -> None:
    page = page_of(dpi=100)
    both = MergedDrafter(TextLayerDrafter(quick=True), RapidOcrDrafter(recogniser)).draft(page)
    assert both.drafter == "text-layer+rapidocr"
    prose = next(one for one in both.regions if "ferry left the harbour" in one.texts[0])
    assert len(prose.texts) > 1 and all("ferry" in text for text in prose.texts)
    spelled = MarkdownDialect().page_drafts(both, page.width, page.height)
    assert any("A Crossing in March" in text for text in spelled)


def test_it_is_had_by_name() -> None:
    drafter = build_drafter(ParseOptions(drafter="text-layer+rapidocr"))
    assert drafter.name == "text-layer+rapidocr"
