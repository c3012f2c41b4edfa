"""Soft hyphens that are printed within a line: a file whose font calls every hyphen so (U+00AD). A real one is printed
only where a line ends, and goes with the break."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SOFT = "\u00ad"
LEAST_WIDTH, MOST_HEIGHT = 0.1, 0.3
"""Of the ink of a hyphen, in sizes of its type."""


def tell_hyphens(blocks: Sequence[dict[str, Any]]) -> None:
    """Makes hyphens of the soft ones of ``blocks``, a page as MuPDF's raw dictionary with exact boxes: those within a
    line that are printed, and with them the others of their font."""
    fonts: set[str] = set()
    soft: list[tuple[str, dict[str, Any]]] = []
    for line in (line for block in blocks for line in block.get("lines", ())):
        chars = [(span, char) for span in line["spans"] for char in span["chars"] if char["c"].strip()]
        for span, char in chars:
            x0, y0, x1, y1 = char["bbox"]
            if char["c"] == SOFT and x1 - x0 > LEAST_WIDTH * span["size"] and y1 - y0 < MOST_HEIGHT * span["size"]:
                soft.append((span["font"], char))
                fonts |= {span["font"]} if char is not chars[-1][1] else set()
    for font, char in soft:
        if font in fonts:
            char["c"] = "-"
