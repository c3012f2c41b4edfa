"""The state of a child, in this process."""

from __future__ import annotations

import sys

from PIL import Image

from docspec.documents import source_from_path
from docspec.documents.mupdf import mupdf
from docspec.documents.view import View
from docspec.isolation.serving import SharedPixels
from docspec.isolation.worker import DocumentWorker


def test_a_picture_is_opened_where_pymupdf_is_not_installed(tmp_path, monkeypatch):
    picture = tmp_path / "page.png"
    Image.new("RGB", (200, 100), "white").save(picture)
    mupdf.cache_clear()
    monkeypatch.setitem(sys.modules, "pymupdf", None)
    worker = DocumentWorker(SharedPixels().handle)
    opened = worker.open(source_from_path(picture), None)
    page = worker.draw(1, View(), None)
    mupdf.cache_clear()
    assert opened.page_count == 1 and page.size == (200, 100)
