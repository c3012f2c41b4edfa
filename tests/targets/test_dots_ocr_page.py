"""A page through a dots.ocr checkpoint, both stages."""

from __future__ import annotations

from docspec import ParseOptions, Parser


def test_a_page_goes_through_both_stages_in_layout_json(checkpoint, printed_page, tmp_path):
    printed_page.save(tmp_path / "page.png")
    options = ParseOptions(model=str(checkpoint), dtype="float32", max_tokens=60, baseline=True, drafter="none")
    with Parser(options) as parser:
        assert parser.target_info.dialect == "layout-json"
        [page] = parser.pages(tmp_path / "page.png")
    assert page.status == "ok"
    assert page.baseline.identical
