"""The input as a PDF with an invisible text layer: what was read, at its place on the page as it was.

Nothing that is seen changes. A PDF gets its changes appended where it can, so that links, bookmarks, forms and its
metadata stay as they are; an image becomes a page of that image. Words are written one by one, each as wide as its
box, with a space up to the next one of its line.
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

from docspec.core import BBox
from docspec.core.grouping import runs_of
from docspec.core.straightening import Projection, Straightening
from docspec.documents.document import Document, PageFailure
from docspec.documents.glyphless import ADVANCE, GlyphlessFont
from docspec.documents.images import ORIENTATION
from docspec.documents.mupdf import mupdf
from docspec.documents.opening import open_pdf
from docspec.documents.pages import PageSelection
from docspec.documents.pdf import PdfDocument
from docspec.documents.rotation import make_upright
from docspec.documents.text_layer import LayerPage, LayerWord
from docspec.documents.view import View

BASE, RISE = 0.22, 0.85
"""Heights of a box of type from its lower edge to the baseline, and that are an em."""

DPI, LEAST_DPI, MOST_DPI = 200.0, 70.0, 2400.0
"""Pixels to the inch of an image that does not tell, and those that are believed."""

ROTATED = {1: 0, 3: 180, 6: 90, 8: 270}
"""Degrees clockwise by which a page with a camera's picture is shown, by the camera's note."""

LEFTWARDS, DOWNWARDS = -1, 2

JPEG_QUALITY = 90
_RIGHTWARDS = frozenset(("L", "EN", "AN", "ES", "ET", "CS"))
"""Unicode's classes of signs that keep their order within text that runs leftwards, and of those between figures."""

FONT = "DocspecGlyphless"


def searchable_pdf(document: Document, view: View, pages: Sequence[LayerPage], password: str | None = None) -> bytes:
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
            _write(shown, font, page, to_sheet.then(_to_user_space(shown)))
        font.finish()
        data: bytes = pdf.tobytes(garbage=1, deflate=True)
        return data


def _with_layers(document: PdfDocument, view: View, pages: Sequence[LayerPage], password: str | None) -> bytes:
    """A PDF with its layers, appended to its bytes if that is possible."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "document.pdf")
        path.write_bytes(document.source.read())
        pdf, tree = open_pdf(replace(document.source, path=path, data=None), password)
        with pdf:
            font = GlyphlessFont(pdf)
            written = False
            for page in pages:
                index = tree.indices[page.number - 1]
                if index is None or not page.lines or not page.width or not page.height:
                    continue
                shown, to_sheet = pdf[index], _to_sheet(pdf, index, view, page)
                if page.replaces:
                    _without_layer(shown)
                else:
                    page = _untold(shown, page, to_sheet)
                written |= _write(shown, font, page, to_sheet.then(_to_user_space(shown)))
            whole = len({page.number for page in pages}) == len(tree.indices)
            if whole and not written:
                return document.source.read()
            font.finish()
            if not whole:
                pdf.select([index for page in pages if (index := tree.indices[page.number - 1]) is not None])
            elif pdf.can_save_incrementally():
                pdf.saveIncr()
                return path.read_bytes()
            keep = mupdf().PDF_ENCRYPT_KEEP
            # compacted (2): MuPDF gives the numbers of objects that were taken out a wrong entry beside object streams
            data: bytes = pdf.tobytes(garbage=2, deflate=True, use_objstms=1, encryption=keep)
            return data


def _untold(sheet: Any, page: LayerPage, to_sheet: Projection) -> LayerPage:
    """``page`` without the words that the layer that it keeps tells. Only such stay as have a letter or a sign that the
    file does not have in their place: words in pictures, codes of private use for a plus, a Latin letter for a Greek
    one."""
    if not any(word.is_kept for line in page.lines for word in line):
        return page
    boxes, signs = [], []
    for block in sheet.get_text("rawdict")["blocks"]:
        for line in block.get("lines", ()):
            for char in (char for span in line["spans"] for char in span["chars"]):
                boxes.append(char["bbox"])
                signs.append(_told_by(char["c"]))
    sides = np.array(boxes, dtype=float).reshape(-1, 4)
    x, y = sides[:, [0, 2]].mean(axis=1), sides[:, [1, 3]].mean(axis=1)

    def is_told(word: LayerWord) -> bool:
        there: set[str] = set()
        for box in word.boxes or (word.bbox,):
            (x0, y0), (x1, y1) = to_sheet.point(box.x0, box.y0), to_sheet.point(box.x1, box.y1)
            x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
            room = 0.2 * min(x1 - x0, y1 - y0)
            inside = (x0 - room <= x) & (x <= x1 + room) & (y0 - room <= y) & (y <= y1 + room)
            there.update(*(signs[at] for at in np.flatnonzero(inside)))
        return _told_by(word.text) <= there

    lines = (tuple(word for word in line if not (word.is_kept and is_told(word))) for line in page.lines)
    return replace(page, lines=tuple(line for line in lines if line))


def _told_by(text: str) -> set[str]:
    """The letters, figures and signs of ``text`` in one form."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return {sign for sign in plain if sign.isalnum() or unicodedata.category(sign)[0] == "S"}


def _write(sheet: Any, font: GlyphlessFont, page: LayerPage, to_user: Projection) -> bool:
    """Appends the text of ``page`` to the contents of a ``pymupdf.Page``, if there is any; ``to_user`` maps its
    pixels."""
    shown = [_line(line, font, to_user) for line in page.lines]
    if not any(shown):
        return False
    _add_font(sheet, font.xref)
    sheet.wrap_contents()
    content = f"q\nBT\n3 Tr\n/{FONT} 1 Tf\n" + "".join(shown) + "ET\nQ\n"
    data = content.encode("ascii")
    xref = mupdf().TOOLS._insert_contents(sheet, data, 1)
    sheet.parent.update_stream(xref, data, compress=True)
    return True


def _line(words: Sequence[LayerWord], font: GlyphlessFont, to_user: Projection) -> str:
    """The operators of a line. Text that runs leftwards is written as it is seen, from left to right: so readers find
    it in files that print it."""
    if any(word.way == LEFTWARDS for word in words):
        words = sorted((_as_seen(word) for word in words), key=lambda word: word.bbox.x0)
    parts = []
    for at, word in enumerate(words):
        start, end, up = _axes(word.bbox, word.way)
        if word.is_kept:  # it stands over one of the file's own, with which it must not become one word
            ahead = 2 * start[0] - end[0], 2 * start[1] - end[1]
            above = (ahead[0] + up[0] - start[0], ahead[1] + up[1] - start[1])
            parts.append(_shown(" ", ahead, start, above, font, to_user))
        parts.append(_shown(word.text, start, end, up, font, to_user))
        if at + 1 < len(words):  # a space up to the next word
            following = _axes(words[at + 1].bbox, word.way)[0]
            least = 0.1 * min(word.bbox.width, word.bbox.height)
            if abs(word.way) == 1:
                behind = max(following[0], end[0] + least), end[1]
            elif word.way == DOWNWARDS:
                behind = end[0], max(following[1], end[1] + least)
            else:
                behind = end[0], min(following[1], end[1] - least)
            above = end[0] + up[0] - start[0], end[1] + up[1] - start[1]
            parts.append(_shown(" ", end, behind, above, font, to_user))
    return "".join(parts)


def _as_seen(word: LayerWord) -> LayerWord:
    """``word`` with its letters from left to right. Figures and Latin letters within it keep their order."""
    if word.way != LEFTWARDS:
        return word
    letters: list[str] = []
    for sign in word.text:  # accents stay behind their letters
        letters[-1:] = [letters[-1] + sign] if letters and unicodedata.combining(sign) else [*letters[-1:], sign]
    runs = runs_of(letters, lambda one, other: _keeps_order(one) and _keeps_order(other))
    return replace(word, text="".join(letter for run in runs[::-1] for letter in run), way=1)


def _keeps_order(letter: str) -> bool:
    return unicodedata.bidirectional(letter[0]) in _RIGHTWARDS


Place = tuple[float, float]


def _axes(box: BBox, way: int) -> tuple[Place, Place, Place]:
    """Where the baseline of type in ``box`` begins and ends, and the point an em above its beginning."""
    if abs(way) == 1:
        base, height = box.y1 - BASE * box.height, RISE * box.height
        return (box.x0, base), (box.x1, base), (box.x0, base - height)
    width = RISE * box.width
    if way == DOWNWARDS:
        base = box.x0 + BASE * box.width
        return (base, box.y0), (base, box.y1), (base + width, box.y0)
    base = box.x1 - BASE * box.width
    return (base, box.y1), (base, box.y0), (base - width, box.y1)


def _shown(text: str, start: Place, end: Place, up: Place, font: GlyphlessFont, to_user: Projection) -> str:
    """The operators that show ``text`` from ``start`` to ``end``."""
    x, y = to_user.point(*start)
    length = ADVANCE * len(text)
    across = [(b - a) / length for a, b in zip((x, y), to_user.point(*end), strict=True)]
    rise = [b - a for a, b in zip((x, y), to_user.point(*up), strict=True)]
    numbers = (*across, *rise, x, y)
    if not length or across == [0.0, 0.0] or rise == [0.0, 0.0] or not all(abs(number) < 1e6 for number in numbers):
        return ""
    return " ".join(f"{number:.3f}".rstrip("0").rstrip(".") for number in numbers) + f" Tm <{font.encoded(text)}> Tj\n"


def _add_font(sheet: Any, xref: int) -> None:
    """Names the font among the resources of the page, its own or those that it shares."""
    low = mupdf().mupdf
    page = sheet.this if isinstance(sheet.this, low.PdfPage) else low.pdf_page_from_fz_page(sheet.this)
    pdf, own = page.doc(), page.obj()
    resources = low.pdf_dict_get_inheritable(own, low.pdf_new_name("Resources"))
    if not low.pdf_is_dict(resources):
        resources = low.pdf_dict_put_dict(own, low.pdf_new_name("Resources"), 1)
    fonts = low.pdf_dict_gets(resources, "Font")
    if not low.pdf_is_dict(fonts):
        fonts = low.pdf_dict_put_dict(resources, low.pdf_new_name("Font"), 1)
    low.pdf_dict_puts(fonts, FONT, low.pdf_new_indirect(pdf, xref, 0))


def _without_layer(sheet: Any) -> None:
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
