"""The drawing surface: collects PDF operators for one page, with the origin at the top left, y downwards.

Only the base-14 fonts are used, never embedded, so a page costs a few kilobytes. Every printed line claims
its rectangle here, and a claim that leaves the page or meets another one is an error.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import pymupdf

ROW = 11.52
"""Height of one text row in points: 32 pixels at 200 dpi."""

FONTS = {
    "serif": ("Times-Roman", "tiro"),
    "serif-b": ("Times-Bold", "tibo"),
    "serif-i": ("Times-Italic", "tiit"),
    "serif-bi": ("Times-BoldItalic", "tibi"),
    "sans": ("Helvetica", "helv"),
    "sans-b": ("Helvetica-Bold", "hebo"),
    "sans-i": ("Helvetica-Oblique", "heit"),
    "sans-bi": ("Helvetica-BoldOblique", "hebi"),
    "mono": ("Courier", "cour"),
    "mono-b": ("Courier-Bold", "cobo"),
    "mono-i": ("Courier-Oblique", "coit"),
    "symbol": ("Symbol", "symb"),
}

_SYMBOL_CODES = dict(
    zip(
        "αβγδεθλµπρσφχψωΔΣΩ+−=<>≤≥≠≈∞∂∫∑∇×⋅→∈±′",
        b"abgdeqlmprsfcywDSW+-=<>\xa3\xb3\xb9\xbb\xa5\xb6\xf2\xe5\xd1\xb4\xd7\xae\xce\xb1\xa2",
        strict=True,
    )
)

Colour = tuple[float, float, float]
Point = tuple[float, float]
BLACK: Colour = (0.0, 0.0, 0.0)


class LayoutError(Exception):
    """Something does not fit where the page description puts it."""


@cache
def _metrics(font: str) -> pymupdf.Font:
    return pymupdf.Font(FONTS[font][1])


@cache
def text_width(text: str, font: str, size: float) -> float:
    """Width of `text` in points."""
    missing = [char for char in text if not _metrics(font).has_glyph(ord(char)) and char not in " ⋅"]
    if missing:
        raise LayoutError(f"{font} has no glyph for {missing}")
    return float(_metrics(font).text_length(text, fontsize=size))


def _encode(text: str, font: str) -> str:
    data = bytes(_SYMBOL_CODES[char] for char in text) if font == "symbol" else text.encode("cp1252")
    shown = (chr(byte) if 32 <= byte < 127 and byte not in b"()\\" else f"\\{byte:03o}" for byte in data)
    return "".join(shown)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _numbers(*values: float) -> str:
    return " ".join(_number(value) for value in values)


@dataclass(frozen=True)
class Claim:
    """The rectangle that a printed line occupies, in points."""

    x0: float
    y0: float
    x1: float
    y1: float
    what: str

    def meets(self, other: "Claim") -> bool:
        slack = 0.3
        across = min(self.x1, other.x1) - max(self.x0, other.x0) > slack
        return across and min(self.y1, other.y1) - max(self.y0, other.y0) > slack


@dataclass
class Canvas:
    """One page of `width` x `height` points that is being drawn."""

    width: float
    height: float
    operators: list[str] = field(default_factory=list)
    fonts: set[str] = field(default_factory=set)
    claims: list[Claim] = field(default_factory=list)

    def text(self, at: Point, text: str, font: str, size: float, space: float = 0.0, ink: Colour = BLACK) -> None:
        """Show `text` with its baseline starting at `at`; `space` is added to every blank."""
        self.fonts.add(font)
        key = FONTS[font][1]
        look = f"{_numbers(*ink)} rg BT /{key} {_number(size)} Tf {_number(space)} Tw"
        place = _numbers(at[0], self.height - at[1])
        self.operators.append(f"{look} {place} Td ({_encode(text, font)}) Tj ET")

    def path(
        self,
        points: Sequence[Point],
        *,
        stroke: Colour | None = BLACK,
        fill: Colour | None = None,
        width: float = 0.5,
        dash: str = "",
    ) -> None:
        """Draw a polyline, closed and filled where `fill` is given."""
        steps = [f"{_numbers(x, self.height - y)} {'l' if i else 'm'}" for i, (x, y) in enumerate(points)]
        paint = ("h B" if stroke else "h f") if fill else "S"
        colours = (f"{_numbers(*fill)} rg " if fill else "") + (f"{_numbers(*stroke)} RG " if stroke else "")
        self.operators.append(f"q {colours}{_number(width)} w [{dash}] 0 d {' '.join(steps)} {paint} Q")

    def line(self, x0: float, x1: float, y: float, width: float = 0.5, ink: Colour = BLACK) -> None:
        """Draw a horizontal rule."""
        self.path([(x0, y), (x1, y)], width=width, stroke=ink)

    def box(self, x: float, y: float, w: float, h: float, fill: Colour, stroke: Colour | None = None) -> None:
        """Draw a filled rectangle."""
        self.path([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], fill=fill, stroke=stroke)

    def claim(self, x0: float, y0: float, x1: float, y1: float, what: str) -> None:
        """Reserve a rectangle for print; raises `LayoutError` off the page or over another claim."""
        new = Claim(x0, y0, x1, y1, what)
        edge = 9.0
        if x0 < edge or y0 < edge or x1 > self.width - edge or y1 > self.height - edge:
            raise LayoutError(f"off the page: {what!r} at {x0:.1f} {y0:.1f} {x1:.1f} {y1:.1f}")
        for other in self.claims:
            if new.meets(other):
                raise LayoutError(f"{what!r} overlaps {other.what!r}")
        self.claims.append(new)
