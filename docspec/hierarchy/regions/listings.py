"""Program text put together from the lines that were read of it: fenced, and indented as it is on the page."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.core import BBox, PrintedLine
from docspec.dialects.text import strip_heading

BLANK = 2.0
"""Lines whose middles are more than so many heights of a line apart have a blank one between them."""

NARROWEST = 0.4
"""Width of the narrowest letter over the size of type."""


def listing_text(printed: Sequence[PrintedLine], lines: Sequence[tuple[str, BBox]]) -> str:
    """The Markdown of a listing of ``lines``, each with its place on the page; how wide its letters are is known from
    the ``printed`` ones of the layout, in the same pixels.

    Where a crop had several lines, nobody knows where each of them stands: they are left as they were written. A line
    that the reader took for a heading is none, unless a number sign is printed in the listing.
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
    """``lines`` behind as many spaces as letters of that width would fit left of them, with blank lines where there are
    any."""
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
