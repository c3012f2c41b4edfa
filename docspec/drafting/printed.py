"""What is printed on a page, read once for all that looks for tables and forms there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from docspec.core import BBox
from docspec.documents.mupdf import mupdf
from docspec.drafting.layout import LayoutBox
from docspec.drafting.page_lines import cell_texts
from docspec.drafting.structure.tokens import PageTokens, page_tokens, turn_of, turned_tokens


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the page where it stands."""

    bbox: BBox
    text: str


TURNED = 4
"""Least lines that run up or down a page for them to be looked through for tables."""


class Printed:
    """The words, drawings and tokens of a ``pymupdf.Page`` without rotation, each read when it is first asked for. What
    is written on the page later is not seen: then it is another one."""

    def __init__(self, page: Any) -> None:
        self.page = page

    @cached_property
    def words(self) -> list[Word]:
        return [Word(BBox(*word[:4]), word[4]) for word in self.page.get_text("words")]

    @cached_property
    def drawings(self) -> list[dict[str, Any]]:
        """Its vector graphics, as PyMuPDF's dictionaries."""
        return list(self.page.get_drawings())

    def tokens(self, boxes: Sequence[LayoutBox]) -> list[PageTokens]:
        """Its tokens, with the ``boxes`` of a layout model; and those of lines that run up or down the page, if it has
        several."""
        pymupdf = mupdf()
        flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_ACCURATE_BBOXES | pymupdf.TEXT_MEDIABOX_CLIP
        raw = self.page.get_text("rawdict", flags=flags)
        upright = page_tokens(raw, self.drawings, boxes, self.page.rect.width, self.page.rect.height)
        turns = Counter(turn_of(line) for block in raw["blocks"] for line in block.get("lines", ()))
        return [upright, *(turned_tokens(raw, upright, turn) for turn in (1, 3) if turns[turn] >= TURNED)]

    def texts_in(self, boxes: Sequence[BBox]) -> list[str]:
        """What stands in ``boxes``, in the order of reading."""
        return [" ".join(text for _, text in lines) for lines in cell_texts(self.page, boxes)]
