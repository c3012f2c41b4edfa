"""Recognised lines as invisible text on a PDF page, for a layout model that looks at text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

from docspec.documents.mupdf import mupdf
from docspec.drafting.lines import TextLine

ALIKE = str.maketrans({"−": "–", "‐": "-", "‑": "-", "…": "..."})  # (the code of … would end the line)


def write_hidden(page: Any, lines: Sequence[TextLine]) -> None:
    """Writes ``lines`` (points) onto a ``pymupdf.Page``, invisibly, each scaled to fill its box."""
    pymupdf = mupdf()
    helvetica = pymupdf.Font("helv")
    for line in lines:
        if any(unicodedata.east_asian_width(character) in "WF" for character in line.text):
            name, text, width = "china-s", line.text, float(len(line.text))  # an em a character, Latin ones too
        else:
            name, text = "helv", _in_latin(line.text)
            width = helvetica.text_length(text, fontsize=1)
            text = text.encode("cp1252").decode("latin-1")  # the codes that the base fonts have their glyphs at
        size = max(1.0, 0.85 * line.bbox.height)
        start = pymupdf.Point(line.bbox.x0, line.bbox.y1 - 0.22 * line.bbox.height)
        stretch = line.bbox.width / (width * size) if width > 0 else 1.0
        page.insert_text(
            start, text, fontname=name, fontsize=size, render_mode=3, morph=(start, pymupdf.Matrix(stretch, 1))
        )


def _in_latin(text: str) -> str:
    """``text`` in characters of Windows-1252, an `x` for each that is not one of them."""
    return "".join(c if c.encode("cp1252", "ignore") else "x" for c in text.translate(ALIKE))
