"""Reads the glyphs and the drawn bars of a page.

MuPDF's raw text tells where the ink of a character is, its trace which glyph of which font it is. Both are needed: a
symbol of TeX's extension fonts hangs below its origin, and only the glyph's number leads to its name.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from math import inf
from typing import Any

from docspec.documents.mupdf import mupdf
from docspec.documents.painting import drawings_of
from docspec.mathematics.fonts import Font, font_of, is_mathematical
from docspec.mathematics.glyph_names import type1_names
from docspec.mathematics.symbols import FENCES, Symbol, is_of_formulas, symbol_of

THINNEST, THICKEST = 0.05, 2.0
"""Points: how thick a bar of a fraction or of a root is."""

_Place = tuple[tuple[float, float], tuple[float, float, float, float]]
"""An origin and a box."""

INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ue154")
"""Signs without ink, of KaTeX and MathML, and MathJax's stretched bar between the tips of braces."""

STRETCHED = 8.0
"""Size from which a glyph is a stretched bar, in usual sizes of type."""

TALL = 1.15
"""Height of a bracket from which it is one that grew, in sizes of type."""

STACKED = FENCES | {"√"}
"""Signs that are put together from pieces above each other."""

TOUCHING = 0.03
"""Most white between two such pieces, in sizes of the type: brackets of two lines of text are farther apart."""

MIDDLE = 2.2
"""Height of the middle piece of a brace with its overlap, in heights of its end."""

UNTOLD = 0xFFFD
"""The code of a glyph that stands for no sign."""

_OFF = 300.0
"""How far bars run off the page that are meant to be clipped, in points."""

_LEAST_RADICAL, _LARGEST = 6.0, 12.0
"""Height of the lowest radical sign, and the largest size of type that is supposed for one, in points."""

BULLETS_FONT = "OpenSymbol"
"""LibreOffice's font of bullets and of signs of formulas."""

_UNICODE = re.compile(rb"<([0-9A-Fa-f]{4})>")
"""What a font tells a sign to be."""

_TAG = 7  # characters of a subset's tag with its plus


@dataclass(slots=True, eq=False)  # not frozen: that would take twice the time to make one
class Glyph:
    """A glyph: what it stands for, its font, the size of its type, its ink and its origin in points. ``char`` is
    MuPDF's dictionary of the character, empty where it is drawn."""

    symbol: Symbol
    font: Font
    size: float
    x0: float
    y0: float
    x1: float
    y1: float
    x: float
    y: float
    char: dict[str, Any]

    @property
    def is_math(self) -> bool:
        """Whether its font is made for formulas."""
        kind, symbol = self.font.kind, self.symbol
        if symbol.sign.isalpha() and (kind == "rm" or (kind == "unicode" and symbol.alphabet == "rm")):
            return not unicodedata.normalize("NFKC", symbol.sign).isascii()  # ligatures are prose's
        return kind != ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A drawn horizontal bar, in points."""

    x0: float
    x1: float
    y: float


def has_mathematics(page: Any) -> bool:
    """Whether a font of a ``pymupdf.Page`` is made for formulas; one for bullets, too, must have signs of formulas."""
    return any(
        is_mathematical(name) and (BULLETS_FONT not in name or _has_signs(page, font[0]))
        for font in page.get_fonts()
        if (name := _font_name(page, font))
    )


def _has_signs(page: Any, xref: int) -> bool:
    """Whether the font ``xref`` of ``page`` tells that it has signs of formulas."""
    kind, told = page.parent.xref_get_key(xref, "ToUnicode")
    if kind != "xref":
        return False
    codes = _UNICODE.findall(page.parent.xref_stream(int(told.split()[0])) or b"")
    return any(is_of_formulas(sign) and sign != "◦" for sign in (chr(int(code, 16)) for code in codes))


def can_have_formulas(blocks: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a font that is made for formulas has more on a page than bullets, braces, arrows and what else text
    borrows; ``blocks`` are as in :func:`glyphs_of`."""
    before = ""
    for line in (line for block in blocks for line in block.get("lines", ())):
        for span in line["spans"]:
            own = is_mathematical(span["font"]) or span["font"].startswith("Type3")
            for char in span["chars"] if own else span["chars"][-1:]:
                sign = char["c"]
                if own and is_of_formulas(sign) and not (sign == "ε" and before == "2"):  # LaTeX2ε's name
                    return True
                before = sign
    return False


def _font_name(page: Any, font: Sequence[Any]) -> str:
    """The name of a font of ``page.get_fonts()``: Chromium gives those of Type 3 theirs in the descriptor alone."""
    name: str = font[3]
    if not name and font[2] == "Type3":
        name = page.parent.xref_get_key(font[0], "FontDescriptor/FontName")[1].lstrip("/")
    return name


def glyphs_of(page: Any, blocks: Sequence[Mapping[str, Any]]) -> list[Glyph]:
    """The upright visible glyphs of ``page``; ``blocks`` is its text as MuPDF's raw dictionary with exact boxes."""
    names = _names(page)
    traced: dict[tuple[int, int], list[tuple[int, str, int]]] = defaultdict(list)
    unknown: dict[int, list[float]] = defaultdict(list)
    combining: dict[str, list[_Place]] = defaultdict(list)
    tools = mupdf().TOOLS
    tools.set_subset_fontnames(True)
    try:
        for span in page.get_texttrace():  # with other names of fonts than other stages read
            font_name = span["font"]
            for code, glyph, (x, y), box in span["chars"]:
                traced[round(x * 20), round(y * 20)].append((code, font_name, glyph))
                if code == UNTOLD:
                    unknown[round(x * 20)].append(y)
                if code >= 0x300 and (code < 0x370 or 0x20D0 <= code < 0x2100):
                    combining[chr(code)].append(((x, y), box))
    finally:
        tools.set_subset_fontnames(False)
    glyphs = []
    known: dict[tuple[str, str, int], tuple[Symbol, Font]] = {}
    for block in blocks:
        for line in block.get("lines", ()):
            if abs(line["dir"][1]) > 0.01 or line["dir"][0] < 0:
                continue
            for span in line["spans"]:
                if span.get("alpha", 255) == 0:
                    continue
                size, untold = span["size"], [(0, span["font"], -1)]
                for char in span["chars"]:
                    sign = char["c"]
                    if not sign.strip() or sign in INVISIBLE or char.get("synthetic"):
                        continue
                    x, y = char["origin"]
                    x0, y0, x1, y1 = char["bbox"]
                    if sign in combining and (place := _nearest(sign, x, y, size, combining)) is not None:
                        y0, y1 = y0 + place[0][1] - y, y1 + place[0][1] - y
                        (x, y), (x0, _, x1, _) = place
                    told = traced.get((round(x * 20), round(y * 20)), untold)
                    _, font_name, number = told[0]
                    if len(told) > 1:
                        _, font_name, number = next((one for one in told if chr(one[0]) == sign), told[0])
                    if (of_sign := known.get((sign, font_name, number))) is None:
                        of_sign = known[sign, font_name, number] = _symbol(sign, font_name, number, names)
                    symbol, font = of_sign
                    if symbol.part == "ordinary" and y1 - y0 > TALL * size and symbol.sign in FENCES:
                        symbol = symbol._replace(part="delimiter")
                    glyphs.append(Glyph(symbol, font, size, x0, y0, x1, y1, x, y, char))
    largest = STRETCHED * _usual_size(glyphs)  # MathJax clips bars that are too long
    return _with_pieces(_with_untold([glyph for glyph in glyphs if glyph.size < largest], unknown))


def _with_untold(glyphs: list[Glyph], untold: Mapping[int, Sequence[float]]) -> list[Glyph]:
    """``glyphs`` with tall brackets and roots as high as they are where the file tells the lowest piece of each alone,
    as Typst's do. The others are glyphs without a sign above it (``untold``: their base lines at twentieths of points
    from the left), each as far from the one below as that is high; the middle of a brace has two of its ends."""
    if not untold:
        return glyphs
    columns = {at: sorted(own) for at, own in untold.items()}
    told: dict[int, list[float]] = defaultdict(list)
    for y, at in sorted((one.y, round(one.x * 20)) for one in glyphs):
        told[at].append(y)

    @cache  # signs may lie on each other
    def top_of(at: int, y: float, step: float) -> float:
        above = bisect_left(told[at], y)  # what is told above it has pieces of its own
        least = told[at][above - 1] if above else -inf
        own = bisect_left(columns[at], y)
        while own and least < columns[at][own - 1] and y - columns[at][own - 1] < step:
            own -= 1
            y = columns[at][own]
        return y

    whole = []
    for one in glyphs:
        sign, at, top = one.symbol.sign, round(one.x * 20), one.y
        if at in columns and sign in STACKED and one.font.kind:
            top = top_of(at, one.y, (MIDDLE if sign in "{}" else 1.0) * (one.y1 - one.y0))
        if top < one.y:
            symbol = one.symbol._replace(part="radical" if sign == "√" else "delimiter")
            one = replace(one, symbol=symbol, y0=one.y0 + top - one.y)
        whole.append(one)
    return whole


def _with_pieces(glyphs: list[Glyph]) -> list[Glyph]:
    """``glyphs`` with those of one bracket or root whose ink touches below each other as pieces of a tall one, and with
    vertical bars that stand on each other, as STIX makes tall ones."""
    columns: dict[tuple[str, int], list[int]] = defaultdict(list)
    for at, one in enumerate(glyphs):
        if one.symbol.sign in STACKED and one.font.kind:
            columns[one.symbol.sign, round(one.x0)].append(at)
    for (sign, _), own in columns.items():
        own.sort(key=lambda at: glyphs[at].y0)
        for above, below in pairwise(own):
            gap, size = glyphs[below].y0 - glyphs[above].y1, glyphs[below].size
            if abs(gap) < 0.3 * size if sign in "|‖" else gap < TOUCHING * size:
                for at in (above, below):
                    glyphs[at] = replace(glyphs[at], symbol=glyphs[at].symbol._replace(part="piece"))
    return glyphs


def _usual_size(glyphs: Sequence[Glyph]) -> float:
    """The middle one of the sizes of the type of ``glyphs``, in points."""
    sizes = sorted(glyph.size for glyph in glyphs)
    return sizes[len(sizes) // 2] if sizes else 0.0


def bars_of(page: Any) -> tuple[list[Bar], list[Glyph]]:
    """The thin horizontal bars that are drawn on ``page``, and the radical signs: KaTeX draws these with bars that run
    off the page and are clipped."""
    drawings = drawings_of(page)
    if any(drawing["rect"].x1 > page.rect.x1 + _OFF for drawing in drawings):
        return _clipped(page)
    return _bars_in(drawings), []


def _clipped(page: Any) -> tuple[list[Bar], list[Glyph]]:
    """Bars and radical signs of ``page``, cut where they are clipped."""
    bars: list[Bar] = []
    radicals: list[Glyph] = []
    clips: dict[int, Any] = {}
    for drawing in page.get_drawings(extended=True):
        if drawing["type"] == "clip":
            clips[drawing["level"]] = drawing["scissor"]
        if "items" not in drawing or drawing["type"] not in ("f", "s", "fs"):
            continue
        box, right = drawing["rect"], clips.get(drawing["level"] - 1, page.rect).x1
        own = [Bar(bar.x0, min(bar.x1, right), bar.y) for bar in _bars_in([drawing]) if bar.x0 < right]
        is_long = box.x1 > page.rect.x1 + _OFF
        if is_long and own and max(bar.y for bar in own) < box.y0 + 0.15 * box.height and box.height > _LEAST_RADICAL:
            own = [max(own, key=lambda bar: bar.x1 - bar.x0)]
            place = box.x0, box.y0, own[0].x0, box.y1, box.x0, box.y1
            symbol = Symbol("√", "rm", "radical")
            radicals.append(Glyph(symbol, font_of("KaTeX_Size1"), min(box.height, _LARGEST), *place, {}))
        elif is_long:
            continue  # pieces of arrows and braces
        bars += own
    return bars, radicals


def _bars_in(drawings: Sequence[Mapping[str, Any]]) -> list[Bar]:
    bars = []
    for drawing in drawings:
        width = drawing.get("width") or 0.0
        for item in drawing["items"]:
            if item[0] == "l" and abs(item[1].y - item[2].y) < 0.1 < abs(item[1].x - item[2].x) and width <= THICKEST:
                bars.append(Bar(min(item[1].x, item[2].x), max(item[1].x, item[2].x), item[1].y))
            elif item[0] == "re" and THINNEST <= item[1].height <= THICKEST and item[1].width > 2 * item[1].height:
                bars.append(Bar(item[1].x0, item[1].x1, (item[1].y0 + item[1].y1) / 2))
    return bars


def _nearest(sign: str, x: float, y: float, size: float, combining: Mapping[str, list[_Place]]) -> _Place | None:
    """Where the combining ``sign`` is that MuPDF's text has at the end of the character before it, on whose base line
    it need not stand. Each place is taken once."""
    left = combining.get(sign)
    if not left:
        return None
    places = [place for place in left if abs(place[0][1] - y) < 1.2 * size and abs(place[0][0] - x) < 40]
    best = min(places, key=lambda place: (place[0][0] < x - 1, abs(place[0][0] - x)), default=None)
    if best is not None:
        left.remove(best)
    return best


def _names(page: Any) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Of each embedded font, by its name as the trace has it, its whole name and the names of its glyphs."""
    names: dict[str, tuple[str, tuple[str, ...]]] = {}
    for font in page.get_fonts():
        xref, extension, name = font[0], font[1], _font_name(page, font)
        if not font[3]:
            names[f"Type3 ({xref} 0 R)"] = (name, ())
        elif is_mathematical(name):
            program = page.parent.extract_font(xref)[3] if extension in ("pfa", "pfb") else b""
            names[name[:_TAG] if name[_TAG - 1 : _TAG] == "+" else name] = (name, type1_names(program))
        else:
            names[name[:_TAG] if name[_TAG - 1 : _TAG] == "+" else name] = (name, ())
    return names


def _symbol(
    sign: str, font_name: str, number: int, names: Mapping[str, tuple[str, tuple[str, ...]]]
) -> tuple[Symbol, Font]:
    """What ``sign`` stands for as the glyph ``number`` (below 0: not known) of a font as the trace names it."""
    key = font_name[:_TAG] if font_name[_TAG - 1 : _TAG] == "+" else font_name
    whole, own = names.get(key, (font_name, ()))
    font = font_of(whole)
    return symbol_of(sign, own[number] if 0 <= number < len(own) else "", font), font
