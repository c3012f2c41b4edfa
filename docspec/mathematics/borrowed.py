"""What looks like a formula and is text: manuals take braces, angle brackets and arrows from fonts for mathematics.

A formula has something that only formulas have: a letter of a font for mathematics, Greek, a function, a bar, a
relation that stands apart between its sides. Brackets are none, and bars and braces that have no partner. Placeholders
(``⟨name⟩``), code (``\\pm``, ``{12pt}``), keys (``A → B`` with words), marks of footnotes and numbers of pages have
signs of such fonts between words and figures of text, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docspec.mathematics.formula import Formula
from docspec.mathematics.glyphs import Glyph
from docspec.mathematics.spelling import BINARY, FUNCTIONS, MORE_FUNCTIONS, RELATIONS
from docspec.mathematics.words import text_words, tokens_in

TYPED = frozenset("\\{}()[]<>|⟨⟩/,.;:!?'\"`’‘”“„«»%#&_@~^*∗-–−…→←↔⇒⇐⇔")
"""Signs that people type or print between words, whatever font they are of."""

_WORD = 4
"""Fewest letters of a word in italics, which formulas may have borrowed: fewer are products."""

_NUMBER = re.compile(r"\d+/\d+|[-–−]\d+[-–−]")
"""Numbers of pages."""

_PAIRS = {")": "(", "]": "[", "}": "{", "⟩": "⟨"}


def is_text(formula: Formula) -> bool:
    """Whether ``formula`` has nothing that text has not."""
    glyphs = [one for part in (formula, *formula.rest) for one in part.glyphs]
    signs = {one.symbol.sign for one in glyphs}
    if _is_code(glyphs) or _is_marked(glyphs):
        return True
    if any(part.bars for part in (formula, *formula.rest)):
        return False
    if not any(sign.isalnum() for sign in signs):
        return signs <= TYPED
    others = {sign for sign in signs if not sign.isalnum()}
    letters = [one for one in glyphs if one.symbol.sign.isalpha()]
    if not letters:
        is_number = _NUMBER.fullmatch("".join(one.symbol.sign for one in sorted(glyphs, key=lambda one: one.x0)))
        return is_number is not None if formula.display else others <= TYPED and not _are_paired(glyphs)
    if any(one.is_math or one.symbol.sign > "\u024f" for one in letters):
        return False
    italic = any(one.font.italic for one in letters)
    ends = {min(glyphs, key=lambda one: one.x0).symbol.sign, max(glyphs, key=lambda one: one.x1).symbol.sign}
    if not italic and not _has_sides(glyphs) and others <= TYPED | RELATIONS and ends <= RELATIONS:
        return True  # a relation without sides: quotation marks
    words = [word for word in text_words(glyphs) if len(word) > 1]
    longest = max(map(len, words), default=0)
    if not words:
        return others <= TYPED and not italic and {"{", "}"} <= others
    if any(word in FUNCTIONS or word in MORE_FUNCTIONS for word in words):
        return False
    if _has_braces_of_text(glyphs) or (formula.display and _is_sentence(words, glyphs)):
        return True
    if formula.display or not any(one.is_math for one in glyphs):
        return formula.display and longest >= _WORD and not _has_sides(glyphs) and (others <= TYPED | {"=", "+"})
    has_single = len(words) < len(text_words(glyphs))
    is_word = (
        longest >= _WORD
        or (not italic and not has_single)
        or bool(ends & set("<>:"))
        or (not italic and bool(others & set("{}\\")))
    )
    return is_word and others <= TYPED | (set("=") if _is_level(glyphs) and not _has_sides(glyphs) else set())


def _is_code(glyphs: Sequence[Glyph]) -> bool:
    """Whether a backslash with nothing before it begins a word, or words are of a typewriter's font and no letter is of
    a formula's."""
    ordered = sorted(glyphs, key=lambda one: (round(one.y), one.x0))
    for before, one, after in zip((None, *ordered), ordered, ordered[1:], strict=False):
        if one.symbol.sign != "\\":
            continue
        is_first = (
            before is None
            or before.y != one.y
            or before.symbol.sign in "{[(},="
            or one.x0 - before.x1 > 0.17 * one.size
        )
        near = before is None or after.x0 - one.x1 < 0.17 * one.size  # columns of equal width set letters apart
        if is_first and near and after.symbol.sign.isalpha() and not after.is_math:
            return True
    if {one.symbol.sign for one in glyphs} & (RELATIONS | BINARY) - TYPED - set("="):
        return False
    equals = [one for one in ordered if one.symbol.sign == "="]
    if any(b.x0 < a.x1 + 0.1 * a.size and a.y == b.y for a, b in pairwise(equals)):
        return True  # a line drawn with signs
    typed = sum(one.font.mono and one.symbol.sign.isalpha() for one in glyphs)
    return typed > 1 and not any(one.symbol.sign.isalnum() and not one.font.mono for one in glyphs)


def _is_marked(glyphs: Sequence[Glyph]) -> bool:
    """Whether an upright letter of text has nothing but a mark of text beside it: a note's, or a line's number."""
    full = max(one.size for one in glyphs)
    letters = [one for one in glyphs if one.size > 0.86 * full]
    marks = [one for one in glyphs if one.size <= 0.86 * full]
    is_plain = not any(one.is_math or one.font.italic or one.font.bold for one in glyphs)
    return (
        is_plain
        and len(letters) == 1
        and letters[0].symbol.sign.isalpha()
        and bool(marks)
        and all(one.symbol.sign.isdigit() and one.y < letters[0].y for one in marks)
    )


def _are_paired(glyphs: Sequence[Glyph]) -> bool:
    """Whether each bracket has its other one."""
    signs = [one.symbol.sign for one in sorted(glyphs, key=lambda one: one.x0)]
    brackets = all(signs.count(closing) == signs.count(opening) for closing, opening in _PAIRS.items())
    return brackets and signs.count("|") % 2 == 0


def _is_level(glyphs: Sequence[Glyph]) -> bool:
    return max(one.y for one in glyphs) - min(one.y for one in glyphs) < 0.1 * glyphs[0].size


def _has_braces_of_text(glyphs: Sequence[Glyph]) -> bool:
    """Whether braces are of a font for text though other signs are of one for symbols, which has braces, too."""
    braces = [one for one in glyphs if one.symbol.sign in "{}"]
    return any(one.font.kind == "sy" for one in glyphs) and any(not one.is_math for one in braces)


def _is_sentence(words: Sequence[str], glyphs: Sequence[Glyph]) -> bool:
    """Whether there are more words than the signs between the sides of a formula can hold."""
    return sum(len(word) >= _WORD for word in words) > 2 + 2 * _sides(glyphs)


def _has_sides(glyphs: Sequence[Glyph]) -> bool:
    return _sides(glyphs) > 0


def _sides(glyphs: Sequence[Glyph]) -> int:
    """How many relations and signs of calculation stand apart, as between the sides of a formula."""
    tokens = tokens_in(glyphs, max(one.size for one in glyphs))
    return sum(len(token) == 1 and token[0].symbol.sign in (RELATIONS | BINARY) - {":"} for token in tokens)
