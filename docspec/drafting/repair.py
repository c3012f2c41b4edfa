"""Small repairs of text as PDF fonts spell it, so that it reads as people would type it.

Only certain faults are repaired: bullets from symbol fonts, accents that TeX set beside their letter,
invisible characters. Doubtful text stays, since a wrong draft costs more than a missing one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from docspec.drafting.symbol_fonts import CODES, decoded

# Joiners inside of words are spelling in Arabic and Indic scripts.
_WORD = "[\u0620-\u077f\u0900-\u0dff]"
_UNTOLD = "\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd"
"""The characters of a text layer for letters without Unicode in the file."""
_INVISIBLE = re.compile(
    f"(?<!{_WORD})[\u200c\u200d]|[\u200c\u200d](?!{_WORD})|[\u200b\u200e\u200f\u2028-\u202e\u2060\ufeff{_UNTOLD}]"
    "|\u00ad(?!$)"
)
UNTOLD = re.compile(f"[{_UNTOLD}]")
"""What stands for a glyph without Unicode."""
_RUN = re.compile(f"(?:[^\\W\\d_]|[{_UNTOLD}])+")
_SPACES = re.compile("[ \t\u00a0\u2000-\u200a\u202f\u3000]+")
_BULLETS = str.maketrans(dict.fromkeys("\u2219\u25cf\u23fa\u2981", "•"))
_BULLET = re.compile(r"^[▪❖➢✓·](?=\s)")
"""Signs of fonts of symbols that are bullets where a line begins with them."""


def _upright_forms() -> Iterator[tuple[int, str]]:
    """The marks of columns from top to bottom (presentation forms), and those that people type, as wide as signs."""
    for code in (*range(0xFE10, 0xFE1A), *range(0xFE30, 0xFE49)):
        kind, _, usual = unicodedata.decomposition(chr(code)).partition(" ")
        if kind == "<vertical>":
            yield code, chr(int(usual, 16) + (0xFEE0 if int(usual, 16) < 0x7F else 0))


_UPRIGHT = dict(_upright_forms())
# Spacing accents and the combining ones that they stand for.
_ACCENTS = {
    "´": "\u0301",
    "`": "\u0300",
    "¨": "\u0308",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "ˇ": "\u030c",
    "˘": "\u0306",
    "˚": "\u030a",
    "˙": "\u0307",
    "˝": "\u030b",
    "¯": "\u0304",
}
_ACCENTED = re.compile(rf"(?<=[^\W\d_])([{''.join(_ACCENTS)}]) ?([^\W\d_])|([{''.join(_ACCENTS)}])([^\W\d_])")
_TWICE = re.compile("([\u093e-\u094c])\\1+")  # vowel signs of Devanagari stand once on a letter
_CEDILLA = re.compile(r"¸([cCsStT])|([cCsStT])¸")
_DOTLESS = {"ı": "i", "ȷ": "j"}


def repair(text: str) -> str:
    """One line of text: composed (NFC), single spaces, no invisible characters but a soft hyphen at the end, where a
    word is cut, accents on their letters, marks of columns as in rows."""
    if CODES.search(text):
        text = _BULLET.sub("•", decoded(text, ""))
    text = _INVISIBLE.sub("", text.translate(_BULLETS).rstrip())
    if not text.isascii():
        text = text.translate(_UPRIGHT)
        text = _ACCENTED.sub(_compose, text)
        text = _CEDILLA.sub(lambda match: unicodedata.normalize("NFC", (match[1] or match[2]) + "\u0327"), text)
        text = _TWICE.sub(r"\1", unicodedata.normalize("NFC", text))
    return _SPACES.sub(" ", text).strip()


def letters_untold(text: str) -> int:
    """The number of letters within words of ``text``, before :func:`repair` drops them, that the file does not tell.
    Signs that stand alone or beside one letter, as in formulas, are no letters of words."""
    if text.isprintable() and "\ufffd" not in text:
        return 0
    words = [(len(UNTOLD.findall(run)), len(run)) for run in _RUN.findall(text)]
    return sum(untold for untold, length in words if length - untold >= 2 and length >= 4)


def _compose(match: re.Match[str]) -> str:
    accent, letter = match[1] or match[3], match[2] or match[4]
    composed = unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + _ACCENTS[accent])
    return composed if len(composed) == 1 else match[0]
