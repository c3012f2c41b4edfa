"""Elements of XML as text, for formats that are written page by page."""

from __future__ import annotations

import re
from xml.sax.saxutils import quoteattr

from docspec.core import BBox
from docspec.core.safe_text import REPLACEMENT, safe_text

_NO_XML = re.compile("[\ufffe\uffff]")


def xml_safe(text: str) -> str:
    """``text`` without signs that XML does not have; no ``&`` is written yet."""
    return _NO_XML.sub(REPLACEMENT, safe_text(text))


def attributes(**values: object) -> str:
    """Attributes with a space in front; those that are ``None`` are left out, and a ``_`` at the end of a name is."""
    given = ((name.rstrip("_"), value) for name, value in values.items() if value is not None)
    return "".join(f" {name}={quoteattr(xml_safe(str(value)))}" for name, value in given)


def whole_box(box: BBox, width: int, height: int) -> tuple[int, int, int, int]:
    """``box`` in whole pixels of its page, at least one wide and high."""
    x0, y0, x1, y1 = box.clamped(width, height).rounded()
    x0, y0 = min(x0, max(width - 1, 0)), min(y0, max(height - 1, 0))
    return x0, y0, max(x1, x0 + 1), max(y1, y0 + 1)
