"""What a draft may hold at most, and that what no page can hold does no harm."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from docspec.core import BBox, Category, PageDraft, PageImage, Region
from docspec.core.straightening import Straightening
from docspec.drafting import SafeDrafter
from docspec.drafting.safe import MAX_CHARACTERS, MAX_REGIONS, bounded, finite_box
from docspec.drafting.saved import SavedDrafter

from ..patience import within

PAGE = PageImage(Image.new("RGB", (800, 1000), "white"), 1, 1.0, "a.png")


def region(text: str, box: BBox | None = None) -> Region:
    return Region(box or BBox(10, 10, 90, 30), Category.TEXT, (text,))


def test_a_sound_draft_is_left_alone() -> None:
    draft = PageDraft((region("one"), Region(BBox(0, 50, 800, 90), Category.PICTURE)), "saved", "why", 1.0, ("whole",))
    assert bounded(draft, 800, 1000) == draft


class Slow:
    """Does not say how long it took."""

    name = "slow"

    def draft(self, page: PageImage) -> PageDraft:
        time.sleep(0.2)
        return PageDraft((region("one"),), self.name)


def test_the_time_of_a_drafter_is_counted_whether_it_says_it_or_not() -> None:
    assert SafeDrafter(Slow()).draft(PAGE).seconds >= 0.2


@pytest.mark.parametrize("numbers", [(math.nan, 0, 1, 1), (0, 0, math.inf, 1), (5, 5, 5, 5), (1, 2, 3), None, "abcd"])
def test_what_is_no_box_is_none(numbers: object) -> None:
    assert finite_box(numbers) is None


def test_the_foot_of_a_page_that_lies_on_its_side_is_on_the_page() -> None:
    draft = PageDraft((region("head"), region("foot", BBox(10, 900, 90, 930))), seen=Straightening(1))
    assert bounded(draft, 1000, 800) == draft
    assert len(bounded(replace(draft, seen=Straightening(2)), 1000, 800).regions) == 1


def test_regions_without_a_place_on_the_page_are_left_out_and_said() -> None:
    odd = [BBox(math.nan, 0, 9, 9), BBox(0, 0, math.inf, 9), BBox(900, 0, 990, 9), BBox(50, 50, 10, 10)]
    draft = bounded(PageDraft((region("kept"), *(region("x", box) for box in odd))), 800, 1000)
    assert [item.texts for item in draft.regions] == [("kept",)]
    assert "4 regions have no usable box" in draft.events[0].detail


def test_text_is_what_can_be_encoded_and_printed() -> None:
    (kept,) = bounded(PageDraft((region("a\ud800b\x1b[31mc\x00\td"),)), 800, 1000).regions
    assert kept.texts == ("ab[31mc\td",)


def test_too_many_regions_keep_their_text_and_too_much_text_is_cut() -> None:
    many = bounded(PageDraft(tuple(region(f"w{n}") for n in range(MAX_REGIONS + 5))), 800, 1000)
    assert len(many.regions) == MAX_REGIONS
    assert many.page_texts[0].split() == [f"w{MAX_REGIONS + n}" for n in range(5)]
    long = bounded(PageDraft((region("x" * 10_000_000), region("y")), page_texts=("z" * 10_000_000,)), 800, 1000)
    kept = sum(len(text) for item in long.regions for text in item.texts) + sum(map(len, long.page_texts))
    assert kept <= MAX_CHARACTERS
    assert [event.kind for event in (*many.events, *long.events)] == ["draft_bounded", "draft_bounded"]


def block(text: str, box: object) -> dict[str, object]:
    of_paddle = {"block_label": "text", "block_content": text, "block_bbox": box}
    return of_paddle | {"category": "Text", "text": text, "bbox": box}


HOSTILE = {
    "nan": lambda: [block("here", [math.nan] * 4), block("there", [1, 1, 50, 50])],
    "surrogate": lambda: [block("half \ud83d of it", [1, 1, 50, 50])],
    "long": lambda: [block("x" * 10_000_000, [1, 1, 50, 50])],
    "many": lambda: [block("x", [n % 700, n % 900, n % 700 + 20, n % 900 + 8]) for n in range(100_000)],
    "nested": lambda: [block("x", [1, 1, 50, [[9]]])],
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("form", ["result", "document"])
def test_hostile_saved_drafts_are_bounded_and_quick(tmp_path: Path, kind: str, form: str) -> None:
    blocks = HOSTILE[kind]()
    result = {"width": 800, "height": 1000, "parsing_res_list": blocks}
    page = {"page": 1, "status": "ok", "width": 800, "height": 1000, "blocks": blocks}
    data = result if form == "result" else {"schema": "docspec.document/1", "pages": [page]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    with within(2):
        draft = SafeDrafter(SavedDrafter(path)).draft(PAGE)
    texts = [text for item in draft.regions for text in item.texts] + list(draft.page_texts)
    assert sum(map(len, texts)) <= MAX_CHARACTERS
    assert len(draft.regions) <= MAX_REGIONS
    "".join(texts).encode()
    assert all(math.isfinite(item.bbox.area) for item in draft.regions)


def test_a_file_nested_without_end_is_a_failed_draft(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 200_000)
    draft = SafeDrafter(SavedDrafter(tmp_path / "deep.json")).draft(PAGE)
    [event] = draft.events
    assert (draft.is_empty, event.kind) == (True, "drafter_failed")
