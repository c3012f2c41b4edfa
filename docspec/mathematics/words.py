"""Which tokens of a row are words of prose, and which can only be part of a formula."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter

from docspec.mathematics.glyphs import Glyph
from docspec.mathematics.spelling import BINARY, FUNCTIONS, MORE_FUNCTIONS, RELATIONS

_WORD_GAP = 0.17


LOOSE = frozenset(".,;:!?'’”“\"")


_AROUND = "".join(LOOSE) + "()[]"
"""What stands around words."""


_SIGNS = (RELATIONS | BINARY) - set(":·•")


_STYLES = ("bold", "italic")


_begins = attrgetter("x0")


_CALL = re.compile(r"\W?[^\W\d_]{1,12}[(\[](?:\d[\d.,]*|[^\W\d_])(?:[)\].,;:]|,.*)*")
"""A function of a number or of one letter."""


def tokens_in(glyphs: Sequence[Glyph], size: float) -> list[list[Glyph]]:
    """``glyphs`` from left to right, in runs without white between them."""
    tokens: list[list[Glyph]] = []
    right = 0.0
    gap = _WORD_GAP * size
    for one in sorted(glyphs, key=_begins):
        if tokens and one.x0 - right < gap:
            tokens[-1].append(one)
            if one.x1 > right:
                right = one.x1
        else:
            tokens.append([one])
            right = one.x1
    return tokens


def text_words(glyphs: Sequence[Glyph]) -> list[str]:
    """Runs of letters of fonts for text."""
    words, right = [""], None
    for one in sorted(glyphs, key=_begins):
        is_letter = not one.is_math and one.symbol.sign.isalpha()
        if right is not None and one.x0 - right > _WORD_GAP * one.size:
            words.append("")
        if is_letter:
            words[-1] += one.symbol.sign
        elif words[-1]:
            words.append("")
        right = one.x1
    return [word for word in words if word]


def usual(sizes: Sequence[float]) -> float:
    """The most frequent size of type."""
    if sizes.count(sizes[0]) == len(sizes):
        return round(sizes[0], 1)
    return Counter(round(size, 1) for size in sizes).most_common(1)[0][0]


def letters_are_borrowed(glyphs: Sequence[Glyph]) -> bool:
    """Whether no font for mathematics has the page's italic letters: then those of the text's italics are variables."""
    mathematical = [one for one in glyphs if one.font.kind in ("it", "unicode")]
    own = any(
        one.symbol.sign.isascii() and one.symbol.sign.isalpha() and one.symbol.alphabet == "it" for one in mathematical
    )
    return not own


def is_word(token: Sequence[Glyph], borrowed: bool) -> bool:
    """Whether a token is a word of prose; scripts do not count."""
    largest = max(one.size for one in token)
    full = [one for one in token if one.size > 0.86 * largest]
    text = "".join([one.symbol.sign for one in full])
    if has_lowered(full):
        return True
    mathematical = [one.is_math for one in full]
    letters = [
        one for one, is_math in zip(full, mathematical, strict=True) if one.symbol.sign.isalpha() and not is_math
    ]
    if any(mathematical):
        return len(letters) > 6 and len(letters) > 0.7 * len(full) and "(" not in text[1:]
    word = text.strip(_AROUND + "-–—")
    if not any(char.isalpha() for char in word):
        return "$" in word or "#" in word
    if len(letters) == 1 and _is_word_of_one(letters[0], text):
        return True
    if word in FUNCTIONS or word in MORE_FUNCTIONS or len(letters) == 1 or _CALL.fullmatch(text):
        return False
    if borrowed and any(one.font.italic for one in letters):
        if all(one.font.italic for one in letters):
            return len(letters) > 3 and "(" not in text[1:] and not _SIGNS.intersection(text)
        if "".join(one.symbol.sign for one in letters if not one.font.italic) in FUNCTIONS:
            return False  # a function and its variable without white between them
        return not any(one.symbol.sign in "([/|+" or one.symbol.sign in _SIGNS for one in full)
    if len(full) < len(token) and any(one.y > full[0].y + 0.05 * largest for one in token):
        return False  # type that is lowered: names of quantities, formulas of chemistry
    return not any(one.symbol.sign in RELATIONS or one.symbol.sign == "+" for one in full)


def _is_word_of_one(letter: Glyph, text: str) -> bool:
    """Whether the only ``letter`` of a token with that ``text`` is upright and has an accent that prose alone has."""
    is_upright = not (letter.font.italic or letter.font.bold)
    sign = letter.symbol.sign
    return is_upright and ("\u00bf" < sign < "\u0250" or any(one in "`\u00b4\u02ca\u02cb" for one in text))


def has_lowered(full: Sequence[Glyph]) -> bool:
    """Whether a letter of ``full``, signs of equal size, stands a little below or above the one beside it, as in
    TeX's name: formulas lower only what is smaller."""
    if all(one.y == full[0].y for one in full):
        return False
    ordered = sorted((one for one in full if one.symbol.sign.isalnum()), key=lambda one: one.x0)
    return any(
        0.05 * a.size < abs(b.y - a.y) < 0.35 * a.size and b.x0 - a.x1 < 0.1 * a.size for a, b in pairwise(ordered)
    )


def is_certain(token: Sequence[Glyph], size: float, borrowed: bool) -> bool:
    """Whether a token can only be part of a formula."""
    if is_word(token, borrowed):
        return False
    if any(one.is_math and not is_mark_of_text(one) and not _is_figure(one) for one in token):
        return True
    full = [one for one in token if one.size > 0.86 * size]
    letters = [one for one in full if one.symbol.sign.isalpha()]
    if borrowed and any(one.font.italic for one in letters):
        text = "".join(one.symbol.sign for one in full).strip(_AROUND)
        is_bare = len(full) == len(token) and all(char.isalpha() or char in "-–" for char in text)
        return (len(letters) < 4 and (len(letters) == 1 or not is_bare)) or any(char in "([=" for char in text)
    if len(letters) != 1:
        return False
    sign, font = letters[0].symbol.sign, letters[0].font
    return len(full) < len(token) or font.bold or font.kind != "" or "\u0370" < sign < "\u03ff"


def _is_figure(one: Glyph) -> bool:
    """Whether a glyph is a figure or point of an upright font, as measures in prose have them, too."""
    return one.font.kind in ("unicode", "rm") and (one.symbol.sign.isdigit() or one.symbol.sign in ".,")


def is_mark_of_text(one: Glyph) -> bool:
    """Signs that prose takes from fonts of symbols."""
    return one.symbol.sign in "∙•·†‡§¶©®∗⃝○□■"


def is_emphasised(tokens: Sequence[Sequence[Glyph]], at: int, borrowed: bool) -> bool:
    """Whether a token of bold letters, or of italic ones where formulas have ``borrowed`` these, stands beside a word
    of the same."""
    beside = (*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2])
    return any(
        _is_styled(tokens[at], 1, style) and any(_is_styled(one, 2, style) for one in beside)
        for style in _STYLES[: 1 + borrowed]
    )


def _is_styled(token: Sequence[Glyph], least: int, style: str) -> bool:
    """Whether a token is a word of so many letters, or letters and figures, of a font for text in that ``style``."""
    signs = [one for one in token if one.symbol.sign not in LOOSE]
    letters = [one for one in signs if one.symbol.sign.isalpha()]
    return len(letters) >= least and all(
        getattr(one.font, style)
        and not one.is_math
        and (one.symbol.sign.isalnum() or one.symbol.sign in "-–")
        and abs(one.y - signs[0].y) < 0.3
        for one in signs
    )
