"""Text over several pages: paragraphs that a column or a page breaks off, and running heads and feet."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docspec.core.result import Block

_SENTENCE_END = re.compile(r"[.!?:;…。！？：；][\"'”’»)\]]*$")
_BROKEN_WORD = re.compile(r"[^\W\d_][-\u00ad]$")


def goes_on(first: str, second: str) -> bool:
    """Whether the paragraph ``first`` breaks off and ``second`` is the rest of it: no sentence ends and none begins."""
    second = second.lstrip()
    if not second or not breaks_off(first):
        return False
    return second[0].islower() or (is_broken(first) and second[0].isalpha())


def breaks_off(text: str) -> bool:
    """Whether ``text`` ends with neither the end of a sentence nor that of a listing."""
    text = text.rstrip()
    return bool(text) and not text.endswith("```") and _SENTENCE_END.search(text) is None


def is_broken(text: str) -> bool:
    """Whether ``text`` ends within a word, with a hyphen."""
    return _BROKEN_WORD.search(text.rstrip()) is not None


def is_left_out(block: Block, page: Sequence[Block]) -> bool:
    """Whether ``block`` is a running head or foot to be left out of its ``page``; on a page without other text, one
    with letters stays."""
    return block.category.is_furniture and (
        not any(map(str.isalpha, block.text))
        or any(other.text.strip() and not other.category.is_furniture for other in page)
    )
