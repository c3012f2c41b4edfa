"""The text layer that a page has of its own: the words that it lacks are added, invisible text that is wrong is taken
out."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Any

import numpy as np

from docspec.core.straightening import Projection
from docspec.documents.mupdf import mupdf
from docspec.documents.text_layer import LayerPage, LayerWord


def untold(sheet: Any, page: LayerPage, to_sheet: Projection) -> LayerPage:
    """``page`` without the words that the layer of ``sheet`` (a ``pymupdf.Page``) tells. Only such stay as have a
    letter or a sign that the file does not have in their place (words in pictures, codes of private use for a plus, a
    Latin letter for a Greek one), and those whose letters it sets apart."""
    if not any(word.is_kept for line in page.lines for word in line):
        return page
    boxes, signs = [], []
    for block in sheet.get_text("rawdict")["blocks"]:
        for line in block.get("lines", ()):
            for char in (char for span in line["spans"] for char in span["chars"]):
                boxes.append(char["bbox"])
                signs.append(char["c"])
            boxes.append(line["bbox"])
            signs.append("\n")
    sides = np.array(boxes, dtype=float).reshape(-1, 4)
    x, y = sides[:, [0, 2]].mean(axis=1), sides[:, [1, 3]].mean(axis=1)

    def is_told(word: LayerWord) -> bool:
        there: set[str] = set()
        for box in word.boxes or (word.bbox,):
            (x0, y0), (x1, y1) = to_sheet.point(box.x0, box.y0), to_sheet.point(box.x1, box.y1)
            x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
            room = 0.2 * min(x1 - x0, y1 - y0)
            inside = np.flatnonzero((x0 - room <= x) & (x <= x1 + room) & (y0 - room <= y) & (y <= y1 + room))
            if len(word.boxes) <= 1 and _are_apart("".join(signs[at] for at in inside), word.text):
                return False
            there.update(*(_told_by(signs[at]) for at in inside))
        return _told_by(word.text) <= there

    lines = (tuple(word for word in line if not (word.is_kept and is_told(word))) for line in page.lines)
    return replace(page, lines=tuple(line for line in lines if line))


def _are_apart(told: str, text: str) -> bool:
    """Whether the layer tells single letters where ``text`` is one word."""
    parts = told.split()
    single = sum(len(part) == 1 for part in parts)
    return 2 * single > len(parts) > 1 and "".join(parts) == text


def _told_by(text: str) -> set[str]:
    """The letters, figures and signs of ``text`` in one form."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return {sign for sign in plain if sign.isalnum() or unicodedata.category(sign)[0] == "S"}


def without_layer(sheet: Any) -> None:
    """Takes out invisible text, that of another recogniser, which was found to be wrong."""
    pymupdf = mupdf()
    if not any(span.get("type") == 3 for span in sheet.get_texttrace()):
        return
    sheet.add_redact_annot(sheet.rect * sheet.derotation_matrix if sheet.rotation else sheet.rect, fill=False)
    sheet.apply_redactions(
        images=pymupdf.PDF_REDACT_IMAGE_NONE,
        graphics=pymupdf.PDF_REDACT_LINE_ART_NONE,
        text=pymupdf.PDF_REDACT_TEXT_REMOVE_INVISIBLE,
    )
