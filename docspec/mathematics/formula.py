"""A formula as it is found on a page, before it is read."""

from __future__ import annotations

from dataclasses import dataclass

from docspec.mathematics.glyphs import Bar, Glyph


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: its glyphs and bars, whether it stands alone, and its number (``(3)``), if it has one. One that a line
    break divides has its further parts in ``rest``."""

    glyphs: tuple[Glyph, ...]
    bars: tuple[Bar, ...]
    display: bool
    number: tuple[Glyph, ...] = ()
    rest: tuple[Formula, ...] = ()
