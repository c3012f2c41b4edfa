"""What a page paints is asked of MuPDF once, and anew after the page was changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox
from docspec.documents import open_document
from docspec.documents.painting import boxes_of, drawings_of, images_of, trace_of
from docspec.documents.sources import source_from_bytes
from docspec.documents.view import View
from docspec.drafting.layout import write_hidden
from docspec.drafting.lines import TextLine
from docspec.ledger.visible import visible_words


@pytest.fixture
def page() -> Iterator[Any]:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 80), "seen")
        page.draw_line((60, 100), (200, 100))
        yield page


def texts(page: Any) -> list[str]:
    return ["".join(chr(char[0]) for char in span["chars"]) for span in trace_of(page)]


def test_a_page_is_asked_once_and_answers_as_mupdf_does(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = page.get_bboxlog(), page.get_texttrace(), page.get_image_info()
    assert (boxes_of(page), trace_of(page), images_of(page)) == asked
    assert [path["items"][0][0] for path in drawings_of(page)] == ["l"]
    for name in ("get_bboxlog", "get_texttrace", "get_drawings", "get_image_info"):
        monkeypatch.setattr(pymupdf.Page, name, lambda page: pytest.fail("asked twice"))
    assert (boxes_of(page), trace_of(page), images_of(page)) == asked


def test_what_is_written_on_a_page_later_is_painted(page: Any) -> None:
    assert texts(page) == ["seen"]
    write_hidden(page, [TextLine(BBox(60, 120, 120, 132), "recognised")])
    assert texts(page) == ["seen", "recognised"]


def test_words_that_were_taken_out_are_not_painted() -> None:
    with pymupdf.open() as pdf:
        sheet = pdf.new_page()
        sheet.insert_text((60, 80), "seen")
        sheet.insert_text((60, 120), "hidden", color=(1, 1, 1))
        data = pdf.tobytes()
    with open_document(source_from_bytes(data, "a.pdf")) as document:
        drawn = next(document.pages(view=View(dpi=100, witness=visible_words)))
        assert [word.text for word in drawn.words] == ["seen", "hidden"]
        assert texts(drawn.pdf_page) == ["seen"]
