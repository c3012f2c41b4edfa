"""Small documents made on the spot, so that the tests need no files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest


def pdf_bytes(pages: int = 1, **save: object) -> bytes:
    """A PDF whose page N says ``Page number N``."""
    pdf = pymupdf.open()
    for number in range(1, pages + 1):
        page = pdf.new_page(width=300, height=400)
        page.insert_text((40, 60), f"Page number {number}", fontsize=12)
    return pdf.tobytes(**save)


@pytest.fixture
def make_pdf(tmp_path: Path) -> Callable[..., Path]:
    """Writes a PDF of so many pages and returns its path."""

    def make(pages: int = 1, name: str = "doc.pdf", **save: object) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pdf_bytes(pages, **save))
        return path

    return make
