"""Who is to be believed about what is visible on a page: its file, where the text layer is sound, or the recogniser."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from docspec.core import PageDraft
from docspec.core.account import VisibleWord, Witness
from docspec.ledger.atoms import UNTOLD
from docspec.ledger.visible import OVER_PRINT

LEAST_TOLD, LEAST_VOICED = 0.95, 0.85
"""Shares (0..1) of signs that a sound file tells, and of its longer Latin words that have a vowel."""

LEAST_WORDS = 20
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]{4,}")
_VOICED = re.compile("[aeiouy\u00e0-\u00e6\u00e8-\u00ef\u00f2-\u00f6\u00f8-\u00fd\u00ff\u0153]", re.IGNORECASE)


def witness_of(words: Sequence[VisibleWord], draft: PageDraft) -> tuple[Witness, tuple[VisibleWord, ...]]:
    """The witness of a page with these ``words`` in its file, drafted so, and what it saw."""
    recognised = tuple(_recognised(draft))
    sources = {region.words for region in draft.regions}
    if words and ("text layer" in sources or (not recognised and _is_sound(words))):
        layer = _shown(words)
        visible = sorted((word.y0 + word.y1, word.x0 + word.x1) for word in layer if not word.hidden)
        return "text layer", (*layer, *(line for line in recognised if not _is_told(line, visible)))
    return ("recognised lines", recognised) if recognised else ("none", ())


def _recognised(draft: PageDraft) -> Iterator[VisibleWord]:
    """The lines that a recogniser told; those of the regions, if the drafter has kept no others."""
    regions = (region for region in draft.regions if region.words == "recognition")
    for line in draft.recognised or (line for region in regions for line in (*region.lines, *region.labels)):
        box = line.bbox
        yield VisibleWord(line.text, box.x0, box.y0, box.x1, box.y1)


def _shown(words: Sequence[VisibleWord]) -> tuple[VisibleWord, ...]:
    """``words``; if they are a recogniser's, written invisibly over a scan, they tell what is printed there."""
    over_print = sum(word.hidden == OVER_PRINT for word in words)
    if 2 * over_print < len(words):
        return tuple(words)
    return tuple(word._replace(hidden="") if word.hidden == OVER_PRINT else word for word in words)


def _is_told(line: VisibleWord, words: Sequence[tuple[float, float]]) -> bool:
    """Whether the middle of one of ``words`` (twice y and x, ascending) is in a recognised line."""
    first, last = bisect_left(words, (2 * line.y0, 0.0)), bisect_right(words, (2 * line.y1, float("inf")))
    return any(2 * line.x0 <= x <= 2 * line.x1 for _, x in words[first:last])


def _is_sound(words: Sequence[VisibleWord]) -> bool:
    """Whether a file that nobody has judged tells its words: most signs are known, and longer words have vowels."""
    text = " ".join(word.text for word in words if not word.hidden)
    signs = len(text.replace(" ", ""))
    longer = _WORD.findall(text)
    voiced = sum(_VOICED.search(word) is not None for word in longer)
    known = signs - text.count(UNTOLD)
    return known >= LEAST_TOLD * signs > 0 and (len(longer) < LEAST_WORDS or voiced >= LEAST_VOICED * len(longer))
