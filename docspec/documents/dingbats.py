"""ZapfDingbats without a table of its characters: many programs print ticks and boxes with this font of PDF's own and
name neither its glyphs nor what they mean. MuPDF then tells the numbers in the names of the glyphs (``a73`` as "I"),
which no later stage can tell from codes. The font's own table is put in."""

from __future__ import annotations

import re
from typing import Any

from docspec.core.symbol_tables import ZAPF_DINGBATS

FONT = re.compile(r"^(?:[A-Z]{6}\+)?(?:ITC ?)?ZapfDingbats", re.IGNORECASE)
_FIRST = 0x20


def name_dingbats(page: Any) -> None:
    """Gives the fonts of this name of a ``pymupdf.Page``, a private copy, a ``/ToUnicode`` where they lack one. A font
    that names glyphs of its own choice (``/Differences``) is left alone."""
    pdf = page.parent
    for xref, _, _, name, *_ in page.get_fonts():
        if not FONT.match(name) or pdf.xref_get_key(xref, "ToUnicode")[0] != "null":
            continue
        kind, encoding = pdf.xref_get_key(xref, "Encoding")
        described = pdf.xref_object(int(encoding.split()[0])) if kind == "xref" else encoding
        if "/Differences" in described:
            continue
        table = pdf.get_new_xref()
        pdf.update_object(table, "<<>>")
        pdf.update_stream(table, _cmap(), new=True)
        pdf.xref_set_key(xref, "ToUnicode", f"{table} 0 R")


def _cmap() -> bytes:
    signs = [(code, ord(sign)) for code, sign in enumerate(ZAPF_DINGBATS, _FIRST) if sign.strip()]
    named = "\n".join(f"<{code:02x}> <{sign:04x}>" for code, sign in signs)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def "
        f"1 begincodespacerange <00> <ff> endcodespacerange {len(signs)} beginbfchar\n{named}\nendbfchar "
        "endcmap end end"
    ).encode()
