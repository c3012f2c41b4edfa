"""PDF files from drawn pages, the same bytes on every run: fixed dates, no file identifier, no own fonts.

A scan is the drawn page rasterised, tilted, dirtied and put back as the only image of a page of that size.
"""

import io
from pathlib import Path

import numpy as np
import pymupdf
from PIL import Image, ImageFilter

from samples.press.blocks import Sheet
from samples.press.canvas import FONTS, Canvas
from samples.press.flow import print_sheet

DPI = 200
_DATE = "D:20250301090000Z"
_PAPER = 244


def _font_object(base: str) -> str:
    encoding = "" if base == "Symbol" else "/Encoding/WinAnsiEncoding"
    return f"<</Type/Font/Subtype/Type1/BaseFont/{base}{encoding}>>"


def _resources(doc: pymupdf.Document, canvas: Canvas) -> str:
    entries = []
    for font in sorted(canvas.fonts):
        base, key = FONTS[font]
        xref = doc.get_new_xref()
        doc.update_object(xref, _font_object(base))
        entries.append(f"/{key} {xref} 0 R")
    return f"<</Font<<{' '.join(entries)}>>>>"


def _add_drawn(doc: pymupdf.Document, canvas: Canvas, rotate: int) -> None:
    turned = rotate in (90, 270)
    width, height = (canvas.height, canvas.width) if turned else (canvas.width, canvas.height)
    page = doc.new_page(width=width, height=height)
    content = "\n".join(canvas.operators)
    if rotate == 90:
        content = f"q 0 1 -1 0 {width:.2f} 0 cm\n{content}\nQ"
    if canvas.operators:
        doc.xref_set_key(page.xref, "Resources", _resources(doc, canvas))
        stream = doc.get_new_xref()
        doc.update_object(stream, "<<>>")
        doc.update_stream(stream, content.encode("ascii"))
        page.set_contents(stream)
    page.set_rotation(rotate)


def _worn(clean: Image.Image, rng: np.random.Generator) -> Image.Image:
    """Tilt, soften and dirty a grey page image."""
    angle = float(rng.uniform(0.3, 0.8) * rng.choice((-1, 1)))
    tilted = clean.rotate(angle, resample=Image.Resampling.BICUBIC, fillcolor=255)
    soft = np.asarray(tilted.filter(ImageFilter.GaussianBlur(0.45)), dtype=np.float64)
    height, width = soft.shape
    shade = np.add.outer(np.linspace(0, -5, height), np.linspace(2, -3, width))
    inked = 28 + soft * (_PAPER - 28) / 255 + shade
    grain = rng.normal(0.0, 4.0, soft.shape)
    return Image.fromarray(np.clip(inked + grain, 0, 255).astype(np.uint8), mode="L")


def _scan_jpeg(page: pymupdf.Page, seed: int) -> bytes:
    pixels = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
    clean = Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)
    out = io.BytesIO()
    _worn(clean, np.random.default_rng(seed)).save(out, "JPEG", quality=70, dpi=(DPI, DPI))
    return out.getvalue()


def _add_scan(doc: pymupdf.Document, canvas: Canvas, seed: int) -> None:
    with pymupdf.open() as single:
        _add_drawn(single, canvas, 0)
        jpeg = _scan_jpeg(single[0], seed)
    page = doc.new_page(width=canvas.width, height=canvas.height)
    page.insert_image(page.rect, stream=jpeg)


def write_pdf(path: Path, title: str, sheets: tuple[Sheet, ...], *, scan: bool = False, seed: int = 0) -> None:
    """Write `sheets` as one PDF, all of them as scans where `scan` is set."""
    with pymupdf.open() as doc:
        for number, sheet in enumerate(sheets):
            canvas, _ = print_sheet(sheet)
            if scan or sheet.scan:
                _add_scan(doc, canvas, seed + number)
            else:
                _add_drawn(doc, canvas, sheet.rotate)
        doc.set_metadata({"title": title, "creationDate": _DATE, "modDate": _DATE})
        doc.save(path, garbage=4, deflate=True, no_new_id=True)
