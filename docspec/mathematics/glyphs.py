"""Reads the glyphs and the drawn bars of a page.

MuPDF's raw text tells where the ink of a character is, its trace which glyph of which font it is. Both are needed: a
symbol of TeX's extension fonts hangs below its origin, and only the glyph's number leads to its name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docspec.documents.mupdf import mupdf
from docspec.mathematics.fonts import Font, font_of, is_mathematical
from docspec.mathematics.glyph_names import type1_names
from docspec.mathematics.symbols import Symbol, symbol_of

THINNEST, THICKEST = 0.05, 2.0
"""Points: how thick a bar of a fraction or of a root is."""

_Place = tuple[tuple[float, float], tuple[float, float, float, float]]
"""An origin and a box."""

_TAG = 7  # characters of a subset's tag with its plus


@dataclass(frozen=True, slots=True, eq=False)
class Glyph:
    """A glyph: what it stands for, its font, the size of its type, its ink and its origin in points. ``char`` is
    MuPDF's dictionary of the character."""

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
        if self.font.kind == "rm" and self.symbol.sign.isalpha():
            return not self.symbol.sign.isascii()  # prose takes its ligatures from there
        return self.font.kind != ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A drawn horizontal bar, in points."""

    x0: float
    x1: float
    y: float


def has_mathematics(page: Any) -> bool:
    """Whether a font of a ``pymupdf.Page`` is made for formulas."""
    return any(is_mathematical(font[3]) for font in page.get_fonts())


def glyphs_of(page: Any, blocks: Sequence[Mapping[str, Any]]) -> list[Glyph]:
    """The upright visible glyphs of ``page``; ``blocks`` is its text as MuPDF's raw dictionary with exact boxes."""
    names = _names(page)
    traced: dict[tuple[int, int], list[tuple[int, str, int]]] = defaultdict(list)
    combining: dict[str, list[_Place]] = defaultdict(list)
    tools = mupdf().TOOLS
    tools.set_subset_fontnames(True)
    try:
        for span in page.get_texttrace():
            for code, glyph, (x, y), box in span["chars"]:
                traced[_place(x, y)].append((code, span["font"], glyph))
                if 0x300 <= code < 0x370 or 0x20D0 <= code < 0x2100:
                    combining[chr(code)].append(((x, y), box))
    finally:
        tools.set_subset_fontnames(False)
    glyphs = []
    for block in blocks:
        for line in block.get("lines", ()):
            if abs(line["dir"][1]) > 0.01 or line["dir"][0] < 0:
                continue
            for span in line["spans"]:
                if span.get("alpha", 255) == 0:
                    continue
                for char in span["chars"]:
                    if not char["c"].strip() or char.get("synthetic"):
                        continue
                    x, y = char["origin"]
                    x0, y0, x1, y1 = char["bbox"]
                    if (place := _nearest(char["c"], x, y, combining)) is not None:
                        (x, y), (x0, _, x1, _) = place
                    font_name, name = _told(char["c"], traced.get(_place(x, y), ()), names, span["font"])
                    font = font_of(font_name)
                    symbol = symbol_of(char["c"], name, font)
                    glyphs.append(Glyph(symbol, font, span["size"], x0, y0, x1, y1, x, y, char))
    return glyphs


def bars_of(page: Any) -> list[Bar]:
    """The thin horizontal bars that are drawn on ``page``."""
    bars = []
    for drawing in page.get_drawings():
        width = drawing.get("width") or 0.0
        for item in drawing["items"]:
            if item[0] == "l" and abs(item[1].y - item[2].y) < 0.1 and width <= THICKEST:
                bars.append(Bar(min(item[1].x, item[2].x), max(item[1].x, item[2].x), item[1].y))
            elif item[0] == "re" and THINNEST <= item[1].height <= THICKEST and item[1].width > 2 * item[1].height:
                bars.append(Bar(item[1].x0, item[1].x1, (item[1].y0 + item[1].y1) / 2))
    return bars


def _nearest(sign: str, x: float, y: float, combining: Mapping[str, Sequence[_Place]]) -> _Place | None:
    """Where the combining ``sign`` is that MuPDF's text has at the end of the character before it."""
    places = [place for place in combining.get(sign, ()) if abs(place[0][1] - y) < 0.6 and abs(place[0][0] - x) < 40]
    return min(places, key=lambda place: (place[0][0] < x - 1, abs(place[0][0] - x)), default=None)


def _place(x: float, y: float) -> tuple[int, int]:
    return round(x * 20), round(y * 20)


def _names(page: Any) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Of each embedded font, by its name as the trace has it, its whole name and the names of its glyphs."""
    names = {}
    for xref, extension, _, name, *_ in page.get_fonts():
        if is_mathematical(name):
            program = page.parent.extract_font(xref)[3] if extension in ("pfa", "pfb") else b""
            names[name[:_TAG] if name[_TAG - 1 : _TAG] == "+" else name] = (name, type1_names(program))
        else:
            names[name[:_TAG] if name[_TAG - 1 : _TAG] == "+" else name] = (name, ())
    return names


def _told(
    sign: str, traced: Sequence[tuple[int, str, int]], names: Mapping[str, tuple[str, tuple[str, ...]]], font: str
) -> tuple[str, str]:
    """The name of the font and of the glyph at a place; ``sign`` tells which one, if there are several."""
    if not traced:
        return font, ""
    _, tagged, glyph = next((one for one in traced if chr(one[0]) == sign), traced[0])
    key = tagged[:_TAG] if tagged[_TAG - 1 : _TAG] == "+" else tagged
    whole, own = names.get(key, (tagged, ()))
    return whole, own[glyph] if 0 <= glyph < len(own) else ""
