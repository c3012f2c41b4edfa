"""What is printed on a page, read once for all that looks for tables and forms there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from docspec.core import BBox, Category
from docspec.documents.mupdf import mupdf
from docspec.documents.painting import drawings_of, images_of
from docspec.drafting.char_spans import without_doubles
from docspec.drafting.frames import Bounds, bounds_of, is_painted
from docspec.drafting.layout import LayoutBox, analyse, without_prose
from docspec.drafting.listings import mark_even
from docspec.drafting.page_lines import cell_texts
from docspec.drafting.structure.relations import relations
from docspec.drafting.structure.tables import Structure, structure_of
from docspec.drafting.structure.tokens import page_tokens, turn_of, turned_tokens


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the page where it stands, and the number of its block and of its line there."""

    bbox: BBox
    text: str
    line: tuple[int, int]


MOST_LINES = 2500
"""Most lines of a page for the layout model: its time grows with their square. 1,300 take 1.4 seconds, 2,000 2.7 and
3,000 6.4 with 1 GB."""

WORDS = 6
"""Least words of the file in a supposed picture for it to be asked what else is painted there."""

TURNED = 4
"""Least lines that run up or down a page for them to be looked through for tables."""


class Printed:
    """The words, drawings and tokens of a ``pymupdf.Page`` without rotation, each read when it is first asked for. What
    is written on the page later is not seen: then it is another one. ``modelled`` says whether the layout model may be
    asked."""

    def __init__(self, page: Any, modelled: bool = True) -> None:
        self.page = page
        self.modelled = modelled

    @cached_property
    def words(self) -> list[Word]:
        return [Word(BBox(*word[:4]), word[4], word[5:7]) for word in self.page.get_text("words")]

    @cached_property
    def drawings(self) -> list[dict[str, Any]]:
        """Its vector graphics, as PyMuPDF's dictionaries."""
        return drawings_of(self.page)

    @cached_property
    def images(self) -> list[BBox]:
        """The places of its images."""
        return [BBox(*one["bbox"]) for one in images_of(self.page)]

    @cached_property
    def raw(self) -> dict[str, Any]:
        """Its characters, as PyMuPDF's dictionary with exact boxes."""
        pymupdf = mupdf()
        flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_ACCURATE_BBOXES | pymupdf.TEXT_MEDIABOX_CLIP
        raw = dict(self.page.get_text("rawdict", flags=flags))
        without_doubles(raw["blocks"])
        mark_even(raw["blocks"])
        return raw

    @cached_property
    def is_crowded(self) -> bool:
        """Whether it has more lines than the layout model is asked for."""
        return sum(len(block.get("lines", ())) for block in self.raw["blocks"]) > MOST_LINES

    @cached_property
    def layout(self) -> list[LayoutBox]:
        """The regions that the layout model sees, in its order; a picture that is only words and rules is text, and so
        is prose at the upper or lower edge of one. Raises what the model raises."""
        return [part for box in analyse(self.page) for part in self._parts(box)]

    def _parts(self, box: LayoutBox) -> list[LayoutBox]:
        if box.category is not Category.PICTURE:
            return [box]
        lines: dict[tuple[int, int], list[BBox]] = {}
        for word in self.words:
            if box.bbox.has_center_of(word.bbox):
                lines.setdefault(word.line, []).append(word.bbox)
        if sum(map(len, lines.values())) < WORDS:
            return [box]
        if not is_painted(box.bbox, lines.values(), self.drawings, self.images):
            return [replace(box, category=Category.TEXT)]
        return without_prose(box, list(lines.values()))

    @cached_property
    def bounds(self) -> Bounds:
        """What is drawn to part its text."""
        return bounds_of(self.structures[0].page, self.drawings)

    @cached_property
    def structures(self) -> list[Structure]:
        """Its tokens with their tables and blocks; and those of lines that run up or down the page, if it has
        several."""
        boxes: Sequence[LayoutBox] = ()
        if self.modelled and not self.is_crowded:
            with suppress(Exception):  # told where the order is made
                boxes = self.layout
        upright = page_tokens(self.raw, self.drawings, boxes, self.page.rect.width, self.page.rect.height)
        turns = Counter(turn_of(line) for block in self.raw["blocks"] for line in block.get("lines", ()))
        turned = [turned_tokens(self.raw, upright, turn) for turn in (1, 3) if turns[turn] >= TURNED]
        return [structure_of(tokens, relations()) for tokens in (upright, *turned)]

    def texts_in(self, boxes: Sequence[BBox]) -> list[str]:
        """What stands in ``boxes``, in the order of reading."""
        return [" ".join(text for _, text in lines) for lines in cell_texts(self.page, boxes)]
