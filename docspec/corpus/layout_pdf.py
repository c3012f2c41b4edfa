"""``--layout-pdf``: the input with numbered boxes."""

from __future__ import annotations

from docspec.core import PageResult
from docspec.corpus.child_pdf import ChildPdf
from docspec.documents.marked import MarkedPage


class LayoutPdf(ChildPdf):
    """Draws the layout of one document."""

    call = "mark"
    failure = "the layout cannot be drawn: drawing it {}"

    def page_of(self, result: PageResult) -> MarkedPage:
        boxes = tuple((block.category, block.bbox) for block in result.blocks)
        return MarkedPage(result.number, result.width, result.height, boxes, result.seen)
