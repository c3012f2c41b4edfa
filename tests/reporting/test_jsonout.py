"""JSON documents follow their schema and lose nothing."""

from __future__ import annotations

import json
from typing import Any

from schema_check import load_schema, problems

from docspec.core import BBox, Block, Category, Cut, LeftOut, Provenance, Span
from docspec.reporting.jsonout import JsonRenderer
from docspec.reporting.renderer import Layout


def document(pages: list[Any], figures: dict[int, str] | None = None, layout: Layout | None = None) -> Any:
    renderer = JsonRenderer(layout or Layout())
    text = renderer.begin('odd "name".pdf', "ab" * 32)
    text += "".join(renderer.page(page, figures or {}) for page in pages)
    return json.loads(text + renderer.end())


def test_document_follows_its_schema(make_page: Any, make_picture: Any) -> None:
    block = Block(Category.TEXT, "Grüße 中", BBox(1.4, 2, 30.6, 9), "model")
    pages = [
        make_page(1, block, make_picture()),
        make_page(2, status="failed", error="out of memory", text=""),
        make_page(3, cut=Cut("loop", 12, 300, "again ")),
    ]
    value = document(pages, {1: "f/page-1-1.png"})
    assert problems(value, load_schema("document")) == []
    assert value["source"] == 'odd "name".pdf'
    first = value["pages"][0]
    assert (first["width"], first["height"]) == (100, 80)
    assert first["blocks"][0] == {
        "page": 1,
        "category": "Text",
        "bbox": [1, 2, 31, 9],
        "bbox_from": "model",
        "text": "Grüße 中",
        "words": "model",
    }
    assert first["blocks"][1]["figure"] == "f/page-1-1.png"
    assert value["pages"][1]["error"] == "out of memory"
    cut = {"reason": "loop", "kept": 12, "dropped": 300, "repeated": "again "}
    assert [page.get("cut") for page in value["pages"]] == [None, None, cut]


def test_schema_check_finds_a_wrong_document(make_page: Any) -> None:
    value = document([make_page(1, Block(Category.TEXT, "x"))])
    value["pages"][0]["blocks"][0]["category"] = "Paragraph"
    value["pages"][0]["blocks"][0]["bbox"] = [1, 2, 3]
    del value["pages"][0]["width"]
    assert len(problems(value, load_schema("document"))) == 3


def test_document_without_pages_is_valid_json() -> None:
    assert document([])["pages"] == []


def test_page_headers_and_footers_are_kept_whatever_the_layout(make_page: Any) -> None:
    page = make_page(1, Block(Category.PAGE_HEADER, "head"))
    assert len(document([page])["pages"][0]["blocks"]) == 1


def test_provenance_follows_the_schema_and_is_absent_unless_asked_for(make_page: Any) -> None:
    block = Block(Category.TEXT, "a word", gap="\n")
    said = Provenance(
        ((Span(0, 1, "agreed", None, (("draft 1", 2),), 1.23456), Span(2, 6, "corrected", "ward")),),
        (LeftOut("Page 7", -1, BBox(1, 2, 3, 4), Category.PAGE_FOOTER), LeftOut("more", 0)),
        (3, 1),
        (("draft 1", 2), ("own", 1)),
    )
    value = document([make_page(1, block, provenance=said), make_page(2, block)])
    assert problems(value, load_schema("document")) == []
    first, second = value["pages"]
    assert first["blocks"][0]["spans"] == [
        {"start": 0, "end": 1, "mark": "agreed", "origins": {"draft 1": 2}, "margin": 1.235},
        {"start": 2, "end": 6, "mark": "corrected", "draft": "ward"},
    ]
    assert first["provenance"]["left_out"][0] == {
        "text": "Page 7",
        "after": -1,
        "bbox": [1, 2, 3, 4],
        "category": "Page-footer",
    }
    assert "provenance" not in second and "spans" not in second["blocks"][0]
