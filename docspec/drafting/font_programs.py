"""What the fonts of a file say themselves. An embedded font has a table of its own from characters to glyphs (in Type 1
fonts: the names of the glyphs), and a font that is not embedded is drawn by the characters of its encoding. Where that
agrees with the text of the file, two witnesses agree, and nobody needs to read the print.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from docspec.documents.mupdf import mupdf

AGREED = 0.95
"""Least share of a font's characters that its program has at the glyphs that are drawn for them. Those of ASCII must
all be there; others, such as hyphens and dots, have several codes."""

CONTINUED = -1
"""The glyph of the further characters of a ligature."""

_SUBSET = re.compile(r"^[A-Z]{6}\+")

Glyphs = Counter[tuple[int, int]]
"""How often a font draws each pair of a character and a glyph."""


@dataclass(slots=True)
class FontPrograms:
    """Opens the fonts of one document, each once."""

    _source: str = ""
    _programs: dict[int, Any] = field(default_factory=dict)

    def agreeing(self, page: Any, source: str, trace: Sequence[dict[str, Any]]) -> frozenset[str]:
        """The fonts of a ``pymupdf.Page`` of the document ``source``, by their names in its text ``trace``, that say
        the same of their characters as the file."""
        if source != self._source:
            self._source, self._programs = source, {}
        fonts = [(number, kind, bare(name)) for number, kind, _, name, *_ in page.get_fonts(full=True)]
        agreed = set()
        for name, glyphs in _glyphs_of(trace).items():
            own = bare(name)
            named = [font for font in fonts if font[2].startswith(own) or own.startswith(font[2])]
            if any(self._agrees(page.parent, number, kind, glyphs) for number, kind, _ in named):
                agreed.add(name)
        return frozenset(agreed)

    def _agrees(self, document: Any, number: int, kind: str, glyphs: Glyphs) -> bool:
        if kind == "n/a":  # not embedded: without a table of Unicodes, text and print come from one encoding
            return number > 0 and document.xref_get_key(number, "ToUnicode")[0] == "null"
        if number not in self._programs:
            self._programs[number] = _program(document, number)
        program = self._programs[number]
        if program is None:
            return False
        other = [(code, count) for (code, glyph), count in glyphs.items() if program.has_glyph(code) != glyph]
        missed = sum(count for _, count in other)
        return missed <= (1 - AGREED) * glyphs.total() and not any(0x20 < code < 0x7F for code, _ in other)


def bare(name: str) -> str:
    """The letters and digits of a font's ``name``, without the mark of a subset."""
    return re.sub(r"[^a-z0-9]", "", _SUBSET.sub("", name).lower())


def _program(document: Any, number: int) -> Any:
    """The font ``number`` of a ``document`` as a ``pymupdf.Font``; ``None`` if it cannot be opened."""
    try:
        return mupdf().Font(fontbuffer=document.extract_font(number)[3])
    except Exception:  # damaged, or of a kind that is no file
        return None


def _glyphs_of(trace: Iterable[dict[str, Any]]) -> dict[str, Glyphs]:
    """What each font of a ``trace`` draws, without spaces and ligatures."""
    glyphs: dict[str, Glyphs] = {}
    for span in trace:
        own = glyphs.setdefault(span["font"], Counter())
        pairs = [(code, glyph) for code, glyph, *_ in span["chars"]]
        for pair, following in zip(pairs, [*pairs[1:], (0, 0)], strict=True):
            if CONTINUED not in (pair[1], following[1]) and not chr(pair[0]).isspace():
                own[pair] += 1
    return glyphs
