"""The pieces that a formula is put together from: glyphs first, then what was made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docspec.mathematics.glyphs import Glyph

AXIS = 0.25
"""Height of the axis, on which bars of fractions and middles of brackets lie, over the base line, in sizes of type."""


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A piece of a formula: its ``latex``, the ink's box, the base line and the size of its type. ``sign`` is that of
    a single glyph; ``part`` says what can be done with it (those of a symbol, and ``word``, ``fraction``, ``limits``,
    ``fenced``, ``made``); the base line of a fraction is its bar."""

    latex: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    sign: str = ""
    alphabet: str = ""
    part: str = "ordinary"

    @property
    def center_x(self) -> float:
        return (self.x0 + self.x1) / 2

    @property
    def center_y(self) -> float:
        return (self.y0 + self.y1) / 2

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def has_type(self) -> bool:
        """Whether its size and its base line are those of letters."""
        return self.part in ("ordinary", "word", "made", "accent", "not")


def item_of(glyph: Glyph) -> Item:
    """The item of a single glyph."""
    symbol = glyph.symbol
    part: str = symbol.part
    if part == "ordinary" and glyph.font.kind == "ex":
        part = "delimiter"
    return Item("", glyph.x0, glyph.y0, glyph.x1, glyph.y1, glyph.y, glyph.size, symbol.sign, symbol.alphabet, part)


def box_of(items: Iterable[Item]) -> tuple[float, float, float, float]:
    """The box around ``items``, at least one."""
    x0, y0, x1, y1 = zip(*((one.x0, one.y0, one.x1, one.y1) for one in items), strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def main_size(items: Sequence[Item]) -> float:
    """The size of the largest type among ``items``."""
    typed = [one.size for one in items if one.has_type]
    return max(typed or [one.size for one in items], default=0.0)


def base_of(items: Sequence[Item]) -> float:
    """The base line of ``items`` in one row: that of most of the largest type, or else below the axis."""
    size = main_size(items)
    large = [one for one in items if one.has_type and one.size >= 0.88 * size]
    if not large:
        return items[0].center_y + AXIS * size
    near = 0.1 * size
    counted = [(sum(abs(other.base - one.base) < near for other in large), -one.x0, one.base) for one in large]
    return max(counted)[2]
