"""Arabic presentation forms as the letters that people type.

PDF fonts often name the shape of a letter instead of the letter. A shape tells more than the letter: a final shape
with a letter right behind it was followed by a zero-width non-joiner, as in Persian words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

FORMS = re.compile("[\ufb50-\ufdff\ufe70-\ufefc]")
ARABIC = "\u0620-\u064a\u066e-\u06d3\u06d5\u06ee\u06ef\u06fa-\u06ff\u0750-\u077f"
NON_JOINER = "\u200c"

_STRETCHED = re.compile(f"(?<=[{ARABIC}])\u0640+(?=[{ARABIC}\u064b-\u0652])")


def as_letters(text: str) -> str:
    """``text`` (in logical order) in letters, stretching strokes between them left out."""
    if FORMS.search(text):
        text = "".join(_letter(text, index) for index in range(len(text)))
    return _STRETCHED.sub("", text)


def _letter(text: str, index: int) -> str:
    char = text[index]
    if not FORMS.match(char):
        return char
    # Marks are encoded as standing on a space or a stroke of their own.
    letters = unicodedata.normalize("NFKC", char).lstrip(" \u0640") or char
    ends = unicodedata.decomposition(char).startswith(("<final>", "<isolated>"))
    goes_on = index + 1 < len(text) and unicodedata.category(text[index + 1]) == "Lo"
    return letters + NON_JOINER if ends and goes_on and letters[-1] in _joining() else letters


@cache
def _joining() -> frozenset[str]:
    """Letters that join the next one: those with an initial form."""
    forms = (unicodedata.decomposition(chr(code)).split() for code in (*range(0xFB50, 0xFE00), *range(0xFE70, 0xFEFD)))
    return frozenset(chr(int(form[1], 16)) for form in forms if len(form) == 2 and form[0] == "<initial>")
