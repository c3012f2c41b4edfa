"""Finds the formulas of a page: those that stand alone, and those within lines of prose.

Rows are base lines with type of a full size. A row with words is prose, and formulas within it reach as far as its
tokens are of fonts for mathematics, or of figures, brackets and signs beside such. Rows without words that do not begin
where the lines of their column begin stand alone, with all that lies around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from docspec.core import BBox
from docspec.mathematics.attaching import attached, bars_attached, with_fractions, with_matrices
from docspec.mathematics.columns import columns_of_page
from docspec.mathematics.displays import displayed_formulas
from docspec.mathematics.formula import Formula
from docspec.mathematics.glyphs import Bar, Glyph
from docspec.mathematics.inline import begins, ends, inline_formulas, is_open
from docspec.mathematics.lines import (
    Row,
    continues,
    is_centred,
    is_held,
    is_item,
    is_prose,
    is_slanted,
    margins,
    rows_of_column,
    spans_of_brackets,
)
from docspec.mathematics.words import letters_are_borrowed, usual

EDGE = 3.0
"""How far a rule of a table is from its cells, in points."""

_FIGURE = re.compile(r"[\d.,;:%()\[\]+\-−–±∓×·/<>=≤≥≈∼~*†‡]")
"""What numbers in a table are written with."""


def find_formulas(glyphs: Sequence[Glyph], bars: Sequence[Bar], tables: Sequence[Sequence[BBox]] = ()) -> list[Formula]:
    """The formulas of a page, in no order. What stands in ``tables`` is looked at cell by cell (points)."""
    text = [one for one in glyphs if not one.is_math and one.symbol.sign.isalpha()]
    if not text and not any(one.is_math for one in glyphs):
        return []
    body = usual([one.size for one in text] or [one.size for one in glyphs])
    borrowed = letters_are_borrowed(glyphs)
    found: list[Formula] = []
    for cells in tables:
        around = BBox.union(cells).grown(EDGE)
        inside, glyphs = _by_cell(glyphs, cells)
        own_bars = [bar for bar in bars if around.x0 <= (bar.x0 + bar.x1) / 2 <= around.x1 and _is_level(bar, around)]
        bars = [bar for bar in bars if bar not in own_bars]
        for cell, own in zip(cells, inside, strict=True):
            within = [one for one in own_bars if _is_level(one, cell) and cell.x0 <= one.x0 and one.x1 <= cell.x1]
            found += formulas_in_cell(own, within, body, borrowed) if own else ()
    if not glyphs:
        return found
    for own, own_bars in columns_of_page(glyphs, bars):
        found += _in_column(own, own_bars, body, borrowed)
    return found


def _by_cell(glyphs: Sequence[Glyph], cells: Sequence[BBox]) -> tuple[list[list[Glyph]], list[Glyph]]:
    """The ``glyphs`` whose middles are in each of ``cells``, the first that has it, and the others."""
    edges = np.array([(cell.x0, cell.y0, cell.x1, cell.y1) for cell in cells])
    x = np.array([(one.x0 + one.x1) / 2 for one in glyphs])[:, None]
    y = np.array([(one.y0 + one.y1) / 2 for one in glyphs])[:, None]
    within = (edges[:, 0] - 1 <= x) & (x <= edges[:, 2] + 1) & (edges[:, 1] - 1 <= y) & (y <= edges[:, 3] + 1)
    inside: list[list[Glyph]] = [[] for _ in cells]
    others: list[Glyph] = []
    for one, own in zip(glyphs, within, strict=True):
        (inside[own.argmax()] if own.any() else others).append(one)
    return inside, others


def _is_level(bar: Bar, box: BBox) -> bool:
    return box.y0 <= bar.y <= box.y1


def formulas_in_cell(glyphs: Sequence[Glyph], bars: Sequence[Bar], body: float, borrowed: bool) -> Iterator[Formula]:
    """The formulas in a cell of a table, whose rows are all read as lines of text; figures with their signs are no
    formulas there."""
    rows = rows_of_column(glyphs, body)
    for row in rows:
        row.prose = True
    loose = _loose(glyphs, rows)
    rows = with_fractions(rows, bars)
    attached(loose, rows)
    bars_attached(bars, rows)
    for row in rows:
        yield from (one for one in inline_formulas(row, borrowed) if not _is_figure(one))


def _loose(glyphs: Sequence[Glyph], rows: Sequence[Row]) -> list[Glyph]:
    """Those of ``glyphs`` that are in none of ``rows``."""
    in_rows = {id(one) for row in rows for one in (*row.glyphs, *row.extra)}
    return [one for one in glyphs if id(one) not in in_rows]


def _is_figure(formula: Formula) -> bool:
    """Whether a formula is nothing but numbers and upright letters of text on one base line, with the signs that stand
    between numbers."""
    level = max(one.y for one in formula.glyphs) - min(one.y for one in formula.glyphs) < 0.5
    return (
        level
        and not formula.bars
        and all(
            _FIGURE.fullmatch(one.symbol.sign) or not (one.is_math or one.font.italic or not one.symbol.sign.isascii())
            for one in formula.glyphs
        )
    )


def _in_column(glyphs: Sequence[Glyph], bars: Sequence[Bar], body: float, borrowed: bool) -> Iterator[Formula]:
    rows = rows_of_column(glyphs, body)
    held = spans_of_brackets(glyphs, body)
    for row in rows:
        row.prose = (is_prose(row, borrowed) and not is_held(row, held)) or is_item(row, bars)
    prose = [row for row in rows if row.prose]
    left, right = margins(prose, glyphs)
    for above, row in zip((None, *rows), rows, strict=False):
        if not row.prose and above is not None and above.prose and not is_held(row, held):
            row.prose = continues(row, above, rows, left, right)
    loose = _loose(glyphs, rows)
    for row in rows:
        row.prose = row.prose and not is_centred(row, rows, loose, left, right)
    rows, loose, bars = with_matrices(rows, loose, bars, held)
    prose = [row for row in rows if row.prose]
    rows = with_fractions(rows, bars)
    alone = attached(loose, rows)
    alone_bars = bars_attached(bars, rows)
    alone += [one for row in rows if not row.prose for one in (*row.glyphs, *row.extra)]
    pending: Formula | None = None
    for row in prose:
        formulas = list(inline_formulas(row, borrowed and not is_slanted(row)))
        if pending is not None and formulas and begins(row, formulas[0]) and row.y > pending.glyphs[0].y:
            formulas[0] = replace(pending, rest=(*pending.rest, formulas[0]))
        elif pending is not None:
            yield pending
        pending = None
        if formulas:
            last = (formulas[-1], *formulas[-1].rest)[-1]
            pending = formulas.pop() if ends(row, last) and is_open(last) else None
        yield from formulas
    if pending is not None:
        yield pending
    yield from displayed_formulas(alone, alone_bars, prose, body, right)
