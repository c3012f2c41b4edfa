"""Image files at the size at which a model's own tool shows them.

dots.ocr's tool lays an image on a PDF page of 96 pixels per inch and renders that page at 200 dpi, so that the model
sees it twice as large; where a side would pass 4,500 pixels it renders at 72 dpi instead, three quarters as large.
"""

from __future__ import annotations

import io
import time
from dataclasses import replace

from PIL import Image

from docspec.core import Event, PageError, PageImage
from docspec.core.safe_text import first_line
from docspec.documents.document import PageFailure
from docspec.documents.mupdf import mupdf

MAX_SIDE = 4500
FALLBACK_DPI = 72.0
POINTS_PER_INCH = 72.0


def through_pdf(page: PageImage, dpi: float) -> PageImage | PageFailure:
    """``page``, an image file's, as rendered from a PDF page at ``dpi``; other pages as they are."""
    if page.pdf_page is not None or any(event.kind == "text_layer_skipped" for event in page.events):
        return page
    began = time.perf_counter()
    try:
        image = _rendered(page.image, dpi)
    except Exception as error:
        what = f"cannot be scaled as the model's own tool does ({first_line(error)}); try --image-scale as-is"
        return PageFailure(page.number, page.source, PageError(f"{page.source}, page {page.number}: {what}"))
    sizes = f"{image.width} x {image.height} pixels instead of {page.width} x {page.height}"
    event = Event("image_scaled", f"shown at {sizes}, as the model's own tool does")
    return replace(
        page,
        image=image,
        render_seconds=page.render_seconds + time.perf_counter() - began,
        events=(*page.events, event),
    )


def _rendered(image: Image.Image, dpi: float) -> Image.Image:
    file = io.BytesIO()
    image.save(file, format="PNG", compress_level=1)
    with mupdf().open(stream=file.getvalue(), filetype="png") as picture:
        whole = picture.convert_to_pdf()
    with mupdf().open(stream=whole, filetype="pdf") as pdf:
        rect = pdf[0].rect
        scale = dpi / POINTS_PER_INCH
        if max(rect.width, rect.height) * scale > MAX_SIDE:
            scale = FALLBACK_DPI / POINTS_PER_INCH
        shown: Image.Image = pdf[0].get_pixmap(matrix=mupdf().Matrix(scale, scale), alpha=False).pil_image()
        return shown
