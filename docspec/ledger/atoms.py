"""Words in the form in which a page and its output are compared: runs of letters, whole numbers, and signs.

An *atom* is such a run, folded: compatibility forms, accents and capitals are the same letters (a file may print an
accent as a sign of its own), soft hyphens are none. Numbers keep their separators, so that ``1,3571`` is not ``1,357``.
Scripts that run leftwards are stored in the order of the print by some files and in that of speech by others: of their
words only the letters are compared. Where such a word touches one of another script, both are words of their own: a
file paints them one by one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from docspec.core.account import UNTOLD
from docspec.core.scripts import RADICALS

_RAISED = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089"
_IN_WORDS = (
    "\u00a8\u00ad\u00af\u00b4\u00b8\u02c6-\u02df\u0300-\u036f"
    "\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u200b-\u200f\u2060\ufeff"
)
_EACH = (
    "\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002ffff"
)
_SIGNS = (
    "+\u00b1\u00d7\u00f7=%\u2030\u00a7\u00a9\u00ae\u2122\u00b0&@#$\u00a2-\u00a5\u20a0-\u20bf\u2190-\u21ff\u2200-\u2211"
    "\u2213-\u2218\u221a-\u22bf\u27c2\u27f5-\u27fc\u29f5\u2610-\u2612\u2713-\u2718"
)
_LEFTWARD = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff"
_LETTER = rf"[^\W\d_{_RAISED}{_EACH}\ufffd]"
_ATOM = re.compile(
    rf"[{_RAISED}]+(?:[.,][{_RAISED}]+)*"
    r"|\d+(?:[.,]\d+)*"
    rf"|[{_EACH}]"
    rf"|(?=[{_LEFTWARD}]){_LETTER}(?:(?=[{_LEFTWARD}]){_LETTER}|[{_IN_WORDS}\ufffd])*"
    rf"|{_LETTER}(?:(?![{_LEFTWARD}]){_LETTER}|[{_IN_WORDS}\ufffd])*"
    rf"|\ufffd(?:[^\W\d_{_RAISED}{_EACH}]|[{_IN_WORDS}\ufffd])*"
    r"|={3,}"
    rf"|[{_SIGNS}]"
)
_LEFTWARDS = re.compile(f"[{_LEFTWARD}]")
_TWINS = str.maketrans("\u2206↦⟶⟵⟹⟸⟷⟺⟼⟂⊧⧵∖", "\u0394→→←⇒⇐↔⇔→⊥⊨\\\\") | RADICALS
"""Signs that fonts print from pieces, or call by the name of another."""

_UNHEARD = re.compile("[\u2236\u00a8\u00ad\u00af\u00b4\u00b8\u02c6-\u02df\u0640\u200b-\u200f\u2060\ufeff]")

__all__ = ["UNTOLD", "Atom", "atoms_of", "folded", "joined", "keys_of", "runs_leftwards"]


class Atom(NamedTuple):
    """A folded ``key`` and where it stands in its text."""

    key: str
    start: int
    end: int


def atoms_of(text: str) -> list[Atom]:
    """The atoms of ``text``, in its order."""
    return [Atom(key, match.start(), match.end()) for match in _ATOM.finditer(text) if (key := folded(match[0]))]


def keys_of(text: str) -> list[str]:
    """The keys of the atoms of ``text``, in its order."""
    if text.isascii() and text.isalpha():
        return [text.lower()]
    return [key for atom in _ATOM.findall(text) if (key := folded(atom))]


@lru_cache(maxsize=100_000)
def folded(text: str) -> str:
    """The letters of ``text`` without case, accents and compatibility forms; none of a line typed with ``=``."""
    if text.isascii():
        return "" if text.startswith("===") else text.lower()
    plain = unicodedata.normalize("NFKD", _UNHEARD.sub("", text).translate(_TWINS)).casefold()
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign)).replace("\u0131", "i")
    return "".join(sorted(plain)) if _LEFTWARDS.search(plain) else plain


def runs_leftwards(text: str) -> bool:
    """Whether ``text`` has letters of a script that runs leftwards."""
    return not text.isascii() and _LEFTWARDS.search(text) is not None


def joined(parts: tuple[str, ...]) -> str:
    """The key of atoms that are one word together; empty if figures would meet, which makes another number."""
    for before, after in pairwise(parts):
        if before[-1].isdigit() and after[0].isdigit():
            return ""
    text = "".join(parts)
    return "".join(sorted(text)) if _LEFTWARDS.search(text) else text
