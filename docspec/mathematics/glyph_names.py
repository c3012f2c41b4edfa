"""The names of a Type 1 font's glyphs, in the order of their numbers.

TeX's fonts of symbols have names that no table of Unicode knows (``parenleftbigg``, ``radicalbt``), and MuPDF tells a
glyph of such a font by its number alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

_KEY, _MULTIPLIER, _ADDEND = 55665, 52845, 22719  # Adobe Type 1 Font Format, section 7
_RANDOM = 4  # bytes at the beginning of what is encrypted
_CHARSTRING = re.compile(rb"/(\S+)\s+(\d+)\s+(?:RD|-\||\S+)\s")


def decrypted(data: bytes) -> bytes:
    """The private part of a Type 1 font. The key is a linear recurrence, solved by sums: a loop takes 20 ms a font."""
    cipher = np.frombuffer(data, np.uint8).astype(np.uint32)
    count = len(cipher)
    powers = np.cumprod(np.full(count + 1, _MULTIPLIER, np.uint32), dtype=np.uint32)
    inverse = pow(_MULTIPLIER, -1, 1 << 16)
    inverses = np.cumprod(np.full(count + 1, inverse, np.uint32), dtype=np.uint32)
    steps = np.cumsum((cipher * np.uint32(_MULTIPLIER) + np.uint32(_ADDEND)) * inverses[:count], dtype=np.uint32)
    keys = np.empty(count, np.uint32)
    keys[:1] = _KEY
    keys[1:] = (np.uint32(_KEY) + steps[:-1]) * powers[: count - 1]
    return bytes((cipher ^ ((keys & 0xFFFF) >> 8)).astype(np.uint8))[_RANDOM:]


@lru_cache(maxsize=64)
def type1_names(font: bytes) -> tuple[str, ...]:
    """The glyphs' names of a Type 1 font's program, empty if it is none. FreeType gives ``.notdef`` the number 0."""
    mark = font.find(b"eexec")
    if mark < 0:
        return ()
    start = mark + 5
    while start < len(font) and font[start] in b" \t\r\n":
        start += 1
    private = decrypted(font[start:])
    at = private.find(b"/CharStrings")
    if at < 0:
        return ()
    at += len(b"/CharStrings")
    names = []
    while (match := _CHARSTRING.search(private, at)) is not None:
        names.append(match[1].decode("latin-1"))
        at = match.end() + int(match[2])
    if ".notdef" in names:
        first = names.index(".notdef")
        names[0], names[first] = names[first], names[0]
    return tuple(names)
