"""Pages of A5 from Markdown of titles, headings, paragraphs and list items, in three ways to write a text layer."""

from __future__ import annotations

import html
import re
import subprocess
import tempfile
from pathlib import Path

import pymupdf

from samples.scripts.fonts import find, font_of
from samples.scripts.forms import printed

SHEET = pymupdf.Rect(0, 0, 420, 595)
MARGIN = 40
LANGUAGES = {
    "persian": "fa",
    "arabic": "ar",
    "hebrew": "he",
    "hindi": "hi",
    "russian": "ru",
    "greek": "el",
    "chinese": "zh",
    "japanese": "ja",
    "korean": "ko",
    "thai": "th",
}
RIGHT_TO_LEFT = {"persian", "arabic", "hebrew"}
FORMS = ("persian", "arabic")
FORMS_FONT = "DejaVuSans.ttf"
TYPE = {"h1": 18.0, "h2": 13.0, "p": 10.5, "li": 10.5}
_CSS = "body, h1, h2, p, li {font-family: face} h1 {font-size: 18pt} h2 {font-size: 13pt} p, li {font-size: 10.5pt}"


def blocks(markdown: str) -> list[tuple[str, str]]:
    """Element and text of every block."""
    marks = {"# ": "h1", "## ": "h2", "- ": "li"}
    found = []
    for line in filter(str.strip, markdown.splitlines()):
        mark = next((mark for mark in marks if line.startswith(mark)), "")
        found.append((marks.get(mark, "p"), line.removeprefix(mark)))
    return found


def as_html(markdown: str, script: str) -> str:
    body = "".join(f"<{tag}>{html.escape(text)}</{tag}>" for tag, text in blocks(markdown))
    body = re.sub("(<li>.*</li>)", r"<ul>\1</ul>", body)
    way = "rtl" if script in RIGHT_TO_LEFT else "ltr"
    return f'<html><body lang="{LANGUAGES[script]}" dir="{way}">{body}</body></html>'


def write_shaped(file: Path, markdown: str, script: str) -> None:
    """By MuPDF, shaped with HarfBuzz."""
    font = font_of(script)
    css = _CSS.replace("face", "sans-serif")
    archive = None
    if font is not None:
        css = f"@font-face {{font-family: face; src: url({font.name})}} {_CSS}"
        archive = pymupdf.Archive(str(font.parent))
    with pymupdf.open() as document:
        page = document.new_page(width=SHEET.width, height=SHEET.height)
        area = pymupdf.Rect(MARGIN, MARGIN, SHEET.width - MARGIN, SHEET.height - MARGIN)
        room, _ = page.insert_htmlbox(area, as_html(markdown, script), css=css, archive=archive)
        if room < 0:
            raise ValueError(f"{script}: more text than the sheet holds")
        document.subset_fonts()
        document.save(file, garbage=3, deflate=True)


def write_forms(file: Path, markdown: str, script: str) -> None:
    """Presentation forms in visual order, line by line, flush right, in a font that holds them beside Latin."""
    font = find(FORMS_FONT)
    if font is None:
        raise ValueError(f"{script}: no font ({FORMS_FONT})")
    face = pymupdf.Font(fontfile=str(font))
    with pymupdf.open() as document:
        page = document.new_page(width=SHEET.width, height=SHEET.height)
        y = float(MARGIN)
        for tag, text in blocks(markdown):
            size = TYPE[tag]
            y += 0.8 * size
            for line in _lines(("• " if tag == "li" else "") + text, face, size):
                y += 1.5 * size
                start = pymupdf.Point(SHEET.width - MARGIN - face.text_length(line, fontsize=size), y)
                page.insert_text(start, line, fontname="face", fontfile=str(font), fontsize=size)
        document.subset_fonts()
        document.save(file, garbage=3, deflate=True)


def _lines(text: str, face: pymupdf.Font, size: float) -> list[str]:
    """``text`` broken between words, each line as it is printed."""
    lines: list[str] = []
    words = text.split()
    while words:
        count = next(
            (
                count
                for count in range(len(words), 1, -1)
                if face.text_length(printed(" ".join(words[:count])), fontsize=size) <= SHEET.width - 2 * MARGIN
            ),
            1,
        )
        lines.append(printed(" ".join(words[:count])))
        words = words[count:]
    return lines


def write_by_browser(file: Path, markdown: str, script: str, browser: str) -> None:
    """By a browser of Chromium's family, in the machine's fonts."""
    page = f"@page {{size: {SHEET.width}pt {SHEET.height}pt; margin: {MARGIN}pt}}"
    style = f"<style>{page} {_CSS.replace('face', 'serif')}</style><meta charset='utf-8'>"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(style + as_html(markdown, script), encoding="utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        profile = f"--user-data-dir={folder}/profile"
        subprocess.run(
            [*command, profile, f"--print-to-pdf={file}", source.as_uri()], check=True, capture_output=True, timeout=300
        )
