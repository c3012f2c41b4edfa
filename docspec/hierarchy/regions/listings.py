"""Joins the lines of program text: fenced, and indented as on the page."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.core import BBox, PrintedLine
from docspec.dialects.text import strip_heading

BLANK = 2.0
"""Lines whose centres are more than this many line heights apart have a blank line between them."""

NARROWEST = 0.4
"""Width of the narrowest letter over the type size."""


def listing_text(printed: Sequence[PrintedLine], lines: Sequence[tuple[str, BBox]]) -> str:
    """The Markdown of a listing of ``lines``, each with its box on the page. The width of its letters follows from the
    ``printed`` lines of the layout, in the same pixels.

    The text of a crop with several lines keeps its own indents, because the positions of these lines are unknown.
    Heading marks are removed, unless a number sign is printed in the listing.
    """
    if not any(line.text.lstrip().startswith("#") for line in printed):
        lines = [(strip_heading(line), box) for line, box in lines]
    written = [(line.rstrip(), box) for line, box in lines if line.strip()]
    # Where a line's text leaves spaces out, its letters seem wider.
    widths = [max(line.bbox.width / len(line.text), NARROWEST * line.size) for line in printed if line.text]
    alone = widths and not any("\n" in line for line, _ in written)
    text = "\n".join(_indented(written, min(widths)) if alone else (line for line, _ in written))
    if not text or text.startswith("```"):
        return text
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _indented(lines: Sequence[tuple[str, BBox]], letter: float) -> list[str]:
    """``lines`` indented by as many spaces as letters of that width fit to the left of them, with blank lines between
    distant lines."""
    height = max((box.height for _, box in lines), default=0.0)
    left = min((box.x0 for _, box in lines), default=0.0)
    found: list[str] = []
    above: BBox | None = None
    for line, box in lines:
        if above is not None and (box.y0 + box.y1 - above.y0 - above.y1) / 2 > BLANK * height:
            found.append("")
        found.append(" " * round((box.x0 - left) / max(1.0, letter)) + line.lstrip())
        above = box
    return found
