"""Reads tables cell by cell, for models that read lines better than tables.

The positions and spans of the cells come from the layout, the words from the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from docspec.core import BBox, Region
from docspec.dialects.tables import Table, parse_html_table, to_pipe
from docspec.drafting.ink import CONTRAST, LEAST_INK, bands, ink_of, joined_rows, without_rules

STROKE = 2.5
"""A straight stroke longer than this many line heights is a rule of the table."""

DARK = 0.5
"""Rows of pixels with a larger share of ink are light print on a dark ground."""

LOWEST = 0.3
"""A band of ink lower than this share of a line's height is the rest of a rule."""


@dataclass(frozen=True, slots=True)
class CellLine:
    """A printed line in a table cell: the cell's number in the order of the HTML, the line's box on the page, and the
    cell's draft if the cell has only this line."""

    cell: int
    bbox: BBox
    text: str = ""


def structure_of(region: Region) -> Table | None:
    """The table that the layout found in ``region``; ``None`` if the boxes of its cells are unknown."""
    table = parse_html_table(region.texts[0]) if region.texts and region.grid else None
    if table is None:
        return None
    filled = table.grid()
    same = len(filled) == len(region.grid) and all(len(a) == len(b) for a, b in zip(filled, region.grid, strict=True))
    return table if same else None


def cell_lines(image: Image.Image, region: Region, table: Table, line: float) -> list[CellLine]:
    """The printed lines of all cells of ``table`` in ``region``, in its order; ``line`` is the height of a line in
    pixels."""
    left, top, right, bottom = region.bbox.clamped(image.width, image.height).rounded()
    if right - left < 2 or bottom - top < 2:
        return []
    ink = without_rules(print_of(image.crop((left, top, right, bottom))), max(8, round(STROKE * line)))
    found = []
    for number, (text, place) in enumerate(_places(table, region)):
        x0, y0, x1, y1 = place.clamped(image.width, image.height).rounded()
        own = ink[max(0, y0 - top) : max(0, y1 - top), max(0, x0 - left) : max(0, x1 - left)]
        lines = [
            (start, end)
            for start, end in joined_rows(bands(np.asarray(own.any(axis=1))))
            if end - start > LOWEST * line and own[start:end].sum() >= LEAST_INK / 4
        ]
        for start, end in lines:
            across = np.flatnonzero(own[start:end].any(axis=0))
            box = BBox(x0 + int(across[0]), y0 + start, x0 + int(across[-1]) + 1, y0 + end)
            found.append(CellLine(number, box, text if len(lines) == 1 else ""))
    return found


def _places(table: Table, region: Region) -> Iterator[tuple[str, BBox]]:
    """The text and the box of each cell in the order of the HTML, spans included."""
    taken: set[tuple[int, int]] = set()
    for y, row in enumerate(table.rows):
        x = 0
        for cell in row:
            while (y, x) in taken:
                x += 1
            across = [
                (y + dy, x + dx)
                for dy in range(cell.rowspan)
                for dx in range(cell.colspan)
                if y + dy < len(region.grid) and x + dx < len(region.grid[y + dy])
            ]
            taken.update(across)
            yield cell.text, BBox.union([region.grid[b][a] for b, a in across])
            x += cell.colspan


def print_of(picture: Image.Image) -> np.ndarray:
    """The ink of a table's picture, boolean ``(height, width)``, including light print on dark ground."""
    ink = ink_of(picture)
    grey = np.asarray(picture.convert("L"), dtype=np.int16)
    for start, end in bands(np.asarray(ink.mean(axis=1) > DARK)):
        if end - start < 8:  # a rule
            continue
        ground = float(np.median(grey[start:end]))
        ink[start:end] = np.abs(grey[start:end] - ground) > CONTRAST
    return ink


def filled(table: Table, written: Mapping[int, Sequence[str]]) -> str:
    """``table`` as a pipe table with the text that was read in its cells (by their numbers in the order of the
    HTML)."""
    number, rows = 0, []
    for row in table.rows:
        cells = []
        for cell in row:
            cells.append(replace(cell, text=" ".join(" ".join(written.get(number, ())).split())))
            number += 1
        rows.append(tuple(cells))
    return to_pipe(Table(tuple(rows)))
