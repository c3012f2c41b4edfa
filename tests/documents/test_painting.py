"""What a page paints is asked of MuPDF once, and anew after the page was changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymupdf
import pytest

from docspec.core import BBox
from docspec.documents import open_document
from docspec.documents.painting import boxes_of, drawings_of, forget, images_of, layer_of, text_of, trace_of
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
    for name in ("get_bboxlog", "get_texttrace", "get_cdrawings", "get_image_info"):
        monkeypatch.setattr(pymupdf.Page, name, lambda page: pytest.fail("asked twice"))
    assert (boxes_of(page), trace_of(page), images_of(page)) == asked


def test_pictures_are_asked_for_where_any_are_painted(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    whole = pymupdf.Page.get_image_info
    monkeypatch.setattr(pymupdf.Page, "get_image_info", lambda page: asked.append(page) or whole(page))
    assert not images_of(page) and not asked
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 20, 20), False)
    pixels.clear_with(90)
    page.insert_image(pymupdf.Rect(60, 200, 120, 260), pixmap=pixels)
    forget(page)
    assert [one["bbox"] for one in images_of(page)] == [(60, 200, 120, 260)] and asked


def test_the_text_layer_is_run_once_for_all_its_forms(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    flags = pymupdf.TEXT_MEDIABOX_CLIP
    words, text, rows = (page.get_text(form, flags=flags) for form in ("words", "text", "dict"))
    assert (layer_of(page, "words"), text_of(page)) == (words, text)
    monkeypatch.setattr(pymupdf.Page, "get_textpage", lambda page, **given: pytest.fail("run twice"))
    assert layer_of(page, "dict")["blocks"] == rows["blocks"]
    layer_of(page, "words").clear()
    assert layer_of(page, "words") == words


def test_drawings_are_those_of_pymupdf(page: Any) -> None:
    page.draw_bezier((10, 10), (20, 40), (30, 0), (40, 10), closePath=True, fill=(1, 0, 0))
    page.draw_rect(pymupdf.Rect(50, 60, 80, 90), fill=(0, 0, 1), color=(0, 1, 0))
    page.draw_quad(pymupdf.Quad((0, 0), (30, 5), (0, 20), (30, 25)))
    shape = page.new_shape()
    shape.draw_line((5, 5), (25, 9))
    shape.draw_rect(pymupdf.Rect(100, 100, 60, 70))
    shape.finish(fill=(0.5, 0.5, 0.5))
    shape.commit()
    steps = []
    for own, theirs in zip(drawings_of(page), page.get_drawings(), strict=True):
        assert tuple(own["rect"]) == tuple(theirs["rect"])
        assert all(own.get(name) == theirs[name] for name in theirs if name not in ("rect", "items"))
        for step, other in zip(own["items"], theirs["items"], strict=True):
            steps.append(step[0])
            assert step[0] == other[0]
            if step[0] in ("l", "c"):
                assert [(point.x, point.y) for point in step[1:]] == [(point.x, point.y) for point in other[1:]]
            elif step[0] == "re":
                assert tuple(step[1]) == tuple(other[1]) and step[2] == other[2]
    assert {"l", "c", "re", "qu"} <= set(steps)


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
