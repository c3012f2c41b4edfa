"""Reads tables cell by cell, for models that read lines better than tables.

The positions and spans of the cells come from the layout, the words from the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from PIL import Image

from docspec.core import BBox, PrintedLine, Region
from docspec.dialects.tables import Table, parse_html_table, to_pipe
from docspec.drafting.ink import CONTRAST, LEAST_INK, bands, ink_of, joined_rows, without_rules

STROKE = 2.5
"""A straight stroke longer than this many line heights is a rule of the table."""

DARK = 0.5
"""Rows of pixels with a larger share of ink are light print on a dark ground."""

LOWEST = 0.3
"""A band of ink lower than this share of a line's height is the rest of a rule."""


def structure_of(region: Region) -> Table | None:
    """The table that the layout found in ``region``; ``None`` if the boxes of its cells are unknown."""
    table = parse_html_table(region.texts[0]) if region.texts and region.grid else None
    if table is None:
        return None
    filled = table.grid()
    same = len(filled) == len(region.grid) and all(len(a) == len(b) for a, b in zip(filled, region.grid, strict=True))
    return table if same else None


def cell_lines(image: Image.Image, region: Region, table: Table, line: float) -> list[tuple[int, PrintedLine]]:
    """The printed lines of ``table`` in ``region``, each with the number of its cell in the order of the HTML. A line
    has the draft of its cell if it is the only one. ``line`` is the height of a line in pixels."""
    left, top, right, bottom = region.bbox.clamped(image.width, image.height).rounded()
    if right - left < 2 or bottom - top < 2:
        return []
    ink = without_rules(print_of(image.crop((left, top, right, bottom))), max(8, round(STROKE * line)))
    found = []
    for number, (cell, places) in enumerate(table.places()):
        box = BBox.union(region.grid[row][column] for row, column in places)
        x0, y0, x1, y1 = box.clamped(image.width, image.height).rounded()
        own = ink[max(0, y0 - top) : max(0, y1 - top), max(0, x0 - left) : max(0, x1 - left)]
        lines = [
            (start, end)
            for start, end in joined_rows(bands(np.asarray(own.any(axis=1))))
            if end - start > LOWEST * line and own[start:end].sum() >= LEAST_INK / 4
        ]
        for start, end in lines:
            across = np.flatnonzero(own[start:end].any(axis=0))
            box = BBox(x0 + int(across[0]), y0 + start, x0 + int(across[-1]) + 1, y0 + end)
            found.append((number, PrintedLine(box, cell.text if len(lines) == 1 else "")))
    return found


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
