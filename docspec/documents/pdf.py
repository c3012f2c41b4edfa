"""PDF files: opening them whatever their state, and rendering one private copy of a page at a time.

The copy lets later stages turn, mark and analyse a page freely. MuPDF's caches are emptied after every page
and the file is opened anew from time to time, so that memory does not grow with the number of pages.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from docspec.core import InputError, PageImage
from docspec.documents.document import Document
from docspec.documents.mupdf import mupdf
from docspec.documents.rotation import make_upright
from docspec.documents.sizes import fit_scale, padded
from docspec.documents.sources import Source

if TYPE_CHECKING:
    from PIL.Image import Image

POINTS_PER_INCH = 72.0
REOPEN_AFTER = 64  # pages; MuPDF keeps every object it has parsed until the file is closed


class PdfDocument(Document):
    """An open PDF."""

    def __init__(self, source: Source, password: str | None = None) -> None:
        super().__init__(source)
        self._password = password
        self._pdf = _open_pdf(source, password)
        self._page_count: int = self._pdf.page_count
        self._repaired = bool(self._pdf.is_repaired)
        self._rendered = 0

    @property
    def page_count(self) -> int:
        return self._page_count

    @property
    def damage(self) -> str | None:
        return "the PDF is damaged and was repaired; text may be missing" if self._repaired else None

    def _load(self, number: int, dpi: float) -> PageImage:
        start = time.perf_counter()
        if self._rendered and self._rendered % REOPEN_AFTER == 0:
            self._pdf.close()
            self._pdf = _open_pdf(self.source, self._password)
        self._rendered += 1
        copy = mupdf().open()
        try:
            page = self._copy_page(copy, number - 1)
            make_upright(page)
            image, scale = render(page, dpi)
        except BaseException:
            copy.close()
            raise
        return PageImage(
            image=padded(image),
            number=number,
            scale=scale,
            source=self.name,
            pdf_page=page,
            render_seconds=time.perf_counter() - start,
        )

    def _copy_page(self, copy: Any, index: int) -> Any:
        # insert_pdf visits every page of the source when it is asked for widgets: only ask where there are
        # some.
        has_widgets = bool(self._pdf.is_form_pdf) and self._pdf[index].first_widget is not None
        copy.insert_pdf(
            self._pdf, from_page=index, to_page=index, links=False, annots=True, widgets=has_widgets
        )
        return copy[0]

    def _release(self, page: PageImage) -> None:
        if page.pdf_page is not None and page.pdf_page.parent is not None:
            page.pdf_page.parent.close()
        mupdf().TOOLS.store_shrink(100)

    def close(self) -> None:
        if not self._pdf.is_closed:
            self._pdf.close()
        mupdf().TOOLS.store_shrink(100)


def render(page: Any, dpi: float) -> tuple[Image, float]:
    """A ``pymupdf.Page`` as RGB pixels, annotations and form fields included, and its scale in pixels per
    point.

    ``dpi`` is lowered where the page would become too large. Raises what MuPDF raises.
    """
    from PIL import Image as Pillow

    scale = fit_scale(page.rect.width, page.rect.height, dpi / POINTS_PER_INCH)
    pixels = page.get_pixmap(matrix=mupdf().Matrix(scale, scale), alpha=False, annots=True)
    return Pillow.frombytes("RGB", (pixels.width, pixels.height), pixels.samples_mv), scale


def _open_pdf(source: Source, password: str | None) -> Any:
    """Open, unlock and count. Raises :class:`InputError` in one line."""
    pymupdf = mupdf()
    try:
        if source.path is not None:
            pdf = pymupdf.open(source.path, filetype="pdf")
        else:
            pdf = pymupdf.open(stream=source.data, filetype="pdf")
    except Exception as error:
        raise InputError(
            f"{source.name}: not a PDF, or damaged beyond repair; try to export it again"
        ) from error
    try:
        _unlock(pdf, source, password)
        if pdf.page_count < 1:
            raise InputError(f"{source.name}: the PDF has no pages, or is damaged beyond repair")
    except InputError:
        pdf.close()
        raise
    except Exception as error:
        pdf.close()
        raise InputError(
            f"{source.name}: the PDF is damaged beyond repair; try to export it again"
        ) from error
    return pdf


def _unlock(pdf: Any, source: Source, password: str | None) -> None:
    if not pdf.needs_pass:
        return
    if password is None:
        raise InputError(f"{source.name}: the PDF is encrypted; give its password with --password")
    if not pdf.authenticate(password):
        raise InputError(f"{source.name}: wrong password for this encrypted PDF; check --password")
