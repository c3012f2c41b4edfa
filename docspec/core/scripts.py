"""Scripts that letters belong to, by the first word of their names in Unicode."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache

NAMES = {
    "LATIN": "Latin",
    "GREEK": "Greek",
    "CYRILLIC": "Cyrillic",
    "ARMENIAN": "Armenian",
    "GEORGIAN": "Georgian",
    "HEBREW": "Hebrew",
    "ARABIC": "Arabic",
    "DEVANAGARI": "Devanagari",
    "BENGALI": "Bengali",
    "TAMIL": "Tamil",
    "THAI": "Thai",
    "CJK": "Han",
    "HIRAGANA": "Kana",
    "KATAKANA": "Kana",
    "HANGUL": "Hangul",
    "ETHIOPIC": "Ethiopic",
    "TELUGU": "Telugu",
    "KANNADA": "Kannada",
    "MALAYALAM": "Malayalam",
    "SINHALA": "Sinhala",
    "GUJARATI": "Gujarati",
    "GURMUKHI": "Gurmukhi",
    "ORIYA": "Oriya",
    "LAO": "Lao",
    "KHMER": "Khmer",
    "MYANMAR": "Myanmar",
    "TIBETAN": "Tibetan",
}

_SUPPLEMENT = (
    "⺟母⺠民⺩王⺬示⺼肉⻁虎⻄西⻅见⻆角⻉贝⻋车⻑長⻓长⻔门⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻢马⻣骨⻤鬼"
    "⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟"
)
RADICALS = {
    **{code: form for code in range(0x2F00, 0x2FD6) if len(form := unicodedata.normalize("NFKC", chr(code))) == 1},
    **{ord(radical): form for radical, form in zip(_SUPPLEMENT[::2], _SUPPLEMENT[1::2], strict=True)},
}
"""Radicals (Kangxi's and those of the supplement that are characters, too) and the characters of the same form: tables
of fonts (ToUnicode) name one glyph by either. From EquivalentUnifiedIdeograph of Unicode 15."""


UNSPACED = re.compile("[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
"""A sign of Chinese and Japanese, whose words have no spaces between them."""


def scripts_of(text: str) -> Counter[str]:
    """How many letters of ``text`` each script has; letters of scripts without a name here, and signs that stand for
    letters in formulas, count for none."""
    counts: Counter[str] = Counter()
    for char, count in Counter(unicodedata.normalize("NFKC", text)).items():
        if char.isalpha():
            name = NAMES.get(unicodedata.name(char, "").partition(" ")[0])
            if name is not None:
                counts[name] += count
    return counts


def alphabet_of(scripts: Iterable[str]) -> frozenset[str]:
    """The letters, marks and digits of ``scripts``, with digits and punctuation of ASCII; rare Chinese characters
    beyond the first plane of Unicode are left out."""
    every = _alphabets()
    return frozenset(map(chr, range(32, 127))).union(*(every.get(script, ()) for script in scripts))


@cache
def _alphabets() -> dict[str, frozenset[str]]:
    alphabets: dict[str, set[str]] = {}
    for char in map(chr, range(0xA0, 0x10000)):
        script = NAMES.get(unicodedata.name(char, "").partition(" ")[0])
        if script is not None:
            alphabets.setdefault(script, set()).add(char)
    return {script: frozenset(chars) for script, chars in alphabets.items()}
