"""The input as a PDF with an invisible text layer: what was read, at its place on the page as it was.

Nothing that is seen changes. A PDF gets its changes appended where it can, so that links, bookmarks, forms and its
metadata stay as they are; an image becomes a page of that image.
"""

from __future__ import annotations

import io
import tempfile
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from docspec.core.straightening import Projection, Straightening
from docspec.documents.claims import FileMade, is_signed, pdf_a_claim, without_claim
from docspec.documents.document import Document, PageFailure
from docspec.documents.glyph_shapes import GlyphShapes
from docspec.documents.glyphless import GlyphlessFont
from docspec.documents.images import ORIENTATION
from docspec.documents.kept_forms import select_with_form
from docspec.documents.layer_text import LayerPage, LayerWord, write_layer
from docspec.documents.mupdf import mupdf
from docspec.documents.pages import PageSelection, make_upright
from docspec.documents.pagetree import open_pdf
from docspec.documents.pdf import PdfDocument
from docspec.documents.signs import name_glyphs, name_signs
from docspec.documents.view import View

DPI, LEAST_DPI, MOST_DPI = 200.0, 70.0, 2400.0
"""Pixels to the inch of an image that does not tell, and those that are believed."""

ROTATED = {1: 0, 3: 180, 6: 90, 8: 270}
"""Degrees clockwise by which a page with a camera's picture is shown, by the camera's note."""

JPEG_QUALITY = 90

FIRST_EASTERN = "\u2e80"
"""The first of the signs of East Asia."""


def searchable_pdf(document: Document, view: View, pages: Sequence[LayerPage], password: str | None = None) -> FileMade:
    """``document``, whose ``pages`` were read by ``view``, with their layers; only these pages, if not all were."""
    if isinstance(document, PdfDocument):
        return _with_layers(document, view, pages, password)
    with mupdf().open() as pdf:
        font = GlyphlessFont(pdf)
        for page in pages:
            shown = _picture_page(pdf, document, view, page)
            if not page.width or not page.height:
                continue
            to_sheet = _to_shown(page, shown.rect.width, shown.rect.height)
            write_layer(shown, font, page, to_sheet.then(_to_user_space(shown)))
        font.finish()
        data: bytes = pdf.tobytes(garbage=1, deflate=True)
        return data, ()


def _with_layers(document: PdfDocument, view: View, pages: Sequence[LayerPage], password: str | None) -> FileMade:
    """A PDF with its layers, appended to its bytes if that is possible. A claim of PDF/A is taken out, as nobody checks
    it, and a signature covers no more than what was signed: both are said."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "document.pdf")
        path.write_bytes(document.source.read())
        pdf, tree = open_pdf(replace(document.source, path=path, data=None), password)
        with pdf:
            font, shapes = GlyphlessFont(pdf), GlyphShapes()
            written = False
            for page in pages:
                index = tree.indices[page.number - 1]
                if index is None or not page.lines or not page.width or not page.height:
                    continue
                shown, to_sheet = pdf[index], _to_sheet(pdf, index, view, page)
                written |= name_signs(shown) | name_glyphs(shown) | shapes.name(shown)
                if page.replaces:
                    without_layer(shown)
                page = untold(shown, page, to_sheet)
                written |= write_layer(shown, font, page, to_sheet.then(_to_user_space(shown)))
            whole = len({page.number for page in pages}) == len(tree.indices)
            if whole and not written:
                return document.source.read(), ()
            font.finish()
            lost = []
            if claim := pdf_a_claim(pdf):
                without_claim(pdf)
                lost.append(f"the input says that it is {claim}; the copy does not, as nobody has checked it")
            signed = is_signed(pdf)
            if not whole:
                chosen = (tree.indices[page.number - 1] for page in pages)
                select_with_form(pdf, [index for index in chosen if index is not None])
            elif pdf.can_save_incrementally():
                pdf.saveIncr()
                lost += ["its signature covers the input; readers say that it was changed after that"] if signed else []
                return path.read_bytes(), tuple(lost)
            keep = mupdf().PDF_ENCRYPT_KEEP
            # compacted (2): MuPDF gives the numbers of objects that were taken out a wrong entry beside object streams
            data: bytes = pdf.tobytes(garbage=2, deflate=True, use_objstms=1, encryption=keep)
            lost += ["it was written anew, and its signature is not valid any more"] if signed else []
            return data, tuple(lost)


def _to_shown(page: LayerPage, width: float, height: float) -> Projection:
    """From the pixels of ``page`` as it was read to a sheet of ``width`` x ``height`` that stands as its picture did
    before it was turned and straightened."""
    if not page.seen:  # the image may have been widened on its right or below
        pixels = min(page.width / width, page.height / height)
        return Projection.scaling(1 / pixels, 1 / pixels)
    pixels = max(page.width, page.height) / max(page.seen.size(width, height))
    across, down = page.seen.size(width * pixels, height * pixels)
    back = page.seen.projection(width * pixels, height * pixels).inverse()
    to_before = Projection.scaling(across / page.width, down / page.height).then(back)
    return to_before.then(Projection.scaling(1 / pixels, 1 / pixels))


def _to_sheet(pdf: Any, index: int, view: View, page: LayerPage) -> Projection:
    """From the pixels of ``page`` to the points of the sheet as viewers show it."""
    shown = pdf[index].rect
    with mupdf().open() as copy:
        copy.insert_pdf(pdf, from_page=index, to_page=index, links=False, annots=False, widgets=False)
        turn = make_upright(copy[0], by_text=view.upright)
    turned = Straightening(turns=turn // 90)
    width, height = (shown.height, shown.width) if turned.turns % 2 else (shown.width, shown.height)
    to_upright = _to_shown(page, width, height)
    return to_upright.then(turned.projection(shown.width, shown.height).inverse()) if turn else to_upright


def _to_user_space(sheet: Any) -> Projection:
    """From the points of a ``pymupdf.Page`` as it is shown to those of its contents."""
    paper, visible = sheet.mediabox, sheet.cropbox  # y up; y down from the paper's top
    turned = Straightening(turns=sheet.rotation // 90)
    width, height = sheet.rect.width, sheet.rect.height
    if turned.turns % 2:
        width, height = height, width
    upright = turned.projection(width, height).inverse()
    unit = visible.width / (width or 1.0)  # a page may have larger points than others
    return upright.then(Projection((unit, 0.0, visible.x0, 0.0, -unit, paper.y1 - visible.y0, 0.0, 0.0, 1.0)))


def _picture_page(pdf: Any, document: Document, view: View, page: LayerPage) -> Any:
    """A new page of ``pdf`` with a picture of ``document`` as it is in its file, or, where PDF has no such pictures, as
    it was read."""
    try:
        data, size, dpi, rotation = _original(document, page.number, view)
    except Exception:  # whatever Pillow raises; the picture was read, with less than all of it
        found = next(iter(document.pages(PageSelection(((page.number, page.number),)), view=view)))
        if isinstance(found, PageFailure):
            return pdf.new_page(width=max(page.width, 1) * 72 / DPI, height=max(page.height, 1) * 72 / DPI)
        buffer = io.BytesIO()
        found.image.save(buffer, "JPEG", quality=JPEG_QUALITY)
        data, size, dpi, rotation = buffer.getvalue(), found.image.size, DPI, 0
    sheet = pdf.new_page(width=size[0] * 72 / dpi, height=size[1] * 72 / dpi)
    sheet.insert_image(sheet.rect, stream=data)
    sheet.set_rotation(rotation)
    return sheet


def _original(document: Document, number: int, view: View) -> tuple[bytes, tuple[int, int], float, int]:
    """The bytes of a picture, its size in pixels, its pixels to the inch, and how it is turned. Raises ``ValueError``,
    or Pillow's errors, for one that has to be drawn."""
    from PIL import Image

    data = document.source.read()
    with Image.open(io.BytesIO(data)) as image:
        turned = int(image.getexif().get(ORIENTATION, 1)) if view.exif else 1
        if turned not in ROTATED or image.format == "WEBP":
            raise ValueError("a picture that is mirrored, or of no kind that PDF has")
        if image.format == "TIFF":
            image.seek(number - 1)
            buffer = io.BytesIO()
            image.save(buffer, "PNG")
            data = buffer.getvalue()
        stated = float(image.info.get("dpi", (DPI, DPI))[0])
        dpi = stated if LEAST_DPI <= stated <= MOST_DPI else DPI
        return data, image.size, dpi, ROTATED[turned]


def untold(sheet: Any, page: LayerPage, to_sheet: Projection) -> LayerPage:
    """``page`` without the words that the layer of ``sheet`` (a ``pymupdf.Page``) tells. Only such stay as have a
    letter or a sign that the file does not have in their place (words in pictures, codes of private use for a plus, a
    Latin letter for a Greek one), those whose letters it sets apart, and those of notes that it does not draw: only
    some programs do."""
    if not any(word.is_kept for line in page.lines for word in line):
        return page
    boxes, signs = [], []
    are_guessed = _tells_bytes(sheet)
    notes = [annot.rect for annot in sheet.annots() if sheet.parent.xref_get_key(annot.xref, "AP")[0] == "null"]
    for block in sheet.get_text("rawdict")["blocks"]:
        for line in block.get("lines", ()):
            for char in (char for span in line["spans"] for char in span["chars"]):
                boxes.append(char["bbox"])
                is_guessed = are_guessed and char["c"] >= FIRST_EASTERN
                signs.append("" if is_guessed or any(char["origin"] in note for note in notes) else char["c"])
            boxes.append(line["bbox"])
            signs.append("\n")
    sides = np.array(boxes, dtype=float).reshape(-1, 4)
    x, y = sides[:, [0, 2]].mean(axis=1), sides[:, [1, 3]].mean(axis=1)

    def is_told(word: LayerWord) -> bool:
        there: set[str] = set()
        for box in word.boxes or (word.bbox,):
            (x0, y0), (x1, y1) = to_sheet.point(box.x0, box.y0), to_sheet.point(box.x1, box.y1)
            x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
            room = 0.2 * min(x1 - x0, y1 - y0)
            inside = np.flatnonzero((x0 - room <= x) & (x <= x1 + room) & (y0 - room <= y) & (y <= y1 + room))
            if len(word.boxes) <= 1 and _are_apart("".join(signs[at] for at in inside), word.text):
                return False
            there.update(*(_told_by(signs[at]) for at in inside))
        return _told_by(word.text) <= there

    lines = (tuple(word for word in line if not (word.is_kept and is_told(word))) for line in page.lines)
    return replace(page, lines=tuple(line for line in lines if line))


def _tells_bytes(sheet: Any) -> bool:
    """Whether all fonts of a page have a Western encoding and no Unicode. Chinese on it is what MuPDF makes of the
    bytes by the name of the font; other readers tell Western letters."""
    fonts = sheet.get_fonts()
    return bool(fonts) and all(
        encoding == "WinAnsiEncoding" and xref and sheet.parent.xref_get_key(xref, "ToUnicode")[0] == "null"
        for xref, _, _, _, _, encoding, *_ in fonts
    )


def _are_apart(told: str, text: str) -> bool:
    """Whether the layer tells single letters where ``text`` is one word."""
    parts = told.split()
    single = sum(len(part) == 1 for part in parts)
    return 2 * single > len(parts) > 1 and "".join(parts) == text


def _told_by(text: str) -> set[str]:
    """The letters, figures and signs of ``text`` in one form."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return {sign for sign in plain if sign.isalnum() or unicodedata.category(sign)[0] == "S"}


def without_layer(sheet: Any) -> None:
    """Takes out invisible text, that of another recogniser, which was found to be wrong."""
    pymupdf = mupdf()
    if not any(span.get("type") == 3 for span in sheet.get_texttrace()):
        return
    sheet.add_redact_annot(sheet.rect * sheet.derotation_matrix if sheet.rotation else sheet.rect, fill=False)
    sheet.apply_redactions(
        images=pymupdf.PDF_REDACT_IMAGE_NONE,
        graphics=pymupdf.PDF_REDACT_LINE_ART_NONE,
        text=pymupdf.PDF_REDACT_TEXT_REMOVE_INVISIBLE,
    )
