"""What a glyph stands for: its sign, its alphabet, and its part in a formula.

Signs are Unicode's. What a font calls by a name of its own (``parenleftbigg``, ``summationdisplay``, ``radicalbt``) has
its part told by that name.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

from docspec.mathematics.fonts import Font

Part = Literal["ordinary", "operator", "delimiter", "piece", "radical", "accent", "not", "brace"]


class Symbol(NamedTuple):
    """A sign of Unicode, the alphabet that it is taken from (``it``, ``rm``, ``bf``, ``bi``, ``cal``, ``bb``, ``frak``,
    ``sf``, ``tt``) and its part in a formula."""

    sign: str
    alphabet: str
    part: Part = "ordinary"


_DELIMITERS = {
    "parenleft": "(", "parenright": ")", "bracketleft": "[", "bracketright": "]", "braceleft": "{", "braceright": "}",
    "angbracketleft": "⟨", "angbracketright": "⟩", "angleft": "⟨", "angleright": "⟩", "floorleft": "⌊",
    "floorright": "⌋", "ceilingleft": "⌈", "ceilingright": "⌉", "bar": "|", "bardbl": "‖", "vextendsingle": "|",
    "vextenddouble": "‖", "slash": "/", "backslash": "\\",
}  # fmt: skip
_OPERATORS = {
    "summation": "∑", "product": "∏", "coproduct": "∐", "integral": "∫", "contintegral": "∮", "union": "⋃",
    "intersection": "⋂", "logicaland": "⋀", "logicalor": "⋁", "circleplus": "⨁", "circlemultiply": "⨂",
    "circledot": "⨀", "unionmulti": "⨄", "unionsq": "⨆", "integraldbl": "∬", "integraltrpl": "∭",
}  # fmt: skip
_NAMES = {
    "mapsto": "↦", "mapstochar": "↦", "nequal": "≠", "simequal": "≅", "nelement": "∉", "openbullet": "∘",
    "dotlessj": "ȷ", "dotlessi": "ı", "lscript": "ℓ", "weierstrass": "℘", "similarequal": "≃", "hbar": "ℏ",
    "planckover2pi": "ℏ", "planckover2pi1": "ℏ", "forces": "⊩", "square": "□", "squaresolid": "■", "lozenge": "◊",
    "lessorequalslant": "⩽", "greaterorequalslant": "⩾", "defines": "≜", "trianglerightequal": "⊵",
    "owner": "∋", "arrowhookleft": "↪", "arrowhookright": "↩", "follows": "≻", "precedes": "≺",
    "squiggleright": "⇝", "epsilon1": "ϵ", "phi1": "φ", "theta1": "ϑ", "pi1": "ϖ", "rho1": "ϱ", "sigma1": "ς",
    "epsilon": "ε", "phi": "ϕ", "dotmath": "⋅", "latticetop": "⊤", "perpendicular": "⊥",
    "satisfies": "⊨", "beth": "ℶ", "arrowlongright": "⟶", "negationslash": "̸", "arrownortheast": "↗",
    "arrowsoutheast": "↘", "arrowdblleft": "⇐", "equalorfollows": "⪰", "equalorprecedes": "⪯", "owns": "∋",
    "triangle": "△", "triangleinv": "▽", "flat": "♭", "sharp": "♯", "natural": "♮", "proportional": "∝",
    "radical": "√", "bardbl": "‖", "periodcentered": "⋅", "asteriskmath": "∗", "star": "⋆", "vector": "⃗",
    "harpoonupright": "⇀", "harpoondownleft": "↽", "lessmuch": "≪", "greatermuch": "≫",
}  # fmt: skip
_ACCENT_NAMES = {
    "dieresis": "¨", "dotaccent": "˙", "ddotacc": "¨", "dotacc": "˙", "macron": "¯", "circumflex": "ˆ",
    "tilde": "˜", "acute": "´", "grave": "`", "caron": "ˇ", "breve": "˘", "ring": "˚", "vec": "⃗",
}  # fmt: skip
_OF_BROWSERS = {"\ue020": "̸", "\ue150": "⏞", "\ue151": "⏞", "\ue152": "⏟", "\ue153": "⏟"}
"""Codes of MathJax's and KaTeX's own: a stroke, and the tips of braces."""

TIP = "tip"
"""The alphabet of tips, four of which make a brace."""

_ACCENTS = {
    "ˆ": "^", "^": "^", "̂": "^", "˜": "~", "~": "~", "̃": "~", "ˉ": "¯", "¯": "¯", "̄": "¯", "˙": "˙",
    "̇": "˙", "¨": "¨", "̈": "¨", "⃗": "⃗", "ˇ": "ˇ", "̌": "ˇ", "˘": "˘", "̆": "˘", "´": "´", "́": "´",
    "`": "`", "̀": "`", "˚": "˚", "̊": "˚", "⃛": "⃛",
}  # fmt: skip
"""Accents of fonts as signs of their own."""

_PIECE = re.compile(r"(paren|bracket|brace|floor|ceiling|bar|bardbl|vextend|radical|angbracket)"
                    r"(left|right|single|double)?(tp|bt|ex|mid|vertex)\d*")  # fmt: skip
_SIZED = re.compile(r"([A-Za-z]+?)(?:big|Big|bigg|Bigg)\d*")
_OPERATOR = re.compile(r"([a-z]+?)(?:text|display)\d*")
_PIECES = {"⎛": "(", "⎜": "(", "⎝": "(", "⎞": ")", "⎟": ")", "⎠": ")", "⎡": "[", "⎢": "[", "⎣": "[", "⎤": "]", "⎥": "]",
           "⎦": "]", "⎧": "{", "⎨": "{", "⎩": "{", "⎪": "{", "⎫": "}", "⎬": "}", "⎭": "}", "⎮": "∫",
           "⏐": "|", "⎷": "√"}  # fmt: skip
_PRIVATE = {code: sign for first, signs in ((0xF8EB, "((()))[[[]]]{{{{}}}"),) for code, sign in enumerate(signs, first)}
"""Adobe's codes for pieces of brackets."""

BIG_OPERATORS = frozenset("∑∏∐∫∬∭∮⋃⋂⋀⋁⨁⨂⨀⨄⨆")
FENCES = frozenset("()[]{}⟨⟩⌊⌋⌈⌉|‖")
_GREEK_TWINS = {"\u00b5": "μ", "\u2206": "Δ", "\u2126": "Ω", "\u2329": "⟨", "\u232a": "⟩", "\u3008": "⟨", "\u3009": "⟩",
                "\u2223": "|", "\u2022": "∙", "\u26ac": "∘"}  # fmt: skip
_UNICODE_ALPHABETS = (
    ("BOLD ITALIC", "bi"), ("BOLD SCRIPT", "cal"), ("BOLD FRAKTUR", "frak"), ("SANS-SERIF", "sf"), ("BOLD", "bf"),
    ("ITALIC", "it"), ("SCRIPT", "cal"), ("FRAKTUR", "frak"), ("DOUBLE-STRUCK", "bb"), ("MONOSPACE", "tt"),
)  # fmt: skip
_LETTERLIKE = {"ℎ": ("h", "it"), "ℂ": ("C", "bb"), "ℕ": ("N", "bb"), "ℙ": ("P", "bb"), "ℚ": ("Q", "bb"),
               "ℝ": ("R", "bb"), "ℤ": ("Z", "bb"), "ℬ": ("B", "cal"), "ℰ": ("E", "cal"), "ℱ": ("F", "cal"),
               "ℋ": ("H", "cal"), "ℐ": ("I", "cal"), "ℒ": ("L", "cal"), "ℳ": ("M", "cal"), "ℛ": ("R", "cal"),
               "ℭ": ("C", "frak"), "ℌ": ("H", "frak"), "ℨ": ("Z", "frak")}  # fmt: skip
_VARIANTS = dict(zip("𝜖𝜙𝜑𝜀𝜕𝜗𝜚𝜛", "ϵϕφε∂ϑϱϖ", strict=True))
"""Italic letters whose plain forms NFKC takes for others."""

_CALLIGRAPHIC = 0xE22D  # of STIX: A to Z


_BORROWED = frozenset("\\{}⟨⟩〈〉\u2329\u232a<>|≪≫*∗⋆∙•·○⃝□■▪▫●►▶▷➢☐–—-−±×†‡§¶©®…,.;:'`’‘\"“”_#%&@/∖\ufffd")
"""Signs that text takes from fonts for mathematics, as it does arrows: numbers have a minus, sizes a cross."""

_ORNAMENTS = 0x2600
"""From here to the end of Unicode's ornaments, and among codes of fonts' own, are things and marks."""


def is_of_formulas(sign: str) -> bool:
    """Whether a ``sign`` of a font for mathematics says that there is a formula."""
    code = ord(sign)
    is_thing = 0x2190 <= code < 0x2200 or _ORNAMENTS <= code < 0x27C0 or 0xE000 <= code < 0xE0FF
    return not (is_thing or sign in _BORROWED or sign.isspace())


@lru_cache(maxsize=4096)
def symbol_of(sign: str, name: str, font: Font) -> Symbol:
    """The symbol of a glyph that the file tells as ``sign`` and whose font calls it ``name`` (empty: not known)."""
    alphabet = _alphabet(font)
    if name:
        if name.startswith("radical") and name not in ("radicalbt", "radicalvertex", "radicaltp"):
            return Symbol("√", alphabet, "radical")
        if name.startswith(("hatwide", "tildewide")):
            return Symbol("^" if name.startswith("hat") else "~", "wide", "accent")
        if name.startswith("bracehtip"):
            return Symbol("⏞" if name.startswith("bracehtipdown") else "⏟", TIP, "brace")
        if (piece := _PIECE.fullmatch(name)) is not None:
            stem = f"{piece[1]}{piece[2] or ''}"
            return Symbol("√" if piece[1] == "radical" else _DELIMITERS.get(stem, "{"), alphabet, "piece")
        if name in ("vextendsingle", "vextenddouble"):
            return Symbol(_DELIMITERS[name], alphabet, "piece")
        if (sized := _SIZED.fullmatch(name)) is not None and sized[1] in _DELIMITERS:
            return Symbol(_DELIMITERS[sized[1]], alphabet, "delimiter")
        if (operator := _OPERATOR.fullmatch(name)) is not None and operator[1] in _OPERATORS:
            return Symbol(_OPERATORS[operator[1]], alphabet, "operator")
        if name in _OPERATORS and font.kind == "ex":
            return Symbol(_OPERATORS[name], alphabet, "operator")
        if len(name) == 4 and name.endswith(("bbb", "cal")):
            return Symbol(name[0], "bb" if name.endswith("bbb") else "cal")
        if font.kind and (known := _NAMES.get(name) or (_ACCENT_NAMES.get(name) if sign == "\ufffd" else None)):
            sign = known
    return _of_sign(sign, alphabet, font)


def _of_sign(sign: str, alphabet: str, font: Font) -> Symbol:
    code = ord(sign[:1] or " ")
    if _CALLIGRAPHIC <= code < _CALLIGRAPHIC + 26 and font.kind:
        return Symbol(chr(65 + code - _CALLIGRAPHIC), "cal")
    if code in _PRIVATE:
        return Symbol(_PRIVATE[code], alphabet, "piece")
    if sign in _PIECES:
        return Symbol(_PIECES[sign], alphabet, "piece")
    if sign in _LETTERLIKE:
        return Symbol(*_LETTERLIKE[sign])
    if font.kind and 0xD400 <= code <= 0xD7FF:  # written in sixteen bits
        sign, code = chr(code + 0x10000), code + 0x10000
    if 0x1D400 <= code <= 0x1D7FF:
        name = unicodedata.name(sign, "")
        own = next((own for words, own in _UNICODE_ALPHABETS if words in name), alphabet)
        plain = unicodedata.normalize("NFKC", sign)
        plain = _VARIANTS.get(sign, plain)
        return Symbol(plain, own)
    if font.kind or sign in "\u2206\u2126\u00b5":
        sign = _GREEK_TWINS.get(sign, sign)
    if sign == "̸":
        return Symbol(sign, alphabet, "not")
    if font.kind in ("rm", "ex") and sign in _OF_BROWSERS:
        sign = _OF_BROWSERS[sign]
        return Symbol(sign, TIP, "not" if sign == "̸" else "brace")
    if sign in "⏞⏟" and sign:
        return Symbol(sign, alphabet, "brace")
    if sign == "√":
        return Symbol(sign, alphabet, "radical")
    if sign in BIG_OPERATORS:
        return Symbol(sign, alphabet, "operator")
    if sign in _ACCENTS:
        return Symbol(_ACCENTS[sign], alphabet, "accent")
    return Symbol(sign, alphabet)


def _alphabet(font: Font) -> str:
    if font.kind in ("bb", "cal", "frak"):
        return font.kind
    if font.kind == "sy":
        return "cal"
    if font.kind == "it":
        return "bi" if font.bold else "it"
    if font.mono:
        return "tt"
    if font.sans:
        return "sf"
    if font.bold:
        return "bi" if font.italic else "bf"
    return "it" if font.italic else "rm"
