"""Finds the formulas of a page: those that stand alone, and those within lines of prose.

Rows are base lines with type of a full size. A row with words is prose, and formulas within it reach as far as its
tokens are of fonts for mathematics, or of figures, brackets and signs beside such. Rows without words that do not begin
where the lines of their column begin stand alone, with all that lies around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docspec.mathematics.attaching import attached, bars_attached, with_fractions
from docspec.mathematics.columns import columns_of_page
from docspec.mathematics.displays import displayed_formulas
from docspec.mathematics.formula import Formula
from docspec.mathematics.glyphs import Bar, Glyph
from docspec.mathematics.inline import begins, ends, inline_formulas, is_open
from docspec.mathematics.lines import continues, is_centred, is_prose, margins, rows_of_column
from docspec.mathematics.words import letters_are_borrowed, usual


def find_formulas(glyphs: Sequence[Glyph], bars: Sequence[Bar]) -> list[Formula]:
    """The formulas of a page, in no order."""
    text = [one for one in glyphs if not one.is_math and one.symbol.sign.isalpha()]
    if not text and not any(one.is_math for one in glyphs):
        return []
    body = usual([one.size for one in text] or [one.size for one in glyphs])
    borrowed = letters_are_borrowed(glyphs)
    found: list[Formula] = []
    for own, own_bars in columns_of_page(glyphs, bars):
        found += _in_column(own, own_bars, body, borrowed)
    return found


def _in_column(glyphs: Sequence[Glyph], bars: Sequence[Bar], body: float, borrowed: bool) -> Iterator[Formula]:
    rows = rows_of_column(glyphs, body)
    for row in rows:
        row.prose = is_prose(row, borrowed)
    prose = [row for row in rows if row.prose]
    left, right = margins(prose, glyphs)
    for above, row in zip((None, *rows), rows, strict=False):
        if not row.prose and above is not None and above.prose and continues(row, above, rows, left, right):
            row.prose = True
    prose = [row for row in rows if row.prose]
    in_rows = {id(one) for row in rows for one in row.glyphs}
    loose = [one for one in glyphs if id(one) not in in_rows]
    for row in rows:
        row.prose = row.prose and not is_centred(row, rows, loose, left, right)
    prose = [row for row in rows if row.prose]
    rows = with_fractions(rows, bars)
    alone = attached(loose, rows)
    alone_bars = bars_attached(bars, rows)
    alone += [one for row in rows if not row.prose for one in (*row.glyphs, *row.extra)]
    pending: Formula | None = None
    for row in prose:
        formulas = list(inline_formulas(row, borrowed))
        if pending is not None and formulas and begins(row, formulas[0]) and row.y > pending.glyphs[0].y:
            pending = Formula(pending.glyphs, pending.bars, False, (), (*pending.rest, formulas.pop(0)))
            if not (not formulas and ends(row, pending.rest[-1]) and is_open(pending.rest[-1])):
                yield pending
                pending = None
        elif pending is not None:
            yield pending
            pending = None
        for one in formulas:
            if one is formulas[-1] and ends(row, one) and is_open(one):
                pending = one
            else:
                yield one
    if pending is not None:
        yield pending
    yield from displayed_formulas(alone, alone_bars, prose, body, right)
