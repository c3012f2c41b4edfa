"""Characters for the codes that fonts of symbols leave in a text layer: U+F020 to U+F0FF, and Adobe's corporate use.

A font's name tells which table its codes are of. Fonts under other names were renamed or made by a tool from several:
there letters and mathematical signs are read as those of Symbol, the rest as Wingdings' bullets and boxes.
"""

from __future__ import annotations

import re

from docspec.documents.signs import FIRST, SYMBOL, WINGDINGS, table_of

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
_LIGATURES = {0xF001: "fi", 0xF002: "fl"}


def decoded(text: str, font: str) -> str:
    """``text`` in the type of ``font`` with characters for the codes that are known; codes that are not stay."""
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
    return _LIGATURES.get(code) or _ADOBE.get(code)


def _of(table: str, code: int) -> str | None:
    sign = table[code - FIRST] if FIRST < code < FIRST + len(table) else " "
    return " " if code == FIRST else sign.strip() or None
