"""Base lines of a column, and which of them are lines of prose."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from docspec.mathematics.glyphs import Bar, Glyph
from docspec.mathematics.spelling import RELATIONS
from docspec.mathematics.words import is_word, text_words, tokens_in, usual

_LABEL = re.compile(r"\(?(?:\d{1,3}|[A-Za-z])[.)](?!\d)")
"""The beginning of an item."""


OBJECT_OFF, OBJECT_APART = 0.7, 0.12
"""How far a formula that is an object of its own stands off the base line of the words around it at most, and from the
nearest of these at least, in sizes of type."""

MOST_WORDS, WORDED = 6, 0.7
"""Words of a row in the middle of its column, and the share of its glyphs in them, above both of which it is prose."""

APART = 0.6
"""White between words at most, in sizes of type."""


class Span(NamedTuple):
    """What a tall bracket and the one that closes it (endless: none does) span, in points."""

    x0: float
    top: float
    x1: float
    bottom: float

    def holds(self, glyph: Glyph) -> bool:
        """Whether the middle of ``glyph`` is within."""
        x, y = (glyph.x0 + glyph.x1) / 2, (glyph.y0 + glyph.y1) / 2
        return self.x0 <= x <= self.x1 and self.top - 0.3 * glyph.size <= y <= self.bottom + 0.3 * glyph.size


@dataclass(slots=True)
class Row:
    """A base line of the page with its glyphs from left to right; ``extra`` are scripts and parts of fractions and
    matrices; ``spans`` are those of its matrices."""

    y: float
    size: float
    glyphs: list[Glyph]
    extra: list[Glyph] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    prose: bool = False
    spans: list[Span] = field(default_factory=list)

    @property
    def x0(self) -> float:
        return min(one.x0 for one in self.glyphs)

    @property
    def x1(self) -> float:
        return max(one.x1 for one in self.glyphs)


def rows_of_column(glyphs: Sequence[Glyph], body: float) -> list[Row]:
    """The base lines of a column from top to bottom; ``body`` is the size of the page's type."""
    lines: dict[int, list[Glyph]] = defaultdict(list)
    for one in glyphs:
        if one.font.kind != "ex" and one.symbol.part not in (
            "accent",
            "operator",
            "piece",
            "delimiter",
            "radical",
            "brace",
        ):
            lines[round(one.y * 2)].append(one)
    merged: list[list[Glyph]] = []
    last = None
    for key in sorted(lines):
        if last is not None and key - last <= 1:
            merged[-1] += lines[key]
        else:
            merged.append(list(lines[key]))
        last = key
    rows = []
    for line in merged:
        size = max(usual([one.size for one in line]), max(one.size for one in line) if len(line) < 4 else 0.0)
        large = [one for one in line if one.size >= 0.86 * size]
        if size < 0.86 * body and sum(len(word) > 1 for word in text_words(line)) < 3:
            large = [one for one in line if one.size >= 0.86 * body]
            size = usual([one.size for one in large]) if large else 0.0
        if large:
            y = sum(one.y for one in large) / len(large)
            rows.append(Row(y, size, sorted(large, key=lambda one: one.x0)))
    rows = [row for row in rows if not any(_is_small_beside(row, other) for other in rows)]
    for row in rows:
        home = next((other for other in rows if _is_lowered_in(row, other)), None)
        if home is not None:
            home.extra += row.glyphs
            row.glyphs = []
    _put_in_gaps(rows)
    return [row for row in rows if row.glyphs]


def _put_in_gaps(rows: Sequence[Row]) -> None:
    """Gives what stands in the gaps of a row of words, a little off its base line, to that row: office programs set a
    formula within a line as an object."""
    lines = [row for row in rows if len(text_words(row.glyphs)) > 2]
    for row in rows:
        for line in lines:
            if row is line or not (row.glyphs and line.glyphs) or not 0 < abs(row.y - line.y) < OBJECT_OFF * line.size:
                continue
            if all(_is_in_gap(piece, line) for piece in tokens_in(row.glyphs, APART * row.size / 0.17)):
                line.glyphs = sorted([*line.glyphs, *row.glyphs], key=lambda one: one.x0)
                row.glyphs = []


def _is_in_gap(piece: Sequence[Glyph], line: Row) -> bool:
    """Whether ``piece``, a run of glyphs, stands between words of ``line`` or near its end, and none touches it."""
    x0, x1 = piece[0].x0, max(one.x1 for one in piece)
    white = min(max(other.x0 - x1, x0 - other.x1) for other in line.glyphs)
    return white > OBJECT_APART * line.size and (white < APART * line.size or line.x0 < x0 < x1 < line.x1)


def _is_lowered_in(row: Row, other: Row) -> bool:
    """Whether the letters of ``row`` are of full size and a little below or above words of ``other``, as those of TeX's
    name."""
    if (
        not row.glyphs
        or not 0.05 * row.size < abs(row.y - other.y) < 0.35 * row.size
        or len(text_words(other.glyphs)) < 2
    ):
        return False
    letters = [one for one in other.glyphs if one.symbol.sign.isalnum()]
    before = [*letters, *(one for one in row.glyphs if one.symbol.sign.isalnum())]
    most, least = 0.1 * row.size, -0.3 * row.size
    return all(
        any(least < glyph.x0 - one.x1 < most for one in before if one is not glyph)
        or any(least < one.x0 - glyph.x1 < most for one in letters)
        for glyph in row.glyphs
    )


def _is_small_beside(row: Row, other: Row) -> bool:
    """Whether ``row`` is of scripts of ``other``, whose type is larger."""
    if row.size >= 0.86 * other.size or abs(row.y - other.y) > 1.4 * other.size:
        return False
    near = other.x0 - other.size < row.x1 and row.x0 < other.x1 + other.size
    return near and sum(len(word) > 1 for word in text_words(row.glyphs)) < 3


def is_label(token: Sequence[Glyph]) -> bool:
    """Whether an upright ``token`` is a letter or number with a point or bracket, as items and headings begin."""
    is_upright = not any(one.is_math or one.font.italic for one in token)
    return is_upright and _LABEL.fullmatch("".join(one.symbol.sign for one in token)) is not None


def is_prose(row: Row, borrowed: bool) -> bool:
    """Whether a row has words, or begins as an item of a list does."""
    tokens = tokens_in(row.glyphs, row.size)
    signs = "".join(one.symbol.sign for one in tokens[0])
    if len(tokens) > 1 and _LABEL.fullmatch(signs) and not any(one.is_math for one in tokens[0]):
        return True  # an item
    return any(
        is_word(token, borrowed) and sum(one.symbol.sign.isalpha() and not one.is_math for one in token) > 1
        for token in tokens
    )


def is_item(row: Row, bars: Sequence[Bar]) -> bool:
    """Whether a row is nothing but the label of an item that begins with a fraction, which one of ``bars`` is of."""
    if len(tokens_in(row.glyphs, row.size)) > 1 or not is_label(row.glyphs):
        return False
    near, axis = 3 * row.size, row.y - 0.25 * row.size
    return any(0 < bar.x0 - row.x1 < near and abs(bar.y - axis) < 0.16 * row.size for bar in bars)


def is_slanted(row: Row) -> bool:
    """Whether a row of several words is set in italics: none of its letters is a variable for that."""
    upright, slanted = (
        {id(one) for one in row.glyphs if not one.is_math and one.symbol.sign.isalpha() and one.font.italic == italic}
        for italic in (False, True)
    )
    words = [word for word in tokens_in(row.glyphs, row.size) if not any(id(one) in upright for one in word)]
    return len(words) > 3 and len(slanted) > len(upright)


def spans_of_brackets(glyphs: Sequence[Glyph], body: float) -> list[Span]:
    """What brackets span that are as tall as two lines."""
    tall = [one for one in glyphs if one.symbol.part in ("piece", "delimiter") and one.symbol.sign in "{}[]()|‖"]
    stacks: list[tuple[str, Span]] = []
    for one in sorted(tall, key=lambda one: one.y0):
        for at in range(len(stacks) - 1, -1, -1):
            sign, last = stacks[at]
            if sign == one.symbol.sign and abs(last.x0 - one.x0) < 0.4 * body and one.y0 - last.bottom < 0.5 * body:
                stacks[at] = sign, Span(min(last.x0, one.x0), last.top, max(last.x1, one.x1), max(last.bottom, one.y1))
                break
        else:
            stacks.append((one.symbol.sign, Span(one.x0, one.y0, one.x1, one.y1)))
    stacks = sorted((one for one in stacks if one[1].bottom - one[1].top > 1.7 * body), key=lambda one: one[1].x0)
    spans: list[Span] = []
    end = float("-inf")
    for at, (sign, stack) in enumerate(stacks):
        if sign not in "{[(" and (sign not in "|‖" or stack.x0 < end):
            continue
        closing = next(
            (other for own, other in stacks[at + 1 :] if own in "}])|‖" and _are_alike(stack, other, body)), None
        )
        if closing is not None or sign in "{[(":
            spans.append(stack._replace(x1=closing.x1 if closing is not None else float("inf")))
        if closing is not None and sign in "|‖":
            end = closing.x1
    return spans


def _are_alike(one: Span, other: Span, body: float) -> bool:
    return abs(one.top - other.top) < 0.5 * body and abs(one.bottom - other.bottom) < 0.5 * body


def is_held(row: Row, spans: Sequence[Span]) -> bool:
    """Whether the words of a row stand behind a tall bracket, which makes it a line of cases or of a matrix."""
    for one in spans:
        if one.top < row.y - 0.2 * row.size and row.y - 0.3 * row.size < one.bottom:
            inside = [glyph for glyph in row.glyphs if one.x0 + 1 < glyph.x1 <= one.x1 + 1]
            outside = [glyph for glyph in row.glyphs if glyph not in inside]
            if inside and not any(len(word) > 1 for word in text_words(outside)):
                return True
    return False


def margins(prose: Sequence[Row], glyphs: Sequence[Glyph]) -> tuple[float, float]:
    """The edges of a column: where most lines of prose begin, and the furthest end."""
    long = [row for row in prose if len(tokens_in(row.glyphs, row.size)) > 3] or prose
    if not long:
        return min(one.x0 for one in glyphs), max(one.x1 for one in glyphs)
    starts = Counter(round(row.x0) for row in long)
    return float(starts.most_common(1)[0][0]), max(row.x1 for row in long)


def is_centred(row: Row, rows: Sequence[Row], loose: Sequence[Glyph], left: float, right: float) -> bool:
    """Whether a row with words is a formula that stands in the middle of its column."""
    signs = "".join(one.symbol.sign for one in row.glyphs)
    words = [word for word in text_words(row.glyphs) if len(word) > 1]
    if not any(one.is_math for one in row.glyphs) and not any(sign in RELATIONS for sign in signs):
        return False
    if _LABEL.match(signs) or signs.endswith(".") or (len(words) > 3 and not any(sign in RELATIONS for sign in signs)):
        return False
    if len(words) > MOST_WORDS and sum(map(len, words)) > WORDED * len(row.glyphs):
        return False  # the first line of a caption
    near = [one for one in loose if abs((one.y0 + one.y1) / 2 - row.y + 0.25 * row.size) < 1.6 * row.size]
    near += [one for other in rows if not other.prose and abs(other.y - row.y) < 1.2 * row.size for one in other.glyphs]
    x0 = min(one.x0 for one in (*row.glyphs, *near))
    x1 = max(one.x1 for one in (*row.glyphs, *near))
    return x0 - left > 0.8 * row.size and abs((x0 - left) - (right - x1)) < 0.35 * row.size


def _leading(rows: Sequence[Row]) -> float:
    steps = sorted(b.y - a.y for a, b in pairwise(rows) if a.prose and b.prose)
    return steps[len(steps) // 4] if steps else 12.0


def continues(row: Row, above: Row, rows: Sequence[Row], left: float, right: float) -> bool:
    """Whether a row without words is the last line of the paragraph ``above``."""
    leading = row.y - above.y
    usual = _leading(rows)
    begins = abs(row.x0 - left) < 2.5 or -2.5 < row.x0 - above.x0 < 2.5 * row.size
    centred = abs((row.x0 - left) - (right - row.x1)) < 0.5 * row.size and row.x0 - left > 2 * row.size
    return begins and not centred and 0 < leading < 1.25 * usual and above.x1 > right - 0.25 * (right - left)
