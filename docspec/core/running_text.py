"""Whether a paragraph that a column or a page breaks off goes on in the next one, and how the two parts are joined."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(r"[.!?:;…。！？：；][\"'”’»)\]]*$")
_BROKEN_WORD = re.compile(r"[^\W\d_][-\u00ad]$")


def goes_on(first: str, second: str) -> bool:
    """Whether the paragraph ``first`` breaks off and ``second`` is the rest of it: no sentence ends and none begins."""
    second = second.lstrip()
    if not second or not breaks_off(first):
        return False
    return second[0].islower() or (is_broken(first) and second[0].isalpha())


def breaks_off(text: str) -> bool:
    """Whether no sentence ends where ``text`` ends."""
    text = text.rstrip()
    return bool(text) and _SENTENCE_END.search(text) is None


def is_broken(text: str) -> bool:
    """Whether ``text`` ends within a word, with a hyphen."""
    return _BROKEN_WORD.search(text.rstrip()) is not None
