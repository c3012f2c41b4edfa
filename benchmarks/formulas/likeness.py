"""How like two formulas in LaTeX are: the edit similarity of their symbols with their places, after MathML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from html import unescape
from xml.etree.ElementTree import Element

from rapidfuzz.distance import Levenshtein

_LOOKS = re.compile(
    r"\\(?:displaystyle|textstyle|scriptstyle|[,;:! ]|quad|qquad|left|right|[bB]igg?[lrm]?|limits|nolimits|mathstrut"
    r"|hspace\{[^}]*\}|(?:tag|label)\{[^}]*\})(?![a-z])"
)
_PLACES = {"msub": "_", "msup": "^", "msubsup": "_^", "munder": "_", "mover": "^", "munderover": "_^", "mfrac": "/",
           "mroot": "r"}  # fmt: skip
_UNSEEN = frozenset("\u2061\u200b\u00a0")


def symbols_of(latex: str) -> list[str]:
    """The symbols of ``latex`` with marks for where they stand; empty if latex2mathml cannot read it."""
    from latex2mathml.converter import convert_to_element

    try:
        return list(_symbols(convert_to_element(_LOOKS.sub(" ", latex.strip().strip("$").strip()))))
    except Exception:  # its errors have no common class
        return []


def _symbols(element: Element) -> Iterator[str]:
    name, children = element.tag.split("}")[-1], list(element)
    if name in ("mi", "mo", "mn", "mtext", "ms"):
        text = unicodedata.normalize("NFKC", unescape(element.text or ""))
        yield from (sign for sign in text if not sign.isspace() and sign not in _UNSEEN)
    elif name in _PLACES or name == "msqrt":
        if name in ("mfrac", "msqrt", "mroot"):
            yield f"<{name}>"
        for place, child in zip(f" {_PLACES.get(name, '')}", children, strict=False):
            yield from (f"<{place}>",) if place.strip() else ()
            yield from _symbols(child)
        yield "</>"
    elif name != "mspace":
        for child in children:
            yield from _symbols(child)
        yield from {"mtr": ("<row>",), "mtd": ("<cell>",)}.get(name, ())


def likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """From 0 (nothing is the same) to 1."""
    return 1 - Levenshtein.distance(one, other) / max(1, len(one), len(other))
