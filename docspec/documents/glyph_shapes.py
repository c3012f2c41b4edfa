"""Characters that a font's table does not tell, or tells wrongly, known by what the font draws for them.

Some programs leave ligatures out of a font's ``/ToUnicode``, or tell them as one of their letters: macOS numbers the
glyphs of a font in the order of their use, and readers take the number of "ti" for the code of a Latin letter
("porIon"). Fonts of mathematical signs tell "=" as "¼" and "(" as "ð". All codes of such a font are drawn. A ligature
looks like its letters beside each other, a sign like the same one of MuPDF's own font Symbol. What is like none of
them stays as it is.

Scores are 0..1. Of twenty ligatures of public files none has less than 0.87, of 110 letters that a font has twice none
more than 0.6; the signs that were told of 30 were all right.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from docspec.documents.mupdf import mupdf
from docspec.documents.signs import FIRST, SYMBOL, UNKNOWN, set_stream, table_of_codes

LIKE = 0.8
"""Least score of a ligature or sign."""
NEXT_LIGATURE, NEXT_SIGN = 0.005, 0.04
"""How much better it is than the next one."""
LESS, CLEARER = 0.65, 0.1
"""The same for signs of another stroke, which are less like, but for which nothing else comes near."""

SIZE, CELL, ACROSS = 48, 144, 16
"""Pixels of the em in which glyphs are drawn, of a side of the place of each, and places beside each other. A glyph
begins a quarter of its place from the left, and stands at :data:`BASELINE` of its height."""
BASELINE = 0.7

GRID = 24
"""Cells of a side of the square in which signs are compared."""

MOST_CODES = 400
"""Codes of a font from which on it is not looked at: a table of a whole script says too little."""

FEW_LETTERS = 4
"""Most letters of ASCII that a font of signs tells."""

FIT = 0.15
"""Most difference of the width of a ligature from that of its letters, in ems."""

LIGATURES = (
    "ff", "fi", "fl", "ffi", "ffl", "ft", "fft", "tt", "ti", "tti", "tf", "fj", "ffj", "Th", "ct", "st", "fb", "fh",
    "fk",
)  # fmt: skip
_LETTERS = frozenset("".join(LIGATURES))
BARS = "=±"
SIGNS = "=+−±×÷<>≤≥()[]|≈•⋅〈〉∞≠≡"
_PROPER = str.maketrans("〈〉⋅", "⟨⟩·")
_MISTOLD = frozenset("¼½¾ÐðÞþ")
_PAIR = re.compile(rb"<\s*([0-9a-fA-F]+)\s*>\s*<\s*([0-9a-fA-F]*)\s*>")
_RANGE = re.compile(rb"<\s*([0-9a-fA-F]+)\s*>\s*<\s*([0-9a-fA-F]+)\s*>\s*(?:<\s*([0-9a-fA-F]*)\s*>|\[([^\]]*)\])")
_PARTS = re.compile(rb"begin(bfchar|bfrange)(.*?)endbf", re.DOTALL)

_KINDS = {"Type1": 1, "MMType1": 1, "TrueType": 1, "Type0": 2}
"""The bytes of a code of each kind of font; fonts that are drawn by the page itself (Type 3) are not looked at."""

_NONE = [(0.0, ""), (0.0, "")]

Font = tuple[Any, ...]
"""A font of a page as ``Page.get_fonts`` tells it: its object, its file's kind, its own kind, its name and others."""

Ink = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a font draws for a code: the ``ink`` (a square of ``CELL`` pixels), its width in ems, and what MuPDF
    tells."""

    ink: Ink
    width: float
    told: str


@dataclass(slots=True)
class GlyphShapes:
    """Names what the fonts of one document draw; each font is looked at once."""

    _known: dict[tuple[str, bytes], dict[int, str]] = field(default_factory=dict)

    def name(self, page: Any) -> bool:
        """Gives the fonts of a ``pymupdf.Page`` whose file may be changed a ``/ToUnicode`` that tells the ligatures and
        signs that theirs lacks or tells wrongly. Whether anything was changed."""
        changed = False
        for font in page.get_fonts():
            with suppress(Exception):  # of whatever is damaged: MuPDF's errors have no base of their own
                changed |= self._name(page, font)
        return changed

    def _name(self, page: Any, font: Font) -> bool:
        pdf, (xref, _, kind, name, *_) = page.parent, font
        told = pdf.xref_get_key(xref, "ToUnicode") if xref else ("null", "")
        if told[0] != "xref" or kind not in _KINDS:
            return False
        stream = pdf.xref_stream(int(told[1].split()[0])) or b""
        key = name, sha256(stream).digest()
        if key not in self._known:
            self._known[key] = {}  # if it fails
            self._known[key] = _shapes(page, font, read_table(stream))
        if shapes := self._known[key]:
            set_stream(pdf, xref, "ToUnicode", table_of_codes(shapes, _KINDS[kind], stream))
        return bool(shapes)


def read_table(stream: bytes) -> dict[int, str]:
    """The characters of the codes of a ``/ToUnicode``; what is no character is left out, and so is most of a range of
    more codes than a font is looked at for."""
    table: dict[int, str] = {}
    for kind, part in _PARTS.findall(stream):
        if kind == b"bfchar":
            table |= {int(code, 16): _text(text) for code, text in _PAIR.findall(part)}
            continue
        for first, last, text, texts in _RANGE.findall(part):
            codes = range(int(first, 16), min(int(last, 16), int(first, 16) + MOST_CODES) + 1)
            told = [_text(one) for one in re.findall(rb"<\s*([0-9a-fA-F]*)\s*>", texts)]
            start = _text(text)
            told = told or [start[:-1] + _next(start[-1], step) for step in range(len(codes)) if start]
            table |= dict(zip(codes, told, strict=False))
    return {code: text for code, text in table.items() if code <= 0xFFFF and text and UNKNOWN not in text}


def _next(sign: str, step: int) -> str:
    """The character so many steps behind ``sign``."""
    code = ord(sign) + step
    return UNKNOWN if code > sys.maxunicode or 0xD800 <= code < 0xE000 else chr(code)


def _text(digits: bytes) -> str:
    return bytes.fromhex(digits.decode().zfill(len(digits) + len(digits) % 2)).decode("utf-16-be", "replace")


def _shapes(page: Any, font: Font, table: Mapping[int, str]) -> dict[int, str]:
    """What a ``font`` of ``page`` draws for the codes that its ``table`` lacks or tells wrongly."""
    xref, _, kind, *_ = font
    codes = _codes(page.parent, xref, table) if _KINDS[kind] == 1 else sorted({*table, *_cids(page.parent, xref)})
    often = Counter(text for text in table.values() if len(text) == 1 and text.isascii() and text.isalnum())
    few_letters = sum(text.isascii() and text.isalpha() for text in table.values()) <= FEW_LETTERS
    mistold = few_letters and not _MISTOLD.isdisjoint(table.values())
    open_codes = {code for code in codes if code not in table or mistold or often[table[code]] > 1}
    wanted = sorted(open_codes | {code for code in codes if table.get(code, "") in _LETTERS})
    if not open_codes or len(wanted) > MOST_CODES:
        return {}
    drawn = _drawn(page, font, wanted)
    shapes = {}
    for code in open_codes & drawn.keys():
        one = drawn[code]
        unnamed = kind == "TrueType" or one.told == UNKNOWN or (kind == "Type0" and one.told == chr(code))
        if not one.ink.any() or (code not in table and not unnamed):
            continue  # nothing, or MuPDF knows the name of the glyph
        # Of letters that have two glyphs, as small capitals do, nobody knows which one a ligature has.
        letters = {
            text: glyph
            for other, glyph in drawn.items()
            if other != code and often[text := table.get(other, "")] <= (2 if text == table.get(code) else 1)
        }
        text = _most_like(_signs(one) if mistold else _ligatures(one, letters), mistold)
        if text and text != one.told:
            shapes[code] = text
    return shapes


def _most_like(like: Mapping[str, float], is_sign: bool) -> str:
    """What has the best of the scores ``like``, if it is the best by far."""
    (score, text), (second, _) = [*sorted(((score, text) for text, score in like.items()), reverse=True), *_NONE][:2]
    clear = score - second
    if score >= LIKE and clear >= (NEXT_SIGN if is_sign else NEXT_LIGATURE):
        return text
    return text if is_sign and score >= LESS and clear >= CLEARER else ""


def _codes(pdf: Any, xref: int, table: Mapping[int, str]) -> list[int]:
    """The codes of a simple font: those to which it gives a width."""
    first = pdf.xref_get_key(xref, "FirstChar")[1]
    numbers = re.findall(r"(?<![\w.])[\d.]+", _value(pdf, xref, "Widths")) if first.isdigit() else []
    used = [code for code, width in enumerate(numbers, int(first)) if width.strip("0.")] if numbers else sorted(table)
    return [code for code in used if code <= 0xFF]


def _value(pdf: Any, xref: int, key: str) -> str:
    """The value of a ``key`` of an object, or what it refers to."""
    kind, value = pdf.xref_get_key(xref, key)
    return pdf.xref_object(int(value.split()[0])) if kind == "xref" else value  # type: ignore[no-any-return]


def _cids(pdf: Any, xref: int) -> list[int]:
    """The codes of a composite font to which it gives a width, where they are the numbers of its glyphs; none where it
    has more than are looked at."""
    if pdf.xref_get_key(xref, "Encoding")[1] != "/Identity-H":
        return []
    descendant = re.search(r"(\d+) 0 R", _value(pdf, xref, "DescendantFonts"))
    widths = _value(pdf, int(descendant[1]), "W") if descendant else ""
    codes: list[int] = []
    for first, own, last in re.findall(r"(\d+)\s*(?:\[([^\]]*)\]|(\d+)\s+[\d.]+)", widths.strip().removeprefix("[")):
        start = int(first)
        end = int(last) + 1 if last else start + len(own.split())
        codes += range(start, min(end, start + MOST_CODES + 1))
    return [code for code in codes if code <= 0xFFFF] if len(codes) <= MOST_CODES else []


def _drawn(page: Any, font: Font, codes: Sequence[int]) -> dict[int, Drawn]:
    """What a ``font`` of ``page`` draws for ``codes``: nothing if a copy of the page has not one font of this name."""
    with mupdf().open() as copy:
        copy.insert_pdf(page.parent, from_page=page.number, to_page=page.number, links=False, annots=False)
        own = [xref for xref, *other in copy[0].get_fonts() if tuple(other) == tuple(font[1:])]
        return _drawn_by(copy, own[0], codes, _KINDS[font[2]]) if len(own) == 1 else {}


def _drawn_by(pdf: Any, xref: int, codes: Sequence[int], width: int) -> dict[int, Drawn]:
    """What the font ``xref`` of a ``pdf`` draws, on a page that is added to it."""
    rows = -(-len(codes) // ACROSS)
    places = [(n % ACROSS * CELL, n // ACROSS * CELL) for n in range(len(codes))]
    above = round((rows - BASELINE) * CELL)
    written = "".join(
        f"BT /F {SIZE} Tf 1 0 0 1 {x + CELL // 4} {above - y} Tm <{code:0{2 * width}x}> Tj ET\n"
        for code, (x, y) in zip(codes, places, strict=True)
    )
    number = pdf.new_page(width=ACROSS * CELL, height=rows * CELL).number
    set_stream(pdf, pdf[number].xref, "Contents", written.encode())
    pdf.xref_set_key(pdf[number].xref, "Resources", f"<</Font<</F {xref} 0 R>>>>")
    sheet = pdf[number]
    pixels = sheet.get_pixmap(alpha=False, colorspace=mupdf().csGRAY)
    ink = 255 - np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.stride)[:, : pixels.width]
    drawn: dict[int, Drawn] = {}
    for span in sheet.get_texttrace():
        for told, _, (x, y), box in span["chars"]:
            n = int(x // CELL) + int(y // CELL) * ACROSS
            if n < len(codes) and codes[n] not in drawn:
                left, top = places[n]
                own = ink[top : top + CELL, left : left + CELL]
                drawn[codes[n]] = Drawn(own, (box[2] - box[0]) / SIZE, chr(told))
    return drawn


def _ligatures(one: Drawn, letters: Mapping[str, Drawn]) -> dict[str, float]:
    """How much ``one`` is like each ligature of the ``letters`` of the same font, moved to its width."""
    scores = {}
    for ligature in LIGATURES:
        if not letters.keys() >= set(ligature):
            continue
        parts = [letters[letter] for letter in ligature]
        closer = (one.width - sum(part.width for part in parts)) / (len(parts) - 1)
        if abs(closer) > FIT:
            continue
        ink, x = np.zeros((CELL, CELL), np.uint8), 0.0
        for part in parts:
            left = min(max(round(x * SIZE), 0), CELL)
            ink[:, left:] = np.maximum(ink[:, left:], part.ink[:, : CELL - left])
            x += part.width + closer
        shared, both = np.minimum(ink, one.ink), np.maximum(ink, one.ink)
        scores[ligature] = float(shared.sum(dtype=np.int64) / max(both.sum(dtype=np.int64), 1))
    return scores


def _signs(one: Drawn) -> dict[str, float]:
    """How much ``one`` is like each of :data:`SIGNS`: their outlines, sizes and heights above the baseline."""
    own, scores = _outline(one.ink), dict.fromkeys(SIGNS.translate(_PROPER), 0.0)
    for sign, other in _known_signs():
        like = float((own.shape * other.shape).sum()) - abs(math.log(own.size / other.size)) / 2
        like -= abs(own.height - other.height) + abs(own.full - other.full) / 4 + 0.1 * (own.bands != other.bands)
        scores[sign] = max(scores[sign], like)
    return scores


@dataclass(frozen=True, slots=True)
class _Outline:
    """A glyph in a square (its ``shape``: blurred, of length 1), its longer side and the height of its middle above the
    baseline in ems, how many bands of ink it has, white between, and the share of these that is ink."""

    shape: NDArray[np.float64]
    size: float
    height: float
    bands: int
    full: float


def _outline(ink: Ink) -> _Outline:
    ys, xs = np.nonzero(ink > 96)
    if not len(ys):
        return _Outline(np.zeros((GRID, GRID)), 1e-3, 0.0, 0, 0.0)
    top, bottom, left, right = ys.min(), ys.max() + 1, xs.min(), xs.max() + 1
    height, width = int(bottom - top), int(right - left)
    side = max(height, width)
    square = np.zeros((side, side), np.uint8)
    y, x = (side - height) // 2, (side - width) // 2
    square[y : y + height, x : x + width] = ink[top:bottom, left:right]
    image = Image.fromarray(square).resize((GRID, GRID), Image.Resampling.BOX)
    kernel = np.array([1, 2, 3, 2, 1]) / 9
    shape = np.asarray(image, np.float64)
    for _ in range(2):
        shape = np.stack([np.convolve(row, kernel, "same") for row in shape]).T
    rows = np.unique(ys)
    return _Outline(
        shape / (float(np.linalg.norm(shape)) or 1.0),
        side / SIZE,
        (BASELINE * CELL - (top + bottom) / 2) / SIZE,
        1 + int((np.diff(rows) > 1).sum()),
        float(ink.sum(dtype=np.int64) / (255 * len(rows) * width)),
    )


@cache
def _known_signs() -> list[tuple[str, _Outline]]:
    """What MuPDF's own font Symbol draws for each of :data:`SIGNS`, and Times for those with bars: fonts differ in how
    far these are apart."""
    signs = []
    fonts = {
        "/Symbol": {SYMBOL.index(sign) + FIRST: sign for sign in SIGNS},
        "/Times-Roman/Encoding/WinAnsiEncoding": {ord(sign): sign for sign in BARS},
    }
    with mupdf().open() as pdf:
        pdf.new_page()
        for font, codes in fonts.items():
            xref = pdf.get_new_xref()
            pdf.update_object(xref, f"<</Type/Font/Subtype/Type1/BaseFont{font}>>")
            drawn = _drawn_by(pdf, xref, list(codes), 1)
            signs += [(codes[code].translate(_PROPER), _outline(one.ink)) for code, one in drawn.items()]
    return signs
