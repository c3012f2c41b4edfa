"""Boxes and ticks of symbol fonts, whose files give the letters that stand at their codes ("o" for a box)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DINGBATS = str.maketrans(
    {**dict(zip("345678", "✓✔✕✖✗✘", strict=True)), **dict.fromkeys("opqr", "☐"), "l": "●", "n": "■"}
)
_WINGDINGS = str.maketrans({"o": "☐", "q": "☐", "¨": "☐", "x": "☒", "ý": "☒", "þ": "☑", "ü": "✓", "û": "✗", "n": "■"})
_FONTS = {"zapfdingbats": _DINGBATS, "dingbats": _DINGBATS, "wingdings": _WINGDINGS, "wingdings-regular": _WINGDINGS}


def with_symbols(span: Mapping[str, Any]) -> Mapping[str, Any]:
    """A ``span`` of MuPDF's with the signs that its font shows in place of letters."""
    table = _FONTS.get(span.get("font", "").rsplit("+", 1)[-1].lower())
    return span if table is None else {**span, "text": span["text"].translate(table)}
