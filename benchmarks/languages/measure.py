"""Reads the pages of :mod:`benchmarks.languages.pages` by docspec as it is, by tesseract alone and by RapidOCR alone,
and counts wrong characters."""

from __future__ import annotations

import io
import re
import subprocess
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from benchmarks.languages.pages import UNSPACED, Form, LanguagePage, as_pdf, as_photograph, as_scan
from docspec.core import PageImage, ParseOptions
from docspec.documents.mupdf import mupdf
from docspec.parser import Parser

READERS = ("docspec", "tesseract", "rapidocr")

_PICTURES = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_MARKS = re.compile(r"^#+ |^[-*] |\\(?=[^\w\s])", re.MULTILINE)
_SARA_AM = re.compile("\u0e4d([\u0e48-\u0e4b]?)\u0e32")


@dataclass(frozen=True, slots=True)
class Measured:
    """How a ``reader`` read a page: ``errors`` (Levenshtein) against ``characters`` of the truth, in ``seconds``."""

    language: str
    name: str
    font: str
    form: Form
    reader: str
    characters: int
    errors: int
    seconds: float
    grade: str = ""

    @property
    def rate(self) -> float:
        """The character error rate, 0..1 or more."""
        return self.errors / self.characters


def measure(pages: Sequence[LanguagePage], forms: Sequence[Form], readers: Sequence[str]) -> Iterator[Measured]:
    """Every page in every form by every reader."""
    with tempfile.TemporaryDirectory() as folder, Parser(ParseOptions(model="mini")) as parser:
        alone: dict[str, Callable[[Image.Image, LanguagePage], str]] = {}
        if "tesseract" in readers:
            alone["tesseract"] = by_tesseract
        if "rapidocr" in readers:
            alone["rapidocr"] = by_rapidocr()
        for page in pages:
            pdf = as_pdf(page)
            for form in forms:
                file = Path(folder, f"{page.language}-{page.font.stem}-{form}.{'pdf' if form == 'pdf' else 'png'}")
                if form == "pdf":
                    file.write_bytes(pdf)
                    image = _picture(pdf)
                else:
                    image = as_scan(page, pdf) if form == "scan" else as_photograph(page, pdf, form == "curved")
                    image.save(file, dpi=(200, 200))
                if "docspec" in readers:
                    begun = time.perf_counter()
                    [read] = parser.parse(str(file)).pages
                    spent, grade = time.perf_counter() - begun, "" if read.quality is None else read.quality.grade
                    yield _measured(page, form, "docspec", read.text, spent, grade)
                for name, reader in alone.items():
                    begun = time.perf_counter()
                    text = reader(image, page)
                    yield _measured(page, form, name, text, time.perf_counter() - begun)


def by_tesseract(image: Image.Image, page: LanguagePage) -> str:
    """The text of the program with its own search for lines, told the language."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", dpi=(200, 200))
    command = ["tesseract", "-", "-", "-l", page.language]
    return subprocess.run(command, input=buffer.getvalue(), capture_output=True, check=True).stdout.decode()


def by_rapidocr() -> Callable[[Image.Image, LanguagePage], str]:
    """RapidOCR's recogniser as it comes in its wheel, its lines ordered along white space."""
    from benchmarks.other_readers import with_rapidocr

    read = with_rapidocr()
    return lambda image, page: read(PageImage(image, 1, 200 / 72, page.language)).text


def plain(text: str, language: str) -> str:
    """``text`` without Markdown's marks, composed, with single spaces; without any in languages that have none."""
    bare = _MARKS.sub("", _PICTURES.sub("", text))
    joint = "" if language in UNSPACED else " "
    return joint.join(unicodedata.normalize("NFC", _SARA_AM.sub("\\1\u0e33", bare)).split())


def _measured(page: LanguagePage, form: Form, reader: str, text: str, seconds: float, grade: str = "") -> Measured:
    from rapidfuzz.distance import Levenshtein

    truth = plain(page.truth, page.language)
    errors = Levenshtein.distance(truth, plain(text, page.language))
    return Measured(page.language, page.name, page.font.stem, form, reader, len(truth), errors, seconds, grade)


def _picture(pdf: bytes) -> Image.Image:
    with mupdf().open(stream=pdf, filetype="pdf") as document:
        return document[0].get_pixmap(dpi=200).pil_image()  # type: ignore[no-any-return]
