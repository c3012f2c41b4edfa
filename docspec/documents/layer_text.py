"""The words of an invisible text layer, and the operators that write them into the contents of a page.

Words are written one by one, each as wide as its box, with a space up to the next one of its line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from docspec.core import BBox
from docspec.core.geometry import runs_of
from docspec.core.straightening import NOTHING, Projection, Straightening
from docspec.documents.glyphless import ADVANCE, GlyphlessFont
from docspec.documents.mupdf import mupdf

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class LayerWord:
    """A word of the layer: its box, and the way its letters run (1: rightwards, -1: leftwards, 2: down, -2: up).
    ``is_kept``: the word is written only if what its page keeps of its own layer lacks it in its ``boxes``."""

    text: str
    bbox: BBox
    way: int = 1
    is_kept: bool = False
    boxes: tuple[BBox, ...] = ()


@dataclass(frozen=True, slots=True)
class LayerPage:
    """A page's number, its size in pixels as it was read, what had been done to its picture before, and the lines of
    its layer. ``replaces``: invisible text that the page has is taken out."""

    number: int
    width: int
    height: int
    lines: tuple[tuple[LayerWord, ...], ...]
    seen: Straightening = NOTHING
    replaces: bool = True


BASE, RISE = 0.22, 0.85
"""Heights of a box of type from its lower edge to the baseline, and that are an em."""

LEAST_GAP = 0.1
"""Ems between two words of a line. Boxes of recognised words are guessed and may touch; Poppler joins words with less
than 0.05 ems between them, whatever space is written there."""

LEFTWARDS, DOWNWARDS = -1, 2

_RIGHTWARDS = frozenset(("L", "EN", "AN", "ES", "ET", "CS"))
"""Unicode's classes of signs that keep their order within text that runs leftwards, and of those between figures."""

FONT = "DocspecGlyphless"


def write_layer(sheet: Any, font: GlyphlessFont, page: LayerPage, to_user: Projection) -> bool:
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
        following = _axes(words[at + 1].bbox, word.way)[0] if at + 1 < len(words) else None
        end = end if following is None else _before(following, start, end, up)
        if word.is_kept:  # it stands over one of the file's own, with which it must not become one word
            ahead = 2 * start[0] - end[0], 2 * start[1] - end[1]
            above = (ahead[0] + up[0] - start[0], ahead[1] + up[1] - start[1])
            parts.append(_shown(" ", ahead, start, above, font, to_user))
        parts.append(_shown(word.text, start, end, up, font, to_user))
        if following is not None:  # a space up to the next word
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


def _before(following: Place, start: Place, end: Place, up: Place) -> Place:
    """``end`` of a word, or a place before it that leaves :data:`LEAST_GAP` to where the ``following`` word starts. A
    word on more than half of which another one lies keeps its end."""
    across, down = end[0] - start[0], end[1] - start[1]  # one of them is 0
    length, em = abs(across + down), abs(up[0] - start[0] + up[1] - start[1])
    ahead = (following[0] - start[0]) * across + (following[1] - start[1]) * down
    if not length or ahead <= 0.5 * length**2:
        return end
    share = min(1.0, max(0.5, (ahead / length - LEAST_GAP * em) / length))
    return start[0] + share * across, start[1] + share * down


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
