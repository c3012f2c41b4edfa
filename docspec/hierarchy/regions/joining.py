"""Joins the outputs of a page's crops: lines to paragraphs, and paragraphs across columns.

The words are the model's own. Added are only the marks for the layout's categories (headings, items, formulas) and the
joints between pieces: a space, or nothing inside a broken word; in listings line breaks and indents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from docspec.core import BBox, Block, Category, PrintedLine, Region
from docspec.core.formulas import display_formula
from docspec.core.joints import part_before
from docspec.core.marks import carried, shifted
from docspec.core.result import WordsOf
from docspec.dialects.markdown_blocks import unpacked
from docspec.dialects.spelling import TICKS, heading, list_items
from docspec.dialects.text import join_lines, strip_heading
from docspec.hierarchy.regions.cells import filled, structure_of
from docspec.hierarchy.regions.slices import Slice

CERTAINTY: tuple[WordsOf, ...] = ("text layer", "recognition", "model", "draft")
"""Sources of words, the most certain first."""

BLANK = 2.0
"""Lines whose centres are more than this many line heights apart have a blank line between them."""

NARROWEST = 0.4
"""Width of the narrowest letter over the type size."""

_HEADING_MARKS = {Category.TITLE: ("# ",), Category.SECTION_HEADER: ("## ",)}


def region_text(region: Region, pieces: Sequence[tuple[str, Slice]]) -> str:
    """The Markdown of ``region``: ``pieces`` are the outputs of its crops in order, each with its slice."""
    return laid_out(region, [(unpacked(written), piece) for written, piece in pieces])


def laid_out(region: Region, pieces: Sequence[tuple[str, Slice]], printed: bool = False, around: str = "") -> str:
    """The Markdown of ``region``: ``pieces`` are the texts of its parts in order, each with its slice. In ``printed``
    texts a number sign at the beginning is no mark of a heading, and a plus no bullet. ``around`` is the page's
    text."""
    category = region.category
    if any(piece.cell is not None for _, piece in pieces):
        return _table_text(region, pieces)
    lines: list[tuple[str, BBox]] = []
    for text, piece in pieces:
        if piece.beside and lines:
            space = "" if piece.close else " "
            before, place = lines[-1]
            whole = f"{before.rstrip()}{space}{text.lstrip()}".strip()
            lines[-1] = whole, BBox.union([place, piece.bbox])
        else:
            lines.append((text.strip("\n"), piece.bbox))
    if region.listing and category is Category.TEXT:
        return listing_text(region.lines, lines)
    text = "\n".join(line for line, _ in lines if line.strip())
    if not text or category in (Category.TABLE, Category.PICTURE):
        return text
    if category is Category.FORMULA:
        return display_formula(text)
    if category in _HEADING_MARKS:
        if printed:
            return _HEADING_MARKS[category][0] + join_lines(text, around=around).replace("\n\n", " ")
        bare = "\n".join(strip_heading(line) for line in text.split("\n"))
        return heading(bare, _HEADING_MARKS[category])[0]
    if (
        len(lines) > 1 and not printed
    ):  # no line of a paragraph is a heading; of what stands alone the reader may know better
        text = "\n".join(strip_heading(line) for line in text.split("\n"))
    if region.broken and printed and category is Category.TEXT:
        return text
    if category is Category.LIST_ITEM:
        return list_items(text, ("- ",), "+" + TICKS if printed else "", around)[0]
    return join_lines(text, around=around)


def _table_text(region: Region, pieces: Sequence[tuple[str, Slice]]) -> str:
    """A table whose cells were read one by one."""
    table = structure_of(region)
    if table is None:
        raise ValueError("cells were read of a table whose structure nobody knows")
    written: dict[int, list[str]] = {}
    for text, piece in pieces:
        if piece.cell is not None:
            written.setdefault(piece.cell, []).append(strip_heading(text))
    return filled(table, written)


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


def joined_blocks(blocks: Iterable[Block]) -> list[Block]:
    """``blocks`` in reading order; running text that a column break or a figure interrupts becomes one block again.

    The joined block has the box of its first part.
    """
    joined: list[Block] = []
    ends: list[Block] = []  # of each joined block its last part, with its own box
    blocks = list(blocks)
    around = "\n\n".join(block.text for block in blocks)
    for block in blocks:
        number = part_before(ends, block)
        if number is None:
            joined.append(block)
            ends.append(block)
            continue
        before = joined[number]
        whole = join_lines(f"{before.text}\n{block.text}", around=around)
        marks = (*carried(before.marks, before.text, whole), *shifted(block.marks, len(whole) - len(block.text)))
        trusted = before.trusted + block.trusted
        words = max(before.words, block.words, key=CERTAINTY.index)
        joined[number] = replace(before, text=whole, trusted=trusted, words=words, marks=marks)
        ends[number] = block
    return joined
