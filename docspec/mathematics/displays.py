"""Formulas that stand alone, with their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docspec.mathematics.formula import Formula
from docspec.mathematics.glyphs import Bar, Glyph
from docspec.mathematics.lines import Row
from docspec.mathematics.spelling import RELATIONS
from docspec.mathematics.words import is_mark_of_text, tokens_in

APART = 1.6
"""White, in sizes of type, between two formulas that stand alone."""


ROWS_APART = 0.55
"""The same of two whose relations are not below each other."""


def displayed_formulas(
    alone: Sequence[Glyph], bars: Sequence[Bar], prose: Sequence[Row], body: float, right: float
) -> Iterator[Formula]:
    """Formulas that stand alone, parted where white runs across, or a row of prose."""
    pieces: list[tuple[float, float, Glyph | Bar]] = [(one.y0, one.y1, one) for one in alone]
    pieces += [(bar.y, bar.y, bar) for bar in bars]
    groups: list[list[Glyph | Bar]] = []
    bottom = 0.0
    for y0, y1, one in sorted(pieces, key=lambda piece: piece[0]):
        parted = any(bottom <= row.y - 0.3 * row.size <= y0 for row in prose)
        if groups and y0 - bottom < ROWS_APART * body and not parted:
            groups[-1].append(one)
            bottom = max(bottom, y1)
        else:
            groups.append([one])
            bottom = y1
    for group in _aligned_together(groups, body):
        glyphs = [one for one in group if isinstance(one, Glyph)]
        own_bars = tuple(one for one in group if isinstance(one, Bar))
        if not glyphs:
            continue
        number = _number_of(glyphs, body, right)
        glyphs = [one for one in glyphs if one not in number]
        if _is_formula(glyphs):
            yield Formula(tuple(glyphs), own_bars, True, tuple(number))


def _aligned_together(groups: Sequence[list[Glyph | Bar]], body: float) -> list[list[Glyph | Bar]]:
    """``groups`` with those as one that are lines of a derivation: near, with their relations below each other."""
    joined: list[list[Glyph | Bar]] = []
    for group in groups:
        above = _glyphs_in(joined[-1]) if joined else []
        below = _glyphs_in(group)
        if above and below:
            gap = min(one.y0 for one in below) - max(one.y1 for one in above)
            if gap < APART * body and _are_aligned(above, below):
                joined[-1] += group
                continue
        joined.append(list(group))
    return joined


def _glyphs_in(group: Sequence[Glyph | Bar]) -> list[Glyph]:
    return [one for one in group if isinstance(one, Glyph)]


def _first_relation(glyphs: Sequence[Glyph]) -> float | None:
    """Where the first relation of lines begins, in points."""
    size = max(one.size for one in glyphs)
    signs = RELATIONS - {":"}
    return min((one.x0 for one in glyphs if one.symbol.sign in signs and one.size > 0.86 * size), default=None)


def _are_aligned(above: Sequence[Glyph], below: Sequence[Glyph]) -> bool:
    one, other = _first_relation(above), _first_relation(below)
    return one is not None and other is not None and abs(one - other) < 1.5


def _number_of(glyphs: Sequence[Glyph], body: float, right: float) -> list[Glyph]:
    """The glyphs of a formula's number at the right edge."""
    tokens = tokens_in([one for one in glyphs if one.symbol.part == "ordinary"], body)
    if len(tokens) < 2:
        return []
    last, before = tokens[-1], max(one.x1 for token in tokens[:-1] for one in token)
    text = "".join(one.symbol.sign for one in last)
    is_number = text[0] == "(" and text[-1] == ")" and any(char.isdigit() for char in text) and len(text) < 9
    if (
        is_number
        and last[0].x0 - before > 1.5 * body
        and max(one.x1 for one in last) > right - 2
        and not any(one.is_math and one.symbol.alphabet == "it" for one in last)
    ):
        return last
    return []


def _is_formula(glyphs: Sequence[Glyph]) -> bool:
    """Whether glyphs that stand alone are a formula and no page number, bullet or label."""
    if not glyphs:
        return False
    if len(glyphs) == 1 and not glyphs[0].symbol.sign.isalnum():
        return False  # the end of a proof
    if any(one.is_math and not is_mark_of_text(one) for one in glyphs):
        return True
    text = "".join(one.symbol.sign for one in glyphs)
    letters = any(char.isalnum() for char in text)
    return letters and any(char in RELATIONS - {":"} or char == "+" for char in text)
