"""The layout of a page: PyMuPDF's layout model, whose eleven classes are dots.ocr's, in its own reading
order.

Each box lists the text lines that the model put into it, which is more exact than its rectangle: rectangles
of neighbouring regions may overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from docspec.core import BBox, Category, DrafterError
from docspec.documents.mupdf import has_layout_model

WHITE_SPACE = "white space"
"""The layout of a page that no layout model has seen (``PageDraft.layout``)."""


@dataclass(frozen=True, slots=True)
class LayoutBox:
    """A region in points; ``members`` are the boxes of the lines, rules and images that it is made of."""

    bbox: BBox
    category: Category
    members: tuple[BBox, ...] = ()


def analyse(page: Any) -> list[LayoutBox]:
    """The regions of a ``pymupdf.Page`` without rotation, in reading order.

    The raw result stays on ``page.layout_information``, where PyMuPDF's table finder looks for it. Raises
    :class:`DrafterError` when the layout model is not installed.
    """
    if not has_layout_model():
        raise DrafterError("PyMuPDF's layout model is missing; install pymupdf and pymupdf_layout 2.0 or newer")
    page.get_layout(return_raw=True)
    return [
        LayoutBox(
            BBox(*group["group_bbox"][:4]),
            Category.from_name(group["class_name"]),
            tuple(BBox(*member[:4]) for member in group["bboxes"]),
        )
        for group in page.layout_information or ()
    ]
