"""The input as a PDF with its layout drawn over it: numbered boxes, their kinds, and the order in which they are read.

The drawing lies in a layer of its own (``layout``), which viewers can switch off, and adds no text: the page's own is
selected and found as before. Pages stand as they were read, upright.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from docspec.core import BBox, Category, PageImage
from docspec.core.straightening import NOTHING, Straightening
from docspec.documents.document import Document, PageFailure
from docspec.documents.mupdf import mupdf
from docspec.documents.pages import PageSelection
from docspec.documents.view import View

if TYPE_CHECKING:
    from PIL.Image import Image

_INK = {
    Category.TITLE: (0.75, 0.30, 0.0),
    Category.SECTION_HEADER: (0.75, 0.30, 0.0),
    Category.TABLE: (0.0, 0.35, 0.65),
    Category.FORMULA: (0.45, 0.20, 0.55),
    Category.PICTURE: (0.0, 0.45, 0.35),
    Category.PAGE_HEADER: (0.45, 0.45, 0.45),
    Category.PAGE_FOOTER: (0.45, 0.45, 0.45),
}
_PLAIN = (0.15, 0.25, 0.35)
_ORDER = (0.45, 0.45, 0.45)
_LABEL = 5.0  # points, the height of a label
_SHARP = 6  # pixels of a label per point
_DPI = 36.0  # pages are only drawn to learn how they stand


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """A page's number, its size in pixels as it was read, its blocks' kinds and boxes in these pixels, and what had
    been done to its picture before."""

    number: int
    width: int
    height: int
    blocks: tuple[tuple[Category, BBox | None], ...]
    seen: Straightening = NOTHING

    def as_printed(self, width: int, height: int) -> MarkedPage:
        """The page as its picture was, in that size, before it was turned and straightened."""
        if not self.seen or not self.width or not self.height:
            return self
        across, down = self.seen.size(width, height)
        back = self.seen.projection(width, height).inverse()
        scale = across / self.width, down / self.height
        blocks = tuple((kind, None if box is None else back.box(box.scaled(*scale))) for kind, box in self.blocks)
        return MarkedPage(self.number, width, height, blocks)


def marked_pdf(document: Document, view: View, pages: Sequence[MarkedPage]) -> bytes:
    """``pages`` of ``document``, shown as when they were read (``view``), in the order given."""
    with mupdf().open() as pdf:
        marked = _Marked(pdf, document, view)
        for page in pages:
            marked.add(page)
        data: bytes = pdf.tobytes(garbage=3, deflate=True)
        return data


class _Marked:
    """The ``pdf`` while it grows."""

    def __init__(self, pdf: Any, document: Document, view: View) -> None:
        self._document = document
        self._view = View(_DPI, view.upright, view.exif, view.max_pixels)
        self._pdf = pdf
        self._layer = self._pdf.add_ocg("layout", on=True)
        self._labels: dict[str, tuple[int, float]] = {}

    def add(self, marked: MarkedPage) -> None:
        """Adds a page; one that cannot be shown becomes an empty page of that size."""
        number = marked.number
        page = next(iter(self._document.pages(PageSelection(((number, number),)), view=self._view)))
        if not isinstance(page, PageFailure):
            marked = marked.as_printed(page.width, page.height)
        width, height = marked.width, marked.height
        if isinstance(page, PageFailure):
            shown = self._pdf.new_page(width=max(width, 1) * 0.36, height=max(height, 1) * 0.36)
        elif page.pdf_page is not None:
            self._pdf.insert_pdf(page.pdf_page.parent, from_page=0, to_page=0)
            shown = self._pdf[-1]
        else:
            shown = self._picture(page)
        if not width or not height:
            return
        scale = min(width / shown.rect.width, height / shown.rect.height)  # the image may have been widened
        boxes = [(index, kind, box) for index, (kind, box) in enumerate(marked.blocks, 1) if box is not None]
        self._order(shown, [box for _, _, box in boxes], scale)
        for index, kind, box in boxes:
            self._box(shown, index, kind, box, scale)

    def _picture(self, page: PageImage) -> Any:
        """An image as a page, at 200 pixels to the inch."""
        buffer = io.BytesIO()
        page.image.save(buffer, "JPEG", quality=85)
        shown = self._pdf.new_page(width=page.width * 0.36, height=page.height * 0.36)
        shown.insert_image(shown.rect, stream=buffer.getvalue())
        return shown

    def _order(self, page: Any, boxes: Sequence[BBox], scale: float) -> None:
        """A line from the head of each box to the next one's."""
        heads = [mupdf().Point(box.x0 / scale + 2, box.y0 / scale + 2) for box in boxes]
        if len(heads) > 1:
            shape = page.new_shape()
            shape.draw_polyline(heads)
            shape.finish(color=_ORDER, width=0.4, dashes="[2 2] 0", stroke_opacity=0.7, closePath=False, oc=self._layer)
            shape.commit()

    def _box(self, page: Any, index: int, kind: Category, box: BBox, scale: float) -> None:
        ink = _INK.get(kind, _PLAIN)
        rect = mupdf().Rect(box.x0 / scale, box.y0 / scale, box.x1 / scale, box.y1 / scale)
        shape = page.new_shape()
        shape.draw_rect(rect)
        shape.finish(color=ink, width=0.7, stroke_opacity=0.9, oc=self._layer)
        shape.commit()
        text = f"{index} {kind.value}"
        xref, wide = self._labels.get(text, (0, 0.0))
        stream = None
        if not xref:
            image = _label(text, ink)
            wide = image.width / image.height * _LABEL
            stream = io.BytesIO()
            image.save(stream, "PNG")
        if rect.x0 > wide:  # in the margin, else above
            left, top = rect.x0 - wide, rect.y0
        else:
            left, top = rect.x0, max(0.0, rect.y0 - _LABEL)
        place = mupdf().Rect(left, top, left + wide, top + _LABEL)
        xref = page.insert_image(
            place, stream=stream.getvalue() if stream else None, xref=xref, oc=self._layer, keep_proportion=False
        )
        self._labels[text] = xref, wide


def _label(text: str, ink: tuple[float, float, float]) -> Image:
    """``text`` in white on ``ink``, as pixels: text would be found and selected with the page's own."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(size=0.8 * _LABEL * _SHARP)
    left, _, right, _ = font.getbbox(text)
    height = round(_LABEL * _SHARP)
    image = Image.new("RGB", (round(right - left) + height // 2, height), tuple(round(255 * one) for one in ink))
    ImageDraw.Draw(image).text((height // 4, height // 2), text, fill="white", font=font, anchor="lm")
    return image
