"""A page of text in each of twelve languages, as a PDF with a text layer, as a scan and as photographs.

The texts (``texts.json``) are articles 1 and 3 of the Universal Declaration of Human Rights and invented sentences with
numbers. Lines are broken here, so that the truth is known to the line; HarfBuzz shapes them (``insert_htmlbox``). The
fonts are Debian's (benchmarks/README.md names the packages); a language without an installed font is left out.
"""

from __future__ import annotations

import html
import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Literal

import numpy as np
from PIL import Image

from docspec.documents.mupdf import mupdf

Form = Literal["pdf", "scan", "photo", "curved"]
FORMS: tuple[Form, ...] = ("pdf", "scan", "photo", "curved")

_OF_THE_USER = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share", "fonts")
FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), _OF_THE_USER)
UNSPACED = frozenset({"jpn", "chi_sim", "tha"})
"""Languages that are written without spaces between words."""

ZEROS = {"ara": "٠", "fas": "۰", "hin": "०", "tha": "๐"}
"""The digits that scripts have of their own, by their first."""

RIGHT_TO_LEFT = frozenset({"Arabic", "Hebrew"})
SIZE, PITCH, MARGIN = 12.0, 20.0, 62.0  # points
DPI = 200
LEAN = 1.0
"""Degrees by which a scan leans, clockwise."""

DEPTH, BEND, CAMERA = 0.12, 0.18, 2.0
"""How deep an open book falls towards its binding, over which length it bends, and how far the camera is, in widths of
the page."""

NOISE = 9.0
"""Standard deviation of a scan's grey values, of 255."""


@dataclass(frozen=True, slots=True)
class LanguagePage:
    """One page: the language by tesseract's code, its English name and its script, the font, and the printed lines of
    each paragraph, the heading first."""

    language: str
    name: str
    script: str
    font: Path
    paragraphs: tuple[tuple[str, ...], ...]

    @property
    def truth(self) -> str:
        """The text of the page, a paragraph a line."""
        joint = "" if self.language in UNSPACED else " "
        return "\n".join(joint.join(lines) for lines in self.paragraphs)


def language_pages(fonts: int = 2) -> Iterator[LanguagePage]:
    """The pages for which a font is installed, up to so many ``fonts`` a language."""
    texts = json.loads((Path(__file__).parent / "texts.json").read_text(encoding="utf-8"))
    for code, told in texts.items():
        found = [path for name in told["fonts"] if (path := _font(name)) is not None]
        for font in found[:fonts]:
            paragraphs = tuple(tuple(_broken(text, told["width"], code)) for text in told["paragraphs"])
            yield LanguagePage(code, told["name"], told["script"], font, paragraphs)


def with_own_digits(page: LanguagePage) -> LanguagePage:
    """``page``, of one of the languages of :data:`ZEROS`, with its numbers in the digits of its script."""
    digits = {ord(str(value)): chr(ord(ZEROS[page.language]) + value) for value in range(10)}
    return replace(page, paragraphs=tuple(tuple(line.translate(digits) for line in one) for one in page.paragraphs))


def as_pdf(page: LanguagePage) -> bytes:
    """``page`` as a PDF of one A4 sheet with a text layer."""
    pymupdf = mupdf()
    document = pymupdf.open()
    sheet = document.new_page(width=595, height=842)
    archive = pymupdf.Archive(str(page.font.parent))
    css = f"@font-face {{font-family: own; src: url({page.font.name});}} * {{font-family: own;}} p {{margin: 0;}}"
    way, align = ("rtl", "right") if page.script in RIGHT_TO_LEFT else ("ltr", "left")
    top = MARGIN
    for number, lines in enumerate(page.paragraphs):
        size = SIZE if number else 1.5 * SIZE
        for line in lines:
            box = pymupdf.Rect(MARGIN, top, 595 - MARGIN + 20, top + 2 * PITCH)
            style = f"font-size: {size}px; text-align: {align}"
            text = f'<p dir="{way}" style="{style}">{html.escape(line)}</p>'
            sheet.insert_htmlbox(box, text, css=css, archive=archive)
            top += PITCH * size / SIZE
        top += 0.6 * PITCH
    document.subset_fonts()
    written = document.tobytes(garbage=3, deflate=True)
    document.close()
    return bytes(written)


def as_scan(page: LanguagePage, pdf: bytes) -> Image.Image:
    """``page``, drawn as ``pdf``, as a scan: 200 pixels an inch, noise, one degree askew."""
    image = _drawn(pdf).rotate(-LEAN, resample=Image.Resampling.BICUBIC, fillcolor=255)
    return _noisy(image, page, NOISE)


def as_photograph(page: LanguagePage, pdf: bytes, curved: bool = False) -> Image.Image:
    """``page``, drawn as ``pdf``, as a photograph on a dark table: in perspective, in the shadow of a lamp, in JPEG;
    ``curved``: as a page of an open book, bound at its left."""
    import cv2

    sheet = np.asarray(_drawn(pdf))
    if curved:
        sheet = _bent(sheet)
    high, wide = sheet.shape
    frame = (round(1.12 * wide), round(1.08 * high))
    corners = np.array([(0, 0), (wide, 0), (wide, high), (0, high)], dtype=np.float32)
    shares = np.array([(0.075, 0.045), (0.935, 0.03), (0.965, 0.965), (0.04, 0.955)])
    placed = (shares * frame).astype(np.float32)
    warped = cv2.warpPerspective(sheet, cv2.getPerspectiveTransform(corners, placed), frame, borderValue=(70,))
    across, down = np.meshgrid(np.linspace(0, 1, frame[0]), np.linspace(0, 1, frame[1]))
    light = 0.62 + 0.38 * np.clip(1.15 - 0.7 * across * down - 0.25 * down, 0, 1)
    image = _noisy(Image.fromarray((warped * light).clip(0, 255).astype(np.uint8)), page, 0.6 * NOISE)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=85)
    return Image.open(buffer).convert("RGB")


def _bent(sheet: np.ndarray) -> np.ndarray:
    """A grey ``sheet`` whose left part falls away from the camera, like a cylinder, and into the dark."""
    import cv2

    high, wide = sheet.shape
    across = np.arange(wide, dtype=np.float64)  # along the table; the paper is longer where it falls
    depth = DEPTH * wide * np.exp(-across / (BEND * wide))
    along = np.concatenate(([0.0], np.cumsum(np.hypot(1.0, np.diff(depth)))))
    nearer = CAMERA * wide / (CAMERA * wide + depth)
    seen = wide / 2 + (across - wide / 2) * nearer
    places = np.interp(np.linspace(seen[0], seen[-1], wide), seen, np.linspace(0, wide - 1, wide))
    on_paper = np.interp(places, across, along) * (wide - 1) / along[-1]
    scale = np.interp(places, across, nearer)
    rows = high / 2 + (np.arange(high)[:, None] - high / 2) / scale[None]
    columns = np.broadcast_to(on_paper, rows.shape)
    bent = cv2.remap(sheet, columns.astype(np.float32), rows.astype(np.float32), cv2.INTER_CUBIC, borderValue=(70,))
    fall = np.abs(np.interp(places, across, np.gradient(depth)))
    return (bent * (1 - 0.5 * np.clip(fall, 0, 1))).astype(np.uint8)


def _drawn(pdf: bytes) -> Image.Image:
    with mupdf().open(stream=pdf, filetype="pdf") as document:
        return document[0].get_pixmap(dpi=DPI, colorspace="gray").pil_image()  # type: ignore[no-any-return]


def _noisy(image: Image.Image, page: LanguagePage, deviation: float) -> Image.Image:
    noise = np.random.default_rng(Random(f"{page.language} {page.font.name}").getrandbits(32))
    grey = np.asarray(image, dtype=np.float32) + noise.normal(0, deviation, (image.height, image.width))
    return Image.fromarray(grey.clip(0, 255).astype(np.uint8)).convert("RGB")


def _broken(text: str, width: int, code: str) -> Iterator[str]:
    """``text`` in lines of up to ``width`` characters: at spaces, at the marks of Thai, anywhere in Chinese and
    Japanese, but before no closing sign."""
    if code in ("jpn", "chi_sim"):
        while len(text) > width:
            end = width
            while text[end] in "、。，；：！？）” 0123456789":
                end -= 1
            yield text[:end]
            text = text[end:]
        yield text
        return
    pieces = text.replace(" ", " \0").replace("|", "\0").split("\0")
    line = ""
    for piece in pieces:
        if len((line + piece).rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += piece
    yield line.rstrip()


@cache
def _font(name: str) -> Path | None:
    files = (file for folder in FONT_FOLDERS for file in sorted(folder.rglob(f"{name}.*")))
    return next((file for file in files if file.suffix in (".ttf", ".otf", ".ttc")), None)
