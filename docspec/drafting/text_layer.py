"""The cheapest draft: the text that a born-digital PDF carries, in the regions that PyMuPDF's layout model
sees.

It costs a few tenths of a second a page (the layout model); ``quick`` cuts the page along its white space
instead, which takes milliseconds. Whether the text can be trusted is judged elsewhere
(:mod:`docspec.drafting.trust`).
"""

from __future__ import annotations

import time
from typing import Any

from docspec.core import Category, DrafterError, Event, PageDraft, PageImage, Region
from docspec.documents.mupdf import has_layout_model
from docspec.drafting.assembly import assemble
from docspec.drafting.columns import cut_layout
from docspec.drafting.layout import WHITE_SPACE, LayoutBox
from docspec.drafting.lines import TextLine, page_lines
from docspec.drafting.order import layout_of
from docspec.drafting.pictures import with_pictures
from docspec.drafting.tables import find_tables, tables_within

CUT = "text layer, cut along white space"


class TextLayerDrafter:
    """Drafts from the PDF's own text; ``quick`` without the layout model."""

    name = "text-layer"

    def __init__(self, quick: bool = False) -> None:
        self._quick = quick

    def check(self) -> None:
        """Nothing can be missing: PyMuPDF is a dependency, and without its layout model the quick way is
        taken.
        """

    def warm(self) -> None:
        """Loads the layout model before the first page needs it."""
        if not self._quick:
            has_layout_model()

    def draft(self, page: PageImage) -> PageDraft:
        """The regions of the page's text layer; empty for images. Raises :class:`DrafterError` if it is
        unreadable.
        """
        start = time.perf_counter()
        if page.pdf_page is None:
            return PageDraft((), self.name, "an image has no text layer", time.perf_counter() - start)
        try:
            lines = page_lines(page.pdf_page)
            boxes, layout, events = self._layout(page.pdf_page, lines)
            tables = (
                find_tables(page.pdf_page) if any(box.category is Category.TABLE for box in boxes) else []
            )
            regions = assemble(boxes, lines, lambda bbox: tables_within(bbox, tables))
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
            CUT if layout == WHITE_SPACE else "text layer",
            time.perf_counter() - start,
            layout=layout,
            events=events,
        )

    def _layout(self, page: Any, lines: list[TextLine]) -> tuple[list[LayoutBox], str, tuple[Event, ...]]:
        if self._quick:
            return cut_layout(lines, page.rect.width, page.rect.height), WHITE_SPACE, ()
        return layout_of(page, lines)


def in_pixels(region: Region, page: PageImage) -> Region:
    """A region in points as one in pixels of the page image."""
    return region.moved(lambda box: box.scaled(page.scale).clamped(page.width, page.height))
