"""Saved drafts are found by source and page, scaled to the page image, and their absence is explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from docspec.core import BBox, Category, DrafterError, PageImage
from docspec.drafting.saved import SavedDrafter


def page(source: str = "report.pdf", number: int = 1, size: tuple[int, int] = (800, 1000)) -> PageImage:
    return PageImage(Image.new("RGB", size, "white"), number, 2.0, source)


def result(text: str, page_index: int | None = None) -> dict[str, Any]:
    """A PP-StructureV3 result of an 800 x 1000 page with one paragraph."""
    return {
        "input_path": "report.pdf",
        "page_index": page_index,
        "page_count": None if page_index is None else 9,
        "width": 800,
        "height": 1000,
        "model_settings": {"use_doc_preprocessor": False},
        "parsing_res_list": [
            {
                "block_label": "text",
                "block_content": text,
                "block_bbox": [80, 100, 720, 200],
                "block_id": 0,
                "block_order": 1,
            }
        ],
        "layout_det_res": {"boxes": []},
        "overall_ocr_res": {"rec_texts": [], "rec_scores": [], "rec_boxes": []},
    }


def document(*pages: dict[str, Any]) -> dict[str, Any]:
    return {"schema": "docspec.document/1", "source": "report.pdf", "sha256": "0", "pages": list(pages)}


def document_page(number: int, *blocks: tuple[str, list[int] | None, str]) -> dict[str, Any]:
    return {
        "page": number,
        "status": "ok",
        "width": 800,
        "height": 1000,
        "blocks": [
            {"page": number, "category": category, "bbox": box, "bbox_from": "model", "text": text}
            for category, box, text in blocks
        ],
    }


def write(path: Path, data: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def drafted_text(drafter: SavedDrafter, of: PageImage) -> str:
    return drafter.draft(of).regions[0].texts[0]


def test_a_page_of_a_pdf_is_found_by_paddlex_zero_based_name(tmp_path: Path) -> None:
    write(tmp_path / "report_0_res.json", result("first", 0))
    write(tmp_path / "report_1_res.json", result("second", 1))
    drafter = SavedDrafter(tmp_path)
    assert drafted_text(drafter, page(number=2)) == "second"
    assert drafted_text(drafter, page(number=1)) == "first"


def test_an_image_is_found_by_its_stem(tmp_path: Path) -> None:
    write(tmp_path / "scan_res.json", result("from the scan"))
    draft = SavedDrafter(tmp_path).draft(page("inbox/scan.png"))
    assert draft.regions[0].texts == ("from the scan",)
    assert (draft.drafter, draft.reason) == ("saved", "read from scan_res.json")
    assert draft.seconds > 0


def test_an_image_named_like_a_page_of_a_pdf_is_not_taken_for_it(tmp_path: Path) -> None:
    write(tmp_path / "report_2_res.json", result("report_2.png"))
    with pytest.raises(DrafterError, match="no saved draft"):
        SavedDrafter(tmp_path).draft(page("report.pdf", 3))


@pytest.mark.parametrize(
    "place", ["a_res.json", "a/a_res.json", "docs/a_res.json", "in/docs/a_res.json", "in/docs/a/a_res.json"]
)
def test_drafts_may_lie_flat_in_a_folder_of_their_own_or_in_the_sources_tree(tmp_path: Path, place: str) -> None:
    write(tmp_path / place, result("here"))
    assert drafted_text(SavedDrafter(tmp_path), page("in/docs/a.png")) == "here"


def test_of_two_sources_of_one_name_each_gets_its_own(tmp_path: Path) -> None:
    write(tmp_path / "x" / "a_res.json", result("of x"))
    write(tmp_path / "y" / "a_res.json", result("of y"))
    drafter = SavedDrafter(tmp_path)
    assert drafted_text(drafter, page("in/y/a.png")) == "of y"
    assert drafted_text(drafter, page("in/x/a.png")) == "of x"


@pytest.mark.parametrize(
    "data",
    [
        [result("one", 0), result("two", 1)],
        [result("one"), result("two")],
        [{"res": result("one", 0)}, {"res": result("two", 1)}],
        {"result": {"layoutParsingResults": [{"prunedResult": result("one")}, {"prunedResult": result("two")}]}},
    ],
    ids=["list", "list without page numbers", "list of res.json", "answer of the server"],
)
def test_one_file_may_hold_all_pages(tmp_path: Path, data: Any) -> None:
    drafter = SavedDrafter(write(tmp_path / "all.json", data))
    assert drafted_text(drafter, page(number=2)) == "two"
    assert drafted_text(drafter, page(number=1)) == "one"
    with pytest.raises(DrafterError, match="no draft of page 3"):
        drafter.draft(page(number=3))


def test_one_result_is_the_draft_of_its_own_page_only(tmp_path: Path) -> None:
    drafter = SavedDrafter(write(tmp_path / "x.json", result("third", 2)))
    assert drafted_text(drafter, page(number=3)) == "third"
    with pytest.raises(DrafterError, match="no draft of page 1"):
        drafter.draft(page(number=1))


def test_boxes_are_scaled_to_the_page_image(tmp_path: Path) -> None:
    drafter = SavedDrafter(write(tmp_path / "x.json", result("text")))
    draft = drafter.draft(page(size=(1600, 2000)))
    assert draft.regions[0].bbox == BBox(160, 200, 1440, 400)
    assert draft.reason == "read from x.json"


def test_a_page_of_another_shape_is_drafted_and_the_reason_says_so(tmp_path: Path) -> None:
    drafter = SavedDrafter(write(tmp_path / "x.json", result("text")))
    draft = drafter.draft(page(size=(1000, 800)))
    assert "another shape, 800 x 1000" in draft.reason
    assert [event.kind for event in draft.events] == ["draft_doubtful"]


def test_an_earlier_output_of_docspec_is_a_draft(tmp_path: Path) -> None:
    blocks = (
        ("Title", [100, 50, 700, 90], "# Rivers"),
        ("Text", [100, 100, 700, 200], "They run to the sea."),
        ("Formula", [100, 210, 700, 250], "$$\nE=mc^{2}\n$$"),
        ("Table", [100, 260, 700, 300], "<table><tr><td>Rome</td></tr></table>"),
        ("Table", [100, 310, 700, 350], "| a | b |\n| --- | --- |"),
        ("Picture", [100, 360, 700, 400], ""),
    )
    write(tmp_path / "report.json", document(document_page(1), document_page(2, *blocks)))
    draft = SavedDrafter(tmp_path).draft(page(number=2))
    assert [(region.category, region.texts) for region in draft.regions] == [
        (Category.TITLE, ("Rivers",)),
        (Category.TEXT, ("They run to the sea.",)),
        (Category.FORMULA, ("E=mc^{2}",)),
        (Category.TABLE, ("<table><tr><td>Rome</td></tr></table>",)),
        (Category.TABLE, ("| a | b |\n| --- | --- |",)),
        (Category.PICTURE, ()),
    ]
    assert draft.regions[0].bbox == BBox(100, 50, 700, 90)
    assert draft.page_texts == ()


def test_blocks_without_boxes_draft_the_page_as_a_whole(tmp_path: Path) -> None:
    blocks = (("Title", None, "# Rivers"), ("Text", [100, 100, 700, 200], "They run."))
    drafter = SavedDrafter(write(tmp_path / "report.pdf.json", document(document_page(1, *blocks))))
    draft = drafter.draft(page())
    assert draft.page_texts == ("# Rivers\n\nThey run.",)
    assert [region.texts for region in draft.regions] == [("They run.",)]


def test_a_page_that_failed_in_the_saved_run_is_no_draft(tmp_path: Path) -> None:
    failed = {**document_page(1), "status": "failed", "error": "out of memory"}
    with pytest.raises(DrafterError, match="saved run failed"):
        SavedDrafter(write(tmp_path / "x.json", document(failed))).draft(page())


def test_a_missing_draft_names_the_page_and_what_was_looked_for(tmp_path: Path) -> None:
    write(tmp_path / "other_res.json", result("other"))
    with pytest.raises(DrafterError) as caught:
        SavedDrafter(tmp_path).draft(page("in/report.pdf", 4))
    message = str(caught.value)
    for part in ("in/report.pdf, page 4", str(tmp_path), "report_3_res.json", "report.json"):
        assert part in message
    assert "\n" not in message


def test_check_refuses_what_holds_no_drafts(tmp_path: Path) -> None:
    with pytest.raises(DrafterError, match="no saved drafts at"):
        SavedDrafter(tmp_path / "nowhere").check()
    with pytest.raises(DrafterError, match="no JSON files in"):
        SavedDrafter(tmp_path).check()
    write(tmp_path / "sub" / "a_res.json", result("x"))
    SavedDrafter(tmp_path).check()


@pytest.mark.parametrize(
    "content",
    ["{broken", '{"schema": "docspec.document/1", "pages": [{}]}', '{"parsing_res_list": [1]}', '{"a": 1}', "\x80"],
)
def test_a_file_that_is_something_else_is_a_drafter_error(tmp_path: Path, content: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(DrafterError, match=r"x\.json"):
        SavedDrafter(file).draft(page())
