"""Marks words of a text layer as bold, italic, raised or linked, by MuPDF's data on a line's spans and on the page's
links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docspec.core import BBox
from docspec.core.marks import Mark, carried, merged

Link = tuple[BBox, str]
"""A place on the page, in points, and the address that it leads to."""

RAISED, ITALIC, BOLD = 1, 2, 16  # of a span's ``flags``
_BOLD = re.compile(
    r"bold|black|heavy|\b(?:cm|sf|ec)(?:ss)?(?:bx|xb|bi)|-medi\b|mediital|semibd|(?-i:\.BI?\b)", re.IGNORECASE
)
_ITALIC = re.compile(
    r"italic|oblique|\b(?:cm|sf|ec)(?:ss)?(?:ti|sl|bi|si)|\bslant|-it\b|ital$|(?-i:\.B?I\b)", re.IGNORECASE
)
_NO_PART = " .,;:"


def marks_of(spans: Sequence[Mapping[str, Any]], text: str) -> tuple[Mark, ...]:
    """The marks of a line, whose ``spans`` (dictionaries of MuPDF's) are written as ``text``."""
    found, whole = [], ""
    for span in spans:
        start, whole = len(whole), whole + span["text"]
        if not span["text"].strip():
            continue
        flags, font = span["flags"], span.get("font", "")
        if flags & RAISED:
            found.append(Mark("raised", start, len(whole)))
        if flags & BOLD or _BOLD.search(font):
            found.append(Mark("bold", start, len(whole)))
        if flags & ITALIC or _ITALIC.search(font):
            found.append(Mark("italic", start, len(whole)))
    return merged(carried(tuple(found), whole, text), text)


def linked(text: str, box: BBox, links: Sequence[Link], words: Sequence[tuple[Any, ...]]) -> Iterator[Mark]:
    """The links of the line ``text`` in ``box``; ``words`` are the page's (``x0, y0, x1, y1, text, ...``)."""
    for place, target in links:
        shared = place.intersection(box)
        if shared is None or shared.height < 0.5 * min(place.height, box.height):
            continue
        own = sorted((word for word in words if shared.has_center_of(BBox(*word[:4]))), key=lambda word: word[0])
        anchor = " ".join(word[4] for word in own).strip(_NO_PART)
        places = [found.start() for found in re.finditer(re.escape(anchor), text)] if anchor else []
        if places:
            expected = len(text) * (own[0][0] - box.x0) / max(box.width, 1e-6)
            start = min(places, key=lambda at: abs(at - expected))
            yield Mark("link", start, start + len(anchor), target)
