"""What is read once from a page for its tables: words, drawings, closed cells. PyMuPDF's own answers are the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pymupdf
import pytest

from docspec.drafting.layout import analyse
from docspec.drafting.printed import Printed

ROWS = [("Port", "Ships", "Tons"), ("Oban", "12", "450"), ("Tiree", "7", "1,210"), ("Coll", "31", "95")]


def ruled(page: Any, x: float, y: float, rows: Sequence[Sequence[str]], width: float = 60) -> None:
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            left, top = x + width * column, y + 16 * number
            page.draw_rect(pymupdf.Rect(left, top, left + width, top + 16), width=0.5)
            page.insert_text((left + 4, top + 11), text, fontsize=9)


def test_a_page_is_read_once_for_all_that_looks_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        ruled(page, 60, 80, ROWS)
        analyse(page)
        for name in ("get_cdrawings", "get_text"):
            whole = getattr(page, name)
            monkeypatch.setattr(page, name, lambda *a, _name=name, _of=whole, **k: reads.append(_name) or _of(*a, **k))
        printed = Printed(page)
        for once in (True, False):
            reads.clear()
            assert len(printed.words) == 12
            assert len(printed.drawings) == 12 and bool(reads) is once
