"""Which fonts are mathematical, and in which alphabet their letters are meant.

Names follow a few families: TeX's Computer Modern and Latin Modern, AMS, Euler, newtx, mathdesign, kpfonts, MathTime,
and fonts of Unicode's mathematics (Cambria Math, STIX, Libertinus, MathJax, KaTeX).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_SUBSET = re.compile(r"^[A-Z]{6}\+")
_ALPHABETS = (
    ("frak", r"eu(?:fm|fb)\d|fraktur|txmia|(?:mathjax|katex)_fraktur"),
    ("bb", r"msbm|msym|bbold|dsrom|(?<=[a-z])symbola|txsyb|txmib|(?:mathjax|katex)_ams|stixmathbb|blackboard"),
    ("cal", r"rsfs|eusm|eusb|calligra|(?:mathjax|katex)_(?:call?igraphic|script)|mathscript|stixmathscr|stixmathcal"),
    (
        "sy",
        r"cmsy|cmbsy|lmmathsymbols|msam|txsy|-sy(?:c|a)?-|symbol-10|symbolb|mtsy|msxm|mtextra|mathjax_main-?sy|esint|wasy|stmary",
    ),
    ("ex", r"cmex|mathextension|txex|-ex-|extension|eu?ex\d|mtex|(?:mathjax|katex)_size\d|yhmath|largesymbols"),
    (
        "it",
        r"cmmi|mathitalic|tx(?:b)?mi\b|txmi|txbmi|--m-(?:medium)?ital|eur[mb]\d|mtmi|(?:mathjax|katex)_math|math-?ital|mathletters",
    ),
    ("rm", r"--m-regular|ot1-10|(?:mathjax|katex)_main|\brtx[rb]\b"),
    (
        "unicode",
        r"cambria ?math|cambriamath|stix(?:two)?-?math|(?:latinmodern|lm)math|lm ?math|libertinus(?:t1)?-?math"
        r"|xits ?-?math|asana|texgyre\w+-?math|firamath|newcm\w*math|newcomputermodernmath|euler-?math|garamond-?math"
        r"|dejavumath|notosansmath|opensymbol|stixgeneral|stixnonunicode|stixsize|stixvar|mathjax|katex_",
    ),
)
_OTHER = re.compile(r"(?:math|mth)(?![a-z]*(?:ew|ias|ilde)|i$)", re.IGNORECASE)
"""Names of further families; no first names."""

_MATHEMATICAL = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _ALPHABETS]
_BOLD = re.compile(
    r"bold|black|heavy|\b(?:cm|sf|ec)(?:ss)?(?:bx|xb|bi)|cmmib|cmbsy|-medi|medium|semibd|eurb|eufb|eusb|tx\w?b|-B(?:I)?\b",
    re.IGNORECASE,
)
_ITALIC = re.compile(r"ital|oblique|\b(?:cm|sf|ec)(?:ss)?(?:ti|sl|bi|si)|slant|-it\b", re.IGNORECASE)
_SANS = re.compile(r"sans|cmss|sfss|lmss|rtxss|helvet|arial|\bsf-|nimbussan|heros", re.IGNORECASE)
_MONO = re.compile(
    r"mono|courier|cmtt|lmtt|\b(?:ec|sf|tc)tt|nimbusmon|\btt-|typewriter|txtt|cursor|inconsolata|consol|menlo"
    r"|(?:source|fira) ?code",
    re.IGNORECASE,
)


class Font(NamedTuple):
    """A font by its name: its mathematical ``kind`` (``it``, ``sy``, ``ex``, ``bb``, ``cal``, ``frak``, ``rm``,
    ``unicode``; empty: a font of text), and how it looks."""

    kind: str
    bold: bool
    italic: bool
    sans: bool
    mono: bool


@lru_cache(maxsize=512)
def font_of(name: str) -> Font:
    """The font called ``name`` in a PDF."""
    name = _SUBSET.sub("", name)
    kind = next((kind for kind, pattern in _MATHEMATICAL if pattern.search(name)), "")
    if not kind and _OTHER.search(name):
        kind = "it" if _ITALIC.search(name) else "rm"
    mathematical_weight = kind in ("sy", "ex", "bb", "rm", "unicode")
    return Font(
        kind,
        _BOLD.search(name) is not None and not (mathematical_weight and "bold" not in name.lower()),
        _ITALIC.search(name) is not None,
        _SANS.search(name) is not None and not kind,
        _MONO.search(name) is not None and not kind,
    )


def is_mathematical(name: str) -> bool:
    """Whether the font called ``name`` is made for formulas."""
    return font_of(name).kind != ""
