"""A font without ink for text that is found and selected, but not seen: each of its letters is half an em wide.

Letters get codes as they are used, so that text of any script needs one font, signs beyond the first 65,536 included.
It is embedded, as some readers replace fonts that are not: a TrueType file of a few hundred bytes, put together here.
"""

from __future__ import annotations

import struct
from typing import Any

ADVANCE = 0.5
"""Ems."""

_MOST_CODES, _RUN = 65_000, 100
_UNITS, _ASCENT, _DESCENT = 1000, 918, -259
"""Of the em; type whose box is 1.18 ems high, its baseline 0.26 above the lower edge."""


class GlyphlessFont:
    """The font in ``pdf``, a ``pymupdf.Document``. :meth:`finish` must be called when all text is encoded."""

    def __init__(self, pdf: Any) -> None:
        self._pdf = pdf
        self.xref = int(pdf.get_new_xref())
        self._codes: dict[str, int] = {}

    def encoded(self, text: str) -> str:
        """``text`` as the hexadecimal string of a content stream."""
        return "".join(f"{self._code(sign):04x}" for sign in text)

    def _code(self, sign: str) -> int:
        if len(self._codes) >= _MOST_CODES:  # more signs than all of Unicode's scripts in use have
            return self._codes.get(sign, 1)
        return self._codes.setdefault(sign, len(self._codes) + 1)

    def finish(self) -> None:
        """Writes the font's objects."""
        font = _truetype()
        file = self._stream(font, f"/Length1 {len(font)}")
        glyphs = self._stream(b"\0\1" * (len(self._codes) + 1))
        meaning = self._stream(self._to_unicode().encode("ascii"))
        descriptor = self._object(
            f"<</Type/FontDescriptor/FontName/GlyphLess/Flags 5/FontBBox[0 {_DESCENT} 500 {_ASCENT}]/ItalicAngle 0"
            f"/Ascent {_ASCENT}/Descent {_DESCENT}/CapHeight 700/StemV 80/FontFile2 {file} 0 R>>"
        )
        descendant = self._object(
            "<</Type/Font/Subtype/CIDFontType2/BaseFont/GlyphLess/DW 500"
            "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"
            f"/CIDToGIDMap {glyphs} 0 R/FontDescriptor {descriptor} 0 R>>"
        )
        self._pdf.update_object(
            self.xref,
            "<</Type/Font/Subtype/Type0/BaseFont/GlyphLess/Encoding/Identity-H"
            f"/DescendantFonts[{descendant} 0 R]/ToUnicode {meaning} 0 R>>",
        )

    def _object(self, text: str) -> int:
        xref = int(self._pdf.get_new_xref())
        self._pdf.update_object(xref, text)
        return xref

    def _stream(self, data: bytes, entries: str = "") -> int:
        xref = self._object(f"<<{entries}>>")
        self._pdf.update_stream(xref, data, new=True, compress=True)
        return xref

    def _to_unicode(self) -> str:
        """The CMap that says which sign each code is."""
        lines = [f"<{code:04x}> <{_utf16(sign)}>" for sign, code in self._codes.items()]
        runs = [lines[at : at + _RUN] for at in range(0, len(lines), _RUN)]
        body = "".join(f"{len(run)} beginbfchar\n" + "\n".join(run) + "\nendbfchar\n" for run in runs)
        return (
            "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
            "/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n"
            "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
            f"1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n{body}"
            "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend"
        )


def _utf16(sign: str) -> str:
    return sign.encode("utf-16-be", "replace").hex()


def _truetype() -> bytes:
    """A TrueType file of two empty glyphs, half an em wide."""
    em, half = _UNITS, _UNITS // 2
    tables = {
        b"cmap": struct.pack(">HHHHLHHHHH", 0, 1, 1, 0, 12, 6, 10, 0, 0, 0),  # no sign has a glyph by its own code
        b"glyf": bytes(12),
        b"head": struct.pack(
            ">LLLLHHqqhhhhHHhhh",
            0x10000,
            0x10000,
            0,
            0x5F0F3CF5,
            0,
            em,
            0,
            0,
            0,
            _DESCENT,
            half,
            _ASCENT,
            0,
            8,
            2,
            0,
            0,
        ),
        b"hhea": struct.pack(">LhhhHhhhhhhhhhhhH", 0x10000, _ASCENT, _DESCENT, 0, half, 0, 0, 0, 1, *[0] * 7, 2),
        b"hmtx": struct.pack(">HhHh", half, 0, half, 0),
        b"loca": struct.pack(">HHH", 0, 0, 6),
        b"maxp": struct.pack(">L14H", 0x10000, 2, *[0] * 4, 2, *[0] * 8),
    }
    head = struct.pack(">LHHHH", 0x10000, len(tables), 64, 2, 16 * len(tables) - 64)
    offset = len(head) + 16 * len(tables)
    body = b""
    for tag, table in tables.items():
        whole = table + bytes(-len(table) % 4)
        total = sum(struct.unpack(f">{len(whole) // 4}L", whole)) & 0xFFFFFFFF
        head += struct.pack(">4sLLL", tag, total, offset + len(body), len(table))
        body += whole
    return head + body
