"""The cheapest draft: the text that a born-digital PDF carries, in the regions that PyMuPDF's layout model
sees.

It costs a few tenths of a second a page (the layout model); ``quick`` cuts the page along its white space
instead, which takes milliseconds. Whether the text can be trusted is judged elsewhere
(:mod:`docspec.drafting.trust`).
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from docspec.core import Category, DrafterError, PageDraft, PageImage, Region
from docspec.drafting.assembly import assemble
from docspec.drafting.columns import cut_layout
from docspec.drafting.layout import LayoutBox, analyse
from docspec.drafting.lines import TextLine, page_lines
from docspec.drafting.order import settled_order
from docspec.drafting.pictures import with_pictures
from docspec.drafting.tables import find_tables, tables_within

MAX_LINES = 1000  # the layout model's time grows with the square of the lines: 1,950 take 12 seconds


class TextLayerDrafter:
    """Drafts from the PDF's own text.

    ``markdown`` adds PyMuPDF4LLM's Markdown of the page as a second spelling (about as long again as the
    layout).
    """

    name = "text-layer"

    def __init__(self, quick: bool = False, markdown: bool = False) -> None:
        self._quick = quick
        self._markdown = markdown

    def check(self) -> None:
        """Nothing can be missing: PyMuPDF is a dependency, and without its layout model the quick way is
        taken.
        """

    def draft(self, page: PageImage) -> PageDraft:
        """The regions of the page's text layer; empty for images. Raises :class:`DrafterError` if it is
        unreadable.
        """
        start = time.perf_counter()
        if page.pdf_page is None:
            return PageDraft((), self.name, "an image has no text layer", time.perf_counter() - start)
        try:
            lines = page_lines(page.pdf_page)
            boxes, how = self._layout(page.pdf_page, lines)
            tables = (
                find_tables(page.pdf_page) if any(box.category is Category.TABLE for box in boxes) else []
            )
            regions = assemble(boxes, lines, lambda bbox: tables_within(bbox, tables))
            spellings = (page_markdown(page.pdf_page),) if self._markdown and lines else ()
        except DrafterError:
            raise
        except Exception as error:
            raise DrafterError(
                f"{page.source}, page {page.number}: text layer unreadable ({error})"
            ) from error
        in_place = [in_pixels(region, page) for region in regions]
        return PageDraft(
            tuple(in_place if self._quick else with_pictures(page.image, in_place)),
            self.name,
            how,
            time.perf_counter() - start,
            tuple(text for text in spellings if text.strip()),
        )

    def _layout(self, page: Any, lines: list[TextLine]) -> tuple[list[LayoutBox], str]:
        if not self._quick and len(lines) <= MAX_LINES:
            try:
                return settled_order(analyse(page)), "text layer"
            except Exception:
                page.layout_information = None
        return cut_layout(lines, page.rect.width, page.rect.height), "text layer, cut along white space"


def page_markdown(page: Any) -> str:
    """PyMuPDF4LLM's Markdown of a private one-page copy, without pictures and without recognition."""
    import pymupdf4llm

    return str(
        pymupdf4llm.to_markdown(
            page.parent, use_ocr=False, table_output="html", ignore_code=True, show_progress=False
        )
    )


def in_pixels(region: Region, page: PageImage) -> Region:
    """A region in points as one in pixels of the page image."""
    return replace(region, bbox=region.bbox.scaled(page.scale).clamped(page.width, page.height))
