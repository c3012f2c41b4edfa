"""Other tools that turn a page into text, as far as they are installed, for ``python -m benchmarks words``: none of
docspec's layout, order or joints is in what they write, but for RapidOCR's, which has no order of its own."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.extras import require
from docspec.core import PageImage, UsageError
from docspec.documents.mupdf import mupdf


@dataclass(frozen=True, slots=True)
class Written:
    """What a tool writes of a page, as Markdown, and what it sets apart as the ``labels`` of pictures."""

    text: str
    labels: str = ""


Read = Callable[[PageImage], Written]

PICTURE_TEXT = re.compile(r"\*\*-+ Start of picture text -+\*\*(.*?)\*\*-+ End of picture text -+\*\*", re.DOTALL)
"""How pymupdf4llm marks the words in a picture."""

MARKDOWN = re.compile(r"[\\`*_\[\]<>#|$~]")
"""Signs of plain text that Markdown would read."""

TESSERACT = ("-l", "eng", "--psm", "1")
"""Its automatic page segmentation with the orientation of the page."""


def with_pymupdf4llm(furniture: bool = True) -> Read:
    """``pymupdf4llm.to_markdown`` as it is by default: with its layout model, headers and footers, and recognition
    where it thinks that a page needs it. Without ``furniture`` it leaves out headers and footers."""
    package = require("pymupdf4llm", "comparing with pymupdf4llm")

    def read(page: PageImage) -> Written:
        with one_page(page) as document:
            text = str(package.to_markdown(document, show_progress=False, header=furniture, footer=furniture))
        return Written(PICTURE_TEXT.sub(" ", text), "\n".join(PICTURE_TEXT.findall(text)))

    return read


def with_rapidocr(furniture: bool = True) -> Read:
    """RapidOCR's lines of the picture of the page, ordered along white space; without ``furniture`` those at its upper
    and lower edge are left out."""
    from docspec.drafting.assembly import assemble
    from docspec.drafting.columns import cut_layout
    from docspec.drafting.recogniser import Recogniser

    recogniser = Recogniser()

    def read(page: PageImage) -> Written:
        lines, _ = recogniser.read_page(page.image)
        regions = assemble(cut_layout(lines, page.height), lines)
        kept = [region for region in regions if furniture or not region.category.is_furniture]
        return Written("\n\n".join(text for region in kept for text in region.texts[:1]))

    return read


def with_tesseract(furniture: bool = True) -> Read:
    """The program ``tesseract`` on the picture of the page; it knows no ``furniture``."""
    if shutil.which("tesseract") is None:
        raise UsageError("tesseract is not installed; leave out --reader tesseract")

    def read(page: PageImage) -> Written:
        buffer = io.BytesIO()
        page.image.save(buffer, "PNG", dpi=(72 * page.scale, 72 * page.scale))
        command = ["tesseract", "-", "-", *TESSERACT]
        done = subprocess.run(command, input=buffer.getvalue(), capture_output=True, check=True)
        return Written(done.stdout.decode())

    return read


def with_pdfium(furniture: bool = True) -> Read:
    """The text layer as PDFium (``pypdfium2``) reads it, in the order of the file: no layout, and no ``furniture`` that
    it could leave out."""
    package = require("pypdfium2", "comparing with PDFium")

    def read(page: PageImage) -> Written:
        with one_page(page) as document:
            text = package.PdfDocument(document.tobytes())[0].get_textpage().get_text_range()
        return Written(MARKDOWN.sub(r"\\\g<0>", text))

    return read


OTHERS: dict[str, Callable[..., Read]] = {
    "pymupdf4llm": with_pymupdf4llm,
    "rapidocr": with_rapidocr,
    "tesseract": with_tesseract,
    "pdfium": with_pdfium,
}
"""What makes each of them ready, with or without ``furniture``: headers and footers of pages. Raises
:class:`docspec.core.UsageError` where it is not installed."""


def one_page(page: PageImage) -> Any:
    """A PDF of this page alone: the file's own, or of its picture where it has none."""
    document = mupdf().open()
    if page.pdf_page is not None:
        number = page.pdf_page.number
        document.insert_pdf(page.pdf_page.parent, from_page=number, to_page=number)
        return document
    buffer = io.BytesIO()
    page.image.save(buffer, "PNG")
    sheet = document.new_page(width=page.width / page.scale, height=page.height / page.scale)
    sheet.insert_image(sheet.rect, stream=buffer.getvalue())
    return document
