"""Small repairs of text as PDF fonts spell it, so that it reads as people would type it.

Only certain faults are repaired: codes of fonts of symbols (U+F020 to U+F0FF, and Adobe's corporate use) and their
bullets, accents that TeX set beside their letter, invisible characters. Doubtful text stays, since a wrong draft costs
more than a missing one.

The name of a font of symbols tells which table its codes are of. Fonts under other names were renamed or made by a tool
from several: there letters and mathematical signs are read as those of Symbol, the rest as Wingdings' bullets and
boxes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from docspec.core.scripts import RADICALS
from docspec.documents.signs import FIRST, SYMBOL, WINGDINGS, table_of

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


_TOLD_OTHERWISE = {**dict(_upright_forms()), **RADICALS}
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
_FF = re.compile(r"(?<=[^\W\d_])\u21b5(?=[^\W\d_])")
"""Apple's Quartz tells the ligature of Computer Modern as this arrow; none stands within a word."""
_CIPHER = re.compile("[a-z\u00df-\u00ff][\u00c0-\u00de]|[^\\W\\d_][|\\[\\]\u2122\u0192\u2020\u2021][^\\W\\d_]")
_DOTLESS = {"ı": "i", "ȷ": "j"}


def repair(text: str) -> str:
    """One line of text: composed (NFC), single spaces, no invisible characters but a soft hyphen at the end, where a
    word is cut, accents on their letters, marks of columns as in rows, characters where fonts name their radicals."""
    if CODES.search(text):
        text = _BULLET.sub("•", decoded(text, ""))
    text = _INVISIBLE.sub("", text.translate(_BULLETS).rstrip())
    if not text.isascii():
        text = text.translate(_TOLD_OTHERWISE)
        text = _ACCENTED.sub(_compose, _FF.sub("ff", text))
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


def is_cipher(text: str) -> bool:
    """Whether most words of ``text`` are of no language: capitals with accents behind small letters, or brackets and
    strokes between letters, some beyond ASCII."""
    words = [word for word in text.split() if len(word) >= 4]
    strange = sum(not word.isascii() and _CIPHER.search(word) is not None for word in words)
    return strange > 1 and strange > 0.5 * len(words)


def _compose(match: re.Match[str]) -> str:
    accent, letter = match[1] or match[3], match[2] or match[4]
    composed = unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + _ACCENTS[accent])
    return composed if len(composed) == 1 else match[0]


CODES = re.compile("[\ue000-\uf8ff]")
"""The area of private use."""

_OF_WINGDINGS = frozenset(b"\x6e\x76\x9f\xa7\xa8\xd8\xfb\xfc\xfd\xfe\xe8")
"""Codes that are far more often Wingdings' than Symbol's."""

_ADOBE = {
    **dict(zip(range(0xF8E5, 0xF8FF), "‾⏐⎯®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭", strict=True)),
    **dict(zip(range(0xF6E9, 0xF6F4), "ᵃᵇᵈᵉⁱˡᵐᵒʳˢᵗ", strict=True)),
    **dict(zip(range(0xF730, 0xF73A), "0123456789", strict=True)),
    **dict(zip(range(0xF761, 0xF77B), "ABCDEFGHIJKLMNOPQRSTUVWXYZ", strict=True)),
    **{0xF700 + code: chr(code - 0x20) for code in range(0xE0, 0xFF) if code != 0xF7},
    **dict(zip((0xF6D9, 0xF6DA, 0xF6DB, 0xF6DC, 0xF6DE, 0xF6E6, 0xF6BE, 0xF6BF), "©®™1—⁻ȷł", strict=True)),
    **dict(zip((0xF6DF, 0xF6E0, 0xF6E1, 0xF6E2, 0xF6E3, 0xF6E4, 0xF6E5, 0xF6E7, 0xF6E8), "¢¢,,$$-..", strict=True)),
    **dict(zip((0xF721, 0xF724, 0xF726, 0xF73F, 0xF7A1, 0xF7A2, 0xF7BF, 0xF7FF), "!$&?¡¢¿Ÿ", strict=True)),
    **dict(zip((0xF6F9, 0xF6FA, 0xF6FD, 0xF6FF), "ŁŒŠŽ", strict=True)),
}
"""Of Adobe's corporate use: pieces of brackets, superiors, old-style figures, small capitals, and others."""
_LIGATURES = {"\uf001": "fi", "\uf002": "fl"}
_LIGATURE = re.compile("(?<=[^\\W\\d_])[\uf001\uf002]|[\uf001\uf002](?=[^\\W\\d_])")
"""Codes of ligatures in old fonts, beside a letter: alone they are icons, of which no table tells."""


def decoded(text: str, font: str) -> str:
    """``text`` in the type of ``font`` with characters for the codes that are known; codes that are not stay."""
    text = _LIGATURE.sub(lambda sign: _LIGATURES[sign[0]], text)
    table = table_of(font)
    if table is not None and table is not SYMBOL:  # such fonts have no letters, whatever their file says
        return "".join(_of(table, ord(sign) & 0xFF if ord(sign) >= 0xF000 else ord(sign)) or sign for sign in text)
    return CODES.sub(lambda sign: _any(ord(sign[0]), table) or sign[0], text) if CODES.search(text) else text


def is_known(sign: str) -> bool:
    """Whether a character of private use is known without its font."""
    return _any(ord(sign), None) is not None


def names_signs(font: str) -> bool:
    """Whether the name of ``font`` tells which signs its codes are."""
    return table_of(font) is not None


def _any(code: int, table: str | None) -> str | None:
    if 0xF020 <= code <= 0xF0FF:
        low = code - 0xF000
        return _of(table or (WINGDINGS if low in _OF_WINGDINGS else SYMBOL), low)
    return _ADOBE.get(code)


def _of(table: str, code: int) -> str | None:
    sign = table[code - FIRST] if FIRST < code < FIRST + len(table) else " "
    return " " if code == FIRST else sign.strip() or None
