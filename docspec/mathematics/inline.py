"""Formulas within lines of prose: runs of tokens that are no words, without what is prose's at their ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from docspec.mathematics.formula import Formula
from docspec.mathematics.glyphs import Bar, Glyph
from docspec.mathematics.lines import Row, is_label
from docspec.mathematics.spelling import BINARY, FUNCTIONS, MORE_FUNCTIONS, RELATIONS
from docspec.mathematics.words import LOOSE, is_certain, is_emphasised, is_word, tokens_in

_FAR = 2.3
"""Gaps between tokens, and the widest within a formula, in sizes of type."""


_BULLETS = frozenset("∘◦•∙⋅⋆∗⋄◇♦▷▶⊳★■□")
"""Signs of fonts of mathematics that begin items of lists."""

_BRACKETS = {"(": ")", "[": "]", "{": "}"}


def inline_formulas(row: Row, borrowed: bool) -> Iterator[Formula]:
    """The formulas within a row of prose."""
    tokens = _with_matrices(tokens_in([*row.glyphs, *row.extra], row.size), row)
    may = [not is_word(token, borrowed) for token in tokens]
    may[0] = may[0] and not (len(tokens) > 1 and (is_label(tokens[0]) or (_is_bullet(tokens[0]) and not may[1])))
    gaps = [min(b.x0 for b in after) - max(a.x1 for a in before) for before, after in pairwise(tokens)]
    usual = sorted(gaps)[len(gaps) // 2] if gaps else 0.0
    for at in range(1, len(tokens) - 1):
        wide = min(gaps[at - 1 : at + 1], default=0.0)
        if (
            not may[at]
            and may[at - 1]
            and may[at + 1]
            and 0.8 * row.size < wide < _FAR * row.size
            and wide > 1.6 * usual
        ):
            may[at] = True  # a word set apart within a formula
    may = [one and not is_emphasised(tokens, at, borrowed) for at, one in enumerate(may)]
    for at in range(1, len(tokens)):
        before, after = tokens[at - 1], tokens[at]
        wide = gaps[at - 1] > row.size
        if (
            not may[at]
            and may[at - 1]
            and not wide
            and _ends_open(before)
            and ((at > 1 and may[at - 2]) or len(before) > 1)
        ):
            may[at] = True  # a word behind a sign of calculation
        elif not may[at - 1] and may[at] and not wide and _is_sign(after) and before[-1].symbol.sign not in LOOSE:
            may[at - 1] = True
    run: list[list[Glyph]] = []
    for at, token in enumerate(tokens):
        if run and (not may[at] or gaps[at - 1] > _FAR * row.size):
            yield from _trimmed(run, row, borrowed)
            run = []
        if may[at]:
            run.append(token)
    yield from _trimmed(run, row, borrowed)


def _is_bullet(token: Sequence[Glyph]) -> bool:
    return len(token) == 1 and token[0].symbol.sign in _BULLETS


def _with_matrices(tokens: list[list[Glyph]], row: Row) -> list[list[Glyph]]:
    """``tokens`` with those that stand between tall brackets as one."""
    for span in row.spans:
        held = [any(map(span.holds, token)) for token in tokens]
        if any(held):
            first, last = held.index(True), len(held) - 1 - held[::-1].index(True)
            tokens = [
                *tokens[:first],
                [one for token in tokens[first : last + 1] for one in token],
                *tokens[last + 1 :],
            ]
    return tokens


def _ends_open(token: Sequence[Glyph]) -> bool:
    """Whether something must follow a token."""
    last = max(token, key=lambda one: one.x1)
    is_level = last.size > 0.86 * max(one.size for one in token)
    return is_level and last.symbol.sign in RELATIONS | BINARY and last.symbol.sign not in ":∙⋆∗∘"


def _is_sign(token: Sequence[Glyph]) -> bool:
    return all(one.symbol.sign in RELATIONS and one.symbol.sign != ":" for one in token) or (
        "".join(one.symbol.sign for one in token) == ":="
    )


def _trimmed(run: list[list[Glyph]], row: Row, borrowed: bool) -> Iterator[Formula]:
    """A run of tokens as a formula, without what is prose's at its ends."""
    certain = [is_certain(token, row.size, borrowed) or has_fraction(token, row.bars) for token in run]
    if not any(certain):
        return
    for at in range(1, len(run) - 1):
        signs = "".join(one.symbol.sign for one in run[at])
        certain[at] = certain[at] or (signs in RELATIONS and not signs.isalpha())
    first, last = certain.index(True), len(certain) - 1 - certain[::-1].index(True)
    while first > 0 and _opens(run[first - 1 : first + 1], row):
        first -= 1
    while last < len(run) - 1 and _closes(run[first : last + 2], row):
        last += 1
    glyphs = [one for token in run[first : last + 1] for one in token]
    if glyphs and glyphs[-1].font.kind == "unicode" and glyphs[-1].symbol.sign in ".,;":
        glyphs.pop()  # prose's, where one font has all signs
    while glyphs and not glyphs[-1].is_math and glyphs[-1].symbol.sign in LOOSE and not _is_call_end(glyphs):
        glyphs.pop()
    while glyphs and not glyphs[0].is_math and glyphs[0].symbol.sign in '“"‘,;':
        glyphs.pop(0)
    if not glyphs:
        return
    x0, x1 = min(one.x0 for one in glyphs), max(one.x1 for one in glyphs)
    bars = tuple(bar for bar in row.bars if bar.x0 > x0 - 3 and bar.x1 < x1 + 3)
    yield Formula(tuple(glyphs), bars, False)


def has_fraction(glyphs: Sequence[Glyph], bars: Sequence[Bar]) -> bool:
    """Whether one of ``bars`` has signs of ``glyphs`` over and under it."""
    for bar in bars:
        own = [one for one in glyphs if bar.x0 - 1 < (one.x0 + one.x1) / 2 < bar.x1 + 1]
        if any(one.y1 < bar.y + 1 for one in own) and any(one.y0 > bar.y - 1 for one in own):
            return True
    return False


def _is_call_end(glyphs: Sequence[Glyph]) -> bool:
    """Whether the point or sign at the end belongs to the formula: a factorial, an ellipsis."""
    signs = "".join(one.symbol.sign for one in glyphs[-4:])
    return signs.endswith(("...", "!")) and not signs.endswith(("....", "!!"))


def _opens(pair: Sequence[Sequence[Glyph]], row: Row) -> bool:
    """Whether the first of two tokens, of figures, brackets or the name of a function, belongs to the second."""
    first, second = pair
    full = "".join(one.symbol.sign for one in first if one.size > 0.86 * row.size)
    if not full or full[-1] in ".,;:!?”’":
        return False
    following = second[0].symbol.sign
    signs = RELATIONS | BINARY | {"-"}
    if following in signs or full[-1] in signs or _unclosed(full) or full.lstrip("([") in FUNCTIONS | MORE_FUNCTIONS:
        return True
    near = second[0].x0 - max(one.x1 for one in first) < 0.26 * row.size
    return near and any(char.isdigit() for char in full) and not any(char.isalpha() for char in full)


def _closes(run: Sequence[Sequence[Glyph]], row: Row) -> bool:
    """Whether the last of several tokens belongs to those before it."""
    last = "".join(one.symbol.sign for one in run[-1] if one.size > 0.86 * row.size).rstrip(".,;:")
    signs = RELATIONS | BINARY | {"-"}
    before = max(run[-2], key=lambda one: one.x1).symbol.sign
    if not last:
        return "".join(one.symbol.sign for one in run[-1]) == "..." or (
            before in signs and has_fraction(run[-1], row.bars)
        )
    level = [one for one in run[-2] if one.size > 0.86 * row.size]
    if level and max(level, key=lambda one: one.x0).symbol.part == "operator":
        return True
    near = min(one.x0 for one in run[-1]) - max(one.x1 for one in run[-2]) < 0.3 * row.size
    if near and last[0] == "(" and last[-1] == ")" and run[-1][0].is_math is False and len(last) < 8:
        return run[-2][-1].is_math
    whole = "".join(one.symbol.sign for token in run for one in token)
    inside = "".join(one.symbol.sign for token in run[:-1] for one in token)
    if last[0] == "(" and last[1:] in MORE_FUNCTIONS:
        return True
    if before in signs or (last[-1] in ")]}" and _unclosed(inside) and _balanced(whole)) or _unclosed(inside):
        return True
    is_word = last.isalpha() and not any(one.is_math or one.font.italic for one in run[-1])
    return last[0] in signs or (inside.endswith(",") and len(last) < 4 and not is_word)


def _unclosed(text: str) -> bool:
    return any(text.count(a) > text.count(b) for a, b in _BRACKETS.items())


def _balanced(text: str) -> bool:
    return all(text.count(a) >= text.count(b) for a, b in _BRACKETS.items())


def begins(row: Row, formula: Formula) -> bool:
    """Whether ``formula`` is the first that stands in ``row``."""
    return min(one.x0 for one in formula.glyphs) < row.x0 + 1


def ends(row: Row, formula: Formula) -> bool:
    """Whether ``formula`` is the last that stands in ``row``."""
    return max(one.x1 for one in formula.glyphs) > max(one.x1 for one in [*row.glyphs, *row.extra]) - 1


def is_open(formula: Formula) -> bool:
    """Whether something must follow: TeX breaks formulas behind a relation, a sign of calculation or a comma."""
    last = max(formula.glyphs, key=lambda one: one.x1)
    text = "".join(one.symbol.sign for one in formula.glyphs)
    return (
        last.symbol.sign in RELATIONS | BINARY | {"-"}
        or (last.symbol.sign in ",…." and last.is_math)
        or _unclosed(text)
    )
