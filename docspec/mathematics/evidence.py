"""How much speaks for a run of glyphs as a formula: manuals take braces, arrows and figures from fonts for mathematics.

Each piece of evidence is counted and has a weight; where the sum is not above zero, the run is text. Placeholders
(``⟨name⟩``), code (``\\pm``, ``{12pt}``), keys (``A → B`` with words), versions and numbers of pages have little that
only formulas have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from docspec.mathematics.formula import Formula
from docspec.mathematics.glyphs import Glyph
from docspec.mathematics.inline import has_fraction
from docspec.mathematics.spelling import BINARY, FUNCTIONS, MORE_FUNCTIONS, RELATIONS
from docspec.mathematics.words import is_mark_of_text, text_words, tokens_in

WEIGHTS = {
    "letters of formulas": 1.5,
    "variables": 2.0,
    "signs of formulas": 2.25,
    "sides": 2.5,
    "scripts": 2.0,
    "fractions": 2.0,
    "pairs of brackets": 2.75,
    "stands alone": 1.25,
    "number of a page": -2.0,
    "words between sides": -1.25,
    "words of variables": -3.0,
    "share of text": -1.75,
    "share of typewriter": -4.0,
    "backslashes": -2.5,
    "marks of code": -2.25,
    "braces": -1.25,
    "neither letters nor figures": -6.0,
}
"""What one of each piece of evidence adds (docs/formulas.md tells where the weights come from)."""

MOST, MOST_WORDS, MOST_BRACES = 2, 4, 3
"""How many of a kind count."""

BETWEEN_WORDS = 0.25
"""How much a sign of calculation between words within a line counts beside one between what is calculated with."""

SURE = 3.0
"""How much speaks at least for a formula that makes its page one of mathematics."""

UNKNOWN = -2.5
"""What the share of glyphs of fonts for text adds on a page without any other such formula."""

UNSURE = -2.5
"""What is added where the reading of a formula does not fit its glyphs."""

TYPED = frozenset("\\{}()[]<>|⟨⟩/,.;:!?'\"`’‘”“„«»≪≫%#&_@~^*∗-–−…→←↔⇒⇐⇔=+▷▶✓✗")
"""Signs that people type or print between words, whatever font they are of."""

PICTOGRAPHS = "\U0001f000"
"""From here on Unicode has signs that stand for things: telephones, globes, faces."""

_BETWEEN = (RELATIONS | BINARY) - frozenset(":→↔⇒⇔")
_NAMES = FUNCTIONS | MORE_FUNCTIONS
_NUMBER = re.compile(r"\d+/\d+|[-–−]\d+[-–−]")
_NAME = re.compile(r"(?<![^\W\d_])[^\W\d_](?:\d|\.\d|\.[^\W\d_](?![^\W\d_]))")
"""A single letter before a figure, or a point and a figure or another letter: ``x86``, ``p.50``, ``e.g``."""
_REFERENCE = re.compile(r"\(\d+(?:\.\d+)*\)|\[\d+(?:\.\d+)*\]")
"""A number alone in brackets: an equation or a source that is referred to."""
_PAIRS = ("()", "[]", "{}", "||")
_WORD = 4
"""Fewest letters of a word: fewer may be a product."""


def weighed(found: Sequence[Formula]) -> list[tuple[Formula, float]]:
    """Those of the runs ``found`` on a page that are formulas, with how much speaks for each: where no other is sure,
    a run of letters of text has less."""
    sums = [sum(WEIGHTS[name] * count for name, count in evidence(one).items()) for one in found]
    sure = sum(one >= SURE for one in sums)
    is_known = [sure > (one >= SURE) for one in sums]
    sums = [one + UNKNOWN * (not known) * _text_in(run) for one, known, run in zip(sums, is_known, found, strict=True)]
    return [(run, one) for run, one in zip(found, sums, strict=True) if one > 0]


def _text_in(formula: Formula) -> float:
    """The share of glyphs of fonts for text."""
    glyphs = [one for part in (formula, *formula.rest) for one in part.glyphs]
    return sum(not one.is_math for one in glyphs) / len(glyphs)


def evidence(formula: Formula) -> dict[str, float]:
    """How much a formula has of each kind of :data:`WEIGHTS`."""
    parts = (formula, *formula.rest)
    glyphs = sorted((one for part in parts for one in part.glyphs), key=lambda one: one.x0)
    full = max(one.size for one in glyphs)
    large = [one for one in glyphs if one.size > 0.86 * full]
    signs = [one.symbol.sign for one in glyphs]
    letters = [one for one in glyphs if one.symbol.sign.isalpha()]
    text = [one for one in letters if _is_of_text(one)]
    styled = any(one.font.italic or one.font.bold for one in text)
    has_more = any(sign.isalnum() or sign in "∞∅∂∇" for sign in signs)
    upright = sum(not one.font.italic for one in text)
    is_reference = _REFERENCE.fullmatch("".join(signs)) is not None
    brackets = [sign for sign in signs if sign in "()[]{}|" and not is_reference]
    line, dots = "".join(one.symbol.sign for one in large), 3 * "".join(signs).count("⋅⋅⋅")
    sides = min(MOST, max(0.0, _sides(tokens_in(glyphs, full), 1.0 if formula.display else BETWEEN_WORDS) - dots))
    scripts, ordinals = _scripts(glyphs, full)
    spelt = _words_of_variables(glyphs)
    variables = sum(len(word) == 1 for word in text_words(large)) - _letters_set_apart(large, full)
    words = sum(len(word) >= _WORD and word not in _NAMES for word in text_words(glyphs))
    return {
        "letters of formulas": min(MOST, len(letters) - len(text) - sum(map(len, spelt)) - ordinals),
        "variables": min(MOST, variables) if styled and not _NAME.search(line) else 0,
        "signs of formulas": min(MOST, sum(map(_is_of_formulas, glyphs)) - dots),
        "sides": sides,
        "scripts": min(MOST, scripts),
        "fractions": any(has_fraction(part.glyphs, part.bars) for part in parts),
        "pairs of brackets": 1 - upright / len(glyphs) if brackets and has_more and not _unpaired(brackets) else 0,
        "stands alone": formula.display,
        "number of a page": formula.display and _NUMBER.fullmatch("".join(signs)) is not None,
        "words between sides": min(MOST_WORDS, words) / (1 + sides),
        "words of variables": len(spelt),
        "share of text": len(text) / len(glyphs),
        "share of typewriter": sum(one.font.mono for one in glyphs) / len(glyphs),
        "backslashes": min(MOST, signs.count("\\")),
        "marks of code": min(MOST, sum(sign in "#%@&_$" for sign in signs)),
        "braces": min(MOST_BRACES, sum(sign in "{}⟨⟩<>" for sign in signs)),
        "neither letters nor figures": not has_more,
    }


def _sides(tokens: Sequence[Sequence[Glyph]], between_words: float) -> float:
    """How many of ``tokens`` are relations or signs of calculation between two others; one between words of prose
    (``a + or -``) counts as so much."""
    count = 0.0
    for before, one, behind in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if len(one) == 1 and one[0].symbol.sign in _BETWEEN:
            beside = (*before, *behind)
            upright = (sign.symbol.sign.isalpha() and _is_of_text(sign) and not sign.font.italic for sign in beside)
            count += between_words if len(beside) > 2 and all(upright) else 1
    return count


def _words_of_variables(glyphs: Sequence[Glyph]) -> list[str]:
    """Runs of so many small letters of the italics of a font for mathematics that they are a word."""
    text, last = "", glyphs[0]
    for one in glyphs:
        sign = one.symbol.sign
        is_variable = one.is_math and one.symbol.alphabet == "it" and sign.isascii() and sign.islower()
        text += " " * (abs(one.y - last.y) > 0.1 or one.x0 - last.x1 > 0.2 * one.size)
        text, last = text + (sign if is_variable else " "), one
    return [word for word in text.split() if len(word) >= _WORD]


def _letters_set_apart(glyphs: Sequence[Glyph], full: float) -> int:
    """How many letters of text stand apart from each other in runs of so many that they are words, as listings set the
    letters of code in columns."""
    alone = [len(own) == 1 and own[0].symbol.sign.isalpha() and not own[0].is_math for own in tokens_in(glyphs, full)]
    lengths = [len(list(run)) for is_letter, run in groupby(alone) if is_letter]
    return sum(length for length in lengths if length >= _WORD)


def _is_of_text(letter: Glyph) -> bool:
    is_slanted = letter.font.kind != "" and letter.symbol.alphabet != "rm"
    return not (letter.is_math or is_slanted or letter.symbol.sign > "\u024f")


def _is_of_formulas(one: Glyph) -> bool:
    sign = one.symbol.sign
    return not (sign.isalnum() or sign in TYPED or sign >= PICTOGRAPHS or is_mark_of_text(one))


def _scripts(glyphs: Sequence[Glyph], full: float) -> tuple[int, int]:
    """How many smaller signs stand off the base line of the one of size ``full`` before them, but raised figures behind
    upright letters, which are marks of notes; and how many are the letters of ordinals (``n^o``, ``6^a``)."""
    count = ordinals = 0
    base: Glyph | None = None
    for one in glyphs:
        if one.size > 0.86 * full:
            base = one
        elif base is not None and one.symbol.sign not in TYPED and abs(one.y - base.y) > 0.05 * full:
            is_plain = _is_of_text(base) and not (base.font.italic or base.font.bold) and one.y < base.y
            if is_plain and one.symbol.sign in "oaºª" and base.symbol.sign in "nN0123456789":
                ordinals += 1
            else:
                count += not (is_plain and base.symbol.sign.isalpha() and one.symbol.sign.isdigit())
    return count, ordinals


def _unpaired(brackets: Sequence[str]) -> list[str]:
    """``brackets`` without those that hold nothing but pairs."""
    left: list[str] = []
    for sign in brackets:
        if left and left[-1] + sign in _PAIRS:
            left.pop()
        else:
            left.append(sign)
    return left
