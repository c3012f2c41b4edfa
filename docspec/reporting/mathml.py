"""Formulas as MathML (latex2mathml), which browsers draw and screen readers read, with their LaTeX beside it.

The LaTeX is what a model or the page wrote, so it is untrusted: only known elements and attributes are kept, macros
are not run, and a formula of which a letter or a figure would be lost stays LaTeX.
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from xml.etree import ElementTree

from docspec.core.formulas import letters_of, shown_signs

LONGEST = 3000
"""Most characters of a formula that is converted; longer ones are loops of a model."""

NAMESPACE = "http://www.w3.org/1998/Math/MathML"

_MACROS = re.compile(r"\\(?:(?:re)?newcommand|providecommand|def|let|DeclareMathOperator|href|style|class|id)\b")
_UNKNOWN = re.compile(r"\\[A-Za-z]+")
_NUMBER = re.compile(r"\s*\\tag\*?\s*\{([^{}]*)\}\s*$")

_ELEMENTS = frozenset(
    (
        "math", "menclose", "merror", "mfenced", "mfrac", "mi", "mlabeledtr", "mmultiscripts", "mn", "mo", "mover",
        "mpadded", "mphantom", "mprescripts", "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup",
        "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none",
    )
)  # fmt: skip
_ATTRIBUTES = frozenset(
    (
        "accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth", "display", "displaystyle",
        "fence", "form", "height", "largeop", "linethickness", "lspace", "mathvariant", "maxsize", "minsize",
        "movablelimits", "notation", "rowlines", "rowspacing", "rspace", "scriptlevel", "separator", "stretchy",
        "symmetric", "voffset", "width",
    )
)  # fmt: skip


def mathml_of(latex: str, display: bool = False) -> str | None:
    """``latex`` (without delimiters) as a ``<math>`` element with the LaTeX as its annotation; ``None`` where it cannot
    be converted without loss."""
    from latex2mathml.converter import Converter

    if not latex.strip() or len(latex) > LONGEST or _MACROS.search(latex):
        return None
    number = _NUMBER.search(latex)
    bare = latex[: number.start()] if number else latex
    try:
        math = Converter(display="block" if display else "inline").convert_to_element(bare)
    except Exception:  # its errors have no common class, and deep nesting is a RecursionError
        return None
    for element in math.iter():
        if element.tag not in _ELEMENTS:
            return None
        element.text = unescape(element.text) if element.text else None
        element.attrib = {name: value for name, value in element.attrib.items() if name in _ATTRIBUTES}
    shown = "".join(math.itertext())
    wanted, held = (unicodedata.normalize("NFKC", text) for text in (shown_signs(bare), shown))
    if _UNKNOWN.search(shown) or letters_of(wanted) - letters_of(held):  # those of mathematical alphabets are plain
        return None
    math.set("xmlns", NAMESPACE)
    semantics = ElementTree.Element("semantics")
    row = ElementTree.SubElement(semantics, "mrow")
    row.extend(list(math))
    if number:
        ElementTree.SubElement(row, "mspace", width="2em")
        ElementTree.SubElement(row, "mtext").text = f"({number[1]})"
    annotation = ElementTree.SubElement(semantics, "annotation", encoding="application/x-tex")
    annotation.text = latex.strip()
    for child in list(math):
        math.remove(child)
    math.append(semantics)
    return ElementTree.tostring(math, encoding="unicode")
